import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settleTwice, titlesOf } from '../../identity/notifications/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'

const PATH = '/app/v1/app'
const app = await sharedApp(UNLIMITED, { withSandbox: true })
for (const environment of ['production', 'sandbox'] as const)
  await app.sql(
    `update people set administrator = true where handle = '@ellis';
     insert into organisations (key, name, created_at) values ('school', 'School', now()), ('other', 'Other', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('school', '@drew', 'developer'), ('school', '@casey', 'owner'), ('school', '@avery', 'member'),
       ('other', '@blake', 'owner')) r(key, handle, role)
       join organisations o on o.key = r.key join people p on p.handle = r.handle`,
    environment,
  )
const [drew, casey, ellis, blake, avery] = [
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'ellis'),
  await signInBrowser(app, 'blake'),
  await signInBrowser(app, 'avery'),
]
const LOGBOOK = { name: 'Logbook', organisation: 'school', redirectUris: ['http://127.0.0.1/callback'] }
const register = async (fields: object, browser: TestBrowser = drew) => {
  const { body, status, text } = await call(browser, 'PUT', PATH, { ...LOGBOOK, ...fields })
  assert.equal(status, 200, text)
  return body
}
const exchange = (clientId: string, clientSecret: string, address = app.nobody()) =>
  address.post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_id: clientId,
    client_secret: clientSecret,
  })

test('those who manage an app are notified of the decision, each once', async () => {
  const { clientId } = await register({ key: 'notified', name: 'Decided' })
  await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
  await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
  await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'suspended', reason: 'It leaks.' })
  await settleTwice(app)
  for (const person of ['drew', 'casey'])
    assert.deepEqual(await titlesOf(app, person), ['Decided was approved', 'Decided was suspended'])
  for (const person of ['ellis', 'blake', 'avery']) assert.deepEqual(await titlesOf(app, person), [])
  const [row] = await app.sql(`select text, link from notifications where title like '%suspended' limit 1`)
  assert.deepEqual(row, {
    text: 'An administrator suspended the app Decided. Reason: It leaks.',
    link: '/console/apps/gs-notified',
  })
})

test('developers and owners of an organisation register apps for it, and nobody else does', async () => {
  const { clientSecret, createdDate, secrets, ...rest } = await register({ key: 'logbook' })
  assert.match(clientSecret, /^gs_cs_/)
  assert.deepEqual(secrets, [{ createdDate, lastUsedDate: null }])
  assert.deepEqual(rest, {
    clientId: 'gs-logbook',
    name: 'Logbook',
    organisation: 'school',
    organisationName: 'School',
    owner: '@drew',
    status: 'pending',
    statusReason: null,
    public: false,
    redirectUris: ['http://127.0.0.1/callback'],
    launchUri: null,
    origins: [],
    scopes: [],
    users: 0,
    storageUsed: 0,
    storageLimit: 104_857_600,
    recordsUsed: 0,
    may: { decide: false },
  })
  assertError(await call(drew, 'PUT', PATH, { ...LOGBOOK, key: 'logbook' }), 400, 4002)
  assertError(await call(drew, 'PUT', PATH, { ...LOGBOOK, key: 'sbx-logbook' }), 400, 4003, /sbx-/)
  assert.equal((await register({ key: 'owned' }, casey)).owner, '@casey')
  assert.equal((await register({ key: 'open', public: true })).clientSecret, null)
  for (const browser of [avery, blake])
    assertError(await call(browser, 'PUT', PATH, LOGBOOK), 403, 4032, /not one of its developers/)
  const wrong = { ...LOGBOOK, redirectUris: ['javascript:alert(1)'] }
  assertError(await call(drew, 'PUT', PATH, wrong), 400, 4003, /redirect URI/)
})

test('an app waits for an administrator in production, and works at once in the sandbox', async () => {
  const { clientId, clientSecret } = await register({ key: 'slow' })
  assertError(await exchange(clientId, clientSecret), 401, 4013, /is pending/, 'oauth')
  for (const browser of [drew, casey])
    assertError(await call(browser, 'POST', `${PATH}/status`, { clientId, status: 'approved' }), 403, 4032)
  const missing = { clientId: 'gs-nothing', status: 'approved' }
  assertError(await call(ellis, 'POST', `${PATH}/status`, missing), 404, 4041)
  const waiting = await call(ellis, 'GET', `${PATH}/list?status=pending&limit=100`)
  assert.ok(waiting.body.docs.some((one: { clientId: string }) => one.clientId === clientId))
  const approved = await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
  assert.equal(approved.body.status, 'approved')
  assertError(await exchange(clientId, clientSecret), 403, 4034, undefined, 'oauth')
  const suspend = (reason?: string) =>
    call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'suspended', ...(reason !== undefined && { reason }) })
  for (const reason of [undefined, '', '  ']) assertError(await suspend(reason), 400, 4001, /reason is missing/)
  const suspended = await suspend('Its redirect URI belongs to somebody else')
  assert.deepEqual(
    [suspended.body.status, suspended.body.statusReason],
    ['suspended', 'Its redirect URI belongs to somebody else'],
  )
  const seen = await call(drew, 'GET', `${PATH}?clientId=${clientId}`)
  assert.equal(seen.body.statusReason, 'Its redirect URI belongs to somebody else')
  assertError(await exchange(clientId, clientSecret), 401, 4013, /is suspended/, 'oauth')
  const actions = await app.sql(
    `select e.action from audit_entries e join apps a on a.id = e.app_id where a.client_id = '${clientId}' order by e.id`,
  )
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['app.added', 'app.approved', 'app.suspended'],
  )

  const there = await register({ key: 'quick' }, await signInBrowser(app, 'drew', 'sandbox'))
  assert.deepEqual([there.clientId, there.status], ['gs-sbx-quick', 'approved'])
  const answer = await exchange(there.clientId, there.clientSecret, app.nobody('sandbox'))
  assertError(answer, 403, 4034, undefined, 'oauth')
})

test('an app of others looks like one that does not exist', async () => {
  const { clientId } = await register({ key: 'hidden' })
  const asks = (name: string): [method: 'GET' | 'POST' | 'PUT', path: string, body?: object][] => [
    ['GET', `${PATH}?clientId=${name}`],
    ['POST', PATH, { clientId: name, name: 'Mine' }],
    ['PUT', `${PATH}/secret`, { clientId: name }],
    ['POST', `${PATH}/secret/drop`, { clientId: name }],
    ['GET', `${PATH}/users?clientId=${name}`],
    ['GET', `${PATH}/requests?clientId=${name}`],
  ]
  for (const browser of [avery, blake]) {
    const [real, unreal] = await Promise.all(
      [clientId, 'gs-nothing'].map((name) =>
        Promise.all(asks(name).map(([method, path, body]) => call(browser, method, path, body))),
      ),
    )
    assert.deepEqual(
      real!.map(({ body }) => body),
      unreal!.map(({ body }) => body),
    )
    assertError(real![0]!, 403, 4032)
  }
  assert.deepEqual((await call(blake, 'GET', `${PATH}/list`)).body.docs, [])
})

test('an app has two secrets while its servers are switched over, and both work', async () => {
  const { clientId, clientSecret } = await register({ key: 'rotating' })
  await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
  const second = (await call(drew, 'PUT', `${PATH}/secret`, { clientId })).body.clientSecret
  assertError(await call(drew, 'PUT', `${PATH}/secret`, { clientId }), 400, 4006, /revoke the old one/)
  for (const secret of [clientSecret, second])
    assertError(await exchange(clientId, secret), 403, 4034, undefined, 'oauth')
  const dropped = await call(drew, 'POST', `${PATH}/secret/drop`, { clientId })
  assert.equal(dropped.body.secrets.length, 1)
  assertError(await exchange(clientId, clientSecret), 401, 4011, undefined, 'oauth')
  assertError(await exchange(clientId, second), 403, 4034, undefined, 'oauth')
})

test('changing an app replaces its redirect URIs and keeps fields that are left out', async () => {
  const { clientId } = await register({ key: 'changing' })
  const redirectUris = ['https://app.example.org/callback']
  const changed = (await call(casey, 'POST', PATH, { clientId, redirectUris })).body
  assert.deepEqual([changed.name, changed.redirectUris], ['Logbook', redirectUris])
  assert.equal((await call(casey, 'POST', PATH, { clientId, name: 'Flight log' })).body.name, 'Flight log')
  assert.deepEqual((await call(casey, 'GET', `${PATH}?clientId=${clientId}`)).body.redirectUris, redirectUris)
  assertError(await call(casey, 'POST', PATH, { clientId, redirectUris: ['http://app.example.org/'] }), 400, 4003)
})

test('a refusal names every fault of the settings, and where it is', async () => {
  const { clientId } = await register({ key: 'faulty' })
  const wrong = {
    redirectUris: ['https://app.example.org/cb', 'http://app.example.org/cb', 'javascript:alert(1)'],
    origins: ['nowhere'],
    launchUri: 'https://elsewhere.example.org/',
  }
  for (const answer of [
    await call(drew, 'POST', PATH, { clientId, ...wrong }),
    await call(drew, 'PUT', PATH, { ...LOGBOOK, key: 'faulty-2', ...wrong }),
  ]) {
    assertError(answer, 400, 4003, /http:\/\/app\.example\.org\/cb must .*javascript:alert\(1\) must .*nowhere is not/)
    assert.deepEqual(
      answer.body.faults.map(({ pointer }: { pointer: string }) => pointer),
      ['/redirectUris/1', '/redirectUris/2', '/origins/0', '/launchUri'],
    )
  }
})

test('the launch address of an app is one of its redirect URIs, also when these change', async () => {
  const launchUri = 'https://app.example.org/callback?part=1'
  const redirectUris = ['https://app.example.org/callback']
  const fields = { redirectUris, launchUri, origins: ['https://app.example.org'] }
  const { clientId, ...made } = await register({ key: 'opened', ...fields })
  assert.deepEqual([made.launchUri, made.origins], [launchUri, ['https://app.example.org']])
  const change = (what: object) => call(drew, 'POST', PATH, { clientId, ...what })
  for (const wrong of [{ launchUri: 'https://evil.example/' }, { redirectUris: ['myapp://back'] }])
    assertError(await change(wrong), 400, 4003, /launchUri must be one of the redirect URIs/)
  assertError(await change({ launchUri: `${redirectUris[0]}?code=1` }), 400, 4003, /not have code/)
  assertError(await change({ origins: ['https://app.example.org/'] }), 400, 4003, /not an origin/)
  assert.equal((await change({ name: 'Renamed' })).body.launchUri, launchUri)
  const moved = await change({ redirectUris: ['myapp://back'], launchUri: 'myapp://back' })
  assert.equal(moved.body.launchUri, 'myapp://back')
  const without = (await change({ launchUri: '', origins: [] })).body
  assert.deepEqual([without.launchUri, without.origins], [null, []])
})

test('plugins are not listed among apps', async () => {
  const plugin = { kind: 'ai', name: 'Engine', organisation: 'school', key: 'engine' }
  assert.equal((await call(drew, 'PUT', '/plugin/v1/plugin', plugin)).status, 200)
  const { docs } = (await call(drew, 'GET', `${PATH}/list?organisation=school&limit=100`)).body
  assert.ok(docs.length > 0)
  assert.ok(!docs.some((one: { clientId: string }) => one.clientId === 'gs-engine'))
  assertError(await call(drew, 'GET', `${PATH}?clientId=gs-engine`), 403, 4032)
})

test('developers see the users of their app by the ids that the app knows, and when they were last seen', async () => {
  const { clientId } = await register({ key: 'used' })
  await app.sql(
    `insert into app_users (user_id, app_id, person_id, consented_at, allowed_at, withdrawn_at)
     select 'used-' || p.handle_key, a.id, p.id, now() - case when p.handle_key = 'drew' then interval '1 day' else '0' end, case when p.handle_key <> 'blake' then now() end, case when p.handle_key = 'casey' then now() end
       from apps a, people p where a.client_id = '${clientId}' and p.handle_key in ('avery', 'blake', 'casey', 'drew');
     insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
     select gen_random_uuid(), app_id, person_id, user_id, 'code', '2026-05-01T12:00:00Z', now(), now() from app_users where user_id = 'used-drew'`,
  )
  const { body } = await call(drew, 'GET', `${PATH}/users?clientId=${clientId}&limit=1&page=2`)
  const { sinceDate, ...second } = body.docs[0]
  assert.ok(sinceDate)
  assert.deepEqual(
    [second, body.total, body.pages],
    [{ userId: 'used-drew', anonymous: false, lastSeenDate: '2026-05-01T12:00:00.000Z' }, 2, 2],
  )
  const [first] = (await call(casey, 'GET', `${PATH}/users?clientId=${clientId}`)).body.docs
  assert.deepEqual([first.userId, first.lastSeenDate], ['used-avery', null])
  const [oldest] = (await call(casey, 'GET', `${PATH}/users?clientId=${clientId}&sort=since`)).body.docs
  assert.equal(oldest.userId, 'used-drew')
})

test('what an app says that the caller may decide is what the operation lets them decide', async () => {
  const { clientId } = await register({ key: 'answered' })
  for (const browser of [drew, casey, ellis]) {
    const { may } = (await call(browser, 'GET', `${PATH}?clientId=${clientId}`)).body
    const { status } = await call(browser, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
    assert.deepEqual([may.decide, status], browser === ellis ? [true, 200] : [false, 403])
  }
})
