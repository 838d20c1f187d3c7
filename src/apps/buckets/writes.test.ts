import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { assertStorageAddsUp, ok, PATH, version } from './testing.ts'

test('buckets keep their contract', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')

  await t.test('a write makes the objects in between, and digits address array elements', async () => {
    await avery.put(PATH, { id: 'paths' })
    const writes: [string, unknown, unknown][] = [
      ['a.b', 1, { a: { b: 1 } }],
      ['a.c', [1, { d: 2 }], { a: { b: 1, c: [1, { d: 2 }] } }],
      ['a.c.0', null, { a: { b: 1, c: [null, { d: 2 }] } }],
      ['a.c.0.x', true, { a: { b: 1, c: [{ x: true }, { d: 2 }] } }],
      ['a.c.1.d', 'two', { a: { b: 1, c: [{ x: true }, { d: 'two' }] } }],
      ['a.c.2.e.f', {}, { a: { b: 1, c: [{ x: true }, { d: 'two' }, { e: { f: {} } }] } }],
      ['a', 0, { a: 0 }],
      ['1', 'digits name members of objects', { 1: 'digits name members of objects', a: 0 }],
      ['', [7], [7]],
      ['1', 8, [7, 8]],
      ['', 'text', 'text'],
      ['', null, null],
      ['x.y', 1, { x: { y: 1 } }],
    ]
    for (const [i, [key, value, data]] of writes.entries()) {
      const answer = ok(await avery.post(PATH, { id: 'paths', key, value }))
      assert.deepEqual([answer.body.data, answer.body.version], [data, i + 2], key)
      assert.deepEqual((await avery.get(PATH, { id: 'paths' })).body, answer.body)
    }
    for (const key of ['x.y.z', '.', 'a..b', '.a', 'a.'])
      assertError(await avery.post(PATH, { id: 'paths', key, value: 1 }), 400, 4003)
    await avery.post(PATH, { id: 'paths', key: '', value: [1] })
    for (const key of ['2', '-1', '00', 'length', 'x', '1e0'])
      assertError(await avery.post(PATH, { id: 'paths', key, value: 1 }), 400, 4003)
  })

  await t.test('a write needs a key and a value, and null is a value', async () => {
    await avery.put(PATH, { id: 'needs' })
    assertError(await avery.post(PATH, { id: 'needs', value: 1 }), 400, 4001, /key/)
    assertError(await avery.post(PATH, { id: 'needs', key: 'a' }), 400, 4001, /value/)
    assertError(await avery.post(PATH, { id: 'needs', key: 5, value: 1 }), 400, 4005, /key/)
    assert.deepEqual(ok(await avery.post(PATH, { id: 'needs', key: 'a', value: null })).body.data, { a: null })
    assert.equal(ok(await avery.put(PATH, { id: 'needs-null', data: null })).body.data, null)
  })

  await t.test('If-Match holds for deleting and for changing users too', async () => {
    const { version } = (await avery.put(PATH, { id: 'guarded' })).body
    const stale = { 'if-match': `"${version + 5}"` }
    assertError(await avery.delete(PATH, { id: 'guarded' }, stale), 409, 4091, /has changed/)
    assertError(await avery.post(`${PATH}/user`, { id: 'guarded', userId: blake.userId }, stale), 409, 4091)
    assertError(await avery.post(`${PATH}/user/remove`, { id: 'guarded', userId: blake.userId }, stale), 409, 4091)
    assert.equal((await avery.get(PATH, { id: 'guarded' })).body.version, version)
    assert.equal((await avery.delete(PATH, { id: 'guarded' }, { 'if-match': `"${version}"` })).status, 200)
  })

  await t.test('If-Match with a stale version is a conflict, and changes nothing', async () => {
    await avery.put(PATH, { id: 'match', data: { a: 1 } })
    await avery.post(PATH, { id: 'match', key: 'a', value: 2 })
    const cases: [string, boolean][] = [
      ['"%"', true],
      ['%', true],
      ['W/"%"', true],
      ['"1", "%"', true],
      ['*', true],
      [' * ', true],
      ['"1"', false],
      ['1', false],
      ['W/"1"', false],
      ['"1","9999"', false],
      ['"9999"', false],
      ['', false],
      ['garbage', false],
      ['"%', false],
      ['"%a"', false],
      ['"0%"', false],
      [',', false],
      ['**', false],
    ]
    for (const [header, holds] of cases) {
      const current = await version(avery, 'match')
      const answer = await avery.post(
        PATH,
        { id: 'match', key: 'a', value: header },
        { 'if-match': header.replace('%', String(current)) },
      )
      if (holds) assert.equal(ok(answer).body.version, current + 1, header)
      else {
        assertError(answer, 409, 4091)
        assert.equal(await version(avery, 'match'), current, header)
      }
    }
  })

  await t.test('versions grow with each write, and across deletion', async () => {
    const versions: number[] = []
    for (let round = 0; round < 3; round++) {
      versions.push(ok(await avery.put(PATH, { id: 'again', data: {} })).body.version)
      for (let i = 0; i < 3; i++)
        versions.push(ok(await avery.post(PATH, { id: 'again', key: 'a', value: 1 })).body.version)
      versions.push(ok(await avery.post(`${PATH}/user`, { id: 'again', userId: blake.userId })).body.version)
      const stale = { 'if-match': `"${versions.at(-1)}"` }
      ok(await avery.delete(PATH, { id: 'again' }))
      await avery.put(PATH, { id: 'again' })
      assertError(await avery.post(PATH, { id: 'again', key: 'a', value: 1 }, stale), 409, 4091)
      ok(await avery.delete(PATH, { id: 'again' }))
    }
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((a, b) => a - b),
    )
  })

  await t.test('__proto__, constructor and toString are plain keys', async () => {
    const data = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 2}}, "toString": 3}')
    assert.equal(JSON.stringify(ok(await avery.put(PATH, { id: 'plain', data })).body.data), JSON.stringify(data))
    const read = await avery.get(PATH, { id: 'plain', key: '__proto__.x' })
    assert.match(read.text, /"data":{"__proto__":{"x":1}}/)
    await avery.put(PATH, { id: 'bare' })
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__.x'])
      assert.deepEqual(ok(await avery.get(PATH, { id: 'bare', key })).body.data, {}, key)
    const set = await avery.post(PATH, { id: 'bare', key: '__proto__.x', value: 1 })
    assert.match(set.text, /"data":{"__proto__":{"x":1}}/)
    assert.equal(({} as { x?: unknown }).x, undefined)
  })

  await assertStorageAddsUp(app)
})
