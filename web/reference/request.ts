import type { Here } from '../api/operations.ts'
import type { Held } from './credentials.ts'
import type { Entry, Parameter, Reference, Samples } from './document.ts'

/** How a request proves whose it is. */
export type Way = 'bearer' | 'basic' | 'browser' | 'none'

const WAYS: Readonly<Record<string, Way>> = {
  bearer: 'bearer',
  metricsToken: 'bearer',
  basic: 'basic',
  browser: 'browser',
  none: 'none',
}

/** Those that an operation takes. What anybody may call works with nothing; a visitor is asked by their cookie. */
export function waysOf({ security, callers }: Entry): readonly Way[] {
  const ways = new Set(security.flatMap((name) => WAYS[name] ?? []))
  if (callers === 'visitor') ways.add('browser')
  if (ways.size === 0) ways.add('none')
  return [...ways]
}

/** The first that the page has something for; otherwise the first. In the record store an administrator may do everything, and a token little. */
export const chooseWay = (entry: Entry, { session, pair }: Held, { person }: Here): Way => {
  const ways = waysOf(entry)
  if (entry.callers === 'record store' && pair === undefined && person?.may.administer) return 'browser'
  const has: Readonly<Record<Way, boolean>> = {
    bearer: session !== undefined,
    basic: pair !== undefined,
    browser: person !== null,
    none: true,
  }
  return ways.find((way) => has[way]) ?? ways[0]!
}

export type BodyKind = 'none' | 'json' | 'csv' | 'file' | 'any'

export function bodyKindOf({ body }: Entry): BodyKind {
  if (!body) return 'none'
  if (body.content['application/json']) return 'json'
  if (body.content['text/csv']) return 'csv'
  return body.content['*/*'] ? 'any' : 'file'
}

/** What somebody has filled in. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>
  readonly body: string
  readonly type: string
  readonly file: File | undefined
}

export const keyOf = ({ name, in: place }: Parameter): string => `${place}:${name}`

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(asText).join(',') : JSON.stringify(value)

/** Client IDs of the sandbox say that they are. */
export const clientIdIn = ({ environment }: Here, clientId: string): string =>
  environment === 'sandbox' ? clientId.replace(/^gs-/, 'gs-sbx-') : clientId

/** Puts what is real in the place of what examples show. */
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

/** By the samples of the examples: userIds of the same people in the app that somebody is signed in to. */
export async function findUserIds(
  samples: Samples,
  me: User,
  search: (handle: string) => Promise<readonly User[]>,
): Promise<Record<string, string>> {
  const find = async ([handle, sample]: [string, string]): Promise<[string, string]> => {
    const found = handle === me.handle ? [me] : await search(handle).catch(() => [])
    // Where they are not here, whoever signed in stands for them.
    return [sample, found.find((one) => one.handle === handle)?.userId ?? me.userId]
  }
  return Object.fromEntries(await Promise.all(Object.entries(samples.userIds).map(find)))
}

const BODY_TYPES: Readonly<Record<BodyKind, string>> = {
  none: '',
  json: 'application/json',
  csv: 'text/csv',
  file: 'application/octet-stream',
  any: 'application/json',
}

/** The example of an operation, as a form to send it. */
export function draftOf(entry: Entry, samples: Samples, here: Here, ids: Readonly<Record<string, string>> = {}): Draft {
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

/** A request that can be sent, or written down. */
export interface Prepared {
  readonly method: string
  /** From the root of the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | File | undefined
}

export function prepare(entry: Entry, { values, body, type, file }: Draft): Prepared {
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

/** What is wrong with a form before it is sent: a parameter without a value, JSON that is none. */
export function findFaults(
  entry: Entry,
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

/** The header that proves it. */
export function proofOf(way: Way, { session, pair }: Held): Readonly<Record<string, string>> {
  if (way === 'bearer' && session) return { Authorization: `Bearer ${session.token}` }
  if (way === 'basic' && pair) {
    const bytes = new TextEncoder().encode(`${pair.key}:${pair.secret}`)
    return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  }
  return {}
}

const IS_ID = /(?:^id|Id|^key)$/
/** Shorter ones are names that the demo data has too. */
const SHORTEST_ID = 20

/** Of people who were made up in the sandbox. */
const IS_MADE_HANDLE = /^@[a-z]+-[0-9a-f]{8}$/

const isId = (name: string, value: unknown): value is string =>
  typeof value === 'string' &&
  ((IS_ID.test(name) && value.length >= SHORTEST_ID) || (name === 'handle' && IS_MADE_HANDLE.test(value)))

/** Which ids an answer has where its example shows others: what was made in the example is what was made just now. */
export function learnIds(example: unknown, answer: unknown, name = ''): Record<string, string> {
  if (isId(name, example)) return typeof answer === 'string' && example !== answer ? { [example]: answer } : {}
  if (typeof example !== 'object' || example === null || typeof answer !== 'object' || answer === null) return {}
  const parts = Object.entries(example).map(([key, one]) =>
    // Entries of a list have its name.
    learnIds(one, (answer as Record<string, unknown>)[key], Array.isArray(example) ? name : key),
  )
  return Object.assign({}, ...parts)
}

export const answerExampleOf = ({ answers }: Entry, status = 200): unknown =>
  answers.find((one) => one.status === String(status))?.answer.content?.['application/json']?.example

const idsIn = (example: unknown, name = ''): readonly string[] => {
  if (isId(name, example)) return [example]
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).flatMap(([key, one]) => idsIn(one, Array.isArray(example) ? name : key))
}
const idsOfRequest = ({ parameters, body }: Entry): readonly string[] => [
  ...parameters.flatMap(({ name, example }) => idsIn(example, name)),
  ...idsIn(body?.content['application/json']?.example),
]

/** The operation that makes what the example of this one is about: the description names it, or an id of the example comes from it. */
export function findMaker(entry: Entry, { byId, areas }: Reference): Entry | undefined {
  if (entry.example.after !== undefined) return byId.get(entry.example.after)
  const wanted = idsOfRequest(entry)
  if (wanted.length === 0) return undefined
  const others = areas.find(({ name }) => name === entry.area)?.entries ?? []
  return others.find((one) => {
    if (one === entry || one.method === 'GET') return false
    // Of what it answers itself, and not of what that refers to.
    const made = Object.entries(answerExampleOf(one) ?? {}).filter(([name, id]) => isId(name, id))
    return made.some(([, id]) => wanted.includes(id) && !idsOfRequest(one).includes(id))
  })
}
