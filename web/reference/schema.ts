import type { Reference, Schema } from './document.ts'
import { referenceWords } from './words.ts'

const { schema: say } = referenceWords

type Follow = Reference['follow']

const nameOf = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1)

const isNull = ({ type }: Schema): boolean => type === 'null'

/** Describes the type of a value in a few words. */
export function sayType(schema: Schema, follow: Follow): string {
  const name = nameOf(schema)
  if (name !== undefined) return name
  if ('const' in schema) return JSON.stringify(schema.const)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map((one) => sayType(one, follow)))].join(say.or)
  if (schema.contentSchema) return say.jsonText
  if (schema.enum) return schema.type ?? say.oneOf
  if (schema.type === 'array') return schema.items ? say.listOf(sayType(schema.items, follow)) : say.list
  if (schema.type === 'object' && !schema.properties) {
    const value = valuesOf(schema)
    return value ? say.mapOf(sayType(value, follow)) : 'object'
  }
  return schema.format ? `${schema.type} (${schema.format})` : (schema.type ?? say.any)
}

const valuesOf = ({ patternProperties, additionalProperties }: Schema): Schema | undefined =>
  Object.values(patternProperties ?? {})[0] ??
  (typeof additionalProperties === 'object' ? additionalProperties : undefined)

/** Describes the constraints of a value besides its type. */
export function sayBounds(schema: Schema): readonly string[] {
  const kinds = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => !isNull(one))
  if (kinds.length > 0) return [...new Set(kinds.flatMap(sayBounds))]
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema
  const between = (low: number | undefined, high: number | undefined, what: (text: string) => string) =>
    low === undefined && high === undefined ? [] : [what(say.between(low, high))]
  return [
    ...(schema.enum ? [say.oneOfThese(schema.enum.map((one) => JSON.stringify(one)))] : []),
    ...between(minLength || undefined, maxLength, say.length),
    ...between(minimum, maximum, say.value),
    ...between(minItems || undefined, maxItems, say.items),
    ...(schema.uniqueItems ? [say.unique] : []),
    ...(pattern === undefined ? [] : [say.pattern(pattern)]),
    ...(schema.items ? sayBounds(schema.items).map(say.each) : []),
  ]
}

/**
 * Returns the fields of an object. For a list, those of its entries; for a value with a single variant, those of the
 * variant.
 */
export function fieldsOf(schema: Schema, follow: Follow): { name: string; field: Schema; isRequired: boolean }[] {
  const found = follow<Schema>(schema)
  if (found.properties)
    return Object.entries(found.properties).map(([name, field]) => ({
      name,
      field,
      isRequired: found.required?.includes(name) ?? false,
    }))
  const inner = found.items ?? found.contentSchema ?? valuesOf(found)
  if (inner) return fieldsOf(inner, follow)
  const variants = (found.anyOf ?? found.oneOf ?? []).filter((one) => !isNull(one))
  return variants.length === 1 ? fieldsOf(variants[0]!, follow) : []
}

/** Returns the variants of a value if there are several with fields; otherwise an empty list. */
export function variantsOf(schema: Schema, follow: Follow): readonly Schema[] {
  const found = follow<Schema>(schema)
  const inner = found.items ? follow<Schema>(found.items) : found
  const variants = (inner.anyOf ?? inner.oneOf ?? []).filter((one) => fieldsOf(one, follow).length > 0)
  return variants.length > 1 ? variants.map((one) => follow<Schema>(one)) : []
}
