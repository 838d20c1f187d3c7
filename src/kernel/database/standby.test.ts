import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { c, list, read, report, write } from './statement.ts'
import { runSql, until } from './test-database.ts'
import { startPair } from './test-standby.ts'

const pair = await startPair()
after(pair.close)
await runSql(
  pair.primary,
  'create schema s; create table s.accounts (id int8 primary key, amount int8 not null); insert into s.accounts values (1, 0)',
)

const AMOUNT = 'select amount, pg_is_in_recovery() as is_standby from accounts where id = 1'
const ROW = { amount: c.int8, is_standby: c.bool }
// Declared inside a function, because statements declared when a file is loaded are checked against the real tables.
const declareAll = () => ({
  asRead: read('standby.read', { params: {}, row: ROW, text: AMOUNT }),
  asList: list('standby.list', { params: {}, row: ROW, text: AMOUNT }),
  asReport: report('standby.report', { params: {}, row: ROW, text: AMOUNT }),
  slowly: report('standby.slowly', {
    params: {},
    row: { is_standby: c.bool },
    text: 'select pg_is_in_recovery() as is_standby from accounts, pg_sleep(1)',
  }),
  add: write('standby.add', { params: {}, row: {}, text: 'update accounts set amount = amount + 1 where id = 1' }),
})
const { asRead, asList, asReport, slowly, add } = declareAll()

const opened: Database[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map((db) => db.close()))))

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const db = await openDatabase({
    connection: pair.primary,
    schema: 's',
    poolSize: 2,
    readConnections: 1,
    statementTimeoutMs: 5_000,
    onProblem: () => {},
    standby: { connection: pair.standby, lagMs: 2_500 },
    ...options,
  })
  opened.push(db)
  return db
}
const isOnStandby = async (db: Database) => (await db.as('reader', true).first(asReport, {}))!.is_standby
const usesStandby = (db: Database) => until('the standby is used', () => isOnStandby(db), 8_000)

test('lists, reports and streams that may lag are read from the standby', async () => {
  const db = await open()
  await pair.caughtUp()
  await usesStandby(db)
  const reader = db.as('reader', true)
  assert.equal((await reader.first(asList, {}))!.is_standby, true)
  const rows = []
  for await (const row of reader.stream(asReport, {})) rows.push(row.is_standby)
  assert.deepEqual(rows, [true])
  assert.ok(db.figures().standbyReads >= 3)
  assert.equal(reader.lagMs, 2_500)
})

test('reads that must see their own write never come from the standby', async () => {
  const db = await open()
  await usesStandby(db)
  const reader = db.as('reader')
  for (const statement of [asRead, asList, asReport])
    assert.equal((await reader.first(statement, {}))!.is_standby, false, statement.name)
  assert.equal((await db.as('reader', true).first(asRead, {}))!.is_standby, false)
  await db.as('reader', true).transaction(async (tx) => assert.equal((await tx.first(asReport, {}))!.is_standby, false))
  assert.equal(reader.lagMs, 0)
})

test('a primary without writes does not make its standby look late', async () => {
  const db = await open()
  await pair.caughtUp()
  await usesStandby(db)
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const before = db.figures().standbyRefusals
  assert.equal(await isOnStandby(db), true)
  assert.equal(db.figures().standbyRefusals, before)
})

test('a standby that is too far behind is not read until it has caught up', async () => {
  const db = await open()
  await pair.caughtUp()
  await usesStandby(db)
  await runSql(pair.standby, 'select pg_wal_replay_pause()')
  try {
    await db.all(add, {})
    const writtenAt = performance.now()
    const amount = (await db.first(asRead, {}))!.amount
    await until('the primary is read', async () => !(await isOnStandby(db)), 8_000)
    assertWithin(performance.now() - writtenAt, 5_000)
    const found = await db.as('reader', true).first(asList, {})
    assert.deepEqual({ ...found }, { amount, is_standby: false })
  } finally {
    await runSql(pair.standby, 'select pg_wal_replay_resume()')
  }
  await usesStandby(db)
})

test('the lag of a standby is measured, also while it is too far behind to be read', async () => {
  const db = await open()
  await usesStandby(db)
  await pair.caughtUp()
  assert.equal(await db.measureLag(), 0)
  await runSql(pair.standby, 'select pg_wal_replay_pause()')
  try {
    await db.all(add, {})
    await until('the lag grows beyond the limit', async () => (await db.measureLag())! > 3_000, 8_000)
    assert.ok((await db.measureLag())! < 10_000)
  } finally {
    await runSql(pair.standby, 'select pg_wal_replay_resume()')
  }
  await until('it has caught up', async () => (await db.measureLag()) === 0)
  const alone = await open({ standby: undefined })
  assert.equal(await alone.measureLag(), undefined)
})

test('a query that the standby cancels is answered by the primary', async () => {
  const db = await open()
  await pair.caughtUp()
  await usesStandby(db)
  const answer = db.as('reader', true).all(slowly, {})
  await new Promise((resolve) => setTimeout(resolve, 300))
  // The exclusive lock is replayed on the standby, where it conflicts with the query.
  await runSql(pair.primary, 'begin; lock s.accounts in access exclusive mode; select pg_current_xact_id(); commit')
  assert.deepEqual(
    (await answer).map((row) => row.is_standby),
    [false],
  )
})

test('while the standby is down, the primary is read, and afterwards the standby again', async () => {
  const db = await open()
  await usesStandby(db)
  await pair.stopStandby()
  for (let i = 0; i < 3; i++) assert.equal(await isOnStandby(db), false)
  const rows = []
  for await (const row of db.as('reader', true).stream(asReport, {})) rows.push(row.is_standby)
  assert.deepEqual(rows, [false])
  await pair.startStandby()
  await usesStandby(db)
})

test('a read address that leads to the primary or to nothing costs no answer', async () => {
  for (const connection of [pair.primary, { ...pair.standby, port: 1 }]) {
    const db = await open({ standby: { connection, lagMs: 2_500 } })
    await until('a position is known', async () => (await db.first(asRead, {})) !== undefined)
    assert.equal(await isOnStandby(db), false)
    assert.equal(db.figures().standbyReads, 0)
  }
})
