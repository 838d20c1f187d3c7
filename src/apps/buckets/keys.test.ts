import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { getAt, isRefusal, putAt, toText, toTree } from './reference.ts'
import { PATH, UNLIMITED } from './testing.ts'

const repeat = (count: number, step = 'a') => Array(count).fill(step).join('.')

const KEYS = [
  '',
  'a',
  'a.b',
  'a.b.c',
  '__proto__',
  '__proto__.x',
  '__proto__.__proto__',
  'constructor',
  'constructor.prototype.x',
  'prototype',
  'toString',
  'toString.call',
  'hasOwnProperty',
  'a..b',
  '.',
  '..',
  '.a',
  'a.',
  ' ',
  'a. .b',
  '0',
  '1',
  '2',
  '3',
  '-1',
  '-0',
  '01',
  '00',
  '1.0',
  '1e0',
  '0x0',
  '+1',
  ' 1',
  '١',
  '999999999',
  '4294967295',
  '9007199254740993',
  'length',
  'a.length',
  'a.0',
  'a.0.x',
  'a.1',
  'a.01',
  '0.0',
  '0.a',
  '0.__proto__.x',
  'push',
  'NaN',
  'null',
  'undefined',
  'ключ.😀',
  'a[0]',
  'a/b',
  '$where',
  '"quoted".\\',
  '\n',
  repeat(64),
  repeat(65),
  repeat(10_000),
  `${repeat(10_000)}.`,
  repeat(64, '0'),
  `a.${'k'.repeat(4094)}`,
  `a.${'k'.repeat(4095)}`,
  '😀'.repeat(4096),
  '😀'.repeat(4097),
]

const DATA = [
  {},
  [],
  null,
  5,
  'text',
  true,
  { a: { b: { c: 1 } } },
  { a: [1, [2, { x: 3 }], null] },
  [[0], { a: 1 }, null],
  JSON.parse('{"__proto__": {"x": 1, "__proto__": 2}, "constructor": {"prototype": {}}, "length": 0}'),
  JSON.parse('{"": {"": 1}, "0": {"0": 1}, "01": 1, "-1": [], " ": {}, "ключ": {"😀": 1}}'),
]

test('D3: every key follows the documented rules on all data', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  const natureBefore = Reflect.ownKeys(Object.prototype).length
  const tryAll = async (data: unknown, id: string): Promise<void> => {
    assert.equal((await avery.put(PATH, { id, data })).status, 200)
    let isChanged = false
    for (const key of KEYS) {
      if (isChanged) await avery.post(PATH, { id, key: '', value: data })
      const name = JSON.stringify(key).slice(0, 50)

      const part = getAt(toTree(data), key)
      // The size of the headers of an HTTP request is limited too: a key of 4096 letters fits, one of 4096 emoji does
      // not.
      if (encodeURIComponent(key).length < 12_000) {
        const read = await avery.get(PATH, { id, key })
        if (isRefusal(part)) assertError(read, part.status, part.code)
        else assert.equal(toText(toTree(read.body.data)), toText(part), `reading ${name}: ${read.text}`)
      }

      const value = JSON.parse('{"__proto__": 1, "v": [null]}')
      const whole = putAt(toTree(data), key, toTree(value))
      const written = await avery.post(PATH, { id, key, value })
      isChanged = !isRefusal(whole)
      if (isRefusal(whole)) assertError(written, whole.status, whole.code)
      else assert.equal(toText(toTree(written.body.data)), toText(whole), `writing ${name}: ${written.text}`)
      const after = await avery.get(PATH, { id })
      assert.equal(toText(toTree(after.body.data)), toText(isRefusal(whole) ? toTree(data) : whole), `after ${name}`)
    }
  }
  await Promise.all(DATA.map((data, i) => t.test(`on ${JSON.stringify(data)}`, () => tryAll(data, `data ${i}`))))
  assert.equal(Reflect.ownKeys(Object.prototype).length, natureBefore)
  assert.deepEqual(Object.keys([]), [])
  assert.equal(({} as { x?: unknown; v?: unknown }).x ?? ({} as { v?: unknown }).v, undefined)
})

test('a key of 64 steps is read and written, and one more step is refused', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'deep' })
  assert.equal((await avery.post(PATH, { id: 'deep', key: repeat(64), value: 'bottom' })).status, 200)
  assert.match((await avery.get(PATH, { id: 'deep', key: repeat(64) })).text, /"bottom"}{64}/)
  for (const answer of [
    await avery.get(PATH, { id: 'deep', key: repeat(65) }),
    await avery.post(PATH, { id: 'deep', key: repeat(65), value: 1 }),
    await avery.post(PATH, { id: 'deep', key: repeat(10_000), value: 1 }),
  ])
    assertError(answer, 400, 4003, /key/)
})
