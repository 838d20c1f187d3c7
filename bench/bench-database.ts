import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../src/kernel/database/embedded/embedded.ts'
import { migrateAll } from '../src/operations/platform/platform.ts'
import { type Bench, findDatabasePid } from './measure.ts'
import { BENCH_SQL } from './servers.ts'

/** Starts a PostgreSQL with the tables of the platform and of the bare servers, and removes it after the work. */
export async function withDatabase<T>(
  times: Pick<Bench, 'rounds' | 'seconds'>,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-bench-'))
  const { connection, stop } = await startEmbedded({ dataDir, log: () => {} })
  try {
    await migrateAll(connection)
    const client = new pg.Client(connection)
    await client.connect()
    await client.query(BENCH_SQL)
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const databasePid = findDatabasePid(rows[0].pid)
    await client.end()
    return await work({ connection, databasePid, ...times })
  } finally {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
