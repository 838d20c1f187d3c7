import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { c, read } from './statement.ts'
import { createAccounts, isNotReady, pause } from './test-accounts.ts'
import { runSql, until } from './test-database.ts'

const { connection, open, openOverWire, newAccount, balance, readBalance, addAmount, sleepWriting, sleepReading } =
  await createAccounts('test of outages')

test('a call that waits for the pool longer than five seconds is told to retry', async () => {
  const db = await open({ poolSize: 1, statementTimeoutMs: 20_000 })
  const id = await newAccount()
  const busy = db.all(sleepWriting, { seconds: 5.6 })
  await pause(50)
  const start = Date.now()
  await assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  const waitedMs = Date.now() - start
  assert.ok(waitedMs > 4_500, `${waitedMs} ms`)
  assertWithin(waitedMs, 5_500)
  await busy
  await db.all(addAmount, { id, by: 1 })
})

test('a statement over the time limit is told to retry, in both lanes and in a transaction', async () => {
  const db = await open({ statementTimeoutMs: 100 })
  const id = await newAccount()
  await assert.rejects(db.all(sleepWriting, { seconds: 2 }), isNotReady)
  await assert.rejects(db.all(sleepReading, { seconds: 2 }), isNotReady)
  await assert.rejects(Promise.all([1, 2].map((seconds) => db.all(sleepReading, { seconds }))), isNotReady)
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(addAmount, { id, by: 1 })
      await tx.all(sleepWriting, { seconds: 2 })
    }),
    isNotReady,
  )
  assert.equal(await balance(db, id), 0)
})

test('losing the database rejects waiting and new calls at once, and service resumes by itself', async () => {
  const problems: string[] = []
  const { db, wire } = await openOverWire({ onProblem: (error) => problems.push(error.message) })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  const waiting = [
    db.all(sleepReading, { seconds: 3 }),
    db.all(sleepWriting, { seconds: 3 }),
    db.transaction((tx) => tx.all(sleepWriting, { seconds: 3 })),
  ]
  await pause(50)
  waiting.push(db.all(sleepReading, { seconds: 3 }))
  const start = Date.now()
  wire.cut()
  for (const outcome of await Promise.allSettled(waiting)) {
    assert.ok(outcome.status === 'rejected' && isNotReady(outcome.reason))
  }
  assert.equal(db.isAvailable(), false)
  await assert.rejects(db.first(readBalance, { id }), isNotReady)
  await assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    isNotReady,
  )
  assertWithin(Date.now() - start, 500)
  await pause(300)
  wire.mend()
  await until('the database is available again', () => db.isAvailable())
  assert.equal(await balance(db, id), 1)
  await db.all(addAmount, { id, by: 1 })
  assert.equal(await balance(db, id), 2)
  assert.ok(problems.length >= 2 && problems.length < 10, problems.join('; '))
})

test('a commit whose acknowledgement is lost is reported as not ready', async () => {
  const { db, wire } = await openOverWire()
  const id = await newAccount()
  let isTold = false
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.afterCommit(() => {
        isTold = true
      })
      await tx.all(addAmount, { id, by: 1 })
      wire.cut()
    }),
    isNotReady,
  )
  assert.equal(isTold, false)
})

test('a write that reaches a standby is told to retry, and its connection is not used again', async () => {
  const { db, wire } = await openOverWire({ poolSize: 1 })
  const id = await newAccount()
  const setReadOnly = (value: 'on' | 'off') =>
    runSql(
      connection,
      `set transaction read write; alter database "${connection.database}" set default_transaction_read_only = ${value}`,
    )
  const writes = [
    () => db.all(addAmount, { id, by: 1 }),
    () => db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    () => db.transaction((tx) => tx.finish(addAmount, { id, by: 1 })),
  ]
  for (const write of writes) {
    wire.cut()
    await setReadOnly('on')
    wire.mend()
    await until('the database is available again', () => db.isAvailable(), 10_000)
    await assert.rejects(write(), isNotReady)
    await setReadOnly('off')
    await write()
  }
  assert.equal(await balance(db, id), writes.length)
})

test('a hanging server is abandoned soon after the time limit, and reached again later', async () => {
  const { db, wire } = await openOverWire({ statementTimeoutMs: 200 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  wire.stall()
  const start = Date.now()
  const outcomes = await Promise.allSettled([
    db.first(readBalance, { id }),
    db.all(addAmount, { id, by: 1 }),
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
  ])
  // The limit includes the time in which the third call tried to open another connection.
  assertWithin(Date.now() - start, 6_000)
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isNotReady(outcome.reason))
  assert.equal(db.isAvailable(), false)
  wire.mend()
  await until('the database is available again', () => db.isAvailable(), 10_000)
  assert.equal(typeof (await balance(db, id)), 'number')
  await db.all(addAmount, { id, by: 1 })
})

test('a terminated backend fails its own calls only', async () => {
  const db = await open({ readConnections: 2 })
  const id = await newAccount()
  const readPid = read('database.pid', {
    params: {},
    row: { pid: c.int8 },
    text: 'select pg_backend_pid()::int8 as pid',
  })
  const slow = assert.rejects(db.all(sleepReading, { seconds: 3 }), isNotReady)
  await pause(20)
  const other = (await db.first(readPid, {}))!.pid
  await runSql(
    connection,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(%' and pid not in (${other}, pg_backend_pid())`,
  )
  await slow
  assert.equal(db.isAvailable(), true)
  assert.equal(await balance(db, id), 0)
})
