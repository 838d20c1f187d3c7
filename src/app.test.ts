import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './app.ts'
import { assertStorageAddsUp, PATH, UNLIMITED } from './buckets/testing.ts'
import { testApp } from './testing.ts'
import { fuzzOperation } from './testing-fuzz.ts'

const RUNS = 200

test('M5: whatever is sent to any operation, the answer is one that it declares', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const ids = ['fuzz-a', 'fuzz-b', 'fuzz-c', 'fuzz-public']
  const samples = {
    id: ids,
    userId: [avery.userId, blake.userId],
    users: [[blake.userId], `${avery.userId},${blake.userId}`, []],
    key: ['', 'a', 'a.b', 'list.0', 'list.1.x'],
  }
  const clients = [avery, avery, avery, avery, blake, blake, app.nobody()]
  const data = { a: { b: 1 }, list: [1, {}] }
  const prepare = async () => {
    for (const id of ids) await avery.put(PATH, { id, public: id === 'fuzz-public', users: [blake.userId], data })
  }
  for (const operation of operations) {
    await t.test(`${operation.method} ${operation.path}`, async () => {
      await fuzzOperation(operation, { clients, samples, runs: RUNS, prepare })
      const lines = app.log().split('\n')
      assert.deepEqual(
        lines.filter((line) => line.includes('not foreseen')),
        [],
      )
    })
  }
  assert.equal((await avery.get('/healthz')).status, 200)
  await assertStorageAddsUp(app)
})
