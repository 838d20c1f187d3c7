import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../testing.ts'

const PATH = '/app/v1/bucket'

test('a bucket is made, written at a key, and read back', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const made = await avery.put(PATH, { id: 'plan', data: { a: 1 } })
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(made.body, {
    id: 'plan',
    users: [avery.userId],
    public: false,
    data: { a: 1 },
    createdDate: made.body.createdDate,
    version: 1,
  })
  const written = await avery.post(PATH, { id: 'plan', key: 'b.c', value: [1, 2] })
  assert.deepEqual(written.body.data, { a: 1, b: { c: [1, 2] } })
  assert.equal(written.headers.get('etag'), '"2"')
  const read = await avery.get(PATH, { id: 'plan', key: 'b.c' })
  assert.deepEqual(read.body.data, { b: { c: [1, 2] } })
  assertError(await avery.get(PATH, { id: 'other' }), 404, 4042)
})
