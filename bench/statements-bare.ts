import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Connection, type Database, openDatabase } from '../src/kernel/database/database.ts'
import { c, write } from '../src/kernel/database/statement.ts'

const insertRows = write('bench.insertStatements', {
  params: { ids: c.uuidArray, payloads: c.textArray },
  row: { id: c.uuid },
  text: 'insert into bare (id, payload) select * from unnest(:ids, :payloads) returning id',
})

const open = (connection: Connection): Promise<Database> =>
  openDatabase({
    connection,
    schema: 'bench',
    poolSize: 10,
    readConnections: 1,
    statementTimeoutMs: 10_000,
    onProblem: () => {},
  })

const insert = (db: Database, payloads: string[]) =>
  db.all(insertRows, { ids: payloads.map(() => randomUUID()), payloads })

/**
 * Starts a server that stores incoming JSON with one multi-row insert. It checks neither credentials nor rules, and has
 * no indexes for searching.
 */
export async function startBareStatements(
  connection: Connection,
): Promise<{ port: number; headers: Readonly<Record<string, string>> }> {
  const db = await open(connection)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const statements: unknown[] = JSON.parse(Buffer.concat(chunks).toString())
    const rows = await insert(
      db,
      statements.map((one) => JSON.stringify(one)),
    )
    const body = JSON.stringify(rows.map(({ id }) => id))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, headers: {} }
}

/**
 * Repeats the insert of the bare server without HTTP, with `atOnce` inserts in parallel. Returns the number of
 * statements stored per second.
 */
export async function insertAlone(
  connection: Connection,
  batches: readonly string[][],
  { atOnce, seconds }: { readonly atOnce: number; readonly seconds: number },
): Promise<number> {
  const db = await open(connection)
  const startedAt = performance.now()
  let [taken, statements] = [0, 0]
  const worker = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const batch = batches[taken++ % batches.length]!
      await insert(db, batch)
      statements += batch.length
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const perSecond = (statements * 1000) / (performance.now() - startedAt)
  await db.close()
  return perSecond
}
