/**
 * One test for each module of the OpenID Foundation's plans `oidcc-basic-certification-test-plan` and
 * `oidcc-config-certification-test-plan`, under its name. Their suite sends the same requests.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sidOf } from '../../kernel/logouts/logouts.ts'
import { sendRequest } from '../../operations/testing/http.ts'
import { Client, sharedApp } from '../../operations/testing/testing.ts'
import {
  assertRfcError,
  assertTokenDies,
  basicHeader,
  exchange,
  obtainCode,
  pkcePair,
  REDIRECT_URI,
  registerApp,
} from '../oauth/testing.ts'
import { redeem, SIGN_IN, signInWithOpenid, TOKEN, userInfo, verifyIdToken } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_CLIENT_BURST: '100000' })
await app.sql(
  `update people set first_name = 'Avery', last_name = 'Quinn', email = 'avery@example.org', email_confirmed_at = now()
    where handle_key = 'avery'`,
)
// The suite sends PKCE in one module only, so the app for a certification is registered without it.
const client = await registerApp(app, { key: 'rp', isPkceRequired: false })
const second = await registerApp(app, { key: 'rp-2', isPkceRequired: false })

/** An authorization request, without `scope` and `nonce` if they are undefined. */
const requestOf = (more: Record<string, string | undefined> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      state: 'xyz',
      nonce: 'abc',
      ...more,
    }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

/** Asserts that the redirect reports this error, with `state` and `iss`. */
function assertRedirectError(location: string | undefined, error: string): void {
  assert.ok(location?.startsWith(`${REDIRECT_URI}?`), location)
  const params = new URL(location!).searchParams
  assert.deepEqual(
    [params.get('error'), params.get('state'), params.get('iss'), params.get('code')],
    [error, 'xyz', app.environment().url, null],
  )
}

const atHash = (accessToken: string): string =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')

test('oidcc-server: code, tokens and an ID token with the claims that OpenID asks for', async () => {
  const before = Math.floor(app.environment().clock().getTime() / 1000)
  const { answer, claims, redirect } = await signInWithOpenid(app, client)
  assert.deepEqual([...redirect.searchParams.keys()], ['code', 'state', 'iss'])
  assert.equal(redirect.searchParams.get('iss'), app.environment().url)
  assert.ok(redirect.searchParams.get('code')!.length >= 43)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.body.token_type, 'Bearer')
  assert.equal(answer.body.expires_in, 86_400)
  const { exp, iat, auth_time: authTime, sub, sid, ...rest } = claims as Record<string, number | string>
  assert.deepEqual(rest, {
    iss: app.environment().url,
    aud: client.clientId,
    nonce: 'n-0S6_WzA2Mj',
    at_hash: atHash(answer.body.access_token),
  })
  assert.equal(exp, Number(iat) + 3600)
  assert.ok(before <= Number(authTime) && Number(authTime) <= Number(iat))
  const [user] = await app.sql(
    `select u.user_id, a.id::int as app, s.id::text as session, s.browser_id::text as browser from app_users u join people p on p.id = u.person_id join apps a on a.id = u.app_id
       join sessions s on s.user_id = u.user_id where p.handle_key = 'avery' and a.client_id = '${client.clientId}'
      order by s.created_at desc limit 1`,
  )
  const {
    app: appId,
    browser: browserId,
    session: sessionId,
  } = user as { app: number; browser: string; session: string }
  assert.deepEqual([sub, sid], [user!.user_id, sidOf({ appId, browserId, sessionId })])
  assert.equal((await new Client(app.address, answer.body.access_token).get('/oauth/token/validate')).body.userId, sub)
})

test('oidcc-response-type-missing: the app is told that the request is invalid', async () => {
  const { location } = await app.visitor().get(SIGN_IN, requestOf({ response_type: undefined }))
  assertRedirectError(location, 'invalid_request')
})

test('oidcc-idtoken-signature: RS256 by default, with the kid of a published key', async () => {
  const { header } = await signInWithOpenid(app, client)
  const { body } = await app.nobody().get('/oauth/v2/jwks')
  const key = body.keys.find(({ kid }: { kid: string }) => kid === header.kid)
  assert.deepEqual([header.alg, key.alg, key.kty], ['RS256', 'RS256', 'RSA'])
})

test('oidcc-idtoken-unsigned: an ID token without a signature is not offered (the suite skips the module)', async () => {
  const { body } = await app.nobody().get('/.well-known/openid-configuration')
  assert.deepEqual(body.id_token_signing_alg_values_supported, ['RS256', 'ES256', 'EdDSA'])
})

test('oidcc-userinfo-get: userinfo by GET has the subject of the ID token', async () => {
  const { answer, claims } = await signInWithOpenid(app, client)
  const info = await userInfo(app, answer.body.access_token)
  assert.equal(info.status, 200, info.text)
  assert.match(info.headers.get('content-type')!, /^application\/json/)
  assert.deepEqual(info.body, { sub: claims.sub })
})

test('oidcc-userinfo-post-header: userinfo by POST with a Bearer token', async () => {
  const { answer, claims } = await signInWithOpenid(app, client)
  const { status, text } = await sendRequest(`${app.address}/oauth/v2/userinfo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${answer.body.access_token}` },
  })
  assert.equal(status, 200, text)
  assert.equal(JSON.parse(text).sub, claims.sub)
})

test('oidcc-userinfo-post-body: userinfo by POST with the token in a form', async () => {
  const { answer, claims } = await signInWithOpenid(app, client)
  const info = await exchange(app, { access_token: answer.body.access_token }, 'form', { path: '/oauth/v2/userinfo' })
  assert.equal(info.status, 200, info.text)
  assert.equal(info.body.sub, claims.sub)
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: then the ID token has none', async () => {
  const { code } = await obtainCode(app, { clientId: client.clientId, path: SIGN_IN, more: { scope: 'openid' } })
  const { body } = await redeem(app, client, code)
  assert.ok(!('nonce' in (await verifyIdToken(app, body.id_token, client.clientId))))
})

test('oidcc-scope-profile: the names are in userinfo and not in the ID token', async () => {
  const { answer, claims } = await signInWithOpenid(app, client, { scope: 'openid profile' })
  const { body } = await userInfo(app, answer.body.access_token)
  assert.deepEqual(body, {
    sub: claims.sub,
    name: 'Avery Quinn',
    given_name: 'Avery',
    family_name: 'Quinn',
    preferred_username: '@avery',
  })
  assert.ok(!('name' in claims))
})

test('oidcc-scope-email: the address, and whether it is confirmed', async () => {
  const { answer, claims } = await signInWithOpenid(app, client, { scope: 'openid email' })
  const { body } = await userInfo(app, answer.body.access_token)
  assert.deepEqual(body, { sub: claims.sub, email: 'avery@example.org', email_verified: true })
  await app.sql(`update people set email = 'blake@example.org', email_confirmed_at = null where handle_key = 'blake'`)
  const other = await signInWithOpenid(app, client, { scope: 'openid email', person: 'blake' })
  const info = await userInfo(app, other.answer.body.access_token)
  assert.deepEqual([info.body.email, info.body.email_verified], ['blake@example.org', false])
})

for (const scope of ['address', 'phone'])
  test(`oidcc-scope-${scope}: not offered (the suite skips the module), and a request for it gets invalid_scope`, async () => {
    const { body } = await app.nobody().get('/.well-known/openid-configuration')
    assert.ok(!body.scopes_supported.includes(scope))
    const { location } = await app.visitor().get(SIGN_IN, requestOf({ scope: `openid ${scope}` }))
    assertRedirectError(location, 'invalid_scope')
  })

test('oidcc-scope-all: all scopes for claims that are offered', async () => {
  const { answer } = await signInWithOpenid(app, client, { scope: 'openid email profile' })
  const { body } = await userInfo(app, answer.body.access_token)
  assert.deepEqual(Object.keys(body).sort(), [
    'email',
    'email_verified',
    'family_name',
    'given_name',
    'name',
    'preferred_username',
    'sub',
  ])
})

test('oidcc-alternate-happy-flow: the order of scopes and of parameters does not matter', async () => {
  const browser = app.visitor()
  const { browser: same } = await signInWithOpenid(app, client, { scope: 'profile openid', browser })
  const reversed = Object.fromEntries(Object.entries(requestOf({ scope: 'profile openid' })).reverse())
  const { location } = await same.get(SIGN_IN, reversed)
  const { body } = await redeem(app, client, new URL(location!).searchParams.get('code')!)
  assert.ok(await verifyIdToken(app, body.id_token, client.clientId))
})

for (const display of ['page', 'popup'])
  test(`oidcc-display-${display}: causes no error`, async () => {
    await signInWithOpenid(app, client, { more: { display } })
  })

test('oidcc-prompt-login: a person who is signed in signs in again, and auth_time is later', async () => {
  const first = await signInWithOpenid(app, client)
  app.advance(1000)
  const page = await first.browser.get(SIGN_IN, requestOf({ prompt: 'login' }))
  assert.equal(page.status, 200)
  assert.match(page.text, /name="password"/)
  const again = await signInWithOpenid(app, client, { browser: first.browser, more: { prompt: 'login' } })
  assert.ok(Number(again.claims.auth_time) > Number(first.claims.auth_time))
  assert.equal(again.claims.sub, first.claims.sub)
})

test('oidcc-prompt-none-not-logged-in: login_required, without a page', async () => {
  const { status, location } = await app.visitor().get(SIGN_IN, requestOf({ prompt: 'none' }))
  assert.equal(status, 303)
  assertRedirectError(location, 'login_required')
})

test('oidcc-prompt-none-logged-in: a code without a page, with the same sub and auth_time', async () => {
  const first = await signInWithOpenid(app, client)
  app.advance(1000)
  const { location } = await first.browser.get(SIGN_IN, requestOf({ prompt: 'none' }))
  const { body } = await redeem(app, client, new URL(location!).searchParams.get('code')!)
  const claims = await verifyIdToken(app, body.id_token, client.clientId)
  assert.deepEqual([claims.sub, claims.auth_time], [first.claims.sub, first.claims.auth_time])
})

test('oidcc-max-age-1: a person who signed in two seconds ago signs in again, and auth_time is later', async () => {
  const first = await signInWithOpenid(app, client)
  app.advance(2000)
  const page = await first.browser.get(SIGN_IN, requestOf({ max_age: '1' }))
  assert.match(page.text, /name="password"/)
  const silent = await first.browser.get(SIGN_IN, requestOf({ max_age: '1', prompt: 'none' }))
  assertRedirectError(silent.location, 'login_required')
  const again = await signInWithOpenid(app, client, { browser: first.browser, more: { max_age: '1' } })
  assert.ok(Number(again.claims.auth_time) > Number(first.claims.auth_time))
  assert.ok(Number(again.claims.iat) - Number(again.claims.auth_time) <= 1)
})

test('oidcc-max-age-10000: a person who signed in recently enough does not sign in again', async () => {
  const first = await signInWithOpenid(app, client, { more: { max_age: '15000' } })
  app.advance(1000)
  const { location } = await first.browser.get(SIGN_IN, requestOf({ max_age: '10000' }))
  const { body } = await redeem(app, client, new URL(location!).searchParams.get('code')!)
  const claims = await verifyIdToken(app, body.id_token, client.clientId)
  assert.deepEqual([claims.sub, claims.auth_time], [first.claims.sub, first.claims.auth_time])
})

test('oidcc-ensure-request-with-unknown-parameter-succeeds: it is ignored', async () => {
  await signInWithOpenid(app, client, { more: { extra: 'foobar' } })
})

test('oidcc-id-token-hint: prompt=none with the ID token of the person who is signed in', async () => {
  const first = await signInWithOpenid(app, client)
  const hint = { prompt: 'none', id_token_hint: first.answer.body.id_token }
  const { location } = await first.browser.get(SIGN_IN, requestOf(hint))
  const { body } = await redeem(app, client, new URL(location!).searchParams.get('code')!)
  const claims = await verifyIdToken(app, body.id_token, client.clientId)
  assert.deepEqual([claims.sub, claims.auth_time], [first.claims.sub, first.claims.auth_time])
})

test('oidcc-login-hint: the sign-in form has it, as text', async () => {
  const page = await app.visitor().get(SIGN_IN, requestOf({ login_hint: '@blake"><script>' }))
  assert.match(page.text, /value="@blake&quot;&gt;&lt;script&gt;"/)
  await signInWithOpenid(app, client, { more: { login_hint: '@avery' } })
})

test('oidcc-ui-locales: causes no error', async () => {
  await signInWithOpenid(app, client, { more: { ui_locales: 'se' } })
})

test('oidcc-claims-locales: causes no error', async () => {
  await signInWithOpenid(app, client, { more: { claims_locales: 'se' } })
})

test('oidcc-ensure-request-with-acr-values-succeeds: they are ignored', async () => {
  await signInWithOpenid(app, client, { more: { acr_values: '1 2' } })
})

test('oidcc-codereuse: a code works once', async () => {
  const { code } = await signInWithOpenid(app, client)
  assertRfcError(await redeem(app, client, code), 400, 'invalid_grant', 4008)
})

test('oidcc-codereuse-30seconds: a second use after 30 seconds ends the access token too', async () => {
  const { code, answer } = await signInWithOpenid(app, client)
  app.advance(30_000)
  assertRfcError(await redeem(app, client, code), 400, 'invalid_grant', 4008)
  await assertTokenDies(app.address, answer.body.access_token)
})

test('oidcc-ensure-registered-redirect-uri: a page, and no redirect', async () => {
  const page = await app.visitor().get(SIGN_IN, requestOf({ redirect_uri: `${REDIRECT_URI}/x7` }))
  assert.deepEqual([page.status, page.location], [400, undefined])
  assert.match(page.text, /redirect URI/)
})

test('oidcc-ensure-post-request-succeeds: the authorization request may be a POST from another site', async () => {
  const { browser } = await signInWithOpenid(app, client)
  const before = [...browser.cookies]
  const posted = await browser.send(SIGN_IN, {
    method: 'POST',
    body: String(new URLSearchParams(requestOf())),
    // Browsers send no SameSite cookie here.
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      origin: 'https://app.example.org',
      cookie: 'other=1',
    },
  })
  assert.equal(posted.status, 303, posted.text)
  assert.equal(posted.headers.has('set-cookie'), false)
  assert.deepEqual([...browser.cookies], before)
  const { location } = await browser.send(posted.location!)
  const { body } = await redeem(app, client, new URL(location!).searchParams.get('code')!)
  assert.ok(await verifyIdToken(app, body.id_token, client.clientId))
})

test('oidcc-server-client-secret-post: the client secret in the form', async () => {
  const { code } = await obtainCode(app, { clientId: client.clientId, path: SIGN_IN, more: { scope: 'openid' } })
  const fields = { client_id: client.clientId, client_secret: client.secret }
  const { status, body, text } = await exchange(
    app,
    { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...fields },
    'form',
    { path: TOKEN },
  )
  assert.equal(status, 200, text)
  assert.ok(await verifyIdToken(app, body.id_token, client.clientId))
})

const UNSIGNED = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
  JSON.stringify({ redirect_uri: REDIRECT_URI, scope: 'openid' }),
).toString('base64url')}.`

test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: request_uri_not_supported', async () => {
  const more = { request_uri: 'https://app.example.org/request.jwt' }
  const { location } = await app.visitor().get(SIGN_IN, requestOf(more))
  assertRedirectError(location, 'request_uri_not_supported')
})

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request_not_supported', async () => {
  const { location } = await app.visitor().get(SIGN_IN, requestOf({ request: UNSIGNED }))
  assertRedirectError(location, 'request_not_supported')
})

test('oidcc-claims-essential: the parameter claims is ignored, and discovery says so', async () => {
  const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
  await signInWithOpenid(app, client, { more: { claims } })
  const { body } = await app.nobody().get('/.well-known/openid-configuration')
  assert.equal(body.claims_parameter_supported, false)
})

test('oidcc-ensure-request-object-with-redirect-uri: a wrong redirect_uri is a page, whatever the request object says', async () => {
  const more = { request: UNSIGNED, redirect_uri: `${REDIRECT_URI}/other` }
  const page = await app.visitor().get(SIGN_IN, requestOf(more))
  assert.deepEqual([page.status, page.location], [400, undefined])
})

test('oidcc-refresh-token: a new ID token with the same sub and auth_time, and tokens belong to their client', async () => {
  const scope = 'openid offline_access'
  const first = await signInWithOpenid(app, client, { scope, more: { prompt: 'consent' } })
  app.advance(2000)
  const refresh = (refreshToken: string, as = client) =>
    exchange(app, { grant_type: 'refresh_token', refresh_token: refreshToken }, 'form', {
      path: TOKEN,
      headers: basicHeader(as),
    })
  const { body, status, text } = await refresh(first.answer.body.refresh_token)
  assert.equal(status, 200, text)
  const claims = await verifyIdToken(app, body.id_token, client.clientId)
  for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid']) assert.deepEqual(claims[name], first.claims[name], name)
  assert.ok(!('nonce' in claims))
  assert.ok(Number(claims.iat) > Number(first.claims.iat))
  assert.equal(claims.at_hash, atHash(body.access_token))
  assert.equal((await userInfo(app, body.access_token)).body.sub, claims.sub)

  const other = await signInWithOpenid(app, second, { scope })
  assertRfcError(await refresh(other.answer.body.refresh_token), 400, 'invalid_grant', 4034)
})

test('oidcc-ensure-request-with-valid-pkce-succeeds: with the verifier, and only with it', async () => {
  const { verifier, challenge } = pkcePair()
  const more = { scope: 'openid' }
  const ask = async () => (await obtainCode(app, { clientId: client.clientId, path: SIGN_IN, challenge, more })).code
  const { body, status, text } = await redeem(app, client, await ask(), { code_verifier: verifier })
  assert.equal(status, 200, text)
  assert.ok(await verifyIdToken(app, body.id_token, client.clientId))
  assertRfcError(await redeem(app, client, await ask()), 400, 'invalid_grant', 4001)
})

test('oidcc-discovery-endpoint-verification: the configuration names what there is, under its own issuer', async () => {
  const { url } = app.environment()
  const answer = await app.nobody().get('/.well-known/openid-configuration')
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type')!, /^application\/json/)
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  const { body } = answer
  assert.equal(body.issuer, url)
  assert.deepEqual(
    {
      authorization: body.authorization_endpoint,
      token: body.token_endpoint,
      userinfo: body.userinfo_endpoint,
      jwks: body.jwks_uri,
    },
    {
      authorization: `${url}/oauth/v2/signin`,
      token: `${url}/oauth/v2/token`,
      userinfo: `${url}/oauth/v2/userinfo`,
      jwks: `${url}/oauth/v2/jwks`,
    },
  )
  assert.ok(body.scopes_supported.includes('openid'))
  assert.deepEqual(body.response_types_supported, ['code'])
  assert.deepEqual(body.subject_types_supported, ['pairwise'])
  assert.ok(body.id_token_signing_alg_values_supported.includes('RS256'))
  assert.deepEqual([body.request_parameter_supported, body.request_uri_parameter_supported], [false, false])
  assert.deepEqual(body.token_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ])
  assert.ok(body.grant_types_supported.includes('refresh_token'))
  assert.ok(body.code_challenge_methods_supported.includes('S256'))
  for (const claim of ['sub', 'auth_time', 'name', 'email']) assert.ok(body.claims_supported.includes(claim), claim)
  const keys = (await app.nobody().get('/oauth/v2/jwks')).body.keys
  assert.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, keys.length)
  const oauth = await app.nobody().get('/.well-known/oauth-authorization-server')
  assert.deepEqual(oauth.body, body, 'both documents say the same')
})
