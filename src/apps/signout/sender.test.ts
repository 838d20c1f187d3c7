import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { disablePerson } from '../../identity/people/people.ts'
import { until } from '../../kernel/database/test-database.ts'
import { nameResolver } from '../../kernel/outbound/resolver.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, UNLIMITED } from '../account/testing.ts'
import { basicHeader, exchange } from '../oauth/testing.ts'
import { claimsIn, LOGOUT, registerOpenidApp, signInTo, verifyLogoutToken } from './testing.ts'

const SETTINGS = { ...UNLIMITED, RATE_CLIENT_BURST: '100000' }
const waiting = async (app: TestApp): Promise<number> =>
  Number((await app.sql('select count(*) as n from logout_messages where failed_at is null'))[0]!.n)
const allSent = (app: TestApp): Promise<void> =>
  until('all messages are sent', async () => (await waiting(app)) === 0, 30_000)

test('every way in which a session ends for the person tells the app; what the app ends itself does not', async (t) => {
  const app = await testApp(t, SETTINGS)
  const receiver = await openReceiver(t)
  const told = await registerOpenidApp(app, 'told', { backchannelLogoutUri: receiver.address })
  const other = await registerOpenidApp(app, 'other')
  const expectToken = async (what: string, end: () => Promise<unknown>, sid: unknown) => {
    const before = receiver.received.length
    await end()
    await until(what, async () => receiver.received.length > before)
    await allSent(app)
    assert.equal(receiver.received.length, before + 1, what)
    assert.equal((await verifyLogoutToken(app, receiver.received.at(-1)!, told.clientId)).sid, sid, what)
  }
  const post = async (user: { browser: Parameters<typeof call>[0] }, path: string, body: object) => {
    const answer = await call(user.browser, 'POST', path, body)
    assert.equal(answer.status, 200, answer.text)
  }
  let user = await signInTo(app, told)
  await expectToken('signed out here', () => post(user, '/account/v1/signout', {}), user.claims.sid)
  user = await signInTo(app, told)
  const atOther = await signInTo(app, other, { browser: user.browser })
  const logout = () => user.browser.get(LOGOUT, { id_token_hint: atOther.idToken })
  await expectToken('signed out at another app of the browser', logout, user.claims.sid)
  user = await signInTo(app, told)
  const { body: apps } = await call(user.browser, 'GET', '/account/v1/apps')
  const { sessionId } = apps.find(({ clientId }: { clientId: string }) => clientId === told.clientId).sessions[0]
  await expectToken('ended in the account', () => post(user, '/account/v1/session/end', { sessionId }), user.claims.sid)
  user = await signInTo(app, told, { scope: 'openid offline_access' })
  const withdraw = () => post(user, '/account/v1/app/withdraw', { clientId: told.clientId })
  await expectToken('consent withdrawn', withdraw, user.claims.sid)
  user = await signInTo(app, told, { scope: 'openid offline_access' })
  const change = { password: 'groundschool', newPassword: 'a much longer password' }
  await expectToken('password changed', () => post(user, '/account/v1/password', change), user.claims.sid)
  await app.givePassword('avery')
  user = await signInTo(app, told)
  const { db, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  await expectToken(
    'disabled',
    () => disablePerson(db, who, { handle: '@avery', isDisabled: true }, []),
    user.claims.sid,
  )

  const casey = await signInTo(app, told, { person: 'casey' })
  const leave = () => post(casey, '/account/v1/delete', { handle: '@casey', password: 'groundschool' })
  await expectToken('account deleted', leave, casey.claims.sid)

  const blake = await signInTo(app, told, { person: 'blake', scope: 'openid offline_access' })
  const before = receiver.received.length
  const revoke = { token: blake.refreshToken! }
  await exchange(app, revoke, 'form', { path: '/oauth/v2/revoke', headers: basicHeader(told) })
  assert.equal(await waiting(app), 0)
  assert.equal(receiver.received.length, before)
})

test('a message that was not taken is sent again with a fresh token, and is listed once it has failed for a day', async (t) => {
  const app = await testApp(t, SETTINGS)
  app.holdClock()
  const ANSWERS = [500, 302, 400]
  const answers = [...ANSWERS]
  const receiver = await openReceiver(t, (response) =>
    response.writeHead(answers.shift() ?? 503, { location: '/elsewhere' }).end('secret details'),
  )
  const told = await registerOpenidApp(app, 'told', { backchannelLogoutUri: receiver.address })
  const { browser } = await signInTo(app, told)
  await call(browser, 'POST', '/account/v1/signout', {})
  for (let attempt = 1; attempt <= 3; attempt++) {
    await until(`attempt ${attempt}`, async () => receiver.received.length === attempt)
    const status = ANSWERS[attempt - 1]
    await until(
      'it is put back',
      async () => (await app.sql('select status from logout_messages'))[0]!.status === status,
    )
    app.advance(20 * 60_000)
  }
  await until('a fourth attempt', async () => receiver.received.length === 4)
  const claims = receiver.received.slice(0, 4).map(claimsIn)
  assert.equal(new Set(claims.map(({ jti }) => jti)).size, 4)
  assert.equal(new Set(claims.map(({ sid }) => sid)).size, 1)
  for (const { exp, iat } of claims) assert.equal(exp! - iat!, 120)
  assert.ok(claims[1]!.iat! > claims[0]!.iat!)
  assert.ok(
    receiver.received.every(({ path }) => path === '/'),
    'redirects are not followed',
  )
  app.advance(25 * 3600_000)
  await until('it has failed', async () => (await waiting(app)) === 0)
  const [row] = await app.sql('select problem, status, failed_at is not null as failed from logout_messages')
  assert.deepEqual(row, { problem: 'It responded with 503', status: 503, failed: true })
})

test('a receiver that never answers, or sends without end, holds up nobody else', async (t) => {
  const app = await testApp(t, SETTINGS)
  const silent = await openReceiver(t, () => {})
  let sentBytes = 0
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const endless = createServer((_request, response) => {
    response.writeHead(200)
    const pump = () => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length
      if (!response.destroyed) response.once('drain', pump)
    }
    pump()
  }).listen(0, '127.0.0.1')
  t.after(() => {
    endless.closeAllConnections()
    endless.close()
  })
  await until('it listens', async () => endless.listening)
  const good = await openReceiver(t)
  const addresses = [silent.address, `http://127.0.0.1:${(endless.address() as AddressInfo).port}`, good.address]
  const apps = []
  for (const [i, backchannelLogoutUri] of addresses.entries())
    apps.push(await registerOpenidApp(app, `told-${i}`, { backchannelLogoutUri }))
  const { browser } = await signInTo(app, apps[0]!)
  for (const one of apps.slice(1)) await signInTo(app, one, { browser })
  await call(browser, 'POST', '/account/v1/signout', {})
  await until('the others are told', async () => good.received.length === 1 && (await waiting(app)) === 1, 5000)
  assert.ok(sentBytes < 16 * 1024 * 1024, `${sentBytes} bytes`)
  assert.equal(silent.received.length, 1)
})

test('no private address is called if others can reach the platform, whatever its name resolves to', async (t) => {
  const app = await testApp(t, { ...SETTINGS, PLUGIN_ADDRESSES: 'public' })
  const receiver = await openReceiver(t)
  const { port } = new URL(receiver.address)
  app.environment().provide(nameResolver, async () => ['127.0.0.1'])
  const uris = [`http://127.0.0.1:${port}/`, `https://app.example.org:${port}/`, `https://127.0.0.1:${port}/`]
  const apps = []
  for (const [i, uri] of uris.entries()) {
    const one = await registerOpenidApp(app, `told-${i}`)
    await app.sql(`update apps set backchannel_logout_uri = '${uri}' where client_id = '${one.clientId}'`)
    apps.push(one)
  }
  const { browser } = await signInTo(app, apps[0]!)
  for (const one of apps.slice(1)) await signInTo(app, one, { browser })
  await call(browser, 'POST', '/account/v1/signout', {})
  const failed = () => app.sql('select problem from logout_messages where problem is not null')
  await until('all were tried', async () => (await failed()).length === 3)
  for (const { problem } of await failed()) assert.match(String(problem), /public internet|be https/)
  assert.equal(receiver.connections(), 0)
})

test('a thousand sessions that end at once are told once each, though two processes send', async (t) => {
  const app = await testApp(t, SETTINGS)
  const receiver = await openReceiver(t)
  const told = await registerOpenidApp(app, 'told', { backchannelLogoutUri: receiver.address })
  await app.startSecond()
  const { browser } = await signInTo(app, told)
  await app.sql(
    `insert into sessions (id, app_id, person_id, user_id, door, device, scopes, browser_id, refreshed_at, created_at, expires_at)
     select gen_random_uuid(), s.app_id, s.person_id, s.user_id, 'code', 'test', s.scopes, gen_random_uuid(), now(), now(), now() + interval '1 day'
       from sessions s, generate_series(1, 999) where s.browser_id is not null`,
  )
  const answer = await call(browser, 'POST', '/account/v1/sessions/end-all', {})
  assert.equal(answer.status, 200, answer.text)
  await allSent(app)
  assert.equal(receiver.received.length, 1000)
  assert.equal(new Set(receiver.received.map((one) => claimsIn(one).sid)).size, 1000)
})

test('a message exists if and only if the ending was committed, and survives a process that died with it', async (t) => {
  const app = await testApp(t, SETTINGS)
  app.holdClock()
  const receiver = await openReceiver(t)
  const told = await registerOpenidApp(app, 'told', { backchannelLogoutUri: receiver.address })
  const { browser, claims } = await signInTo(app, told)
  const { db, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const failing = db.transaction(async (tx) => {
    await disablePerson(tx, who, { handle: '@avery', isDisabled: true }, [])
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.equal(await waiting(app), 0)
  // Another process has claimed the message, and dies before it sends it.
  await app.sql(
    `insert into logout_messages (app_id, user_id, sid, created_at, due_at, attempts, token)
     select app_id, user_id, '${claims.sid}', '${clock().toISOString()}', '${clock().toISOString()}'::timestamptz + interval '30 seconds', 1, 1
       from sessions where browser_id is not null`,
  )
  await call(browser, 'GET', '/account/v1/me')
  assert.equal(receiver.received.length, 0)
  app.advance(31_000)
  await allSent(app)
  assert.deepEqual(
    receiver.received.map((one) => claimsIn(one).sid),
    [claims.sid],
  )
})
