import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Chosen, keysOf } from './chosen.ts'
import * as store from './store.ts'

export interface Page {
  readonly rows: readonly RowOf<typeof store.listAll>[]
  /** There may be more within the range. */
  readonly isFull: boolean
}

export interface PageLimits {
  readonly voided: boolean
  readonly limit: number
  /** Bytes of statements: a page has so many, and what the last one has beyond. */
  readonly most: number
}

/** A page of what was chosen, the oldest first. */
export async function readPage(db: Db, { wanted, after, upTo }: Chosen, limits: PageLimits): Promise<Page> {
  const keys = await keysOf(db, wanted)
  const what = { after, upTo, ...limits }
  const rows = await (keys ? db.all(store.listChosen, { ...keys, ...what }) : db.all(store.listAll, what))
  const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
  return { rows, isFull: rows.length === limits.limit || bytes >= limits.most }
}
