import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { registerTestPlugin } from '../plugins/testing.ts'
import { findCandidates, ok, openEngine, openSchool, search, searchPeople } from './testing.ts'

const SEARCH = '/planner/v1/search'
const app = await sharedApp({ ...UNLIMITED, RATE_PLANNER_PER_MINUTE: '100000' })
await openSchool(app)
const one = await openEngine(app, { after }, { key: 'one' })
const two = await openEngine(app, { after }, { key: 'two', organisations: ['school', 'other'] })
const [casey, drew, ellis, finley, avery, blake] = [
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'ellis'),
  await signInBrowser(app, 'finley'),
  await signInBrowser(app, 'avery'),
  await signInBrowser(app, 'blake'),
]
const engineOf = (key: string, organisations = ['school']) => ({
  clientId: `gs-${key}`,
  name: key,
  description: '',
  organisations,
})
const listed = async (browser: typeof casey) => ok(await call(browser, 'GET', '/planner/v1/engines'))

test('engines are offered to owners and instructors of an organisation that they were given, and to administrators', async () => {
  for (const browser of [casey, drew]) assert.deepEqual(await listed(browser), [engineOf('one'), engineOf('two')])
  assert.deepEqual(await listed(ellis), [engineOf('two', ['other'])])
  assert.deepEqual(await listed(finley), [engineOf('one'), engineOf('two', ['other', 'school'])])
  for (const browser of [avery, blake]) {
    assert.deepEqual(await listed(browser), [])
    assertError(await search(browser, [one]), 404, 4042, /gs-one is not available to you/)
  }
  assertError(await (await app.as('casey')).get('/planner/v1/engines'), 401, 4016)
  assertError(await search(ellis, [two, one]), 404, 4042, /gs-one is not available to you/)
})

test('a plugin without both addresses, permission, approval or activity is not offered, nor one that is switched off', async () => {
  const addresses = { capabilities: 'http://127.0.0.1:9/a', candidates: 'http://127.0.0.1:9/b' }
  const make = (key: string, more: object = {}) => registerTestPlugin(app, { kind: 'ai', key, addresses, ...more })
  const half = await make('half', { addresses: { capabilities: addresses.capabilities } })
  const none = await make('none', { addresses: {} })
  const barred = await make('barred', { permissions: ['badges'] })
  const asking = await make('asking', { ungranted: ['mission-planner'] })
  const idle = await make('idle', { isActive: false })
  const off = await make('off')
  const suspended = await make('suspended')
  await app.sql(
    `update plugin_addresses set off_at = now(), off_reason = 'x' where plugin_id = ${off.pluginId} and purpose = 'candidates';
     update apps set status = 'suspended' where id = ${suspended.appId}`,
  )
  for (const plugin of [half, none, barred, asking, idle, off, suspended])
    assertError(await search(casey, [plugin]), 404, 4042, /is not available to you/)
  assert.deepEqual(await listed(casey), [engineOf('one'), engineOf('two')])
})

test('each engine is asked with Basic, a signature, and the organisations that it was given and the caller may plan in', async () => {
  one.received.length = two.received.length = 0
  const body = ok(await search(finley, [two, one], { text: 'A night search\nover water' }))
  const { searchId, createdDate, ...rest } = body
  const capabilities = (place: number) => [
    { capabilityId: `${place}.1`, name: 'Night flying', description: 'Flies in the dark' },
    { capabilityId: `${place}.2`, name: 'Over water', description: '' },
  ]
  const answered = { status: 'answered', problem: null }
  assert.deepEqual(rest, {
    text: 'A night search\nover water',
    organisations: ['other', 'school'],
    engines: [
      { clientId: 'gs-two', name: 'two', ...answered, capabilities: capabilities(1) },
      { clientId: 'gs-one', name: 'one', ...answered, capabilities: capabilities(2) },
    ],
    candidates: null,
  })
  assert.match(searchId, /^[\w-]{22}$/)
  assert.ok(Date.parse(createdDate))
  const sent = { searchId, text: 'A night search\nover water' }
  assert.deepEqual(JSON.parse(two.received[0]!.body), { ...sent, orgIds: ['other', 'school'] })
  assert.deepEqual(JSON.parse(one.received[0]!.body), { ...sent, orgIds: ['school'] })
  const { headers, body: raw } = one.received[0]!
  assert.equal(headers.authorization, one.basic)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers
  const signature = createHmac('sha256', one.secret).update(`${id}.${timestamp}.${raw}`).digest('base64')
  assert.equal(headers['webhook-signature'], `v1,${signature}`)
  assert.notEqual(id, two.received[0]!.headers['webhook-id'])

  two.received.length = 0
  ok(await search(ellis, [two]))
  assert.deepEqual(JSON.parse(two.received[0]!.body).orgIds, ['other'])
  ok(await search(finley, [two], { organisations: 'school' }))
  assert.deepEqual(JSON.parse(two.received[1]!.body).orgIds, ['school'])
})

test('organisations in which the caller may not plan, and engines that were given none of them, are refused', async () => {
  two.received.length = 0
  for (const organisations of [['other'], ['nowhere'], ['school', 'other']])
    assertError(await search(casey, [two], { organisations }), 403, 4032, /you cannot plan in/)
  assertError(await search(finley, [one, two], { organisations: ['other'] }), 400, 4003, /gs-one has access to none/)
  assert.equal(two.received.length, 0)
})

test('an engine is asked for its own capabilities, whatever another calls its own', async () => {
  const { searchId } = ok(await search(casey, [one, two]))
  one.received.length = two.received.length = 0
  const { capabilityIds, limit, engines } = ok(await findCandidates(casey, searchId, ['2.2', '1.1', '2.1', '2.1']))
  assert.deepEqual({ capabilityIds, limit }, { capabilityIds: ['2.2', '1.1', '2.1'], limit: 20 })
  const answered = { status: 'answered', problem: null, leftOut: 0 }
  assert.deepEqual(engines, [
    { clientId: 'gs-one', name: 'one', ...answered },
    { clientId: 'gs-two', name: 'two', ...answered },
  ])
  const sent = { searchId, orgIds: ['school'], limit: 20 }
  assert.deepEqual(JSON.parse(one.received[0]!.body), { ...sent, capabilityIds: ['night'] })
  assert.deepEqual(JSON.parse(two.received[0]!.body), { ...sent, capabilityIds: ['water', 'night'] })
  one.received.length = two.received.length = 0
  ok(await findCandidates(casey, searchId, ['2.1'], { limit: 3 }))
  assert.deepEqual([one.received.length, JSON.parse(two.received[0]!.body).limit], [0, 3])
  for (const id of ['3.1', '1.3', '0.0', 'night', '1', '1.1.1', '__proto__'])
    assertError(await findCandidates(casey, searchId, [id]), 400, 4003, /no capability/)
  assertError(await findCandidates(casey, searchId, []), 400, 4001)
})

test('candidates of two engines are one entry a person, with what each engine said, the best first and equals by handle', async () => {
  await one.name(['@avery', 0.9, 'Flies at night'], ['@blake', 0.5], ['@drew', 0.2])
  await two.name(['@blake', 0.8, 'Swims\u0007 well\u202e'], ['@drew', 0.7], ['@casey', 0.9])
  const { candidates } = await searchPeople(casey, [one, two])
  const from = (engine: string, score: number, ...reasons: string[]) => ({
    clientId: `gs-${engine}`,
    name: engine,
    score,
    reasons,
  })
  const before = 'Has done it before'
  const person = (handle: string) => ({ handle, firstName: '', lastName: '' })
  assert.deepEqual(candidates, [
    { ...person('@blake'), score: 0.65, sources: [from('one', 0.5, before), from('two', 0.8, 'Swims well')] },
    { ...person('@avery'), score: 0.45, sources: [from('one', 0.9, 'Flies at night')] },
    { ...person('@casey'), score: 0.45, sources: [from('two', 0.9, before)] },
    { ...person('@drew'), score: 0.45, sources: [from('one', 0.2, before), from('two', 0.7, before)] },
  ])
  const { searchId } = ok(await search(casey, [one, two]))
  const best = ok(await findCandidates(casey, searchId, ['1.1', '2.1'], { limit: 3 }))
  assert.deepEqual(best.candidates, candidates.slice(0, 3))
  const read = ok(await call(casey, 'GET', `${SEARCH}?searchId=${searchId}`))
  assert.deepEqual(read.candidates, best)
})

test('weights of reasons are shown if an engine gives one for each, and left out otherwise', async () => {
  const userId = await one.userIdOf('@avery')
  const weighed = async (weights: unknown) => {
    one.says.candidates = { candidates: [{ userId, score: 0.5, reasons: ['Flies', 'Swims'], weights }] }
    return (await searchPeople(casey, [one])).candidates[0].sources[0].weights
  }
  assert.deepEqual(await weighed([1, 0.25]), [1, 0.25])
  for (const wrong of [[1], [1, 2], [1, 'much'], 'much', null, { 0: 1, length: 2 }])
    assert.equal(await weighed(wrong), undefined)
})

const handles = ({ candidates }: { candidates: { handle: string }[] }) => candidates.map(({ handle }) => handle)

test('people outside of the organisations searched, hidden by a block, disabled or unknown are not shown, and left out', async () => {
  await two.name(['@avery', 0.9], ['@blake', 0.8], ['@ellis', 0.7], ['@drew', 0.6], ['@finley', 0.5])
  const { candidates } = two.says.candidates as { candidates: object[] }
  const strange = [await one.userIdOf('@avery'), 'nobody', "'; drop table people--", 'é😀']
  two.says.candidates = { candidates: [...candidates, ...strange.map((userId) => ({ userId, score: 1, reasons: [] }))] }
  // Ellis belongs to another organisation and Finley to none, so both are left out.
  let found = await searchPeople(casey, [two])
  assert.deepEqual([handles(found), found.engines[0].leftOut], [['@avery', '@blake', '@drew'], 6])
  await app.sql(
    `insert into blocks (blocker_id, blocked_id, created_at) select a.id, c.id, now() from people a, people c
      where (a.handle, c.handle) in (('@avery', '@casey'), ('@casey', '@blake'));
     update people set disabled_at = now() where handle = '@drew'`,
  )
  const kept = ok(await call(casey, 'GET', `${SEARCH}?searchId=${found.searchId}`))
  assert.deepEqual(handles(kept.candidates), [])
  found = await searchPeople(casey, [two])
  assert.deepEqual([handles(found), found.engines[0].leftOut], [[], 9])
  await app.sql(`delete from blocks; update people set disabled_at = null`)
  assert.deepEqual(handles(ok(await call(casey, 'GET', `${SEARCH}?searchId=${found.searchId}`)).candidates), [])

  // Finley, an administrator, may plan in both organisations and sees the people of both.
  assert.deepEqual(handles(await searchPeople(finley, [two])), ['@avery', '@blake', '@ellis', '@drew'])
})

test('what has changed since a search began counts for its candidates', async (t) => {
  const three = await openEngine(app, t, { key: 'three' })
  await three.name(['@avery', 1])
  const { searchId } = ok(await search(drew, [one, three]))
  const set = (sql: string) => app.sql(sql)
  const role = (name: string) =>
    set(
      `update organisation_members set role = '${name}' where person_id = (select id from people where handle = '@drew')`,
    )
  await role('member')
  assertError(await findCandidates(drew, searchId, ['1.1']), 400, 4006, /start another search/)
  await role('instructor')
  await set(`update plugins set is_active = false where id = ${three.pluginId}`)
  const { engines } = ok(await findCandidates(drew, searchId, ['1.1', '2.1']))
  assert.deepEqual(
    engines.map(({ problem }: { problem: string }) => problem),
    [null, 'It is no longer available to you'],
  )
  await set(`update plugins set is_active = true where id = ${three.pluginId}`)
  assert.deepEqual(handles(ok(await findCandidates(drew, searchId, ['2.1']))), ['@avery'])
  await role('member')
  const read = ok(await call(drew, 'GET', `${SEARCH}?searchId=${searchId}`))
  assert.deepEqual(handles(read.candidates), [])
  await role('instructor')
  await set(`delete from apps where id = ${three.appId}`)
  assert.equal(ok(await call(drew, 'GET', `${SEARCH}?searchId=${searchId}`)).engines[1].name, 'three')
})

test("someone else's search looks like an unknown one, also to an administrator", async () => {
  const { searchId } = ok(await search(casey, [one]))
  for (const browser of [drew, finley]) {
    assertError(await call(browser, 'GET', `${SEARCH}?searchId=${searchId}`), 404, 4042)
    assertError(await findCandidates(browser, searchId, ['1.1']), 404, 4042)
    assertError(await call(browser, 'PUT', '/planner/v1/plan', { name: 'Stolen', searchId }), 404, 4042)
  }
  assertError(await call(casey, 'GET', `${SEARCH}?searchId=x`), 404, 4042)
})

test('searches are listed, the newest first; the newest 100 of a person are kept, for 30 days', async (t) => {
  const own = await testApp(t, UNLIMITED)
  await openSchool(own)
  const engine = await openEngine(own, t, { key: 'one' })
  const casey = await signInBrowser(own, 'casey')
  const first = ok(await search(casey, [engine]))
  await own.sql(
    `insert into planner_searches (key, person_id, text, organisations, engines, capabilities, created_at)
     select 'old-' || n, p.id, 'x', '{}', '[]', '[]', now() from generate_series(1, 99) n, people p where p.handle = '@casey'`,
  )
  const list = async () => ok(await call(casey, 'GET', `${SEARCH}/list?limit=1`))
  assert.equal((await list()).total, 100)
  const { searchId, text, organisations, createdDate } = ok(await search(casey, [engine]))
  const outcome = { clientId: 'gs-one', name: 'one', status: 'answered', problem: null }
  assert.deepEqual(await list(), {
    docs: [{ searchId, text, organisations, createdDate, engines: [outcome] }],
    total: 100,
    limit: 1,
    page: 1,
    pages: 100,
  })
  assertError(await call(casey, 'GET', `${SEARCH}?searchId=${first.searchId}`), 404, 4042)
  own.advance(29 * 86_400_000)
  await tidy(own.environment())
  assert.equal((await own.sql(`select from planner_searches`)).length, 100)
  own.advance(2 * 86_400_000)
  await tidy(own.environment())
  assert.equal((await own.sql(`select from planner_searches`)).length, 0)
})

test('nobody floods a plugin: engines asked are counted by person, and two searches of a person run at once', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, RATE_PLANNER_PER_MINUTE: '9' })
  own.holdClock()
  await openSchool(own)
  const [a, b] = [await openEngine(own, t, { key: 'a' }), await openEngine(own, t, { key: 'b' })]
  const [casey, drew] = [await signInBrowser(own, 'casey'), await signInBrowser(own, 'drew')]
  let [atOnce, most] = [0, 0]
  const held: (() => void)[] = []
  a.says.capabilities = (response) => {
    most = Math.max(most, ++atOnce)
    held.push(() => {
      atOnce--
      response.end('{"capabilities":[]}')
    })
    // Answer calls in pairs, so that two searches must run in parallel before either can end.
    if (held.length >= 2) for (const answer of held.splice(0)) setTimeout(answer, 20)
  }
  const answers = await Promise.all(Array.from({ length: 5 }, () => search(casey, [a])))
  assert.deepEqual([answers.map(({ status }) => status).sort(), most], [[200, 200, 200, 200, 429], 2])
  ok(await search(casey, [b]))
  ok(await search(casey, [b]))
  assertError(await search(casey, [a, b, b]), 429, 4291)
  const refused = await search(casey, [b, b, b])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const { searchId } = ok(await search(drew, [b]))
  assert.equal((await findCandidates(drew, searchId, ['1.1'])).status, 200)
})

test('D4, D5: an invalid search is refused before any engine is asked', async () => {
  one.received.length = 0
  const engines = ['gs-one']
  const wrong: [object, number][] = [
    [{ engines }, 4001],
    [{ text: ' \n', engines }, 4001],
    [{ text: 'x' }, 4001],
    [{ text: 'x', engines: [] }, 4001],
    [{ text: 'x', engines: [''] }, 4003],
    [{ text: 5, engines }, 4005],
    [{ text: 'x', engines: 7 }, 4005],
    [{ text: 'x'.repeat(2001), engines }, 4003],
    [{ text: 'x', engines: Array.from({ length: 6 }, () => 'gs-one') }, 4003],
    [{ text: 'x', engines, organisations: Array.from({ length: 101 }, String) }, 4003],
  ]
  for (const [body, code] of wrong) assertError(await call(casey, 'PUT', SEARCH, body), 400, code)
  const raw = (text: string) =>
    casey.send(SEARCH, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: text })
  for (const text of ['{"text":"a\\u0000"}', '{"text":"\\ud800"}', '['.repeat(50_000), '{"text":1,"text":2}', '{'])
    assert.equal((await raw(text)).status, 400)
  const { searchId } = ok(await search(casey, [one]))
  one.received.length = 0
  for (const limit of [0, -1, 101, 1e9, 1.5, 'NaN', '5e0'])
    assert.equal((await findCandidates(casey, searchId, ['1.1'], { limit })).status, 400, String(limit))
  assert.equal(one.received.length, 0)
  for (const query of ['page=0', 'limit=101', 'limit=NaN', 'page=9007199254740993'])
    assert.equal((await call(casey, 'GET', `${SEARCH}/list?${query}`)).status, 400, query)
  const strange = ok(await search(casey, [one], { text: '%_\\ \u202e😀' }))
  assert.equal(strange.text, '%_\\ \u202e😀')
})

test('a person who deletes their account while engines are asked leaves nothing behind', async (t) => {
  const own = await testApp(t, UNLIMITED)
  await openSchool(own)
  const engine = await openEngine(own, t, { key: 'one' })
  const casey = await signInBrowser(own, 'casey')
  engine.says.capabilities = async (response) => {
    await own.sql(`delete from people where handle = '@casey'`)
    response.end('{"capabilities":[]}')
  }
  assertError(await search(casey, [engine]), 404, 4042)
  assert.equal((await own.sql('select from planner_searches')).length, 0)
})

test('a platform that stops does not wait for its engines', async (t) => {
  const own = await testApp(t, UNLIMITED)
  await openSchool(own)
  const engine = await openEngine(own, t, { key: 'one' })
  const casey = await signInBrowser(own, 'casey')
  const asked = new Promise<void>((resolve) => {
    engine.says.capabilities = () => resolve()
  })
  const answer = search(casey, [engine])
  await asked
  own.environment().stop()
  assertError(await answer, 503, 5030)
})
