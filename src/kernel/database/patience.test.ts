import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { isConnectionLost } from './patience.ts'
import { createAccounts, isNotReady, pause } from './test-accounts.ts'
import { until } from './test-database.ts'

const { openOverWire, newAccount, balance, readBalance, addAmount, sleepReading, sleepWriting } =
  await createAccounts('test of patience')
const WAIT = { waitMs: 5_000 }

test('calls wait for a database that was lost, and are carried out once when it returns', async () => {
  const { db, wire } = await openOverWire(WAIT)
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  wire.cut()
  await until('the loss is noticed', () => !db.isAvailable())
  const calls = [
    db.first(readBalance, { id }),
    db.all(addAmount, { id, by: 1 }),
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
  ]
  await pause(500)
  assert.equal(db.canServe(), true)
  wire.mend()
  await Promise.all(calls)
  assert.equal(await balance(db, id), 3)
  const { waits, waitSeconds } = db.figures()
  assert.equal(waits, 3)
  assert.ok(waitSeconds > 3 * 0.4 && waitSeconds < 3 * 5, String(waitSeconds))
})

test('a read whose connection is lost is repeated', async () => {
  const { db, wire } = await openOverWire(WAIT)
  const answer = db.all(sleepReading, { seconds: 0.5 })
  await pause(100)
  wire.cut()
  await pause(300)
  wire.mend()
  assert.equal((await answer).length, 1)
})

test('a write that was sent is not repeated, because it may have been carried out', async () => {
  const { db, wire } = await openOverWire(WAIT)
  const start = performance.now()
  const answer = db.all(sleepWriting, { seconds: 3 })
  await pause(100)
  wire.cut()
  await assert.rejects(answer, isNotReady)
  assertWithin(performance.now() - start, 2_000)
})

test('a transaction that lost its connection before the commit is repeated as a whole', async () => {
  const { db, wire } = await openOverWire(WAIT)
  const id = await newAccount()
  let runs = 0
  const answer = db.transaction(async (tx) => {
    runs++
    await tx.all(addAmount, { id, by: 1 })
    await tx.all(sleepWriting, { seconds: 0.5 })
  })
  await until('the transaction runs', () => runs === 1)
  await pause(200)
  wire.cut()
  await pause(300)
  wire.mend()
  await answer
  assert.deepEqual([runs, await balance(db, id)], [2, 1])
})

test('calls are refused when the wait is over, and then the database does not count as ready', async () => {
  const { db, wire } = await openOverWire({ waitMs: 700 })
  const id = await newAccount()
  wire.cut()
  await until('the loss is noticed', () => !db.isAvailable())
  const start = performance.now()
  await assert.rejects(db.all(addAmount, { id, by: 1 }), (error) => isNotReady(error) && isConnectionLost(error))
  await assert.rejects(db.first(readBalance, { id }), isNotReady)
  assertWithin(performance.now() - start, 2_500)
  assert.equal(db.canServe(), false)
})

test('without a wait, calls are refused at once', async () => {
  const { db, wire } = await openOverWire()
  const id = await newAccount()
  wire.cut()
  await until('the loss is noticed', () => !db.isAvailable())
  assert.equal(db.canServe(), false)
  const start = performance.now()
  await assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  await assert.rejects(db.first(readBalance, { id }), isNotReady)
  assertWithin(performance.now() - start, 200)
})

test('closing the database ends all waits', async () => {
  const { db, wire } = await openOverWire(WAIT)
  const id = await newAccount()
  wire.cut()
  await until('the loss is noticed', () => !db.isAvailable())
  const call = assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  const start = performance.now()
  await db.close()
  await call
  assertWithin(performance.now() - start, 3_000)
})
