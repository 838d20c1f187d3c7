import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { ok, openEngine, openSchool, searchPeople } from './testing.ts'

const PATH = '/planner/v1/plan'
const app = await sharedApp({ ...UNLIMITED, RATE_PLANNER_PER_MINUTE: '100000' })
await openSchool(app)
const engine = await openEngine(app, { after }, { key: 'one' })
await engine.name(['@avery', 0.9, 'Flies at night'], ['@blake', 0.5], ['@drew', 0.4])
const [casey, drew, finley] = [
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'finley'),
]
const { searchId, candidates } = await searchPeople(casey, [engine])
const save = (more: object = {}) => call(casey, 'PUT', PATH, { name: 'Night', searchId, ...more })
const read = async (planId: string) => ok(await call(casey, 'GET', `${PATH}?planId=${planId}`))
const handles = ({ people }: { people: { handle: string }[] }) => people.map(({ handle }) => handle)

test('a plan keeps candidates of a search with where they came from and why, is changed, and removed', async () => {
  const { planId, createdDate, changedDate, ...rest } = ok(await save({ notes: 'Ask\nthem', people: '@blake, AVERY' }))
  const fields = { notes: 'Ask\nthem', text: 'A night search', organisations: ['school'] }
  const owner = { handle: '@casey', firstName: '', lastName: '' }
  const ownership = { own: true, owner, shared: { organisations: [], people: [] } }
  assert.deepEqual(rest, { name: 'Night', ...fields, ...ownership, people: candidates.slice(0, 2) })
  assert.deepEqual(candidates[0].sources, [
    { clientId: 'gs-one', name: 'one', score: 0.9, reasons: ['Flies at night'] },
  ])
  assert.deepEqual(await read(planId), { planId, createdDate, changedDate, ...rest })

  app.advance(1000)
  const renamed = ok(await call(casey, 'POST', PATH, { planId, name: ' Day ' }))
  assert.deepEqual([renamed.name, renamed.notes, handles(renamed)], ['Day', 'Ask\nthem', ['@avery', '@blake']])
  assert.ok(renamed.changedDate > changedDate)
  const fewer = ok(await call(casey, 'POST', PATH, { planId, people: ['@blake'], notes: '' }))
  assert.deepEqual([fewer.name, fewer.notes, handles(fewer)], ['Day', '', ['@blake']])
  assertError(await call(casey, 'POST', PATH, { planId, people: ['@avery'] }), 400, 4003, /avery is not among/)
  assert.deepEqual(await read(planId), fewer)

  assert.deepEqual(handles(ok(await save())), ['@avery', '@blake', '@drew'])
  const { docs, total } = ok(await call(casey, 'GET', `${PATH}/list`))
  assert.deepEqual([total, docs.map(({ people }: { people: number }) => people)], [2, [3, 1]])
  for (const plan of docs) ok(await call(casey, 'POST', `${PATH}/remove`, { planId: plan.planId }))
  assertError(await call(casey, 'GET', `${PATH}?planId=${planId}`), 404, 4042)
  assertError(await call(casey, 'POST', `${PATH}/remove`, { planId }), 404, 4042)
})

test("someone else's plan looks like an unknown one, also to an administrator", async () => {
  const { planId } = ok(await save())
  for (const browser of [drew, finley]) {
    assertError(await call(browser, 'GET', `${PATH}?planId=${planId}`), 404, 4042)
    assertError(await call(browser, 'POST', PATH, { planId, name: 'Mine' }), 404, 4042)
    assertError(await call(browser, 'POST', `${PATH}/remove`, { planId }), 404, 4042)
    assert.equal(ok(await call(browser, 'GET', `${PATH}/list`)).total, 0)
  }
  assert.equal((await read(planId)).name, 'Night')
})

test('a plan outlives its search, and shows people only as far as its owner may see them now', async () => {
  const other = await searchPeople(casey, [engine])
  const { planId } = ok(await save({ searchId: other.searchId }))
  await app.sql(`delete from planner_searches where key = '${other.searchId}'`)
  assertError(await save({ searchId: other.searchId }), 404, 4042)
  const seen = async () => {
    const { docs } = ok(await call(casey, 'GET', `${PATH}/list?limit=1`))
    const shown = handles(await read(planId))
    assert.equal(docs[0].people, shown.length)
    return shown
  }
  const person = (handle: string) => `(select id from people where handle = '${handle}')`
  assert.deepEqual(await seen(), ['@avery', '@blake', '@drew'])
  await app.sql(
    `insert into blocks (blocker_id, blocked_id, created_at) values (${person('@blake')}, ${person('@casey')}, now());
     update organisation_members set organisation_id = (select id from organisations where key = 'other') where person_id = ${person('@avery')}`,
  )
  assert.deepEqual(await seen(), ['@drew'])
  assertError(await call(casey, 'POST', PATH, { planId, people: ['@avery'] }), 400, 4003)
  assertError(await save({ people: ['@blake'] }), 400, 4003, /blake is not among/)
  await app.sql(`update people set disabled_at = now() where handle = '@drew'`)
  assert.deepEqual(await seen(), [])
  await app.sql(
    `update people set disabled_at = null; delete from blocks;
     update organisation_members set organisation_id = (select id from organisations where key = 'school') where person_id = ${person('@avery')}`,
  )
  assert.deepEqual(await seen(), ['@avery', '@blake', '@drew'])
  await app.sql(`update organisation_members set role = 'member' where person_id = ${person('@casey')}`)
  assert.deepEqual(await seen(), [])
  await app.sql(`update organisation_members set role = 'owner' where person_id = ${person('@casey')}`)
})

test('a plan is shared with an organisation or with named members, who read it while they belong to it, and no more', async () => {
  const { planId } = ok(await save({ name: 'Shared', notes: 'Bring a torch' }))
  const share = (what: object) => call(casey, 'PUT', `${PATH}/share`, { planId, ...what })
  const unshare = (what: object) => call(casey, 'POST', `${PATH}/unshare`, { planId, ...what })
  const [avery, blake, ellis] = [
    await signInBrowser(app, 'avery'),
    await signInBrowser(app, 'blake'),
    await signInBrowser(app, 'ellis'),
  ]
  const readAs = (browser: typeof casey) => call(browser, 'GET', `${PATH}?planId=${planId}`)
  const listed = async (browser: typeof casey, query = '') => {
    const { docs } = ok(await call(browser, 'GET', `${PATH}/list?limit=100${query}`))
    return docs.filter((one: { planId: string }) => one.planId === planId)
  }
  const readers = async () => {
    const seen = []
    for (const browser of [avery, blake, drew, ellis, finley]) {
      const { status } = await readAs(browser)
      assert.equal((await listed(browser)).length, status === 200 ? 1 : 0)
      seen.push(status)
    }
    return seen
  }
  for (const [what, code] of [
    [{}, 4001],
    [{ people: ['@ellis'] }, 4003],
    [{ people: ['@nobody'] }, 4003],
    [{ people: ['@casey'] }, 4003],
    [{ organisations: ['other'] }, 4003],
  ] as const)
    assertError(await share(what), 400, code)

  const { shared } = ok(await share({ people: ['@avery', 'AVERY'] }))
  assert.deepEqual(shared, { organisations: [], people: [{ handle: '@avery', firstName: '', lastName: '' }] })
  assert.deepEqual(await readers(), [200, 404, 404, 404, 404])
  const areas = async (browser: typeof casey) => ok(await call(browser, 'GET', '/account/v1/here')).person.areas
  assert.ok((await areas(avery)).includes('planner'))
  assert.ok(!(await areas(blake)).includes('planner'))
  const own = await read(planId)
  assert.deepEqual(ok(await readAs(avery)), { ...own, own: false, shared: null })
  assert.deepEqual(handles(own), ['@avery', '@blake', '@drew'])
  const [{ own: isOwn, owner, people }] = await listed(avery)
  assert.deepEqual([isOwn, owner.handle, people], [false, '@casey', 3])
  assert.deepEqual(await listed(avery, '&own=true'), [])
  for (const [method, path, body] of [
    ['POST', PATH, { planId, name: 'Mine' }],
    ['POST', `${PATH}/remove`, { planId }],
    ['PUT', `${PATH}/share`, { planId, people: ['@blake'] }],
    ['POST', `${PATH}/unshare`, { planId, people: ['@avery'] }],
  ] as const) {
    assertError(await call(avery, method, path, body), 403, 4032, /only its owner/)
    assertError(await call(finley, method, path, body), 404, 4042)
  }

  assert.deepEqual(ok(await share({ organisations: ['school'] })).shared.organisations, [
    { organisation: 'school', name: 'School' },
  ])
  assert.deepEqual(await readers(), [200, 200, 200, 404, 404])
  const person = (handle: string) => `(select id from people where handle = '${handle}')`
  // Blake, who is in the plan, blocks the reader Avery. Further below, the reader Drew blocks the owner Casey.
  await app.sql(
    `insert into blocks (blocker_id, blocked_id, created_at) values (${person('@blake')}, ${person('@avery')}, now())`,
  )
  assert.deepEqual(handles(ok(await readAs(avery))), ['@avery', '@drew'])
  assert.equal((await listed(avery))[0].people, 2)
  await app.sql(
    `insert into blocks (blocker_id, blocked_id, created_at) values (${person('@drew')}, ${person('@casey')}, now())`,
  )
  assert.deepEqual(await readers(), [200, 200, 404, 404, 404])
  await app.sql(
    `delete from blocks; update organisation_members set organisation_id = (select id from organisations where key = 'other')
      where person_id in (${person('@avery')}, ${person('@blake')})`,
  )
  assert.deepEqual(await readers(), [404, 404, 200, 404, 404])
  await app.sql(
    `update organisation_members set organisation_id = (select id from organisations where key = 'school')
      where person_id in (${person('@avery')}, ${person('@blake')})`,
  )
  ok(await unshare({ organisations: ['school'] }))
  assert.deepEqual(await readers(), [200, 404, 404, 404, 404])
  const mine = JSON.parse(String(unzip(await readAll(await openExport(avery))).get('shared-plans.json')))
  assert.deepEqual([mine[0].planId, mine[0].owner], [planId, '@casey'])
  // If the owner may no longer plan, readers see nobody in the plan. If the owner is disabled, nobody can read the
  // plan.
  await app.sql(`update organisation_members set role = 'member' where person_id = ${person('@casey')}`)
  assert.deepEqual(handles(ok(await readAs(avery))), [])
  assertError(await share({ organisations: ['school'] }), 400, 4003)
  await app.sql(`update organisation_members set role = 'owner' where person_id = ${person('@casey')};
    update people set disabled_at = now() where handle = '@casey'`)
  assertError(await readAs(avery), 404, 4042)
  await app.sql(`update people set disabled_at = null`)
  assert.deepEqual(ok(await unshare({ people: ['@avery'] })).shared, { organisations: [], people: [] })
  assert.deepEqual(await readers(), [404, 404, 404, 404, 404])
  const audited = await app.sql(
    `select a.action, p.handle as person, b.handle as by, a.detail ->> 'plan' as plan, a.detail ->> 'organisation' as organisation
       from audit_entries a left join people p on p.id = a.person_id join people b on b.id = (a.detail ->> 'by')::bigint
      where a.action like 'plan.%' order by a.id`,
  )
  const entry = { by: '@casey', plan: planId }
  assert.deepEqual(
    audited,
    [
      { ...entry, action: 'plan.shared', person: '@avery', organisation: null },
      { ...entry, action: 'plan.shared', person: null, organisation: 'school' },
      { ...entry, action: 'plan.unshared', person: null, organisation: 'school' },
      { ...entry, action: 'plan.unshared', person: '@avery', organisation: null },
    ],
    'each share is in the audit log once, and refused ones are not',
  )
  await app.sql(
    `insert into plan_shares (plan_id, person_id, created_at) select n.id, p.id, now() from plans n, people p
      where n.key = '${planId}' and p.handle <> '@avery' order by p.id limit 100`,
  )
  ok(await call(casey, 'POST', `${PATH}/remove`, { planId }))
  assert.deepEqual(await app.sql(`select from plan_shares`), [])
})

test('an invalid plan is refused', async () => {
  const { planId } = ok(await save())
  const wrong: [object, number][] = [
    [{ name: '' }, 4001],
    [{ name: 'a\nb' }, 4003],
    [{ name: 'x'.repeat(201) }, 4003],
    [{ notes: 'x'.repeat(5001) }, 4003],
    [{ people: ['@nobody'] }, 4003],
    [{ people: ['@casey'] }, 4003],
    [{ people: Array.from({ length: 101 }, String) }, 4003],
  ]
  for (const [more, code] of wrong) {
    assertError(await save(more), 400, code)
    assertError(await call(casey, 'POST', PATH, { planId, ...more }), 400, code)
  }
  assert.deepEqual(handles(ok(await save({ people: [] }))), [])
})

test('a person has 100 plans at most, also when they save several at once', async () => {
  await app.sql(
    `insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
     select 'many-' || n, p.id, 'x', '', '', '{}', now(), now() from people p, generate_series(1, 98 - (select count(*)::int from plans)) n
      where p.handle = '@casey'`,
  )
  const answers = await Promise.all(Array.from({ length: 6 }, () => save()))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 400, 400, 400, 400])
  assertError(await save(), 400, 4006, /delete one first/)
  await app.sql(`delete from plans where key like 'many-%'`)
})

test('searches and plans are in the download of their owner, what was said about somebody in theirs; all go with the account', async () => {
  const { planId } = ok(await save({ people: ['@avery'] }))
  const fileOf = async (browser: typeof casey, file: string) =>
    JSON.parse(String(unzip(await readAll(await openExport(browser))).get(file)))
  assert.equal((await fileOf(casey, 'planner-searches.json'))[0].searchId, searchId)
  assert.deepEqual((await fileOf(casey, 'plans.json'))[0], await read(planId))
  const avery = await signInBrowser(app, 'avery')
  assert.deepEqual(await fileOf(avery, 'plans.json'), [])
  const said: object[] = await fileOf(avery, 'candidacies.json')
  assert.deepEqual(new Set(said.flatMap(Object.keys)), new Set(['kept', 'score', 'sources', 'date']))
  assert.ok(said.some((one) => 'kept' in one && one.kept === 'in a plan'))
  const count = async (table: string) => Number((await app.sql(`select count(*)::int as n from ${table}`))[0]!.n)
  const people = await count('plan_people')
  await app.sql(`delete from people where handle = '@avery'`)
  assert.ok((await count('plan_people')) < people)
  assert.deepEqual(handles(ok(await save())), ['@blake', '@drew'])
  await app.sql(`delete from people where handle = '@casey'`)
  for (const table of ['planner_searches', 'planner_candidates', 'plans', 'plan_people'])
    assert.equal(await count(table), 0, table)
})
