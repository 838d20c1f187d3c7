import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAppStorage } from '../apps/apps.ts'
import { type Answer, assertError, type Client, testApp } from '../testing.ts'
import { assertStorageAddsUp, PATH, registerApp } from './testing.ts'

const MIB = 1024 * 1024
const nest = (levels: number, inner: unknown = 1): unknown =>
  Array.from({ length: levels }).reduce((value, _, i) => (i % 2 ? [value] : { a: value }), inner)
const ok = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text)
  return answer
}
const version = async (client: Client, id: string): Promise<number> =>
  ok(await client.get(PATH, { id })).body.version as number

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
    for (const key of ['x', 'a.x', 'a.b.2', 'a.b.length', 'e.f', 'a.d.x', 'a.b.c'])
      assertError(await avery.get(PATH, { id: 'narrow', key }), 404, 4042)
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

  await t.test('users are an array or text with commas, the creator is added, once', async () => {
    const both = [avery.userId, blake.userId]
    const forms: [unknown, string[]][] = [
      [undefined, [avery.userId]],
      [null, [avery.userId]],
      ['', [avery.userId]],
      ['nil', [avery.userId]],
      [[], [avery.userId]],
      [[blake.userId], both],
      [[blake.userId, avery.userId, blake.userId], both],
      [blake.userId, both],
      [` ${blake.userId} , ${casey.userId},`, [...both, casey.userId]],
    ]
    for (const [i, [users, expected]] of forms.entries()) {
      const answer = ok(await avery.put(PATH, { id: `users-${i}`, users }))
      assert.deepEqual(answer.body.users, expected)
      assert.equal(answer.body.public, false)
      assert.deepEqual(answer.body.data, {})
    }
  })

  await t.test('unknown userIds are refused and named, and nothing is made', async () => {
    for (const users of [['nobody'], `${blake.userId},nobody`, [stranger.userId], [blake.userId, stranger.userId]])
      assertError(await avery.put(PATH, { id: 'ghosts', users }), 400, 4003, /^Not users of this app: /)
    assertError(await avery.put(PATH, { id: 'ghosts', users: [1] }), 400, 4005)
    assertError(await avery.put(PATH, { id: 'ghosts', users: { a: 1 } }), 400, 4005)
    assertError(await avery.get(PATH, { id: 'ghosts' }), 404, 4042)
    await avery.put(PATH, { id: 'alone' })
    for (const userId of ['nobody', stranger.userId])
      assertError(await avery.post(`${PATH}/user`, { id: 'alone', userId }), 400, 4003, /Not users of this app/)
    assert.equal(await version(avery, 'alone'), 1)
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

  await t.test('members add and remove users; doing it again changes nothing', async () => {
    const { version: first } = ok(await avery.put(PATH, { id: 'people' })).body
    const add = (who: Client, userId: string) => who.post(`${PATH}/user`, { id: 'people', userId })
    const remove = (who: Client, userId: string) => who.post(`${PATH}/user/remove`, { id: 'people', userId })
    assertError(await add(blake, blake.userId), 403, 4032)
    assert.equal(ok(await add(avery, blake.userId)).body.version, first + 1)
    assert.equal(ok(await add(avery, blake.userId)).body.version, first + 1)
    assert.deepEqual(ok(await add(blake, casey.userId)).body.users, [avery.userId, blake.userId, casey.userId])
    assert.equal(ok(await remove(casey, 'somebody who is not in it')).body.version, first + 2)
    assert.deepEqual(ok(await remove(blake, avery.userId)).body.users, [blake.userId, casey.userId])
    assertError(await avery.get(PATH, { id: 'people' }), 403, 4032)
    assertError(await remove(avery, casey.userId), 403, 4032)
    assert.deepEqual(ok(await remove(casey, casey.userId)).body.users, [blake.userId])
    assertError(await remove(casey, casey.userId), 403, 4032)
    assert.equal(await version(blake, 'people'), first + 4)
  })

  await t.test('the last member cannot be removed', async () => {
    const made = ok(await avery.put(PATH, { id: 'last' }))
    assertError(await avery.post(`${PATH}/user/remove`, { id: 'last', userId: avery.userId }), 400, 4006)
    assert.deepEqual((await avery.get(PATH, { id: 'last' })).body, made.body)
  })

  await t.test('a bucket has at most 1000 users', async () => {
    await app.sql(
      `insert into people (handle, handle_key, created_at) select '@crowd' || n, 'crowd' || n, now() from generate_series(1, 1000) n;
       insert into app_users (user_id, app_id, person_id, consented_at)
         select 'crowd-' || p.id, a.id, p.id, now() from people p, apps a where p.handle like '@crowd%' and a.name = 'first'`,
    )
    const crowd = (await app.sql(`select user_id from app_users where user_id like 'crowd-%' order by 1`)).map((row) =>
      String(row.user_id),
    )
    assertError(await avery.put(PATH, { id: 'crowded', users: crowd }), 400, 4003, /1000 users/)
    assertError(await avery.put(PATH, { id: 'crowded', users: [...crowd, 'x'] }), 400, 4003)
    const made = ok(await avery.put(PATH, { id: 'crowded', users: crowd.slice(1).join() }))
    assert.equal(made.body.users.length, 1000)
    const add = (userId: string | undefined) => avery.post(`${PATH}/user`, { id: 'crowded', userId })
    assertError(await add(crowd[0]), 400, 4003, /1000 users/)
    assert.deepEqual(ok(await add(crowd[1])).body, made.body)
    ok(await avery.post(`${PATH}/user/remove`, { id: 'crowded', userId: crowd[1] }))
    assert.equal(ok(await add(crowd[0])).body.version, made.body.version + 2)
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
    assertError(await avery.send('GET', `${PATH}/list?page=1&page=2`), 400, 4003, /page is given twice/)
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
      assertError(await avery.get(PATH, { id: 'bare', key }), 404, 4042)
    const set = await avery.post(PATH, { id: 'bare', key: '__proto__.x', value: 1 })
    assert.match(set.text, /"data":{"__proto__":{"x":1}}/)
    assert.equal(({} as { x?: unknown }).x, undefined)
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
      ['12345678901234567890', 400],
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
  const app = await testApp(t)
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

  // A keyed write that grows past it is refused; one that fits into what the bucket is charged is not.
  assertError(await avery.post(PATH, { id: 'b', key: 'k', value: kib(1) }), 400, 4007)
  assert.equal(ok(await avery.post(PATH, { id: 'b', key: 'k', value: 'x'.repeat(1000) })).body.version, 2)
  assert.deepEqual((await avery.get(PATH, { id: 'b' })).body.data, { k: 'x'.repeat(1000) })

  // Above a lowered limit nothing grows, and everything shrinks.
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
