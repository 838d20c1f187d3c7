/** Which account a person gets who signs in with the provider of their organisation. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, PASSWORD, signInBrowser } from '../account/testing.ts'
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
import { type Liar, passThrough, startLiar } from './testing-liar.ts'

const DOMAIN = 'school.example'
const NEW = {
  sub: 'n-1',
  email: `robin@${DOMAIN}`,
  email_verified: true,
  given_name: 'Robin',
  family_name: 'Adeyemi',
  preferred_username: `R.Adeyemi@${DOMAIN}`,
}

async function open(
  t: TestContext,
  settings: ProviderSettings = {},
  config: Record<string, string> = {},
): Promise<{ app: TestApp; liar: Liar }> {
  const app = await testApp(t, { ...WITH_PROVIDERS, ...config })
  const liar = await startLiar(t, NEW)
  await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
  await connectProvider(app, 'school', liar, { domains: [DOMAIN], createsAccounts: true, ...settings })
  return { app, liar }
}

const findPerson = async (app: TestApp, handle: string) =>
  (
    await app.sql(
      `select p.first_name, p.last_name, p.email, p.email_confirmed_at is not null as is_confirmed, p.unclaimed,
              p.password_hash is not null as has_password, o.key as manager,
              (select string_agg(k.key || ' ' || m.role, ',' order by k.key) from organisation_members m
                 join organisations k on k.id = m.organisation_id where m.person_id = p.id) as roles
         from people p left join organisations o on o.id = p.managed_by where p.handle = '${handle}'`,
    )
  )[0]

const listActions = async (app: TestApp, handle: string): Promise<string[]> =>
  (
    await app.sql(
      `select a.action from audit_entries a join people p on p.id = a.person_id where p.handle = '${handle}' order by a.id`,
    )
  ).map(({ action }) => String(action))

test('a new person gets an account with their names, address and user name, which the organisation manages', async (t) => {
  const { app } = await open(t)
  const browser = app.visitor()
  const seen = await signInThrough(browser, 'school')
  assert.deepEqual([seen.status, seen.location], [303, '/account'])
  assert.equal(await findHandle(browser), '@r.adeyemi')
  assert.deepEqual(await findPerson(app, '@r.adeyemi'), {
    first_name: 'Robin',
    last_name: 'Adeyemi',
    email: NEW.email,
    is_confirmed: true,
    unclaimed: false,
    has_password: false,
    manager: 'school',
    roles: 'school member',
  })
  assert.deepEqual(await listActions(app, '@r.adeyemi'), [
    'person.added',
    'email.confirmed',
    'member.set',
    'connection.added',
    'sign-in.provider',
  ])
  const again = app.visitor()
  assert.equal((await signInThrough(again, 'school')).status, 303)
  assert.equal(await findHandle(again), '@r.adeyemi')
})

test('names that cannot be stored never stop a sign-in', async (t) => {
  const { app, liar } = await open(t)
  const odd = [
    '\u202eevil',
    'x'.repeat(5000),
    '\u0000\u0007',
    17,
    null,
    ['a'],
    '\u200b',
    '\ud800',
    `Z${'\u0301'.repeat(50)}`,
    '🦊'.repeat(99),
  ]
  for (const [i, name] of odd.entries()) {
    liar.person = { sub: `odd-${i}`, given_name: name, family_name: name, name, preferred_username: name }
    const browser = app.visitor()
    assert.equal((await signInThrough(browser, 'school')).status, 303, JSON.stringify(name))
    assert.match((await findHandle(browser)) ?? '', /^@[a-z0-9]/)
  }
})

test('without createsAccounts nobody new gets in, and the owners read why', async (t) => {
  const { app, liar } = await open(t, { createsAccounts: false })
  await assertRefused(app.visitor(), await signInThrough(app.visitor(), 'school'), 403)
  liar.person = { ...NEW, email_verified: 'true' }
  const browser = app.visitor()
  const seen = await signInThrough(browser, 'school')
  await assertRefused(browser, seen, 403)
  const [failure] = await listFailures(app, 'school')
  assert.deepEqual([failure!.claim, failure!.found, failure!.expected], ['email_verified', 'true', 'true'])
  assert.ok(seen.text.includes(failure!.reference))
})

test('without a good address a new account has no address, and an account of that address stays as it is', async (t) => {
  const { app, liar } = await open(t)
  await giveAddress(app, 'avery', NEW.email)
  liar.person = { ...NEW, email_verified: false }
  const browser = app.visitor()
  assert.equal((await signInThrough(browser, 'school')).status, 303)
  assert.equal(await findHandle(browser), '@r.adeyemi')
  assert.equal((await findPerson(app, '@r.adeyemi'))!.email, null)
  assert.deepEqual(await listConnected(app, 'school'), ['n-1 @r.adeyemi'])
})

test('the member of an address is connected, told by e-mail, and signed in afterwards without the address', async (t) => {
  const mailbox = testMailbox(t)
  const { app, liar } = await open(t, {}, mailbox.settings)
  await giveAddress(app, 'avery', NEW.email)
  const before = await signInBrowser(app, 'avery')
  const browser = app.visitor()
  assert.equal((await signInThrough(browser, 'school')).status, 303)
  assert.equal(await findHandle(browser), '@avery')
  assert.equal(await findHandle(before), undefined)
  const letter = await mailbox.next()
  assert.match(letter.text, /connected to the sign-in of The school/)
  liar.person = { sub: NEW.sub }
  const again = app.visitor()
  assert.equal((await signInThrough(again, 'school')).status, 303)
  assert.equal(await findHandle(again), '@avery')
  assert.equal(await findHandle(browser), '@avery', 'only the first sign-in ends others')
})

test('an account that waits for its person is claimed with the role of the invitation', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, { createsAccounts: false }, mailbox.settings)
  const owner = await signInBrowser(app, 'casey')
  const what = { organisation: 'school', handle: NEW.email, role: 'developer', firstName: 'Robin', lastName: 'A' }
  const invited = await call(owner, 'POST', '/edu/v1/organisation/member', what)
  assert.equal(invited.status, 200, invited.text)
  const { link } = await mailbox.next()
  const browser = app.visitor()
  const seen = await signInThrough(browser, 'school')
  assert.equal(seen.status, 303, seen.text)
  const handle = (await findHandle(browser))!
  const { unclaimed, is_confirmed, roles, manager } = (await findPerson(app, handle))!
  assert.deepEqual([unclaimed, is_confirmed, roles, manager], [false, true, 'school developer', 'school'])
  const code = new URL(link!).searchParams.get('code')!
  const late = await call(app.visitor(), 'POST', '/account/v1/password/reset', { code, password: PASSWORD })
  assert.notEqual(late.status, 200)
})

for (const [whom, change] of [
  ['a child', `date_of_birth = now() - interval '9 years'`],
  ['an administrator of the platform', 'administrator = true'],
])
  test(`${whom} is not connected by their address`, async (t) => {
    const { app } = await open(t)
    await giveAddress(app, 'avery', NEW.email)
    await app.sql(`update people set ${change} where handle_key = 'avery'`)
    const browser = app.visitor()
    await assertRefused(browser, await signInThrough(browser, 'school'), 403)
    assert.deepEqual(await listConnected(app, 'school'), [])
  })

test('an issuer that the organisation used before does not keep its people from the new one', async (t) => {
  const { app } = await open(t)
  await giveAddress(app, 'avery', NEW.email)
  await connectPerson(app, 'school', 'avery', 'old')
  await app.sql(`update provider_identities set issuer = 'https://before.example'`)
  const browser = app.visitor()
  assert.equal((await signInThrough(browser, 'school')).status, 303)
  assert.deepEqual(await listConnected(app, 'school'), ['n-1 @avery'])
})

test('the groups of a new person give the role', async (t) => {
  const groupRoles = [
    { group: 'teachers', role: 'instructor' },
    { group: 'everybody', role: 'developer' },
  ]
  const { app, liar } = await open(t, { groupsClaim: 'groups', groupRoles })
  liar.person = { ...NEW, groups: ['everybody', 'teachers'] }
  assert.equal((await signInThrough(app.visitor(), 'school')).status, 303)
  assert.equal((await findPerson(app, '@r.adeyemi'))!.roles, 'school instructor')
  liar.person = { ...NEW }
  assert.equal((await signInThrough(app.visitor(), 'school')).status, 303)
  assert.equal((await findPerson(app, '@r.adeyemi'))!.roles, 'school member')
})

test('race: the same new person twice at once gets one account', async (t) => {
  const { app } = await open(t)
  const browsers = Array.from({ length: 6 }, () => app.visitor())
  const back: string[] = []
  for (const browser of browsers) back.push((await passThrough(browser, await startAt(browser, 'school'))).href)
  const seen = await Promise.all(browsers.map((browser, i) => browser.send(back[i]!)))
  assert.deepEqual(new Set(seen.map(({ status }) => status)), new Set([303]))
  for (const browser of browsers) assert.equal(await findHandle(browser), '@r.adeyemi')
  assert.deepEqual(await listConnected(app, 'school'), ['n-1 @r.adeyemi'])
})

test('race: two people with the same name at once get two accounts', async (t) => {
  const { app, liar } = await open(t)
  const browsers = Array.from({ length: 4 }, () => app.visitor())
  const back: string[] = []
  for (const [i, browser] of browsers.entries()) {
    liar.person = { sub: `twin-${i}`, given_name: 'Robin', family_name: 'Adeyemi' }
    back.push((await passThrough(browser, await startAt(browser, 'school'))).href)
  }
  const seen = await Promise.all(browsers.map((browser, i) => browser.send(back[i]!)))
  assert.deepEqual(
    seen.map(({ status }) => status),
    [303, 303, 303, 303],
  )
  assert.equal((await listConnected(app, 'school')).length, 4)
})

test('race: connecting the account of an address and disconnecting it leaves one or the other', async (t) => {
  const { app } = await open(t)
  await giveAddress(app, 'avery', NEW.email)
  const own = await signInBrowser(app, 'avery')
  await connectPerson(app, 'school', 'avery', NEW.sub)
  for (let i = 0; i < 5; i++) {
    const browser = app.visitor()
    const back = await passThrough(browser, await startAt(browser, 'school'))
    const remove = () => call(own, 'POST', '/account/v1/connection/remove', { organisation: 'school' })
    const [seen, removed] = await Promise.all([browser.send(back.href), remove()])
    assert.equal(seen.status, 303, seen.text)
    // Disconnected first: the address connects it again, which signs everybody else out.
    const isConnected = (await listConnected(app, 'school')).length > 0
    if (removed.status === 200) {
      if (isConnected) assert.equal(await findHandle(own), undefined)
      return
    }
    assert.ok(isConnected)
  }
})

test('an account is connected only after a recent sign-in at the provider, if that says when it was', async (t) => {
  const { app, liar } = await open(t)
  const browser = await signInBrowser(app, 'avery')
  const connectAfter = async (authTime: number | undefined) => {
    liar.lies = { claims: (right) => ({ ...right, auth_time: authTime }) }
    const page = await browser.get('/account/provider', { organisation: 'school', connect: 'true' })
    const sent = await browser.submit(page, {}, '/account/provider')
    return browser.send((await passThrough(browser, sent.location!)).href)
  }
  const now = Math.floor(Date.now() / 1000)
  assert.equal((await connectAfter(now - 3600)).status, 400)
  assert.equal((await listFailures(app, 'school'))[0]!.claim, 'auth_time')
  assert.deepEqual(await listConnected(app, 'school'), [])
  // Some providers send 0 instead of nothing.
  for (const authTime of [now, 0, undefined]) {
    await app.sql('delete from provider_identities')
    assert.equal((await connectAfter(authTime)).status, 303)
    assert.deepEqual(await listConnected(app, 'school'), ['n-1 @avery'])
  }
})
