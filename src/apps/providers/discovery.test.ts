import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationCodeGrant, buildAuthorizationUrl, fetchUserInfo } from 'openid-client'
import { until } from '../../kernel/database/test-database.ts'
import { outbound } from '../../kernel/outbound/outbound.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { openProvider } from './discovery.ts'
import { explain, type Problem } from './problems.ts'
import { findProvider, type ProviderRow } from './store.ts'
import { answers, forgeries, type Lies, passThrough, redirectTo, startLiar } from './testing-liar.ts'
import { openOrganisations } from './testing-organisations.ts'

type Wanted = string | RegExp | undefined
const HOUR_MS = 3_600_000

async function open(t: Parameters<typeof openOrganisations>[0]) {
  const opened = await openOrganisations(t)
  const { app, post } = opened
  const liar = await startLiar(t)
  const { issuer, clientId, clientSecret } = liar
  assert.equal((await post('casey', '', { issuer, clientId, clientSecret })).status, 200)
  const environment = app.environment()
  const read = async () => (await environment.db.first(findProvider, { organisation: 'school' }))!
  /** Signs in as the room does: with state, nonce and PKCE. */
  const signIn = async (row?: ProviderRow) => {
    const configuration = await openProvider(environment, row ?? (await read()))
    const verifier = 'a verifier of the test, which is long enough to be one'
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: 'https://platform.example.org/callback',
      scope: 'openid email profile',
      state: 'state',
      nonce: 'nonce',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const checks = { expectedState: 'state', expectedNonce: 'nonce', pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await authorizationCodeGrant(configuration, await passThrough(app.visitor(), url.href), checks)
    const { sub } = tokens.claims()!
    return { sub, userinfo: await fetchUserInfo(configuration, tokens.access_token, sub) }
  }
  const explained = async (lies: Lies): Promise<Problem> => {
    liar.lies = lies
    const error = await signIn().then(
      () => undefined,
      (problem) => problem,
    )
    assert.ok(error, 'the sign-in succeeded')
    return explain(error)
  }
  return { ...opened, liar, environment, read, signIn, explained }
}

test('a provider signs people in, and its keys are downloaded once', async (t) => {
  const { liar, signIn } = await open(t)
  liar.person = { sub: 'kim', email: 'kim@example.org' }
  for (let round = 0; round < 3; round++) {
    const { sub, userinfo } = await signIn()
    assert.deepEqual([sub, userinfo.email], ['kim', 'kim@example.org'])
  }
  const count = (name: string) => liar.received.filter((one) => one.name === name).length
  assert.deepEqual([count('GET /jwks'), count('POST /token')], [1, 3])
})

test('a provider that replaces its key signs people in at once', async (t) => {
  const { liar, signIn } = await open(t)
  await signIn()
  await liar.rotate()
  assert.equal((await signIn()).sub, 'kim')
})

test('each failure of a provider is explained in words, with the claim, what it was and what was expected', async (t) => {
  const { liar, explained } = await open(t)
  const { issuer, clientId } = liar
  const now = Math.floor(Date.now() / 1000)
  const claims = (more: object): Lies => ({ claims: (right) => ({ ...right, ...more }) })
  const cases: [Lies, RegExp, (string | undefined)?, Wanted?, Wanted?][] = [
    [claims({ iss: 'https://other.example' }), /another issuer/, 'iss', 'https://other.example', issuer],
    [claims({ aud: 'other' }), /for another client/, 'aud', 'other', clientId],
    [claims({ aud: [clientId, 'other'] }), /also for others/, 'azp', 'nothing'],
    [claims({ aud: [clientId, 'other'], azp: 'other' }), /Another client asked/, 'azp', 'other', clientId],
    [claims({ nonce: 'other' }), /another sign-in/, 'nonce'],
    [claims({ nonce: undefined }), /lacks the claim nonce/, 'nonce', 'nothing'],
    [
      claims({ exp: now - 600 }),
      /already expired: check the clock/,
      'exp',
      new Date((now - 600) * 1000).toISOString(),
      /^after 20/,
    ],
    [claims({ nbf: now + 600 }), /not valid yet: check the clock/, 'nbf', /^20/, /^before 20/],
    [claims({ sub: undefined }), /lacks the claim sub/, 'sub', 'nothing'],
    [claims({ sub: 7 }), /sub of the ID token has the wrong type/, 'sub', '7'],
    [{ idToken: forgeries['alg none']! }, /not signed with a public key/, 'alg', 'none', /RS256/],
    [{ idToken: forgeries['HS256 with the client secret']! }, /not signed with a public key/, 'alg', 'HS256', /RS256/],
    [{ idToken: forgeries['a key that is not published']! }, /does not publish/, 'kid', 'unknown', /jwks_uri/],
    [{ idToken: forgeries['a signature of other claims']! }, /signature of the ID token is wrong/],
    [{ idToken: async () => 'nonsense' }, /is not valid/, undefined, 'Invalid JWT'],
    [{ idToken: async () => 'a.b.c' }, /ID token cannot be read/],
    [{ tokens: ({ id_token: _, ...right }) => right }, /lacks a usable id_token/, 'id_token'],
    [{ tokens: ({ access_token: _, ...right }) => right }, /lacks a usable access_token/, 'access_token'],
    [
      { response: (right) => ({ ...right, iss: 'https://other.example' }) },
      /another issuer/,
      'iss',
      'https://other.example',
      issuer,
    ],
    [{ response: ({ iss: _, ...right }) => right }, /does not say from which/, 'iss', 'nothing'],
    [{ response: (right) => ({ ...right, state: 'other' }) }, /does not belong to this sign-in/, 'state'],
    [
      { response: ({ state }) => ({ state, iss: issuer, error: 'access_denied', error_description: '<b>No</b>' }) },
      /cancelled/,
      'error',
      'access_denied',
    ],
    [{ response: (right) => ({ ...right, code: 'other' }) }, /did not accept its own code/, 'error', 'invalid_grant'],
    [{ answers: { token: answers.html } }, /\/token is not JSON/, undefined, 'text/html', 'application/json'],
    [{ answers: { token: answers.fail } }, /\/token has an unexpected status/, undefined, '500', '200'],
    [{ answers: { token: answers.close } }, /cannot be reached at .*\/token/, undefined, /reset/],
    [{ answers: { token: answers.empty } }, /is not JSON/],
    [{ answers: { token: answers.endless } }, /\/token is larger than 256 KiB/],
    [
      { answers: { token: redirectTo('https://example.org') } },
      /cannot be reached at .*\/token/,
      undefined,
      /redirects are not followed/,
    ],
    [{ answers: { jwks: answers.huge } }, /\/jwks is larger than 256 KiB/],
    [{ jwks: () => ({ keys: 'none' }) }, /lacks a usable keys/, 'keys'],
    [{ jwks: ({ keys }) => ({ keys: (keys as object[]).map((key) => ({ ...key, x: '!' })) }) }, /cannot be used/],
    [
      { jwks: ({ keys }) => ({ keys: [...(keys as object[]), ...(keys as object[])] }) },
      /which of the provider’s keys/,
      'kid',
    ],
    [{ userinfo: (right) => ({ ...right, sub: 'other' }) }, /speaks of somebody else/, 'sub', 'other', 'kim'],
    [{ answers: { userinfo: answers.fail } }, /\/userinfo has an unexpected status/, undefined, '500', '200'],
  ]
  const matches = (value: string | undefined, wanted: Wanted): boolean =>
    typeof wanted === 'string' ? value === wanted : wanted ? wanted.test(value ?? '') : true
  for (const [lies, words, claim, found, expected] of cases) {
    // A key that was remembered would hide what is wrong with the published ones.
    await liar.rotate()
    const seen = await explained(lies)
    const shown = JSON.stringify(seen)
    assert.match(seen.problem, words, shown)
    assert.equal(seen.claim, claim, shown)
    assert.ok(matches(seen.found, found) && matches(seen.expected, expected), shown)
  }
  liar.lies = {}
})

test('a wrong client secret is explained', async (t) => {
  const { post, explained } = await open(t)
  await post('casey', '', { clientSecret: 'wrong' })
  assert.deepEqual(await explained({}), {
    problem: 'The provider does not accept the client ID and secret: enter the current ones',
    claim: 'error',
    found: 'invalid_client',
  })
})

test('what a provider says about itself is read again after a day, in the background', async (t) => {
  const { app, liar, read, signIn } = await open(t)
  const before = await read()
  const asked = () => liar.received.filter(({ name }) => name.includes('.well-known')).length
  await signIn()
  assert.equal(asked(), 1)
  liar.lies = { configuration: (right) => ({ ...right, end_session_endpoint: `${liar.issuer}/end` }) }
  app.advance(25 * HOUR_MS)
  await signIn()
  await until('it was read again', async () => (await read()).read_at > before.read_at)
  assert.equal(JSON.parse((await read()).metadata).end_session_endpoint, `${liar.issuer}/end`)
  await signIn()
  assert.equal(asked(), 2)
})

test('a configuration that has become wrong is not taken over, and sign-in goes on with the stored one', async (t) => {
  const { app, liar, read, signIn } = await open(t)
  const { metadata } = await read()
  const asked = () => liar.received.filter(({ name }) => name.includes('.well-known')).length
  for (const configuration of [
    (right: object) => ({ ...right, issuer: 'https://attacker.example' }),
    (right: object) => ({ ...right, issuer: `${liar.issuer}/` }),
    (right: object) => ({ ...right, token_endpoint: 'http://10.0.0.1/token' }),
  ]) {
    liar.lies = { configuration }
    const before = asked()
    app.advance(25 * HOUR_MS)
    assert.equal((await signIn()).sub, 'kim')
    await until('it was read again', async () => asked() > before)
    assert.equal((await read()).metadata, metadata)
  }
})

test('an address that has moved is found when a request fails', async (t) => {
  const { app, environment, liar, read, signIn } = await open(t)
  const row = await read()
  const moved = { ...JSON.parse(row.metadata), token_endpoint: `${liar.issuer}/old-token` }
  await app.sql(`update providers set metadata = '${JSON.stringify(moved)}'`)
  await assert.rejects(signIn())
  await openProvider(environment, await read())
  await until(
    'the address is stored',
    async () => JSON.parse((await read()).metadata).token_endpoint === `${liar.issuer}/token`,
  )
  assert.equal((await signIn()).sub, 'kim')
})

test('a slow provider is given up after five seconds', async (t) => {
  const { explained } = await open(t)
  const startedMs = performance.now()
  const { problem, found } = await explained({ answers: { token: answers.hang } })
  assert.match(`${problem}: ${found}`, /cannot be reached at .*\/token: .* within 5 seconds/)
  assertWithin(performance.now() - startedMs, 9000)
})

test('requests to a provider go through the outbound client, which refuses private addresses', async (t) => {
  const { environment, explained } = await open(t)
  Object.assign(environment.get(outbound), { allowsLoopback: false })
  const { problem, found } = await explained({})
  assert.match(`${problem} ${found}`, /https|public internet/)
})
