import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { c, write } from '../../kernel/database/statement.ts'
import { until } from '../../kernel/database/test-database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { type Answer, assertError, testApp } from '../../operations/testing/testing.ts'
import {
  call,
  type Deviations,
  expectDone,
  list,
  makeAuthenticator,
  PROOF,
  register,
  signedIn,
  watchAudit,
} from './testing.ts'

const MINUTE_MS = 60_000

/** Starts a new epoch, as a password change would. */
const growEpoch = write('test.passkeys.growEpoch', {
  params: { handle: c.text },
  row: { epoch: c.int4 },
  text: `update people set epoch = epoch + 1 where handle_key = :handle returning epoch`,
})

test('passkeys', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { url } = app.environment()
  const audit = watchAudit(app)
  await app.givePassword('avery')
  const soleId = async (browser: Awaited<ReturnType<typeof signedIn>>) => (await list(browser)).body[0].passkeyId

  await t.test('a person adds a passkey, names it, sees it, and removes it', async () => {
    const browser = await signedIn(app, 'avery')
    await audit()
    assert.deepEqual((await list(browser)).body, [])
    const unnamed = await register(browser, makeAuthenticator(app))
    assert.deepEqual(Object.keys(unnamed), ['passkeyId', 'name', 'createdDate', 'lastUsedDate'])
    assert.equal(unnamed.name, 'Passkey')
    assert.equal(unnamed.lastUsedDate, null)
    const named = await register(browser, makeAuthenticator(app), '  Laptop ')
    assert.equal(named.name, 'Laptop')
    assert.deepEqual((await list(browser)).body, [unnamed, named])
    const renamed = { passkeyId: unnamed.passkeyId, name: 'Telephone' }
    assert.deepEqual(await expectDone(call(browser, '/rename', renamed)), { success: true })
    assert.deepEqual((await list(browser)).body, [{ ...unnamed, ...renamed }, named])
    assert.deepEqual(await expectDone(call(browser, '/remove', { passkeyId: unnamed.passkeyId, ...PROOF })), {
      success: true,
    })
    assert.deepEqual((await list(browser)).body, [named])
    assert.deepEqual(await audit(), [
      'passkey.added avery',
      'passkey.added avery',
      'passkey.renamed avery',
      'passkey.removed avery',
    ])
  })

  await t.test(
    'a passkey is kept on its device, opened by fingerprint, face or PIN, and tells the device no id of ours',
    async () => {
      const browser = await signedIn(app, 'avery')
      const { challenge, user, excludeCredentials, ...options } = await expectDone(call(browser, '/options', PROOF))
      assert.deepEqual(options, {
        rp: { id: 'localhost', name: 'Groundschool' },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      })
      assert.equal(Buffer.from(challenge, 'base64url').length, 72)
      assert.deepEqual({ ...user, id: '' }, { id: '', name: '@avery', displayName: '@avery' })
      assert.equal(Buffer.from(user.id, 'base64url').length, 32)
      const [kept] = await app.sql('select credential_id, transports from passkeys')
      assert.deepEqual(excludeCredentials, [{ type: 'public-key', id: kept!.credential_id, transports: ['internal'] }])
      const again = await expectDone(call(browser, '/options', PROOF))
      assert.equal(again.user.id, user.id)
      assert.notEqual(again.challenge, challenge)
      const other = await expectDone(call(await signedIn(app, 'avery', 'sandbox'), '/options', PROOF))
      assert.notEqual(other.user.id, user.id)
      assert.equal(other.rp.name, 'Groundschool Sandbox')
    },
  )

  await t.test('a browser that offers passkeys of both environments shows which is which', async () => {
    const offered = async (environment: 'production' | 'sandbox') => {
      const { user, rp } = await expectDone(call(await signedIn(app, 'drew', environment), '/options', PROOF))
      assert.equal(rp.id, 'localhost')
      return [user.name, user.displayName]
    }
    assert.deepEqual(await offered('production'), ['@drew', '@drew'])
    assert.deepEqual(await offered('sandbox'), ['@drew (sandbox)', '@drew (sandbox)'])
    await app.sql(`update people set first_name = 'Drew', last_name = 'Lee' where handle_key = 'drew'`, 'sandbox')
    assert.deepEqual(await offered('sandbox'), ['@drew (sandbox)', 'Drew Lee (sandbox)'])
  })

  await t.test('O19: adding or removing a passkey needs a proof besides the cookie, however new that is', async () => {
    const browser = await signedIn(app, 'avery')
    const { passkeyId } = await register(browser, makeAuthenticator(app))
    const before = (await list(browser)).body
    for (const [path, fields] of [
      ['/options', {}],
      ['/remove', { passkeyId }],
    ] as const) {
      for (const nothing of [{}, { password: '' }, { proof: null }])
        assertError(await call(browser, path, { ...fields, ...nothing }), 403, 4032, /enter your password, or use one/)
      assertError(await call(browser, path, { ...fields, password: 'wrong' }), 401, 4011)
      assertError(await call(browser, path, { ...fields, proof: {} }), 400, 4003)
      assert.deepEqual((await list(browser)).body, before)
      await expectDone(call(browser, path, { ...fields, ...PROOF }))
    }
    assert.deepEqual(await expectDone(call(browser, '/rename', { passkeyId: await soleId(browser), name: 'Old' })), {
      success: true,
    })
  })

  await t.test('wrong passwords there lock that browser for a while, and nothing else', async () => {
    const [browser, other] = [await signedIn(app, 'avery'), await signedIn(app, 'avery')]
    for (let i = 0; i < 5; i++)
      assertError(
        await call(browser, '/options', { password: `guess ${i}` }),
        401,
        4011,
        /^The current password is wrong$/,
      )
    assertError(await call(browser, '/options', PROOF), 429, 4291, /^Too many failed attempts/)
    await expectDone(call(other, '/options', PROOF))
    app.advance(2_000)
    await expectDone(call(browser, '/options', PROOF))
  })

  await t.test('O19: a person without a password uses one of their passkeys as proof', async () => {
    const authenticator = makeAuthenticator(app, 1)
    const browser = await signedIn(app, 'blake')
    const { passkeyId } = await register(browser, authenticator)
    await app.sql(`update people set password_hash = null where handle_key = 'blake'`)
    const ask = (from = browser) => expectDone(call(from, '/proof/options'))
    assertError(await call(browser, '/options', {}), 403, 4032)
    assertError(await call(browser, '/options', PROOF), 401, 4011)
    const proof = authenticator.get(await ask())
    const options = await expectDone(call(browser, '/options', { proof }))
    const added = await expectDone(call(browser, '', { response: makeAuthenticator(app).create(options) }))
    // A proof works only once. It is refused if it was made for another purpose or another browser, with another
    // person's passkey, or without user verification.
    const other = await signedIn(app, 'blake')
    await app.sql(`update people set password_hash = null where handle_key = 'blake'`)
    const foreign = makeAuthenticator(app, 1)
    await register(await signedIn(app, 'casey'), foreign)
    const refused = [
      proof,
      authenticator.get(await expectDone(call(browser, '/signin/options'))),
      authenticator.get(await ask(other)),
      foreign.get(await ask()),
      authenticator.get(await ask(), { isVerified: false }),
    ]
    for (const wrong of refused)
      assertError(
        await call(browser, '/remove', { passkeyId, proof: wrong }),
        401,
        4011,
        /^This passkey was not accepted/,
      )
    assertError(await call(browser, '/remove', { passkeyId, proof: authenticator.get(await ask()) }), 429, 4291)
    app.advance(2_000)
    await expectDone(call(browser, '/remove', { passkeyId, proof: authenticator.get(await ask()) }))
    assert.deepEqual(await expectDone(list(browser)), [added])
    // An assertion made as proof of identity cannot be used to sign in.
    const visitor = app.visitor()
    const late = await call(visitor, '/signin', { response: foreign.get(await ask()) })
    assertError(late, 401, 4011)
    await expectDone(call(await signedIn(app, 'blake'), '/remove', { passkeyId: added.passkeyId, ...PROOF }))
    const casey = await signedIn(app, 'casey')
    await expectDone(call(casey, '/remove', { passkeyId: await soleId(casey), ...PROOF }))
  })

  await t.test(
    'a passkey that is removed while the password changes stays, where the old one was the proof',
    async () => {
      const browser = await signedIn(app, 'ellis')
      const { passkeyId } = await register(browser, makeAuthenticator(app))
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      let removing: Promise<Answer> | undefined
      await app.environment().db.transaction(async (tx) => {
        await tx.first(growEpoch, { handle: 'ellis' })
        removing = call(browser, '/remove', { passkeyId, ...PROOF })
        await until('the removal waits for the change', async () => (await app.sql(waiting)).length > 0)
      })
      assertError(await removing!, 400, 4006, /changed in another browser in the meantime/)
      const again = await signedIn(app, 'ellis')
      assert.equal(await soleId(again), passkeyId)
      await expectDone(call(again, '/remove', { passkeyId, ...PROOF }))
    },
  )

  await t.test("somebody else's passkey, and one that does not exist, cannot be renamed or removed", async () => {
    const avery = await signedIn(app, 'avery')
    const blake = await signedIn(app, 'blake')
    const passkeyId = await soleId(avery)
    const before = (await list(avery)).body
    for (const id of [passkeyId, passkeyId.replace(/./g, '0'), 'x', "'; --", passkeyId.toUpperCase()]) {
      assertError(await call(blake, '/rename', { passkeyId: id, name: 'Mine' }), 404, 4042)
      assertError(await call(blake, '/remove', { passkeyId: id, ...PROOF }), 404, 4042)
    }
    assert.deepEqual((await list(avery)).body, before)
    assert.deepEqual((await list(blake)).body, [])
  })

  await t.test('nobody but the person who is signed in may do any of this', async () => {
    const visitor = app.visitor()
    assertError(await list(visitor), 401, 4016)
    for (const [path, fields] of Object.entries({
      '/options': {},
      '': { response: {} },
      '/rename': { passkeyId: 'x', name: 'x' },
      '/remove': { passkeyId: 'x' },
    }))
      assertError(await call(visitor, path, fields), 401, 4016)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    const browser = await signedIn(app, 'avery')
    assertError(await call(browser, '/options', {}, foreign), 403, 4032)
    assertError(await call(visitor, '/signin/options', {}, foreign), 403, 4032)
    assertError(await call(visitor, '/signin', { response: {} }, foreign), 403, 4032)
  })

  await t.test('a name is 1 to 100 characters on one line', async () => {
    const browser = await signedIn(app, 'avery')
    const passkeyId = await soleId(browser)
    for (const name of ['', '   ', 'x'.repeat(101), 'two\nlines'])
      assertError(await call(browser, '/rename', { passkeyId, name }), 400, 4003)
    await expectDone(call(browser, '/rename', { passkeyId, name: 'é'.repeat(100) }))
    assertError(await call(browser, '/rename', { passkeyId, name: 5 }), 400, 4005)
  })

  await t.test(
    'a challenge can be answered once, within 5 minutes, by the browser and the person that it was given to',
    async () => {
      const browser = await signedIn(app, 'avery')
      const options = () => expectDone(call(browser, '/options', PROOF))
      const response = makeAuthenticator(app).create(await options())
      const blake = await signedIn(app, 'blake')
      const other = await signedIn(app, 'avery')
      assertError(await call(blake, '', { response }), 400, 4008)
      assertError(await call(other, '', { response }), 400, 4008)
      await expectDone(call(browser, '', { response }))
      assertError(await call(browser, '', { response }), 400, 4008, /start again/)

      const late = makeAuthenticator(app).create(await options())
      app.advance(5 * MINUTE_MS + 1)
      assertError(await call(browser, '', { response: late }), 400, 4008)
      // A challenge for signing in cannot be used to add a passkey.
      const asked = { ...(await options()), ...(await expectDone(call(browser, '/signin/options'))) }
      assertError(await call(browser, '', { response: makeAuthenticator(app).create(asked) }), 400, 4008)
      assertError(
        await call(browser, '', { response: makeAuthenticator(app).create(await options(), { challenge: 'mine' }) }),
        400,
        4008,
      )
    },
  )

  await t.test(
    'a passkey that is not made for this site, or without fingerprint, face or PIN, is not added',
    async () => {
      const browser = await signedIn(app, 'avery')
      const before = (await list(browser)).body
      const whims: Deviations[] = [
        { origin: 'https://evil.example' },
        { origin: `${url}1` },
        { origin: app.environment('sandbox').url },
        { rpId: 'evil.example' },
        { isVerified: false },
        { isPresent: false },
        { type: 'webauthn.get' },
        { isCrossOrigin: true },
        { credentialId: Buffer.alloc(0) },
        { credentialId: randomBytes(15) },
        { credentialId: randomBytes(1024) },
      ]
      for (const whim of whims) {
        const response = makeAuthenticator(app).create(await expectDone(call(browser, '/options', PROOF)), whim)
        const id = randomBytes(16).toString('base64url')
        const answer = await call(browser, '', { response: { ...response, id, rawId: id } })
        assertError(answer, 400, 4003, /cannot be used here/)
      }
      assert.deepEqual((await list(browser)).body, before)
    },
  )

  await t.test('attestation statements are ignored', async () => {
    const browser = await signedIn(app, 'avery')
    const options = await expectDone(call(browser, '/options', PROOF))
    const statement = new Map([['x5c', 'no certificate']])
    const response = makeAuthenticator(app).create(options, { attestation: ['android-key', statement] })
    await expectDone(call(browser, '', { response }))
  })

  await t.test('the same passkey cannot be added twice, by anybody', async () => {
    const avery = await signedIn(app, 'avery')
    const authenticator = makeAuthenticator(app)
    await register(avery, authenticator)
    for (const browser of [avery, await signedIn(app, 'blake')]) {
      const options = await expectDone(call(browser, '/options', PROOF))
      assertError(await call(browser, '', { response: authenticator.create(options) }), 400, 4002)
    }
  })

  await t.test('a person has at most 20 passkeys, also when several are added at once', async () => {
    const browser = await signedIn(app, 'casey')
    await app.sql(
      `insert into passkeys (id, credential_id, person_id, public_key, counter, transports, name, created_at)
       select gen_random_uuid(), 'x' || n, p.id, '', 0, '{}', 'x', now() from people p, generate_series(1, 18) n where p.handle_key = 'casey'`,
    )
    const responses = await Promise.all(
      Array.from({ length: 6 }, async () =>
        makeAuthenticator(app).create(await expectDone(call(browser, '/options', PROOF))),
      ),
    )
    const answers = await Promise.all(responses.map((response) => call(browser, '', { response })))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 4)
    for (const answer of refused) assertError(answer, 400, 4006, /20 passkeys/)
    assert.equal((await list(browser)).body.length, 20)
    assertError(await call(browser, '/options', PROOF), 400, 4006)
  })

  await t.test('ten parallel answers to one challenge create one passkey', async () => {
    const browser = await signedIn(app, 'drew')
    const options = await expectDone(call(browser, '/options', PROOF))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(browser, '', { response: makeAuthenticator(app).create(options) })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)])
    assert.equal((await list(browser)).body.length, 1)
  })

  await t.test('a passkey that is added while the password changes is refused', async () => {
    const browser = await signedIn(app, 'ellis')
    const response = makeAuthenticator(app).create(await expectDone(call(browser, '/options', PROOF)))
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    let adding: Promise<Answer> | undefined
    await app.environment().db.transaction(async (tx) => {
      await tx.first(growEpoch, { handle: 'ellis' })
      adding = call(browser, '', { response })
      await until('the addition waits for the change', async () => (await app.sql(waiting)).length > 0)
    })
    assertError(await adding!, 401, 4016)
    const kept = `select 1 from passkeys k join people p on p.id = k.person_id where p.handle_key = 'ellis'`
    assert.deepEqual(await app.sql(kept), [])
  })

  await t.test('the script is sent once and then revalidated by its ETag', async () => {
    const script = await fetch(`${app.address}/web/passkey.js`)
    assert.equal(script.status, 200)
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(await script.text(), /PublicKeyCredential/)
    const again = await fetch(`${app.address}/web/passkey.js`, {
      headers: { 'if-none-match': script.headers.get('etag')! },
    })
    assert.equal(again.status, 304)
  })

  await t.test('a challenge is stored when it is answered, until a day after it expires', async () => {
    const kept = async () => (await app.sql('select 1 from passkey_challenges')).length
    const browser = await signedIn(app, 'finley')
    app.advance(25 * 60 * MINUTE_MS)
    await tidy(app.environment())
    assert.equal(await kept(), 0)
    const fresh = await signedIn(app, 'finley')
    for (let i = 0; i < 20; i++) {
      await expectDone(call(app.visitor(), '/signin/options'))
      await expectDone(call(fresh, '/options', PROOF))
    }
    assert.equal(await kept(), 0, 'asking leaves nothing')
    const foreign = makeAuthenticator(app).create(await expectDone(call(fresh, '/options', PROOF)))
    assertError(await call(await signedIn(app, 'blake'), '', { response: foreign }), 400, 4008)
    assert.equal((await call(browser, '', { response: foreign })).status, 401)
    assert.equal(await kept(), 0, 'nor does the answer of somebody else')
    await register(fresh, makeAuthenticator(app))
    assert.equal(await kept(), 1)
    app.advance(6 * MINUTE_MS)
    await tidy(app.environment())
    assert.equal(await kept(), 1)
  })
})

test('a person gets a message when a passkey is added or removed', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...mailbox.settings })
  const { url } = app.environment()
  await app.sql(`update people set email = 'avery@example.org' where handle_key = 'avery'`)
  const browser = await signedIn(app, 'avery')
  const { passkeyId } = await register(browser, makeAuthenticator(app), 'Laptop')
  const added = await mailbox.next()
  assert.deepEqual([added.to, added.subject], ['avery@example.org', 'Passkey created (@avery)'])
  assert.match(added.text, /“Laptop” was created for your account @avery/)
  assert.equal(added.link, `${url}/account/security`)
  await expectDone(call(browser, '/remove', { passkeyId, ...PROOF }))
  const removed = await mailbox.next()
  assert.match(removed.text, /“Laptop” was deleted from your account @avery/)
})
