import { type ErrorName, fail, type PlatformError } from '../../kernel/errors.ts'
import type { Version } from '../statements/statement.ts'

export type Kind = 'state' | 'activity profile' | 'agent profile'

/** Tags of documents, without quotes; `*` is any. */
export type Tags = '*' | readonly string[]

/** What a request says about the document that it is to meet (If-Match, If-None-Match). */
export interface Preconditions {
  readonly match: Tags | undefined
  readonly noneMatch: Tags | undefined
}

/**
 * The tags of a header. A weak one counts as a strong one: tags are hashes of the contents, and only a proxy that compresses makes them weak. So does one without
 * quotes: the specification says how it is made, and clients send what they have made themselves.
 */
export function parseTags(header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return [...header.matchAll(/(?:W\/)?"([^"]*)"|([^\s,"]+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare)!.toLowerCase(),
  )
}

const includes = (tags: Tags, etag: string): boolean => tags === '*' || tags.includes(etag)

const READ_FIRST =
  'read it, and send If-Match with its current ETag to replace it, or If-None-Match: * to make a new one only'

/** What becomes of a PUT that says nothing about what it is to meet, where there is a document and where there is none (3.1; version 2.0: 4.1.4). */
const BARE_PUT: Record<
  Version,
  Record<'state' | 'profile', { there: ErrorName | undefined; none: ErrorName | undefined }>
> = {
  '1.0.3': {
    state: { there: undefined, none: undefined },
    profile: { there: 'conflict', none: 'badRequest' },
  },
  '2.0.0': {
    state: { there: 'conflict', none: undefined },
    profile: { there: 'conflict', none: undefined },
  },
}

const SENTENCES: Partial<Record<ErrorName, string>> = {
  conflict: `There is a document already: ${READ_FIRST}`,
  badRequest: `If-Match or If-None-Match is missing: ${READ_FIRST}`,
}

/** Why a document may not be changed, by its tag; undefined where it may. Preconditions are looked at in the order of RFC 9110 §13.2.2. */
export function findRefusal(
  what: { readonly version: Version; readonly kind: Kind; readonly method: 'PUT' | 'POST' | 'DELETE' } & Preconditions,
  etag: string | undefined,
): PlatformError | undefined {
  const { version, kind, method, match, noneMatch } = what
  if (match && (etag === undefined || !includes(match, etag)))
    return fail(
      'preconditionFailed',
      etag === undefined ? 'If-Match: there is no such document' : `If-Match: the document has changed; ${READ_FIRST}`,
    )
  if (noneMatch && etag !== undefined && includes(noneMatch, etag))
    return fail('preconditionFailed', `If-None-Match: there is such a document; ${READ_FIRST}`)
  if (method !== 'PUT' || match || noneMatch) return undefined
  const error = BARE_PUT[version][kind === 'state' ? 'state' : 'profile'][etag === undefined ? 'none' : 'there']
  return error && fail(error, SENTENCES[error])
}

/** Whether a document is JSON, and so can be merged. */
export const isJson = (contentType: string): boolean => /^application\/json\s*(?:;|$)/i.test(contentType)

type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is posted must be the JSON of an object, whether there is something to merge it with or not. */
export function checkPosted(contentType: string, value: unknown): void {
  if (isJson(contentType) && !isObject(value))
    throw fail('validationFailed', 'The document must be a JSON object; use PUT for other documents')
}

/** Each property that is posted replaces the one of its name, as a whole (2.2). The contents are valid JSON: that was looked at when they came. */
export function merge(
  kept: { readonly contentType: string; readonly contents: Buffer },
  posted: unknown,
): Buffer<ArrayBuffer> {
  const existing: unknown = isJson(kept.contentType) ? JSON.parse(new TextDecoder().decode(kept.contents)) : undefined
  if (!isObject(existing) || !isObject(posted))
    throw fail(
      'badRequest',
      'Only JSON objects (application/json) can be merged, and one of the two documents is not one; PUT replaces the stored one',
    )
  return Buffer.from(JSON.stringify({ ...existing, ...posted }))
}
