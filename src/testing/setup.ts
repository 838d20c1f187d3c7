import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from '../database/embedded/embedded.ts'
import { runSql } from '../database/test-database.ts'
import { migrateAll } from '../platform/platform.ts'
import { provideChromium } from './chromium-setup.ts'
import { seed, TEMPLATE } from './testing.ts'

let server: EmbeddedDatabase
let dataDir: string
let codeDir: string

/** Once for the whole suite: a real browser, a real PostgreSQL, and a migrated template that every test clones. */
export async function globalSetup(): Promise<void> {
  await provideChromium()
  dataDir = mkdtempSync(join(tmpdir(), 'groundschool-test-'))
  server = await startEmbedded({ dataDir, log: () => {} })
  // Each clone of the template is written to the log of the database as a whole; packing that takes longer than the rest of it.
  await runSql(server.connection, `alter database ${server.connection.database} set wal_compression = off`)
  await runSql(server.connection, `create database ${TEMPLATE}`)
  const template = { ...server.connection, database: TEMPLATE }
  await migrateAll(template)
  await seed(template)
  // Each file runs in a process of its own, and most of them load the whole platform.
  codeDir = mkdtempSync(join(tmpdir(), 'groundschool-code-'))
  process.env.NODE_COMPILE_CACHE = codeDir
  process.env.GROUNDSCHOOL_TEST_DATABASE = JSON.stringify(server.connection)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
  for (const directory of [dataDir, codeDir]) rmSync(directory, { recursive: true, force: true })
}
