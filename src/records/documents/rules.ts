import { type ErrorName, fail, type PlatformError } from '../../kernel/errors.ts'
import { endOfString } from '../../kernel/json.ts'
import type { Version } from '../statements/model/statement.ts'
import { type DocumentKind, isJson, type Preconditions, type Tags } from './document.ts'

const includes = (tags: Tags, etag: string): boolean => tags === '*' || tags.includes(etag)

const READ_FIRST =
  'read it, and send If-Match with its current ETag to replace it, or If-None-Match: * to only create a new one'

/**
 * The error for a PUT without preconditions: `there` if a document is stored, `none` if not (3.1; in version 2.0:
 * 4.1.4).
 */
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
  conflict: `The document already exists: ${READ_FIRST}`,
  badRequest: `If-Match or If-None-Match is missing: ${READ_FIRST}`,
}

/**
 * Returns the error if the document with this ETag may not be changed, else undefined. Checks the preconditions in the
 * order of RFC 9110 §13.2.2.
 */
export function findRefusal(
  what: {
    readonly version: Version
    readonly kind: DocumentKind
    readonly method: 'PUT' | 'POST' | 'DELETE'
  } & Preconditions,
  etag: string | undefined,
): PlatformError | undefined {
  const { version, kind, method, match, noneMatch } = what
  if (match && (etag === undefined || !includes(match, etag)))
    return fail(
      'preconditionFailed',
      etag === undefined
        ? 'If-Match: the document does not exist'
        : `If-Match: the document has changed; ${READ_FIRST}`,
    )
  if (noneMatch && etag !== undefined && includes(noneMatch, etag))
    return fail('preconditionFailed', `If-None-Match: the document already exists; ${READ_FIRST}`)
  if (method !== 'PUT' || match || noneMatch) return undefined
  const error = BARE_PUT[version][kind === 'state' ? 'state' : 'profile'][etag === undefined ? 'none' : 'there']
  return error && fail(error, SENTENCES[error])
}

/** Throws if a posted JSON document is not an object, even if there is no stored document to merge it into. */
export function checkPosted(contentType: string, json: string | undefined): void {
  if (isJson(contentType) && !isObject(json))
    throw fail('validationFailed', 'The document must be a JSON object; use PUT for other documents')
}

const isObject = (json: string | undefined): json is string => json !== undefined && /^\s*\{/.test(json)

/**
 * Merges a posted document into the stored one: each posted property replaces the whole property of the same name
 * (2.2). Throws if either document is not a JSON object. Stored contents that are declared as JSON are valid JSON,
 * because they were checked when they were sent. Values are copied as text, so numbers, repeated keys and escapes in
 * them stay as their senders wrote them.
 */
export function merge(
  stored: { readonly contentType: string; readonly contents: Buffer },
  posted: string | undefined,
): Buffer<ArrayBuffer> {
  const existing = isJson(stored.contentType) ? new TextDecoder().decode(stored.contents) : undefined
  if (!isObject(existing) || !isObject(posted))
    throw fail(
      'badRequest',
      'Only JSON objects (application/json) can be merged, and one of the two documents is not one; PUT replaces the stored one',
    )
  const merged = new Map([...membersOf(existing), ...membersOf(posted)])
  return Buffer.from(`{${[...merged].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`)
}

/** Lists the properties of a valid JSON object, with their values as text. */
function* membersOf(json: string): Generator<[name: string, value: string]> {
  for (let at = json.indexOf('"'); at >= 0; ) {
    const nameEnd = endOfString(json, at) + 1
    const valueStart = json.indexOf(':', nameEnd) + 1
    const valueEnd = endOfValue(json, valueStart)
    yield [JSON.parse(json.slice(at, nameEnd)), json.slice(valueStart, valueEnd).trim()]
    at = json.indexOf('"', valueEnd)
  }
}

/** Returns the index of the comma or brace that follows a value. */
function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let i = start; ; i++) {
    const c = json[i]
    if (c === '"') i = endOfString(json, i)
    else if (c === '{' || c === '[') depth++
    else if (depth === 0 && (c === ',' || c === '}')) return i
    else if (c === '}' || c === ']') depth--
  }
}
