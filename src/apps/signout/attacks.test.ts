import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf } from '../../operations/testing/browser.ts'
import { Client, sharedApp } from '../../operations/testing/testing.ts'
import { call } from '../account/testing.ts'
import { secretSeal } from '../apps/secrets.ts'
import { basicHeader, exchange, obtainCode, pkcePair, registerApp } from '../oauth/testing.ts'
import { redeem, SIGN_IN, signInWithOpenid, TOKEN } from '../openid/testing.ts'
import { withdrawKey } from '../signing/keys.ts'
import { signToken } from '../signing/signing.ts'
import { assertAsked, assertSignedOutPage, DONE, isSignedIn, LOGOUT, registerOpenidApp, signInTo } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_CLIENT_BURST: '100000' }, { withSandbox: true })
const client = await registerOpenidApp(app, 'rp')
const other = await registerOpenidApp(app, 'other', { postLogoutRedirectUris: ['https://other.example.org/bye'] })
const who = () => ({ at: app.environment().clock(), requestId: 'test', address: '127.0.0.1' })

const isAlive = async (token: string): Promise<boolean> =>
  (await new Client(app.address, token).get('/oauth/token/validate')).status === 200

test('a logout token is no ID token, and is not accepted as a hint', async () => {
  const { browser, claims } = await signInTo(app, client)
  const token = await signToken(app.environment(), who(), {
    type: 'logout+jwt',
    claims: { ...claims, nonce: undefined },
  })
  assertAsked(await browser.get(LOGOUT, { id_token_hint: token, post_logout_redirect_uri: DONE }), /not valid here/)
  const answer = await browser.get(SIGN_IN, {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: 'https://app.example.org/callback',
    scope: 'openid',
    nonce: 'n',
    prompt: 'none',
    id_token_hint: token,
  })
  assert.match(answer.location!, /error=/)
})

test('a hint of the sandbox is worth nothing in production', async () => {
  const { browser } = await signInTo(app, client)
  const sandbox = app.environment('sandbox')
  const { sub, sid } = (await signInTo(app, client, { browser })).claims
  const claims = { iss: sandbox.url, aud: client.clientId, sub, sid, iat: 1, exp: 9e9 }
  const foreign = await signToken(sandbox, who(), { type: 'JWT', claims })
  assertAsked(await browser.get(LOGOUT, { id_token_hint: foreign }), /not valid here/)
  // The sandbox's keys do not sign for production either.
  const posing = await signToken(sandbox, who(), { type: 'JWT', claims: { ...claims, iss: app.environment().url } })
  assertAsked(await browser.get(LOGOUT, { id_token_hint: posing }), /not valid here/)
  assert.equal(await isSignedIn(browser, client), true)
})

test('a hint of another app does not work with the client_id of mine', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const page = await browser.get(LOGOUT, {
    id_token_hint: idToken,
    client_id: other.clientId,
    post_logout_redirect_uri: 'https://other.example.org/bye',
  })
  assertAsked(page, /issued to another app/)
  // Nor does it lead to an address of the other app.
  assertAsked(
    await browser.get(LOGOUT, { id_token_hint: idToken, post_logout_redirect_uri: 'https://other.example.org/bye' }),
    /has not registered/,
  )
  assert.equal(await isSignedIn(browser, client), true)
})

test("somebody else's hint signs nobody out without being asked", async () => {
  const { browser, accessToken } = await signInTo(app, client)
  const attacker = await signInTo(app, client, { person: 'blake' })
  const page = await browser.get(LOGOUT, { id_token_hint: attacker.idToken, post_logout_redirect_uri: DONE })
  assertAsked(page)
  assert.equal(await isSignedIn(browser, client), true)
  assert.ok(await isAlive(accessToken))
  assert.ok(await isAlive(attacker.accessToken))
})

test('an expired hint is accepted; one of a withdrawn key is not', async () => {
  const { browser, idToken } = await signInTo(app, client)
  app.advance(3 * 3600_000)
  const { location } = await browser.get(LOGOUT, { id_token_hint: idToken, post_logout_redirect_uri: DONE })
  assert.equal(location, DONE)
  const again = await signInTo(app, client)
  const kid = JSON.parse(Buffer.from(again.idToken.split('.')[0]!, 'base64url').toString()).kid
  const { db, get } = app.environment()
  await withdrawKey(db, who(), { kid }, get(secretSeal))
  assertAsked(await again.browser.get(LOGOUT, { id_token_hint: again.idToken }), /not valid here/)
  assert.equal(await isSignedIn(again.browser, client), true)
})

test('the confirmation needs the key of its form, which is bound to the browser and to the request', async () => {
  const { browser, accessToken } = await signInTo(app, client)
  const params = { client_id: client.clientId, post_logout_redirect_uri: DONE }
  const page = await browser.get(LOGOUT, params)
  const [form] = formsOf(page.text)
  const without = await browser.post(form!.action, { decision: 'sign-out' })
  assert.deepEqual([without.status, without.location], [403, undefined])
  const { hidden } = formsOf(
    (await (await signInTo(app, client, { person: 'blake' })).browser.get(LOGOUT, params)).text,
  )[0]!
  assert.equal((await browser.post(form!.action, { ...hidden, decision: 'sign-out' })).status, 403)
  const changed = form!.action.replace('signed-out', 'signed-outs')
  assert.equal((await browser.post(changed, { ...form!.hidden, decision: 'sign-out' })).status, 403)
  const foreign = await browser.send(form!.action, {
    method: 'POST',
    body: String(new URLSearchParams({ ...form!.hidden, decision: 'sign-out' })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(foreign.status, 403)
  assert.equal(await isSignedIn(browser, client), true)
  assert.ok(await isAlive(accessToken))
  const stay = await browser.submit(page, { decision: 'stay' })
  assert.match(stay.text, /<h1>You are still signed in<\/h1>/)
  assert.equal(await isSignedIn(browser, client), true)
  assert.equal((await browser.submit(page, { decision: 'sign-out' })).location, DONE)
  assert.equal(await isSignedIn(browser, client), false)
  assert.equal(await isAlive(accessToken), false)
})

test('a form of another site, with which browsers send no cookie, sets none and signs nobody out', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const init = {
    method: 'POST',
    body: String(new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: DONE, state: 's' })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  }
  const seen = await app.visitor().send(LOGOUT, init)
  assert.equal(seen.status, 303)
  assert.deepEqual(seen.headers.getSetCookie(), [])
  assert.equal(await isSignedIn(browser, client), true)
  // The browser follows the redirect with its cookie.
  assert.equal((await browser.send(seen.location!)).location, `${DONE}?state=s`)
  assert.equal(await isSignedIn(browser, client), false)
})

test('signing out ends what came from this browser, and nothing else', async () => {
  const here = await signInTo(app, client)
  const alsoHere = await signInTo(app, other, { browser: here.browser })
  const offline = await signInTo(app, other, { browser: here.browser, scope: 'openid offline_access' })
  const elsewhere = await signInTo(app, client)
  const { challenge, verifier } = pkcePair()
  const { code } = await obtainCode(app, { clientId: client.clientId, path: SIGN_IN, challenge, browser: here.browser })
  const plain = await redeem(app, client, code, { code_verifier: verifier })
  const first = await app.as('avery')
  assert.equal((await call(here.browser, 'POST', '/account/v1/signout', {})).status, 200)
  assert.deepEqual(
    await Promise.all([here, alsoHere, offline, elsewhere].map(({ accessToken }) => isAlive(accessToken))),
    [false, false, true, true],
  )
  assert.ok(await isAlive(plain.body.access_token), 'a session without openid stays')
  assert.ok(await isAlive(first.token!))
  const refreshed = await exchange(app, { grant_type: 'refresh_token', refresh_token: offline.refreshToken! }, 'form', {
    path: TOKEN,
    headers: basicHeader(other),
  })
  assert.equal(refreshed.status, 200, refreshed.text)
})

test('the same person who signs in again in a browser keeps the sid; another person ends the sessions of the first', async () => {
  const first = await signInTo(app, client)
  const again = await signInWithOpenid(app, client, { browser: first.browser, more: { prompt: 'login' } })
  assert.equal(again.claims.sid, first.claims.sid)
  assert.ok(await isAlive(first.accessToken))
  const blake = await signInWithOpenid(app, client, {
    browser: first.browser,
    person: 'blake',
    more: { prompt: 'login' },
  })
  assert.notEqual(blake.claims.sid, first.claims.sid)
  assert.equal(await isAlive(first.accessToken), false)
})

test('two apps cannot see by sid or sub that they have the same user', async () => {
  const one = await signInTo(app, client)
  const two = await signInTo(app, other, { browser: one.browser })
  assert.notEqual(one.claims.sid, two.claims.sid)
  assert.notEqual(one.claims.sub, two.claims.sub)
})

test('a code of a browser that was signed out in the meantime is worth nothing', async () => {
  const { code, browser } = await obtainCode(app, {
    clientId: client.clientId,
    path: SIGN_IN,
    more: { scope: 'openid', nonce: 'n' },
  })
  await call(browser, 'POST', '/account/v1/signout', {})
  assert.equal((await redeem(app, client, code)).status, 400)
})

test('a sign-out and the redemption of a code at the same time leave no session that lives on', async () => {
  for (let i = 0; i < 10; i++) {
    const { code, browser } = await obtainCode(app, {
      clientId: client.clientId,
      path: SIGN_IN,
      more: { scope: 'openid', nonce: 'n' },
    })
    const [answer] = await Promise.all([redeem(app, client, code), call(browser, 'POST', '/account/v1/signout', {})])
    if (answer.status === 200) assert.equal(await isAlive(answer.body.access_token), false)
    else assert.equal(answer.status, 400, answer.text)
  }
})

test('a hint still ends the session of the app after the browser was signed out of the platform by itself', async () => {
  const { browser, idToken, accessToken } = await signInTo(app, client)
  browser.cookies.clear()
  const { location } = await browser.get(LOGOUT, { id_token_hint: idToken, post_logout_redirect_uri: DONE })
  assert.equal(location, DONE)
  assert.equal(await isAlive(accessToken), false)
})

test('nobody is redirected to an app that is suspended, and a long or strange parameter is refused', async () => {
  const gone = await registerApp(app, { key: 'gone', postLogoutRedirectUris: [DONE] })
  await app.sql(`update apps set status = 'suspended' where client_id = '${gone.clientId}'`)
  const params = { client_id: gone.clientId, post_logout_redirect_uri: DONE }
  assert.equal((await app.visitor().get(LOGOUT, params)).status, 400)
  const { browser } = await signInTo(app, client)
  assertAsked(await browser.get(LOGOUT, params), /is unknown, or is not approved/)
  assert.equal((await browser.get(LOGOUT, { id_token_hint: 'x'.repeat(9000) })).status, 400)
  assert.equal((await browser.get(LOGOUT, { state: 'x'.repeat(3000) })).status, 400)
  assert.equal(await isSignedIn(browser, client), true)
  assertSignedOutPage(await app.visitor().get(LOGOUT))
})
