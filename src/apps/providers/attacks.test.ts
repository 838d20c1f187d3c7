/** The attacks on sign-in with a provider that must fail. Each test fails if its defence is removed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { makeAuthenticator, register, signedIn, signIn } from '../../identity/passkeys/testing.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { formsOf, type Seen, TestBrowser } from '../../operations/testing/browser.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, PASSWORD, signInBrowser, UNLIMITED } from '../account/testing.ts'
import {
  addOrganisation,
  assertRefused,
  connectPerson,
  connectProvider,
  findHandle,
  giveAddress,
  listConnected,
  listFailures,
  type ProviderSettings,
  signInThrough,
  startAt,
  WITH_PROVIDERS,
} from './testing-connected.ts'
import { startDns } from './testing-dns.ts'
import { type Liar, type Lies, passThrough, startLiar } from './testing-liar.ts'

const DOMAIN = 'school.example'
const ADDRESS = `avery@${DOMAIN}`
/** The claims that an honest provider sends about Avery. */
const AVERY = { sub: 'a-1', email: ADDRESS, email_verified: true, name: 'Avery Quinn' }

interface School {
  readonly app: TestApp
  readonly liar: Liar
}

/**
 * Opens a platform where Casey owns `school`, Avery is a member with a confirmed address, and the provider is allowed.
 */
async function open(
  t: TestContext,
  settings: ProviderSettings = {},
  config: Record<string, string> = {},
): Promise<School> {
  const app = await testApp(t, { ...WITH_PROVIDERS, ...config })
  const liar = await startLiar(t, AVERY)
  await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
  await giveAddress(app, 'avery', ADDRESS)
  await connectProvider(app, 'school', liar, { domains: [DOMAIN], ...settings })
  return { app, liar }
}

const assertSignedIn = async (browser: TestBrowser, seen: Seen, handle: string): Promise<void> => {
  assert.equal(seen.status, 303, seen.text)
  assert.equal(await findHandle(browser), handle)
}

const passwordWorks = async (app: TestApp, handle: string, password = PASSWORD): Promise<boolean> =>
  (await call(app.visitor(), 'POST', '/account/v1/signin', { handle, password })).status === 200

const wasAsked = ({ received }: Liar, name: string): boolean => received.some((request) => request.name === name)

const countPeople = async (app: TestApp): Promise<number> =>
  Number((await app.sql('select count(*) from people'))[0]!.count)

// Pre-hijacking: https://www.usenix.org/conference/usenixsecurity22/presentation/sudhodanan

test('pre-hijacking by classic-federated merge: an account with an unconfirmed address is not the person of the address', async (t) => {
  const { app } = await open(t, { createsAccounts: true })
  await giveAddress(app, 'avery', null)
  await addOrganisation(app, 'club', { blake: 'owner' })
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle_key = 'blake'`,
  )
  await giveAddress(app, 'blake', ADDRESS, false)
  const browser = app.visitor()
  const seen = await signInThrough(browser, 'school')
  assert.equal(seen.status, 303, seen.text)
  const handle = await findHandle(browser)
  assert.notEqual(handle, '@blake')
  assert.deepEqual(await listConnected(app, 'school'), [`a-1 ${handle}`])
  assert.ok((await passwordWorks(app, 'avery', 'x')) === false)
})

test('pre-hijacking by an unexpired session: what was signed in before an account is connected ends', async (t) => {
  const { app } = await open(t)
  const attacker = await signInBrowser(app, 'avery')
  const client = await app.as('avery')
  const browser = app.visitor()
  await assertSignedIn(browser, await signInThrough(browser, 'school'), '@avery')
  assert.equal(await findHandle(attacker), undefined)
  assert.equal((await client.get('/oauth/token/validate')).status, 403)
  assert.deepEqual(await app.sql('select 1 from sessions where ended_at is null'), [])
})

test("pre-hijacking by a trojan identifier: the attacker's password and passkey are gone once the account is connected", async (t) => {
  const { app } = await open(t)
  const attacker = await signedIn(app, 'avery')
  const authenticator = makeAuthenticator(app)
  await register(attacker, authenticator)
  assert.equal((await signIn(app.visitor(), authenticator)).status, 200)
  assert.ok(await passwordWorks(app, 'avery'))
  const browser = app.visitor()
  await assertSignedIn(browser, await signInThrough(browser, 'school'), '@avery')
  assert.equal(await passwordWorks(app, 'avery'), false)
  assert.notEqual((await signIn(app.visitor(), authenticator)).status, 200)
  assert.deepEqual(await app.sql('select 1 from passkeys'), [])
})

test('pre-hijacking by an unexpired link: reset and sign-up links from before an account is connected do not work', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, {}, { ...mailbox.settings, SIGN_UP: 'on' })
  await app.givePassword('avery')
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'avery' })).status, 200)
  const { link } = await mailbox.next()
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/signup/ask', { email: ADDRESS })).status, 200)
  const countSignUps = async () => (await app.sql('select 1 from sign_ups where used_at is null')).length
  assert.equal(await countSignUps(), 1)
  const browser = app.visitor()
  await assertSignedIn(browser, await signInThrough(browser, 'school'), '@avery')
  const code = new URL(link!).searchParams.get('code')!
  const reset = await call(app.visitor(), 'POST', '/account/v1/password/reset', { code, password: 'a new password' })
  assert.notEqual(reset.status, 200)
  assert.equal(await passwordWorks(app, 'avery', 'a new password'), false)
  assert.equal(await countSignUps(), 0)
})

test('pre-hijacking with a provider that does not verify: an address counts only if email_verified is true', async (t) => {
  const { app, liar } = await open(t)
  for (const email_verified of [undefined, false, 'true', 1, null, {}]) {
    liar.person = { ...AVERY, email_verified }
    const browser = app.visitor()
    await assertRefused(browser, await signInThrough(browser, 'school'))
    assert.deepEqual(await listConnected(app, 'school'), [], String(email_verified))
  }
})

// Mutable and recycled addresses

test('nOAuth: an address that somebody has typed into their profile at the provider leads to no account', async (t) => {
  const { app, liar } = await open(t)
  await connectPerson(app, 'school', 'avery', 'a-1')
  // Entra ID sends such an address, without email_verified.
  liar.person = { sub: 'attacker', email: ADDRESS, preferred_username: ADDRESS, upn: ADDRESS }
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'school'))
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @avery'])
})

test('an address that was given to a new person, with a new subject, does not lead to the account of the old one', async (t) => {
  const { app, liar } = await open(t, { createsAccounts: true })
  await connectPerson(app, 'school', 'avery', 'a-1')
  liar.person = { ...AVERY, sub: 'a-2' }
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'school'))
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @avery'])
})

test('somebody who is connected stays themselves, whatever address the provider sends', async (t) => {
  const { app, liar } = await open(t)
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle_key = 'blake'`,
  )
  await connectPerson(app, 'school', 'blake', 'b-1')
  liar.person = { ...AVERY, sub: 'b-1' }
  const browser = app.visitor()
  await assertSignedIn(browser, await signInThrough(browser, 'school'), '@blake')
  const [row] = await app.sql(`select email from people where handle_key = 'blake'`)
  assert.equal(row!.email, null)
})

// Mix-up, CSRF, replay

/** Opens a second organisation with a provider of its own, which Blake runs. */
async function openClub(t: TestContext, app: TestApp): Promise<Liar> {
  const attacker = await startLiar(t, { sub: 'b-1' })
  await addOrganisation(app, 'club', { blake: 'owner' })
  await connectProvider(app, 'club', attacker, { createsAccounts: true })
  return attacker
}

test('mix-up: a response that names another issuer, or none although the provider promises it, is refused before the code is used', async (t) => {
  const { app, liar } = await open(t)
  const attacker = await openClub(t, app)
  for (const iss of [attacker.issuer, `${liar.issuer}/`, '', undefined]) {
    liar.lies = { response: (right) => ({ ...right, iss }) }
    const browser = app.visitor()
    await assertRefused(browser, await signInThrough(browser, 'school'))
    assert.equal(wasAsked(liar, 'POST /token'), false, `the code was sent after iss=${iss}`)
  }
  assert.equal((await listFailures(app, 'school'))[0]!.claim, 'iss')
})

test('mix-up: a response that belongs to the provider of another organisation is refused, also where none names its issuer', async (t) => {
  const { app, liar } = await open(t)
  const attacker = await openClub(t, app)
  // Both are older providers, which do not promise to name themselves (RFC 9207).
  await app.sql(
    `update providers set metadata = (metadata::jsonb - 'authorization_response_iss_parameter_supported')::json`,
  )
  liar.lies = { response: ({ iss: _, ...right }) => right }
  const browser = app.visitor()
  // The attacker's provider sends the browser on to the honest provider, with the state of its own sign-in.
  const started = new URL(await startAt(browser, 'club'))
  const honest = new URL(await startAt(app.visitor(), 'school'))
  honest.searchParams.set('state', started.searchParams.get('state')!)
  honest.searchParams.set('nonce', started.searchParams.get('nonce')!)
  honest.searchParams.set('code_challenge', started.searchParams.get('code_challenge')!)
  await assertRefused(browser, await browser.send((await passThrough(browser, honest.href)).href))
  assert.equal(wasAsked(liar, 'POST /token'), false)
  assert.equal(wasAsked(attacker, 'POST /token'), false)
  // The same code at the callback of the club would go to the attacker, and is bound to another redirect URI.
  assert.notEqual(started.searchParams.get('redirect_uri'), honest.searchParams.get('redirect_uri'))
})

test('login CSRF: the response of a sign-in that another browser has started signs nobody in', async (t) => {
  const { app, liar } = await open(t, { createsAccounts: true })
  const attacker = app.visitor()
  const prepared = await passThrough(attacker, await startAt(attacker, 'school'))
  for (const victim of [app.visitor(), await signInBrowser(app, 'drew')]) {
    const before = await findHandle(victim)
    const seen = await victim.send(prepared.href)
    assert.ok(seen.status >= 400 && seen.location === undefined, seen.text)
    assert.equal(await findHandle(victim), before)
  }
  assert.equal(wasAsked(liar, 'POST /token'), false)
})

test('login CSRF: a sign-in is started by the form of this browser only, and never by opening an address', async (t) => {
  const { app, liar } = await open(t)
  const browser = app.visitor()
  const page = await browser.get('/account/provider', { organisation: 'school' })
  assert.equal(page.status, 200)
  const form = formsOf(page.text).find(({ action }) => action.startsWith('/account/provider'))!
  const other = app.visitor()
  const foreignKey = formsOf((await other.get('/account/provider', { organisation: 'school' })).text).find(
    ({ action }) => action.startsWith('/account/provider'),
  )!.hidden
  for (const fields of [{ organisation: 'school' }, { ...form.hidden, csrf_token: '' }, foreignKey]) {
    const seen = await browser.post(form.action, fields)
    assert.deepEqual([seen.status, seen.location], [403, undefined])
  }
  const foreign = await browser.send(form.action, {
    method: 'POST',
    body: String(new URLSearchParams(form.hidden)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  })
  assert.deepEqual([foreign.status, foreign.location], [403, undefined])
  assert.equal(wasAsked(liar, 'GET /authorize'), false)
  assert.deepEqual(await app.sql('select 1 from provider_sign_ins'), [])
})

test('replay: a response signs in once, even if the provider takes every code twice', async (t) => {
  const { app, liar } = await open(t)
  liar.lies = { takesEveryCode: true }
  const browser = app.visitor()
  const back = await passThrough(browser, await startAt(browser, 'school'))
  const seen = await Promise.all([browser.send(back.href), browser.send(back.href), browser.send(back.href)])
  assert.deepEqual(seen.map(({ status }) => status === 303).filter(Boolean), [true])
  const thief = app.visitor()
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  const again = await thief.send(back.href)
  assert.ok(again.status >= 400 && again.location === undefined)
})

test('replay: a sign-in that took longer than it may is refused', async (t) => {
  const { app, liar } = await open(t)
  const browser = app.visitor()
  const back = await passThrough(browser, await startAt(browser, 'school'))
  app.advance(11 * 60_000)
  await assertRefused(browser, await browser.send(back.href))
  assert.equal(wasAsked(liar, 'POST /token'), false)
})

test('replay: a sign-in that was started before the issuer or the client changed is refused', async (t) => {
  const { app, liar } = await open(t)
  const browser = app.visitor()
  const back = await passThrough(browser, await startAt(browser, 'school'))
  await app.sql('update providers set version = version + 1, tested_version = version + 1')
  await assertRefused(browser, await browser.send(back.href))
  assert.equal(wasAsked(liar, 'POST /token'), false)
})

test('an ID token of another sign-in is refused: its nonce is another one, or is missing', async (t) => {
  const { app, liar } = await open(t)
  for (const nonce of [undefined, '', 'another', 1]) {
    liar.lies = { claims: (right) => ({ ...right, nonce }) }
    const browser = app.visitor()
    await assertRefused(browser, await signInThrough(browser, 'school'))
    assert.equal((await listFailures(app, 'school'))[0]!.claim, 'nonce', String(nonce))
  }
})

test('an unsolicited response is refused: without a state, with an unknown one, and before anything was started', async (t) => {
  const { app, liar } = await open(t)
  const started = app.visitor()
  const back = await passThrough(started, await startAt(started, 'school'))
  for (const state of [undefined, '', 'x', 'x'.repeat(43), 'x'.repeat(5000)])
    for (const browser of [app.visitor(), started]) {
      const url = new URL(back)
      if (state === undefined) url.searchParams.delete('state')
      else url.searchParams.set('state', state)
      await assertRefused(browser, await browser.send(url.href))
    }
  assert.equal(wasAsked(liar, 'POST /token'), false)
})

test('a response is refused at the callback of an organisation that has no provider, does not exist, or has switched it off', async (t) => {
  const { app, liar } = await open(t)
  await addOrganisation(app, 'club', {})
  const browser = app.visitor()
  const back = await passThrough(browser, await startAt(browser, 'school'))
  for (const key of ['club', 'nobody', '%00', '..%2fschool'])
    await assertRefused(browser, await browser.send(back.href.replace('/school/', `/${key}/`)))
  await app.sql(`update providers set mode = 'off'`)
  await assertRefused(browser, await browser.send(back.href))
  assert.equal(wasAsked(liar, 'POST /token'), false)
})

test('hostile addresses to continue at are ignored', async (t) => {
  const { app } = await open(t)
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    ' //evil.example',
    '/%0d%0aLocation:https://evil.example',
    'data:text/html,x',
  ]) {
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school', next)
    assert.equal(seen.status, 303, seen.text)
    const target = new URL(seen.location!, app.address)
    assert.equal(target.origin, new URL(app.address).origin, next)
  }
  const browser = app.visitor()
  assert.equal((await signInThrough(browser, 'school', '/account/devices')).location, '/account/devices')
})

// A provider of one organisation speaks for people of another

test('two organisations with the same issuer do not reach the people of each other', async (t) => {
  const { app, liar } = await open(t)
  await connectPerson(app, 'school', 'avery', 'a-1')
  await addOrganisation(app, 'club', { blake: 'owner' })
  await connectProvider(app, 'club', liar, { createsAccounts: true })
  liar.person = { sub: 'a-1', name: 'Avery Quinn' }
  const browser = app.visitor()
  const seen = await signInThrough(browser, 'club')
  assert.equal(seen.status, 303, seen.text)
  assert.notEqual(await findHandle(browser), '@avery')
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @avery'])
})

test('an address counts only in a domain that this organisation has proven', async (t) => {
  const { app, liar } = await open(t)
  await addOrganisation(app, 'club', { blake: 'owner', avery: 'member' })
  const club = await startLiar(t, AVERY)
  await connectProvider(app, 'club', club)
  // The school has proven the domain, the club has only entered it.
  await app.sql(
    `insert into organisation_domains (organisation_id, domain, challenge, created_at)
     select id, '${DOMAIN}', 'challenge', now() from organisations where key = 'club'`,
  )
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'club'))
  liar.person = { ...AVERY, email: 'avery@sub.school.example' }
  await giveAddress(app, 'avery', 'avery@sub.school.example')
  await assertRefused(app.visitor(), await signInThrough(app.visitor(), 'school'))
  for (const email of [
    `avery@${DOMAIN}.evil.example`,
    `avery@evil.example@${DOMAIN}`,
    `evil${DOMAIN}`,
    ADDRESS.replace('@', '%40'),
  ]) {
    liar.person = { ...AVERY, email }
    await giveAddress(app, 'avery', email)
    const other = app.visitor()
    await assertRefused(other, await signInThrough(other, 'school'))
  }
  assert.deepEqual([...(await listConnected(app, 'school')), ...(await listConnected(app, 'club'))], [])
})

test('a provider that names the address of somebody who is not a member does not reach their account', async (t) => {
  const { app, liar } = await open(t, { createsAccounts: true })
  await giveAddress(app, 'blake', `blake@${DOMAIN}`)
  liar.person = { sub: 'b-1', email: `blake@${DOMAIN}`, email_verified: true }
  const before = await countPeople(app)
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'school'))
  assert.equal(await countPeople(app), before)
  assert.deepEqual(await listConnected(app, 'school'), [])
})

test('who leaves the organisation can no longer sign in with its provider', async (t) => {
  const { app } = await open(t)
  const browser = app.visitor()
  await assertSignedIn(browser, await signInThrough(browser, 'school'), '@avery')
  await app.sql(`delete from organisation_members where person_id = (select id from people where handle_key = 'avery')`)
  const again = app.visitor()
  await assertRefused(again, await signInThrough(again, 'school'))
})

test('a disabled account cannot be signed in to, and is not connected', async (t) => {
  const { app } = await open(t)
  await app.sql(`update people set disabled_at = now() where handle_key = 'avery'`)
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'school'))
  assert.deepEqual(await listConnected(app, 'school'), [])
})

test('groups demote neither the last owner nor a break-glass account, and give no rights outside the organisation', async (t) => {
  const settings = {
    groupsClaim: 'groups',
    groupRoles: [
      { group: 'admins', role: 'owner' },
      { group: 'developers', role: 'developer' },
    ],
  } as const
  const { app, liar } = await open(t, settings)
  const join = (handle: string, role: string) =>
    app.sql(
      `insert into organisation_members (organisation_id, person_id, role)
       select o.id, p.id, '${role}' from organisations o, people p where o.key = 'school' and p.handle_key = '${handle}'`,
    )
  await join('drew', 'owner')
  await app.sql(
    `insert into break_glass_accounts (organisation_id, person_id)
     select m.organisation_id, m.person_id from organisation_members m join people p on p.id = m.person_id where p.handle_key = 'drew'`,
  )
  const roleOf = async (handle: string) =>
    (
      await app.sql(
        `select m.role from organisation_members m join people p on p.id = m.person_id where p.handle_key = '${handle}'`,
      )
    )[0]!.role
  for (const [person, subject] of [
    ['casey', 'c-1'],
    ['drew', 'd-1'],
    ['avery', 'a-1'],
  ] as const)
    await connectPerson(app, 'school', person, subject)
  const enter = async (sub: string, groups: unknown) => {
    liar.person = { sub, groups }
    const browser = app.visitor()
    assert.equal((await signInThrough(browser, 'school')).status, 303)
  }
  await enter('d-1', ['developers'])
  assert.equal(await roleOf('drew'), 'owner', 'a break-glass account keeps its role')
  await enter('c-1', ['developers'])
  assert.equal(await roleOf('casey'), 'developer', 'there is another owner')
  await app.sql(`delete from break_glass_accounts`)
  await enter('d-1', [])
  assert.equal(await roleOf('drew'), 'owner', 'the last owner stays')
  await enter('a-1', ['admins', 'administrators'])
  assert.equal(await roleOf('avery'), 'owner')
  const [row] = await app.sql(`select administrator, developer from people where handle_key = 'avery'`)
  assert.equal(row!.administrator, false)
  for (const groups of [
    undefined,
    'x',
    { admins: true },
    [['admins']],
    [1, null],
    'admins,owner',
    Array(2000).fill('x'),
  ]) {
    await enter('a-1', groups)
    assert.notEqual(await roleOf('avery'), 'owner', JSON.stringify(groups)?.slice(0, 40))
    await enter('a-1', 'admins')
    assert.equal(await roleOf('avery'), 'owner')
  }
})

// Enforcement

test('enforced: the right password, a passkey, a reset link and the pages of apps sign nobody in', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, { breakGlass: ['casey'] }, mailbox.settings)
  const authenticator = makeAuthenticator(app)
  const before = await signedIn(app, 'avery')
  await register(before, authenticator)
  await app.sql(`update providers set mode = 'enforced'`)
  const password = await call(app.visitor(), 'POST', '/account/v1/signin', { handle: 'avery', password: PASSWORD })
  assert.equal(password.status, 403, password.text)
  assert.match(password.text, /The school/)
  const form = app.visitor()
  const page = await form.submit(await form.get('/account/signin'), { handle: 'avery', password: PASSWORD })
  assert.equal(await findHandle(form), undefined, page.text)
  const withPasskey = app.visitor()
  assert.equal((await signIn(withPasskey, authenticator)).status, 403)
  assert.equal(await findHandle(withPasskey), undefined)
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'avery' })).status, 200)
  if (mailbox.count() > 0) {
    const code = new URL((await mailbox.next()).link!).searchParams.get('code')!
    const visitor = app.visitor()
    const reset = await call(visitor, 'POST', '/account/v1/password/reset', { code, password: 'a new password' })
    assert.notEqual(reset.status, 200)
    assert.equal(await findHandle(visitor), undefined)
    assert.equal(await passwordWorks(app, 'avery', 'a new password'), false)
  }
  // Guests and break-glass accounts keep their own ways in.
  for (const handle of ['casey', 'drew'] as const) {
    await app.givePassword(handle)
    assert.ok(await passwordWorks(app, handle), handle)
  }
})

test('enforced: an app that sends handle and password itself gets no token', async (t) => {
  const { app } = await open(t, { mode: 'enforced' })
  await app.givePassword('avery')
  await app.sql('update apps set basic_enabled = true')
  const ask = (handle: string) =>
    app.nobody().get('/auth/basic', undefined, {
      authorization: `Basic ${Buffer.from(`${handle}:${PASSWORD}`).toString('base64')}`,
      clientid: 'gs-first',
    })
  await app.givePassword('drew')
  assert.equal((await ask('drew')).status, 200)
  const answer = await ask('avery')
  assert.notEqual(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('access_token'), null)
})

test('enforced: a wrong password reveals nothing about the provider, and a right one says where to sign in', async (t) => {
  const { app } = await open(t, { mode: 'enforced' })
  await app.givePassword('avery')
  const say = async (handle: string) => {
    const { status, body } = await call(app.visitor(), 'POST', '/account/v1/signin', { handle, password: 'wrong' })
    return [status, body.error_code, body.error_description]
  }
  assert.deepEqual(await say('avery'), await say('nobody-at-all'))
  assert.deepEqual(await say('avery'), await say('blake'))
})

test('the sign-in pages respond the same to every address of a domain, whoever exists', async (t) => {
  const { app } = await open(t, { mode: 'enforced' })
  await giveAddress(app, 'blake', `blake@${DOMAIN}`, false)
  await connectPerson(app, 'school', 'avery', 'a-1')
  const type = async (handle: string, more: Record<string, string> = {}): Promise<string> => {
    const browser = app.visitor()
    const seen = await browser.submit(await browser.get('/account/signin'), { handle, password: 'x', ...more })
    const strip = (text: string) =>
      text
        .replaceAll(handle, 'TYPED')
        .replaceAll(encodeURIComponent(handle), 'TYPED')
        .replace(/(csrf_token" value|state|nonce|code_challenge)=("?)[\w.-]+/g, '$1=$2')
        .replace(/nonce-[\w+/=-]+|nonce="[^"]*"/g, '')
    return `${seen.status} ${strip(seen.location ?? '')} ${seen.headers.getSetCookie().length} ${strip(seen.text)}`
  }
  for (const more of [{}, { way: 'organisation' }]) {
    const nobody = await type(`nobody@${DOMAIN}`, more)
    for (const handle of [ADDRESS, `blake@${DOMAIN}`, `AVERY@${DOMAIN.toUpperCase()}`.replace('AVERY', 'someone')])
      assert.equal(
        (await type(handle, more)).replaceAll(DOMAIN.toUpperCase(), DOMAIN),
        nobody,
        `${handle} ${JSON.stringify(more)}`,
      )
  }
  const elsewhere = await type('nobody@elsewhere.example', { way: 'organisation' })
  await giveAddress(app, 'drew', 'drew@elsewhere.example')
  assert.equal(await type('drew@elsewhere.example', { way: 'organisation' }), elsewhere)
  const unknown = await app.visitor().get('/account/provider', { organisation: 'nobody' })
  await addOrganisation(app, 'club', {})
  const without = await app.visitor().get('/account/provider', { organisation: 'club' })
  assert.deepEqual([unknown.status, without.status], [404, 404])
})

test('enforced: the proof of a right password connects no other account, in no other browser and not later', async (t) => {
  const { app, liar } = await open(t, { mode: 'enforced' })
  await giveAddress(app, 'avery', null)
  await app.sql(
    `update people set managed_by = (select id from organisations where key = 'school') where handle_key = 'avery'`,
  )
  await app.givePassword('avery')
  const attacker = app.visitor()
  const answer = await attacker.submit(await attacker.get('/account/signin'), { handle: 'avery', password: PASSWORD })
  const path =
    answer.location ?? /href="(\/account\/provider\?[^"]*proof=[^"]*)"/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&')
  assert.ok(path, answer.text)
  assert.match(path, /proof=/)
  // An attacker sends the address to a victim. The victim signs in as themselves, and is not connected to Avery.
  liar.person = { sub: 'victim' }
  const victim = app.visitor()
  const page = await victim.get(path)
  if (page.location === undefined) {
    const seen = await victim.submit(page, {}, '/account/provider')
    if (seen.location?.startsWith(liar.issuer)) await victim.send((await passThrough(victim, seen.location)).href)
  }
  assert.notEqual(await findHandle(victim), '@avery')
  assert.deepEqual(await listConnected(app, 'school'), [])
  app.advance(11 * 60_000)
  const late = await attacker.get(path)
  assert.match(late.location ?? '', /^\/account\/signin/)
  assert.deepEqual(await listConnected(app, 'school'), [])
})

// Purposes

test('a sign-in that was started to test the settings signs nobody in and connects nobody', async (t) => {
  const { app, liar } = await open(t)
  const owner = await signInBrowser(app, 'casey')
  const page = await owner.get('/account/provider/test', { organisation: 'school' })
  const { location } = await owner.submit(page, {}, '/account/provider/test')
  const before = [...owner.cookies]
  const seen = await owner.send((await passThrough(owner, location!)).href)
  assert.equal(seen.status, 200, seen.text)
  assert.equal(wasAsked(liar, 'POST /token'), true)
  assert.deepEqual([...owner.cookies], before)
  assert.equal(await findHandle(owner), '@casey')
  assert.deepEqual(await listConnected(app, 'school'), [])
  assert.deepEqual(await app.sql('select 1 from provider_browsers'), [])
  // Only managers can start one.
  for (const browser of [app.visitor(), await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]) {
    const shown = await browser.get('/account/provider/test', { organisation: 'school' })
    assert.ok(shown.status === 403 || shown.status === 404 || shown.location?.startsWith('/account/signin'), shown.text)
  }
})

test('connecting an account needs the person who is signed in, and never takes a subject from somebody else', async (t) => {
  const { app, liar } = await open(t)
  await connectPerson(app, 'school', 'casey', 'c-1')
  const start = async (browser: TestBrowser): Promise<string> => {
    const page = await browser.get('/account/provider', { organisation: 'school', connect: 'true' })
    const { location } = await browser.submit(page, {}, '/account/provider')
    return location!
  }
  liar.person = { sub: 'c-1' }
  const avery = await signInBrowser(app, 'avery')
  const stolen = await avery.send((await passThrough(avery, await start(avery))).href)
  assert.ok(stolen.status >= 400, stolen.text)
  assert.deepEqual(await listConnected(app, 'school'), ['c-1 @casey'])
  // Avery starts a sign-in, and then all her sessions end. The sign-in no longer connects her account.
  liar.person = { sub: 'a-1' }
  const back = await passThrough(avery, await start(avery))
  await app.sql(`update people set epoch = epoch + 1 where handle_key = 'avery'`)
  const late = await avery.send(back.href)
  assert.ok(late.status >= 400, late.text)
  assert.deepEqual(await listConnected(app, 'school'), ['c-1 @casey'])
  const form = app.visitor()
  const shown = await form.get('/account/provider', { organisation: 'school', connect: 'true' })
  assert.match(shown.location ?? '', /^\/account\/signin/)
  const outsider = await signInBrowser(app, 'blake')
  const refused = await outsider.send((await passThrough(outsider, await start(outsider))).href)
  assert.ok(refused.status >= 400, refused.text)
  assert.deepEqual(await listConnected(app, 'school'), ['c-1 @casey'])
})

// Addresses of the network of the platform

test('an owner cannot make the platform call private addresses, by number or by name', async (t) => {
  const dns = await startDns(t, {
    'login.school.example': { A: ['127.0.0.1'] },
    'six.school.example': { AAAA: ['::1', 'fd00::1'] },
    'both.school.example': { A: ['93.184.216.34', '169.254.169.254'] },
  })
  const app = await testApp(t, { ...UNLIMITED, PLUGIN_ADDRESSES: 'public', DNS_SERVERS: dns.address })
  await addOrganisation(app, 'school', { casey: 'owner' })
  const owner = await signInBrowser(app, 'casey')
  for (const issuer of [
    'http://127.0.0.1:8080',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'https://[::ffff:169.254.169.254]',
    'https://169.254.169.254',
    'https://10.0.0.1/realm',
    'https://localhost',
    'https://metadata.google.internal',
    'https://login.school.example',
    'https://six.school.example',
    'https://both.school.example',
    'https://login.school.example.',
    'https://user:secret@login.school.example',
    'file:///etc/passwd',
  ]) {
    const { status, text } = await call(owner, 'POST', '/edu/v1/organisation/provider', {
      organisation: 'school',
      issuer,
      clientId: 'x',
      clientSecret: 'secret',
    })
    assert.equal(status, 400, `${issuer}: ${text}`)
    assert.doesNotMatch(
      text,
      /ECONNREFUSED|refused to connect|Connection refused/,
      'the response tells nothing about ports',
    )
  }
  assert.deepEqual(await app.sql('select 1 from providers'), [])
})

test('an owner cannot make the platform call private addresses by what the provider says about itself', async (t) => {
  const { app, liar } = await open(t)
  const owner = await signInBrowser(app, 'casey')
  for (const field of [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'end_session_endpoint',
  ])
    for (const address of [
      'https://169.254.169.254/latest',
      'https://10.0.0.1/',
      'http://school.example/',
      'javascript:alert(1)',
      '//x',
      7,
    ]) {
      liar.lies = { configuration: (right) => ({ ...right, [field]: address }) }
      const { status, text } = await call(owner, 'POST', '/edu/v1/organisation/provider', {
        organisation: 'school',
        issuer: liar.issuer,
        clientId: 'another',
        clientSecret: 'secret',
      })
      assert.equal(status, 400, text)
      assert.match(text, new RegExp(field))
    }
  assert.deepEqual(await app.sql('select client_id from providers'), [{ client_id: liar.clientId }])
})

test('a name that leads to a private address after the settings were saved is refused at each connection', async (t) => {
  const dns = await startDns(t, { 'login.school.example': { A: ['127.0.0.1'] } })
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => void server.close())
  const { port } = server.address() as AddressInfo
  const app = await testApp(t, { ...WITH_PROVIDERS, DNS_SERVERS: dns.address })
  const liar = await startLiar(t, AVERY)
  await addOrganisation(app, 'school', { casey: 'owner' })
  await connectProvider(app, 'school', liar)
  const second = await app.startSecond({ PLUGIN_ADDRESSES: 'public' })
  await app.sql(
    `update providers set issuer = 'https://login.school.example:${port}',
            metadata = replace(metadata::text, '${liar.issuer}', 'https://login.school.example:${port}')::json`,
  )
  const browser = new TestBrowser(second.addresses.production)
  const started = new URL(await startAt(browser, 'school'))
  const response = new URLSearchParams({
    code: 'code',
    state: started.searchParams.get('state')!,
    iss: `https://login.school.example:${port}`,
  })
  await assertRefused(browser, await browser.send(`/account/provider/school/callback?${response}`))
  assert.equal(connections, 0)
  assert.match((await listFailures(app, 'school'))[0]!.found!, /public internet/)
})

// Secrets

test('no secret, code or token of a provider is in the log, the audit log, the failures or a page', async (t) => {
  const { app, liar } = await open(t)
  const shown: string[] = []
  const sent: string[] = [liar.clientSecret]
  const cases: Lies[] = [
    {},
    { claims: (right) => ({ ...right, aud: 'another' }) },
    { tokens: (right) => ({ ...right, id_token: `${right.id_token}x` }) },
  ]
  for (const lies of cases) {
    liar.lies = {
      ...lies,
      tokens: (right) => {
        const told = lies.tokens?.(right) ?? right
        sent.push(String(told.access_token), String(told.id_token), String(told.id_token).split('.')[1]!)
        return told
      },
    }
    const browser = app.visitor()
    const authorizationUrl = new URL(await startAt(browser, 'school'))
    const back = await passThrough(browser, authorizationUrl.href)
    const seen = await browser.send(back.href)
    sent.push(back.searchParams.get('code')!, back.searchParams.get('state')!)
    shown.push(seen.text)
  }
  // A provider may repeat a token in its own words.
  const repeated = await liar.sign({ ...AVERY, aud: 'another' })
  sent.push(repeated)
  liar.lies = {
    response: ({ state, iss }) => ({ state, iss, error: 'server_error', error_description: `No ${repeated}` }),
  }
  shown.push((await signInThrough(app.visitor(), 'school')).text)
  liar.lies = {
    answers: {
      token: (response) =>
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: 'invalid_grant', error_description: repeated })),
    },
  }
  shown.push((await signInThrough(app.visitor(), 'school')).text)
  const audit = JSON.stringify(await app.sql('select * from audit_entries'))
  const failures = JSON.stringify(await app.sql('select * from provider_failures'))
  assert.equal((await listFailures(app, 'school')).length, 4)
  for (const secret of sent)
    for (const [name, text] of Object.entries({ log: app.log(), audit, failures, shown: shown.join() }))
      assert.ok(!text.includes(secret), `${secret} is in the ${name}`)
  const stored = await app.sql(
    `select encode(sealed_id_token, 'hex') as text from provider_browsers
     union all select encode(sealed_secret, 'hex') from providers`,
  )
  assert.equal(stored.length, 2)
  for (const secret of sent)
    for (const { text } of stored)
      assert.ok(!String(text).includes(Buffer.from(secret).toString('hex')), 'stored as it is')
})
