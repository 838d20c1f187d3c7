import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identify } from './agents.ts'
import {
  type Filter,
  keyOfActivity,
  keyOfAgent,
  keyOfRegistration,
  keyOfVerb,
  ROLES,
  refsOf,
  rolesFor,
  targetOf,
} from './refs.ts'
import type { Agent, Statement, SubStatement } from './statement.ts'
import { planned, put, whole } from './testing.ts'

const agent = (name: string): Agent => ({ mbox: `mailto:${name}@example.org` })
const activity = (name: string) => ({ id: `https://example.org/${name}` })
const verb = { id: 'https://example.org/verbs/flew' }

/** Whether a filter of the statements resource matches the statement. */
function finds(filter: Filter, key: string | undefined, statement: Statement): boolean {
  const roles = rolesFor(filter)
  return refsOf(statement).some((ref) => ref.key === key && roles.includes(ref.role))
}
const findsAgent = (filter: 'agent' | 'related_agents', name: string, statement: Statement) =>
  finds(filter, keyOfAgent(agent(name)), statement)
const findsActivity = (filter: 'activity' | 'related_activities', name: string, statement: Statement) =>
  finds(filter, keyOfActivity(activity(name).id), statement)

/** Makes a context with a different agent or activity in every position, named after the position. */
const context = (at: string) => ({
  instructor: agent(`${at}instructor`),
  team: { objectType: 'Group' as const, ...agent(`${at}team`), member: [agent(`${at}team-member`)] },
  contextAgents: [{ objectType: 'contextAgent' as const, agent: agent(`${at}context-agent`) }],
  contextGroups: [
    {
      objectType: 'contextGroup' as const,
      group: { objectType: 'Group' as const, member: [agent(`${at}context-member`)] },
    },
  ],
  contextActivities: {
    parent: activity(`${at}parent`),
    grouping: [activity(`${at}grouping`), activity(`${at}grouping-2`)],
    category: [activity(`${at}category`)],
    other: [activity(`${at}other`)],
  },
})
const subStatement: SubStatement = {
  objectType: 'SubStatement',
  actor: { objectType: 'Group', member: [agent('sub-actor')] },
  verb: { id: 'https://example.org/verbs/sub' },
  object: activity('sub-object'),
  context: { ...context('sub-'), registration: 'ec531277-b57b-4c15-8d91-d292c5b2b8f7' },
}
const statement: Statement = {
  actor: agent('actor'),
  verb,
  object: subStatement,
  context: context(''),
  authority: { objectType: 'Group', member: [agent('authority-app'), agent('authority-user')] },
}

test('agent matches the actor and the object, including members of groups, and nobody else', () => {
  assert.equal(findsAgent('agent', 'actor', statement), true)
  for (const object of [
    { objectType: 'Agent', ...agent('guest') },
    { objectType: 'Group', member: [agent('x'), agent('guest')] },
    { objectType: 'Group', ...agent('guest') },
    { objectType: 'Group', ...agent('x'), member: [agent('guest')] },
  ] as const) {
    assert.equal(findsAgent('agent', 'guest', { ...statement, object } as Statement), true)
    assert.equal(
      findsAgent('agent', 'guest', { ...statement, actor: object, object: activity('x') } as Statement),
      true,
    )
  }
  for (const name of [
    'instructor',
    'team',
    'team-member',
    'context-agent',
    'context-member',
    'authority-user',
    'sub-actor',
  ])
    assert.equal(findsAgent('agent', name, statement), false, name)
})

test('related_agents matches everybody in the statement and in its sub-statement', () => {
  const places = ['instructor', 'team', 'team-member', 'context-agent', 'context-member']
  for (const name of [
    'actor',
    'authority-app',
    'authority-user',
    'sub-actor',
    ...places,
    ...places.map((name) => `sub-${name}`),
  ])
    assert.equal(findsAgent('related_agents', name, statement), true, name)
  assert.equal(findsAgent('related_agents', 'guest', statement), false)
  const talked = put(statement, '/object/object', { objectType: 'Agent', ...agent('guest') })
  assert.equal(findsAgent('related_agents', 'guest', talked), true)
  assert.equal(findsAgent('agent', 'guest', talked), false)
})

test('activity matches the object, but not that of a sub-statement', () => {
  assert.equal(findsActivity('activity', 'x', { ...statement, object: activity('x') }), true)
  for (const name of ['parent', 'grouping', 'category', 'other', 'sub-object', 'sub-parent'])
    assert.equal(findsActivity('activity', name, statement), false, name)
})

test('related_activities matches the object and all context activities, including those of the sub-statement', () => {
  const places = ['parent', 'grouping', 'grouping-2', 'category', 'other']
  for (const name of ['sub-object', ...places, ...places.map((name) => `sub-${name}`)])
    assert.equal(findsActivity('related_activities', name, statement), true, name)
  assert.equal(findsActivity('related_activities', 'x', { ...statement, object: activity('x') }), true)
  assert.equal(findsActivity('related_activities', 'y', statement), false)
})

test('verb and registration match those of the statement, not of its sub-statement', () => {
  assert.equal(finds('verb', keyOfVerb(verb.id), statement), true)
  assert.equal(finds('verb', keyOfVerb(subStatement.verb.id), statement), false)
  assert.equal(finds('registration', keyOfRegistration(subStatement.context!.registration!), statement), false)
  const registered = whole()
  assert.equal(
    finds('registration', keyOfRegistration(registered.context!.registration!.toUpperCase()), registered),
    true,
  )
})

test('the same IRI as activity, verb, openid and registration gives different keys', () => {
  const iri = 'https://example.org/x'
  const keys = [keyOfActivity(iri), keyOfVerb(iri), keyOfAgent({ openid: iri }), keyOfRegistration(iri)]
  assert.equal(new Set(keys).size, 4)
  for (const key of keys) assert.match(key!, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  // This key is stored in existing databases, so the hash must never change.
  assert.equal(keyOfActivity(iri), '6c25d2ff-cd5b-569d-aca1-f4cd47944cd1')
})

test('each place gives one reference to the same thing, however often it names it', () => {
  const twice: Statement = {
    actor: { objectType: 'Group', ...agent('ada'), member: [agent('ada'), agent('ada')] },
    verb,
    object: { objectType: 'Agent', ...agent('ada') },
    context: { contextActivities: { parent: [activity('a'), activity('a')], other: activity('a') } },
  }
  const refs = refsOf(twice)
  assert.equal(new Set(refs.map(({ key, role }) => `${key} ${role}`)).size, refs.length)
  assert.deepEqual(
    refs.map(({ role }) => role).sort((a, b) => a - b),
    [ROLES.actor, ROLES.object, ROLES.verb, ROLES.parent, ROLES.other],
  )
})

test('places of a sub-statement have role numbers of their own, and all numbers differ', () => {
  const numbers = Object.values(ROLES)
  assert.equal(new Set(numbers).size, numbers.length)
  for (const [name, number] of Object.entries(ROLES)) {
    if (!name.startsWith('sub')) continue
    const same = name.charAt(3).toLowerCase() + name.slice(4)
    assert.equal(number, ROLES[same as keyof typeof ROLES] + 16, name)
  }
})

test('agents are equal by their identifier, whatever their names', () => {
  const same: [Agent, Agent, boolean][] = [
    [agent('ada'), { objectType: 'Group', name: 'Ada', ...agent('ada'), member: [agent('x')] }, true],
    [{ mbox: 'mailto:ada@EXAMPLE.org' }, { mbox: 'mailto:ada@example.ORG' }, true],
    [{ mbox: 'mailto:Ada@example.org' }, { mbox: 'mailto:ada@example.org' }, false],
    [{ mbox_sha1sum: 'AB' }, { mbox_sha1sum: 'ab' }, true],
    [{ openid: 'https://a.org/X' }, { openid: 'https://a.org/x' }, false],
    [
      { account: { homePage: 'https://a.org', name: 'x' } },
      { account: { name: 'x', homePage: 'https://a.org' } },
      true,
    ],
    [
      { account: { homePage: 'https://a.org', name: 'x' } },
      { account: { homePage: 'https://a.org/', name: 'x' } },
      false,
    ],
    [
      { account: { homePage: 'https://a.org', name: 'b c' } },
      { account: { homePage: 'https://a.orgb', name: ' c' } },
      false,
    ],
  ]
  for (const [a, b, equal] of same) assert.equal(identify(a) === identify(b), equal, `${identify(a)} ${identify(b)}`)
})

test('an anonymous group equals nothing, not even itself', () => {
  assert.equal(keyOfAgent({ objectType: 'Group', member: [agent('ada')] }), undefined)
})

test('a reference to a statement is found by its target, and has no place of its own', () => {
  const voids: Statement = {
    actor: agent('ada'),
    verb,
    object: { objectType: 'StatementRef', id: '8F87CCDE-bb56-4c2e-ab83-44982ef22df0' },
  }
  assert.equal(targetOf(voids), '8f87ccde-bb56-4c2e-ab83-44982ef22df0')
  assert.deepEqual(
    refsOf(voids).map(({ role }) => role),
    [ROLES.actor, ROLES.verb],
  )
  assert.equal(targetOf(planned()), undefined)
})
