import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidy } from '../maintenance.ts'
import { assertRfcError, basicHeader, exchange, PASSWORD, type Registered, registerApp } from '../oauth/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import { type Answer, Client, type TestApp, testApp } from '../testing.ts'
import { formsOf, type Seen, type TestBrowser } from '../testing-browser.ts'
import { makeUserCode, readUserCode, showUserCode } from './rules.ts'

const AUTHORIZE = '/oauth/v2/device/authorize'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const WRONG_CODE = 'BBBB-BBBB'

const registerTv = (app: TestApp, key = 'tv') =>
  registerApp(app, { key, name: 'Cockpit TV', isPublic: true, isDeviceEnabled: true, redirectUris: [] })

interface Codes {
  readonly device_code: string
  readonly user_code: string
}

async function start(app: TestApp, { clientId }: Registered): Promise<Codes> {
  const answer = await exchange(app, { client_id: clientId, scope: 'user' }, 'form', { path: AUTHORIZE })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const poll = (app: TestApp, { clientId }: Registered, { device_code }: Pick<Codes, 'device_code'>): Promise<Answer> =>
  exchange(app, { grant_type: GRANT, client_id: clientId, device_code }, 'form', { path: '/oauth/v2/token' })

/** Types the code that the device shows, and comes to the page on which to decide. */
async function type(browser: TestBrowser, code: string): Promise<Seen> {
  return browser.submit(await browser.get('/device'), { user_code: code })
}

async function decide(browser: TestBrowser, { user_code }: Codes, decision: 'allow' | 'deny'): Promise<Seen> {
  const page = await type(browser, user_code)
  assert.equal(page.status, 200, page.text)
  return browser.submit(page, { decision }, '/device/decision')
}

const validate = async (app: TestApp, token: string): Promise<number> =>
  (await new Client(app.address, token).get('/oauth/token/validate')).status

const auditOf = async (app: TestApp): Promise<string[]> =>
  (
    await app.sql(
      `select action from audit_entries where action like 'device.%' or action like 'consent.%' order by id`,
    )
  ).map(({ action }) => String(action))

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

test('only apps that may, get codes and use them', async (t) => {
  const app = await testApp(t)
  const plain = await registerApp(app, { key: 'plain' })
  const tv = await registerTv(app)
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
    4001,
  )
  const codes = await start(app, tv)
  await app.sql(`update apps set device_enabled = false where client_id = '${tv.clientId}'`)
  assertRfcError(await poll(app, tv, codes), 400, 'unauthorized_client', 4014)
  const old = await exchange(app, { grant_type: GRANT, client_id: tv.clientId, device_code: codes.device_code })
  assert.equal(old.body.error, 'unsupported_grant_type', 'this grant is by the book only')
})

test('a person allows the device, and it comes in', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  assertRfcError(await poll(app, tv, codes), 400, 'authorization_pending', 4006)
  const browser = await signedIn(app, 'avery')
  const page = await type(browser, codes.user_code)
  assert.match(page.text, /Cockpit TV/)
  assert.ok(page.text.includes(codes.user_code))
  assert.match(page.text, /Only go on if you started this yourself/)
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

test('a person denies the device, and it is told so', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const done = await decide(browser, codes, 'deny')
  assert.match((await browser.follow(done)).text, /not allowed/)
  assertRfcError(await poll(app, tv, codes), 400, 'access_denied', 4032)
  assert.deepEqual(await auditOf(app), ['device.denied'])
  assert.deepEqual(await app.sql('select 1 from app_users'), [])
})

test('whoever asks too often is told to slow down, and has to wait longer from then on', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
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

test('codes hold for ten minutes', async (t) => {
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

test('a device code is used once: a second use ends the session that the first one made', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const other = await registerTv(app, 'other')
  const codes = await start(app, tv)
  await decide(await signedIn(app, 'avery'), codes, 'allow')
  assertRfcError(await poll(app, other, codes), 400, 'invalid_grant', 4015)
  const { body } = await poll(app, tv, codes)
  assertRfcError(await poll(app, other, codes), 400, 'invalid_grant', 4015)
  assert.equal(await validate(app, body.access_token), 200, 'nothing that another app does touches it')
  assertRfcError(await poll(app, tv, codes), 400, 'invalid_grant', 4008)
  assert.equal(await validate(app, body.access_token), 403)
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

test('of two people who decide on one device at once, exactly one does', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
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

test('a suspended app asks nobody, and gets nothing', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const [codes, allowed] = [await start(app, tv), await start(app, tv)]
  const browser = await signedIn(app, 'avery')
  await decide(browser, allowed, 'allow')
  await app.sql(`update apps set status = 'suspended' where client_id = '${tv.clientId}'`)
  assert.equal((await type(browser, codes.user_code)).status, 404)
  assertRfcError(await poll(app, tv, allowed), 401, 'invalid_client', 4013)
})

test('a code in the address is filled in, and nothing happens by itself', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const page = await browser.get('/device', { user_code: codes.user_code })
  assert.ok(page.text.includes(`value="${codes.user_code}"`))
  assert.match(page.text, /Compare this code/)
  assert.doesNotMatch(page.text, /Cockpit TV/)
  const nasty = await browser.get('/device', { user_code: '"><script>' })
  assert.doesNotMatch(nasty.text, /<script>/)
  assert.match(page.headers.get('content-security-policy')!, /frame-ancestors 'none'/)
})

test('somebody who is not signed in comes back with their code', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  await app.givePassword('avery')
  const browser = app.visitor()
  const typed = await type(browser, codes.user_code.toLowerCase())
  assert.equal(typed.location, `/account/signin?next=${encodeURIComponent(`/device?user_code=${codes.user_code}`)}`)
  const back = await browser.submit(await browser.follow(typed), { handle: '@avery', password: PASSWORD })
  assert.equal(back.location, `/device?user_code=${codes.user_code}`)
  const page = await browser.submit(await browser.follow(back), { user_code: codes.user_code })
  assert.match(page.text, /Cockpit TV/)
})

test('case, dashes and spaces in typed codes are forgiven', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const { user_code } = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const letters = user_code.replace('-', '')
  for (const typed of [
    letters.toLowerCase(),
    ` ${user_code} `,
    letters.split('').join(' '),
    letters.replace(/.{4}/, '$& – '),
  ])
    assert.match((await type(browser, typed)).text, /Cockpit TV/, typed)
  for (const typed of ['', 'x', `${letters}B`, 'AEIO-UYAE', '1234-5678']) {
    const page = await type(browser, typed)
    assert.equal(page.status, 400)
    assert.match(page.text, /8 letters/)
  }
  assert.deepEqual(await app.sql('select 1 from sign_in_failures'), [], 'what cannot be a code is no guess')
})

test('codes are of eight consonants, and none is like another', () => {
  const codes = Array.from({ length: 2000 }, makeUserCode)
  assert.equal(new Set(codes).size, 2000)
  assert.equal(new Set(codes.join('')).size, 20)
  for (const code of codes) assert.equal(readUserCode(showUserCode(code)), code)
})

test('wrong codes lead to growing waits, for the person and for the address', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  for (let tries = 0; tries < 5; tries++) assert.equal((await type(browser, WRONG_CODE)).status, 404)
  const blocked = await type(browser, codes.user_code)
  assert.equal(blocked.status, 429, 'the right code too')
  assert.ok(Number(blocked.headers.get('retry-after')) >= 1)
  assert.match((await type(await signedIn(app, 'blake'), codes.user_code)).text, /Cockpit TV/)
  app.advance(2_000)
  assert.equal((await type(browser, WRONG_CODE)).status, 404)
  assert.equal((await type(browser, WRONG_CODE)).status, 429)
  app.advance(3_000)
  assert.match((await type(browser, codes.user_code)).text, /Cockpit TV/)
  const wrong = await app.sql(`select count(*)::int as count from audit_entries where action = 'device.code-wrong'`)
  assert.deepEqual(wrong, [{ count: 6 }])
  // Whoever has mistyped codes can still sign in.
  await app.givePassword('avery')
  const visitor = app.visitor()
  const seen = await visitor.submit(await visitor.get('/account'), { handle: '@avery', password: PASSWORD })
  assert.equal(seen.status, 303)
})

test('O12: a decision counts for the device, the browser and the person that it was shown for', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const [mine, theirs] = [await start(app, tv), await start(app, tv)]
  const browser = await signedIn(app, 'avery')
  const page = await type(browser, mine.user_code)
  const [form] = formsOf(page.text)
  const post = (fields: Record<string, string>, by = browser) =>
    by.post('/device/decision', { decision: 'allow', ...form!.hidden, ...fields })
  assert.equal((await post({ user_code: theirs.user_code })).status, 403)
  assert.equal((await post({ form_key: '' })).status, 403)
  assert.equal((await post({}, await signedIn(app, 'blake'))).status, 403)
  const cross = await browser.send('/device/decision', {
    method: 'POST',
    body: String(new URLSearchParams({ ...form!.hidden, decision: 'allow' })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(cross.status, 403)
  assertRfcError(await poll(app, tv, mine), 400, 'authorization_pending', 4006)
  assertRfcError(await poll(app, tv, theirs), 400, 'authorization_pending', 4006)
  assert.equal((await post({})).status, 303)
})

test('nobody fills up what an app may have open', async (t) => {
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

test('the device flow of one environment means nothing to the other', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const sandboxed = await registerApp(app, { key: 'tv', isPublic: true, isDeviceEnabled: true }, 'sandbox')
  const fields = { grant_type: GRANT, client_id: sandboxed.clientId, device_code: codes.device_code }
  const there = { path: '/oauth/v2/token', environment: 'sandbox' } as const
  assertRfcError(await exchange(app, fields, 'form', there), 400, 'invalid_grant', 4015)
  assertRfcError(await exchange(app, { ...fields, client_id: tv.clientId }, 'form', there), 401, 'invalid_client', 4013)
  const browser = await signedIn(app, 'avery', 'sandbox')
  assert.equal((await type(browser, codes.user_code)).status, 404)
})
