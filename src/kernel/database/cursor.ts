import type pg from 'pg'
import type { RowReader, Statement } from './statement.ts'

/** Sends a query on the connection whose transaction the cursor belongs to. */
type Ask = (query: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<(string | null)[]>>

/** Number of rows per batch, and so in memory at once. */
const BATCH = 500

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
  for (;;) {
    const { rows, fields } = await ask({ text: `fetch ${BATCH} from ${cursor}`, rowMode: 'array' })
    read ??= statement.makeRowReader(fields.map((field) => field.name))
    yield rows.map(read)
    if (rows.length < BATCH) return
  }
}
