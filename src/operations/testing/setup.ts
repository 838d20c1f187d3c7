import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhereStale } from '../../../web/built.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../kernel/database/embedded/embedded.ts'
import { runSql } from '../../kernel/database/test-database.ts'
import { migrateAll } from '../platform/platform.ts'
import { provideChromium } from './chromium-setup.ts'
import { CODE_CACHE } from './code-cache.ts'
import { openDatabases, TEMPLATE } from './databases.ts'
import { seed } from './testing.ts'

/** Durability is off, because the data does not outlive the suite. Tests of crashes use separate clusters. */
const FAST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'off',
  max_wal_size: '4GB',
  autovacuum: 'off',
  // Restoring a snapshot often conflicts with background work, and would wait a second each time.
  deadlock_timeout: '20ms',
  // Backends read pages themselves instead of switching to an I/O worker process.
  io_method: 'sync',
  // Each platform opens about a dozen connections.
  max_connections: '800',
}

let server: EmbeddedDatabase
let dataDir: string
let place: string

/** Provides the suite with a browser, the built pages and server, PostgreSQL and a migrated template database. */
export async function globalSetup(): Promise<void> {
  // A directory for files that test processes share. Under root, PostgreSQL runs as another user, which must be able to
  // enter it.
  place = mkdtempSync(join(tmpdir(), 'groundschool-place-'))
  chmodSync(place, 0o755)
  process.env.GROUNDSCHOOL_TEST_PLACE = place
  await provideChromium()
  const pages = await buildWhereStale()
  if (pages.kind === 'failed') throw new Error(`The pages cannot be built:\n${pages.why}`)
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../bin/bundle.ts', import.meta.url))])
  dataDir = mkdtempSync(join(tmpdir(), 'groundschool-test-'))
  server = await startEmbedded({ dataDir, log: () => {}, settings: FAST_SETTINGS })
  await runSql(server.connection, `create database ${TEMPLATE}`)
  const template = { ...server.connection, database: TEMPLATE }
  await migrateAll(template)
  await seed(template)
  await openDatabases(server.connection)
  process.env.NODE_COMPILE_CACHE = CODE_CACHE
  process.env.GROUNDSCHOOL_TEST_DATABASE = JSON.stringify(server.connection)
}

export async function globalTeardown(): Promise<void> {
  const stopped = server.stop()
  endAtOnce()
  await stopped
  for (const path of [dataDir, place]) rmSync(path, { recursive: true, force: true })
}

/** Stops PostgreSQL without a checkpoint, because its files are deleted next. */
function endAtOnce(): void {
  try {
    const [pid] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGQUIT')
  } catch {
    // PostgreSQL has already ended.
  }
}
