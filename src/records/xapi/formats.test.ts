import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFaults } from '../statements/faults/faults.ts'
import type { Activity, Statement } from '../statements/model/statement.ts'
import { planned, put, whole } from '../statements/model/testing.ts'
import { complete, toCanonical, toIds } from './formats.ts'
import { parseLanguages, pickLanguage } from './languages.ts'

const MEMBER = { name: 'Cy', openid: 'https://id.example.org/cy' }

test('XAPI-00171: ids reduces agents, groups, activities and verbs to their identifiers', () => {
  const { actor, verb, object, context, authority, result, attachments } = toIds(whole())
  assert.deepEqual(actor, { objectType: 'Agent', mbox: 'mailto:ada@example.org' })
  assert.deepEqual(verb, { id: 'https://example.org/verbs/flew' })
  assert.deepEqual(object, { id: 'https://example.org/sorties/7' })
  assert.deepEqual(authority, whole().authority)
  assert.deepEqual(context!.instructor, whole().context!.instructor)
  assert.deepEqual(context!.team, { objectType: 'Group', member: [{ openid: MEMBER.openid }] })
  assert.deepEqual(context!.contextActivities, {
    parent: [{ id: 'https://example.org/courses/1' }],
    grouping: [{ id: 'https://example.org/programmes/2' }],
    category: [],
  })
  assert.deepEqual([result, attachments], [whole().result, whole().attachments])
})

test('XAPI-00171: ids applies to agents as objects, sub-statements, context agents and groups', () => {
  const group = { objectType: 'Group' as const, name: 'Red', mbox: 'mailto:red@example.org', member: [MEMBER] }
  const context = {
    contextAgents: [{ objectType: 'contextAgent' as const, agent: MEMBER, relevantTypes: ['https://example.org/t'] }],
    contextGroups: [{ objectType: 'contextGroup' as const, group }],
  }
  const short = toIds({ ...planned(), object: { ...planned().object, actor: group, object: group, context } })
  assert.deepEqual(short.object, {
    ...planned().object,
    actor: { objectType: 'Group', mbox: group.mbox },
    verb: { id: 'https://example.org/verbs/flew' },
    object: { objectType: 'Group', mbox: group.mbox },
    context: {
      contextAgents: [
        { objectType: 'contextAgent', agent: { openid: MEMBER.openid }, relevantTypes: ['https://example.org/t'] },
      ],
      contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', mbox: group.mbox } }],
    },
  })
})

test('XAPI-00169, XAPI-00172: canonical reduces each map to one language, and leaves agents unchanged', () => {
  for (const inner of [toCanonical(whole(), ['de']), toCanonical(planned(), ['de']).object as Statement]) {
    assert.deepEqual(inner.verb.display, { de: 'flog' })
    assert.deepEqual((inner.object as Activity).definition, {
      ...(whole().object as Activity).definition,
      name: { de: 'Einsatz 7' },
      description: { 'en-US': 'Night landing' },
      choices: [{ id: 'a', description: { de: 'Klappen' } }, { id: 'b' }],
    })
    assert.deepEqual(inner.actor, whole().actor)
  }
  const category = [{ id: 'https://example.org/c', definition: { name: { en: 'C', de: 'K' } } }]
  const { context } = toCanonical(put(whole(), '/context/contextActivities', { category }), ['en'])
  assert.deepEqual(context!.contextActivities, {
    category: [{ id: 'https://example.org/c', definition: { name: { en: 'C' } } }],
  })
})

test('formatting does not modify its input', () => {
  for (const statement of [whole(), planned()]) {
    const before = structuredClone(statement)
    toIds(statement)
    toCanonical(statement, ['de'])
    complete(statement, { ...ADDITIONS, toUtc: true })
    assert.deepEqual(statement, before)
  }
})

test('Accept-Language is ordered by weight, ignoring refused and malformed entries', () => {
  for (const [header, languages] of [
    [undefined, []],
    ['', []],
    ['de', ['de']],
    ['da, en-gb;q=0.8, en;q=0.7', ['da', 'en-gb', 'en']],
    ['en;q=0.5, de, fr;q=0.9, *;q=0.1', ['de', 'fr', 'en', '*']],
    ['en;q=0, de;q=1.000 , x y, ;q=1, en;q=2', ['de']],
  ] as const)
    assert.deepEqual(parseLanguages(header), languages, header)
  assert.ok(parseLanguages('en,'.repeat(10_000)).length <= 50)
})

test('a language map gives the best match: exact, narrower, wider, or the first entry', () => {
  const map = { 'en-US': 'color', 'en-GB': 'colour', de: 'Farbe', 'zh-Hant-TW': '顏色' }
  for (const [languages, tag] of [
    [['en-GB'], 'en-GB'],
    [['EN-gb'], 'en-GB'],
    [['en'], 'en-US'],
    [['de-AT', 'en-GB'], 'de'],
    [['en-AU'], 'en-US'],
    [['fr', 'zh'], 'zh-Hant-TW'],
    [['fr', 'd'], 'en-US'],
    [['fr', '*'], 'en-US'],
    [[], 'en-US'],
  ] as const)
    assert.deepEqual(Object.keys(pickLanguage(map, languages)), [tag], languages.join())
  assert.deepEqual(pickLanguage({}, ['en']), {})
  assert.deepEqual(pickLanguage({ fr: 'couleur' }, ['en']), { fr: 'couleur' })
})

const ADDITIONS = {
  id: '11111111-2f0f-4f3a-9d0e-0d9a6f1f7a01',
  authority: { account: { homePage: 'https://example.org', name: 'key-1' } },
  version: '1.0.0',
}

test('the store adds a missing id, version and authority; stored and the time come from the sequence number', () => {
  const sent: Statement = { actor: { mbox: 'mailto:a@x.org' }, verb: { id: 'x:y' }, object: { id: 'x:z' } }
  const kept = complete(sent, { ...ADDITIONS, toUtc: false })
  assert.deepEqual(kept, { ...sent, ...ADDITIONS })
  assert.deepEqual(findFaults(kept, '1.0.3'), [])
})

test('XAPI-00097: everything stays as sent except stored and authority, which the store sets', () => {
  const { id, timestamp, version } = whole()
  const kept = complete(whole(), { ...ADDITIONS, toUtc: false })
  assert.deepEqual(
    { ...kept, stored: undefined, context: undefined },
    {
      ...whole(),
      stored: undefined,
      id,
      timestamp,
      version,
      authority: ADDITIONS.authority,
      context: undefined,
    },
  )
})

test('XAPI-00096: a single context activity is stored as an array of one, in sub-statements too', () => {
  const parent = [{ id: 'https://example.org/courses/1' }]
  const kept = complete(whole(), { ...ADDITIONS, toUtc: false })
  assert.deepEqual(kept.context, put(whole().context, '/contextActivities/parent', parent))
  const inner = complete(planned(), { ...ADDITIONS, toUtc: false }).object
  assert.deepEqual(inner, put(planned().object, '/context/contextActivities/parent', parent))
})

test('2.0 stores times in UTC, in sub-statements too; 1.0.3 stores them as sent', () => {
  const utc = '2026-03-04T03:06:07.089Z'
  assert.equal(complete(whole(), { ...ADDITIONS, toUtc: true }).timestamp, utc)
  assert.equal(complete(whole(), { ...ADDITIONS, toUtc: false }).timestamp, whole().timestamp)
  const times = [true, false].map(
    (toUtc) => (complete(planned(), { ...ADDITIONS, toUtc }).object as Statement).timestamp,
  )
  assert.deepEqual(times, [utc, whole().timestamp])
})
