import type { TSchema } from 'typebox'
import { ALSO } from '../input/fields.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Keywords whose value is one schema. Keywords that are in none of these three sets are copied unchanged. */
const ONE = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'contentSchema'])
/** Keywords whose value is a list of schemas. */
const LIST = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])
/** Keywords whose value is an object of schemas by name. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs'])

/** True for keywords of our own and of TypeBox, which have no meaning in OpenAPI. */
const isInternal = (keyword: string): boolean => keyword.startsWith('x-') || keyword.startsWith('~')

/**
 * The schemas that an OpenAPI document shares. A schema with a `title` is described once, under that name, wherever it
 * occurs. A response schema without a title is named after the first operation that returns it.
 */
export class SharedSchemas {
  readonly byName: Record<string, Json> = {}
  readonly #names = new Map<TSchema, string>()

  /** Returns a reference to the schema. If the schema is new, it is described under this name. */
  share(schema: TSchema, name: string): JsonObject {
    const known = this.#names.get(schema) ?? name
    if (!this.#names.has(schema)) {
      if (known in this.byName) throw new Error(`Two schemas have the name ${known}: give one of them another title`)
      this.#names.set(schema, known)
      // Reserves the position before nested schemas are added, so that schemas are in the order in which readers meet
      // them.
      this.byName[known] = null
      this.byName[known] = this.#copy(schema)
    }
    return { $ref: `#/components/schemas/${known}` }
  }

  /** Returns the schema as published in OpenAPI, without internal keywords. */
  publish(schema: TSchema): JsonObject {
    const { title } = schema as { title?: unknown }
    return typeof title === 'string' ? this.share(schema, title) : this.#copy(schema)
  }

  #copy(schema: TSchema): JsonObject {
    const { [ALSO]: also, ...one } = schema as TSchema & { [ALSO]?: JsonObject }
    if (also) {
      const { description = '', ...rest } = this.#copy(one)
      return { description, anyOf: [rest, also] }
    }
    const entries = Object.entries(schema).filter(([keyword]) => !isInternal(keyword))
    return Object.fromEntries(entries.map(([keyword, value]) => [keyword, this.#copyKeyword(keyword, value)]))
  }

  #copyKeyword(keyword: string, value: unknown): Json {
    if (ONE.has(keyword) && typeof value === 'object') return this.publish(value as TSchema)
    if (LIST.has(keyword)) return (value as TSchema[]).map((one) => this.publish(one))
    if (BY_NAME.has(keyword))
      return Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, one]) => [name, this.publish(one)]),
      )
    return value as Json
  }
}
