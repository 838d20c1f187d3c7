import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartupError } from '../errors.ts'
import { hasCode } from './database.ts'
import { c, list, read, write } from './statement.ts'
import { createAccounts, isNotReady, pause, QUOTED } from './test-accounts.ts'
import { runSql } from './test-database.ts'

const { connection, opened, open, newAccount, balance, addAmount, insertAccount } = await createAccounts('test')

const settingsRow = { path: c.text, zone: c.text, timeout: c.text, idle: c.text, name: c.text }
const settingsText = `select current_setting('search_path') as path, current_setting('timezone') as zone,
  current_setting('statement_timeout') as timeout, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('application_name') as name`
const readSettings = read('database.settings', { params: {}, row: settingsRow, text: settingsText })
const writeSettings = write('database.settings-pool', { params: {}, row: settingsRow, text: settingsText })

test('every connection sees only its own schema, in UTC and with its limits, whatever the connection string says', async () => {
  const { host, port, user, database } = connection
  const url = new URL(`postgres://${user}@localhost:${port}/${database}`)
  url.searchParams.set('host', host ?? '')
  url.searchParams.set('options', '-c search_path=public -c timezone=Asia/Tokyo')
  url.searchParams.set('application_name', 'other')
  const db = await open({ connection: { connectionString: url.href } })
  const expected = { path: QUOTED, zone: 'UTC', timeout: '5s', idle: '10s', name: 'test' }
  assert.deepEqual(await db.first(readSettings, {}), expected)
  assert.deepEqual(await db.first(writeSettings, {}), expected)
})

test('a wrong declaration is an error of ours, not of the database', async () => {
  const db = await open()
  const wrong = write('database.wrong', { params: {}, row: { missing: c.text }, text: "select 'x' as other" })
  await assert.rejects(db.first(wrong, {}), /gives no column 'missing'/)
})

test('a statement that violates a constraint keeps its error code, loses the quoted values, and keeps its connection', async () => {
  const db = await open({ poolSize: 1 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 0 })
  const [before] = await runSql(
    connection,
    "select array_agg(pid order by pid)::text as pids from pg_stat_activity where application_name = 'test'",
  )
  for (let i = 0; i < 3; i++) {
    await assert.rejects(db.all(insertAccount, { id }), (error: Error & { detail?: string }) => {
      assert.ok(hasCode(error, '23505') && !hasCode(error, '23503'))
      assert.equal(error.detail, undefined)
      return true
    })
  }
  const [afterwards] = await runSql(
    connection,
    "select array_agg(pid order by pid)::text as pids from pg_stat_activity where application_name = 'test'",
  )
  assert.deepEqual(afterwards, before)
})

test('the read lane cannot write', async () => {
  const db = await open()
  const id = await newAccount()
  const sly = read('database.sly', {
    params: { id: c.int8 },
    row: { amount: c.int8 },
    text: 'update accounts set amount = 100 where id = :id returning amount',
    gather: false,
  })
  await assert.rejects(db.all(sly, { id }), (error) => isNotReady(error) && hasCode(error.cause, '25006'))
  assert.equal(await balance(db, id), 0)
})

test('a read is planned for one process, because a plan for several may read a whole table', async () => {
  const cheap = [
    'min_parallel_table_scan_size',
    'min_parallel_index_scan_size',
    'parallel_setup_cost',
    'parallel_tuple_cost',
  ]
  const db = await open({ settings: Object.fromEntries(cheap.map((name) => [name, '0'])) })
  await runSql(connection, `insert into ${QUOTED}.accounts select n, 0 from generate_series(1001, 21000) n`)
  const plan = { params: {}, row: { 'QUERY PLAN': c.text }, text: 'explain select count(*) from accounts' }
  const planOf = async (rows: Promise<{ 'QUERY PLAN': string }[]>) =>
    (await rows).map((row) => row['QUERY PLAN']).join('\n')
  assert.match(await planOf(db.all(write('database.plan', plan), {})), /Gather/)
  const alone = read('database.plan-of-read', { ...plan, gather: false })
  assert.doesNotMatch(await planOf(db.all(alone, {})), /Gather/)
  assert.doesNotMatch(await planOf(db.all(list('database.plan-of-list', plan), {})), /Gather/)
})

test('closing waits for a running transaction and refuses the next', async () => {
  const db = await open()
  const id = await newAccount()
  const work = db.transaction(async (tx) => {
    await tx.all(addAmount, { id, by: 1 })
    await pause(200)
    await tx.all(addAmount, { id, by: 1 })
  })
  await pause(50)
  const closed = db.close()
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    isNotReady,
  )
  await work
  await closed
  opened.length = 0
  const [row] = await runSql(connection, `select amount::int from ${QUOTED}.accounts where id = ${id}`)
  assert.deepEqual(row, { amount: 2 })
})

test('a missing database gives a clear error at the start', async () => {
  await assert.rejects(open({ connection: { ...connection, host: '/nowhere' } }), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /^The database cannot be reached: .*ENOENT/)
    return true
  })
})
