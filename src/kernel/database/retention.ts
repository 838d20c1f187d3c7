import type { ColumnType } from './columns.ts'
import { c, type Statement, write } from './statement.ts'

const BATCH = 1000

/** A retention period, and the statement that deletes one batch of older rows. */
export interface Retention {
  readonly days: number
  readonly remove: Statement<{ before: Date }, unknown>
}

/** True if the batch was full, so that more rows may be left. */
export const isFullBatch = (removed: readonly unknown[]): boolean => removed.length === BATCH

/**
 * Declares a statement that deletes a batch of rows, oldest first, whose column `by` is earlier than `:before`. The
 * column must be indexed.
 */
export const deleteOlder = <K extends Record<string, ColumnType<unknown>>>(
  name: string,
  { table, key, by }: { table: string; key: K; by: string },
) => {
  const columns = Object.keys(key).join(', ')
  return write(name, {
    params: { before: c.timestamptz },
    row: key,
    text: `
    delete from ${table} where ${by} < :before and (${columns}) in
      (select ${columns} from ${table} where ${by} < :before order by ${by} limit ${BATCH})
    returning ${columns}`,
  })
}
