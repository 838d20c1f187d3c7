import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { keyParameters, type StatementSelection } from './selection.ts'
import * as store from './store.ts'

export interface StatementPage {
  readonly rows: readonly RowOf<typeof store.listAll>[]
  /** Whether the page reached a limit, so that more statements may follow within the range. */
  readonly isFull: boolean
}

export interface PageLimits {
  readonly voided: boolean
  readonly limit: number
  /** The page ends with the statement at which the total reaches this number of bytes. */
  readonly most: number
}

/** Reads a page of the selected statements, oldest first. */
export async function readPage(
  db: Db,
  { wanted, after, upTo }: StatementSelection,
  limits: PageLimits,
): Promise<StatementPage> {
  const keys = await keyParameters(db, wanted)
  const what = { after, upTo, ...limits }
  const rows = await (keys ? db.all(store.listChosen, { ...keys, ...what }) : db.all(store.listAll, what))
  const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
  return { rows, isFull: rows.length === limits.limit || bytes >= limits.most }
}
