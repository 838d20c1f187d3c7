import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { start as askDevice, decide, GRANT, registerTv } from '../../apps/devices/testing.ts'
import { obtainCode, pkcePair, REDIRECT_URI, registerApp } from '../../apps/oauth/testing.ts'
import { Authenticator, call as callPasskey, expectDone, PROOF, signedIn } from '../../identity/passkeys/testing.ts'
import { makeResetLink } from '../../identity/people/resets.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { TestBrowser } from '../testing/browser.ts'
import { findFreePort } from '../testing/ports.ts'
import { type Answer, Client, type Person, type TestApp, testApp } from '../testing/testing.ts'

const ROUNDS = 3
const UNLIMITED = { RATE_ADDRESS_BURST: '100000', RATE_JOIN_PER_HOUR: '10000' }
const codeIn = (link: string | undefined): string => new URL(link!).searchParams.get('code')!

/** Uses a token at the process with this address. `n` differs in each use. */
type Use = (address: string, n: number) => Promise<Answer>

/** Returns a browser at another process with the cookies of this one. */
function moveBrowser(browser: TestBrowser, address: string): TestBrowser {
  const moved = new TestBrowser(address)
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
  return moved
}

const callAt = (browser: TestBrowser, address: string, path: string, body: unknown) =>
  call(moveBrowser(browser, address), 'POST', path, body)

/** Everything that works once. Each function creates one and returns how to use it. */
async function listOnce(app: TestApp, mailbox: ReturnType<typeof testMailbox>) {
  const { db, get, clock } = app.environment()
  const origin = new URL(app.environment().url).origin
  const who = () => ({ at: clock(), requestId: 'test', address: '127.0.0.1' })
  const { clientId, secret } = await registerApp(app, { key: 'once', isPkceRequired: false })
  const tv = await registerTv(app)
  const { browser } = await obtainCode(app, { clientId })
  const byApp = { client_id: clientId, client_secret: secret }
  const authenticator = new Authenticator(origin)
  const owner = await signedIn(app, 'drew')
  const adding = await expectDone(callPasskey(owner, '/options', PROOF))
  await expectDone(callPasskey(owner, '', { response: authenticator.create(adding) }))
  await app.sql(
    `insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'owner' from organisations o, people p where p.handle_key = 'casey'`,
  )
  const casey = await signInBrowser(app, 'casey')
  const invite = async (person: Person) => {
    const what = { organisation: 'school', handle: `@${person}`, role: 'member' }
    const { body, text } = await call(casey, 'POST', '/edu/v1/organisation/member', what)
    assert.ok(body.invitationId, text)
    return body.invitationId
  }
  const exchangeCode = (code: string): Use => {
    const fields = { grant_type: 'authorization_code', code, ...byApp }
    return (address) => new Client(address).post('/oauth/token', fields)
  }
  const guests: Person[] = ['avery', 'blake', 'finley']
  let mailed = 0
  return {
    'an authorization code': async () => exchangeCode((await obtainCode(app, { clientId, browser })).code),
    'an authorization code with PKCE': async () => {
      const { verifier, challenge } = pkcePair()
      const { code } = await obtainCode(app, { clientId, browser, challenge })
      const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, ...byApp }
      return (address) => new Client(address).post('/oauth/token', fields)
    },
    'a launch code': async () => {
      const { body, text } = await call(browser, 'POST', '/account/v1/launch', { clientId, launchUri: REDIRECT_URI })
      assert.ok(body.uri, text)
      return exchangeCode(codeIn(body.uri))
    },
    'a device code': async () => {
      const codes = await askDevice(app, tv)
      await decide(browser, codes, 'allow')
      const fields = { grant_type: GRANT, client_id: tv.clientId, device_code: codes.device_code }
      return (address) =>
        new Client(address).send('POST', '/oauth/v2/token', {
          raw: String(new URLSearchParams(fields)),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
    },
    'a reset link': async () => {
      const code = codeIn(await makeResetLink(db, who(), { handle: 'finley' }, get(messagePolicy)))
      return (address, n) => {
        const what = { code, password: `the password of ${n}` }
        return call(new TestBrowser(address), 'POST', '/account/v1/password/reset', what)
      }
    },
    'a sign-up link': async () => {
      await call(app.visitor(), 'POST', '/account/v1/signup/ask', { email: `robin-${mailed++}@example.org` })
      const code = codeIn((await mailbox.next()).link)
      const robin = { firstName: 'Robin', lastName: 'Adeyemi', dateOfBirth: '1999-04-02', password: 'a long password' }
      return (address, n) =>
        call(new TestBrowser(address), 'POST', '/account/v1/signup', { ...robin, handle: `@robin${n}`, code })
    },
    'a challenge for signing in with a passkey': async () => {
      const visitor = app.visitor()
      const response = authenticator.get(await expectDone(callPasskey(visitor, '/signin/options')))
      return (address) => callAt(visitor, address, '/account/v1/passkey/signin', { response })
    },
    'a challenge for adding a passkey': async () => {
      const options = await expectDone(callPasskey(owner, '/options', PROOF))
      const response = new Authenticator(origin).create(options)
      return (address) => callAt(owner, address, '/account/v1/passkey', { response })
    },
    'an invitation': async () => {
      // After an invitation was declined, the next one is not shown for a while, so each round invites somebody else.
      const person = guests.shift()!
      const invitationId = await invite(person)
      const invited = await signInBrowser(app, person)
      return (address, n) =>
        callAt(invited, address, `/edu/v1/invitation/${n % 2 ? 'accept' : 'decline'}`, { invitationId })
    },
  } satisfies Record<string, () => Promise<Use>>
}

test('whatever works once works once for two processes together', async (t) => {
  const mailbox = testMailbox(t)
  const BASE_URL = `http://localhost:${await findFreePort()}`
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings, SIGN_UP: 'on', BASE_URL })
  const second = await app.startSecond({ PORT: '0', SANDBOX_PORT: '0' })
  const addresses = [app.address, second.addresses.production]
  let n = 0
  for (const [name, create] of Object.entries<() => Promise<Use>>(await listOnce(app, mailbox))) {
    for (let round = 0; round < ROUNDS; round++) {
      const use = await create()
      const answers = await Promise.all([...addresses, ...addresses].map((address) => use(address, n++)))
      const statuses = answers.map(({ status }) => status).sort()
      assert.equal(statuses[0], 200, `${name}: ${answers.map(({ text }) => text)}`)
      assert.ok(
        statuses.slice(1).every((status) => status >= 400 && status < 500),
        `${name}: ${statuses}`,
      )
      await app.sql('delete from sign_in_failures')
    }
  }

  const { clientId, secret } = await registerApp(app, { key: 'refreshing', isPkceRequired: false })
  const { code } = await obtainCode(app, { clientId })
  const byApp = { client_id: clientId, client_secret: secret }
  const first = await app.nobody().post('/oauth/token', { grant_type: 'authorization_code', code, ...byApp })
  let token = first.body.refresh_token
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      [...addresses, ...addresses].map((address) =>
        new Client(address).post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...byApp }),
      ),
    )
    const successors = new Set(answers.map(({ body }) => body.refresh_token))
    assert.equal(successors.size, 1, 'a refresh token has one successor, whichever process is asked')
    assert.ok(!successors.has(token) && successors.has(answers[0]!.body.refresh_token), answers[0]!.text)
    token = answers[0]!.body.refresh_token
  }

  const avery = await app.as('avery')
  await avery.put('/app/v1/bucket', { id: 'once', data: {} })
  const before = (await avery.get('/app/v1/bucket', { id: 'once' })).body.version
  const write = (address: string) =>
    new Client(address, avery.token).post(
      '/app/v1/bucket',
      { id: 'once', key: 'a', value: 1 },
      { 'idempotency-key': 'once' },
    )
  const written = await Promise.all([...addresses, ...addresses].map(write))
  assert.equal(new Set(written.map(({ status, text }) => `${status} ${text}`)).size, 1)
  const after = (await avery.get('/app/v1/bucket', { id: 'once' })).body.version
  assert.equal(after, before + 1, 'a request with an Idempotency-Key has one effect')
})

test('failures on two processes lock like those on one', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const addresses = [app.address, second.addresses.production]
  await app.givePassword('avery')
  const { clientId } = await registerApp(app, { key: 'guessed' })
  const tries: Record<string, { readonly free: number; attempt(address: string, n: number): Promise<Answer> }> = {
    'a password': {
      free: 5,
      attempt: (address) => new Client(address).post('/account/v1/signin', { handle: 'avery', password: 'wrong' }),
    },
    'the secret of an app': {
      free: 20,
      attempt: (address, n) =>
        new Client(address).post('/oauth/token', {
          grant_type: 'authorization_code',
          code: 'x',
          client_id: clientId,
          client_secret: `wrong ${n}`,
        }),
    },
  }
  for (const [name, { free, attempt }] of Object.entries(tries)) {
    for (let n = 0; n < free; n++) {
      const { status } = await attempt(addresses[n % 2]!, n)
      assert.equal(status, 401, `${name}, attempt ${n + 1}`)
    }
    for (const address of addresses) assert.equal((await attempt(address, free)).status, 429, name)
  }
})
