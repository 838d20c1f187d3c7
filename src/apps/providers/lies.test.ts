/** Providers that are slow, gone, broken or hostile: nobody is signed in, and the owners read what was wrong. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sharedApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import {
  addOrganisation,
  assertRefused,
  connectPerson,
  connectProvider,
  findHandle,
  listConnected,
  listFailures,
  signInThrough,
  startAt,
  WITH_PROVIDERS,
} from './testing-connected.ts'
import { answers, forgeries, type Lies, passThrough, redirectTo, startLiar } from './testing-liar.ts'

const DOMAIN = 'school.example'
const AVERY = { sub: 'a-1', email: `avery@${DOMAIN}`, email_verified: true }

const app = await sharedApp(WITH_PROVIDERS)
const liar = await startLiar({ after }, AVERY)
await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
await connectProvider(app, 'school', liar, { domains: [DOMAIN], createsAccounts: true })
await connectPerson(app, 'school', 'avery', 'a-1')

const CLAIM: unique symbol = Symbol('claim')
interface Case extends Lies {
  /** The claim that the owners are told about, if the failure is about one. */
  readonly [CLAIM]?: string
}
const claims = (more: Record<string, unknown>, claim: string): Case => ({
  claims: (right) => ({ ...right, ...more }),
  [CLAIM]: claim,
})
const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset

const CASES: Readonly<Record<string, Case>> = {
  'the ID token of another issuer': claims({ iss: 'https://evil.example' }, 'iss'),
  'an ID token whose issuer has a slash more': claims({ iss: `${liar.issuer}/` }, 'iss'),
  'an ID token without an issuer': claims({ iss: undefined }, 'iss'),
  'an ID token for another client': claims({ aud: 'another' }, 'aud'),
  'an ID token for nobody': claims({ aud: undefined }, 'aud'),
  'an ID token for an empty list of clients': claims({ aud: [] }, 'aud'),
  'an ID token for several clients, without azp': claims({ aud: [liar.clientId, 'another'] }, 'azp'),
  'an ID token for several clients, requested by another': claims(
    { aud: [liar.clientId, 'another'], azp: 'another' },
    'azp',
  ),
  'an ID token that has expired': claims({ exp: seconds(-120) }, 'exp'),
  'an ID token without an end': claims({ exp: undefined }, 'exp'),
  'an ID token that ends at a text': claims({ exp: 'tomorrow' }, 'exp'),
  'an ID token that is not valid yet': claims({ nbf: seconds(600) }, 'nbf'),
  'an ID token without a time': claims({ iat: undefined }, 'iat'),
  'a clock that is 10 minutes behind': {
    claims: (right) => ({ ...right, iat: seconds(-600), exp: seconds(-300) }),
    [CLAIM]: 'exp',
  },
  'no subject': claims({ sub: undefined }, 'sub'),
  'an empty subject': claims({ sub: '' }, 'sub'),
  'a subject of 300 characters': claims({ sub: 'x'.repeat(300) }, 'sub'),
  'a subject that is a number': claims({ sub: 17 }, 'sub'),
  'a subject that is a list': claims({ sub: ['a-1'] }, 'sub'),
  'a subject with a NUL': claims({ sub: 'a-1\u0000' }, 'sub'),
  ...Object.fromEntries(Object.entries(forgeries).map(([name, idToken]) => [name, { idToken }])),
  'an ID token that is none': { idToken: async () => 'x' },
  'an ID token of 200 KB': {
    idToken: async (right, { sign }) => sign({ ...right, padding: 'x'.repeat(300_000) }),
  },
  'no ID token': { tokens: ({ id_token: _, ...right }) => right },
  'no access token': { tokens: ({ access_token: _, ...right }) => right },
  'a token of another type': { tokens: (right) => ({ ...right, token_type: 'mac' }) },
  'an ID token that is a list': { tokens: (right) => ({ ...right, id_token: [right.id_token] }) },
  'no keys': { jwks: () => ({ keys: [] }) },
  'keys that are no list': { jwks: () => ({ keys: 'x' }) },
  'keys that are null': { jwks: () => null },
  'a key for encryption only': {
    jwks: ({ keys }) => ({ keys: (keys as object[]).map((key) => ({ ...key, use: 'enc' })) }),
  },
  'a response of another endpoint': { answers: { token: redirectTo('https://evil.example/token') } },
  'keys of another endpoint': { answers: { jwks: redirectTo('https://evil.example/jwks') } },
  ...Object.fromEntries(
    (['token', 'jwks'] as const).flatMap((endpoint) =>
      (['close', 'fail', 'html', 'endless', 'huge', 'empty'] as const).map((name): [string, Lies] => [
        `the ${endpoint} endpoint does this: ${name}`,
        { answers: { [endpoint]: answers[name] } },
      ]),
    ),
  ),
  'an error with HTML': {
    response: ({ state }) => ({
      state,
      iss: liar.issuer,
      error: '<script>alert(1)</script>',
      error_description: '"><b>',
    }),
  },
  'an error of 10,000 characters': {
    response: ({ state }) => ({
      state,
      iss: liar.issuer,
      error: 'server_error',
      error_description: `<b>${'x'.repeat(10_000)}`,
    }),
  },
  'an error together with a code': { response: (right) => ({ ...right, error: 'server_error' }) },
  'a response without a code': { response: ({ code: _, ...right }) => right },
  'an empty code': { response: (right) => ({ ...right, code: '' }) },
}

for (const [name, { [CLAIM]: claim, ...lies }] of Object.entries(CASES))
  test(`nobody is signed in by ${name}`, async () => {
    // No process remembers keys of the previous case.
    await app.sql('update providers set version = version + 1, tested_version = version + 1')
    liar.lies = lies
    const before = await listConnected(app, 'school')
    const failures = (await listFailures(app, 'school')).length
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    await assertRefused(browser, seen)
    assert.doesNotMatch(seen.text, /<script>alert|"><b>|<b>x|x{400}/)
    assert.ok(seen.text.length < 20_000, 'the page is short')
    const [failure, ...others] = await listFailures(app, 'school')
    assert.equal(others.length, failures, 'one failure was recorded')
    assert.ok(seen.text.includes(failure!.reference), 'the person is shown the reference')
    assert.match(failure!.problem, /^[A-Z].{10,}/)
    if (claim !== undefined) assert.equal(failure!.claim, claim)
    for (const value of [failure!.problem, failure!.found, failure!.expected]) assert.ok((value ?? '').length <= 300)
    assert.deepEqual(await listConnected(app, 'school'), before)
    // The other ways to sign in still work.
    assert.match(seen.text, /\/account\/signin/)
  })

test('a provider that does not respond costs 5 seconds, and the person is told so', async () => {
  liar.lies = { answers: { token: answers.hang } }
  const browser = app.visitor()
  const startedMs = performance.now()
  const seen = await signInThrough(browser, 'school')
  assertWithin(performance.now() - startedMs, 9000)
  await assertRefused(browser, seen, 504)
  assert.match((await listFailures(app, 'school'))[0]!.problem, /did not respond in time|cannot be reached/)
})

test('a provider that is gone is named to its owners, and a page says that it is not the fault of the person', async (t) => {
  const gone = await startLiar(t, AVERY)
  await addOrganisation(app, 'gone', { casey: 'owner' })
  await connectProvider(app, 'gone', gone)
  const browser = app.visitor()
  const back = await passThrough(browser, await startAt(browser, 'gone'))
  await app.sql(
    `update providers set metadata = replace(metadata::text, '${gone.issuer}/token', 'http://127.0.0.1:1/token')::json
      where organisation_id = (select id from organisations where key = 'gone')`,
  )
  const seen = await browser.send(back.href)
  await assertRefused(browser, seen)
  const [failure] = await listFailures(app, 'gone')
  assert.match(failure!.problem, /cannot be reached at 127\.0\.0\.1:1\/token/)
})

test('keys that the provider has replaced between two sign-ins are found at once', async () => {
  for (let i = 0; i < 3; i++) {
    liar.lies = {}
    const browser = app.visitor()
    assert.equal((await signInThrough(browser, 'school')).status, 303)
    assert.equal(await findHandle(browser), '@avery')
    await liar.rotate()
  }
})

test('tokens with unknown keys do not make the platform download the keys each time', async () => {
  liar.lies = { idToken: forgeries['a key that is not published']! }
  await signInThrough(app.visitor(), 'school')
  const before = liar.received.filter(({ name }) => name === 'GET /jwks').length
  for (let i = 0; i < 5; i++) await signInThrough(app.visitor(), 'school')
  const asked = liar.received.filter(({ name }) => name === 'GET /jwks').length - before
  assert.ok(asked <= 5, `the keys were requested ${asked} times`)
})

test('a clock that is less than a minute off is accepted', async () => {
  for (const offset of [-50, 50]) {
    liar.lies = {
      claims: (right) => ({
        ...right,
        iat: seconds(offset),
        nbf: seconds(offset),
        exp: seconds(offset < 0 ? offset : 300),
      }),
    }
    const browser = app.visitor()
    assert.equal((await signInThrough(browser, 'school')).status, 303, String(offset))
  }
})

test('userinfo of somebody else, and userinfo that is broken, is never used', async () => {
  const bare = { sub: 'a-1' }
  for (const userinfo of [
    () => ({ ...AVERY, sub: 'somebody else' }),
    () => ({ email: AVERY.email, email_verified: true }),
    () => null,
    () => [AVERY],
  ]) {
    liar.person = bare
    liar.lies = { userinfo, claims: (right) => ({ ...right, email: undefined }) }
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    // A connected person is found by the subject, so the address is not needed. It must not come from another subject.
    if (seen.status === 303) assert.equal(await findHandle(browser), '@avery')
    else await assertRefused(browser, seen)
  }
  liar.person = AVERY
})

test('an e-mail address of the wrong form never counts', async () => {
  for (const email of [
    [AVERY.email],
    { value: AVERY.email },
    17,
    '',
    'x'.repeat(5000),
    `avery\u0000@${DOMAIN}`,
    `avery@${DOMAIN}\r\nBcc: x@evil.example`,
    `Avery <avery@${DOMAIN}>`,
  ]) {
    liar.lies = {}
    liar.person = { sub: `strange-${Math.random()}`, email, email_verified: true }
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    if (seen.status !== 303) await assertRefused(browser, seen)
    const [row] = await app.sql(
      `select p.email, p.handle from people p join provider_identities i on i.person_id = p.id where i.subject = '${liar.person.sub}'`,
    )
    assert.ok(!row || row.email === null, `${JSON.stringify(email).slice(0, 40)} became ${row?.email}`)
    assert.notEqual(await findHandle(browser), '@avery')
  }
  liar.person = AVERY
})

test('strange names, groups and handles never break a sign-in', async () => {
  liar.lies = {}
  for (const more of [
    { name: 17, given_name: [], family_name: {}, preferred_username: null },
    { name: 'x'.repeat(10_000), preferred_username: 'y'.repeat(10_000) },
    { name: '\u202eevil\u0000\r\n', preferred_username: '@@@' },
    { given_name: '<b>Kim</b>', family_name: ' ', preferred_username: 'casey' },
    { groups: 'x'.repeat(100_000) },
    { preferred_username: 'administrator', administrator: true, role: 'owner' },
  ]) {
    liar.person = { sub: `named-${Math.random()}`, ...more }
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    assert.equal(seen.status, 303, `${JSON.stringify(more).slice(0, 60)}: ${seen.text}`)
    assert.ok(!['@casey', '@avery'].includes((await findHandle(browser))!))
  }
  liar.person = AVERY
})
