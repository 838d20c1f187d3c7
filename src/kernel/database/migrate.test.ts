import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import release from '../../../release.json' with { type: 'json' }
import { StartupError } from '../errors.ts'
import { listMigrations, migrate } from './migrate.ts'
import { createTestDatabase, runSql } from './test-database.ts'

const { connection, drop } = await createTestDatabase()
after(drop)

async function makeDir(t: TestContext, files: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'migrate-'))
  t.after(() => rm(dir, { recursive: true }))
  for (const [name, source] of Object.entries(files)) await writeFile(join(dir, name), source)
  return dir
}

const refusal = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error))
  assert.match(error.message, pattern)
  return true
}

const FILES = {
  '0001_people.sql': 'create table people (id int primary key); insert into people values (1);',
  '0002_apps.sql': 'create table apps (id int primary key); insert into apps select id from people;',
}

test('the files are applied once and in order, later ones when they are added', async (t) => {
  const dir = await makeDir(t, FILES)
  assert.deepEqual(await migrate(connection, 'gs_once', dir), { applied: ['0001_people', '0002_apps'] })
  assert.deepEqual(await migrate(connection, 'gs_once', dir), { applied: [] })
  await writeFile(join(dir, '0003_more.sql'), 'insert into people values (2)')
  assert.deepEqual(await migrate(connection, 'gs_once', dir), { applied: ['0003_more'] })
  assert.deepEqual(await runSql(connection, 'select number, name from gs_once.migrations order by 1'), [
    { number: 1, name: 'people' },
    { number: 2, name: 'apps' },
    { number: 3, name: 'more' },
  ])
})

test('a file that had to change keeps the checksum of its first text, on databases that have it and on new ones', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_changed', dir)
  const [first] = await listMigrations(dir)
  await writeFile(join(dir, '0001_people.sql'), `${FILES['0001_people.sql']} select 1;`)
  await assert.rejects(migrate(connection, 'gs_changed', dir), refusal(/0001_people was changed/))
  await writeFile(join(dir, '0001_people.sql'), `-- checksum ${first?.checksum}\n${FILES['0001_people.sql']} select 1;`)
  assert.deepEqual(await migrate(connection, 'gs_changed', dir), { applied: [] })
  await migrate(connection, 'gs_new', dir)
  assert.deepEqual(await runSql(connection, 'select checksum from gs_new.migrations where number = 1'), [
    { checksum: first?.checksum },
  ])
})

test('environments are migrated independently', async (t) => {
  const dir = await makeDir(t, FILES)
  const results = await Promise.all(['gs_left', 'gs_right'].map((schema) => migrate(connection, schema, dir)))
  assert.deepEqual(
    results.map(({ applied }) => applied.length),
    [2, 2],
  )
})

test('of processes that start together one migrates, and the others wait', async (t) => {
  const dir = await makeDir(t, {
    '0001_slow.sql': 'create table slow (id int); select pg_sleep(0.3); insert into slow values (1);',
    '0002_next.sql': 'insert into slow values (2);',
  })
  const script = `import { migrate } from ${JSON.stringify(new URL('migrate.ts', import.meta.url).href)}
    const result = await migrate(${JSON.stringify(connection)}, 'gs_race', ${JSON.stringify(dir)})
    process.stdout.write(String(result.applied.length))`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const outputs = await Promise.all([start(), start(), start(), start()])
  assert.deepEqual(outputs.map(({ stdout }) => stdout).sort(), ['0', '0', '0', '2'])
  assert.deepEqual(await runSql(connection, 'select id from gs_race.slow order by 1'), [{ id: 1 }, { id: 2 }])
})

test('a failing file is rolled back, earlier ones stay, and fixing it is enough', async (t) => {
  const dir = await makeDir(t, {
    ...FILES,
    '0003_bad.sql': 'insert into people values (3); insert into nowhere values (1);',
  })
  await assert.rejects(
    migrate(connection, 'gs_bad', dir),
    refusal(/^Migration 0003_bad of schema gs_bad failed and was rolled back: relation "nowhere" does not exist/),
  )
  assert.deepEqual(await runSql(connection, 'select id from gs_bad.people'), [{ id: 1 }])
  await writeFile(join(dir, '0003_bad.sql'), 'insert into people values (3)')
  assert.deepEqual(await migrate(connection, 'gs_bad', dir), { applied: ['0003_bad'] })
})

test('a migration that has to wait for a long reader lets other requests pass meanwhile', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_locked', dir)
  await writeFile(join(dir, '0003_more.sql'), 'alter table people add column name text')
  const [reader, request] = [new pg.Client(connection), new pg.Client(connection)]
  t.after(() => Promise.all([reader.end(), request.end()]))
  await Promise.all([reader.connect(), request.connect()])
  await reader.query('begin; select * from gs_locked.people')
  await request.query(`set statement_timeout = '3s'`)
  let isOver = false
  const migrating = migrate(connection, 'gs_locked', dir).finally(() => {
    isOver = true
  })
  let slowestMs = 0
  for (const startedMs = performance.now(); performance.now() - startedMs < 5_000; await sleep(10)) {
    const sentMs = performance.now()
    await request.query('select * from gs_locked.people')
    slowestMs = Math.max(slowestMs, performance.now() - sentMs)
  }
  assert.equal(isOver, false)
  assert.ok(slowestMs > 500, `no request met the migration: ${slowestMs} ms`)
  await reader.query('commit')
  assert.deepEqual(await migrating, { applied: ['0003_more'] })
})

test('a file changed after it was applied is refused', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_changed', dir)
  await writeFile(join(dir, '0001_people.sql'), `${FILES['0001_people.sql']} -- changed`)
  await assert.rejects(migrate(connection, 'gs_changed', dir), refusal(/^Migration 0001_people was changed after/))
})

test('a database of a newer version is refused', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_newer', dir)
  await rm(join(dir, '0002_apps.sql'))
  await assert.rejects(
    migrate(connection, 'gs_newer', dir),
    refusal(/^This database was created by a newer version of Groundschool: .* migration 0002_apps/),
  )
})

test('a version starts on a database that the next release has migrated, and not on that of a later one', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_next', dir)
  const later = 'insert into gs_next.migrations (number, name, checksum, needs) values'
  await runSql(connection, `${later} (3, 'more', 'of the next release', 2)`)
  assert.deepEqual(await migrate(connection, 'gs_next', dir), { applied: [] })
  await runSql(connection, `${later} (4, 'most', 'of the release after that', 3)`)
  await assert.rejects(migrate(connection, 'gs_next', dir), refusal(/has migration 0004_most, which this version/))
  await runSql(connection, 'update gs_next.migrations set needs = null where number = 4')
  await assert.rejects(migrate(connection, 'gs_next', dir), refusal(/has migration 0004_most/))
})

test('each migration records what it needs: what the last release has', async () => {
  const all = await listMigrations()
  await migrate(connection, 'gs_needs')
  const rows = await runSql(connection, 'select number, needs from gs_needs.migrations order by number')
  const expected = all.map(({ number }) => ({ number, needs: Math.min(number, release.migration) }))
  assert.deepEqual(rows, expected)
})

test('a schema of a version that recorded no needs gets them with its next migrations', async (t) => {
  const dir = await makeDir(t, FILES)
  await migrate(connection, 'gs_before', dir)
  await runSql(connection, 'alter table gs_before.migrations drop column needs')
  assert.deepEqual(await migrate(connection, 'gs_before', dir), { applied: [] })
  await writeFile(join(dir, '0003_more.sql'), 'insert into people values (2)')
  assert.deepEqual(await migrate(connection, 'gs_before', dir), { applied: ['0003_more'] })
  assert.deepEqual(await runSql(connection, 'select needs from gs_before.migrations order by number'), [
    { needs: null },
    { needs: null },
    { needs: 3 },
  ])
})

test('gaps, duplicate numbers and other names are refused', async (t) => {
  const refused: [string[], RegExp][] = [
    [['0001_a.sql', '0003_b.sql'], /^Migration 0002 is missing/],
    [['0002_a.sql'], /^Migration 0001 is missing/],
    [['0001_a.sql', '0001_b.sql'], /^Two migrations have the number 0001/],
    [['1_a.sql'], /^Migration 1_a.sql is not named like 0001_people.sql/],
  ]
  for (const [names, pattern] of refused) {
    const dir = await makeDir(t, Object.fromEntries(names.map((name) => [name, 'select 1'])))
    await assert.rejects(listMigrations(dir), refusal(pattern))
  }
})

test('a missing database gives a clear error', async (t) => {
  const dir = await makeDir(t, FILES)
  await assert.rejects(
    migrate({ ...connection, host: '/nowhere' }, 'gs_none', dir),
    refusal(/^The database cannot be reached: .*ENOENT/),
  )
})

test("the platform's own migrations apply to an empty schema", async () => {
  const migrations = await listMigrations()
  assert.ok(migrations.length > 0)
  assert.equal((await migrate(connection, 'gs_own')).applied.length, migrations.length)
})

test('a database whose encoding cannot store all texts is refused before anything is created', async (t) => {
  const database = `${connection.database}_latin`
  await runSql(connection, `create database ${database} encoding 'LATIN1' locale 'C' template template0`)
  t.after(() => runSql(connection, `drop database ${database} with (force)`))
  const dir = await makeDir(t, FILES)
  await assert.rejects(
    migrate({ ...connection, database }, 'gs_latin', dir),
    refusal(/encoding LATIN1.*encoding 'UTF8'/s),
  )
})

test('a user without the right to create the schema is told what is missing', async (t) => {
  const role = `${connection.database}_limited`
  await runSql(connection, `create role ${role} login`)
  t.after(() => runSql(connection, `drop owned by ${role}; drop role ${role}`))
  const dir = await makeDir(t, FILES)
  const limited = { ...connection, user: role }
  await assert.rejects(migrate(limited, 'gs_limited', dir), refusal(/gs_limited cannot be created.*grant create/s))
  await runSql(connection, `create schema gs_limited authorization ${role}`)
  assert.deepEqual((await migrate(limited, 'gs_limited', dir)).applied, ['0001_people', '0002_apps'])
})
