import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from '../../xapi/formats.ts'
import { fingerprint, isSame } from './compare.ts'
import { SIGNATURE, type Statement } from './statement.ts'
import { planned, put, whole } from './testing.ts'

const isSameAs = (base: Statement, at: string, value: unknown) =>
  fingerprint(put(base, at, value)) === fingerprint(base)
const GROUP = {
  objectType: 'Group',
  name: 'Red',
  member: [{ mbox: 'mailto:a@x.org', name: 'A' }, { mbox: 'mailto:b@x.org' }],
}
const TWO = [{ id: 'https://example.org/1' }, { id: 'https://example.org/2' }]

/**
 * Differences that the comparison ignores: rule, pointer, the changed value, and the original value. Each is also tried
 * in a sub-statement.
 */
const IGNORED: [rule: string, at: string, value: unknown, first?: unknown][] = [
  ['2.3.1: the display of a verb', '/verb/display', { fr: 'vola' }],
  ['2.3.1: the display of a verb, left out', '/verb/display', undefined],
  ['2.3.1: the definition of an activity', '/object/definition', { name: { en: 'Other' } }],
  ['2.3.1: the definition of a context activity', '/context/contextActivities/grouping/0/definition', {}],
  ['2.3.1: the domain of an address in another case', '/actor/mbox', 'mailto:ada@EXAMPLE.org'],
  ['2.3.1: the order of the members of a group', '/actor', { ...GROUP, member: GROUP.member.toReversed() }, GROUP],
  [
    '2.4.6.2: one context activity as an array',
    '/context/contextActivities/parent',
    [{ id: 'https://example.org/courses/1' }],
  ],
  ['unordered: the order of context activities', '/context/contextActivities/other', TWO.toReversed(), TWO],
  ['2.6: a signature', '/attachments/1', { ...whole().attachments![0], usageType: SIGNATURE }],
  ['4.6: a duration beyond hundredths', '/result/duration', 'PT1H2M3.459S'],
  ['RFC 4122: the case of a UUID', '/context/registration', whole().context!.registration!.toUpperCase()],
  ['RFC 4122: the case of a reference', '/context/statement/id', whole().context!.statement!.id.toUpperCase()],
  ['RFC 5646: the case of a language', '/context/language', 'EN-gb'],
  ['the case of hex digits', '/attachments/0/sha2', whole().attachments![0]!.sha2.toUpperCase()],
]

for (const [rule, at, value, first] of IGNORED)
  test(`ignored difference, ${rule}`, () => {
    for (const [base, prefix] of [
      [whole(), ''],
      [planned(), '/object'],
    ] as const)
      assert.equal(isSameAs(first === undefined ? base : put(base, prefix + at, first), prefix + at, value), true)
  })

const COUNTED: [what: string, at: string, value: unknown][] = [
  ['the name of an agent', '/actor/name', 'Ada L.'],
  ['the identifier of an agent', '/actor/mbox', 'mailto:Ada@example.org'],
  ['the members of a group', '/context/team/member/0/name', 'Cy'],
  ['the verb', '/verb/id', 'https://example.org/verbs/Flew'],
  ['the object', '/object/id', 'https://example.org/sorties/7/'],
  ['a context activity', '/context/contextActivities/grouping/0/id', 'https://example.org/programmes/3'],
  ['the kind of a context activity', '/context/contextActivities/category', [{ id: 'https://example.org/x' }]],
  ['a score', '/result/score/raw', 40.5],
  ['success', '/result/success', false],
  ['a result at all', '/result', undefined],
  ['a response', '/result/response', 'b[,]a'],
  ['a duration in hundredths', '/result/duration', 'PT1H2M3.46S'],
  ['the same duration in other units (2.3.1)', '/result/duration', 'PT3723.45S'],
  ['an extension', '/result/extensions/https:~1~1example.org~1x~1fuel', { left: [null, 1] }],
  ['a registration', '/context/registration', '00000000-b57b-4c15-8d91-d292c5b2b8f7'],
  ['the revision', '/context/revision', '4'],
  ['the content of an attachment', '/attachments/0/sha2', 'ab'.repeat(32)],
]

for (const [what, at, value] of COUNTED)
  test(`relevant difference: ${what}`, () => {
    for (const [base, prefix] of [
      [whole(), ''],
      [planned(), '/object'],
    ] as const)
      assert.equal(isSameAs(base, prefix + at, value), false)
  })

test('properties that the store may set are ignored: id, stored, authority, version', () => {
  for (const at of ['id', 'stored', 'authority', 'version'])
    for (const value of [undefined, 'another']) assert.equal(isSameAs(whole(), `/${at}`, value), true, at)
})

test('times are compared as instants, and only if both statements have one', () => {
  const { timestamp, ...timeless } = whole()
  assert.equal(isSame(whole(), { ...timeless, timestamp: '2026-03-04T03:06:07.089Z' }), true)
  assert.equal(isSame(whole(), { ...timeless, timestamp: '2026-03-04T03:06:07.090Z' }), false)
  assert.equal(isSame(whole(), timeless), true)
  assert.equal(isSame(timeless, whole()), true)
  assert.equal(isSameAs(planned(), '/object/timestamp', '2026-03-04T03:06:07.0890Z'), true)
  assert.equal(isSameAs(planned(), '/object/timestamp', '2026-03-04T03:06:08Z'), false)
  assert.equal(isSameAs(planned(), '/object/timestamp', undefined), false)
})

test('the order of keys does not matter, and numbers compare by value', () => {
  const reverse = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, inner]) => [key, reverse(inner)]),
        )
  assert.equal(fingerprint(reverse(whole()) as Statement), fingerprint(whole()))
  const score = JSON.parse('{"scaled": 8.0e-1, "raw": 40.0, "min": -0, "max": 50}')
  assert.equal(isSameAs(whole(), '/result/score', score), true)
})

test('values that print alike are distinguished', () => {
  const at = '/result/extensions/https:~1~1example.org~1x'
  const values: unknown[] = [
    1,
    '1',
    '1;',
    [1],
    [[1]],
    ['1', ''],
    ['', '1'],
    [11],
    [1, 1],
    null,
    'null',
    [],
    {},
    [{}],
    { a: 1 },
    { a: '1' },
  ]
  values.push({ a: { b: 1 } }, { a: {}, b: 1 }, 'a:1', { 'a1:b': 1 }, true, 'true', '1:a', { '1:a': 1 })
  const prints = values.map((value) => fingerprint(put(whole(), at, value)))
  assert.equal(new Set(prints).size, values.length)
})

test('a stored statement equals the one that was sent, in both versions', () => {
  const additions = { id: 'x', authority: {}, version: '1.0.0' }
  for (const sent of [whole(), planned()])
    for (const toUtc of [true, false]) assert.equal(isSame(complete(sent, { ...additions, toUtc }), sent), true)
})
