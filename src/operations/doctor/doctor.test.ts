import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { layWire, runSql, until } from '../../kernel/database/test-database.ts'
import { startPair } from '../../kernel/database/test-standby.ts'
import { migrateAll } from '../platform/platform.ts'
import { databaseUrl } from '../testing/machine.ts'
import { assertWithin } from '../testing/time-limits.ts'
import { diagnose, dropNotifications, listNames } from './testing.ts'

const pair = await startPair()
after(pair.close)
const { primary, standby } = pair
/** Changes a setting or a table. `alter system` cannot run together with another statement. */
const change = async (sql: string) => {
  await runSql(primary, sql)
  await runSql(primary, 'select pg_reload_conf()')
}
await change(`alter system set synchronous_standby_names = '*'`)
await migrateAll(primary)
await runSql(
  primary,
  `set search_path to gs_production; select make_statement_months(now());
   set search_path to gs_sandbox; select make_statement_months(now())`,
)

const WITH_STANDBY = { DATABASE_READ_URL: databaseUrl(standby), DATABASE_WAIT_SECONDS: '30' }
/** What is not as it should be in every pair of the tests: they run without fsync, and without an archive. */
const USUAL = ['archive_mode the embedded database: warning', 'fsync the embedded database: problem']

/** Returns the findings that a change to the primary adds. */
async function findAfter(cause: string, undo: string): Promise<string[]> {
  await change(cause)
  try {
    const found: string[] = []
    await until(
      `${cause} is noticed`,
      async () => {
        found.splice(0, found.length, ...listNames(await diagnose(primary, { settings: WITH_STANDBY })))
        return found.length > USUAL.length
      },
      20_000,
    )
    return found.filter((one) => !USUAL.includes(one))
  } finally {
    await change(undo)
  }
}

test('a primary and its synchronous standby need no change but what the tests leave out', async () => {
  await until('the standby is synchronous', async () => {
    const [row] = await runSql(primary, 'select sync_state from pg_stat_replication')
    return row?.sync_state === 'sync'
  })
  const findings = await diagnose(primary, { settings: WITH_STANDBY })
  assert.deepEqual(listNames(findings), USUAL, JSON.stringify(findings))
  assert.ok(findings.every(({ change }) => change !== undefined))
})

const SETTINGS: readonly (readonly [change: string, found: string])[] = [
  ['synchronous_commit = off', 'synchronous_commit the embedded database: problem'],
  ['synchronous_commit = remote_write', 'synchronous_commit the embedded database: problem'],
  ['autovacuum = off', 'autovacuum the embedded database: problem'],
  ['track_counts = off', 'track_counts the embedded database: problem'],
]
for (const [setting, found] of SETTINGS)
  test(`the setting ${setting} is found`, async () => {
    const [name] = setting.split(' ')
    assert.deepEqual(await findAfter(`alter system set ${setting}`, `alter system reset ${name}`), [found])
  })

test('a standby that is not synchronous is found', async () => {
  const undo = `alter system set synchronous_standby_names = '*'`
  assert.deepEqual(await findAfter(`alter system set synchronous_standby_names = ''`, undo), [
    'standbys database: problem',
    'synchronous_standby_names the embedded database: problem',
  ])
})

test('a slot that nobody reads is found, and that its log has no limit', async () => {
  const found = await findAfter(
    `select pg_create_physical_replication_slot('left_behind', true)`,
    `select pg_drop_replication_slot('left_behind')`,
  )
  assert.deepEqual(found, ['max_slot_wal_keep_size the embedded database: warning', 'slots left_behind: warning'])
})

test('an invalid index and a missing partition are found', async () => {
  const mark = (is: boolean) =>
    `update pg_index set indisvalid = ${is} where indexrelid = 'gs_production.migrations_pkey'::regclass`
  assert.deepEqual(await findAfter(mark(false), mark(true)), ['indexes gs_production.migrations_pkey: problem'])
  const [row] = await runSql(
    primary,
    `select to_char(now() at time zone 'UTC' + interval '1 month', 'YYYY_MM') as month`,
  )
  const from = (parent: string, name: string) => `alter table gs_sandbox.${parent} rename to ${name}`
  const month = `statements_${row!.month}`
  assert.deepEqual(await findAfter(from(month, 'elsewhere'), from('elsewhere', month)), [
    'partitions gs_sandbox.statements: warning',
  ])
})

test('a database of another version, with another key or with demo people is found', async () => {
  const table = 'gs_production.migrations'
  const other = `insert into ${table} (number, name, checksum) select max(number) + 1, 'x', 'x' from ${table}`
  const undo = `delete from ${table} where name = 'x'`
  assert.deepEqual(await findAfter(other, undo), ['migrations production: problem'])
  const key = `insert into gs_sandbox.installation values ('secret-key-fingerprint', 'another')`
  assert.deepEqual(await findAfter(key, 'delete from gs_sandbox.installation'), ['settings SECRET_KEY: problem'])
  await runSql(primary, `insert into gs_sandbox.installation values ('demo-person-1', '')`)
  const settings = { ...WITH_STANDBY, BASE_URL: 'https://a.example.org' }
  const names = listNames(await diagnose(primary, { settings }))
  await runSql(primary, 'delete from gs_sandbox.installation')
  assert.deepEqual(
    names.filter((name) => name.startsWith('settings')),
    [
      'CONTENT_URL: warning',
      'DEMO: problem',
      'METRICS_TOKEN: warning',
      'SMTP_URL: warning',
      'TRUST_PROXY: warning',
    ].map((name) => `settings ${name}`),
  )
})

test('processes that need more connections than the server has are found, and what they must share', async () => {
  const [ok, tight, short] = await Promise.all(
    [1, 2, 3].map((processes) => diagnose(primary, { settings: WITH_STANDBY, processes })),
  )
  const of = (findings: typeof ok) => findings!.filter(({ check }) => check === 'connections').map(({ level }) => level)
  assert.deepEqual([of(ok), of(tight), of(short)], [[], ['warning'], ['problem']])
  assert.deepEqual(
    listNames(tight!).filter((name) => name.startsWith('settings')),
    ['settings DRAIN_SECONDS: warning', 'settings S3_URL: problem'],
  )
})

test('a user with few rights is found, and so is a limit on its connections', async () => {
  await runSql(primary, 'create role limited login connection limit 39; grant usage on schema gs_production to limited')
  const findings = await diagnose({ ...primary, user: 'limited' }, { settings: WITH_STANDBY })
  const names = listNames(findings)
  assert.ok(names.includes('rights limited: warning'), names.join())
  assert.ok(names.includes('connections the embedded database: problem'), names.join())
  assert.match(JSON.stringify(findings), /grant pg_monitor to limited/)
})

test('addresses that lead to the wrong server are found', async () => {
  const swapped = { DATABASE_READ_URL: databaseUrl(primary), DATABASE_WAIT_SECONDS: '30' }
  const names = listNames(await diagnose(standby, { settings: swapped }))
  assert.ok(names.includes('role the embedded database: problem'), names.join())
  assert.ok(
    names.some((name) => /^role DATABASE_READ_URL .*: warning$/.test(name)),
    names.join(),
  )
  const foreign = JSON.parse(process.env.GROUNDSCHOOL_TEST_DATABASE!)
  const found = await diagnose(primary, { settings: { ...swapped, DATABASE_READ_URL: databaseUrl(foreign) } })
  assert.match(found.find(({ check }) => check === 'role')!.found, /another cluster/)
})

test('a standby that is behind is found', async () => {
  await runSql(standby, 'select pg_wal_replay_pause()')
  await runSql(primary, `select pg_logical_emit_message(false, 'doctor', repeat('x', 70 * 1024 * 1024))`)
  try {
    await until(
      'the standby is behind',
      async () =>
        listNames(await diagnose(primary, { settings: WITH_STANDBY })).some((name) => /^lag .*: warning$/.test(name)),
      20_000,
    )
  } finally {
    await runSql(standby, 'select pg_wal_replay_resume()')
  }
})

test('a pooler in transaction mode is found', async (t) => {
  const [found] = (await diagnose(await dropNotifications(t, primary), { settings: WITH_STANDBY })).filter(
    ({ check }) => check === 'sessions',
  )
  assert.equal(found!.level, 'problem')
  assert.match(found!.change!, /PgBouncer/)
})

test('a server that does not respond is found within its time limit, without its password', async (t) => {
  const wire = await layWire(primary)
  t.after(wire.close)
  wire.stall()
  const start = performance.now()
  const url = `postgres://someone:hidden@127.0.0.1:${wire.connection.port}/x`
  const findings = await diagnose(
    { connectionString: url },
    { settings: { DATABASE_URL: url, DATABASE_READ_URL: url.replace(/:\d+\/x/, ':1/x') } },
  )
  assertWithin(performance.now() - start, 25_000)
  assert.deepEqual(
    findings.filter(({ check }) => check === 'connection').map(({ level }) => level),
    ['problem', 'problem'],
  )
  assert.doesNotMatch(JSON.stringify(findings), /hidden/)
})

test('a fleet without a standby is found', async () => {
  await pair.stopStandby()
  try {
    const names = listNames(await diagnose(primary, { settings: WITH_STANDBY }))
    assert.ok(names.includes('standbys database: problem'), names.join())
    assert.ok(
      names.some((name) => /^connection DATABASE_READ_URL/.test(name)),
      names.join(),
    )
  } finally {
    await pair.startStandby()
  }
})

test('a setting that waits for a restart is found', async () => {
  // The server reports it until it is restarted, so this test is the last one.
  const found = await findAfter(
    'alter system set max_locks_per_transaction = 128',
    'alter system reset max_locks_per_transaction',
  )
  assert.deepEqual(found, ['max_locks_per_transaction the embedded database: warning'])
})
