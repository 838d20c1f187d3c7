import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, type Person, testApp } from '../../operations/testing/testing.ts'
import { call, PASSWORD, signInBrowser, UNLIMITED } from '../account/testing.ts'

const SETTINGS = '/edu/v1/organisation/signup'
const ROBIN = {
  handle: '@robin',
  firstName: 'Robin',
  lastName: 'Adeyemi',
  dateOfBirth: '1999-04-02',
  password: 'a long password',
}
const codeIn = (link: string | undefined): string => new URL(link!).searchParams.get('code')!

/** Opens a platform on which nobody can sign up; Casey owns `school`, and Avery has confirmed an address. */
async function open(t: TestContext, settings: Record<string, string> = {}) {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, SIGN_UP: 'off', ...mailbox.settings, ...settings })
  await app.sql(
    `update people set administrator = true where handle_key = 'ellis';
     update people set email = 'avery@school.example', email_confirmed_at = now() where handle_key = 'avery';
     insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from organisations o, people p join (values ('casey', 'owner'), ('drew', 'instructor')) r(handle, role) on r.handle = p.handle_key`,
  )
  const casey = await signInBrowser(app, 'casey')
  const set = async (what: object, browser: TestBrowser = casey) =>
    call(browser, 'POST', SETTINGS, { organisation: 'school', ...what })
  const ask = (email: string, code?: string) =>
    call(app.visitor(), 'POST', '/account/v1/join/ask', { organisation: 'school', email, ...(code && { code }) })
  const join = (browser: TestBrowser, code?: string) =>
    call(browser, 'POST', '/account/v1/join', { organisation: 'school', ...(code && { code }) })
  const joinWithLink = (browser: TestBrowser, link: string) =>
    call(browser, 'POST', '/account/v1/join/link', { code: codeIn(link) })
  const signUp = (link: string, more: object = {}) =>
    call(app.visitor(), 'POST', '/account/v1/signup', { ...ROBIN, code: codeIn(link), ...more })
  const roleOf = async (handle: string): Promise<string | undefined> =>
    (
      await app.sql(
        `select m.role from organisation_members m join people p on p.id = m.person_id where p.handle_key = '${handle}'`,
      )
    )[0]?.role as string | undefined
  return { app, mailbox, casey, set, ask, join, joinWithLink, signUp, roleOf }
}

test('owners and administrators open an organisation by domain and by code, and close it', async (t) => {
  const { app, casey, set } = await open(t)
  const read = async (person: Person) =>
    call(await signInBrowser(app, person), 'GET', `${SETTINGS}?organisation=school`)
  const closed = { organisation: 'school', domains: [], code: null, canSend: true }
  const { url, ...before } = (await call(casey, 'GET', `${SETTINGS}?organisation=school`)).body
  assert.deepEqual(before, closed)
  assert.match(url, /\/account\/join\?organisation=school$/)

  const opened = (await set({ domains: ['@School.Example', 'school.example', 'bücher.example'], code: 'new' })).body
  assert.deepEqual(opened.domains, ['school.example', 'xn--bcher-kva.example'])
  assert.match(opened.code, /^[B-Z]{5}-[B-Z]{5}$/)
  const rotated = (await set({ code: 'new' })).body
  assert.notEqual(rotated.code, opened.code)
  assert.deepEqual(rotated.domains, opened.domains)
  assert.deepEqual((await read('ellis')).body, rotated)
  for (const person of ['drew', 'avery'] as const) assertError(await read(person), 403, 4032)
  assertError(await set({ code: 'new' }, await signInBrowser(app, 'drew')), 403, 4032)

  for (const wrong of ['', 'org', '*.school.example', 'a@school.example', 'school..example', '1.2.3.4'])
    assertError(await set({ domains: [wrong] }), 400, 4003)
  assertError(await set({ domains: Array.from({ length: 21 }, (_, i) => `d${i}.example`) }), 400, 4003)

  assert.deepEqual((await set({ domains: [], code: 'none' })).body, { ...closed, url })
  const audited = await app.sql(
    `select detail->>'domains' as domains, detail->>'code' as code from audit_entries where action = 'organisation.sign-up' order by id`,
  )
  assert.deepEqual(audited, [
    { domains: 'school.example xn--bcher-kva.example', code: 'new' },
    { domains: 'school.example xn--bcher-kva.example', code: 'new' },
    { domains: '', code: 'none' },
  ])
})

test('a confirmed address in a domain creates an account that is a member, also if the platform has no sign-up', async (t) => {
  const { app, mailbox, casey, set, ask, signUp, roleOf } = await open(t)
  await set({ domains: ['school.example'] })
  for (const email of ['robin@other.example', 'robin@mail.school.example', 'robin@school.example.org'])
    assertError(await ask(email), 403, 4032, /Use an e-mail address at school\.example$/)
  assert.deepEqual((await ask('Robin@SCHOOL.example')).body, { success: true })
  const message = await mailbox.next()
  assert.equal(message.to, 'Robin@SCHOOL.example')
  assert.match(message.text, /asked to join School .* To create your account and join, open/)
  // A link that joins nothing is refused, because the platform itself is closed.
  await app.sql(`update sign_ups set organisation_id = null`)
  assertError(await signUp(message.link!), 400, 4006, /administrators/)
  await app.sql(`update sign_ups set organisation_id = (select id from organisations where key = 'school')`)
  assert.equal((await signUp(message.link!)).status, 200)
  assert.equal(await roleOf('robin'), 'member')
  assertError(await signUp(message.link!, { handle: '@other' }), 400, 4008)
  // The account is the person's own: the organisation does not manage it.
  const members = (await call(casey, 'GET', '/edu/v1/organisation/members?organisation=school')).body.docs
  const robin = members.find(({ handle }: { handle: string }) => handle === '@robin')
  assert.deepEqual([robin.status, robin.managed, robin.email], ['active', false, null])
  const audited = await app.sql(
    `select e.action from audit_entries e join people p on p.id = e.person_id where p.handle_key = 'robin' order by e.id`,
  )
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['person.added', 'email.confirmed', 'member.set', 'sign-in.sign-up'],
  )
})

test('with the code any address can join, and wrong codes have to wait', async (t) => {
  const { app, mailbox, set, ask, signUp, roleOf } = await open(t)
  const { code } = (await set({ code: 'new' })).body
  assertError(await ask('robin@example.org'), 403, 4032, /Enter the code/)
  for (let i = 0; i < 30; i++) assertError(await ask('robin@example.org', 'BBBBB-BBBBB'), 404, 4042, /code is wrong/)
  assertError(await ask('robin@example.org', code), 429, 4291)
  app.advance(60_000)
  assert.equal((await ask('robin@example.org', ` ${code.toLowerCase().replace('-', ' ')}`)).status, 200)
  assert.equal((await signUp((await mailbox.next()).link!)).status, 200)
  assert.equal(await roleOf('robin'), 'member')
})

test('the response does not reveal whether an address has an account; its owner joins with the account', async (t) => {
  const { app, mailbox, set, ask, joinWithLink, signUp, roleOf } = await open(t)
  await set({ domains: ['school.example'] })
  const [known, unknown] = [await ask('avery@school.example'), await ask('nobody@school.example')]
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
  const messages = [await mailbox.next(), await mailbox.next()]
  const { text, link } = messages.find(({ to }) => to === 'avery@school.example')!
  assert.match(text, /You have the account @avery\. To join with it, open/)
  assertError(await signUp(link!), 409, 4091, /already has an account/)
  assert.equal(await roleOf('robin'), undefined)
  const page = await app.visitor().get('/account/signup', { code: codeIn(link) })
  assert.match(page.text, /belongs to the account @avery\. Sign in to join/)
  assert.match(page.text, /href="\/account\/signin\?next=%2Faccount%2Fsignup%3Fcode/)
  assert.deepEqual((await joinWithLink(await signInBrowser(app, 'avery'), link!)).body, { success: true })
  assert.equal(await roleOf('avery'), 'member')
  // Links are limited for an address, and the response stays the same.
  for (let i = 0; i < 4; i++) assert.deepEqual((await ask('nobody@school.example')).body, known.body)
  const [sent] = await app.sql(`select count(*)::int as count from sign_ups where email = 'nobody@school.example'`)
  assert.equal(sent?.count, 3)
})

test('people who are signed in join with the code or their confirmed address, and keep the role they have', async (t) => {
  const { app, set, join, roleOf } = await open(t)
  const { code } = (await set({ code: 'new', domains: ['school.example'] })).body
  const [avery, blake, drew] = [
    await signInBrowser(app, 'avery'),
    await signInBrowser(app, 'blake'),
    await signInBrowser(app, 'drew'),
  ]
  assert.equal((await join(avery)).status, 200)
  // An address that nobody has confirmed proves nothing.
  await app.sql(`update people set email = 'blake@school.example' where handle_key = 'blake'`)
  assertError(await join(blake), 403, 4032)
  assertError(await join(blake, 'BBBBB-BBBBB'), 404, 4042)
  assert.equal((await join(blake, code)).status, 200)
  assert.equal((await join(drew, code)).status, 200)
  assert.deepEqual(await Promise.all(['avery', 'blake', 'drew'].map(roleOf)), ['member', 'member', 'instructor'])
  await app.sql(
    `delete from organisation_members m using people p where p.id = m.person_id and p.handle_key = 'blake';
     update people set date_of_birth = (now() - interval '9 years')::date where handle_key = 'blake'`,
  )
  assertError(await join(blake, code), 400, 4004, /a parent accepts/)
})

test('closing, another code and a removed domain end links that were sent before', async (t) => {
  const { mailbox, set, ask, signUp, roleOf } = await open(t)
  const { code } = (await set({ code: 'new', domains: ['school.example'] })).body
  await ask('robin@example.org', code)
  const byCode = (await mailbox.next()).link!
  await ask('robin@school.example')
  const byDomain = (await mailbox.next()).link!
  await set({ code: 'new' })
  assertError(await signUp(byCode), 400, 4006, /no longer accepts/)
  await set({ domains: ['other.example'] })
  assertError(await signUp(byDomain), 400, 4006, /no longer accepts/)
  await set({ domains: ['school.example'] })
  assert.equal((await signUp(byDomain)).status, 200)
  assert.equal(await roleOf('robin'), 'member')
  await set({ domains: [], code: 'none' })
  assertError(await ask('kim@school.example'), 400, 4006, /not open for sign-up/)
})

test('a closed organisation looks like one that does not exist', async (t) => {
  const { app } = await open(t)
  const seen = await Promise.all(
    ['school', 'nowhere'].map(async (organisation) => [
      (await app.visitor().get('/account/join', { organisation })).text,
      (await call(app.visitor(), 'POST', '/account/v1/join/ask', { organisation, email: 'a@b.example' })).text,
    ]),
  )
  assert.deepEqual(seen[0], seen[1])
})

test('somebody who was invited and signs up instead gets the role of the invitation, and one account', async (t) => {
  const { app, mailbox, casey, set, ask, signUp, roleOf } = await open(t)
  await set({ domains: ['school.example'] })
  const invite = { organisation: 'school', handle: 'robin@school.example', role: 'instructor' }
  await call(casey, 'POST', '/edu/v1/organisation/member', invite)
  await mailbox.next()
  await ask('robin@school.example')
  const made = await signUp((await mailbox.next()).link!, { handle: '@robin.a' })
  assert.equal(made.status, 200, made.text)
  assert.equal(await roleOf('robin.a'), 'instructor')
  await until('the account of the invitation is deleted', async () => {
    const [people] = await app.sql(`select count(*)::int as n from people where email = 'robin@school.example'`)
    return people!.n === 1
  })
})

test('the page for joining works without a script', async (t) => {
  const { app, mailbox, set, roleOf } = await open(t)
  const { code } = (await set({ code: 'new', domains: ['school.example'] })).body
  const visitor = app.visitor()
  const page = await visitor.get('/account/join', { organisation: 'school' })
  assert.match(page.text, /<h1>Join School<\/h1>[\s\S]*e-mail address at school\.example, or any address with the code/)
  const refused = await visitor.submit(page, { email: 'robin@example.org', organisationCode: 'wrong' })
  assert.equal(refused.status, 404)
  assert.match(refused.text, /role="alert">The code is wrong[\s\S]*value="robin@example.org"/)
  const asked = await visitor.follow(
    await visitor.submit(refused, { email: 'robin@example.org', organisationCode: code }),
  )
  assert.match(asked.text, /role="status">Check your e-mail/)
  const link = (await mailbox.next()).link!
  const form = await visitor.get('/account/signup', { code: codeIn(link) })
  assert.match(form.text, /<h1>Join School<\/h1>[\s\S]*become a member of School/)
  const { password, ...typed } = ROBIN
  const again = await visitor.submit(form, { ...typed, handle: 'casey', new_password: password, again: password })
  assert.match(again.text, /<h1>Join School<\/h1>[\s\S]*role="alert"/)
  const done = await visitor.submit(again, { ...typed, new_password: password, again: password })
  assert.equal(done.status, 303, done.text)
  assert.equal(await roleOf('robin'), 'member')
  assert.match((await visitor.get('/account/join', { organisation: 'school' })).text, /You’re a member of School/)

  // Avery's confirmed address is enough; Blake types the code, or uses a link sent to an address in the domain.
  const avery = await signInBrowser(app, 'avery')
  const button = await avery.get('/account/join', { organisation: 'school' })
  assert.doesNotMatch(button.text, /organisationCode/)
  assert.match((await avery.follow(await avery.submit(button, {}))).text, /You’re a member of School/)
  const blake = await signInBrowser(app, 'blake')
  await blake.post('/account/join', {})
  const both = await blake.get('/account/join', { organisation: 'school' })
  assert.match(both.text, /organisationCode[\s\S]*name="email"/)
  await blake.submit(both, { email: 'second@school.example' })
  const own = await blake.get('/account/signup', { code: codeIn((await mailbox.next()).link) })
  assert.match(own.text, /<button>Join as @blake<\/button>/)
  assert.match((await blake.follow(await blake.submit(own, {}))).text, /You’re a member of School/)
  assert.equal(await roleOf('blake'), 'member')
  // Signing in leads back to the page.
  const drew = app.visitor()
  await app.givePassword('drew')
  const first = await drew.get('/account/join', { organisation: 'school' })
  const signIn = await drew.send(/href="(\/account\/signin[^"]*)"/.exec(first.text)![1]!.replaceAll('&amp;', '&'))
  const back = await drew.submit(signIn, { handle: 'drew', password: PASSWORD })
  assert.equal(back.location, '/account/join?organisation=school')
})

test('without e-mail nobody can sign up, and the owner is told', async (t) => {
  const { app, set, ask, join } = await open(t, { MESSAGES: 'off' })
  const { canSend, code } = (await set({ code: 'new' })).body
  assert.equal(canSend, false)
  assertError(await ask('robin@example.org', code), 400, 4006)
  assert.equal((await join(await signInBrowser(app, 'blake'), code)).status, 200)
})
