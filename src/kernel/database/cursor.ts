import type pg from 'pg'
import type { RowReader, Statement } from './statement.ts'

/** How a query reaches the transaction that a cursor lives in. */
type Ask = (query: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<(string | null)[]>>

/** So many rows are in memory at once. */
const BATCH = 500

let cursors = 0

/** The rows of a statement by a cursor, a batch at a time. The next is fetched once the last has been taken. */
export async function* fetchBatches<P, R>(
  ask: Ask,
  statement: Statement<P, R>,
  params: P,
): AsyncGenerator<R[], void, undefined> {
  const cursor = `rows_${++cursors}`
  const values = statement.encodeParams(params)
  await ask({ text: `declare ${cursor} no scroll cursor for ${statement.text}`, values, rowMode: 'array' })
  let read: RowReader<R> | undefined
  for (;;) {
    const { rows, fields } = await ask({ text: `fetch ${BATCH} from ${cursor}`, rowMode: 'array' })
    read ??= statement.makeRowReader(fields.map((field) => field.name))
    yield rows.map(read)
    if (rows.length < BATCH) return
  }
}
