import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertWithin } from '../../../operations/testing/time-limits.ts'
import { sharedBuffers } from './cluster.ts'
import { startEmbedded } from './embedded.ts'
import {
  cluster,
  findProcesses,
  isRefusal,
  kill,
  makeDirectory,
  onLinux,
  query,
  shared,
  spawnPlatform,
  start,
  startProcess,
} from './testing.ts'

test('a first start creates the database within seconds, and later starts take a fraction of that', async (t) => {
  const startedAt = performance.now()
  const database = await start(t, shared)
  const firstMs = performance.now() - startedAt
  assertWithin(firstMs, 10_000)
  assert.equal(database.isNew, true)
  await query(database, `create table kept as select 'Ærø ✈' as word`)
  await Promise.all([database.stop(), database.stop()])
  await database.stop()

  const restartedAt = performance.now()
  const again = await start(t, shared)
  assertWithin(performance.now() - restartedAt, firstMs / 2)
  assert.equal(again.isNew, false)
  assert.deepEqual(await query(again, 'select word from kept'), [{ word: 'Ærø ✈' }])
})

test('its buffers depend on the memory of the machine', () => {
  const GIB = 2 ** 30
  assert.deepEqual(
    [1, 8, 24, 1024].map((gib) => sharedBuffers(gib * GIB)),
    [128, 512, 1536, 2048],
  )
})

test('it is durable, uses UTF-8 with a locale that every machine has, and listens on its private socket only', async (t) => {
  const database = await start(t, shared)
  const settings = Object.fromEntries(
    (await query(database, 'select name, setting from pg_settings')).map(({ name, setting }) => [name, setting]),
  )
  assert.equal(settings.fsync, 'on')
  assert.equal(settings.full_page_writes, 'on')
  assert.equal(settings.synchronous_commit, 'on')
  assert.equal(settings.listen_addresses, '')
  assert.equal(settings.server_encoding, 'UTF8')
  assert.ok(Number(settings.shared_buffers) >= 16384, 'pages of 8 KiB')
  assert.equal(settings.max_connections, '100')
  assert.equal(settings.wal_compression, 'pglz')
  const [locale] = await query(
    database,
    `select datlocprovider, datlocale, datcollate from pg_database where datname = current_database()`,
  )
  assert.deepEqual(locale, { datlocprovider: 'b', datlocale: 'C.UTF-8', datcollate: 'C' })
  assert.deepEqual(await query(database, `select current_user, current_database(), upper('ærø')`), [
    { current_user: 'groundschool', current_database: 'groundschool', upper: 'ÆRØ' },
  ])

  assert.equal((await stat(cluster)).mode & 0o777, 0o700)
  assert.equal((await stat(database.connection.host)).mode & 0o777, 0o700)
  assert.equal((await stat(join(shared, 'postgres.log'))).mode & 0o777, 0o600)
  await assert.rejects(query(database, `insert into kept select 1/length('') from (select 'secret-in-a-statement') s`))
  assert.doesNotMatch(await readFile(join(shared, 'postgres.log'), 'utf8'), /secret-in-a-statement/)
})

test('stopping leaves no process, socket or lock, even during a statement', onLinux, async (t) => {
  const database = await start(t, shared)
  const interrupted = assert.rejects(query(database, 'select pg_sleep(60)'))
  await delay(100)
  assert.ok(findProcesses(cluster).length > 5)
  await database.stop()
  await interrupted
  assert.deepEqual(findProcesses(cluster), [])
  assert.ok(!existsSync(database.connection.host))
  await (await start(t, shared)).stop()
})

test('a second process is refused while the first lives, and does it no harm', async (t) => {
  const database = await start(t, shared)
  const second = await startProcess(t, shared)
  assert.match(second.refusal ?? 'none', /^StartupError: Another platform process is using .*: stop it first/)
  await assert.rejects(startEmbedded({ dataDir: shared, log: () => {} }), isRefusal(/Another platform process/))
  assert.equal((await query(database, 'select 1')).length, 1)
})

test('of several that start together on a new directory exactly one wins', async (t) => {
  const dataDir = join(await makeDirectory(0o755), 'new')
  const started = await Promise.all([1, 2, 3].map(() => startProcess(t, dataDir)))
  assert.equal(started.filter(({ connection }) => connection).length, 1)
  assert.equal(started.filter(({ refusal }) => /Another platform process/.test(refusal ?? '')).length, 2)
})

test('a first start that is killed midway does not prevent the next', async (t) => {
  const dataDir = join(await makeDirectory(0o755), 'new')
  for (const afterMs of [300, 700, 1_100]) {
    const platform = spawnPlatform(t, dataDir)
    await delay(afterMs)
    await kill(platform)
  }
  const database = await start(t, dataDir)
  assert.equal((await query(database, 'select 1')).length, 1)
  assert.deepEqual(readdirSync(dataDir).sort(), ['platform.lock', 'postgres', 'postgres.log', 'run'])
})

test('Ctrl-C at the platform does not reach the database before the platform stops it', async (t) => {
  const platform = await startProcess(t, shared)
  process.kill(-platform.process.pid!, 'SIGINT')
  await delay(100)
  assert.equal((await query(platform, 'select 1')).length, 1)
})

test('the size of the log is limited', async (t) => {
  await writeFile(join(shared, 'postgres.log'), 'x'.repeat(9_000_000))
  await start(t, shared)
  assert.ok((await stat(join(shared, 'postgres.log'))).size < 100_000)
  assert.ok((await stat(join(shared, 'postgres.log.1'))).size < 5_000_000)
})
