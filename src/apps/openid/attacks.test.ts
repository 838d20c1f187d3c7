import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { formsOf } from '../../operations/testing/browser.ts'
import { Client, sharedApp } from '../../operations/testing/testing.ts'
import {
  assertRfcError,
  exchange,
  obtainCode,
  PASSWORD,
  pkcePair,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
} from '../oauth/testing.ts'
import { redeem, SIGN_IN, signInWithOpenid, userInfo } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_CLIENT_BURST: '100000' }, { withSandbox: true })
const client = await registerApp(app, { key: 'rp' })
const other = await registerApp(app, { key: 'other' })
const open = await registerApp(app, { key: 'open', isPublic: true })

const requestOf = ({ clientId }: RegisteredApp, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: REDIRECT_URI,
  scope: 'openid',
  state: 'xyz',
  nonce: 'abc',
  ...more,
})

const errorOf = (location: string | undefined): string | null =>
  location === undefined ? 'no redirect' : new URL(location).searchParams.get('error')

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('an id_token_hint that we did not sign for this app is refused: alg none, HS256 with our public key, other apps', async () => {
  const { answer, claims, browser } = await signInWithOpenid(app, client)
  const idToken: string = answer.body.id_token
  const { kid } = decodeProtectedHeader(idToken)
  const { body } = await app.nobody().get('/oauth/v2/jwks')
  const jwk = body.keys.find((key: { kid: string }) => key.kid === kid)
  const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' })
  const [, payload, signature] = idToken.split('.')
  const hs256 = (key: string | Buffer) => {
    const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  const others = await signInWithOpenid(app, other)
  const hints = {
    none: `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
    'none with a signature': `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.${signature}`,
    'HS256 with the PEM': hs256(pem as string),
    'HS256 with the JWK': hs256(JSON.stringify(jwk)),
    'HS256 with the modulus': hs256(Buffer.from(jwk.n, 'base64url')),
    'a changed subject': `${idToken.split('.')[0]}.${encode({ ...claims, sub: 'somebody' })}.${signature}`,
    'another app': others.answer.body.id_token,
    'an access token': answer.body.access_token,
    'half a token': idToken.slice(0, 40),
  }
  for (const [name, hint] of Object.entries(hints)) {
    const silent = await browser.get(SIGN_IN, requestOf(client, { prompt: 'none', id_token_hint: hint }))
    assert.equal(errorOf(silent.location), 'invalid_request', name)
    assert.equal(new URL(silent.location!).searchParams.get('code'), null)
  }
  const good = await browser.get(SIGN_IN, requestOf(client, { prompt: 'none', id_token_hint: idToken }))
  assert.equal(errorOf(good.location), null)
})

test('the sandbox and production have other issuers and keys, and refuse the hints of each other', async () => {
  const [here, there] = [app.environment(), app.environment('sandbox')]
  for (const [{ url }, address] of [
    [here, app.address],
    [there, app.sandboxAddress],
  ] as const)
    assert.equal((await new Client(address).get('/.well-known/openid-configuration')).body.issuer, url)
  const kids = async (address: string) =>
    (await new Client(address).get('/oauth/v2/jwks')).body.keys.map(({ kid }: { kid: string }) => kid)
  const ours = await kids(app.address)
  assert.ok((await kids(app.sandboxAddress)).every((kid: string) => !ours.includes(kid)))
  const twin = await registerApp(app, { key: 'rp' }, 'sandbox')
  const { answer } = await signInWithOpenid(app, client)
  const hint = { prompt: 'none', id_token_hint: answer.body.id_token }
  const { location } = await app.visitor('sandbox').get(SIGN_IN, requestOf(twin, hint))
  assert.equal(errorOf(location), 'invalid_request')
})

test('the hint of another person is never answered with the person who is signed in', async () => {
  const avery = await signInWithOpenid(app, client)
  const blake = await signInWithOpenid(app, client, { person: 'blake' })
  const more = { id_token_hint: avery.answer.body.id_token }
  const silent = await blake.browser.get(SIGN_IN, requestOf(client, { ...more, prompt: 'none' }))
  assert.equal(errorOf(silent.location), 'login_required')
  const page = await blake.browser.get(SIGN_IN, requestOf(client, more))
  assert.match(page.text, /name="password"/, 'the person can sign in as the other one')
  const wrong = await blake.browser.submit(page, { handle: '@blake', password: PASSWORD })
  assert.equal(errorOf(wrong.location), 'login_required')
  const again = await blake.browser.get(SIGN_IN, requestOf(client, more))
  const right = await blake.browser.submit(again, { handle: '@avery', password: PASSWORD })
  assert.equal(errorOf(right.location), null, right.text)
})

test('prompt=login and max_age cannot be answered with an old sign-in: not with the form of another request, nor a made-up time', async () => {
  const { browser } = await signInWithOpenid(app, client)
  app.advance(60_000)
  for (const asked of [{ prompt: 'login' }, { max_age: '10' }]) {
    const page = await browser.get(SIGN_IN, requestOf(client, asked))
    const [form] = formsOf(page.text)
    assert.ok(form!.action.includes('signin_since='), form!.action)
    // The address of the form, without answering it.
    const skipped = await browser.send(form!.action)
    assert.match(skipped.text, /name="password"/)
    // A form that was shown before the person signed in for another request.
    const stranger = app.visitor()
    const early = formsOf((await stranger.get(SIGN_IN, requestOf(client, { ...asked, state: 'early' }))).text)[0]!
    const since = new URL(early.action, app.address).searchParams.get('signin_since')!
    for (const forged of [since, since.replace(/^\d+/, '1'), `1.${'A'.repeat(43)}`, '1', 'x'.repeat(150)]) {
      const tried = await browser.get(SIGN_IN, requestOf(client, { ...asked, signin_since: forged }))
      assert.match(tried.text, /name="password"/, forged)
    }
    // The consent form asks for it too, though the person allowed the app before.
    const consent = await browser.get('/oauth/v2/consent', requestOf(client, asked))
    assert.match(consent.text, /name="password"/)
    const answered = await browser.submit(page, { handle: '@avery', password: PASSWORD })
    assert.equal(errorOf(answered.location), null, answered.text)
    app.advance(60_000)
  }
})

test('a wrong password does not count as signing in again', async () => {
  const { browser } = await signInWithOpenid(app, client)
  app.advance(60_000)
  const page = await browser.get(SIGN_IN, requestOf(client, { prompt: 'login' }))
  const refused = await browser.submit(page, { handle: '@avery', password: 'wrong' })
  assert.equal(refused.location, undefined)
  const skipped = await browser.send(formsOf(refused.text)[0]!.action)
  assert.match(skipped.text, /name="password"/)
})

test('PKCE cannot be taken away: without nonce it is required, public apps need it always, and a verifier needs its challenge', async () => {
  const visitor = app.visitor()
  const { nonce: _, ...bare } = requestOf(client)
  assert.equal(errorOf((await visitor.get(SIGN_IN, bare)).location), 'invalid_request')
  assert.equal(errorOf((await visitor.get(SIGN_IN, requestOf(open))).location), 'invalid_request')
  const { scope: __, ...plain } = requestOf(client)
  assert.equal(errorOf((await visitor.get(SIGN_IN, plain)).location), 'invalid_request')
  const { verifier } = pkcePair()
  const { code } = await obtainCode(app, {
    clientId: client.clientId,
    path: SIGN_IN,
    more: { scope: 'openid', nonce: 'abc' },
  })
  assertRfcError(await redeem(app, client, code, { code_verifier: verifier }), 400, 'invalid_grant', 4003)
})

test('a code of another app is unknown, and still works for its own', async () => {
  const { code } = await obtainCode(app, {
    clientId: client.clientId,
    path: SIGN_IN,
    more: { scope: 'openid', nonce: 'abc' },
  })
  assertRfcError(await redeem(app, other, code), 400, 'invalid_grant', 4015)
  assert.equal((await redeem(app, client, code)).status, 200)
})

test('a redirect URI that differs in one byte is refused, at both ends', async () => {
  for (const wrong of [
    `${REDIRECT_URI}/`,
    `${REDIRECT_URI}?`,
    REDIRECT_URI.replace('https', 'http'),
    REDIRECT_URI.toUpperCase(),
    REDIRECT_URI.replace('example.org', 'example.org.'),
    `${REDIRECT_URI}%00`,
  ]) {
    const page = await app.visitor().get(SIGN_IN, requestOf(client, { redirect_uri: wrong, prompt: 'none' }))
    assert.deepEqual([page.status, page.location], [400, undefined], wrong)
    const { code } = await obtainCode(app, {
      clientId: client.clientId,
      path: SIGN_IN,
      more: { scope: 'openid', nonce: 'abc' },
    })
    assertRfcError(await redeem(app, client, code, { redirect_uri: wrong }), 400, 'invalid_grant', 4003)
  }
})

test('parameters of 10,000 characters are refused on a page', async () => {
  for (const name of ['state', 'nonce', 'login_hint', 'id_token_hint', 'max_age', 'signin_since']) {
    const page = await app.visitor().get(SIGN_IN, requestOf(client, { [name]: 'x'.repeat(10_000) }))
    assert.deepEqual([page.status, page.location], [400, undefined], name)
  }
})

test('parameters that are malformed or not supported are reported to the app', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ max_age: '-1' }, 'invalid_request'],
    [{ max_age: '1.5' }, 'invalid_request'],
    [{ max_age: 'soon' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
  ]
  for (const [more, error] of cases) {
    const { location } = await app.visitor().get(SIGN_IN, requestOf(client, more))
    assert.equal(errorOf(location), error, JSON.stringify(more))
  }
})

test('another site can start a sign-in by POST, but cannot send the sign-in form', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }
  const send = (fields: Record<string, string>) =>
    app.visitor().send(SIGN_IN, { method: 'POST', body: String(new URLSearchParams(fields)), headers })
  assert.equal((await send(requestOf(client))).status, 303)
  for (const more of [{ handle: '@avery', password: PASSWORD }, { csrf_token: 'x' }, { password: PASSWORD }])
    assert.equal((await send(requestOf(client, more))).status, 403, JSON.stringify(more))
})

test('userinfo refuses as RFC 6750 says: a challenge without an error, or with its name', async () => {
  const bare = await app.nobody().get('/oauth/v2/userinfo')
  assert.equal(bare.status, 401)
  assert.equal(bare.headers.get('www-authenticate'), 'Bearer realm="groundschool"')
  const wrong = await userInfo(app, `gs_at_${'x'.repeat(49)}`)
  assert.match(wrong.headers.get('www-authenticate')!, /^Bearer realm="groundschool", error="invalid_token"/)
  const { verifier, challenge } = pkcePair()
  const { code } = await obtainCode(app, {
    clientId: client.clientId,
    path: SIGN_IN,
    challenge,
    more: { scope: 'buckets' },
  })
  const { body } = await redeem(app, client, code, { code_verifier: verifier })
  assert.ok(!('id_token' in body))
  const narrow = await userInfo(app, body.access_token)
  assert.equal(narrow.status, 401)
  assert.match(narrow.headers.get('www-authenticate')!, /error="insufficient_scope"/)
  // The same with the token in a form (RFC 6750 §2.2).
  const post = (fields: Record<string, string>) => exchange(app, fields, 'form', { path: '/oauth/v2/userinfo' })
  assert.equal((await post({})).headers.get('www-authenticate'), 'Bearer realm="groundschool"')
  const wrongForm = await post({ access_token: `gs_at_${'x'.repeat(49)}` })
  assert.match(wrongForm.headers.get('www-authenticate')!, /^Bearer realm="groundschool", error="invalid_token"/)
  const narrowForm = await post({ access_token: body.access_token })
  assert.equal(narrowForm.status, 401)
  assert.match(narrowForm.headers.get('www-authenticate')!, /^Bearer .*error="insufficient_scope"/)
  const both = await new Client(app.address, body.access_token).post('/oauth/v2/userinfo', {
    access_token: body.access_token,
  })
  assert.equal(both.status, 400)
})

test('an app that names no scope gets no ID token', async () => {
  const { verifier, challenge } = pkcePair()
  const { code } = await obtainCode(app, { clientId: client.clientId, path: SIGN_IN, challenge })
  const { body } = await redeem(app, client, code, { code_verifier: verifier })
  assert.ok(!('id_token' in body))
})
