import { type ColumnType, type Statement, timestamptz, write } from './statement.ts'

const BATCH = 1000

/** What grows old: how old it gets, and the statement that removes a batch of what is older. */
export interface Retention {
  readonly days: number
  readonly remove: Statement<{ before: Date }, unknown>
}

/** True where a batch was full, so that more may be left. */
export const isFullBatch = (removed: readonly unknown[]): boolean => removed.length === BATCH

/** Removes rows whose moment `by` has passed, the oldest first, a batch at a time. There is an index on that moment. */
export const deleteOlder = <K extends Record<string, ColumnType<unknown>>>(
  name: string,
  { table, key, by }: { table: string; key: K; by: string },
) => {
  const columns = Object.keys(key).join(', ')
  return write(name, {
    params: { before: timestamptz },
    row: key,
    text: `
    delete from ${table} where ${by} < :before and (${columns}) in
      (select ${columns} from ${table} where ${by} < :before order by ${by} limit ${BATCH})
    returning ${columns}`,
  })
}
