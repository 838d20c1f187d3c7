import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { listStatements } from '../../kernel/database/statement.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { withClient } from '../../operations/testing/databases.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { factOf, feedFacts } from '../statements/facts/facts.ts'
import { secondsOf } from '../statements/model/times.ts'
import { removeStatements } from '../statements/storing/removal.ts'
import * as store from './store.ts'
import { activity, agent, make, PATH, refer, save, VERBS, voiding } from './testing.ts'

const shared = sharedApp(UNLIMITED)
const key = shared.then((app) => makeTestKey(app))
const ask = async (what: string, query: Record<string, unknown>) => {
  const answer = await (await key).client.get(`${PATH}/${what}`, query)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const count = async (query: Record<string, unknown>) => (await ask('count', query)).count

test('statements stored before the request are counted, by every filter of the statements resource', async () => {
  const app = await shared
  const [object, registration] = [activity(), randomUUID()]
  const bob = agent(`bob-${randomUUID()}`)
  const made = [
    make({ object }),
    make({ object, actor: bob, verb: { id: `${VERBS}/landed` } }),
    make({ object, context: { instructor: bob, registration } }),
    make({ actor: bob, context: { contextActivities: { parent: [object] } } }),
    make({ object: { objectType: 'Agent', ...bob } }),
  ]
  const before = new Date(Date.now() - 1000).toISOString()
  await save(app.environment(), made)
  const [who, what] = [JSON.stringify(bob), object.id]
  assert.equal(await count({ activity: what }), 3)
  assert.equal(await count({ activity: what, related_activities: true }), 4)
  assert.equal(await count({ agent: who }), 3)
  assert.equal(await count({ agent: who, related_agents: true }), 4)
  assert.equal(await count({ agent: who, activity: what, verb: `${VERBS}/landed` }), 1)
  assert.equal(await count({ registration, agent: who, related_agents: true, activity: what }), 1)
  assert.equal(await count({ registration, activity: what, verb: `${VERBS}/landed` }), 0)
  assert.equal(await count({ activity: what, since: before }), 3)
  assert.equal(await count({ activity: what, until: before }), 0)
  const all = await count({})
  assert.ok(all >= 5)
  // `since` and `until` accept the `stored` time of a statement, to the microsecond.
  const rows = await app.sql(`select seq from statement_ids where statement_id = '${made[1]!.id}'`)
  const { latest } = (await ask('aggregate', { by: 'verb', verb: `${VERBS}/landed`, activity: what })).groups[0]
  assert.equal(new Date(latest).getTime(), Math.floor(Number(rows[0]!.seq) / 1000))
  assert.equal(await count({ activity: what, since: latest }), 1)
  assert.equal(await count({ activity: what, until: latest }), 2)
})

test('groups by verb, activity, agent and day, with scores, durations and outcomes, largest first', async () => {
  const app = await shared
  const registration = randomUUID()
  const [first, second] = [activity(), activity()]
  const context = { registration }
  const ann = { ...agent(`ann-${registration}`), name: 'Ann' }
  const PASSED = 'http://adlnet.gov/expapi/verbs/passed'
  const FAILED = 'http://adlnet.gov/expapi/verbs/failed'
  await save(app.environment(), [
    make({ object: first, context, actor: ann, result: { score: { scaled: 0.5 }, duration: 'PT30S', success: true } }),
    make({
      object: { ...first, definition: { name: { en: 'First' } } },
      context,
      actor: ann,
      result: { score: { scaled: -1 }, duration: 'P1DT0,5S' },
    }),
    make({ object: second, context, verb: { id: PASSED, display: { en: 'passed' } }, result: { duration: 'P1M' } }),
    make({ object: first, context, verb: { id: FAILED } }),
    make({ object: first, context, verb: { id: FAILED }, result: { success: true } }),
    make({
      object: { objectType: 'Agent', ...ann },
      context,
      verb: { id: FAILED },
      actor: { objectType: 'Group', member: [ann] },
    }),
  ])
  const figures = (group: Record<string, unknown>) => [
    group.count,
    group.score,
    group.duration,
    group.passed,
    group.failed,
  ]
  const of = async (by: string, more = {}) =>
    (await ask('aggregate', { by, registration, ...more })) as { groups: never[]; more: boolean }
  const activities = (await of('activity')).groups as Record<string, { id: string }>[]
  assert.deepEqual(
    activities.map((group) => [group.activity, ...figures(group)]),
    [
      [
        { id: first.id },
        4,
        { count: 2, mean: -0.25, min: -1, max: 0.5 },
        { count: 2, mean: 43_215.25, min: 30, max: 86_400.5, sum: 86_430.5 },
        2,
        1,
      ],
      [{ id: second.id }, 1, null, null, 1, 0],
    ],
  )
  const verbs = (await of('verb')).groups as Record<string, { id: string }>[]
  assert.deepEqual(
    verbs.map(({ verb, count: many }) => [verb, many]),
    [
      [{ id: FAILED }, 3],
      [{ id: `${VERBS}/flew` }, 2],
      [{ id: PASSED, display: { en: 'passed' } }, 1],
    ],
  )
  // An anonymous group has no identifier, so it is not among the groups when aggregating by agent.
  const agents = (await of('agent')).groups as Record<string, unknown>[]
  assert.deepEqual(
    agents.map(({ agent: who, count: many }) => [who, many]),
    [
      [agent('ada'), 3],
      [ann, 2],
    ],
  )
  const days = (await of('day')).groups as Record<string, unknown>[]
  assert.deepEqual(
    days.map(({ day, count: many }) => [day, many]),
    [[app.environment().clock().toISOString().slice(0, 10), 6]],
  )
  const { groups, more } = await of('verb', { limit: 1 })
  assert.deepEqual([groups.length, more], [1, true])
  assert.equal((await of('verb', { limit: 3 })).more, false)
  // The name of an activity is read from the newest statement of its group.
  await save(app.environment(), [make({ object: { ...second, definition: { name: { en: 'Second' } } }, context })])
  assert.deepEqual(
    (await of('activity', { activity: second.id })).groups.map(({ activity: one }) => one),
    [{ id: second.id, name: { en: 'Second' } }],
  )
})

test('voided statements do not count, whichever came first, but statements that refer to them do', async () => {
  const environment = (await shared).environment()
  const object = activity()
  const [early, late, fed] = [make({ object }), make({ object }), make({ object })]
  await save(environment, [fed])
  assert.equal(await count({ activity: object.id }), 1)
  await save(environment, [voiding(late)])
  await save(environment, [early, late])
  assert.equal(await count({ activity: object.id }), 4 - 1, 'fed, early, and what voids late')
  await save(environment, [voiding(fed), voiding(early)])
  assert.equal(await count({ activity: object.id }), 3, 'three that void')
  assert.equal((await ask('aggregate', { by: 'activity', activity: object.id })).groups.length, 0)
  const other = make({ object })
  await save(environment, [refer(other.id)])
  await save(environment, [other])
  assert.equal(await count({ activity: object.id }), 5)
})

test('facts are deleted with their statements, even while facts are being computed', async () => {
  const app = await shared
  const environment = app.environment()
  const object = activity()
  const made = Array.from({ length: 40 }, () => make({ object }))
  await save(environment, made)
  const rows = await app.sql(
    `select seq, sender from statements where statement_id in ('${made.map(({ id }) => id).join("','")}') order by seq`,
  )
  const gone = rows.map(({ seq, sender }, i) => ({ seq: Number(seq), sender: String(sender), statement: made[i]! }))
  const removals = [gone.slice(0, 10), gone.slice(10, 20), gone.slice(20, 30)].map((some) =>
    environment.db.transaction((tx) => removeStatements(tx, some)),
  )
  await Promise.all([...removals, ...Array.from({ length: 5 }, () => count({ activity: object.id }))])
  assert.equal(await count({ activity: object.id }), 10)
  const left = await app.sql(
    `select f.seq from statement_facts f left join statements s on s.seq = f.seq where s.seq is null`,
  )
  assert.deepEqual(left, [])
})

test('counts are correct while many write and read, on two processes', async () => {
  const app = await shared
  const second = (await app.startSecond()).environments.find(({ name }) => name === 'production')!
  const object = activity()
  let stored = 0
  const work = async (environment: typeof second) => {
    for (let i = 0; i < 5; i++) {
      await save(environment, [make({ object }), make({ object })])
      stored += 2
      const least = stored
      const found = await count({ activity: object.id })
      assert.ok(found >= least, `${found} of ${least}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, i) => work(i % 2 ? second : app.environment())))
  assert.equal(await count({ activity: object.id }), 80)
})

test('callers limited to their own statements count those, callers without the scope nothing, and a misspelt filter is named', async () => {
  const app = await shared
  const object = activity()
  const mine = await makeTestKey(app, { scopes: ['statements/read/mine'] })
  await save(app.environment(), [make({ object }), make({ object })], { senderKey: `credential ${mine.credentialId}` })
  await save(app.environment(), [make({ object })])
  const { body } = await mine.client.get(`${PATH}/count`, { activity: object.id })
  assert.equal(body.count, 2)
  const five = { activity: object.id, agent: JSON.stringify(agent('ada')), verb: `${VERBS}/flew` }
  assert.equal((await mine.client.get(`${PATH}/count`, five)).body.count, 2)
  const groups = await mine.client.get(`${PATH}/aggregate`, { by: 'activity' })
  assert.deepEqual(
    groups.body.groups.map((group: Record<string, unknown>) => [group.activity, group.count]),
    [[{ id: object.id }, 2]],
  )
  const none = await makeTestKey(app, { scopes: ['statements/write', 'state'] })
  for (const what of ['count', 'aggregate?by=verb', 'stream', 'export'])
    assertError(await none.client.get(`${PATH}/${what}`), 403, 4032, /statements\/read/)
  assertError(await app.nobody().get(`${PATH}/count`), 401, 4016)
  const { client } = await key
  const refused: [string, Record<string, string>, RegExp][] = [
    ['count', { verbs: 'x:y' }, /verbs must be left out/],
    ['count', { verb: 'flew' }, /verb must be an IRI/],
    ['count', { agent: '{"mbox":"ada"}' }, /agent\/mbox must/],
    ['count', { agent: 'ada' }, /agent/],
    ['count', { registration: '7' }, /registration must be a UUID/],
    ['count', { since: 'yesterday' }, /since must be a date/],
    ['aggregate', { by: 'moon' }, /by/],
    ['aggregate', { by: 'verb', limit: '1001' }, /limit/],
  ]
  for (const [what, query, why] of refused) {
    const answer = await client.get(`${PATH}/${what}`, query)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error_description, why)
  }
  assertError(await client.get(`${PATH}/aggregate`), 400, 4001, /by is missing/)
})

test('with a backlog of facts, the response says up to when it counts, and the next request continues', async () => {
  const app = await shared
  const environment = app.environment()
  await app.sql('delete from statement_facts; update statement_facts_clock set fed = 0')
  await Promise.all(Array.from({ length: 3 }, () => feedFacts(environment)))
  const [{ facts, statements } = {}] = await app.sql(
    'select (select count(*) from statement_facts) as facts, (select count(*) from statements where not is_voided) as statements',
  )
  assert.equal(facts, statements)
  const { through } = await ask('count', {})
  const [{ last } = {}] = await app.sql('select last from statement_clock')
  assert.equal(Math.floor(Number(last) / 1000), new Date(through).getTime())
})

test('durations and outcomes of statements are computed correctly', () => {
  const cases: [string, number | undefined][] = [
    ['PT1H2M3.5S', 3723.5],
    ['P2W', 1_209_600],
    ['P0Y0M1DT1S', 86_401],
    ['PT0S', 0],
    ['P1Y', undefined],
    ['P1M', undefined],
    [`PT${'9'.repeat(400)}S`, undefined],
  ]
  for (const [duration, seconds] of cases) assert.equal(secondsOf(duration), seconds, duration)
  const { agent: who, activity: what } = factOf(1, make({ actor: { objectType: 'Group', member: [] } }))
  assert.deepEqual([who, typeof what], [undefined, 'string'])
})

test('no figure with a filter scans whole tables, and none reads the statements themselves', async () => {
  const app = await shared
  await app.sql(
    `create temp table numbers as
       select extract(epoch from now() - interval '1 hour' + make_interval(months => n % 4 - 1))::bigint * 1000000 + n as n from generate_series(1, 8000) n;
     insert into statements (seq, statement_id, payload) select n, gen_random_uuid(), '{}' from numbers;
     insert into statement_facts (seq, verb, agent) select n, md5((n % 5)::text)::uuid, md5((n % 100)::text)::uuid from numbers;
     insert into statement_refs (key, seq, role) select md5((n % 10 + r * 10)::text)::uuid, n, r from numbers, generate_series(1, 9) r`,
  )
  await app.sql('analyze statement_refs; analyze statements; analyze statement_facts')
  const range = [0, Number.MAX_SAFE_INTEGER]
  const [{ one, two } = {}] = await app.sql(`select md5('11')::uuid as one, md5('22')::uuid as two`)
  const keys = [one, [1], two, [2], null, [], null, [], null, []]
  await withClient(app.connection, async (client) => {
    await client.query(`set search_path to ${schemaOf('production')}; set plan_cache_mode = force_custom_plan`)
    const chosen = [store.countChosen, ...Object.values(store.groupsOfChosen)]
    const all = [store.countAll, ...Object.values(store.groupsOfAll)]
    for (const { name, text, params } of [...chosen, ...all]) {
      const values = [...(text.includes('statement_refs') ? keys : []), ...range, 100].slice(
        0,
        Object.keys(params).length,
      )
      const { rows } = await client.query(`explain ${text}`, values)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Seq Scan on statement(s|_refs)/, `${name}\n${plan}`)
      assert.doesNotMatch(plan, /on statements_/, `${name}\n${plan}`)
    }
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
    const known = listStatements().find(({ name }) => name === 'statements.listKnown')!
    for (const { name, text } of [store.listAll, store.listChosen, store.listSubjects, known]) {
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Seq Scan|Disabled: true/, `${name}\n${plan}`)
    }
  })
})
