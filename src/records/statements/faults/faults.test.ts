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

test('a statement with every property is right in both versions, and so is it inside another', () => {
  for (const version of VERSIONS)
    for (const statement of [whole(), planned()]) assert.deepEqual(findFaults(statement, version), [])
})

test('what is no object at all is no statement', () => {
  for (const value of [undefined, null, 1, 'x', [], [whole()]])
    assert.deepEqual(findFaults(value, '1.0.3'), [
      { pointer: '', rule: 'XAPI-00006', must: 'be an object: a statement' },
    ])
})

test('XAPI-00066 to 00071: a sub-statement has nothing that a store sets, and no other inside it', () => {
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

test('XAPI-00084, XAPI-00085: revision and platform are those of an activity', () => {
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

test('XAPI-00019, XAPI-00020: a voiding statement refers to another', () => {
  assert.deepEqual(findFaults({ actor: ADA, verb: { id: VOIDED }, object: REF }, '1.0.3'), [])
})

test('an agent as object says that it is one', () => {
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

test('contextAgents and contextGroups are of 2.0, in sub-statements as well, and unknown in 1.0.3', () => {
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

test('an entry of contextAgents and contextGroups says what it is, whom it names, and types that are IRIs', () => {
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

test('a statement may say version 2.0 where the request does', () => {
  const statement = put(whole(), '/version', '2.0.0')
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
  assert.deepEqual(
    findFaults(statement, '1.0.3').map(({ rule }) => rule),
    ['XAPI-00101'],
  )
})

test('faults are told all at once, up to a number, with what to do', () => {
  const statement = { ...whole(), verb: {}, result: { success: 'yes' }, colour: 'red' }
  assert.deepEqual(findFaults(statement, '1.0.3'), [
    { pointer: '/verb/id', rule: 'XAPI-00044', must: 'be given' },
    { pointer: '/result/success', rule: 'XAPI-00074', must: 'be true or false' },
    { pointer: '/colour', rule: 'XAPI-00010', must: 'be left out: a statement has no such property (case matters)' },
  ])
  assert.equal(findFaults(statement, '1.0.3', 2).length, 2)
  const many = put(whole(), '/context/contextActivities/other', Array(100_000).fill({}))
  assert.equal(findFaults(many, '1.0.3').length, 20)
})

test('an answer repeats no more than a bit of a long key', () => {
  const [fault] = findFaults({ ...whole(), ['k'.repeat(1_000_000)]: 1 }, '1.0.3')
  assert.equal(fault!.pointer.length, 201)
})

test('an agent of a parameter is held to the same rules', () => {
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

test('a statement is checked without going into extensions, however deep they are', () => {
  let deep: unknown = 1
  for (let i = 0; i < 200_000; i++) deep = { a: deep }
  const statement = whole()
  statement.result!.extensions = { 'https://example.org/deep': deep }
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
})
