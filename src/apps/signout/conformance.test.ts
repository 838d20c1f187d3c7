/**
 * One test for each module of the OpenID Foundation's plans `oidcc-rp-initiated-logout-certification-test-plan` and
 * `oidcc-backchannel-rp-initiated-logout-certification-test-plan`, under its name. Their suite sends the same requests.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { until } from '../../kernel/database/test-database.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { assertTokenDies } from '../oauth/testing.ts'
import {
  assertAsked,
  assertSignedOutPage,
  DONE,
  isSignedIn,
  LOGOUT,
  registerOpenidApp,
  signInTo,
  verifyLogoutToken,
} from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_CLIENT_BURST: '100000' })
const client = await registerOpenidApp(app, 'rp')
const ALL = { post_logout_redirect_uri: DONE, state: 'b5 +&=ü' }

const discover = async () => (await app.nobody().get('/.well-known/openid-configuration')).body

test('oidcc-rp-initiated-logout-discovery-endpoint-verification: the metadata name the end_session_endpoint', async () => {
  const { issuer, end_session_endpoint: endpoint } = await discover()
  assert.equal(endpoint, `${issuer}/oauth/v2/logout`)
})

test('oidcc-rp-initiated-logout: the person returns to the app with the state, and is signed out', async () => {
  const { browser, idToken, accessToken } = await signInTo(app, client)
  assert.equal(await isSignedIn(browser, client), true)
  const { location, status } = await browser.get(LOGOUT, { id_token_hint: idToken, ...ALL })
  assert.equal(status, 303)
  const url = new URL(location!)
  assert.equal(url.origin + url.pathname, DONE)
  assert.deepEqual([...url.searchParams], [['state', ALL.state]])
  assert.equal(await isSignedIn(browser, client), false)
  await assertTokenDies(app.address, accessToken)
})

test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: a page says what is wrong, and nobody is redirected', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const page = await browser.get(LOGOUT, { ...ALL, id_token_hint: idToken, post_logout_redirect_uri: `${DONE}/x` })
  assertAsked(page, /an address that it has not registered/)
  assert.equal(await isSignedIn(browser, client), true)
  assertSignedOutPage(await browser.submit(page, { decision: 'sign-out' }))
  assert.equal(await isSignedIn(browser, client), false)
})

test('oidcc-rp-initiated-logout-modified-id-token-hint: an unsigned copy of the ID token redirects nobody', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  const unsigned = `${header}.${idToken.split('.')[1]}.`
  const page = await browser.get(LOGOUT, { ...ALL, id_token_hint: unsigned })
  assertAsked(page, /an ID token that is not valid here/)
  assert.equal(await isSignedIn(browser, client), true)
})

test('oidcc-rp-initiated-logout-no-id-token-hint: the person is asked, and not redirected', async () => {
  const { browser } = await signInTo(app, client)
  const page = await browser.get(LOGOUT, ALL)
  assertAsked(page, /did not say which app it is/)
  assert.equal(await isSignedIn(browser, client), true)
  assertSignedOutPage(await browser.submit(page, { decision: 'sign-out' }))
})

test('oidcc-rp-initiated-logout-no-params: the person confirms, and sees that they are signed out', async () => {
  const { browser } = await signInTo(app, client)
  const page = await browser.get(LOGOUT)
  assertAsked(page)
  assertSignedOutPage(await browser.submit(page, { decision: 'sign-out' }))
  assert.equal(await isSignedIn(browser, client), false)
})

test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: the person sees that they are signed out', async () => {
  const { browser, idToken } = await signInTo(app, client)
  assertSignedOutPage(await browser.get(LOGOUT, { id_token_hint: idToken, state: 'x' }))
  assert.equal(await isSignedIn(browser, client), false)
})

test('oidcc-rp-initiated-logout-no-state: the redirect has no state', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const { location } = await browser.get(LOGOUT, { id_token_hint: idToken, post_logout_redirect_uri: DONE })
  assert.equal(location, DONE)
  assert.equal(await isSignedIn(browser, client), false)
})

test('oidcc-rp-initiated-logout-only-state: the person confirms, and sees that they are signed out', async () => {
  const { browser } = await signInTo(app, client)
  const page = await browser.get(LOGOUT, { state: 'x' })
  assertAsked(page)
  assertSignedOutPage(await browser.submit(page, { decision: 'sign-out' }))
})

test('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: another query is another URI', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const uri = `${DONE}?foo=bar`
  assertAsked(
    await browser.get(LOGOUT, { ...ALL, id_token_hint: idToken, post_logout_redirect_uri: uri }),
    /an address that it has not registered/,
  )
  assert.equal(await isSignedIn(browser, client), true)
})

test('oidcc-rp-initiated-logout-bad-id-token-hint: an ID token that somebody else signed redirects nobody', async () => {
  const { browser, idToken } = await signInTo(app, client)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const forged = await new SignJWT(decodeJwt(idToken)).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(privateKey)
  assertAsked(await browser.get(LOGOUT, { ...ALL, id_token_hint: forged }), /an ID token that is not valid here/)
  assert.equal(await isSignedIn(browser, client), true)
})

test('oidcc-backchannel-logout-discovery-endpoint-verification: the metadata announce logout tokens with sid', async () => {
  const metadata = await discover()
  assert.equal(metadata.backchannel_logout_supported, true)
  assert.equal(metadata.backchannel_logout_session_supported, true)
  assert.ok(metadata.end_session_endpoint)
})

test('oidcc-backchannel-rp-initiated-logout: the app gets a logout token, and the person returns to it', async (t) => {
  const receiver = await openReceiver(t)
  const told = await registerOpenidApp(app, 'rp-told', {
    backchannelLogoutUri: `${receiver.address}/logout`,
    backchannelLogoutSessionRequired: true,
  })
  const { browser, idToken, claims } = await signInTo(app, told)
  const { location } = await browser.get(LOGOUT, { id_token_hint: idToken, ...ALL })
  assert.ok(location!.startsWith(`${DONE}?state=`))
  await until('the app is told', async () => receiver.received.length > 0)
  const [received] = receiver.received
  assert.equal(received!.path, '/logout')
  const { iat, exp, jti, sub, sid } = await verifyLogoutToken(app, received!, told.clientId)
  assert.deepEqual([sub, sid], [claims.sub, claims.sid])
  assert.ok(jti && exp! - iat! <= 120)
  assert.equal(await isSignedIn(browser, told), false)
})
