import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '../../identity/passkeys/testing.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { Client, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { assertRfcError, assertTokenDies, basicHeader, exchange, registerApp } from '../oauth/testing.ts'
import { verifyIdToken } from '../openid/testing.ts'
import { makeUserCode, showUserCode } from './devices.ts'
import { readUserCode } from './rules.ts'
import { AUTHORIZE, type Codes, decide, GRANT, poll, registerTv, start, type } from './testing.ts'

const validate = async (app: TestApp, token: string): Promise<number> =>
  (await new Client(app.address, token).get('/oauth/token/validate')).status

const auditOf = async (app: TestApp): Promise<string[]> =>
  (
    await app.sql(
      `select action from audit_entries where action like 'device.%' or action like 'consent.%' order by id`,
    )
  ).map(({ action }) => String(action))

// An app shared by the tests that use only their own codes.
const app = await sharedApp({}, { withSandbox: true })

test('a device gets two codes, and an address to type one of them at', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const { url } = app.environment()
  const { device_code, user_code, ...rest } = (await start(app, tv)) as Codes & Record<string, unknown>
  assert.match(device_code, /^gs_dc_[\w-]{49}$/)
  assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  assert.deepEqual(rest, {
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${user_code}`,
    expires_in: 600,
    interval: 5,
  })
  const [row] = await app.sql('select * from device_grants')
  assert.ok(!JSON.stringify(row).includes(device_code), 'the device code is kept as a hash only')
})

test('only apps with the permission get codes and use them', async () => {
  const plain = await registerApp(app, { key: 'plain' })
  const tv = await registerTv(app, 'only')
  const box = await registerApp(app, { key: 'box', isDeviceEnabled: true })
  const ask = (fields: Record<string, string>, headers = {}) =>
    exchange(app, fields, 'form', { path: AUTHORIZE, headers })
  assertRfcError(await ask({}, basicHeader(plain)), 400, 'unauthorized_client', 4014)
  assertRfcError(await ask({}), 400, 'invalid_request', 4001)
  assertRfcError(await ask({ client_id: box.clientId }), 401, 'invalid_client', 4011)
  assertRfcError(await ask({ client_id: 'gs-nobody' }), 401, 'invalid_client', 4012)
  assert.equal((await ask({}, basicHeader(box))).status, 200)
  assertRfcError(
    await exchange(app, { client_id: tv.clientId }, 'query', { path: AUTHORIZE }),
    400,
    'invalid_request',
    4000,
  )
  const foreign = await poll(app, tv, { device_code: mintToken('device', 'sandbox') })
  assertRfcError(foreign, 400, 'invalid_grant', 4015)
  assert.match(foreign.body.error_description, /device code was issued by the sandbox environment/, 'O14')
  const codes = await start(app, tv)
  await app.sql(`update apps set device_enabled = false where client_id = '${tv.clientId}'`)
  assertRfcError(await poll(app, tv, codes), 400, 'unauthorized_client', 4014)
  const old = await exchange(app, { grant_type: GRANT, client_id: tv.clientId, device_code: codes.device_code })
  assert.equal(old.body.error, 'unsupported_grant_type', 'this grant is by the book only')
})

test('a person allows the device, and it gets tokens', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  assertRfcError(await poll(app, tv, codes), 400, 'authorization_pending', 4006)
  const browser = await signedIn(app, 'avery')
  const page = await type(browser, codes.user_code)
  assert.match(page.text, /Cockpit TV/)
  assert.ok(page.text.includes(codes.user_code))
  assert.match(page.text, /Only continue if you started this yourself/)
  assert.ok(page.text.includes('@avery'))
  const done = await browser.submit(page, { decision: 'allow' }, '/device/decision')
  assert.match((await browser.follow(done)).text, /Go back to your device/)

  const answer = await poll(app, tv, codes)
  assert.equal(answer.status, 200, answer.text)
  const { access_token, refresh_token, ...rest } = answer.body
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 86_400, scope: 'user' })
  assert.equal(await validate(app, access_token), 200)
  const refreshed = await exchange(
    app,
    { grant_type: 'refresh_token', refresh_token, client_id: tv.clientId },
    'form',
    { path: '/oauth/v2/token' },
  )
  assert.equal(refreshed.status, 200, refreshed.text)
  assert.deepEqual(await auditOf(app), ['consent.given', 'device.allowed'])
  assert.deepEqual(await app.sql('select door from sessions'), [{ door: 'device' }])
})

test('the ID token of a device says nothing of when the person authenticated, which was in a browser', async () => {
  const tv = await registerTv(app, 'openid')
  const scope = 'openid profile'
  const { body: codes } = await exchange(app, { client_id: tv.clientId, scope }, 'form', { path: AUTHORIZE })
  await decide(await signedIn(app, 'avery'), codes, 'allow')
  const { body } = await poll(app, tv, codes)
  const { sub, sid, ...claims } = await verifyIdToken(app, body.id_token, tv.clientId)
  assert.ok(sub && sid)
  assert.deepEqual(Object.keys(claims).sort(), ['at_hash', 'aud', 'exp', 'iat', 'iss'])
})

test('a person denies the device, and it is told so', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const done = await decide(browser, codes, 'deny')
  assert.match((await browser.follow(done)).text, /You denied access/)
  assertRfcError(await poll(app, tv, codes), 400, 'access_denied', 4032)
  assert.deepEqual(await auditOf(app), ['device.denied'])
  assert.deepEqual(await app.sql('select 1 from app_users'), [])
})

test('a device that polls too often is told to slow down, and has to wait longer from then on', async () => {
  const tv = await registerTv(app, 'often')
  const codes = await start(app, tv)
  const ask = async () => (await poll(app, tv, codes)).body.error
  assert.equal(await ask(), 'authorization_pending')
  assert.equal(await ask(), 'slow_down')
  app.advance(5_000)
  assert.equal(await ask(), 'slow_down', 'ten seconds by now')
  app.advance(15_000)
  assert.equal(await ask(), 'authorization_pending')
  app.advance(10_000)
  assert.equal(await ask(), 'slow_down', 'the longer wait stays')
  await decide(await signedIn(app, 'avery'), codes, 'allow')
  assert.equal((await poll(app, tv, codes)).status, 200)
})

test('codes are valid for ten minutes', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const late = await start(app, tv)
  const allowed = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const page = await type(browser, late.user_code)
  await decide(browser, allowed, 'allow')
  app.advance(600_000)
  assertRfcError(await poll(app, tv, late), 400, 'expired_token', 4006)
  assertRfcError(await poll(app, tv, allowed), 400, 'expired_token', 4006)
  assert.equal((await browser.submit(page, { decision: 'allow' }, '/device/decision')).status, 404)
  assert.match((await type(browser, late.user_code)).text, /has expired/)
  await tidy(app.environment())
  assert.equal((await app.sql('select 1 from device_grants')).length, 2)
  app.advance(86_400_000)
  await tidy(app.environment())
  assert.equal((await app.sql('select 1 from device_grants')).length, 0)
})

test('a device code is used once: a second use ends the session that the first one made', async () => {
  const tv = await registerTv(app, 'once')
  const other = await registerTv(app, 'other-once')
  const codes = await start(app, tv)
  await decide(await signedIn(app, 'avery'), codes, 'allow')
  assertRfcError(await poll(app, other, codes), 400, 'invalid_grant', 4015)
  const { body } = await poll(app, tv, codes)
  assertRfcError(await poll(app, other, codes), 400, 'invalid_grant', 4015)
  assert.equal(await validate(app, body.access_token), 200, 'nothing that another app does touches it')
  assertRfcError(await poll(app, tv, codes), 400, 'invalid_grant', 4008)
  await assertTokenDies(app.address, body.access_token)
  for (const device_code of ['x', 'gs_dc_x', `${codes.device_code}x`, codes.device_code.replace('gs_', 'gs_sbx_')])
    assertRfcError(await poll(app, tv, { device_code }), 400, 'invalid_grant', 4015)
})

test('of ten requests at once for an allowed device, exactly one succeeds', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const browser = await signedIn(app, 'avery')
  for (let round = 0; round < 10; round++) {
    const codes = await start(app, tv)
    await decide(browser, codes, 'allow')
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(app, tv, codes)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRfcError(answer, 400, 'invalid_grant', 4008)
  }
  assert.deepEqual(await app.sql('select count(*)::int as count from sessions'), [{ count: 10 }])
})

test('of two people who decide on one device at once, exactly one does', async () => {
  const tv = await registerTv(app, 'two')
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  for (let round = 0; round < 5; round++) {
    const codes = await start(app, tv)
    const pages = [await type(avery, codes.user_code), await type(blake, codes.user_code)] as const
    const decisions = await Promise.all([
      avery.submit(pages[0], { decision: 'allow' }, '/device/decision'),
      blake.submit(pages[1], { decision: 'allow' }, '/device/decision'),
    ])
    assert.deepEqual(decisions.map(({ status }) => status).sort(), [303, 404])
    const { body } = await poll(app, tv, codes)
    assert.equal(await validate(app, body.access_token), 200)
  }
})

test('a new password, a disabled account or a withdrawn consent undoes what was allowed and not used yet', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const undoings = [
    `update people set epoch = epoch + 1 where handle_key = 'avery'`,
    `update app_users set withdrawn_at = now(), epoch = epoch + 1`,
    `update people set disabled_at = now(), epoch = epoch + 1 where handle_key = 'avery'`,
  ]
  for (const undoing of undoings) {
    const codes = await start(app, tv)
    await decide(await signedIn(app, 'avery'), codes, 'allow')
    await app.sql(undoing)
    assertRfcError(await poll(app, tv, codes), 400, 'invalid_grant', 4015)
  }
})

test('a suspended app asks nobody, and gets nothing', async () => {
  const tv = await registerTv(app, 'suspended')
  const [codes, allowed] = [await start(app, tv), await start(app, tv)]
  const browser = await signedIn(app, 'avery')
  await decide(browser, allowed, 'allow')
  await app.sql(`update apps set status = 'suspended' where client_id = '${tv.clientId}'`)
  assert.equal((await type(browser, codes.user_code)).status, 404)
  assertRfcError(await poll(app, tv, allowed), 401, 'invalid_client', 4013)
})

test('codes have eight consonants, and all are different', () => {
  const codes = Array.from({ length: 2000 }, makeUserCode)
  assert.equal(new Set(codes).size, 2000)
  assert.equal(new Set(codes.join('')).size, 20)
  for (const code of codes) assert.equal(readUserCode(showUserCode(code)), code)
})

test('nobody can use up the open codes of an app', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const fill = (from: number, to: number, network: string) =>
    app.sql(`
      insert into device_grants (device_hash, user_code, app_id, status, device, network, interval_seconds, created_at, expires_at)
      select sha256(i::text::bytea), 'code' || i, (select id from apps where client_id = '${tv.clientId}'), 'pending', '', '${network}',
             5, now(), now() + interval '10 minutes' from generate_series(${from}, ${to}) i`)
  const [mine] = (await start(app, tv)) ? await app.sql('select network from device_grants') : []
  await fill(1, 999, String(mine!.network))
  const refused = await exchange(app, { client_id: tv.clientId }, 'form', { path: AUTHORIZE })
  assertRfcError(refused, 429, 'temporarily_unavailable', 4291)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await app.sql(`update device_grants set network = '192.0.2.1'`)
  await start(app, tv)
  await fill(1001, 9999, '192.0.2.1')
  assertRfcError(
    await exchange(app, { client_id: tv.clientId }, 'form', { path: AUTHORIZE }),
    429,
    'temporarily_unavailable',
    4291,
  )
  assert.ok(await start(app, await registerTv(app, 'other')), 'other apps notice nothing')
  app.advance(600_000)
  await start(app, tv)
})

test('devices that were allowed and never collect their tokens do not pile up', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const browser = await signedIn(app, 'avery')
  const open: Codes[] = []
  for (let i = 0; i < 20; i++) {
    const codes = await start(app, tv)
    assert.equal((await decide(browser, codes, 'allow')).status, 303)
    open.push(codes)
  }
  const next = await start(app, tv)
  const refused = await decide(browser, next, 'allow')
  assert.equal(refused.status, 429)
  assert.match(refused.text, /20 devices that you allowed have not signed in yet\. Wait/)
  assertRfcError(await poll(app, tv, next), 400, 'authorization_pending', 4006)
  assert.equal((await decide(await signedIn(app, 'blake'), await start(app, tv), 'allow')).status, 303, 'others may')
  assert.equal((await decide(browser, await start(app, tv), 'deny')).status, 303, 'and a denial is always possible')
  assert.equal((await poll(app, tv, open[0]!)).status, 200)
  assert.equal((await decide(browser, next, 'allow')).status, 303, 'one has come in')
  app.advance(600_000)
  assert.equal((await decide(browser, await start(app, tv), 'allow')).status, 303, 'those have expired')
})

test('the device flow of one environment means nothing to the other', async () => {
  const tv = await registerTv(app, 'environment')
  const codes = await start(app, tv)
  const sandboxed = await registerApp(app, { key: 'tv', isPublic: true, isDeviceEnabled: true }, 'sandbox')
  const fields = { grant_type: GRANT, client_id: sandboxed.clientId, device_code: codes.device_code }
  const there = { path: '/oauth/v2/token', environment: 'sandbox' } as const
  assertRfcError(await exchange(app, fields, 'form', there), 400, 'invalid_grant', 4015)
  assertRfcError(await exchange(app, { ...fields, client_id: tv.clientId }, 'form', there), 401, 'invalid_client', 4013)
  const browser = await signedIn(app, 'avery', 'sandbox')
  assert.equal((await type(browser, codes.user_code)).status, 404)
})
