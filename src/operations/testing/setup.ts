import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWhereStale } from '../../../web/built.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../kernel/database/embedded/embedded.ts'
import { runSql } from '../../kernel/database/test-database.ts'
import { migrateAll } from '../platform/platform.ts'
import { provideChromium } from './chromium-setup.ts'
import { CODE_CACHE } from './code-cache.ts'
import { openDatabases, TEMPLATE } from './databases.ts'
import { seed } from './testing.ts'

/** Nothing here outlives the suite. What has to survive a crash is tested on clusters of its own. */
const IN_A_HURRY = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'off',
  max_wal_size: '4GB',
  autovacuum: 'off',
  // One process less in between for whoever reads a page.
  io_method: 'sync',
  // Each platform has a dozen.
  max_connections: '800',
}

let server: EmbeddedDatabase
let dataDir: string
let place: string

/** Once for the whole suite: a real browser, a real PostgreSQL, and a migrated template that tests begin with. */
export async function globalSetup(): Promise<void> {
  await provideChromium()
  const pages = await buildWhereStale()
  if (pages.kind === 'failed') throw new Error(`The pages cannot be built:\n${pages.why}`)
  dataDir = mkdtempSync(join(tmpdir(), 'groundschool-test-'))
  server = await startEmbedded({ dataDir, log: () => {}, settings: IN_A_HURRY })
  await runSql(server.connection, `create database ${TEMPLATE}`)
  const template = { ...server.connection, database: TEMPLATE }
  await migrateAll(template)
  await seed(template)
  await openDatabases(server.connection)
  // For what tests make once and share; root's database, which runs as another user, has to get in.
  place = mkdtempSync(join(tmpdir(), 'groundschool-place-'))
  chmodSync(place, 0o755)
  process.env.GROUNDSCHOOL_TEST_PLACE = place
  process.env.NODE_COMPILE_CACHE = CODE_CACHE
  process.env.GROUNDSCHOOL_TEST_DATABASE = JSON.stringify(server.connection)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
  for (const path of [dataDir, place]) rmSync(path, { recursive: true, force: true })
}
