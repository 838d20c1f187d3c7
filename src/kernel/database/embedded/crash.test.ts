import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readlinkSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { assertWithin } from '../../../operations/testing/time-limits.ts'
import { startEmbedded } from './embedded.ts'
import {
  cluster,
  findProcesses,
  isRefusal,
  isRoot,
  kill,
  makeDirectory,
  makeShared,
  onLinux,
  packageRoot,
  query,
  readPid,
  readStatus,
  shared,
  start,
  startProcess,
  waitUntil,
} from './testing.ts'

before(makeShared)

for (const [ending, signal] of [
  ['is killed', 'SIGKILL'],
  ['leaves without stopping it', 'SIGUSR2'],
] as const) {
  test(`when the platform ${ending}, the database stops by itself within about a second`, onLinux, async (t) => {
    const platform = await startProcess(t, shared)
    await query(platform, `insert into kept values ('${signal}')`)
    await kill(platform.process, signal)
    await waitUntil(() => findProcesses(cluster).length === 0, 2_000, 'all processes of the database are gone')
    assert.equal((await query(await start(t, shared), `select from kept where word = '${signal}'`)).length, 1)
  })
}

test('a start right after the platform was killed replaces the database it left, each time', async (t) => {
  for (let round = 0; round < 5; round++) {
    const platform = await startProcess(t, shared)
    await query(platform, `insert into kept values ('round ${round}')`)
    platform.process.kill('SIGKILL')
  }
  const database = await start(t, shared)
  assert.equal((await query(database, `select from kept where word like 'round _'`)).length, 5)
})

test('the next start stops a postmaster that lost its platform and its supervisor', onLinux, async (t) => {
  const platform = await startProcess(t, shared)
  const postmaster = readPid(cluster)
  const others = findProcesses(cluster).filter((pid) => readlinkSync(`/proc/${pid}/cwd`) !== cluster)
  assert.equal(others.length, 2)
  platform.process.kill('SIGSTOP')
  for (const pid of others) process.kill(pid, 'SIGKILL')
  await kill(platform.process)
  await delay(1_200)
  assert.equal(readPid(cluster), postmaster, 'nobody has stopped it yet')
  const logged: string[] = []
  const startedAt = performance.now()
  await start(t, shared, logged)
  assertWithin(performance.now() - startedAt, 5_000)
  assert.ok(logged.includes('warn: An earlier database server is still running; stopping it'), logged.join('\n'))
  assert.notEqual(readPid(cluster), postmaster)
})

test('a PostgreSQL that an operator runs on the cluster is left alone', onLinux, async (t) => {
  const { uid, gid } = await stat(cluster)
  const socket = await makeDirectory(0o777)
  const args = ['-D', cluster, '-c', 'listen_addresses=', '-k', socket]
  const own = spawn(join(packageRoot, 'native/bin/postgres'), args, {
    stdio: 'ignore',
    cwd: '/',
    ...(isRoot && { uid, gid }),
  })
  t.after(() => kill(own, 'SIGINT'))
  await waitUntil(() => existsSync(join(socket, '.s.PGSQL.5432')), 5_000, 'it runs')
  const refused = isRefusal(new RegExp(`did not start is running in .*: stop process ${own.pid}`))
  await assert.rejects(startEmbedded({ dataDir: shared, log: () => {} }), refused)
  await kill(own, 'SIGINT')
})

test('every acknowledged row survives repeated kills of the postmaster', onLinux, async (t) => {
  const logged: string[] = []
  const database = await start(t, shared, logged)
  await query(database, 'create table written (writer int, n int, primary key (writer, n))')
  const acknowledged: string[] = []
  let isOver = false
  const write = async (writer: number) => {
    for (let n = 0; !isOver; ) {
      const client = new pg.Client({ ...database.connection })
      client.on('error', () => {})
      try {
        await client.connect()
        while (!isOver) {
          await client.query('insert into written values ($1, $2)', [writer, ++n])
          acknowledged.push(`${writer}/${n}`)
        }
      } catch {
        await delay(10)
      }
      await client.end().catch(() => {})
    }
  }
  const writers = [1, 2, 3].map(write)
  for (let round = 0; round < 5; round++) {
    const before = acknowledged.length
    await waitUntil(() => acknowledged.length > before + 50, 10_000, 'rows are written again')
    // Unlike an idle backend, a backend that is computing does not notice that its postmaster has died.
    const busy = query(database, 'select count(*) from generate_series(1, 10000000000)').catch(() => {})
    await delay(50)
    process.kill(readPid(cluster), 'SIGKILL')
    await busy
  }
  const before = acknowledged.length
  await waitUntil(() => acknowledged.length > before + 50, 10_000, 'rows are written again')
  isOver = true
  await Promise.all(writers)

  const kept = new Set(
    (await query(database, 'select writer, n from written')).map(({ writer, n }) => `${writer}/${n}`),
  )
  assert.deepEqual(
    acknowledged.filter((row) => !kept.has(row)),
    [],
  )
  assert.equal(logged.filter((line) => line.startsWith('warn: The database server ended unexpectedly')).length, 5)
})

test('it restarts when only its supervisor is killed', onLinux, async (t) => {
  const database = await start(t, shared)
  const postmaster = readPid(cluster)
  process.kill(Number(readStatus(postmaster, 'PPid')), 'SIGKILL')
  await waitUntil(
    () => existsSync(join(cluster, 'postmaster.pid')) && readPid(cluster) !== postmaster,
    5_000,
    'a new server',
  )
  await waitUntil(
    () =>
      query(database, 'select 1').then(
        () => true,
        () => false,
      ),
    5_000,
    'it answers',
  )
})

test('a stale pid file whose number another process has is removed', async (t) => {
  // The other process must run as the same user, because PostgreSQL itself ignores a pid file that names another user's
  // process.
  const { uid, gid } = await stat(cluster)
  const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
  t.after(() => kill(stranger))
  await writeFile(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n1\n5432\n\n\n  123  456\nready   \n`)
  assert.equal((await query(await start(t, shared), 'select 1')).length, 1)
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('it recovers when all its processes were killed at once', onLinux, async (t) => {
  const platform = await startProcess(t, shared)
  await query(platform, `insert into kept values ('power cut')`)
  for (const pid of [platform.process.pid!, ...findProcesses(cluster)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  }
  const database = await start(t, shared)
  assert.equal((await query(database, `select from kept where word = 'power cut'`)).length, 1)
})
