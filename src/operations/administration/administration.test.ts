import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, isSignedIn, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { listStatements } from '../../kernel/database/statement.ts'
import { schemaOf } from '../../kernel/environment.ts'
import type { TestBrowser } from '../testing/browser.ts'
import { withClient } from '../testing/databases.ts'
import { readPages } from '../testing/pages.ts'
import { assertError, sharedApp } from '../testing/testing.ts'

const OBJECTS = 'https://platform.example/objects'
const app = await sharedApp({ ...UNLIMITED, XAPI_OBJECTS_BASE: OBJECTS })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   update people set first_name = 'Avery', last_name = 'van der Berg', email = 'Avery@Example.org' where handle = '@avery';
   update people set first_name = 'Blake', last_name = 'Moreau', developer = true where handle = '@blake'`,
)
const ellis = await signInBrowser(app, 'ellis')
const drew = await signInBrowser(app, 'drew')
const PERSON = '/admin/v1/person'
const read = async (handle: string) => (await call(ellis, 'GET', `${PERSON}?handle=${handle}`)).body
const find = async (query: string, more = '') => {
  const { body } = await call(ellis, 'GET', `${PERSON}/list?query=${encodeURIComponent(query)}${more}`)
  return body.docs.map((one: { handle: string }) => one.handle)
}
const audited = async (action: string) =>
  (await call(ellis, 'GET', `/admin/v1/audit?action=${action}&limit=1`)).body.docs[0]

test('an administrator finds people by the beginning of a handle, a name or an e-mail address', async () => {
  for (const query of ['@ave', 'AVERY', 'avery@ex', 'van der', 'avery van', 'van der berg', 'berg avery'])
    assert.deepEqual(await find(query), query === 'berg avery' ? [] : ['@avery'], query)
  assert.deepEqual(await find('moreau bl'), ['@blake'])
  assert.deepEqual(await find('%'), [])
  assert.deepEqual(await find('b', '&role=administrator'), [])
  assert.deepEqual(await find('b', '&role=developer'), ['@blake'])
  const { body } = await call(ellis, 'GET', `${PERSON}/list?limit=2&page=2`)
  assert.deepEqual(
    [body.docs.map((one: { handle: string }) => one.handle), body.total, body.pages],
    [['@casey', '@drew'], 6, 3],
  )
})

test('people are listed in the order that the administrator asks for, page by page', async () => {
  const list = async (more: string) =>
    (await call(ellis, 'GET', `${PERSON}/list?${more}`)).body.docs.map((one: { handle: string }) => one.handle)
  const all = await list('limit=100')
  assert.deepEqual(all, all.toSorted())
  assert.deepEqual(await list('limit=100&sort=-handle'), all.toReversed())
  const named = await list('limit=100&sort=-name')
  assert.deepEqual(named.slice(0, 2), ['@avery', '@blake'])
  assert.deepEqual(
    [...(await list('limit=3&sort=-name')), ...(await list('limit=3&sort=-name&page=2'))],
    named.slice(0, 6),
  )
  assert.deepEqual((await find('', '&sort=created')).length, all.length)
  for (const sort of ['password_hash', '--name', 'name desc'])
    assertError(await call(ellis, 'GET', `${PERSON}/list?sort=${sort}`), 400, 4003, /sort/)
})

test('a page of a long list is read from an index, without sorting everybody', async () => {
  const lists = listStatements().filter(({ name }) => /^(administration\.listPeople|apps\.listUsers)\./.test(name))
  assert.equal(lists.length, 8)
  await withClient(app.connection, async (client) => {
    await client.query(`set search_path = ${schemaOf('production')}; set enable_seqscan = off; set enable_sort = off`)
    for (const { name, text } of lists) {
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Sort/, name)
    }
  })
})

test('only administrators may', async () => {
  const about = { handle: '@avery', reason: 'because' }
  const asks: [method: 'GET' | 'POST', path: string, body?: object][] = [
    ['GET', `${PERSON}/list`],
    ['GET', `${PERSON}?handle=avery`],
    ['POST', `${PERSON}/disable`, about],
    ['POST', `${PERSON}/enable`, about],
    ['POST', `${PERSON}/sessions/end`, about],
    ['POST', `${PERSON}/password/reset`, about],
    ['GET', '/admin/v1/audit'],
    ['GET', '/admin/v1/system'],
    ['GET', '/admin/v1/overview'],
  ]
  for (const [method, path, body] of asks) {
    assertError(await call(drew, method, path, body), 403, 4032)
    assertError(await call(app.visitor(), method, path, body), 401, 4016)
  }
  assert.equal((await read('avery')).status, 'active')
})

test('a disabled person is signed out everywhere and cannot sign in, until they are enabled; the log says who and why', async () => {
  const casey = await signInBrowser(app, 'casey')
  const client = await app.as('casey')
  const before = await read('casey')
  assert.deepEqual([before.browsers, before.sessions, before.status], [1, 1, 'active'])
  assert.deepEqual(
    before.apps.map((one: { clientId: string }) => one.clientId),
    ['gs-first'],
  )
  assert.ok(before.lastSeenDate)
  const about = { handle: '@casey', reason: 'A shared password' }
  assertError(await call(ellis, 'POST', `${PERSON}/disable`, { handle: '@casey', reason: ' ' }), 400, 4001, /reason/)
  assertError(
    await call(ellis, 'POST', `${PERSON}/disable`, { handle: 'ellis', reason: 'x' }),
    400,
    4006,
    /your own account/,
  )
  assertError(await call(ellis, 'POST', `${PERSON}/disable`, { handle: 'nobody', reason: 'x' }), 404, 4042)
  assert.equal((await call(ellis, 'POST', `${PERSON}/disable`, about)).body.status, 'disabled')
  const after = await read('casey')
  assert.deepEqual([after.status, after.reason, after.browsers, after.sessions], ['disabled', about.reason, 0, 0])
  assert.ok(!(await isSignedIn(casey)))
  assert.equal((await client.get('/app/v1/bucket/list')).status, 403)
  assertError(
    await call(app.visitor(), 'POST', '/account/v1/signin', { handle: 'casey', password: 'groundschool' }),
    401,
    4011,
  )
  const entry = await audited('person.disabled')
  assert.deepEqual([entry.person, entry.by, entry.detail], ['@casey', '@ellis', { reason: about.reason }])
  assert.deepEqual(await find('casey', '&status=disabled'), ['@casey'])

  const { body } = await call(ellis, 'POST', `${PERSON}/enable`, { ...about, reason: 'A new one' })
  assert.equal(body.status, 'active')
  const enabled = await read('casey')
  assert.deepEqual([enabled.status, enabled.reason, enabled.disabledDate], ['active', 'A new one', null])
  await signInBrowser(app, 'casey')
})

test('ending sessions signs a person out everywhere, and they can sign in again', async () => {
  const blake = await signInBrowser(app, 'blake')
  const client = await app.as('blake')
  const { body } = await call(ellis, 'POST', `${PERSON}/sessions/end`, { handle: 'blake', reason: 'A lost phone' })
  assert.deepEqual([body.browsers, body.sessions, body.status], [0, 0, 'active'])
  assert.ok(!(await isSignedIn(blake)))
  assert.equal((await client.get('/app/v1/bucket/list')).status, 403)
  assert.deepEqual((await audited('sign-out.forced')).detail, { reason: 'A lost phone' })
  assert.ok(await isSignedIn(await signInBrowser(app, 'blake')))
})

test('a link for a new password goes to the person, and the administrator is told what prevents it', async () => {
  const send = (handle: string, browser: TestBrowser = ellis) =>
    call(browser, 'POST', `${PERSON}/password/reset`, { handle })
  assertError(await send('@drew'), 400, 4006, /no e-mail address/)
  assertError(await send('@nobody'), 404, 4042)
  const answer = await send('@avery')
  assert.deepEqual([answer.status, answer.body], [200, { success: true }])
  const [message] = await app.sql(`select kind, recipient from messages order by id desc limit 1`)
  assert.deepEqual(message, { kind: 'password-reset', recipient: 'Avery@Example.org' })
  for (let i = 0; i < 2; i++) await send('@avery')
  assertError(await send('@avery'), 400, 4006, /3 links/)
  assert.equal((await audited('password.reset-sent')).by, '@ellis')
})

test('the audit log is read by action, person, app and time, page by page', async () => {
  await app.as('finley', 'second')
  const list = async (query: string) => (await call(ellis, 'GET', `/admin/v1/audit?${query}`)).body
  const pages = await readPages(
    'limit=3',
    (query) => list(query),
    ({ next }) => (next === null ? undefined : `limit=3&cursor=${next}`),
  )
  for (const { docs } of pages.slice(0, -1)) assert.equal(docs.length, 3)
  const entries = pages.flatMap(({ docs }) => docs)
  const [{ count }] = (await app.sql('select count(*)::int as count from audit_entries')) as [{ count: number }]
  assert.equal(entries.length, count)
  assert.equal(new Set(entries.map((entry) => JSON.stringify(entry))).size, count)
  const dates = entries.map(({ date }) => date)
  assert.deepEqual(dates, dates.toSorted().reverse())

  const ofFinley = (await list('handle=@finley')).docs
  assert.ok(ofFinley.length > 0 && ofFinley.every(({ person }: { person: string }) => person === '@finley'))
  const byEllis = (await list('handle=ellis&action=person.disabled')).docs
  assert.deepEqual(
    byEllis.map(({ person, by }: { person: string; by: string }) => [person, by]),
    [['@casey', '@ellis']],
  )
  const ofApp = (await list('clientId=gs-second')).docs
  assert.ok(ofApp.length > 0 && ofApp.every(({ clientId }: { clientId: string }) => clientId === 'gs-second'))
  assert.deepEqual((await list('clientId=gs-second&handle=drew')).docs, [])
  assert.deepEqual((await list(`to=${dates.at(-1)}`)).docs, [])
  assert.equal((await list(`from=${dates[0]}`)).docs[0].date, dates[0])
  assert.deepEqual((await list('handle=nobody')).docs, [])
  for (const cursor of ['x', Buffer.from('9999-99-99 00:00:00+00 1').toString('base64url')])
    assertError(await call(ellis, 'GET', `/admin/v1/audit?cursor=${cursor}`), 400, 4003, /cursor/)
})

test('details without a value are left out, and a course that is only a draft has the name of the draft', async () => {
  await app.sql(`
    insert into organisations (key, name, created_at) values ('names', 'Names', now());
    insert into courses (key, organisation_id, draft, draft_at, created_at)
      select 'course-drafted', id, '{"name": "Night flight"}', now(), now() from organisations where key = 'names';
    insert into audit_entries (at, action, detail) values (now(), 'course.created', '{"course": "course-drafted", "lesson": null}')`)
  const { detail, names } = await audited('course.created')
  assert.deepEqual([detail, names], [{ course: 'course-drafted' }, { course: 'Night flight' }])
  const { text } = await call(ellis, 'GET', '/admin/v1/audit/csv?action=course.created')
  assert.match(text, /,"course: course-drafted"\r\n$/)

  const course = `${OBJECTS}/course/course-drafted`
  const asked = ['https://else.example/course/course-drafted', `${course}/1`, `${course}%`, course].join()
  const known = await call(
    ellis,
    'GET',
    `/admin/v1/names?handles=AVERY,@nobody&activities=${encodeURIComponent(asked)}`,
  )
  assert.deepEqual(known.body, { people: { '@avery': 'Avery van der Berg' }, activities: { [course]: 'Night flight' } })
  assertError(await call(drew, 'GET', '/admin/v1/names?handles=avery'), 403, 4032)
})

test('entries name people, apps and classes, and the log is exported as CSV with the same filters', async () => {
  const { body } = await call(ellis, 'GET', '/admin/v1/audit?action=person.disabled')
  assert.deepEqual(body.docs[0].names, {})
  await call(ellis, 'POST', `${PERSON}/sessions/end`, { handle: 'avery', reason: '=1+1' })
  const [ended] = (await call(ellis, 'GET', '/admin/v1/audit?handle=avery&action=sign-out.forced')).body.docs
  assert.deepEqual(ended.names, { person: 'Avery van der Berg' })
  const [signedIn] = (await call(ellis, 'GET', '/admin/v1/audit?clientId=gs-second&limit=1')).body.docs
  assert.equal(typeof signedIn.names.clientId, 'string')
  assertError(await call(ellis, 'GET', '/admin/v1/audit?action=unheard.of'), 400, 4003, /action/)

  const answer = await call(ellis, 'GET', '/admin/v1/audit/csv?action=sign-out.forced')
  assert.match(answer.headers.get('content-disposition') ?? '', /audit-log-\d{4}-\d\d-\d\d\.csv/)
  const lines = answer.text.trim().split('\r\n')
  assert.equal(lines.length, 1 + (await call(ellis, 'GET', '/admin/v1/audit?action=sign-out.forced')).body.docs.length)
  assert.match(lines[1]!, /,"sign-out\.forced","avery","Avery van der Berg","ellis",/)
  assertError(await call(drew, 'GET', '/admin/v1/audit/csv'), 403, 4032)
})

test('the system page shows versions, queues, and how long operations took in this process', async () => {
  const { body } = await call(ellis, 'GET', '/admin/v1/system')
  assert.equal(body.environment, 'production')
  assert.ok(body.database.sizeBytes > 1e6 && body.database.connections > 0 && body.database.migrations >= 44)
  assert.match(body.database.lastMigration, /^\d{4}_\w+$/)
  assert.ok(body.storage.freeBytes > 0 && body.storage.reserveBytes >= 0 && body.storage.recordsBytes >= 0)
  const list = body.operations.find(({ operation }: { operation: string }) => operation === 'findPeople')
  assert.ok(list.count >= 10 && list.refused >= 2 && list.failed === 0 && list.errorRate === 0)
  assert.ok(list.p50Ms > 0 && list.p95Ms >= list.p50Ms)
  assert.equal(body.deliveries.waiting, 0)
})

test('decisions of an administrator require a recent sign-in', async () => {
  app.advance(11 * 60_000)
  const about = { handle: '@avery', reason: 'because' }
  assertError(await call(ellis, 'POST', `${PERSON}/disable`, about), 401, 4016, /Sign in again/)
})
