import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { call, isSignedIn, PASSWORD, UNLIMITED } from './testing.ts'

const ASK = '/account/v1/signup/ask'
const SIGN_UP = '/account/v1/signup'
const SIGN_IN = '/account/v1/signin'
const RESET = '/account/v1/password/reset'
const ROBIN = {
  handle: '@robin',
  firstName: 'Robin',
  lastName: 'Adeyemi',
  dateOfBirth: '1999-04-02',
  password: 'a long password',
}
const codeIn = (link: string | undefined): string => new URL(link!).searchParams.get('code')!

async function open(t: TestContext, settings: Record<string, string> = {}) {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, SIGN_UP: 'on', ...mailbox.settings, ...settings }, { withSandbox: true })
  const ask = (email: string) => call(app.visitor(), 'POST', ASK, { email })
  const signIn = (handle: string, password = ROBIN.password) =>
    call(app.visitor(), 'POST', SIGN_IN, { handle, password })
  return { app, mailbox, ask, signIn }
}

test('a confirmed address creates an account, with sign-in by handle and by address', async (t) => {
  const { app, mailbox, ask, signIn } = await open(t)
  assert.deepEqual((await ask('Robin@Example.org')).body, { success: true })
  const message = await mailbox.next()
  assert.equal(message.to, 'Robin@Example.org')
  const code = codeIn(message.link)
  const browser = app.visitor()
  const made = await call(browser, 'POST', SIGN_UP, { ...ROBIN, code })
  assert.deepEqual([made.status, made.body], [200, { handle: '@robin', name: 'Robin Adeyemi' }])
  assert.ok(await isSignedIn(browser))
  for (const name of ['robin', '@Robin', 'robin@example.org', ' ROBIN@example.ORG'])
    assert.equal((await signIn(name)).body.handle, '@robin', name)
  assertError(
    await call(app.visitor(), 'POST', SIGN_UP, { ...ROBIN, handle: 'other', code }),
    400,
    4008,
    /already used/,
  )
  assertError(await signIn('robin@example.com'), 401, 4011)
  const actions = await app.sql(
    `select e.action from audit_entries e join people p on p.id = e.person_id where p.handle = '@robin' order by e.id limit 3`,
  )
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['person.added', 'email.confirmed', 'sign-in.sign-up'],
  )
})

test('the answer does not reveal whether an address has an account; the message does', async (t) => {
  const { app, mailbox, ask } = await open(t)
  await app.sql(`update people set email = 'avery@example.org', email_confirmed_at = now() where handle = '@avery'`)
  const [known, unknown] = [await ask('avery@example.org'), await ask('nobody@example.org')]
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
  const letters = [await mailbox.next(), await mailbox.next()]
  const toAvery = letters.find(({ to }) => to === 'avery@example.org')!
  assert.match(toAvery.text, /already belongs to the account @avery/)
  assert.doesNotMatch(toAvery.text, /code=/)
  // At most three links are sent per hour, but the response stays the same.
  for (let i = 0; i < 4; i++) assert.deepEqual((await ask('nobody@example.org')).body, known.body)
  const [sent] = await app.sql(`select count(*)::int as count from sign_ups where email = 'nobody@example.org'`)
  assert.equal(sent?.count, 3)
})

test('asking for links is limited for a network', async (t) => {
  const { app, ask } = await open(t)
  await ask('one@example.org')
  await app.sql(`update sign_in_failures set failures = 60 where subject like 'asks:%'`)
  await ask('two@example.org')
  assertError(await ask('three@example.org'), 429, 4291)
})

test('links to one address create one account, also in parallel; a taken handle does not use up the link', async (t) => {
  const { app, mailbox, ask } = await open(t)
  await ask('robin@example.org')
  await ask('robin@example.org')
  const codes = [codeIn((await mailbox.next()).link), codeIn((await mailbox.next()).link)]
  const taken = { ...ROBIN, handle: 'avery', code: codes[0] }
  assertError(await call(app.visitor(), 'POST', SIGN_UP, taken), 400, 4002, /taken/)
  const answers = await Promise.all(
    codes.map((code, i) => call(app.visitor(), 'POST', SIGN_UP, { ...ROBIN, handle: `robin${i}`, code })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  const [made] = await app.sql(`select count(*)::int as count from people where email = 'robin@example.org'`)
  assert.equal(made?.count, 1)
})

test('an expired, foreign or mistyped link creates no account, nor does a child', async (t) => {
  const { app, mailbox, ask } = await open(t)
  await ask('robin@example.org')
  const code = codeIn((await mailbox.next()).link)
  const use = (fields: object) => call(app.visitor(), 'POST', SIGN_UP, { ...ROBIN, code, ...fields })
  const year = new Date().getUTCFullYear()
  assertError(await use({ dateOfBirth: `${year - 8}-01-01` }), 403, 4032, /from a parent/)
  assertError(await use({ dateOfBirth: `${year + 2}-01-01` }), 400, 4003, /dateOfBirth/)
  assertError(await use({ password: 'short' }), 400, 4003)
  assertError(await use({ handle: 'admin' }), 400, 4003, /reserved/)
  assertError(await use({ code: `${code}x` }), 401, 4015)
  assertError(await call(app.visitor('sandbox'), 'POST', SIGN_UP, { ...ROBIN, code }), 401, 4015)
  app.advance(61 * 60_000)
  assertError(await use({}), 401, 4015, /expired/)
  assert.deepEqual(await app.sql(`select id from people where email is not null`), [])
})

test('it is off by default, and without messages', async (t) => {
  for (const settings of [{ SIGN_UP: 'off' }, { MESSAGES: 'off' }]) {
    const { app, ask } = await open(t, settings as Record<string, string>)
    assertError(await ask('robin@example.org'), 400, 4006, /administrators/)
    // Links to organisations work all the same; those of the platform do not: see sign-up.test.ts of organisations.
    assertError(await call(app.visitor(), 'POST', SIGN_UP, { ...ROBIN, code: 'x' }), 401, 4015)
    assert.equal((await call(app.visitor(), 'GET', '/account/v1/here')).body.signUp, false)
  }
})

test('an address can be used to sign in once a link has confirmed it, until it is changed', async (t) => {
  const { app, mailbox, signIn } = await open(t)
  await app.givePassword('avery')
  await app.sql(`update people set email = 'Shared@example.org' where handle in ('@avery', '@blake')`)
  assertError(await signIn('shared@example.org', PASSWORD), 401, 4011)
  const reset = async (handle: string) => {
    await call(app.visitor(), 'POST', `${RESET}/ask`, { handle })
    const code = codeIn((await mailbox.next()).link)
    assert.equal((await call(app.visitor(), 'POST', RESET, { code, password: ROBIN.password })).status, 200)
    // Skip the message about the changed password.
    await mailbox.next()
  }
  await reset('avery')
  assert.equal((await signIn('shared@example.org')).body.handle, '@avery')
  // Both people have this address, but only the one who confirmed it first can sign in with it.
  await reset('blake')
  assert.equal((await signIn('shared@example.org')).body.handle, '@avery')
  // A reset link can also be requested by e-mail address.
  await reset('SHARED@example.org')

  const browser = app.visitor()
  await call(browser, 'POST', SIGN_IN, { handle: 'avery', password: ROBIN.password })
  const change = { email: 'new@example.org', password: ROBIN.password }
  assert.equal((await call(browser, 'POST', '/account/v1/email', change)).status, 200)
  for (const email of ['shared@example.org', 'new@example.org']) assertError(await signIn(email), 401, 4011)
})

test('wrong passwords by handle and by address are counted for the same person', async (t) => {
  const { app, signIn } = await open(t)
  await app.sql(`update people set email = 'avery@example.org', email_confirmed_at = now() where handle = '@avery'`)
  await app.givePassword('avery')
  const mail = 'avery@example.org'
  for (const name of ['avery', mail, mail, 'avery', mail]) assertError(await signIn(name, 'wrong'), 401, 4011)
  for (const name of ['avery', mail]) assertError(await signIn(name, PASSWORD), 429, 4291)
  const subjects = await app.sql(`select subject from sign_in_failures where subject like '%avery%' order by subject`)
  assert.deepEqual(
    subjects.map(({ subject }) => String(subject).replace(/^pair:\S+/, 'pair:here')),
    ['account:avery', 'pair:here avery'],
  )
})
