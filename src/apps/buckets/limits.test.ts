import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { setAppStorage } from '../apps/apps.ts'
import { assertStorageAddsUp, ok, PATH, registerApp, UNSHARED, version } from './testing.ts'

const MIB = 1024 * 1024
const nest = (levels: number, inner: unknown = 1): unknown =>
  Array.from({ length: levels }).reduce((value, _, i) => (i % 2 ? [value] : { a: value }), inner)

test('buckets keep their contract', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')

  await t.test('an id has 200 characters at most, of any script', async () => {
    const ids = ['x'.repeat(200), 'ж'.repeat(200), '😀'.repeat(200), '語 "quoted" \\ {,} NULL % \n', '0', 'null', ' ']
    for (const id of [...ids, '__proto__', 'constructor', 'toString', 'e\u0301', '\u00e9', '\u202eabc', "'; drop--"]) {
      assert.equal(ok(await avery.put(PATH, { id, data: id })).body.id, id)
      assert.equal(ok(await avery.get(PATH, { id })).body.data, id)
      assert.equal(ok(await avery.post(PATH, { id, key: '', value: 1 })).body.id, id)
      ok(await avery.delete(PATH, { id }))
    }
    for (const id of ['x'.repeat(201), '😀'.repeat(201)]) {
      assertError(await avery.put(PATH, { id }), 400, 4003, /id/)
      assertError(await avery.get(PATH, { id }), 400, 4003, /id/)
    }
    for (const id of [5, true, ['a'], { a: 1 }]) assertError(await avery.put(PATH, { id }), 400, 4005, /id/)
  })

  await t.test('data has 1 MiB at most, however it gets there', async () => {
    const full = 'x'.repeat(MIB - 2)
    const tooMuch = `${full}x`
    const made = ok(await avery.put(PATH, { id: 'large', data: full }))
    assert.equal(made.body.data.length, MIB - 2)
    assertError(await avery.put(PATH, { id: 'too large', data: tooMuch }), 400, 4007)
    assertError(await avery.put(PATH, { id: 'too large', data: 'é'.repeat(MIB / 2) }), 400, 4007)
    assertError(await avery.get(PATH, { id: 'too large' }), 404, 4042)
    assertError(await avery.post(PATH, { id: 'large', key: '', value: tooMuch }), 400, 4007)
    ok(await avery.post(PATH, { id: 'large', key: '', value: { a: 'x'.repeat(MIB - 8) } }))
    for (const key of ['a', 'b']) {
      const value = key === 'a' ? 'x'.repeat(MIB - 7) : 1
      assertError(await avery.post(PATH, { id: 'large', key, value }), 400, 4007)
    }
    const { body } = await avery.get(PATH, { id: 'large' })
    assert.deepEqual([body.version, JSON.stringify(body.data).length], [made.body.version + 1, MIB])
    ok(await avery.delete(PATH, { id: 'large' }))
  })

  await t.test('data has 64 levels at most, however they get there', async () => {
    const made = ok(await avery.put(PATH, { id: 'deep', data: nest(64) }))
    assert.deepEqual(made.body.data, nest(64))
    assertError(await avery.put(PATH, { id: 'too deep', data: nest(65) }), 400, 4003)
    assertError(await avery.get(PATH, { id: 'too deep' }), 404, 4042)
    assertError(await avery.post(PATH, { id: 'deep', key: '', value: nest(65) }), 400, 4003)
    ok(await avery.post(PATH, { id: 'deep', key: '', value: { a: { b: {} } } }))
    assertError(await avery.post(PATH, { id: 'deep', key: 'a.b.c', value: nest(62) }), 400, 4003)
    ok(await avery.post(PATH, { id: 'deep', key: 'a.b.c', value: nest(61) }))
    assertError(await avery.post(PATH, { id: 'deep', key: Array(65).fill('k').join('.'), value: 1 }), 400, 4003)
    assertError(await avery.post(PATH, { id: 'deep', key: Array(64).fill('k').join('.'), value: {} }), 400, 4003)
    assert.equal(await version(avery, 'deep'), made.body.version + 2)
    ok(await avery.post(PATH, { id: 'deep', key: Array(64).fill('k').join('.'), value: 1 }))
  })

  await t.test('D4: JSON that cannot be kept as it was sent is refused before anything is stored', async () => {
    const made = ok(await avery.put(PATH, { id: 'strict', data: 1 }))
    const values: [string, number][] = [
      ['['.repeat(400_000), 400],
      [`${'['.repeat(400_000)}${']'.repeat(400_000)}`, 400],
      ['"\\u0000"', 400],
      ['{"\\u0000": 1}', 400],
      ['"\\ud800"', 400],
      ['1e400', 400],
      ['{"a": 1, "a": 2}', 400],
      ['{"a": 1,}', 400],
      [`"${'x'.repeat(2_000_000)}"`, 413],
    ]
    for (const [value, status] of values) {
      const raw = `{"id": "strict", "key": "", "value": ${value}}`
      const answer = await avery.send('POST', PATH, { raw })
      assertError(answer, status, answer.body?.error_code)
    }
    const { body } = await avery.get(PATH, { id: 'strict' })
    assert.deepEqual(body, made.body)
  })

  await assertStorageAddsUp(app)
})

test('an app has a quota, and what does not fit changes nothing', async (t) => {
  const app = await testApp(t, UNSHARED)
  const name = await registerApp(app, 'small', 5)
  const avery = await app.as('avery', name)
  const other = await app.as('avery')
  const kib = (n: number) => 'x'.repeat(n * 1024 - 2)
  const used = async () =>
    (await app.sql(`select blocks_used::int as n from app_storage join apps on id = app_id where name = 'small'`))[0]?.n

  assertError(await avery.put(PATH, { id: 'a', data: kib(6) }), 400, 4007, /storage/)
  assertError(await avery.get(PATH, { id: 'a' }), 404, 4042)
  assert.equal(ok(await avery.put(PATH, { id: 'a', data: kib(3) })).body.version, 1)
  ok(await avery.put(PATH, { id: 'b', data: {} }))
  assertError(await avery.put(PATH, { id: 'c', data: kib(2) }), 400, 4007)
  ok(await avery.put(PATH, { id: 'c' }))
  assert.equal(await used(), 5)
  assertError(await avery.put(PATH, { id: 'd' }), 400, 4007)
  assertError(await avery.put(PATH, { id: 'c' }), 409, 4091)

  // A write at a key is refused if it makes the bucket exceed the quota, but not if it fits into the blocks already
  // charged.
  assertError(await avery.post(PATH, { id: 'b', key: 'k', value: kib(1) }), 400, 4007)
  assert.equal(ok(await avery.post(PATH, { id: 'b', key: 'k', value: 'x'.repeat(1000) })).body.version, 2)
  assert.deepEqual((await avery.get(PATH, { id: 'b' })).body.data, { k: 'x'.repeat(1000) })

  // If the app uses more than a lowered quota, nothing can grow, but everything can shrink.
  const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
  await setAppStorage(app.environment().db, who, { clientId: 'gs-small', bytes: 2 * 1024 })
  assertError(await avery.post(PATH, { id: 'a', key: '', value: kib(4) }), 400, 4007)
  ok(await avery.post(PATH, { id: 'a', key: '', value: `${kib(3).slice(1)}y` }))
  ok(await avery.post(PATH, { id: 'a', key: '', value: kib(2) }))
  assert.equal(await used(), 4)
  ok(await avery.delete(PATH, { id: 'c' }))
  ok(await avery.delete(PATH, { id: 'b' }))
  assertError(await avery.put(PATH, { id: 'd' }), 400, 4007)
  ok(await avery.delete(PATH, { id: 'a' }))
  assert.equal(await used(), 0)
  ok(await avery.put(PATH, { id: 'd', data: kib(2) }))
  ok(await other.put(PATH, { id: 'd', data: kib(6) }))
  await assertStorageAddsUp(app)
})
