import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { SCOPES } from '../../kernel/scopes.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { mintRefreshToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { type Answer, Client, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import {
  assertRfcError,
  assertTokenDies,
  basicHeader,
  exchange,
  obtainCode,
  pkcePair,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
} from './testing.ts'

const SIGN_IN = '/oauth/v2/signin'
const TOKEN = '/oauth/v2/token'
const REVOKE = '/oauth/v2/revoke'
const INTROSPECT = '/oauth/v2/introspect'
const METADATA = '/.well-known/oauth-authorization-server'

type Fields = Record<string, string>

/** Sends a request as the RFC defines it: the fields as a form, the credentials among them or in a header. */
const send = (app: TestApp, path: string, fields: Fields, headers: Fields = {}): Promise<Answer> =>
  exchange(app, fields, 'form', { path, headers })

const credentials = ({ clientId, secret }: RegisteredApp): Fields =>
  secret === '' ? { client_id: clientId } : { client_id: clientId, client_secret: secret }

async function codeFields(app: TestApp, { clientId }: RegisteredApp): Promise<Fields> {
  const { verifier, challenge } = pkcePair()
  const { code } = await obtainCode(app, { clientId, challenge, path: SIGN_IN })
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

async function signIn(app: TestApp, client: RegisteredApp): Promise<Tokens> {
  const answer = await send(app, TOKEN, { ...(await codeFields(app, client)), ...credentials(client) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const refresh = (app: TestApp, client: RegisteredApp, refresh_token: string): Promise<Answer> =>
  send(app, TOKEN, { grant_type: 'refresh_token', refresh_token, ...credentials(client) })

const statusOf = async (app: TestApp, { access_token: token }: Tokens): Promise<number> =>
  (await new Client(app.address, token).get('/oauth/token/validate')).status

// An app shared by the tests that leave nothing behind that other tests could see.
const app = await sharedApp({}, { withSandbox: true })
const client = await registerApp(app, { key: 'logbook' })
const other = await registerApp(app, { key: 'other' })
const phone = await registerApp(app, { key: 'phone', isPublic: true })

test('the token operation answers to the letter of RFC 6749', async () => {
  const answer = await send(app, TOKEN, { ...(await codeFields(app, client)), ...credentials(client) })
  assert.equal(answer.status, 200, answer.text)
  const { access_token, refresh_token, ...rest } = answer.body
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 86_400, scope: 'user' })
  assert.match(access_token, /^gs_at_/)
  assert.match(refresh_token, /^gs_rt_/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('pragma'), 'no-cache')
  assert.equal(answer.headers.get('access_token'), null)
  assert.equal(await statusOf(app, answer.body), 200)

  const next = await refresh(app, client, refresh_token)
  assert.equal(next.status, 200, next.text)
  assert.equal(next.body.expires_in, 86_400)
  assert.notEqual(next.body.refresh_token, refresh_token)
})

test('an app authenticates by header, by fields, or, if it is public, by PKCE alone', async () => {
  const encoded = (text: string) => encodeURIComponent(text).replaceAll('-', '%2D').replaceAll('_', '%5F')
  const formEncoded = Buffer.from(`${encoded(client.clientId)}:${encoded(client.secret)}`).toString('base64')
  const ways: [RegisteredApp, Fields, Fields][] = [
    [client, credentials(client), {}],
    [client, {}, basicHeader(client)],
    [client, {}, { authorization: `basic ${formEncoded}` }],
    [client, { client_id: client.clientId }, basicHeader(client)],
    [phone, { client_id: phone.clientId }, {}],
  ]
  for (const [who, fields, headers] of ways) {
    const answer = await send(app, TOKEN, { ...(await codeFields(app, who)), ...fields }, headers)
    assert.equal(answer.status, 200, answer.text)
  }
})

test('O11: credentials and fields in the address are refused', async () => {
  const fields = await codeFields(app, client)
  const inQuery = await exchange(app, { ...fields, ...credentials(client) }, 'query', { path: TOKEN })
  assertRfcError(inQuery, 400, 'invalid_request', 4000)
  const half = await send(app, `${TOKEN}?client_secret=${client.secret}`, { ...fields, client_id: client.clientId })
  assertRfcError(half, 400, 'invalid_request', 4000)
  assert.equal((await send(app, TOKEN, { ...fields, ...credentials(client) })).status, 200)
})

test('every refusal has the name and the status that RFC 6749 has for it', async () => {
  const sandboxed = await registerApp(app, { key: 'logbook' }, 'sandbox')
  const own = credentials(client)
  const fields = await codeFields(app, client)
  const rows: [fields: Fields, status: number, name: string, code: number, headers?: Fields][] = [
    [own, 400, 'invalid_request', 4001],
    [{ ...own, grant_type: 'password' }, 400, 'unsupported_grant_type', 4003],
    [{ ...own, grant_type: 'toString' }, 400, 'unsupported_grant_type', 4003],
    [{ ...own, grant_type: 'authorization_code' }, 400, 'invalid_request', 4001],
    [{ ...own, grant_type: 'refresh_token' }, 400, 'invalid_request', 4001],
    [fields, 400, 'invalid_request', 4001],
    [{ ...fields, client_id: client.clientId }, 401, 'invalid_client', 4011],
    [{ ...fields, ...own, client_secret: other.secret }, 401, 'invalid_client', 4011],
    [{ ...fields, client_id: 'gs-nobody', client_secret: 'x' }, 401, 'invalid_client', 4012],
    [{ ...fields, ...credentials(sandboxed) }, 401, 'invalid_client', 4013],
    [{ ...fields, ...credentials(phone), client_secret: 'x' }, 401, 'invalid_client', 4011],
    [{ ...fields, ...own }, 400, 'invalid_request', 4000, basicHeader(client)],
    [fields, 401, 'invalid_client', 4016, { authorization: 'Basic !' }],
    [{ ...fields, ...credentials(other) }, 400, 'invalid_grant', 4015],
    [{ ...fields, ...own, code: 'gs_ac_x' }, 400, 'invalid_grant', 4015],
    [{ ...fields, ...own, code_verifier: pkcePair().verifier }, 400, 'invalid_grant', 4003],
    [{ ...fields, ...own, code_verifier: '' }, 400, 'invalid_grant', 4001],
    [{ ...fields, ...own, redirect_uri: '' }, 400, 'invalid_grant', 4003],
    [{ ...fields, ...own, redirect_uri: `${REDIRECT_URI}/` }, 400, 'invalid_grant', 4003],
    [{ ...own, grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_grant', 4034],
  ]
  for (const [given, status, name, code, headers] of rows) {
    const answer = await send(app, TOKEN, given, headers)
    assertRfcError(answer, status, name, code)
    // The description must be ASCII, without quotation marks and backslashes (RFC 6749 §5.2).
    assert.match(answer.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  }
  const twice = await app.nobody().send('POST', TOKEN, {
    raw: `${new URLSearchParams({ ...fields, ...own })}&code=x`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assertRfcError(twice, 400, 'invalid_request', 4003)
  const text = await app.nobody().send('POST', TOKEN, { raw: 'x', headers: { 'content-type': 'text/plain' } })
  assertRfcError(text, 415, 'invalid_request', 4151)
  // None of the refused requests has used up the code.
  assert.equal((await send(app, TOKEN, { ...fields, ...own })).status, 200)
})

test('a code that is used twice is refused as in RFC 6749, and its session ends', async () => {
  const fields = { ...(await codeFields(app, client)), ...credentials(client) }
  const first = await send(app, TOKEN, fields)
  assertRfcError(await send(app, TOKEN, fields), 400, 'invalid_grant', 4008)
  await assertTokenDies(app.address, first.body.access_token)
  assertRfcError(await refresh(app, client, first.body.refresh_token), 400, 'invalid_grant', 4034)
})

test('the standard sign-in page requires PKCE, reports errors to the app, and always sends iss', async () => {
  const { clientId } = await registerApp(app, { key: 'old', isPkceRequired: false })
  const iss = app.environment().url
  const browser = app.visitor()
  const ask = async (query: Fields) => {
    const seen = await browser.get(SIGN_IN, { client_id: clientId, state: 's', ...query })
    assert.equal(seen.status, 303, seen.text)
    const url = new URL(seen.location!)
    assert.equal(url.origin + url.pathname, REDIRECT_URI)
    const { error_description, ...rest } = Object.fromEntries(url.searchParams)
    assert.ok(error_description)
    return rest
  }
  const { challenge } = pkcePair()
  const s256 = { code_challenge: challenge, code_challenge_method: 'S256' }
  const asked = { state: 's', iss }
  assert.deepEqual(await ask({ response_type: 'code' }), { error: 'invalid_request', ...asked })
  assert.deepEqual(await ask(s256), { error: 'invalid_request', ...asked })
  assert.deepEqual(await ask({ response_type: 'token', ...s256 }), { error: 'unsupported_response_type', ...asked })
  assert.deepEqual(await ask({ response_type: 'implicit', ...s256 }), { error: 'unsupported_response_type', ...asked })
  const plain = { code_challenge: challenge, code_challenge_method: 'plain' }
  assert.deepEqual(await ask({ response_type: 'code', ...plain }), { error: 'invalid_request', ...asked })
  assert.deepEqual(await ask({ response_type: 'code', prompt: 'none', ...s256 }), { error: 'login_required', ...asked })
  for (const prompt of ['none login', 'consent none'])
    assert.deepEqual(await ask({ response_type: 'code', prompt, ...s256 }), { error: 'invalid_request', ...asked })
  assert.deepEqual(await ask({ response_type: 'code', prompt: 'none x', ...s256 }), {
    error: 'login_required',
    ...asked,
  })
  const { redirect } = await obtainCode(app, { clientId, challenge, path: SIGN_IN, state: 's' })
  assert.deepEqual([...redirect.searchParams.keys()], ['code', 'state', 'iss'])
  assert.equal(redirect.searchParams.get('iss'), iss)
})

test('the metadata names what this server has, under its own address', async () => {
  const proven = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  const signatures = [
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ]
  for (const name of ['production', 'sandbox'] as const) {
    const { url } = app.environment(name)
    const answer = await app.nobody(name).get(METADATA)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
    assert.deepEqual(answer.body, {
      issuer: url,
      authorization_endpoint: `${url}/oauth/v2/signin`,
      token_endpoint: `${url}/oauth/v2/token`,
      revocation_endpoint: `${url}/oauth/v2/revoke`,
      introspection_endpoint: `${url}/oauth/v2/introspect`,
      device_authorization_endpoint: `${url}/oauth/v2/device/authorize`,
      scopes_supported: [...SCOPES, 'user'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_methods_supported: [...proven, 'none'],
      revocation_endpoint_auth_methods_supported: [...proven, 'none'],
      introspection_endpoint_auth_methods_supported: proven,
      token_endpoint_auth_signing_alg_values_supported: signatures,
      revocation_endpoint_auth_signing_alg_values_supported: signatures,
      introspection_endpoint_auth_signing_alg_values_supported: signatures,
      code_challenge_methods_supported: ['S256'],
      userinfo_endpoint: `${url}/oauth/v2/userinfo`,
      jwks_uri: `${url}/oauth/v2/jwks`,
      end_session_endpoint: `${url}/oauth/v2/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      claims_supported: [
        ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'sid'],
        ...['name', 'given_name', 'family_name', 'preferred_username', 'email', 'email_verified'],
      ],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${url}/docs`,
    })
  }
})

test('an app in a browser may ask for tokens from an origin that it registered', async () => {
  const origin = 'https://app.example.org'
  const spa = await registerApp(app, { key: 'spa', isPublic: true, origins: [origin] })
  const preflight = () => app.nobody().send('OPTIONS', TOKEN, { headers: { origin } })
  await until(
    'the origin is known',
    async () => (await preflight()).headers.get('access-control-allow-origin') === origin,
  )
  const answer = await send(app, TOKEN, { ...(await codeFields(app, spa)), ...credentials(spa) }, { origin })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('access-control-allow-origin'), origin)
  const refused = await send(app, TOKEN, credentials(spa), { origin })
  assert.equal(refused.headers.get('access-control-allow-origin'), origin)
})

test('revoking a refresh token, of whatever age, ends its session at once, on every process', async (t) => {
  const app = await testApp(t)
  const client = await registerApp(app, { key: 'logbook' })
  const second = await app.startSecond()
  const first = await signIn(app, client)
  const { body: next } = await refresh(app, client, first.refresh_token)
  const elsewhere = new Client(second.addresses.production, next.access_token)
  assert.equal((await elsewhere.get('/oauth/token/validate')).status, 200)
  app.advance(60_000)

  const answer = await send(app, REVOKE, { token: first.refresh_token, ...credentials(client) })
  assert.deepEqual([answer.status, answer.body], [200, { success: true }])
  await assertTokenDies(elsewhere.address, elsewhere.token!)
  await assertTokenDies(app.address, next.access_token)
  assertRfcError(await refresh(app, client, next.refresh_token), 400, 'invalid_grant', 4034)
  const again = await send(app, REVOKE, { token: next.refresh_token, ...credentials(client) })
  assert.deepEqual([again.status, again.body], [200, { success: true }])
  const audit = await app.sql(`select detail->>'reason' as reason from audit_entries where action = 'session.ended'`)
  assert.deepEqual(audit, [{ reason: 'revoked' }])
})

test('revoking an access token ends that one alone, on every process', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const client = await registerApp(app, { key: 'logbook' })
  const second = await app.startSecond()
  const first = await signIn(app, client)
  const { body: next } = await refresh(app, client, first.refresh_token)
  const elsewhere = new Client(second.addresses.production, first.access_token)
  assert.equal((await elsewhere.get('/oauth/token/validate')).status, 200)
  assert.equal(await statusOf(app, first), 200)

  // A wrong `token_type_hint` does not matter (RFC 7009 §2.1).
  const fields = { token: first.access_token, token_type_hint: 'refresh_token' }
  const answer = await send(app, REVOKE, fields, basicHeader(client))
  assert.deepEqual([answer.status, answer.body], [200, { success: true }])
  await assertTokenDies(elsewhere.address, elsewhere.token!)
  await assertTokenDies(app.address, first.access_token)
  assert.equal(await statusOf(app, next), 200)
  assert.equal((await refresh(app, client, next.refresh_token)).status, 200)
  assert.equal((await app.sql(`select 1 from audit_entries where action = 'token.revoked'`)).length, 1)
  assert.equal((await send(app, REVOKE, fields, basicHeader(client))).status, 200)
})

test('an app revokes only its own tokens, and an unknown token counts as revoked', async () => {
  const tokens = await signIn(app, client)
  const [access, fresh] = [tokens.access_token, tokens.refresh_token]
  for (const who of [other, phone]) {
    for (const token of [access, fresh])
      assertRfcError(await send(app, REVOKE, { token, ...credentials(who) }), 400, 'invalid_grant', 4003)
  }
  assertRfcError(await send(app, REVOKE, { token: fresh }), 400, 'invalid_request', 4001)
  assertRfcError(await send(app, REVOKE, { token: fresh, client_id: client.clientId }), 401, 'invalid_client', 4011)
  assertRfcError(await send(app, REVOKE, credentials(client)), 400, 'invalid_request', 4001)
  const strange = [
    'x',
    access.slice(0, -1),
    `${fresh}A`,
    fresh.replace('gs_rt_', 'gs_at_'),
    access.replace('gs_', 'gs_sbx_'),
  ]
  for (const token of strange) assert.equal((await send(app, REVOKE, { token, ...credentials(client) })).status, 200)
  assert.equal(await statusOf(app, tokens), 200)
  const own = await signIn(app, phone)
  assert.equal((await send(app, REVOKE, { token: own.refresh_token, ...credentials(phone) })).status, 200)
  await assertTokenDies(app.address, own.access_token)
})

test('O14: a token of the other environment is not revoked, and the answer says where it belongs', async () => {
  const strange = [
    mintToken('access', 'sandbox'),
    mintRefreshToken(app.environment('sandbox').get(tokenPolicy).refreshKeys[0]!, 'sandbox', {
      sessionId: randomUUID(),
      counter: 0,
    }),
  ]
  for (const token of strange) {
    const answer = await send(app, REVOKE, { token, ...credentials(client) })
    assertRfcError(answer, 400, 'invalid_grant', 4003)
    assert.match(
      answer.body.error_description,
      /^This token was issued by the sandbox environment; this is production$/,
    )
  }
})

test("introspection describes an app's tokens, and changes nothing", async () => {
  const startedAt = Math.floor(app.environment().clock().getTime() / 1000)
  const tokens = await signIn(app, client)
  const inspect = (token: string) => send(app, INTROSPECT, { token }, basicHeader(client))
  const { body: access } = await inspect(tokens.access_token)
  const { exp, iat, sub, ...rest } = access
  const own = { client_id: client.clientId, username: '@avery', scope: 'user', iss: app.environment().url }
  assert.deepEqual(rest, { active: true, token_type: 'Bearer', ...own })
  assert.ok(iat >= startedAt && iat <= startedAt + 60)
  assert.equal(exp - iat, 86_400)
  const validated = await new Client(app.address, tokens.access_token).get('/oauth/token/validate')
  assert.equal(sub, validated.body.userId)

  const { body: session } = await inspect(tokens.refresh_token)
  assert.deepEqual(session, {
    active: true,
    token_type: 'refresh_token',
    ...own,
    sub,
    exp: session.exp,
    iat: session.iat,
  })
  assert.ok(session.exp > exp)

  // After a refresh, the previous refresh token stays active for 30 seconds.
  const { body: next } = await refresh(app, client, tokens.refresh_token)
  const { body: previous } = await inspect(tokens.refresh_token)
  assert.equal(previous.active, true)
  assert.ok(previous.exp - session.iat < 120)
  app.advance(31_000)
  assert.deepEqual((await inspect(tokens.refresh_token)).body, { active: false })
  assert.equal((await inspect(next.refresh_token)).body.active, true)
  assert.equal((await refresh(app, client, next.refresh_token)).status, 200)

  app.advance(25 * 3_600_000)
  assert.deepEqual((await inspect(next.access_token)).body, { active: false })
})

test('introspection says only that any other token is not active', async () => {
  const tokens = await signIn(app, client)
  const strangers = await signIn(app, phone)
  const dead = await signIn(app, client)
  await send(app, REVOKE, { token: dead.refresh_token, ...credentials(client) })
  const inactive = [
    [other, tokens.access_token],
    [other, tokens.refresh_token],
    [client, strangers.access_token],
    [client, strangers.refresh_token],
    [client, dead.access_token],
    [client, dead.refresh_token],
    [client, 'x'],
    [client, `${tokens.access_token}x`],
    [client, client.secret],
  ] as const
  for (const [who, token] of inactive) {
    const answer = await send(app, INTROSPECT, { token, ...credentials(who) })
    assert.deepEqual([answer.status, answer.text], [200, '{"active":false}'])
  }
  const fields = { token: strangers.access_token }
  assertRfcError(await send(app, INTROSPECT, { ...fields, ...credentials(phone) }), 401, 'invalid_client', 4014)
  assertRfcError(await send(app, INTROSPECT, fields), 400, 'invalid_request', 4001)
  const wrong = { client_id: client.clientId, client_secret: other.secret }
  assertRfcError(await send(app, INTROSPECT, { ...fields, ...wrong }), 401, 'invalid_client', 4011)
})

test('a token of somebody who has withdrawn their consent is not active', async () => {
  const tokens = await signIn(app, client)
  await app.sql(`update app_users set withdrawn_at = now()`)
  const inspect = async (token: string) => (await send(app, INTROSPECT, { token, ...credentials(client) })).body
  for (const token of [tokens.access_token, tokens.refresh_token])
    assert.deepEqual(await inspect(token), { active: false })
})
