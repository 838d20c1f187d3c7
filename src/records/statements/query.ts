import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { keyOfActivity } from './refs.ts'
import type { Definition, Statement } from './statement.ts'
import * as store from './store.ts'
import { keyOfSender } from './storing.ts'

/** The number of a moment: everything that is stored later has a larger one. */
export const numberOf = (moment: Date): number => moment.getTime() * 1000
/** The moment of a number, in microseconds. */
export const storedOf = (seq: number): string =>
  `${new Date(Math.floor(seq / 1000)).toISOString().slice(0, -1)}${String(seq % 1000).padStart(3, '0')}Z`

/** As it is shown: `stored` is what the number says, and so is the time of one that was sent without it. */
export function show({ seq, payload }: Pick<RowOf<typeof store.findStatement>, 'seq' | 'payload'>): Statement {
  const statement = JSON.parse(payload) as Statement
  return { timestamp: storedOf(seq), ...statement, stored: storedOf(seq) }
}

/** The same as text, as it was sent, without taking it apart. */
export function showText({ seq, payload }: Pick<RowOf<typeof store.findStatement>, 'seq' | 'payload'>): string {
  const stored = storedOf(seq)
  const timestamp = payload.startsWith('{"timestamp"') ? '' : `,"timestamp":"${stored}"`
  return `${payload.slice(0, -1)},"stored":"${stored}"${timestamp}}`
}

export const findStatement = (db: Db, id: string) => db.first(store.findStatement, { id: id.toLowerCase() })

/** Up to which number everything that is stored can be read: ask before you read. */
export const readClock = async (db: Db): Promise<number> => (await db.first(store.readClock, {}))!.last

/** What is known of activities, by their IRIs. */
export async function readDefinitions(db: Db, iris: readonly string[]): Promise<ReadonlyMap<string, Definition>> {
  if (iris.length === 0) return new Map()
  const rows = await db.all(store.listDefinitions, { keys: [...new Set(iris)].map(keyOfActivity) })
  return new Map(rows.map(({ iri, definition }) => [iri, JSON.parse(definition) as Definition]))
}

/** Which attachments of statements are kept here, and how large each is. */
export const listAttachments = (db: Db, seqs: readonly number[]) => db.all(store.listAttachments, { seqs: [...seqs] })
export const readAttachment = async (db: Db, sha2: string): Promise<Buffer | undefined> =>
  (await db.first(store.readAttachment, { sha2 }))?.content

/** Which of some statements somebody has sent. */
export async function findSentBy(db: Db, senderKey: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.all(store.findOwn, { ids: [...ids], sender: keyOfSender(senderKey) })
  return new Set(rows.map(({ statement_id }) => statement_id))
}

/** Something that a statement is found by, in one of these places of it. */
export interface Wanted {
  readonly key: string
  readonly roles: readonly number[]
}

export interface Query {
  /** All of them must be there; five at most. */
  readonly wanted: readonly Wanted[]
  /** After the first number, and up to the second. */
  readonly after?: number
  readonly upTo?: number
  readonly isAscending?: boolean
  /** Statements are not found by what those are found by that they refer to: for whoever may not read those. */
  readonly isByOwnOnly?: boolean
  readonly limit: number
  /** No more text than so many bytes, but for the first; 8 MiB where nothing is said. */
  readonly bytes?: number
}

const MOST_BYTES = 8 * 1024 * 1024

const bitsOf = (roles: readonly number[]): number => roles.reduce((bits, role) => bits + 2 ** role, 0)

/** Statements that are not voided, the newest first where nothing else is said. `found` of each says how many there are up to the limit: fewer come where they are large. */
export async function queryStatements(db: Db, what: Query): Promise<RowOf<typeof store.queryNewest>[]> {
  const {
    wanted,
    after = 0,
    upTo = Number.MAX_SAFE_INTEGER,
    isAscending = false,
    isByOwnOnly = false,
    limit,
    bytes = MOST_BYTES,
  } = what
  const range = { after, upTo, limit, bytes }
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

/** The rarest leads: what is common is only probed. Of two that are common, the one whose newest entries reach further back. */
export async function sortByRarity(
  db: Db,
  wanted: readonly Wanted[],
  range: { readonly after: number; readonly upTo: number } = { after: 0, upTo: Number.MAX_SAFE_INTEGER },
): Promise<readonly Wanted[]> {
  if (wanted.length === 1) return wanted
  const rows = await db.all(store.countRefs, { keys: wanted.map(({ key }) => key), ...range })
  const found = new Map(rows.map((row) => [row.key, row]))
  const countOf = ({ key }: Wanted) => found.get(key)!.count
  const reachOf = ({ key }: Wanted) => found.get(key)!.reach ?? 0
  return [...wanted].sort((a, b) => countOf(a) - countOf(b) || reachOf(a) - reachOf(b))
}
