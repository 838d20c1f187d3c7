/** Tests which ways in an enforced provider closes, for whom, and which stay open. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { formsOf, type TestBrowser } from '../../operations/testing/browser.ts'
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
  type ProviderSettings,
  WITH_PROVIDERS,
} from './testing-connected.ts'
import { type Liar, passThrough, startLiar } from './testing-liar.ts'

const DOMAIN = 'school.example'
const ADDRESS = `avery@${DOMAIN}`

async function open(
  t: TestContext,
  settings: ProviderSettings = {},
  config: Record<string, string> = {},
): Promise<{ app: TestApp; liar: Liar }> {
  const app = await testApp(t, { ...WITH_PROVIDERS, ...config })
  const liar = await startLiar(t, { sub: 'a-1' })
  await addOrganisation(app, 'school', { casey: 'owner', avery: 'member', drew: 'member' })
  await giveAddress(app, 'avery', ADDRESS)
  await connectProvider(app, 'school', liar, {
    domains: [DOMAIN],
    mode: 'enforced',
    breakGlass: ['casey'],
    ...settings,
  })
  for (const person of ['avery', 'casey', 'drew'] as const) await app.givePassword(person)
  return { app, liar }
}

const typePassword = async (browser: TestBrowser, handle: string, more: Record<string, string> = {}) =>
  browser.submit(await browser.get('/account/signin', more), { handle, password: PASSWORD })

/** Continues from a page with the button of the provider until the platform has the response. */
async function continueFrom(browser: TestBrowser, path: string) {
  const page = await browser.get(path)
  const sent = await browser.submit(page, {}, '/account/provider')
  assert.equal(sent.status, 303, sent.text)
  return browser.send((await passThrough(browser, sent.location!)).href)
}

test('the right password leads to the provider, connects the account there, and continues where the person wanted to go', async (t) => {
  const { app } = await open(t, { createsAccounts: true })
  const browser = app.visitor()
  const seen = await typePassword(browser, 'avery', { next: '/account/profile' })
  assert.match(seen.location!, /^\/account\/provider\?organisation=school&/)
  assert.equal(await findHandle(browser), undefined)
  const done = await continueFrom(browser, seen.location!)
  assert.deepEqual([done.status, done.location], [303, '/account/profile'])
  assert.equal(await findHandle(browser), '@avery')
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @avery'])
  // From now on the provider is enough, and the password still is not.
  const again = app.visitor()
  assert.equal((await continueFrom(again, '/account/provider?organisation=school')).status, 303)
  assert.equal(await findHandle(again), '@avery')
  const [row] = await app.sql(`select password_hash is not null as has from people where handle_key = 'avery'`)
  assert.equal(row!.has, true, 'the password that was just used is kept')
})

test('the proof in the address is of use in that browser, for ten minutes, until the password changes', async (t) => {
  const { app } = await open(t, { createsAccounts: true })
  const browser = app.visitor()
  const { location } = await typePassword(browser, 'avery')
  const thief = app.visitor()
  await thief.get('/account/signin')
  const elsewhere = await thief.get(location!)
  assert.deepEqual([elsewhere.status, elsewhere.location], [303, '/account/signin'])
  const page = await browser.get(location!)
  const [form] = formsOf(page.text)
  await app.sql(`update people set epoch = epoch + 1 where handle_key = 'avery'`)
  const sent = await browser.post(form!.action, form!.hidden)
  const back = await passThrough(browser, sent.location!)
  await assertRefused(browser, await browser.send(back.href))
  app.advance(11 * 60_000)
  assert.equal((await browser.get(location!)).location, '/account/signin')
  assert.deepEqual(await listConnected(app, 'school'), [])
})

test('an account is not connected to a subject of somebody else, nor a second time', async (t) => {
  const { app, liar } = await open(t)
  await connectPerson(app, 'school', 'drew', 'a-1')
  const browser = app.visitor()
  const { location } = await typePassword(browser, 'avery')
  await assertRefused(browser, await continueFrom(browser, location!), 403)
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @drew'])
  liar.person = { sub: 'a-2' }
  const other = app.visitor()
  const drew = await typePassword(other, 'drew')
  await assertRefused(other, await continueFrom(other, drew.location!), 403)
  assert.deepEqual(await listConnected(app, 'school'), ['a-1 @drew'])
})

test('an address of an enforced domain leads to the provider whatever the password, which is not looked at', async (t) => {
  const { app, liar } = await open(t)
  for (const handle of [ADDRESS, `nobody@${DOMAIN}`, `X@${DOMAIN.toUpperCase()}`]) {
    const browser = app.visitor()
    const seen = await browser.submit(await browser.get('/account/signin'), { handle, password: 'wrong' })
    assert.ok(seen.location?.startsWith(liar.issuer), seen.text)
    assert.equal(new URL(seen.location!).searchParams.get('login_hint'), handle)
  }
  assert.deepEqual(await app.sql('select 1 from sign_in_failures'), [])
})

test('break-glass accounts and guests sign in as before', async (t) => {
  const { app } = await open(t)
  for (const handle of ['casey', 'drew']) {
    const browser = app.visitor()
    assert.equal((await typePassword(browser, handle)).location, '/account')
    assert.equal(await findHandle(browser), `@${handle}`)
  }
})

test('enforcing ends no session, and the password of a person who is signed in cannot be changed', async (t) => {
  const { app } = await open(t, { mode: 'allowed' })
  const browser = await signInBrowser(app, 'avery')
  await app.sql(`update providers set mode = 'enforced'`)
  assert.equal(await findHandle(browser), '@avery')
  const what = { password: PASSWORD, newPassword: 'another password' }
  const changed = await call(browser, 'POST', '/account/v1/password', what)
  assert.equal(changed.status, 403, changed.text)
  assert.equal(await findHandle(browser), '@avery')
})

test('a reset link sets no password, and stays valid for the time after', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, {}, mailbox.settings)
  assert.equal((await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'avery' })).status, 200)
  const code = new URL((await mailbox.next()).link!).searchParams.get('code')!
  const browser = app.visitor()
  const page = await browser.get('/account/reset', { code })
  const again = 'a new password'
  const seen = await browser.submit(page, { new_password: again, again })
  assert.match(seen.location!, /^\/account\/provider\?organisation=school&proof=/)
  await app.sql(`update providers set mode = 'allowed'`)
  const reset = await call(app.visitor(), 'POST', '/account/v1/password/reset', { code, password: again })
  assert.equal(reset.status, 200, reset.text)
})

test('the link of an invitation to an organisation that enforces its provider leads there, and the person joins on the way', async (t) => {
  const mailbox = testMailbox(t)
  const { app } = await open(t, {}, mailbox.settings)
  const owner = await signInBrowser(app, 'casey')
  const what = { organisation: 'school', handle: 'robin@elsewhere.example', role: 'instructor', firstName: 'Robin' }
  assert.equal((await call(owner, 'POST', '/edu/v1/organisation/member', what)).status, 200)
  const { link } = await mailbox.next()
  const browser = app.visitor()
  const page = await browser.send(`${new URL(link!).pathname}${new URL(link!).search}`)
  const seen = await browser.submit(page, { new_password: 'a new password', again: 'a new password' })
  assert.match(seen.location ?? seen.text, /^\/account\/provider\?organisation=school&proof=/)
  assert.deepEqual(await app.sql(`select 1 from people where first_name = 'Robin' and password_hash is not null`), [])
  const done = await continueFrom(browser, seen.location!)
  assert.equal(done.status, 303, done.text)
  const handle = await findHandle(browser)
  assert.deepEqual(await listConnected(app, 'school'), [`a-1 ${handle}`])
  const rows = await app.sql(
    `select m.role from organisation_members m join people p on p.id = m.person_id where p.handle = '${handle}'`,
  )
  assert.deepEqual(rows, [{ role: 'instructor' }])
})

test('race: while the provider is enforced, a password signs in completely or not at all', async (t) => {
  const { app } = await open(t, { mode: 'allowed' })
  const browsers = Array.from({ length: 8 }, () => app.visitor())
  const pages = await Promise.all(browsers.map((browser) => browser.get('/account/signin')))
  const [seen] = await Promise.all([
    Promise.all(browsers.map((browser, i) => browser.submit(pages[i]!, { handle: 'avery', password: PASSWORD }))),
    app.sql(`update providers set mode = 'enforced'`),
  ])
  for (const [i, { location }] of seen.entries())
    assert.equal(await findHandle(browsers[i]!), location === '/account' ? '@avery' : undefined)
  const late = app.visitor()
  assert.match((await typePassword(late, 'avery')).location!, /^\/account\/provider/)
})

test("another organisation's provider does not sign in the people of an enforced one, nor is it connected", async (t) => {
  const { app } = await open(t)
  const evil = await startLiar(t, { sub: 'e-1' })
  await addOrganisation(app, 'evil', { blake: 'owner', avery: 'member', drew: 'member' })
  await connectProvider(app, 'evil', evil, { mode: 'allowed' })
  await connectPerson(app, 'evil', 'avery', 'e-1')
  const browser = app.visitor()
  const seen = await continueFrom(browser, '/account/provider?organisation=evil')
  await assertRefused(browser, seen, 403)
  assert.match(seen.text, /The school requires its people to sign in at/)
  assert.match(seen.text, /\/account\/provider\?organisation=school"/)
  assert.doesNotMatch(seen.text, /proof=/)
  // Both enforce their provider now: each of the two is enough, and the password is not.
  await app.sql(`update providers set mode = 'enforced'`)
  await connectPerson(app, 'school', 'avery', 'a-1')
  for (const organisation of ['evil', 'school']) {
    const other = app.visitor()
    const done = await continueFrom(other, `/account/provider?organisation=${organisation}`)
    assert.equal(done.status, 303, done.text)
    assert.equal(await findHandle(other), '@avery')
  }
  assert.match((await typePassword(app.visitor(), 'avery')).location!, /^\/account\/provider/)
})

test('a person whose organisation requires its provider cannot change their address, and can add one', async (t) => {
  const { app } = await open(t, { mode: 'allowed' })
  const browser = await signInBrowser(app, 'avery')
  await app.sql(`update providers set mode = 'enforced'`)
  const change = (email: string) => call(browser, 'POST', '/account/v1/email', { email, password: PASSWORD })
  const seen = await change('avery@elsewhere.example')
  assert.equal(seen.status, 403, seen.text)
  assert.match(seen.text, /The school decides how you sign in/)
  await connectPerson(app, 'school', 'avery', 'a-1')
  await giveAddress(app, 'avery', null)
  assert.equal((await change(ADDRESS)).status, 200)
  assert.equal((await change('avery@elsewhere.example')).status, 403)
  await app.sql(`update providers set mode = 'allowed'`)
  assert.equal((await change('avery@elsewhere.example')).status, 200)
})
