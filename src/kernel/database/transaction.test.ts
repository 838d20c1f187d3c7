import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, hasCode } from './database.ts'
import { c, write } from './statement.ts'
import { createAccounts, pause, QUOTED } from './test-accounts.ts'
import { runSql } from './test-database.ts'

const { connection, open, newAccount, balance, addAmount, insertAccount } = await createAccounts('test of transactions')

test('the next read sees a committed transaction, and a failed one leaves nothing', async () => {
  const db = await open()
  const id = await newAccount()
  const told: string[] = []
  const result = await db.transaction(async (tx) => {
    tx.afterCommit(() => told.push('committed'))
    await tx.all(addAmount, { id, by: 5 })
    assert.equal(await balance(tx, id), 5)
    assert.equal(await balance(db, id), 0)
    assert.deepEqual(told, [])
    return 'result'
  })
  assert.equal(result, 'result')
  assert.equal(await balance(db, id), 5)
  assert.deepEqual(told, ['committed'])
  const failure = new Error('changed my mind')
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.afterCommit(() => told.push('never'))
      await tx.all(addAmount, { id, by: 5 })
      throw failure
    }),
    failure,
  )
  assert.equal(await balance(db, id), 5)
  assert.deepEqual(told, ['committed'])
  db.afterCommit(() => told.push('at once'))
  assert.deepEqual(told, ['committed', 'at once'])
  assert.equal(db.figures().poolIdle, db.figures().poolTotal)
})

test('a nested transaction joins the outer one', async () => {
  const db = await open()
  const id = await newAccount()
  const told: string[] = []
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.transaction(async (inner) => {
        inner.afterCommit(() => told.push('never'))
        await inner.all(addAmount, { id, by: 1 })
      })
      throw new Error('outer')
    }),
    /outer/,
  )
  assert.equal(await balance(db, id), 0)
  assert.deepEqual(told, [])
})

test('a transaction whose failed statement was ignored is not reported as committed', async () => {
  const db = await open()
  const id = await newAccount()
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(addAmount, { id, by: 1 })
      await tx.all(insertAccount, { id }).catch(() => {})
    }),
    /was rolled back/,
  )
  assert.equal(await balance(db, id), 0)
})

test('if BEGIN fails, the first statement does not run', async () => {
  const db = await open({ poolSize: 1 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  const forget = write('database.deallocate', { params: {}, row: {}, text: 'deallocate begin' })
  await db.all(forget, {})
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    (error) => hasCode(error, '26000'),
  )
  assert.equal(await balance(db, id), 1)
})

test('statements sent together in a transaction each get their own answer', async () => {
  const db = await open()
  const id = await newAccount()
  const amounts = await db.transaction((tx) =>
    Promise.all([1, 10, 100].map(async (by) => (await tx.first(addAmount, { id, by }))?.amount)),
  )
  assert.deepEqual(amounts, [1, 11, 111])
  assert.equal(await balance(db, id), 111)
})

test('the last statement of a transaction commits; if it fails, nothing is stored', async () => {
  const db = await open()
  const id = await newAccount()
  const told: string[] = []
  await db.transaction(async (tx) => {
    tx.afterCommit(() => told.push('committed'))
    await tx.all(addAmount, { id, by: 1 })
    assert.deepEqual(await tx.finish(addAmount, { id, by: 10 }), [{ amount: 11 }])
    assert.equal(await balance(db, id), 11, 'committed before the work has ended')
    await assert.rejects(tx.all(addAmount, { id, by: 1 }), /came after its transaction/)
  })
  await db.transaction((tx) => tx.finish(addAmount, { id, by: 100 }))
  assert.equal(await balance(db, id), 111)
  assert.deepEqual(told, ['committed'])
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(addAmount, { id, by: 1 })
      await tx.finish(insertAccount, { id })
    }),
    (error) => hasCode(error, '23505'),
  )
  assert.equal(await balance(db, id), 111)
  assert.equal(db.figures().poolIdle, db.figures().poolTotal)
})

test('the last statement does not commit if an earlier one has failed, or in a nested transaction', async () => {
  const db = await open()
  const id = await newAccount()
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(insertAccount, { id }).catch(() => {})
      await tx.finish(addAmount, { id, by: 1 })
    }),
    (error) => hasCode(error, '25P02'),
  )
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.transaction((inner) => inner.finish(addAmount, { id, by: 1 }))
      throw new Error('outer')
    }),
    /outer/,
  )
  assert.equal(await balance(db, id), 0)
})

test('a statement that runs outside of its transaction is refused', async () => {
  const db = await open()
  const id = await newAccount()
  let kept: Db | undefined
  await db.transaction(async (tx) => {
    kept = tx
    await tx.all(addAmount, { id, by: 1 })
  })
  await assert.rejects(kept!.all(addAmount, { id, by: 1 }), /came after its transaction/)
  assert.equal(await balance(db, id), 1)
})

test('a failing hook is reported and affects nothing else', async () => {
  const problems: string[] = []
  const db = await open({ onProblem: (error) => problems.push(error.message) })
  const id = await newAccount()
  await db.transaction(async (tx) => {
    tx.afterCommit(() => {
      throw new Error('hook')
    })
    tx.afterCommit(() => problems.push('second hook'))
    await tx.all(addAmount, { id, by: 1 })
  })
  assert.deepEqual(problems, ['hook', 'second hook'])
})

test('transactions that deadlock are retried until both have succeeded', async () => {
  const db = await open()
  const [a, b] = [await newAccount(), await newAccount()]
  let tries = 0
  let told = 0
  const transfer = (from: number, to: number) =>
    db.transaction(async (tx) => {
      tries++
      tx.afterCommit(() => told++)
      await tx.all(addAmount, { id: from, by: -1 })
      await pause(50)
      await tx.all(addAmount, { id: to, by: 1 })
    })
  await Promise.all([transfer(a, b), transfer(b, a)])
  assert.ok(tries > 2, 'there was no deadlock')
  assert.equal(told, 2)
  assert.deepEqual([await balance(db, a), await balance(db, b)], [0, 0])
})

test('a transaction that keeps failing gives up after three retries', async () => {
  const db = await open()
  const failAlways = write('database.serialization', {
    params: {},
    row: { done: c.text },
    text: "select set_config('x.x', 'y', true) as done from pg_catalog.generate_series(1, 1) where test_fail()",
  })
  await runSql(
    connection,
    `create function ${QUOTED}.test_fail() returns bool language plpgsql as
     $$ begin raise exception 'again' using errcode = '40001'; end $$`,
  )
  let tries = 0
  await assert.rejects(
    db.transaction(async (tx) => {
      tries++
      await tx.all(failAlways, {})
    }),
    (error) => hasCode(error, '40001'),
  )
  assert.equal(tries, 4)
})
