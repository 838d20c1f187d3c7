import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { list, makeAuthenticator, PROOF, register, signIn, watchAudit } from '../../identity/passkeys/testing.ts'
import { makeResetLink } from '../../identity/people/resets.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, type Person, testApp } from '../../operations/testing/testing.ts'
import { call, PASSWORD, signInBrowser, UNLIMITED } from './testing.ts'

const NEW = 'a new password'
const CHANGE = { password: PASSWORD, newPassword: NEW }
const twice = { new_password: NEW, again: NEW }

test('O19: a passkey after a password change and “end everything”', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  const audit = watchAudit(app)
  /** Gives a person two passkeys: their own, and one added by a thief. */
  const settle = async (person: Person) => {
    await app.sql(`delete from passkeys`)
    const browser = await signInBrowser(app, person)
    const [own, thief] = [makeAuthenticator(app), makeAuthenticator(app)]
    const passkeys = [await register(browser, own, 'Laptop'), await register(browser, thief, 'Thief')]
    await audit()
    return { browser, own, thief, passkeys, ids: passkeys.map(({ passkeyId }) => String(passkeyId)) }
  }
  const opens = async (authenticator: ReturnType<typeof makeAuthenticator>) =>
    (await signIn(app.visitor(), authenticator)).status === 200
  const change = (browser: TestBrowser, fields: object): Promise<Answer> =>
    call(browser, 'POST', '/account/v1/password', { ...CHANGE, ...fields })
  /** Makes the code of a reset link, like one that an administrator passes on. */
  const makeCode = async (handle: Person) => {
    const { db, get, clock } = app.environment()
    const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
    return new URL(await makeResetLink(db, who, { handle }, get(messagePolicy))).searchParams.get('code')!
  }

  await t.test('is listed by both, and by a reset', async () => {
    const { browser, passkeys } = await settle('avery')
    const ended = await call(browser, 'POST', '/account/v1/sessions/end-all', {})
    assert.deepEqual(ended.body, { success: true, passkeys })
    assert.deepEqual((await change(browser, {})).body, { success: true, passkeys })
    const code = await makeCode('avery')
    const reset = { code, password: 'yet another password' }
    assert.deepEqual((await call(app.visitor(), 'POST', '/account/v1/password/reset', reset)).body, {
      success: true,
      passkeys,
    })
  })

  await t.test('is removed with the change, the one that is named', async () => {
    const { browser, own, thief, passkeys, ids } = await settle('blake')
    const answer = await change(browser, { removePasskeys: [ids[1]] })
    assert.deepEqual(answer.body, { success: true, passkeys: [passkeys[0]] })
    assert.deepEqual([await opens(own), await opens(thief)], [true, false])
    assert.deepEqual((await audit()).slice(0, 4), [
      'password.changed blake',
      'sessions.ended blake',
      'passkey.removed blake',
      'sign-in.password blake',
    ])
  })

  await t.test('or all of them', async () => {
    for (const removePasskeys of ['all', ['all']]) {
      const { browser, own, thief } = await settle('casey')
      assert.deepEqual((await change(browser, { removePasskeys })).body, { success: true, passkeys: [] })
      assert.deepEqual([await opens(own), await opens(thief)], [false, false])
    }
    const none = await signInBrowser(app, 'casey')
    assert.equal((await change(none, { removePasskeys: 'all' })).status, 200)
  })

  await t.test('a wrong password, or a passkey that is not theirs, changes nothing', async () => {
    const { ids: others } = await settle('avery')
    const foreign = others[0]!
    const browser = await signInBrowser(app, 'drew')
    const own = await register(browser, makeAuthenticator(app), 'Own')
    const wrong = { password: 'wrong', removePasskeys: 'all' }
    assertError(await change(browser, wrong), 401, 4011)
    for (const removePasskeys of [[foreign], [own.passkeyId, foreign], ['x'], [own.passkeyId.toUpperCase()]])
      assertError(await change(browser, { removePasskeys }), 404, 4042, /no passkey with this id/)
    assert.deepEqual((await list(browser)).body, [own])
    assert.equal((await app.nobody().post('/account/v1/signin', { handle: 'drew', password: PASSWORD })).status, 200)
    assert.equal((await app.sql(`select 1 from passkeys where id = '${foreign}'`)).length, 1)
  })

  await t.test('the page behind the link has a box for each, also after a mistake', async () => {
    const { own, thief, ids } = await settle('finley')
    await app.sql(`update people set email = 'finley@example.org' where handle_key = 'finley'`)
    const code = await makeCode('finley')
    const browser = app.visitor()
    const page = await browser.get('/account/reset', { code })
    assert.match(page.text, /Delete <bdi>Thief<\/bdi>, created <time [^>]*>just now/)
    const again = await browser.submit(page, { ...twice, again: 'x', remove_passkey_1: ids[1]! })
    assert.equal(again.status, 400)
    assert.match(again.text, new RegExp(`name="remove_passkey_1" value="${ids[1]}" checked`))
    assert.doesNotMatch(again.text, new RegExp(`value="${ids[0]}" checked`))
    const seen = await browser.submit(page, { ...twice, remove_passkey_0: ids[0]!, remove_passkey_1: ids[1]! })
    assert.equal(seen.location, '/account/reset?done=password-reset')
    assert.deepEqual([await opens(own), await opens(thief)], [false, false])
    const letters = [await mailbox.next(), await mailbox.next()].map(({ text }) => text)
    assert.ok(letters.some((text) => /“Laptop”, “Thief” were deleted from your account @finley/.test(text)))
    await app.sql(`update people set email = null`)
  })

  await t.test('without the link they cannot be seen', async () => {
    await settle('finley')
    const seen = await app.visitor().get('/account/reset', { code: 'x' })
    assert.doesNotMatch(seen.text, /Thief|Laptop/)
  })

  await t.test('one that is added while all are removed is gone afterwards', async () => {
    for (let round = 0; round < 5; round++) {
      const { browser } = await settle('avery')
      const thief = await signInBrowser(app, 'avery')
      const options = (await call(thief, 'POST', '/account/v1/passkey/options', PROOF)).body
      const late = makeAuthenticator(app)
      const [changed, added] = await Promise.all([
        change(browser, { removePasskeys: 'all' }),
        setTimeout(round * 20).then(() =>
          call(thief, 'POST', '/account/v1/passkey', { response: late.create(options) }),
        ),
      ])
      assert.equal(changed.status, 200)
      assert.ok([200, 401].includes(added.status), added.text)
      assert.deepEqual((await list(browser)).body, [])
      assert.equal(await opens(late), false)
    }
  })
})

test('the link of an invitation sets a new account up with a passkey, which joins the organisation', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await app.sql(
    `insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'owner' from organisations o, people p where p.handle_key = 'casey'`,
  )
  const casey = await signInBrowser(app, 'casey')
  const member = { organisation: 'school', handle: 'noor@example.org', role: 'instructor' }
  await call(casey, 'POST', '/edu/v1/organisation/member', member)
  const message = await mailbox.next()
  assert.match(message.text, /set a password or create a passkey here/)
  const code = new URL(message.link!).searchParams.get('code')!
  const LINK = '/account/v1/passkey/link'
  const browser = app.visitor()
  const authenticator = makeAuthenticator(app)
  const options = await call(browser, 'POST', `${LINK}/options`, { code })
  assert.equal(options.body.user.name, '@noor')
  const response = authenticator.create(options.body)
  // Another browser, and another link, cannot use what was created.
  assertError(await call(app.visitor(), 'POST', LINK, { code, response }), 400, 4008)
  assertError(await call(browser, 'POST', LINK, { code: 'x', response }), 401, 4015)
  const made = await call(browser, 'POST', LINK, { code, response })
  assert.deepEqual([made.status, made.body], [200, { handle: '@noor', name: '' }], made.text)
  assert.equal((await call(browser, 'GET', '/account/v1/me')).status, 200)
  assert.equal((await signIn(app.visitor(), authenticator)).status, 200)
  const [row] = await app.sql(
    `select m.role, p.unclaimed, p.password_hash, p.email_confirmed_at is not null as confirmed
       from people p join organisation_members m on m.person_id = p.id where p.handle = '@noor'`,
  )
  assert.deepEqual(row, { role: 'instructor', unclaimed: false, password_hash: null, confirmed: true })
  assertError(await call(browser, 'POST', `${LINK}/options`, { code }), 400, 4008)
  assertError(await call(browser, 'POST', '/account/v1/password/reset', { code, password: NEW }), 400, 4008)

  await t.test('a reset link of an account that is set up adds none', async () => {
    const [party, who] = [app.environment(), { at: new Date(), requestId: 'test', address: '127.0.0.1' }]
    const link = await makeResetLink(party.db, who, { handle: '@casey' }, party.get(messagePolicy))
    const reset = new URL(link).searchParams.get('code')!
    assertError(await call(browser, 'POST', `${LINK}/options`, { code: reset }), 400, 4006, /set up already/)
    assert.doesNotMatch((await app.visitor().get('/account/reset', { code: reset })).text, /passkey-create/)
  })
})
