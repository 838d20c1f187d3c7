import type { Db } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { fail } from '../../../kernel/errors.ts'
import { parseJson } from '../../../kernel/json.ts'
import { listParts } from '../blocks/blocks.ts'
import { findAgentFaults } from '../faults/faults.ts'
import { keyOf } from '../model/agents.ts'
import { isIri, isUuid } from '../model/forms.ts'
import {
  type Filter,
  keyOfActivity,
  keyOfAgent,
  keyOfRegistration,
  keyOfSender,
  keyOfVerb,
  rolesFor,
} from '../model/refs.ts'
import type { Agent, Definition, Statement, Version } from '../model/statement.ts'
import { isTimestamp, microsecondsOf, timestampOf } from '../model/times.ts'
import type { Filters } from './schema.ts'
import * as store from './store.ts'

/** A key that a statement must have in at least one of these roles. */
export interface WantedKey {
  readonly key: string
  readonly roles: readonly number[]
}

export interface ReadFilters {
  readonly wanted: readonly WantedKey[]
  /** The range of sequence numbers: greater than `after`, and up to and including `upTo`. */
  readonly after?: number
  readonly upTo?: number
}

/** A key that no statement has. It stands for an anonymous group, which matches nothing. */
const NOTHING = keyOf('nothing')

/**
 * Translates filters into keys and a range of sequence numbers; refuses values that the specification does not allow.
 */
export function readFilters(version: Version, input: Filters): ReadFilters {
  const { agent, verb, activity, registration, since, until } = input
  const wanted: WantedKey[] = []
  const want = (key: string | undefined, filter: Filter) =>
    wanted.push({ key: key ?? NOTHING, roles: rolesFor(filter) })
  if (agent !== undefined) {
    const [fault] = findAgentFaults(agent, version, 1)
    if (fault) throw fail('validationFailed', `agent${fault.pointer} must ${fault.must}`)
    want(keyOfAgent(agent as Agent), input.related_agents ? 'related_agents' : 'agent')
  }
  if (verb !== undefined) want(keyOfVerb(readIri('verb', verb)), 'verb')
  if (activity !== undefined)
    want(keyOfActivity(readIri('activity', activity)), input.related_activities ? 'related_activities' : 'activity')
  if (registration !== undefined) {
    if (!isUuid(registration)) throw fail('validationFailed', 'registration must be a UUID')
    want(keyOfRegistration(registration), 'registration')
  }
  return {
    wanted,
    ...(since === undefined ? {} : { after: readMoment('since', since, version) }),
    ...(until === undefined ? {} : { upTo: readMoment('until', until, version) }),
  }
}

function readIri(name: string, text: string): string {
  if (!isIri(text))
    throw fail('validationFailed', `${name} must be an IRI with its scheme, such as https://example.com/x`)
  return text
}

function readMoment(name: string, text: string, version: Version): number {
  const number = isTimestamp(text, version) ? microsecondsOf(text) : undefined
  if (number === undefined)
    throw fail('validationFailed', `${name} must be a date and time, such as 2026-05-01T12:00:00.000Z`)
  return number
}

export interface StatementQuery {
  /** A statement must have all of these keys, of which there may be at most five. */
  readonly wanted: readonly WantedKey[]
  readonly after?: number
  readonly upTo?: number
  readonly isAscending?: boolean
  /** Whether to ignore keys copied from referenced statements, for callers who may not read those statements. */
  readonly isByOwnOnly?: boolean
  readonly limit: number
}

const bitsOf = (roles: readonly number[]): number => roles.reduce((bits, role) => bits + 2 ** role, 0)

/**
 * Finds statements that are not voided, newest first by default. `found`, the same in each row, is the number of
 * matches (at most `limit`). Fewer rows are returned if their payloads fill a page (PAGE_BYTES).
 *
 * First walks through the entries of the rarest key and checks each for the other keys. Usually that is enough. If the
 * key has many entries of which few match, continues with the parts of the range in which all keys meet.
 */
export async function queryStatements(db: Db, what: StatementQuery): Promise<readonly FoundStatement[]> {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER, isAscending = false, isByOwnOnly = false, limit } = what
  if (wanted.length === 0) return db.all(isAscending ? store.listOldest : store.listNewest, { after, upTo, limit })
  const counting = countRefs(db, wanted, { after, upTo, isAscending })
  const copied = !isByOwnOnly
  if (wanted.length === 1) {
    const keys = toKeys(wanted, { copied })
    const walking = db.all(isAscending ? store.ofKeyOldest : store.ofKeyNewest, { ...keys, after, upTo, limit })
    const [sorted, known] = await Promise.all([counting, walking])
    return queryParts(db, { sorted, keys, known, after, upTo, isAscending, limit })
  }
  const sorted = await counting
  const { reach } = sorted[0]!
  const keys = toKeys(sorted, { copied })
  const walked = isAscending ? { after, upTo: reach ?? upTo } : { after: (reach ?? after + 1) - 1, upTo }
  const known = await db.all(isAscending ? store.queryOldest : store.queryNewest, { ...keys, ...walked, limit })
  return queryParts(db, { sorted, keys, known, after, upTo, isAscending, limit })
}

type FoundStatement = RowOf<typeof store.queryNewest>

/** A range of sequence numbers: greater than `after`, and up to and including `upTo`. */
interface Part {
  readonly after: number
  readonly upTo: number
}

interface PartsQuery extends Part {
  readonly sorted: readonly CountedKey[]
  readonly keys: ReturnType<typeof toKeys>
  /** The matches among the counted entries of the rarest key. */
  readonly known: readonly FoundStatement[]
  readonly isAscending: boolean
  readonly limit: number
}

/** Number of blocks whose positions are read first. Each further step reads more. */
const FIRST_BLOCKS = 32
const MOST_BLOCKS = 4096

/**
 * If more statements are wanted than are known, and the rarest key has more entries than were counted, finds the rest
 * in the parts of the range in which all keys meet.
 */
async function queryParts(db: Db, query: PartsQuery): Promise<readonly FoundStatement[]> {
  const { sorted, keys, isAscending, limit } = query
  const { count, reach } = sorted[0]!
  let rows = query.known
  if (count < store.WALKED || reach === null || isFull(rows, limit)) return rows
  let rest: Part = isAscending ? { after: reach - 1, upTo: query.upTo } : { after: query.after, upTo: reach }
  // Each step looks at four times as much as the last: where statements were removed, few meetings are matches.
  for (let factor = 1; rest.after < rest.upTo; factor *= 4) {
    const enough = Math.min((limit - rows.length) * factor, Number.MAX_SAFE_INTEGER)
    const listed = await listParts(db, {
      ...{ ...rest, blocks: Math.min(FIRST_BLOCKS * factor, MOST_BLOCKS), enough, copied: keys.copied, isAscending },
      keys: sorted.map(({ key }) => key),
      roles: sorted.map(({ roles }) => bitsOf(roles)),
    })
    const read = listed.pop()
    if (!read) break
    const end = findEnd(listed, enough)
    const some = end < 0 ? listed : listed.slice(0, end + 1)
    if (some.length > 0) {
      const parts = [...rows.map(({ seq }) => ({ after: seq - 1, upto: seq, key: keys.key1 })), ...some]
      rows = await db.all(isAscending ? store.inPartsOldest : store.inPartsNewest, {
        ...{ ...keys, limit },
        afters: parts.map(({ after }) => after),
        uptos: parts.map(({ upto }) => upto),
        leads: parts.map(({ key }) => key!),
      })
      if (isFull(rows, limit)) break
    }
    const { after, upto } = end < 0 ? read : some.at(-1)!
    rest = isAscending ? { ...rest, after: upto } : { ...rest, upTo: after }
  }
  return rows
}

/** Whether there are as many matches as wanted, or more than fit onto a page. */
const isFull = (rows: readonly FoundStatement[], limit: number): boolean => {
  const found = rows[0]?.found ?? 0
  return found >= limit || found > rows.length
}

/** Returns the index of the part with which there are enough meetings; -1 if there are fewer. */
function findEnd(parts: readonly { readonly meetings: number }[], wanted: number): number {
  let count = 0
  return parts.findIndex(({ meetings }) => {
    count += meetings
    return count >= wanted
  })
}

/** Returns the keys as parameters of a query. */
function toKeys([first, ...others]: readonly WantedKey[], { copied }: { readonly copied: boolean }) {
  const key = (n: number) => others[n]?.key ?? null
  const roles = (n: number) => bitsOf(others[n]?.roles ?? [])
  return {
    ...{ key1: first!.key, roles1: bitsOf(first!.roles), copied },
    ...{ key2: key(0), roles2: roles(0), key3: key(1), roles3: roles(1) },
    ...{ key4: key(2), roles4: roles(2), key5: key(3), roles5: roles(3) },
  }
}

type CountedKey = WantedKey & Pick<RowOf<typeof store.countNewest>, 'count' | 'reach'>

/**
 * Counts the first entries of each key and sorts the keys, rarest first. Of two keys that both reach the counting
 * limit, the one whose counted entries go further is rarer.
 */
async function countRefs(
  db: Db,
  wanted: readonly WantedKey[],
  { isAscending, ...range }: Part & { readonly isAscending: boolean },
): Promise<readonly CountedKey[]> {
  const keys = wanted.map(({ key }) => key)
  const rows = await db.all(isAscending ? store.countOldest : store.countNewest, { keys, ...range })
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const further = (a: CountedKey, b: CountedKey) => ((a.reach ?? 0) - (b.reach ?? 0)) * (isAscending ? -1 : 1)
  return wanted.map((one) => ({ ...byKey.get(one.key)!, ...one })).sort((a, b) => a.count - b.count || further(a, b))
}

/** Sorts keys, rarest first. */
export const sortByRarity = async (db: Db, wanted: readonly WantedKey[]): Promise<readonly WantedKey[]> =>
  wanted.length === 1 ? wanted : countRefs(db, wanted, { after: 0, upTo: Number.MAX_SAFE_INTEGER, isAscending: false })

export const findStatement = (db: Db, id: string) => db.first(store.findStatement, { id: id.toLowerCase() })

type StoredText = Pick<RowOf<typeof store.findStatement>, 'seq' | 'payload'>

/** Returns the statement as readers see it: `stored` is derived from `seq`, and `timestamp` defaults to `stored`. */
export function presentStatement({ seq, payload }: StoredText): Statement {
  const statement = parseJson(payload) as Statement
  const stored = timestampOf(seq)
  return { timestamp: stored, ...statement, stored }
}

/** Does the same as `presentStatement`, but returns JSON text and does not parse the payload. */
export function presentText({ seq, payload }: StoredText): string {
  const stored = timestampOf(seq)
  const timestamp = payload.startsWith('{"timestamp"') ? '' : `,"timestamp":"${stored}"`
  return `${payload.slice(0, -1)},"stored":"${stored}"${timestamp}}`
}

/** Reads the last sequence number taken. All statements up to it are visible to queries that start afterwards. */
export const readClock = async (db: Db): Promise<number> => (await db.first(store.readClock, {}))!.last

/** Returns the sizes in bytes of the stored definitions of activities, keyed by IRI. */
export async function measureDefinitions(db: Db, iris: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (iris.length === 0) return new Map()
  const rows = await db.all(store.measureDefinitions, { keys: [...new Set(iris)].map(keyOfActivity) })
  return new Map(rows.map(({ iri, bytes }) => [iri, bytes]))
}

/**
 * Reads the stored definitions of activities, keyed by IRI. The largest are left out if they do not fit onto a page.
 */
export async function readDefinitions(db: Db, iris: readonly string[]): Promise<ReadonlyMap<string, Definition>> {
  if (iris.length === 0) return new Map()
  const rows = await db.all(store.listDefinitions, { keys: [...new Set(iris)].map(keyOfActivity) })
  return new Map(rows.map(({ iri, definition }) => [iri, parseJson(definition) as Definition]))
}

/** Returns those of the given statement ids that the sender has sent. */
export async function findSentBy(db: Db, senderKey: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.all(store.findOwn, { ids: [...ids], sender: keyOfSender(senderKey) })
  return new Set(rows.map(({ statement_id }) => statement_id))
}
