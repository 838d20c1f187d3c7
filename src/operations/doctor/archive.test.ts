import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../kernel/database/embedded/embedded.ts'
import { runSql, until } from '../../kernel/database/test-database.ts'
import { diagnose, listNames } from './testing.ts'

test('an archive that fails is found, and so is an empty database', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gs-'))
  await chmod(dataDir, 0o755)
  const settings = { wal_level: 'replica', archive_mode: 'on', archive_command: 'false' }
  const database = await startEmbedded({ dataDir, log: () => {}, settings })
  t.after(async () => {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  await runSql(database.connection, 'create table something (); select pg_switch_wal()')
  await until(
    'the failure is noticed',
    async () => listNames(await diagnose(database.connection)).includes('archive the embedded database: problem'),
    20_000,
  )
  assert.deepEqual(listNames(await diagnose(database.connection)), [
    'archive the embedded database: problem',
    'migrations production: problem',
    'migrations sandbox: problem',
  ])
})
