import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertError, testApp } from '../../operations/testing/testing.ts'
import { assertStorageAddsUp, ok, PATH, version } from './testing.ts'

test('buckets keep their contract', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const casey = await app.as('casey')
  const stranger = await app.as('drew', 'second')

  await t.test('every operation on a bucket answers exactly the record, and its version as ETag', async () => {
    const made = ok(await avery.put(PATH, { id: 'shape', users: [blake.userId], public: true, data: { a: 1 } }))
    const { createdDate } = made.body
    assert.match(createdDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Math.abs(Date.parse(createdDate) - Date.now()) < 60_000)
    const both = [avery.userId, blake.userId]
    const record = { id: 'shape', users: both, public: true, data: { a: 1 }, createdDate, version: 1 }
    const steps: [Answer, object][] = [
      [made, record],
      [await avery.get(PATH, { id: 'shape' }), record],
      [await blake.post(PATH, { id: 'shape', key: 'b', value: 2 }), { ...record, data: { a: 1, b: 2 }, version: 2 }],
      [
        await avery.post(`${PATH}/user`, { id: 'shape', userId: casey.userId }),
        { ...record, data: { a: 1, b: 2 }, users: [...both, casey.userId], version: 3 },
      ],
      [
        await casey.post(`${PATH}/user/remove`, { id: 'shape', userId: blake.userId }),
        { ...record, data: { a: 1, b: 2 }, users: [avery.userId, casey.userId], version: 4 },
      ],
    ]
    for (const [answer, expected] of steps) {
      assert.deepEqual(ok(answer).body, expected)
      assert.deepEqual(Object.keys(answer.body), ['id', 'users', 'public', 'data', 'createdDate', 'version'])
      assert.equal(answer.headers.get('etag'), `"${answer.body.version}"`)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  await t.test('with a key, data is narrowed but keeps its nesting', async () => {
    await avery.put(PATH, { id: 'narrow', data: { a: { b: [1, { c: 2 }], d: null, '': 5 }, e: 1 } })
    const cases: [string, unknown][] = [
      ['', { a: { b: [1, { c: 2 }], d: null, '': 5 }, e: 1 }],
      ['a', { a: { b: [1, { c: 2 }], d: null, '': 5 } }],
      ['a.b', { a: { b: [1, { c: 2 }] } }],
      ['a.b.0', { a: { b: { 0: 1 } } }],
      ['a.b.1.c', { a: { b: { 1: { c: 2 } } } }],
      ['a.d', { a: { d: null } }],
    ]
    for (const [key, data] of cases) {
      const answer = ok(await avery.get(PATH, { id: 'narrow', key }))
      assert.deepEqual(answer.body.data, data, key)
      assert.deepEqual([answer.body.version, answer.headers.get('etag')], [1, '"1"'])
    }
  })

  await t.test('a key that leads nowhere reads as 200 with an empty object', async () => {
    for (const key of ['x', 'a.x', 'a.b.2', 'a.b.length', 'e.f', 'a.d.x', 'a.b.c']) {
      const answer = ok(await avery.get(PATH, { id: 'narrow', key }))
      assert.deepEqual([answer.body.data, answer.headers.get('etag')], [{}, '"1"'], key)
    }
    assertError(await avery.get(PATH, { id: 'no such bucket', key: 'x' }), 404, 4042)
  })

  await t.test('members read, every user of the app reads a public bucket, anyone else is refused', async () => {
    await avery.put(PATH, { id: 'open', public: true, data: { a: 1 } })
    await avery.put(PATH, { id: 'closed', data: { a: 1 } })
    assert.deepEqual(ok(await blake.get(PATH, { id: 'open' })).body.data, { a: 1 })
    assert.deepEqual(ok(await blake.get(PATH, { id: 'open', key: 'a' })).body.data, { a: 1 })
    assertError(await blake.get(PATH, { id: 'closed' }), 403, 4032)
    assertError(await blake.get(PATH, { id: 'closed', key: 'nowhere' }), 403, 4032)
    assertError(await blake.post(PATH, { id: 'open', key: 'a', value: 2 }), 403, 4032)
    assertError(await blake.delete(PATH, { id: 'open' }), 403, 4032)
    assertError(await blake.get(PATH, { id: 'unheard of' }), 404, 4042)
    assert.equal(await version(avery, 'open'), 1)
  })

  await t.test('public is false by default and may come as text', async () => {
    const forms: [unknown, boolean][] = [
      [true, true],
      ['TRUE', true],
      ['False', false],
      [null, false],
      ['', false],
    ]
    for (const [i, [given, expected]] of forms.entries())
      assert.equal(ok(await avery.put(PATH, { id: `public-${i}`, public: given })).body.public, expected)
    for (const given of ['yes', 1, []])
      assertError(await avery.put(PATH, { id: 'public-wrong', public: given }), 400, 4005)
  })

  await t.test('a taken id is refused, whoever has it, and stays as it is', async () => {
    await avery.put(PATH, { id: 'taken', data: 1 })
    for (const client of [avery, blake])
      assertError(await client.put(PATH, { id: 'taken', data: 2, public: true }), 409, 4091)
    const { body } = await avery.get(PATH, { id: 'taken' })
    assert.deepEqual([body.data, body.public, body.version], [1, false, 1])
    assert.equal(ok(await stranger.put(PATH, { id: 'taken', data: 'of another app' })).body.data, 'of another app')
  })

  await t.test('delete answers success, by JSON body and by query', async () => {
    const ways = [
      () => avery.delete(PATH, { id: 'gone' }),
      () => avery.send('DELETE', PATH, { query: { id: 'gone' } }),
      () =>
        avery.send('DELETE', PATH, { query: { id: 'gone' }, raw: '', headers: { 'content-type': 'application/json' } }),
      () => avery.send('DELETE', PATH, { query: { id: 'gone' }, body: { id: 'gone' } }),
      () =>
        avery.send('DELETE', PATH, {
          raw: 'id=gone',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
    ]
    for (const way of ways) {
      ok(await avery.put(PATH, { id: 'gone' }))
      assert.deepEqual(ok(await way()).body, { success: true })
      assertError(await avery.get(PATH, { id: 'gone' }), 404, 4042)
      assertError(await way(), 404, 4042)
    }
    assertError(await avery.send('DELETE', PATH, { query: { id: 'taken' }, body: { id: 'shape' } }), 400, 4003, /twice/)
  })

  await t.test('the list has the ids of the buckets that the caller is in, in order', async () => {
    const drew = await app.as('drew')
    const ellis = await app.as('ellis')
    assert.deepEqual(ok(await drew.get(`${PATH}/list`)).body, [])
    for (const id of ['list-b', 'list-é', 'list-B', 'list-a', 'list-😀', 'list-�'])
      await drew.put(PATH, { id, users: [ellis.userId] })
    await ellis.put(PATH, { id: 'list-public', public: true })
    const all = ['list-B', 'list-a', 'list-b', 'list-é', 'list-�', 'list-😀']
    assert.deepEqual(ok(await drew.get(`${PATH}/list`)).body, all)
    assert.deepEqual((await ellis.get(`${PATH}/list`)).body, [...all.slice(0, 3), 'list-public', ...all.slice(3)])
    assert.deepEqual((await drew.get(`${PATH}/list`, { limit: 4, page: 1 })).body, all.slice(0, 4))
    assert.deepEqual((await drew.get(`${PATH}/list`, { limit: '4', page: '2' })).body, all.slice(4))
    assert.deepEqual((await drew.get(`${PATH}/list`, { limit: 4, page: 1_000_000 })).body, [])
    assert.deepEqual((await drew.get(`${PATH}/list`, { limit: '', page: 'nil' })).body, all)
    await ellis.post(`${PATH}/user/remove`, { id: 'list-a', userId: drew.userId })
    await ellis.delete(PATH, { id: 'list-b' })
    assert.deepEqual((await drew.get(`${PATH}/list`)).body, ['list-B', 'list-é', 'list-�', 'list-😀'])
  })

  await t.test('D5: odd pages and limits of the list get clear errors', async () => {
    for (const [name, value] of [
      ['limit', 1e9],
      ['limit', -1],
      ['limit', 0],
      ['limit', 'NaN'],
      ['limit', '1.5'],
      ['page', 2 ** 53],
      ['page', 0],
      ['page', '1e3'],
      ['page', ' 1'],
    ] as const) {
      const answer = await avery.get(`${PATH}/list`, { [name]: value })
      assertError(answer, 400, answer.body?.error_code === 4005 ? 4005 : 4003, new RegExp(name))
    }
    assertError(await avery.send('GET', `${PATH}/list?page=1&page=2`), 400, 4003, /page is sent twice/)
  })

  await t.test('"nil", "" and null mean that an id was not given', async () => {
    for (const id of ['nil', '', null, undefined]) {
      const query = id === undefined ? {} : { id: id ?? 'nil' }
      for (const answer of [
        await avery.get(PATH, query),
        await avery.put(PATH, { id }),
        await avery.post(PATH, { id, key: 'a', value: 1 }),
        await avery.delete(PATH, { id }),
        await avery.send('DELETE', PATH, { query }),
        await avery.post(`${PATH}/user`, { id, userId: blake.userId }),
        await avery.post(`${PATH}/user`, { id: 'shape', userId: id }),
        await avery.post(`${PATH}/user/remove`, { id: 'shape', userId: id }),
        await avery.get(`${PATH}/events`, query),
      ])
        assertError(answer, 400, 4001, /is missing/)
    }
  })

  await assertStorageAddsUp(app)
})

test('a form body carries the same fields', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const form = (method: string, fields: Record<string, string>) =>
    avery.send(method, PATH, {
      raw: String(new URLSearchParams(fields)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const made = ok(await form('PUT', { id: 'form', public: 'true', users: blake.userId, data: 'text' }))
  assert.deepEqual([made.body.public, made.body.users, made.body.data], [true, [avery.userId, blake.userId], 'text'])
  ok(await form('POST', { id: 'form', key: '', value: '5' }))
  assert.equal((await avery.get(PATH, { id: 'form' })).body.data, '5')
  for (const fields of [{ users: 'a\0b' }, { data: 'a\0b' }] as Record<string, string>[])
    assertError(await form('PUT', { id: 'nul', ...fields }), 400, 4003, /U\+0000/)
})
