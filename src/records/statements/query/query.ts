import type { Db } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { fail } from '../../../kernel/errors.ts'
import { parseJson } from '../../../kernel/json.ts'
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
 */
export async function queryStatements(db: Db, what: StatementQuery): Promise<RowOf<typeof store.queryNewest>[]> {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER, isAscending = false, isByOwnOnly = false, limit } = what
  const range = { after, upTo, limit }
  if (wanted.length === 0) return db.all(isAscending ? store.listOldest : store.listNewest, range)
  const [first, ...others] = await sortByRarity(db, wanted, { after, upTo })
  const leading = { ...range, key1: first!.key, roles1: bitsOf(first!.roles), copied: !isByOwnOnly }
  if (others.length === 0) return db.all(isAscending ? store.ofKeyOldest : store.ofKeyNewest, leading)
  const probe = (n: number) => others[n]?.key ?? null
  const roles = (n: number) => bitsOf(others[n]?.roles ?? [])
  return db.all(isAscending ? store.queryOldest : store.queryNewest, {
    ...leading,
    key2: probe(0),
    roles2: roles(0),
    key3: probe(1),
    roles3: roles(1),
    key4: probe(2),
    roles4: roles(2),
    key5: probe(3),
    roles5: roles(3),
  })
}

/**
 * Sorts keys, rarest first. A query scans the entries of the rarest key and checks each for the other keys. Of two keys
 * that both reach the counting limit, the one whose counted entries go back further is rarer.
 */
export async function sortByRarity(
  db: Db,
  wanted: readonly WantedKey[],
  range: { readonly after: number; readonly upTo: number } = { after: 0, upTo: Number.MAX_SAFE_INTEGER },
): Promise<readonly WantedKey[]> {
  if (wanted.length === 1) return wanted
  const rows = await db.all(store.countRefs, { keys: wanted.map(({ key }) => key), ...range })
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const countOf = ({ key }: WantedKey) => byKey.get(key)!.count
  const reachOf = ({ key }: WantedKey) => byKey.get(key)!.reach ?? 0
  return [...wanted].sort((a, b) => countOf(a) - countOf(b) || reachOf(a) - reachOf(b))
}

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

/** Lists the hashes and sizes of the stored attachments of statements. */
export const listAttachments = (db: Db, seqs: readonly number[]) => db.all(store.listAttachments, { seqs: [...seqs] })
export const readAttachment = async (db: Db, sha2: string): Promise<Buffer | undefined> =>
  (await db.first(store.readAttachment, { sha2 }))?.content

/** Returns those of the given statement ids that the sender has sent. */
export async function findSentBy(db: Db, senderKey: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.all(store.findOwn, { ids: [...ids], sender: keyOfSender(senderKey) })
  return new Set(rows.map(({ statement_id }) => statement_id))
}
