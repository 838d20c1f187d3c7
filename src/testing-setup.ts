import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from './database/embedded/embedded.ts'
import { runSql } from './database/test-database.ts'
import { migrateAll } from './platform.ts'
import { seed, TEMPLATE } from './testing.ts'
import { provideChromium } from './testing-chromium-setup.ts'

let server: EmbeddedDatabase
let dataDir: string

/** Once for the whole suite: a real browser, a real PostgreSQL, and a migrated template that every test clones. */
export async function globalSetup(): Promise<void> {
  await provideChromium()
  dataDir = mkdtempSync(join(tmpdir(), 'groundschool-test-'))
  server = await startEmbedded({ dataDir, log: () => {} })
  await runSql(server.connection, `create database ${TEMPLATE}`)
  const template = { ...server.connection, database: TEMPLATE }
  await migrateAll(template)
  await seed(template)
  process.env.GROUNDSCHOOL_TEST_DATABASE = JSON.stringify(server.connection)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
