import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCode } from './database.ts'
import { batchedWrite, c } from './statement.ts'
import { createAccounts, isNotReady, pause } from './test-accounts.ts'

const { open, openOverWire, newAccount, balance, addAmount } = await createAccounts('batches')

/** Adds to accounts that nobody has locked. `txid` tells which calls were committed together. */
const addUnlocked = batchedWrite('batches.add', {
  params: { id: c.int8, by: c.int8, note: c.text },
  row: { amount: c.int8, note: c.text, txid: c.text },
  text: `
    with held as materialized (
      select calls.* from :calls join accounts a on a.id = calls.id for update of a skip locked
    )
    update accounts a set amount = amount + 100 / (100 / held.by) from held where a.id = held.id
    returning call, amount, note, txid_current()::text as txid`,
})

async function accounts(count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) ids.push(await newAccount())
  return ids
}
const add = (db: Awaited<ReturnType<typeof open>>, id: number, by = 1) =>
  db.first(addUnlocked, { id, by, note: `"${id}" \\ {,} NULL` })

test('calls made together are written by one statement, and each gets its own row', async () => {
  const db = await open()
  const ids = await accounts(20)
  const rows = await Promise.all(ids.map((id) => add(db, id)))
  assert.deepEqual(
    rows.map((row) => [row?.amount, row?.note]),
    ids.map((id) => [1, `"${id}" \\ {,} NULL`]),
  )
  assert.equal(new Set(rows.map((row) => row?.txid)).size, 1)
  assert.equal(await add(db, -1), undefined)
})

test('a call that fails is refused alone, and the others are written', async () => {
  const db = await open()
  const ids = await accounts(5)
  const outcomes = await Promise.allSettled(ids.map((id, i) => add(db, id, i === 2 ? 0 : 1)))
  for (const [i, outcome] of outcomes.entries()) {
    if (i === 2) assert.ok(outcome.status === 'rejected' && hasCode(outcome.reason, '22012'))
    else assert.ok(outcome.status === 'fulfilled' && outcome.value?.amount === 1)
  }
  assert.equal(await balance(db, ids[2]!), 0)
})

test('a locked row delays nobody: its call gets no row, and the others are written', async () => {
  const db = await open()
  const ids = await accounts(5)
  await db.transaction(async (tx) => {
    await tx.all(addAmount, { id: ids[2]!, by: 10 })
    const rows = await Promise.all(ids.map((id) => add(db, id)))
    assert.deepEqual(
      rows.map((row) => row?.amount),
      [1, 1, undefined, 1, 1],
    )
    // The transaction itself is not kept out by its own lock.
    assert.equal((await tx.first(addUnlocked, { id: ids[2]!, by: 1, note: '' }))?.amount, 11)
  })
})

test('while the database is unavailable, all calls of a batch are refused and none is repeated', async () => {
  const { db, wire } = await openOverWire({ statementTimeoutMs: 500 })
  const ids = await accounts(5)
  await add(db, ids[0]!)
  wire.cut()
  const refused = await Promise.allSettled(ids.map((id) => add(db, id)))
  assert.ok(refused.every((outcome) => outcome.status === 'rejected' && isNotReady(outcome.reason)))
  await pause(50)
  wire.mend()
  assert.equal(await balance(await open(), ids[1]!), 0)
})
