import type pg from 'pg'
import type { RowReader, Statement } from './statement.ts'

/** Sends a query on the connection whose transaction the cursor belongs to. */
type Ask = (query: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<(string | null)[]>>

/** Limits of a batch, which is in memory at once: its rows, and their size as far as the batch before can tell. */
const BATCH_ROWS = 500
const BATCH_BYTES = 1024 * 1024
/** Nothing is known about the size of the first rows. */
const FIRST_ROWS = 8

let cursors = 0

/** Reads the rows of a statement through a cursor. A batch is fetched only after the previous one has been consumed. */
export async function* fetchBatches<P, R>(
  ask: Ask,
  statement: Statement<P, R>,
  params: P,
): AsyncGenerator<R[], void, undefined> {
  const cursor = `rows_${++cursors}`
  const values = statement.encodeParams(params)
  await ask({ text: `declare ${cursor} no scroll cursor for ${statement.text}`, values, rowMode: 'array' })
  let read: RowReader<R> | undefined
  for (let count = FIRST_ROWS; ; ) {
    const { rows, fields } = await ask({ text: `fetch ${count} from ${cursor}`, rowMode: 'array' })
    read ??= statement.makeRowReader(fields.map((field) => field.name))
    yield rows.map(read)
    if (rows.length < count) return
    const largest = rows.reduce((most, row) => Math.max(most, sizeOf(row)), 1)
    count = Math.max(1, Math.min(BATCH_ROWS, 8 * count, Math.floor(BATCH_BYTES / largest)))
  }
}

const sizeOf = (row: readonly (string | null)[]): number => row.reduce((sum, value) => sum + (value?.length ?? 0), 0)
