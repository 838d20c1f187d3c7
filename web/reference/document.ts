import { rankOf, wordsOf } from './search.ts'

/** A schema in OpenAPI 3.1, with the fields that the platform's API description uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly contentSchema?: Schema
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface ResponseDescription {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
}

type Ref = { readonly $ref: string }

/** How to send an example with the demo data. */
export interface AboutExample {
  /** Handle of the person who should send the example. */
  readonly as?: string
  /** Client ID of the app whose token is sent, if it is not the demo app. */
  readonly clientId?: string
  /** Key and secret for HTTP Basic. */
  readonly pair?: { readonly key: string; readonly secret: string }
  /** The environment in which the example works, if it does not work in both. */
  readonly environment?: 'sandbox'
  /** The id of the operation whose example creates what this example reads or changes. */
  readonly after?: string
  /** For each field whose example cannot contain a valid value: what to enter instead. */
  readonly fill?: Readonly<Record<string, string>>
}

interface DescribedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly responses: Readonly<Record<string, ResponseDescription | Ref>>
  readonly 'x-callers'?: string
  readonly 'x-roles'?: readonly string[]
  readonly 'x-scope'?: string
  readonly 'x-needs'?: readonly string[]
  readonly 'x-example'?: AboutExample
}

export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: Readonly<Record<string, unknown>>
  readonly 'x-samples': Samples
}

/** Placeholders in examples, for values that differ in every installation. */
export interface Samples {
  readonly baseUrl: string
  readonly clientId: string
  /** Placeholder user ids of people, by handle. */
  readonly userIds: Readonly<Record<string, string>>
}

/** An operation as the API reference shows it. */
export interface OperationEntry {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly isRequired: boolean; readonly content: Readonly<Record<string, Media>> } | undefined
  /** Names of the security schemes; `none` means that the operation also works without authentication. */
  readonly security: readonly string[]
  readonly answers: readonly { readonly status: string; readonly answer: ResponseDescription }[]
  readonly callers: string | undefined
  readonly roles: readonly string[]
  /** The scope that an access token needs; undefined if every token will do. */
  readonly scope: string | undefined
  readonly needs: readonly string[]
  readonly example: AboutExample
  /** The text that is searched, in lower case. */
  readonly text: string
}

export interface Area {
  readonly name: string
  readonly description: string
  readonly entries: readonly OperationEntry[]
}

export interface Reference {
  readonly about: string
  readonly version: string
  readonly areas: readonly Area[]
  readonly byId: ReadonlyMap<string, OperationEntry>
  readonly samples: Samples
  /** Resolves a `$ref` inside the OpenAPI document. */
  follow<T>(value: T | Ref): T
}

/** Removes the sentence about the callers from a description, because the page shows callers in their own section. */
const withoutCallers = (text: string): string => text.replace(/\n\nFor: [^\n]*$/, '')

/** Reads the OpenAPI document, and groups its operations by area. */
export function readReference(document: ApiDocument): Reference {
  const follow = <T>(value: T | Ref): T => {
    const ref = (value as Partial<Ref> | undefined)?.$ref
    if (typeof ref !== 'string') return value as T
    const steps = ref.slice(2).split('/')
    return steps.reduce((place, step) => (place as Record<string, unknown>)[step], document as unknown) as T
  }
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): OperationEntry => {
      const description = withoutCallers(one.description)
      return {
        id: one.operationId,
        method: method.toUpperCase(),
        path,
        area: one.tags[0] ?? '',
        summary: one.summary,
        description,
        parameters: (one.parameters ?? []).map((parameter) => follow<Parameter>(parameter)),
        body: one.requestBody && { isRequired: one.requestBody.required ?? false, content: one.requestBody.content },
        security: one.security.map((scheme) => Object.keys(scheme)[0] ?? 'none'),
        answers: Object.entries(one.responses).map(([status, answer]) => ({
          status,
          answer: follow<ResponseDescription>(answer),
        })),
        callers: one['x-callers'],
        roles: one['x-roles'] ?? [],
        scope: one['x-scope'],
        needs: one['x-needs'] ?? [],
        example: one['x-example'] ?? {},
        text: [one.operationId, method, path, one.summary, description].join('\n').toLowerCase(),
      }
    }),
  )
  return {
    about: document.info.description,
    version: document.info.version,
    areas: document.tags
      .map(({ name, description }) => ({ name, description, entries: entries.filter(({ area }) => area === name) }))
      .filter((area) => area.entries.length > 0),
    byId: new Map(entries.map((entry) => [entry.id, entry])),
    samples: document['x-samples'],
    follow,
  }
}

/**
 * Finds the operations that contain every typed word. Areas and operations with a match in their name, id or path come
 * before those with a match in the description.
 */
export function findEntries(areas: readonly Area[], typed: string): readonly Area[] {
  const words = wordsOf(typed)
  if (words.length === 0) return areas
  return areas
    .map((area) => {
      const ranked = area.entries.map((entry) => {
        const name = [area.name, entry.id, entry.method, entry.path, entry.summary].join('\n').toLowerCase()
        return { entry, rank: rankOf(words, name, entry.text) }
      })
      const found = ranked.filter(({ rank }) => rank > 0).sort((a, b) => b.rank - a.rank)
      return { area: { ...area, entries: found.map(({ entry }) => entry) }, rank: found[0]?.rank ?? 0 }
    })
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ area }) => area)
}
