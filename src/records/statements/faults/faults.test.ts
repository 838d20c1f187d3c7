import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Version, VOIDED } from '../model/statement.ts'
import { planned, put, whole } from '../model/testing.ts'
import { findAgentFaults, findFaults } from './faults.ts'

const VERSIONS: Version[] = ['1.0.3', '2.0.0']
const ADA = { mbox: 'mailto:ada@example.org' }
const CY = { openid: 'https://id.example.org/cy' }
const AN_ID = '8f87ccde-bb56-4c2e-ab83-44982ef22df0'
const REF = { objectType: 'StatementRef', id: AN_ID }

test('a statement with every property is valid in both versions, and as a sub-statement', () => {
  for (const version of VERSIONS)
    for (const statement of [whole(), planned()]) assert.deepEqual(findFaults(statement, version), [])
})

test('a value that is not an object is refused', () => {
  for (const value of [undefined, null, 1, 'x', [], [whole()]])
    assert.deepEqual(findFaults(value, '1.0.3'), [
      { pointer: '', rule: 'XAPI-00006', must: 'be an object: a statement' },
    ])
})

test('XAPI-00066 to 00071: a sub-statement has no properties that the store sets, and no sub-statement', () => {
  for (const [key, value, rule] of [
    ['id', AN_ID, 'XAPI-00070'],
    ['stored', '2026-03-04T05:06:07Z', 'XAPI-00069'],
    ['version', '1.0.0', 'XAPI-00068'],
    ['authority', ADA, 'XAPI-00067'],
    ['object', planned().object, 'XAPI-00071'],
  ] as const) {
    const found = findFaults(put(put(planned(), '/object/context', undefined), `/object/${key}`, value), '2.0.0')
    assert.deepEqual(
      found.map((fault) => [fault.pointer, fault.rule]),
      [[`/object/${key}`, rule]],
    )
  }
})

test('XAPI-00084, XAPI-00085: revision and platform are allowed only if the object is an activity', () => {
  for (const object of [REF, { objectType: 'Agent', ...ADA }, { objectType: 'Group', member: [ADA] }, planned().object])
    assert.deepEqual(
      findFaults({ ...whole(), object }, '1.0.3').map(({ pointer, rule }) => [pointer, rule]),
      [
        ['/context/revision', 'XAPI-00084'],
        ['/context/platform', 'XAPI-00085'],
      ],
    )
  assert.deepEqual(
    findFaults(put(planned(), '/object/object', REF), '1.0.3').map(({ pointer }) => pointer),
    ['/object/context/revision', '/object/context/platform'],
  )
})

test('XAPI-00019, XAPI-00020: the object of a voiding statement is a statement reference', () => {
  assert.deepEqual(findFaults({ actor: ADA, verb: { id: VOIDED }, object: REF }, '1.0.3'), [])
})

test('an agent as object must have its objectType', () => {
  const statement = {
    actor: ADA,
    verb: { id: VOIDED.replace('voided', 'asked') },
    object: { objectType: 'Agent', ...CY },
  }
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
  assert.deepEqual(
    findFaults(put(statement, '/object/objectType', undefined), '2.0.0').map(({ pointer }) => pointer),
    ['/object/openid', '/object/id'],
  )
})

const GROUP = { objectType: 'Group', member: [CY] }
const AGENTS = [{ objectType: 'contextAgent', agent: ADA, relevantTypes: ['https://example.org/types/crew'] }]
const GROUPS = [{ objectType: 'contextGroup', group: GROUP }]

test('contextAgents and contextGroups belong to 2.0, in sub-statements as well, and are unknown in 1.0.3', () => {
  for (const [base, prefix] of [
    [whole(), ''],
    [planned(), '/object'],
  ] as const) {
    const statement = put(
      put(base, `${prefix}/context/contextAgents`, AGENTS),
      `${prefix}/context/contextGroups`,
      GROUPS,
    )
    assert.deepEqual(findFaults(statement, '2.0.0'), [])
    assert.deepEqual(
      findFaults(statement, '1.0.3').map(({ pointer, rule }) => [pointer, rule]),
      [
        [`${prefix}/context/contextAgents`, 'XAPI-00010'],
        [`${prefix}/context/contextGroups`, 'XAPI-00010'],
      ],
    )
  }
})

test('an entry of contextAgents and contextGroups has its objectType, the agent or group, and relevantTypes that are IRIs', () => {
  const bad: [at: string, value: unknown, place?: string][] = [
    ['contextAgents', AGENTS[0]],
    ['contextAgents/0', 'Ada'],
    ['contextAgents/0/objectType', undefined],
    ['contextAgents/0/objectType', 'Agent'],
    ['contextAgents/0/agent', undefined],
    ['contextAgents/0/agent', GROUP],
    ['contextAgents/0/agent', { name: 'Ada' }],
    ['contextAgents/0/relevantTypes', []],
    ['contextAgents/0/relevantTypes', ['crew'], 'contextAgents/0/relevantTypes/0'],
    ['contextAgents/0/group', GROUP],
    ['contextGroups/0/objectType', 'contextAgent'],
    ['contextGroups/0/group', undefined],
    ['contextGroups/0/group', ADA, 'contextGroups/0/group/objectType'],
  ]
  const base = put(put(whole(), '/context/contextAgents', AGENTS), '/context/contextGroups', GROUPS)
  for (const [at, value, place = at] of bad)
    assert.deepEqual(
      findFaults(put(base, `/context/${at}`, value), '2.0.0').map(({ pointer }) => pointer),
      [`/context/${place}`],
      at,
    )
})

test('a statement may have version 2.0 if the request does', () => {
  const statement = put(whole(), '/version', '2.0.0')
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
  assert.deepEqual(
    findFaults(statement, '1.0.3').map(({ rule }) => rule),
    ['XAPI-00101'],
  )
})

test('faults are reported together, up to a maximum, with advice', () => {
  const statement = { ...whole(), verb: {}, result: { success: 'yes' }, colour: 'red' }
  assert.deepEqual(findFaults(statement, '1.0.3'), [
    { pointer: '/verb/id', rule: 'XAPI-00044', must: 'be present' },
    { pointer: '/result/success', rule: 'XAPI-00074', must: 'be true or false' },
    { pointer: '/colour', rule: 'XAPI-00010', must: 'be left out: a statement has no such property (case matters)' },
  ])
  assert.equal(findFaults(statement, '1.0.3', 2).length, 2)
  const many = put(whole(), '/context/contextActivities/other', Array(100_000).fill({}))
  assert.equal(findFaults(many, '1.0.3').length, 20)
})

test('an error quotes only the beginning of a long key', () => {
  const [fault] = findFaults({ ...whole(), ['k'.repeat(1_000_000)]: 1 }, '1.0.3')
  assert.equal(fault!.pointer.length, 201)
})

test('an agent in a parameter is checked by the same rules', () => {
  assert.deepEqual(findAgentFaults(ADA, '1.0.3'), [])
  assert.deepEqual(
    findAgentFaults({ ...ADA, email: 'x' }, '1.0.3').map(({ pointer }) => pointer),
    ['/email'],
  )
  assert.deepEqual(
    findAgentFaults('ada', '1.0.3').map(({ pointer }) => pointer),
    [''],
  )
})

test('checking a statement does not descend into extensions, however deep', () => {
  let deep: unknown = 1
  for (let i = 0; i < 200_000; i++) deep = { a: deep }
  const statement = whole()
  statement.result!.extensions = { 'https://example.org/deep': deep }
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
})
