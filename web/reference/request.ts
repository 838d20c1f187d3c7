import type { Here } from '../api/operations.ts'
import type { Held } from './credentials.ts'
import type { Entry, Parameter, Samples } from './document.ts'

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

/** The first that the page has something for; otherwise the first. */
export const chooseWay = (ways: readonly Way[], { session, pair }: Held, { person }: Here): Way => {
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

/** Puts what is real in the place of what examples show. */
function makeReal(samples: Samples, here: Here, userIds: Readonly<Record<string, string>>): (text: string) => string {
  const pairs: [string, string][] = [
    ...Object.entries(userIds),
    [`${samples.baseUrl}/`, `${here.production}/`],
    // Client IDs of the sandbox say that they are.
    ...(here.environment === 'sandbox' ? [['gs-demo-', 'gs-sbx-demo-'] as [string, string]] : []),
  ]
  return (text) => pairs.reduce((made, [sample, real]) => made.replaceAll(sample, real), text)
}

const BODY_TYPES: Readonly<Record<BodyKind, string>> = {
  none: '',
  json: 'application/json',
  csv: 'text/csv',
  file: 'application/octet-stream',
  any: 'application/json',
}

/** The example of an operation, as a form to send it. */
export function draftOf(
  entry: Entry,
  samples: Samples,
  here: Here,
  userIds: Readonly<Record<string, string>> = {},
): Draft {
  const real = makeReal(samples, here, userIds)
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
