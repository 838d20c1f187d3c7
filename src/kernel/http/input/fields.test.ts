import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TObject, Type } from 'typebox'
import { assertError, testApp } from '../../../operations/testing/testing.ts'
import { PlatformError } from '../../errors.ts'
import {
  AnyJson,
  compileInput,
  DateTime,
  Day,
  Flag,
  Id,
  IdList,
  JsonObject,
  type Source,
  Text,
  Whole,
} from './fields.ts'

const Fields = Type.Object({
  id: Type.Optional(Id('')),
  text: Type.Optional(Text('', 10)),
  flag: Type.Optional(Flag('')),
  page: Type.Optional(Whole('', 1, 100)),
  users: Type.Optional(IdList('', 3)),
  date: Type.Optional(DateTime('')),
  day: Type.Optional(Day('')),
  any: Type.Optional(AnyJson('')),
})

const read = (
  given: { query?: Record<string, unknown>; body?: unknown },
  source: Source = 'either',
  schema: TObject = Fields,
): unknown => compileInput(schema, source)({ query: {}, body: undefined, ...given })

const refusal = (body: unknown, schema: TObject = Fields): string => {
  try {
    read({ body }, 'body', schema)
  } catch (error) {
    assert.ok(error instanceof PlatformError, `threw ${error}`)
    return `${error.code} ${error.message}`
  }
  return 'accepted'
}

test('null, an empty text and nil mean that an id, a date or a page number was not given', () => {
  for (const absent of [null, '', 'nil', undefined]) {
    assert.deepEqual(read({ body: { id: absent, date: absent, page: absent, users: absent } }, 'body'), {})
    assert.deepEqual(read({ query: { id: absent, date: absent, page: absent } }), {})
  }
  assert.deepEqual(read({ body: { text: '' } }), { text: '' }, 'in a text, nothing is a value')
  assert.deepEqual(read({ body: { text: 'nil' } }), { text: 'nil' })
  assert.deepEqual(read({ body: { any: null } }), { any: null }, 'null is JSON like any other')
  assert.deepEqual(read({ body: { any: 'nil' } }), { any: 'nil' })
})

test('an object may come as its text, read as strictly as a body', () => {
  const schema = Type.Object({ object: JsonObject('') })
  for (const object of [{ a: [1] }, '{"a": [1]}'])
    assert.deepEqual(read({ body: { object } }, 'body', schema), { object: { a: [1] } })
  for (const object of ['{"a": 1, "a": 2}', '{"a"', `{"a": ${'['.repeat(200)}${']'.repeat(200)}}`])
    assert.match(refusal({ object }, schema), /^4003 object must be a JSON object/)
  for (const object of ['[1]', '5', '', [], 5, null]) assert.match(refusal({ object }, schema), /^4005 object /)
})

test('a closed schema names unknown fields', () => {
  const schema = Type.Object({ id: Id('') }, { additionalProperties: false })
  assert.equal(refusal({ id: 'x' }, schema), 'accepted')
  assert.match(refusal({ id: 'x', constructor: 1 }, schema), /^4003 constructor must be left out/)
})

test('a flag is true or false, also as text in any case', () => {
  for (const yes of [true, 'true', 'TRUE', 'True', 'tRuE'])
    assert.deepEqual(read({ body: { flag: yes } }), { flag: true })
  for (const no of [false, 'false', 'FALSE', 'False']) assert.deepEqual(read({ body: { flag: no } }), { flag: false })
  for (const other of ['yes', '1', 1, 0, [], {}, 'truе']) assert.match(refusal({ flag: other }), /^4005 flag /)
})

test('a page number is a whole number in its bounds, also as text (D5)', () => {
  assert.deepEqual(read({ body: { page: 7 } }), { page: 7 })
  assert.deepEqual(read({ query: { page: '7' } }), { page: 7 })
  for (const outside of [0, 101, -1, 1e9, 2 ** 53, '0', '-1', '1000000000', '9007199254740992'])
    assert.match(refusal({ page: outside }), /^4003 page /, String(outside))
  for (const wrong of [1.5, '1.5', 'NaN', 'Infinity', '1e9', '0x10', ' 7', '٧', true, [], '9'.repeat(400)])
    assert.match(refusal({ page: wrong }), /^4005 page /, String(wrong))
})

test('a list of ids is an array, or one text with commas', () => {
  assert.deepEqual(read({ body: { users: ['a', 'b'] } }), { users: ['a', 'b'] })
  assert.deepEqual(read({ body: { users: 'a, b,,nil,' } }), { users: ['a', 'b'] })
  assert.match(refusal({ users: ['a', 5] }), /^4005 users\.1 /)
  assert.match(refusal({ users: 'a,b,c,d' }), /^4003 users /)
  assert.match(refusal({ users: { a: 1 } }), /^4005 users /)
})

test('a date is kept as ISO 8601 in UTC, and one that does not exist is refused by name', () => {
  assert.deepEqual(read({ body: { date: '5/1/2026 1:00:00 PM' } }), { date: '2026-05-01T13:00:00.000Z' })
  assert.match(refusal({ date: '02/30/2026' }), /^4003 date is not a valid date/)
  assert.match(refusal({ date: 5 }), /^4005 date /)
  for (const day of ['2001-05-01', '2001-05-01T12:00:00.000Z', '2001-05-02T01:00+02:00', '05/01/2001', '5/1/01'])
    assert.deepEqual(read({ body: { day } }), { day: '2001-05-01' })
  assert.match(refusal({ day: '2001-02-30' }), /^4003 day is not a valid date; send ISO 8601, such as 2026-05-01$/)
  assert.match(refusal({ day: 20010501 }), /^4005 day /)
  assert.deepEqual(read({ body: { day: 'nil' } }), {})
})

test('a field of the wrong type is named', () => {
  for (const wrong of [5, true, {}, []]) assert.match(refusal({ id: wrong }), /^4005 id /)
  assert.match(refusal({ text: 5 }), /^4005 text /)
  assert.match(refusal({ id: 'x'.repeat(201) }), /^4003 id /)
})

test('a missing field is named, and so are several', () => {
  const required = Type.Object({ id: Id(''), key: Text('', 10), value: AnyJson('') })
  assert.equal(refusal({ key: '', value: 1 }, required), '4001 id is missing')
  assert.equal(refusal({ id: 'nil' }, required), '4001 id, key, value is missing')
  const nested = Type.Object({ name: Id(''), lessons: Type.Array(Type.Object({ id: Id(''), name: Id('') })) })
  const lessons = [{ id: 'x', name: 'x' }, { id: 'x' }]
  assert.equal(refusal({ name: 'x', lessons }, nested), '4001 lessons.1.name is missing')
  assert.equal(refusal({ id: 'x', key: '', value: null }, required), 'accepted')
})

test('a field is only read from where its operation expects it', () => {
  const both = { query: { id: 'q' }, body: { id: 'b' } }
  assert.deepEqual(read(both, 'query'), { id: 'q' })
  assert.deepEqual(read(both, 'body'), { id: 'b' })
  assert.throws(() => read(both, 'either'), { code: 4003, message: 'id is sent twice, with different values' })
  assert.deepEqual(read({ query: { id: 'x' }, body: { id: 'x' } }), { id: 'x' })
  assert.deepEqual(read({ query: { id: '' }, body: { id: 'b' } }), { id: 'b' }, 'what is not given does not disagree')
  assert.deepEqual(read({ query: { id: 'q' }, body: { id: null } }), { id: 'q' })
  assert.deepEqual(read({ query: { flag: 'TRUE', page: '5' }, body: { flag: true, page: 5 } }), { flag: true, page: 5 })
  assert.throws(() => read({ query: { id: ['a', 'a'] } }), { code: 4003, message: 'id is sent twice' })
})

test('unknown fields and inherited names are ignored', () => {
  assert.deepEqual(read({ body: { id: 'x', owner: 'me', constructor: 1 }, query: { toString: 'y' } }), { id: 'x' })
  assert.deepEqual(read({ body: JSON.parse('{"__proto__":{"id":"smuggled"}}') }), {})
})

test('text that cannot be stored is refused in every field', () => {
  for (const name of ['id', 'text', 'users', 'any']) {
    assert.match(refusal({ [name]: 'a\0b' }), /^4003 .*U\+0000/, name)
    assert.match(refusal({ [name]: 'a\ud83d' }), /^4003 .*surrogate/, name)
  }
})

test('input over HTTP', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const path = '/app/v1/bucket'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  await t.test('a bucket is deleted by its id in the query, in a JSON body or in a form', async () => {
    const ways = [
      () => avery.send('DELETE', path, { query: { id: 'b' } }),
      () => avery.delete(path, { id: 'b' }),
      () => avery.send('DELETE', path, { raw: 'id=b', headers: form }),
      () => avery.send('DELETE', path, { query: { id: 'b' }, body: { id: 'b' } }),
      () => avery.send('DELETE', path, { query: { id: '' }, body: { id: 'b', force: true } }),
    ]
    for (const way of ways) {
      assert.equal((await avery.put(path, { id: 'b' })).status, 200)
      const answer = await way()
      assert.deepEqual([answer.status, answer.body], [200, { success: true }], answer.text)
    }
  })

  await t.test('a field that is given twice is refused, and nothing happens', async () => {
    await avery.put(path, { id: 'twice' })
    assertError(await avery.send('DELETE', `${path}?id=twice&id=twice`), 400, 4003, /id is sent twice/)
    assertError(
      await avery.send('DELETE', path, { raw: 'id=twice&id=b', headers: form }),
      400,
      4003,
      /id is sent twice/,
    )
    const differing = await avery.send('DELETE', path, { query: { id: 'twice' }, body: { id: 'other' } })
    assertError(differing, 400, 4003, /id is sent twice, with different values/)
    const hidden = `${Array.from({ length: 190 }, (_, i) => `f${i}=1`).join('&')}&id=twice&id=other`
    assertError(await avery.send('DELETE', path, { raw: hidden, headers: form }), 400, 4003, /id is sent twice/)
    assert.equal((await avery.get(path, { id: 'twice' })).status, 200)
  })

  await t.test('a form is read like a JSON body', async () => {
    const raw = `id=from+a+form&public=TRUE&users=${blake.userId}%2Cnil&data=text&unknown=1`
    const made = await avery.send('PUT', path, { raw, headers: form })
    assert.equal(made.status, 200, made.text)
    const { createdDate, version, ...rest } = made.body
    assert.match(createdDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      id: 'from a form',
      users: [avery.userId, blake.userId],
      public: true,
      data: 'text',
    })
    assert.equal(typeof version, 'number')
  })

  await t.test('a form cannot contain text that JSON could not', async () => {
    for (const field of ['id=a%00b', 'id=x&users=a%00b', 'id=x&data=%00'])
      assertError(await avery.send('PUT', path, { raw: field, headers: form }), 400, 4003, /U\+0000/)
    const broken = await avery.send('PUT', path, { raw: Buffer.from([0x69, 0x64, 0x3d, 0xff]), headers: form })
    assert.ok(broken.status === 200 || broken.status === 400, broken.text)
    assertError(await avery.get(path, { id: 'a\0b' }), 400, 4003, /U\+0000/)
    assertError(await avery.get(path, { id: 'x', key: 'a\0b' }), 400, 4003, /U\+0000/)
  })

  await t.test('limit and page answer clearly at every edge (D5)', async () => {
    const list = (query: Record<string, unknown>) => avery.get(`${path}/list`, query)
    for (const limit of ['1000000000', '-1', '0', '9007199254740992', '1001'])
      assertError(await list({ limit }), 400, 4003, /^limit /)
    for (const limit of ['1e9', 'NaN', '1.5', 'Infinity', '1 OR 1=1'])
      assertError(await list({ limit }), 400, 4005, /^limit /)
    assertError(await list({ page: 2 ** 53 }), 400, 4003, /^page /)
    assert.deepEqual((await list({ page: 1_000_000, limit: 1_000 })).body, [])
    assert.equal((await list({ page: '', limit: 'nil' })).status, 200)
    assert.equal((await list({ limit: 1 })).body.length, 1)
  })

  await t.test('a missing parameter and a wrong type are told apart, and named', async () => {
    assertError(await avery.get(path), 400, 4001, /^id is missing$/)
    assertError(await avery.get(path, { id: 'nil' }), 400, 4001, /^id is missing$/)
    assertError(await avery.put(path, { id: 5 }), 400, 4005, /^id /)
    assertError(await avery.put(path, { id: 'x', public: 'perhaps' }), 400, 4005, /^public /)
    assertError(await avery.put(path, { id: 'x', users: [1] }), 400, 4005, /^users\.0 /)
  })
})

test('a value that is not allowed is refused with the values that are', () => {
  const numbers = Array.from({ length: 12 }, (_, i) => `v${i + 1}`)
  const schema = Type.Object({
    sort: Type.Optional({ ...Id(''), enum: ['name', 'created'] }),
    by: Type.Optional(Type.Union([Type.Literal('verb'), Type.Literal('day')])),
    type: Type.Optional(Type.Literal('Bearer')),
    many: Type.Optional(Type.Enum(numbers)),
  })
  assert.match(refusal({ sort: 'x' }, schema), /sort must be one of: name, created$/)
  assert.match(refusal({ by: 'x' }, schema), /by must be one of: verb, day$/)
  assert.match(refusal({ type: 'x' }, schema), /type must be Bearer$/)
  assert.match(refusal({ many: 'x' }, schema), /many must be one of: v1, .*, v10 and 2 more$/)
})
