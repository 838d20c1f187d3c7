import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { cookie } from '../../kernel/http/callers/cookies.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, testApp } from '../../operations/testing/testing.ts'
import { disablePerson } from '../people/people.ts'
import {
  call,
  type Deviations,
  expectDone,
  list,
  makeAuthenticator,
  PROOF,
  register,
  signedIn,
  signIn,
  watchAudit,
} from './testing.ts'

const MINUTE_MS = 60_000
const OPERATOR = { at: new Date(), requestId: 'test', address: '192.0.2.9' }

/** Asserts that a sign-in was refused. Every failure gets the same response. */
const assertRefused = (answer: Answer) => {
  assertError(answer, 401, 4011)
  assert.equal(answer.body.error_description, 'This passkey was not accepted; try again, or sign in with your password')
  assert.equal(answer.headers.get('set-cookie'), null)
}

test('signing in with a passkey', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { url, get } = app.environment()
  const audit = watchAudit(app)
  const tokenOf = (browser: TestBrowser) => browser.cookies.get(get(cookie).name)
  const authenticator = makeAuthenticator(app)
  await app.sql(`update people set first_name = 'Avery', last_name = 'Quinn' where handle_key = 'avery'`)
  const avery = await signedIn(app, 'avery')
  const { passkeyId } = await register(avery, authenticator, 'Laptop')

  await t.test('needs neither handle nor password, and gives the browser a new cookie', async () => {
    const visitor = app.visitor()
    await audit()
    const options = await call(visitor, '/signin/options')
    const { challenge, ...rest } = await expectDone(Promise.resolve(options))
    assert.deepEqual(rest, { timeout: 300_000, rpId: 'localhost', userVerification: 'required' })
    assert.equal(Buffer.from(challenge, 'base64url').length, 72)
    const first = tokenOf(visitor)
    assert.ok(first, 'a first visitor gets the cookie that the challenge is bound to')
    assert.equal((await call(visitor, '/signin/options')).headers.get('set-cookie'), null)
    assert.equal((await list(visitor)).status, 401)

    const answer = await call(visitor, '/signin', { response: authenticator.get({ challenge }) })
    assert.deepEqual([answer.status, answer.body], [200, { handle: '@avery', name: 'Avery Quinn' }])
    assert.match(answer.headers.getSetCookie()[0]!, /^gs_browser=gs_br_[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.notEqual(tokenOf(visitor), first)
    const [passkey] = await expectDone(list(visitor))
    assert.equal(passkey.passkeyId, passkeyId)
    assert.ok(passkey.lastUsedDate >= passkey.createdDate)
    assert.deepEqual(await audit(), ['sign-in.passkey avery'])
    assert.deepEqual(await app.sql(`select door from browsers order by created_at desc limit 1`), [{ door: 'passkey' }])
  })

  await t.test('lasts 30 days if requested', async () => {
    const answer = await signIn(app.visitor(), authenticator, {}, { keep: true })
    assert.match(answer.headers.getSetCookie()[0]!, /; Max-Age=2592000$/)
  })

  await t.test('ends what was signed in before in this browser', async () => {
    const browser = await signedIn(app, 'blake')
    const before = tokenOf(browser)!
    assert.equal((await signIn(browser, authenticator)).body.handle, '@avery')
    browser.cookies.set(get(cookie).name, before)
    assert.equal((await list(browser)).status, 401)
  })

  await t.test('is a sign-in like any other: with the password, passkeys can be changed', async () => {
    const visitor = app.visitor()
    await signIn(visitor, authenticator)
    await register(visitor, makeAuthenticator(app))
  })

  await t.test('works once with one challenge, within 5 minutes, in the browser that asked', async () => {
    const visitor = app.visitor()
    const response = authenticator.get(await expectDone(call(visitor, '/signin/options')))
    const thief = app.visitor()
    await call(thief, '/signin/options')
    assertRefused(await call(thief, '/signin', { response }))
    assertRefused(await call(app.visitor(), '/signin', { response }))
    assert.equal((await call(visitor, '/signin', { response })).status, 200)
    assertRefused(await call(visitor, '/signin', { response }))

    const browser = app.visitor()
    const late = authenticator.get(await expectDone(call(browser, '/signin/options')))
    app.advance(5 * MINUTE_MS + 1)
    assertRefused(await call(browser, '/signin', { response: late }))
    for (const length of [0, 32, 72])
      assertRefused(await signIn(browser, authenticator, { challenge: randomBytes(length).toString('base64url') }))
    // A challenge for adding a passkey cannot be used to sign in.
    const adding = await expectDone(call(await signedIn(app, 'avery'), '/options', PROOF))
    assertRefused(await call(browser, '/signin', { response: authenticator.get(adding) }))
  })

  await t.test('no byte of a challenge can be changed or encoded differently', async () => {
    const visitor = app.visitor()
    const options = await expectDone(call(visitor, '/signin/options'))
    const bytes = Buffer.from(options.challenge, 'base64url')
    const others = [`${options.challenge}=`, `${options.challenge}A`, ` ${options.challenge}`]
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      others.push(changed.toString('base64url'))
    }
    for (const challenge of others)
      assertRefused(await call(visitor, '/signin', { response: authenticator.get({ challenge }) }))
    await app.sql('delete from sign_in_failures')
    assert.equal((await call(visitor, '/signin', { response: authenticator.get(options) })).status, 200)
  })

  await t.test('requests for options store nothing, nor do answers to unknown challenges', async () => {
    const kept = async () => (await app.sql('select 1 from passkey_challenges')).length
    const before = await kept()
    const visitor = app.visitor()
    for (let i = 0; i < 20; i++) {
      const { challenge } = await expectDone(call(visitor, '/signin/options'))
      assertRefused(await call(app.visitor(), '/signin', { response: authenticator.get({ challenge }) }))
      assertRefused(await signIn(visitor, authenticator, { challenge: randomBytes(72).toString('base64url') }))
    }
    assert.equal(await kept(), before)
    await app.sql('delete from sign_in_failures')
    assert.equal((await signIn(visitor, authenticator)).status, 200)
    assert.equal(await kept(), before + 1)
  })

  await t.test('a challenge of one process is accepted by any, once in all', async () => {
    const second = await app.startSecond({ BASE_URL: url })
    for (let round = 0; round < 5; round++) {
      const visitor = app.visitor()
      const { challenge } = await expectDone(call(visitor, '/signin/options'))
      const browsers = [app.visitor(), new TestBrowser(second.addresses.production)]
      for (const browser of browsers) browser.cookies.set(get(cookie).name, tokenOf(visitor)!)
      const response = authenticator.get({ challenge })
      const answers = await Promise.all(
        [...browsers, ...browsers].map((browser) => call(browser, '/signin', { response })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
    }
    await app.sql('delete from sign_in_failures')
  })

  await t.test('a wrong answer uses up its challenge', async () => {
    const visitor = app.visitor()
    const options = await expectDone(call(visitor, '/signin/options'))
    assertRefused(await call(visitor, '/signin', { response: authenticator.get(options, { isVerified: false }) }))
    assertRefused(await call(visitor, '/signin', { response: authenticator.get(options) }))
  })

  await t.test('ten parallel answers to one challenge sign in once', async () => {
    for (let round = 0; round < 10; round++) {
      const visitor = app.visitor()
      const response = authenticator.get(await expectDone(call(visitor, '/signin/options')))
      const answers = await Promise.all(Array.from({ length: 10 }, () => call(visitor, '/signin', { response })))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(401)])
      // Reset the counted failures, because this many would cause a wait.
      await app.sql('delete from sign_in_failures')
    }
  })

  await t.test('whatever is wrong with it, the answer is the same', async (part) => {
    const blake = makeAuthenticator(app)
    await register(await signedIn(app, 'blake'), blake)
    const whims: Record<string, Deviations> = {
      'another origin': { origin: 'https://evil.example' },
      'another port': { origin: `${url}1` },
      'the other environment': { origin: app.environment('sandbox').url },
      'another relying party': { rpId: 'evil.example' },
      'not verified by fingerprint, face or PIN': { isVerified: false },
      'nobody there': { isPresent: false },
      'made at registration': { type: 'webauthn.create' },
      "inside another site's page": { isCrossOrigin: true },
      'no user': { userHandle: null },
      'another user': { userHandle: blake.userHandle },
    }
    const visitor = app.visitor()
    await audit()
    for (const [name, whim] of Object.entries(whims))
      await part.test(name, async () => {
        assertRefused(await signIn(visitor, authenticator, whim))
        assert.deepEqual(await audit(), ['sign-in.failed avery'])
      })
    await part.test('signed by another key', async () => {
      const options = await expectDone(call(visitor, '/signin/options'))
      const { id, rawId } = authenticator.get(options)
      assertRefused(await call(visitor, '/signin', { response: { ...blake.get(options), id, rawId } }))
    })
    await part.test('unknown', async () => {
      await audit()
      const unknown = makeAuthenticator(app)
      unknown.rpId = 'localhost'
      unknown.userHandle = authenticator.userHandle
      assertRefused(await signIn(visitor, unknown))
      assert.deepEqual(await audit(), ['sign-in.failed null'])
    })
    await part.test('of the other environment', async () => {
      const browser = app.visitor('sandbox')
      assertRefused(await signIn(browser, authenticator, { origin: app.environment('sandbox').url }))
    })
  })

  await t.test('a removed passkey no longer works', async () => {
    const browser = await signedIn(app, 'casey')
    const removed = makeAuthenticator(app)
    const { passkeyId } = await register(browser, removed)
    assert.equal((await signIn(app.visitor(), removed)).status, 200)
    await expectDone(call(browser, '/remove', { passkeyId, ...PROOF }))
    assertRefused(await signIn(app.visitor(), removed))
  })

  await t.test('a disabled person gets the usual refusal, and can sign in again once enabled', async () => {
    const { db } = app.environment()
    const own = makeAuthenticator(app)
    await register(await signedIn(app, 'drew'), own)
    await disablePerson(db, OPERATOR, { handle: '@drew', isDisabled: true }, FORGETTING)
    assertRefused(await signIn(app.visitor(), own))
    await disablePerson(db, OPERATOR, { handle: '@drew', isDisabled: false }, FORGETTING)
    assert.equal((await signIn(app.visitor(), own)).status, 200)
  })

  await t.test('a counter that does not grow means a cloned passkey: refused, and audited', async () => {
    const counting = makeAuthenticator(app, 1)
    await register(await signedIn(app, 'ellis'), counting)
    const visitor = app.visitor()
    assert.equal((await signIn(visitor, counting)).status, 200)
    assert.equal((await signIn(visitor, counting, { counter: 40 })).status, 200)
    for (const counter of [40, 39, 0]) {
      await audit()
      assertRefused(await signIn(visitor, counting, { counter }))
      assert.deepEqual(await audit(), ['passkey.counter ellis', 'sign-in.failed ellis'])
    }
    assert.equal((await signIn(visitor, counting, { counter: 41 })).status, 200)

    // Without a valid signature, the counter in an assertion is ignored.
    const options = await expectDone(call(visitor, '/signin/options'))
    const honest = counting.get(options, { counter: 42 })
    const forged = counting.get(options, { counter: 1 })
    const { authenticatorData } = forged.response
    await audit()
    const response = { ...honest, response: { ...honest.response, authenticatorData } }
    assertRefused(await call(visitor, '/signin', { response }))
    assert.deepEqual(await audit(), ['sign-in.failed ellis'])
  })

  await t.test('of two parallel uses of one counter value, one is refused', async () => {
    const counting = makeAuthenticator(app, 1)
    await register(await signedIn(app, 'finley'), counting)
    const browsers = Array.from({ length: 5 }, () => app.visitor())
    const answers = await Promise.all(browsers.map((browser) => signIn(browser, counting, { counter: 7 })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401])
  })

  await t.test(
    'failures count by address, apart from those of passwords, and not for a browser that is known',
    async () => {
      const known = app.visitor()
      assert.equal((await signIn(known, authenticator)).status, 200)
      const unknown = makeAuthenticator(app)
      unknown.userHandle = authenticator.userHandle
      assertRefused(await signIn(app.visitor(), unknown))
      const failures = `update sign_in_failures set failures = 605 where subject = 'passkeys-from:127.0.0.1' returning 1`
      assert.equal((await app.sql(failures)).length, 1)
      assertRefused(await signIn(app.visitor(), unknown))
      const blocked = await signIn(app.visitor(), authenticator)
      assertError(blocked, 429, 4291)
      assert.ok(Number(blocked.headers.get('retry-after')) > 0)
      assert.equal((await signIn(known, authenticator)).status, 200)
      const withPassword = { handle: '@avery', ...PROOF }
      assert.equal((await app.nobody().post('/account/v1/signin', withPassword)).status, 200)
      app.advance(2 * MINUTE_MS)
      assert.equal((await signIn(app.visitor(), authenticator)).status, 200)
    },
  )
})
