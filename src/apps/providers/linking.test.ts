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

const passwordWorks = async (app: TestApp, handle: string): Promise<boolean> =>
  (await call(app.visitor(), 'POST', '/account/v1/signin', { handle, password: PASSWORD })).status === 200

/** Adds a hostile organisation, whose provider is `evil` and which Avery was made to join. */
async function addEvil(t: TestContext, app: TestApp): Promise<Liar> {
  const evil = await startLiar(t, { sub: 'e-1' })
  await addOrganisation(app, 'evil', { blake: 'owner', avery: 'member' })
  await connectProvider(app, 'evil', evil)
  return evil
}

test('an account that is taken over by its address loses its connections to other organisations', async (t) => {
  const { app } = await open(t)
  await giveAddress(app, 'avery', NEW.email)
  await addEvil(t, app)
  await connectPerson(app, 'evil', 'avery', 'e-1')
  // It cannot keep the person by requiring its provider either.
  await app.sql(
    `update providers v set mode = 'enforced' from organisations o where o.id = v.organisation_id and o.key = 'evil'`,
  )
  assert.equal((await signInThrough(app.visitor(), 'school')).status, 303)
  assert.deepEqual(await listConnected(app, 'school'), ['n-1 @avery'])
  assert.deepEqual(await listConnected(app, 'evil'), [])
  const attacker = app.visitor()
  await assertRefused(attacker, await signInThrough(attacker, 'evil'), 403)
})

test('a new password that removes all passkeys removes the connections too, and any other keeps them', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, {}, mailbox.settings)
  await giveAddress(app, 'avery', NEW.email)
  await addEvil(t, app)
  const change = async (newPassword: string, password: string, removePasskeys?: string) => {
    const browser = await signInBrowser(app, 'avery')
    await app.givePassword('avery')
    return call(browser, 'POST', '/account/v1/password', {
      password,
      newPassword,
      ...(removePasskeys && { removePasskeys }),
    })
  }
  await connectPerson(app, 'evil', 'avery', 'e-1')
  assert.equal((await change('another password', PASSWORD)).status, 200)
  assert.deepEqual(await listConnected(app, 'evil'), ['e-1 @avery'])
  const changed = await change('another password', PASSWORD, 'all')
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await listConnected(app, 'evil'), [])
  await connectPerson(app, 'evil', 'avery', 'e-1')
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'avery' })).status, 200)
  let link: string | undefined
  while (!link?.includes('/reset?')) link = (await mailbox.next()).link
  const code = new URL(link).searchParams.get('code')!
  const what = { code, password: 'a third password', removePasskeys: 'all' }
  const reset = await call(app.visitor(), 'POST', '/account/v1/password/reset', what)
  assert.equal(reset.status, 200, reset.text)
  assert.deepEqual(await listConnected(app, 'evil'), [])
  const removed = (await listActions(app, '@avery')).filter((action) => action === 'connection.removed')
  assert.equal(removed.length, 2)
})

for (const createsAccounts of [true, false])
  test(`an invitation by another organisation neither blocks nor captures who comes, ${createsAccounts ? 'invited here or not' : 'if they are invited here'}`, async (t) => {
    const mailbox = testMailbox(t)
    const { app, liar } = await open(t, { createsAccounts }, mailbox.settings)
    await addEvil(t, app)
    const invite = async (person: 'blake' | 'casey', organisation: string, handle: string, role: string) => {
      const what = { organisation, handle, role, firstName: 'Mallory', lastName: 'X' }
      const invited = await call(await signInBrowser(app, person), 'POST', '/edu/v1/organisation/member', what)
      assert.equal(invited.status, 200, invited.text)
    }
    const second = { ...NEW, sub: 'n-2', email: `kim@${DOMAIN}`, preferred_username: 'kim' }
    await invite('blake', 'evil', NEW.email, 'owner')
    await invite('blake', 'evil', second.email, 'owner')
    await invite('casey', 'school', second.email, 'instructor')
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    if (createsAccounts) {
      const { email, is_confirmed, manager, roles, first_name } = (await findPerson(app, (await findHandle(browser))!))!
      const got = [email, is_confirmed, manager, roles, first_name]
      assert.deepEqual(got, [NEW.email, true, 'school', 'school member', 'Robin'])
    } else await assertRefused(browser, seen, 403)
    liar.person = second
    const other = app.visitor()
    const done = await signInThrough(other, 'school')
    assert.equal(done.status, 303, done.text)
    const { email, manager, roles } = (await findPerson(app, (await findHandle(other))!))!
    assert.deepEqual([email, manager, roles], [second.email, 'school', 'school instructor'])
  })

test('a break-glass account is not taken over by its address, and keeps its password', async (t) => {
  const { app } = await open(t, { breakGlass: ['casey'] })
  await app.givePassword('casey')
  await giveAddress(app, 'casey', NEW.email)
  const browser = app.visitor()
  await assertRefused(browser, await signInThrough(browser, 'school'), 403)
  assert.deepEqual(await listConnected(app, 'school'), [])
  assert.equal(await passwordWorks(app, 'casey'), true)
})

test('connecting an account by hand keeps its password, and ends what else is signed in', async (t) => {
  const { app } = await open(t)
  const elsewhere = await signInBrowser(app, 'avery')
  const client = await app.as('avery')
  const browser = await signInBrowser(app, 'avery')
  const page = await browser.get('/account/provider', { organisation: 'school', connect: 'true' })
  const sent = await browser.submit(page, {}, '/account/provider')
  assert.equal((await browser.send((await passThrough(browser, sent.location!)).href)).status, 303)
  assert.equal(await findHandle(browser), '@avery')
  assert.equal(await findHandle(elsewhere), undefined)
  assert.equal((await client.get('/oauth/token/validate')).status, 403)
  assert.equal(await passwordWorks(app, 'avery'), true)
})

test('the owners cannot tell from a failure whether an address has an account, and whose it is', async (t) => {
  const { app } = await open(t, { createsAccounts: false, breakGlass: ['casey'] })
  const told = new Set<string>()
  const sentences = new Set<string>()
  const tell = async (change: string) => {
    await app.sql(`update people set email = null, email_confirmed_at = null; ${change}`)
    const browser = app.visitor()
    const seen = await signInThrough(browser, 'school')
    await assertRefused(browser, seen, 403)
    const { reference, ...failure } = (await listFailures(app, 'school'))[0]!
    told.add(JSON.stringify(failure))
    sentences.add(seen.text.replaceAll(reference, ''))
  }
  const owned = (handle: string, more = '') =>
    `update people set email = '${NEW.email}', email_confirmed_at = now() ${more} where handle_key = '${handle}'`
  await tell('')
  await tell(owned('blake'))
  await tell(owned('drew', ', disabled_at = now()'))
  await tell(owned('finley', `, date_of_birth = now() - interval '9 years'`))
  await tell(owned('ellis', ', administrator = true'))
  await tell(owned('casey'))
  assert.equal(told.size, 1, [...told].join('\n'))
  assert.ok(sentences.size > 1, 'the person reads what is the matter')
})
