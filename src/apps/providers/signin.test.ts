/** Signing in with oidc-provider, a certified provider, from every page that leads there, and signing out again. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Seen, TestBrowser } from '../../operations/testing/browser.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, PASSWORD, signInBrowser } from '../account/testing.ts'
import { REDIRECT_URI, registerApp } from '../oauth/testing.ts'
import { cancelAt, type ProviderAccount, signInAt, signOutAt, startProvider, type TestProvider } from './testing.ts'
import {
  addOrganisation,
  assertRefused,
  connectPerson,
  connectProvider,
  findHandle,
  listConnected,
  listFailures,
  type ProviderSettings,
  startAt,
  WITH_PROVIDERS,
} from './testing-connected.ts'

const DOMAIN = 'school.example'
const KIM = { email: `kim@${DOMAIN}`, email_verified: true, given_name: 'Kim', family_name: 'Lee', groups: ['staff'] }

async function open(
  t: TestContext,
  settings: ProviderSettings & { hasClaimsInIdToken?: boolean; account?: ProviderAccount } = {},
): Promise<{ app: TestApp; provider: TestProvider }> {
  const app = await testApp(t, WITH_PROVIDERS)
  const { url } = app.environment()
  const { hasClaimsInIdToken = true, account = KIM, ...more } = settings
  const provider = await startProvider(t, {
    redirectUris: [`${url}/account/provider/school/callback`],
    postLogoutRedirectUris: [`${url}/account/provider/signed-out`],
    accounts: { kim: account },
    hasClaimsInIdToken,
  })
  await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
  await connectProvider(app, 'school', provider, { domains: [DOMAIN], createsAccounts: true, ...more })
  return { app, provider }
}

const back = async (browser: TestBrowser, location: string): Promise<Seen> =>
  browser.send((await signInAt(browser, location, 'kim')).href)

const signIn = async (browser: TestBrowser, next?: string): Promise<Seen> =>
  back(browser, await startAt(browser, 'school', next))

for (const hasClaimsInIdToken of [true, false])
  test(`a new person signs in, and their claims are found; in the ID token: ${hasClaimsInIdToken}`, async (t) => {
    const settings = { groupsClaim: 'groups', groupRoles: [{ group: 'staff', role: 'instructor' }] }
    const { app, provider } = await open(t, { hasClaimsInIdToken, ...settings })
    const browser = app.visitor()
    const seen = await signIn(browser, '/account/profile')
    assert.deepEqual([seen.status, seen.location], [303, '/account/profile'], seen.text)
    assert.equal(await findHandle(browser), '@kim.lee')
    const [row] = await app.sql(
      `select p.email, p.email_confirmed_at is not null as is_confirmed, m.role
         from people p join organisation_members m on m.person_id = p.id where p.handle_key = 'kim.lee'`,
    )
    assert.deepEqual(row, { email: KIM.email, is_confirmed: true, role: 'instructor' })
    assert.equal(provider.paths.includes('/me'), !hasClaimsInIdToken)
    const { body } = await call(browser, 'GET', '/account/v1/browsers')
    assert.equal(body.length, 1)
  })

test('the sign-in page offers it while an organisation has a provider, and takes the typed address there', async (t) => {
  const { app, provider } = await open(t)
  const browser = app.visitor()
  const page = await browser.get('/account/signin', { next: '/account/profile' })
  assert.match(page.text, /<button class="other" name="way" value="organisation" formnovalidate>/)
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /form-action/)
  const sent = await browser.submit(page, { handle: `someone@${DOMAIN}`, password: '', way: 'organisation' })
  const url = new URL(sent.location!)
  assert.equal(url.origin, provider.issuer)
  assert.equal(url.searchParams.get('login_hint'), `someone@${DOMAIN}`)
  assert.equal(url.searchParams.get('scope'), 'openid email profile')
  assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
  assert.equal((await back(browser, sent.location!)).location, '/account/profile')
  for (const [handle, words] of [
    ['kim', /Type the e-mail address that you have at your organisation/],
    ['@kim', /Type the e-mail address that you have at your organisation/],
    ['', /Type the e-mail address that you have at your organisation/],
    ['kim@elsewhere.example', /No organisation with its own sign-in uses addresses at elsewhere\.example/],
  ] as const) {
    const again = await app.visitor()
    const shown = await again.submit(await again.get('/account/signin'), { handle, password: '', way: 'organisation' })
    assert.equal(shown.status, 400)
    assert.match(shown.text, words)
  }
  await app.sql(`update providers set mode = 'off'`)
  const without = await app.visitor().get('/account/signin')
  assert.doesNotMatch(without.text, /value="organisation"/)
  assert.match(without.headers.get('content-security-policy') ?? '', /form-action 'self'/)
})

for (const path of ['/oauth/signin', '/oauth/v2/signin'])
  test(`the request of an app continues after the provider, also with prompt=login: ${path}`, async (t) => {
    const { app } = await open(t)
    const { clientId } = await registerApp(app, { key: 'logbook', name: 'Logbook', isPkceRequired: false })
    const browser = app.visitor()
    // The state has characters that clients and servers encode differently.
    const request = `response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&state=a+b%2Fc&prompt=login&scope=openid&nonce=n`
    const sent = await browser.submit(await browser.send(`${path}?${request}`), {
      handle: KIM.email,
      way: 'organisation',
    })
    assert.equal(new URL(sent.location!).searchParams.get('prompt'), path.includes('v2') ? 'login' : null)
    const seen = await back(browser, sent.location!)
    const consent = await browser.follow(seen)
    assert.match(consent.text, /Allow <bdi>Logbook<\/bdi>\?/)
    const done = await browser.submit(consent, { decision: 'allow' })
    assert.match(done.location!, /^https:\/\/app\.example\.org\/callback\?code=gs_ac_[\w-]+&state=a\+b%2Fc/)
  })

test('the response of an app is the same: the same userId with the provider as with the password', async (t) => {
  const { app } = await open(t)
  await connectPerson(app, 'school', 'avery', 'kim')
  const { clientId } = await registerApp(app, { key: 'logbook', isPkceRequired: false })
  const allow = async (browser: TestBrowser) => {
    const page = await browser.get('/oauth/signin', {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
    })
    if (page.location === undefined) await browser.submit(page, { decision: 'allow' })
    const rows = await app.sql(
      `select u.user_id from app_users u join apps a on a.id = u.app_id where a.client_id = '${clientId}'`,
    )
    return rows.map((row) => row.user_id)
  }
  const first = await allow(await signInBrowser(app, 'avery'))
  const browser = app.visitor()
  await signIn(browser)
  assert.equal(await findHandle(browser), '@avery')
  assert.deepEqual(await allow(browser), first)
  assert.equal(first.length, 1)
})

test('who cancels is told so, and can sign in another way; the owners are not bothered', async (t) => {
  const { app } = await open(t)
  const browser = app.visitor()
  const end = await cancelAt(browser, await startAt(browser, 'school', '/account/profile'))
  const seen = await browser.send(end.href)
  await assertRefused(browser, seen, 400)
  assert.match(seen.text, /You cancelled/)
  assert.match(seen.text, /\/account\/signin\?next=%2Faccount%2Fprofile/)
  assert.deepEqual(await listFailures(app, 'school'), [])
})

test('a test says what would happen and changes nothing; it passes for an account that would be refused, too', async (t) => {
  const { app } = await open(t, { mode: 'off' })
  await app.sql('update providers set tested_version = null, tested_at = null')
  const stranger = await signInBrowser(app, 'blake')
  assert.equal((await stranger.get('/account/provider/test', { organisation: 'school' })).status, 403)
  const browser = await signInBrowser(app, 'casey')
  const run = async () => {
    const page = await browser.get('/account/provider/test', { organisation: 'school' })
    const sent = await browser.submit(page, {}, '/account/provider/test')
    assert.equal(new URL(sent.location!).searchParams.get('prompt'), 'login')
    assert.equal(new URL(sent.location!).searchParams.get('max_age'), '0')
    return back(browser, sent.location!)
  }
  const tested = async () => (await app.sql('select tested_version from providers'))[0]!.tested_version
  await app.sql('update providers set creates_accounts = false')
  const refused = await run()
  assert.match(refused.text, /The sign-in works.*would not be signed in yet.*does not create accounts for new people/s)
  assert.equal(await tested(), 1)
  await app.sql('update providers set creates_accounts = true, tested_version = null')
  const seen = await run()
  assert.equal(seen.status, 200, seen.text)
  assert.match(seen.text, /A new account would be created, with the address kim@school\.example\./)
  assert.equal(await tested(), 1)
  assert.equal(await findHandle(browser), '@casey')
  assert.deepEqual(await listConnected(app, 'school'), [])
  assert.deepEqual(await app.sql(`select 1 from people where handle_key like 'kim%'`), [])
})

test('a person connects their account on the page for it, after a recent sign-in, and disconnects it', async (t) => {
  const { app } = await open(t)
  const browser = await signInBrowser(app, 'avery')
  const path = '/account/provider?organisation=school&connect=true&next=%2Faccount%2Fsecurity'
  const list = async () => (await call(browser, 'GET', '/account/v1/connections')).body
  const own = { organisation: 'school', name: 'The school', mode: 'allowed', isRequired: false }
  const [before] = await list()
  assert.deepEqual({ ...before, issuer: '' }, { ...own, issuer: '', linkedDate: null, lastUsedDate: null })
  app.advance(11 * 60_000)
  const late = await browser.get(path)
  assert.match(late.location!, /^\/account\/signin\?again=true&next=/)
  const again = await browser.submit(await browser.send(late.location!), { handle: 'avery', password: PASSWORD })
  const page = await browser.follow(again)
  assert.match(page.text, /Connect your account to/)
  const sent = await browser.submit(page, {}, '/account/provider')
  const seen = await back(browser, sent.location!)
  assert.deepEqual([seen.status, seen.location], [303, '/account/security'], seen.text)
  assert.equal(await findHandle(browser), '@avery')
  assert.deepEqual(await listConnected(app, 'school'), ['kim @avery'])
  assert.notEqual((await list())[0].linkedDate, null)
  const remove = () => call(browser, 'POST', '/account/v1/connection/remove', { organisation: 'school' })
  await app.sql(`update providers set mode = 'enforced'`)
  assert.equal((await remove()).status, 400)
  await app.sql(`update providers set mode = 'allowed'`)
  await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
  assert.equal((await remove()).status, 400)
  await app.givePassword('avery')
  assert.equal((await remove()).status, 200)
  assert.equal((await remove()).status, 404)
  assert.deepEqual(await listConnected(app, 'school'), [])
})

test('who signs out is offered to sign out of the organisation too, and only who came from there', async (t) => {
  const { app } = await open(t)
  const browser = app.visitor()
  await signIn(browser)
  const { body } = await call(browser, 'POST', '/account/v1/signout', {})
  assert.match(body.next, /^\/account\/provider\/signed-out\?offer=/)
  assert.equal(await findHandle(browser), undefined)
  const page = await browser.get(body.next)
  const [, address = ''] = /<a href="([^"]+)">Sign out of <bdi>The school<\/bdi> too/.exec(page.text) ?? []
  const end = await signOutAt(browser, address.replaceAll('&amp;', '&'))
  assert.equal(end.pathname, '/account/provider/signed-out')
  assert.match((await browser.send(end.href)).text, /You can close this page/)
  const other = await signInBrowser(app, 'avery')
  assert.deepEqual((await call(other, 'POST', '/account/v1/signout', {})).body, { success: true })
})

test('an app that signs a person out gets them back, also after the provider', async (t) => {
  const { app } = await open(t)
  const done = 'https://app.example.org/signed-out'
  const { clientId } = await registerApp(app, { key: 'logbook', isPkceRequired: false, postLogoutRedirectUris: [done] })
  const browser = app.visitor()
  await signIn(browser)
  const asked = await browser.get('/oauth/v2/logout', {
    client_id: clientId,
    post_logout_redirect_uri: done,
    state: 'x',
  })
  const seen = await browser.submit(asked, { decision: 'sign-out' })
  const page = await browser.follow(seen)
  assert.equal(await findHandle(browser), undefined)
  assert.ok(page.text.includes(`<a href="${done}?state=x">Go back to the app</a>`), page.text)
  const [, address = ''] = /<a href="([^"]+)">Sign out of/.exec(page.text) ?? []
  const end = await signOutAt(browser, address.replaceAll('&amp;', '&'))
  assert.equal((await browser.send(end.href)).location, `${done}?state=x`)
  // Nobody else can make such an address.
  for (const state of ['x', 'https://evil.example', end.searchParams.get('state')!.replace(/^.{4}/, 'AAAA')])
    assert.equal((await browser.get('/account/provider/signed-out', { state })).location, undefined)
})

test('what was started in one process is finished in any other, once', async (t) => {
  const { app } = await open(t)
  const second = await app.startSecond({ BASE_URL: app.environment().url })
  const browser = app.visitor()
  const location = await startAt(browser, 'school')
  const [row] = await app.sql(`select encode(state_hash, 'hex') as hash from provider_sign_ins`)
  assert.ok(!location.includes(String(row!.hash)), 'the database does not have the state itself')
  const end = await signInAt(browser, location, 'kim')
  const urls = [app.address, second.addresses.production].map((address) => new URL(end.pathname + end.search, address))
  const seen = await Promise.all([...urls, ...urls].map((url) => browser.send(url.href)))
  assert.deepEqual(seen.map(({ status }) => status).sort(), [303, 400, 400, 400])
  const other = app.visitor()
  const back2 = await signInAt(other, await startAt(other, 'school'), 'kim')
  const elsewhere = await other.send(new URL(back2.pathname + back2.search, second.addresses.production).href)
  assert.equal(elsewhere.status, 303, elsewhere.text)
  assert.equal(await findHandle(other), '@kim.lee')
  assert.deepEqual(await app.sql('select 1 from provider_sign_ins'), [])
})

test('a person who is signed in is asked at the provider again, to show who they are', async (t) => {
  const { app } = await open(t)
  const browser = app.visitor()
  assert.equal(new URL(await startAt(browser, 'school')).searchParams.get('prompt'), null)
  await signIn(browser, '/account/profile')
  const page = await browser.get('/account/signin', { again: 'true', next: '/account/security' })
  const path = /<a href="([^"]+)">Sign in with <bdi>The school<\/bdi>/.exec(page.text)?.[1]
  const form = await browser.send(path!.replaceAll('&amp;', '&'))
  const sent = await browser.submit(form, {}, '/account/provider')
  assert.equal(new URL(sent.location!).searchParams.get('prompt'), 'login')
  assert.equal((await back(browser, sent.location!)).location, '/account/security')
  const { body } = await call(browser, 'GET', '/account/v1/browsers')
  assert.equal(body.length, 1, 'it is the same sign-in')
})
