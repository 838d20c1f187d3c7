import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { type Answer, assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { assertRfcError, exchange, obtainCode } from '../oauth/testing.ts'
import { SIGN_IN, verifyIdToken } from '../openid/testing.ts'

const PATH = '/app/v1/app'
const REDIRECT = 'http://127.0.0.1/callback'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const TOKEN = '/oauth/v2/token'

const app = await sharedApp({ ...UNLIMITED, RATE_CLIENT_BURST: '100000' })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   insert into organisations (key, name, created_at) values ('school', 'School', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'developer' from organisations o, people p where p.handle = '@drew'`,
)
const drew = await signInBrowser(app, 'drew')
const ellis = await signInBrowser(app, 'ellis')

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const jwkOf = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid })
const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }) as string

const change = (clientId: string, fields: object) => call(drew, 'POST', PATH, { clientId, ...fields })

/** Registers an app that proves itself with keys. */
async function registerWithKeys(key: string, publicKeys: string, more: object = {}): Promise<string> {
  const made = await call(drew, 'PUT', PATH, { key, name: key, organisation: 'school', redirectUris: [REDIRECT] })
  assert.equal(made.status, 200, made.text)
  const { clientId } = made.body
  const changed = await change(clientId, { publicKeys, tokenEndpointAuthMethod: 'private_key_jwt', ...more })
  assert.equal(changed.status, 200, changed.text)
  await call(ellis, 'POST', `${PATH}/status`, { clientId, status: 'approved' })
  return clientId
}

const ALL = JSON.stringify({ keys: [jwkOf(rsa.publicKey, 'r'), jwkOf(ec.publicKey, 'c'), jwkOf(ed.publicKey, 'd')] })
const clientId = await registerWithKeys('keyed', ALL)

interface Signed {
  readonly key?: KeyObject | Uint8Array
  readonly alg?: string
  readonly kid?: string
  readonly claims?: Record<string, unknown>
  readonly client?: string
}

function sign({ key = rsa.privateKey, alg = 'RS256', kid = 'r', claims = {}, client = clientId }: Signed = {}) {
  const now = Math.floor(app.environment().clock().getTime() / 1000)
  const all = { iss: client, sub: client, aud: app.environment().url, exp: now + 60, iat: now, jti: randomUUID() }
  const given = Object.entries({ ...all, ...claims }).filter(([, value]) => value !== undefined)
  return new SignJWT(Object.fromEntries(given)).setProtectedHeader({ alg, kid }).sign(key)
}

/** Sends a request that only fails because its refresh token is unknown, if the app is authenticated. */
const send = (assertion: string, fields: Record<string, string> = {}, address = app.address): Promise<Answer> =>
  new Client(address).send('POST', TOKEN, {
    raw: String(
      new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_assertion: assertion,
        client_assertion_type: TYPE,
        ...fields,
      }),
    ),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** Wrong assertions are counted like wrong secrets, and the next test must not wait for that. */
const forgetFailures = () => app.sql('delete from sign_in_failures')

const isAuthenticated = (answer: Answer): void => assertRfcError(answer, 400, 'invalid_grant', 4034)
const isRefused = (answer: Answer, why: RegExp): void => {
  assertRfcError(answer, 401, 'invalid_client', 4011)
  assert.match(answer.body.error_description, why)
}

test('an app signs in with private_key_jwt, with RSA, EC and Ed25519 keys', async () => {
  for (const [key, alg, kid] of [
    [rsa.privateKey, 'RS256', 'r'],
    [rsa.privateKey, 'PS256', 'r'],
    [ec.privateKey, 'ES256', 'c'],
    [ed.privateKey, 'EdDSA', 'd'],
  ] as const) {
    const { code } = await obtainCode(app, {
      clientId,
      path: SIGN_IN,
      redirectUri: REDIRECT,
      more: { scope: 'openid', nonce: 'abc' },
    })
    const answer = await exchange(
      app,
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        client_assertion: await sign({ key, alg, kid }),
        client_assertion_type: TYPE,
      },
      'form',
      { path: TOKEN },
    )
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await verifyIdToken(app, answer.body.id_token, clientId)).aud, clientId)
  }
})

test('the token endpoint is an audience too, and the client ID may be sent beside the assertion', async () => {
  isAuthenticated(
    await send(await sign({ claims: { aud: `${app.environment().url}${TOKEN}` } }), { client_id: clientId }),
  )
  isAuthenticated(await send(await sign({ claims: { aud: ['https://elsewhere.example', app.environment().url] } })))
})

test('keys in PEM have no kid, and one of them has signed', async () => {
  const client = await registerWithKeys('pem', `${pemOf(ec.publicKey)}\n${pemOf(rsa.publicKey)}`)
  isAuthenticated(await send(await sign({ client, kid: 'any' })))
  isAuthenticated(await send(await sign({ client, key: ec.privateKey, alg: 'ES256', kid: 'any' })))
  isRefused(await send(await sign({ client, key: ed.privateKey, alg: 'EdDSA' })), /not signed with a key/)
})

test('an assertion works once, at two processes together', async () => {
  const second = await app.startSecond()
  const there = second.environments.find(({ name }) => name === 'production')!
  const addresses = [app.address, second.addresses.production]
  for (let round = 0; round < 3; round++) {
    // Here, each process believes to have another address.
    const aud = [app.environment().url, there.url]
    const assertion = await sign({ claims: { aud } })
    const answers = await Promise.all([...addresses, ...addresses].map((address) => send(assertion, {}, address)))
    assert.equal(answers.filter(({ status }) => status === 400).length, 1)
    isRefused(answers.find(({ status }) => status === 401)!, /already used/)
  }
  await forgetFailures()
})

test('every claim of an assertion is checked', async () => {
  const now = Math.floor(app.environment().clock().getTime() / 1000)
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ iss: 'gs-first' }, /iss and sub/],
    [{ aud: 'https://elsewhere.example' }, /aud must be/],
    [{ aud: `${app.environment().url}/` }, /aud must be/],
    [{ aud: undefined }, /aud must be/],
    [{ exp: now - 120 }, /expired/],
    [{ exp: now + 3600 }, /at most 300 seconds/],
    [{ exp: undefined }, /exp is missing/],
    [{ nbf: now + 200 }, /future/],
    [{ iat: now + 200 }, /future/],
    [{ jti: undefined }, /jti is missing/],
    [{ jti: '' }, /jti is missing/],
    [{ jti: 7 }, /jti is missing/],
    [{ jti: 'x'.repeat(501) }, /jti is missing, or longer/],
  ]
  for (const [claims, why] of cases) isRefused(await send(await sign({ claims })), why)
  const other = await sign({ claims: { sub: 'gs-first' } })
  assertRfcError(await send(other, { client_id: clientId }), 400, 'invalid_request', 4000)
  isRefused(await send(await sign(), { client_assertion_type: 'jwt' }), /client_assertion_type/)
  await forgetFailures()
})

test('the key decides the algorithm: none, HS256 with the public key, and the keys of others are refused', async () => {
  const claims = { iss: clientId, sub: clientId, aud: app.environment().url, exp: 9_999_999_999, jti: randomUUID() }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  isRefused(await send(`${encode({ alg: 'none' })}.${encode(claims)}.`), /algorithm/)
  const secret = Buffer.from(pemOf(rsa.publicKey))
  isRefused(await send(await sign({ key: secret, alg: 'HS256' })), /algorithm/)
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  isRefused(await send(await sign({ key: stranger.privateKey })), /not signed with a key/)
  isRefused(await send(await sign({ key: ec.privateKey, alg: 'ES256', kid: 'r' })), /not signed with a key/)
  isRefused(await send(`${encode({ alg: 'RS256' })}.${encode(claims)}.${'A'.repeat(300)}`), /not signed with a key/)
  const [, payload] = (await sign()).split('.')
  isRefused(await send(`x.${payload}.y`), /not a JWT/)
  await forgetFailures()
})

test('an app with private_key_jwt has no use for a secret any more, in either dialect, and one without it none for assertions', async () => {
  const made = await call(drew, 'PUT', PATH, { key: 'moved', name: 'Moved', organisation: 'school' })
  const { clientId: client, clientSecret } = made.body
  await call(ellis, 'POST', `${PATH}/status`, { clientId: client, status: 'approved' })
  const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: client, client_secret: clientSecret }
  isAuthenticated(await exchange(app, fields, 'form', { path: TOKEN }))
  isRefused(await send(await sign({ client })), /register its public keys/)
  await change(client, { publicKeys: ALL, tokenEndpointAuthMethod: 'private_key_jwt' })
  isAuthenticated(await send(await sign({ client })))
  assert.equal((await exchange(app, fields, 'form', { path: TOKEN })).status, 401)
  assert.equal((await exchange(app, fields)).status, 401)
  const both = await send(await sign({ client }), { client_secret: clientSecret })
  assertRfcError(both, 400, 'invalid_request', 4000)
  await change(client, { tokenEndpointAuthMethod: 'client_secret' })
  isAuthenticated(await exchange(app, fields, 'form', { path: TOKEN }))
})

test('the keys and the algorithm of an app are shown, and changed with a recent sign-in', async () => {
  const { body } = await change(clientId, { idTokenAlgorithm: 'ES256' })
  assert.deepEqual(
    [body.tokenEndpointAuthMethod, body.idTokenAlgorithm, body.publicKeys],
    ['private_key_jwt', 'ES256', JSON.parse(ALL).keys],
  )
  const { code } = await obtainCode(app, {
    clientId,
    path: SIGN_IN,
    redirectUri: REDIRECT,
    more: { scope: 'openid', nonce: 'abc' },
  })
  for (const [algorithm, shape] of [
    ['EdDSA', /^eyJhbGciOiJFZERTQSI/],
    ['RS256', /^eyJhbGciOiJSUzI1NiI/],
  ] as const) {
    await change(clientId, { idTokenAlgorithm: algorithm })
    if (algorithm === 'RS256') continue
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    const answer = await send(await sign(), fields)
    assert.match(answer.body.id_token, shape)
    assert.ok(await verifyIdToken(app, answer.body.id_token, clientId))
  }
  assertError(await change(clientId, { publicKeys: '' }), 400, 4006, /needs a public key/)
  assertError(await change(clientId, { tokenEndpointAuthMethod: 'none' }), 400, 4003)
  assertError(await change(clientId, { idTokenAlgorithm: 'none' }), 400, 4003)
  const made = await call(drew, 'PUT', PATH, { key: 'open', name: 'Open', organisation: 'school', public: true })
  assert.equal(made.body.tokenEndpointAuthMethod, 'none')
  assertError(await change(made.body.clientId, { publicKeys: ALL }), 400, 4006, /public client/)
})

test('an app is registered with its keys and algorithm, and gets no secret', async () => {
  const fields = { name: 'Born', organisation: 'school', tokenEndpointAuthMethod: 'private_key_jwt' }
  // A document, as the platform shows it, and a key in PEM after it.
  const publicKeys = `${JSON.stringify({ keys: [jwkOf(rsa.publicKey, 'r')] })}\n${pemOf(ec.publicKey)}`
  const made = await call(drew, 'PUT', PATH, { ...fields, key: 'born', publicKeys, idTokenAlgorithm: 'ES256' })
  assert.equal(made.status, 200, made.text)
  const { clientId: client, clientSecret, secrets, idTokenAlgorithm } = made.body
  assert.deepEqual([clientSecret, secrets, idTokenAlgorithm], [null, [], 'ES256'])
  assert.deepEqual(made.body.publicKeys, [jwkOf(rsa.publicKey, 'r'), ec.publicKey.export({ format: 'jwk' })])
  await call(ellis, 'POST', `${PATH}/status`, { clientId: client, status: 'approved' })
  isAuthenticated(await send(await sign({ client })))
  isAuthenticated(await send(await sign({ client, key: ec.privateKey, alg: 'ES256', kid: 'any' })))

  assertError(await call(drew, 'PUT', PATH, { ...fields, key: 'bare' }), 400, 4006, /needs a public key/)
  assertError(
    await call(drew, 'PUT', PATH, { ...fields, key: 'bare', publicKeys, public: true }),
    400,
    4006,
    /public client/,
  )
  assert.deepEqual(await app.sql(`select from apps where client_id = 'gs-bare'`), [])
  // The audit log says how many keys were set, and does not contain them.
  await change(client, { publicKeys: ALL, name: 'Borne' })
  const [entry] = await app.sql(
    `select e.detail from audit_entries e join apps a on a.id = e.app_id where a.client_id = '${client}' and e.action = 'app.changed'`,
  )
  const { publicKeys: count, name, nameBefore } = entry!.detail as Record<string, unknown>
  assert.deepEqual([count, name, nameBefore], [3, 'Borne', 'Born'])
})

test('keys that are private, symmetric, weak, too many or damaged are refused', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const slow = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const jwk = jwkOf(rsa.publicKey, 'a')
  const keys = (...list: object[]) => JSON.stringify({ keys: list })
  const cases: [string, RegExp][] = [
    [keys({ kty: 'oct', k: 'c2VjcmV0' }), /symmetric/],
    [keys(rsa.privateKey.export({ format: 'jwk' })), /private key/],
    [rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string, /private key/],
    [keys(jwkOf(weak.publicKey, 'w')), /2048 bits/],
    [pemOf(weak.publicKey), /2048 bits/],
    [pemOf(slow.publicKey), /curves/],
    [keys({ ...jwk, alg: 'HS256' }), /algorithm that fits the key/],
    [keys({ ...jwk, use: 'enc' }), /use is sig/],
    [keys({ ...jwk, kid: 'x'.repeat(201) }), /kid/],
    [keys({ ...jwk, kid: 7 }), /kid/],
    [keys(jwk, jwk), /same kid/],
    [keys(...Array.from({ length: 11 }, (_, i) => ({ ...jwk, kid: String(i) }))), /at most 10 keys/],
    [keys({ ...jwk, e: Buffer.alloc(200, 255).toString('base64url') }), /exponent|damaged/],
    [keys({ kty: 'RSA', n: 'AQAB', e: 'AQAB' }), /2048 bits|damaged/],
    [keys({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }), /damaged/],
    [keys(), /must have a key/],
    [keys([] as object), /objects/],
    ['{"keys":', /not valid JSON/],
    [`{"keys":${'['.repeat(5000)}${']'.repeat(5000)}}`, /objects/],
    ['https://app.example.org/jwks.json', /JWKS document/],
    [`${pemOf(rsa.publicKey)} and more`, /JWKS document/],
  ]
  for (const [publicKeys, why] of cases) {
    const refusal = await change(clientId, { publicKeys })
    assertError(refusal, 400, 4003, why)
    assert.equal(refusal.body.faults[0].pointer, '/publicKeys')
  }
  assertError(await change(clientId, { publicKeys: 'x'.repeat(20_001) }), 400, 4003)
  const { body } = await call(drew, 'GET', `${PATH}?clientId=${clientId}`)
  assert.equal(body.publicKeys.length, 3, 'nothing has changed')
})
