import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import type { Statement } from './statement.ts'
import * as store from './store.ts'

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

export const findStatement = (db: Db, id: string) => db.first(store.findStatement, { id: id.toLowerCase() })

/** Something that a statement is found by, in one of these places of it. */
export interface Wanted {
  readonly key: string
  readonly roles: readonly number[]
}

export interface Query {
  /** All of them must be there; four at most. */
  readonly wanted: readonly Wanted[]
  /** After the first number, and up to the second. */
  readonly after?: number
  readonly upTo?: number
  readonly isAscending?: boolean
  readonly limit: number
}

/** Places as bits of a number. */
export const bitsOf = (roles: readonly number[]): number => roles.reduce((bits, role) => bits + 2 ** role, 0)

/** Statements that are not voided, the newest first where nothing else is said. */
export async function queryStatements(db: Db, what: Query): Promise<RowOf<typeof store.findStatement>[]> {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER, isAscending = false, limit } = what
  const range = { after, upTo, limit }
  if (wanted.length === 0) return db.all(isAscending ? store.listOldest : store.listNewest, range)
  const [first, ...others] = await sortByRarity(db, wanted)
  const probe = (n: number) => others[n]?.key ?? null
  const roles = (n: number) => bitsOf(others[n]?.roles ?? [])
  return db.all(isAscending ? store.queryOldest : store.queryNewest, {
    ...range,
    key1: first!.key,
    roles1: bitsOf(first!.roles),
    key2: probe(0),
    roles2: roles(0),
    key3: probe(1),
    roles3: roles(1),
    key4: probe(2),
    roles4: roles(2),
  })
}

/** The rarest leads: what is common is only probed. */
export async function sortByRarity(db: Db, wanted: readonly Wanted[]): Promise<readonly Wanted[]> {
  if (wanted.length === 1) return wanted
  const rows = await db.all(store.countRefs, { keys: wanted.map(({ key }) => key) })
  const countOf = new Map(rows.map(({ key, count }) => [key, count]))
  return [...wanted].sort((a, b) => countOf.get(a.key)! - countOf.get(b.key)!)
}

/** The newest number: everything below it can be seen. */
export const readClock = async (db: Db): Promise<number> => (await db.first(store.readClock, {}))!.last
