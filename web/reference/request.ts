import type { Here } from '../api/operations.ts'
import type { HeldCredentials } from './credentials.ts'
import type { OperationEntry, Parameter, Reference, Samples } from './document.ts'

/** The ways to authenticate a request: access token, HTTP Basic, the browser's cookie, or nothing. */
export type AuthMethod = 'bearer' | 'basic' | 'browser' | 'none'

const WAYS: Readonly<Record<string, AuthMethod>> = {
  bearer: 'bearer',
  metricsToken: 'bearer',
  basic: 'basic',
  browser: 'browser',
  none: 'none',
}

/**
 * Lists the ways of authentication that an operation accepts. Public operations accept `none`; operations for visitors
 * also accept the cookie.
 */
export function waysOf({ security, callers }: OperationEntry): readonly AuthMethod[] {
  const ways = new Set(security.flatMap((name) => WAYS[name] ?? []))
  if (callers === 'visitor') ways.add('browser')
  if (ways.size === 0) ways.add('none')
  return [...ways]
}

/**
 * Chooses the first way of authentication for which the page has credentials, or else the first way. For the record
 * store, an administrator's cookie is preferred, because it allows more than a token.
 */
export const chooseWay = (entry: OperationEntry, { session, pair }: HeldCredentials, { person }: Here): AuthMethod => {
  const ways = waysOf(entry)
  if (entry.callers === 'record store' && pair === undefined && person?.may.administer) return 'browser'
  const has: Readonly<Record<AuthMethod, boolean>> = {
    bearer: session !== undefined,
    basic: pair !== undefined,
    browser: person !== null,
    none: true,
  }
  return ways.find((way) => has[way]) ?? ways[0]!
}

/** `form`: a form on one of our pages, which only the browser that was shown the page can send. */
export type BodyKind = 'none' | 'json' | 'csv' | 'file' | 'any' | 'form'

export function bodyKindOf({ body }: OperationEntry): BodyKind {
  if (!body) return 'none'
  if (body.content['application/json']) return 'json'
  if (body.content['text/csv']) return 'csv'
  if (body.content['application/x-www-form-urlencoded']) return 'form'
  return body.content['*/*'] ? 'any' : 'file'
}

/** The values of the form, before they become a request. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>
  readonly body: string
  readonly type: string
  readonly file: File | undefined
}

export const keyOf = ({ name, in: place }: Parameter): string => `${place}:${name}`

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(asText).join(',') : JSON.stringify(value)

/**
 * Returns the client ID of the same app in the current environment. In the sandbox, client IDs begin with `gs-sbx-`.
 */
export const clientIdIn = ({ environment }: Here, clientId: string): string =>
  environment === 'sandbox' ? clientId.replace(/^gs-/, 'gs-sbx-') : clientId

/** Returns a function that replaces the placeholders of an example with real values. */
function makeReal(samples: Samples, here: Here, ids: Readonly<Record<string, string>>): (text: string) => string {
  const pairs: [string, string][] = [
    ...Object.entries(ids),
    ...(here.environment === 'sandbox' ? [['gs-demo-', clientIdIn(here, 'gs-demo-')] as [string, string]] : []),
  ]
  const base = new RegExp(`${samples.baseUrl}(?=["/]|$)`, 'g')
  return (text) =>
    pairs.reduce(
      (made, [sample, real]) => made.replaceAll(sample, real),
      text.replaceAll(base, () => here.production),
    )
}

interface User {
  readonly handle: string
  readonly userId: string
}

/** Finds the user ids of the example people in the app of the session, by the placeholder ids in the examples. */
export async function findUserIds(
  samples: Samples,
  me: User,
  search: (handle: string) => Promise<readonly User[]>,
): Promise<Record<string, string>> {
  const find = async ([handle, sample]: [string, string]): Promise<[string, string]> => {
    const found = handle === me.handle ? [me] : await search(handle).catch(() => [])
    // If the example person does not use this app, use the person who is signed in.
    return [sample, found.find((one) => one.handle === handle)?.userId ?? me.userId]
  }
  return Object.fromEntries(await Promise.all(Object.entries(samples.userIds).map(find)))
}

/**
 * Returns the scopes that a token needs to send an operation: its own, `profile` to show who is signed in, and
 * `people:search` if the example is about other people, whose ids the page looks up. Undefined for operations that take
 * no token.
 */
export function scopesFor(entry: OperationEntry, samples: Samples): string[] | undefined {
  if (!entry.security.includes('bearer')) return undefined
  const text = JSON.stringify([entry.parameters, entry.body?.content])
  const isAboutPeople = Object.values(samples.userIds).some((id) => text.includes(id))
  return [...new Set(['profile', ...(isAboutPeople ? ['people:search'] : []), ...(entry.scope ? [entry.scope] : [])])]
}

const BODY_TYPES: Readonly<Record<BodyKind, string>> = {
  none: '',
  json: 'application/json',
  csv: 'text/csv',
  file: 'application/octet-stream',
  any: 'application/json',
  form: 'application/x-www-form-urlencoded',
}

/** Fills the form with the example of an operation. */
export function draftOf(
  entry: OperationEntry,
  samples: Samples,
  here: Here,
  ids: Readonly<Record<string, string>> = {},
): Draft {
  const real = makeReal(samples, here, ids)
  const kind = bodyKindOf(entry)
  const example = kind === 'any' ? entry.body?.content['*/*']?.example : entry.body?.content[BODY_TYPES[kind]]?.example
  const body = kind === 'csv' ? asText(example ?? '') : typeof example === 'string' ? example : pretty(example ?? {})
  return {
    values: Object.fromEntries(
      entry.parameters.flatMap((one) => (one.example === undefined ? [] : [[keyOf(one), real(asText(one.example))]])),
    ),
    body: kind === 'none' || kind === 'file' ? '' : real(body),
    type: kind === 'any' && typeof example === 'string' ? 'text/plain' : BODY_TYPES[kind],
    file: undefined,
  }
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** A complete request, which can be sent or shown as code. */
export interface PreparedRequest {
  readonly method: string
  /** Path and query, without the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | File | undefined
}

export function prepare(entry: OperationEntry, { values, body, type, file }: Draft): PreparedRequest {
  const given = entry.parameters.flatMap((parameter) => {
    const value = values[keyOf(parameter)] ?? ''
    return value === '' ? [] : [{ ...parameter, value }]
  })
  const of = (place: Parameter['in']) => given.filter((one) => one.in === place)
  const filled = of('path').reduce(
    (path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)),
    entry.path,
  )
  const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value]))
  const kind = bodyKindOf(entry)
  return {
    method: entry.method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    headers: {
      ...Object.fromEntries(of('header').map(({ name, value }) => [name, value])),
      ...(kind === 'none' ? {} : { 'Content-Type': kind === 'file' ? file?.type || type : type }),
    },
    body: kind === 'none' ? undefined : kind === 'file' ? file : body,
  }
}

/** Finds mistakes in the form: required parameters without a value, and a body that is not valid JSON. */
export function findFaults(
  entry: OperationEntry,
  draft: Draft,
): { readonly missing: readonly string[]; readonly body?: string } {
  const missing = entry.parameters
    .filter((one) => one.required === true && (draft.values[keyOf(one)] ?? '') === '')
    .map(({ name }) => name)
  const kind = bodyKindOf(entry)
  const isJson = kind === 'json' || (kind === 'any' && /\bjson\b/.test(draft.type))
  if (!isJson) return { missing }
  try {
    JSON.parse(draft.body)
    return { missing }
  } catch (error) {
    return { missing, body: (error as Error).message }
  }
}

/** Returns the Authorization header of a request; no header for `browser` and `none`. */
export function proofOf(way: AuthMethod, { session, pair }: HeldCredentials): Readonly<Record<string, string>> {
  if (way === 'bearer' && session) return { Authorization: `Bearer ${session.token}` }
  if (way === 'basic' && pair) {
    const bytes = new TextEncoder().encode(`${pair.key}:${pair.secret}`)
    return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  }
  return {}
}

const IS_ID = /(?:^id|Id|^key)$/
/** Minimum length of a generated id. Shorter ids are fixed names in the demo data, such as class-alpha. */
const SHORTEST_ID = 20

/** Matches handles of generated test people in the sandbox. */
const IS_MADE_HANDLE = /^@[a-z]+-[0-9a-f]{8}$/

const isId = (name: string, value: unknown): value is string =>
  typeof value === 'string' &&
  ((IS_ID.test(name) && value.length >= SHORTEST_ID) || (name === 'handle' && IS_MADE_HANDLE.test(value)))

/**
 * Compares a response with its example and returns the real ids that differ, keyed by the id in the example. Later
 * examples then use the record that was really created.
 */
export function learnIds(example: unknown, answer: unknown, name = ''): Record<string, string> {
  if (isId(name, example)) return typeof answer === 'string' && example !== answer ? { [example]: answer } : {}
  if (typeof example !== 'object' || example === null || typeof answer !== 'object' || answer === null) return {}
  const parts = Object.entries(example).map(([key, one]) =>
    // Entries of a list have no name of their own, so pass on the name of the list.
    learnIds(one, (answer as Record<string, unknown>)[key], Array.isArray(example) ? name : key),
  )
  return Object.assign({}, ...parts)
}

export const answerExampleOf = ({ answers }: OperationEntry, status = 200): unknown =>
  answers.find((one) => one.status === String(status))?.answer.content?.['application/json']?.example

const idsIn = (example: unknown, name = ''): readonly string[] => {
  if (isId(name, example)) return [example]
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).flatMap(([key, one]) => idsIn(one, Array.isArray(example) ? name : key))
}
const idsOfRequest = ({ parameters, body }: OperationEntry): readonly string[] => [
  ...parameters.flatMap(({ name, example }) => idsIn(example, name)),
  ...idsIn(body?.content['application/json']?.example),
]

/**
 * Finds the operation that creates the record which this example uses. If the example does not name it in `after`, it
 * is the operation whose example response contains the id of the record.
 */
export function findMaker(entry: OperationEntry, { byId, areas }: Reference): OperationEntry | undefined {
  if (entry.example.after !== undefined) return byId.get(entry.example.after)
  const wanted = idsOfRequest(entry)
  if (wanted.length === 0) return undefined
  const others = areas.find(({ name }) => name === entry.area)?.entries ?? []
  return others.find((one) => {
    if (one === entry || one.method === 'GET') return false
    // Only top-level ids: those of the created record itself, not of records that it refers to.
    const made = Object.entries(answerExampleOf(one) ?? {}).filter(([name, id]) => isId(name, id))
    return made.some(([, id]) => wanted.includes(id) && !idsOfRequest(one).includes(id))
  })
}
