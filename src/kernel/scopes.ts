import { failOauth } from './errors.ts'

/** The scopes that apps can register and request (RFC 6749 §3.3). Lists of scopes keep this order. */
export const SCOPES = [
  'openid',
  'profile',
  'email',
  'people:search',
  'buckets',
  'lessons',
  'progress',
  'notes',
  'statements',
  'offline_access',
] as const
export type Scope = (typeof SCOPES)[number]

/** A list of scopes; undefined means everything that the app has registered. */
export type Scopes = readonly Scope[] | undefined

/** The alias of everything, and the only scope of earlier releases. */
export const ALL_SCOPES = 'user'

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text)

const MAX_LENGTH = 1000

const sort = (scopes: ReadonlySet<string>): Scope[] => SCOPES.filter((scope) => scopes.has(scope))

/**
 * Parses the `scope` parameter of a request of an app that has registered these scopes. Returns undefined if the app
 * asks for everything: without the parameter, or with `user` alone. Throws `invalid_scope` if a scope is unknown, or not
 * registered for the app.
 */
export function parseScopes(parameter: string | undefined, registered: Scopes): Scopes {
  if (parameter === undefined) return undefined
  if (parameter.length > MAX_LENGTH) throw invalidScope(`scope is longer than ${MAX_LENGTH} characters`)
  const words = new Set(parameter.split(' ').filter((word) => word !== ''))
  if (words.size === 0) return undefined
  const asksForAll = words.delete(ALL_SCOPES)
  if (asksForAll && words.size === 0) return undefined
  const scopes = sort(words)
  // The description repeats no unknown word, because its characters are limited (RFC 6749 §4.1.2.1).
  if (scopes.length < words.size) throw invalidScope(`A scope is unknown; the scopes are ${SCOPES.join(', ')}`)
  const foreign = scopes.filter((scope) => !includesScopes(registered, [scope]))
  if (foreign.length > 0) throw invalidScope(`This app has not registered the scope ${foreign.join(', ')}`)
  return asksForAll ? (registered ?? SCOPES) : scopes
}

export const invalidScope = (sentence: string) => failOauth('invalid_scope', 'validationFailed', sentence)

/** Reads a column of scopes; null means everything. */
export const readScopes = (column: readonly string[] | null): Scopes =>
  column === null ? undefined : sort(new Set(column))

/** Returns the scopes that all lists have in common. */
export function intersectScopes(...lists: readonly (readonly string[] | null)[]): Scopes {
  const given = lists.filter((list) => list !== null)
  return given.length === 0
    ? undefined
    : SCOPES.filter((scope) => given.every((list) => (list as readonly string[]).includes(scope)))
}

/** Whether the first list includes every scope of the second. */
export const includesScopes = (granted: Scopes, asked: Scopes): boolean =>
  granted === undefined || asked?.every((scope) => granted.includes(scope)) === true

/** Formats scopes as in the `scope` field of responses. */
export const showScopes = (scopes: Scopes): string => scopes?.join(' ') ?? ALL_SCOPES
