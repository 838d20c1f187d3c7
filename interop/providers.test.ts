/**
 * The whole road in a browser: an owner connects oidc-provider with the console alone, and people sign in through it to
 * an app that uses openid-client.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { PASSWORD, type RegisteredApp, registerApp } from '../src/apps/oauth/testing.ts'
import { startProvider, type TestProvider } from '../src/apps/providers/testing.ts'
import { addOrganisation, giveAddress, listConnected, WITH_PROVIDERS } from '../src/apps/providers/testing-connected.ts'
import { startDns } from '../src/apps/providers/testing-dns.ts'
import { openReceiver } from '../src/kernel/outbound/testing.ts'
import { checkAccessibility, noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { type TestApp, testApp } from '../src/operations/testing/testing.ts'

const DOMAIN = 'school.example'

/** Keeps the browser from loading fonts for the provider's pages. */
const blockOutside = (page: Page): Promise<unknown> => page.context().route(/^https:\/\//, (route) => route.abort())

/** Signs in on the pages of the provider, and consents if it asks. */
async function signInAtProvider(page: Page, { issuer }: TestProvider, login: string): Promise<void> {
  await page.waitForURL(`${issuer}/**`)
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  const consent = page.getByRole('button', { name: 'Continue' })
  await Promise.race([consent.waitFor(), page.waitForURL((url) => url.origin !== issuer)])
  if (new URL(page.url()).origin === issuer) await consent.click()
}

/** Connects the provider with nothing but the console, as an owner who has just signed in. */
async function connect(page: Page, app: TestApp, provider: TestProvider, prove: (name: string, value: string) => void) {
  const { url } = app.environment()
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  await page.goto(`${url}/account/signin?next=/console/organisations/school/provider`)
  await page.getByLabel(/^Handle/).fill('casey')
  await page.getByLabel('Password').fill(PASSWORD)
  await button('Sign in').click()
  await page.getByRole('heading', { name: 'Sign-in provider', level: 1 }).waitFor()
  await page.getByText(`${url}/account/provider/school/callback`).waitFor()
  await page.getByText(`${url}/account/provider/signed-out`).waitFor()
  await checkAccessibility(page)
  await page.getByLabel('Issuer').fill(provider.issuer)
  await page.getByLabel('Client ID').fill(provider.clientId)
  await page.getByLabel('Client secret').fill(provider.clientSecret)
  await page.getByLabel('Create accounts').check({ force: true })
  await button('Connect').click()
  await page.getByText('Provider connected').waitFor()

  await page.getByLabel('E-mail domain').fill(DOMAIN)
  await button('Add domain').click()
  const domain = page.getByRole('region', { name: DOMAIN })
  await domain.getByText('Not proven yet').waitFor()
  const shown = await domain.innerText()
  prove(/_groundschool\.\S+/.exec(shown)![0], /groundschool-domain=\S+/.exec(shown)![0])
  await domain.getByRole('button', { name: /^Look/ }).click()
  await page.getByText(`${DOMAIN} proven`).waitFor()

  await page.getByRole('link', { name: 'Test with my account' }).click()
  await button(/^(Continue|Sign in|Test)/).click()
  await signInAtProvider(page, provider, 'casey')
  await page.getByRole('heading', { name: 'The sign-in works' }).waitFor()
  await page.getByText('Nobody was signed in, and nothing was connected.').waitFor()
  await checkAccessibility(page)

  await page.goto(`${url}/console/organisations/school/provider`)
  await page.getByText('Last test passed').waitFor()
  await page.getByRole('radio', { name: 'Allowed' }).check({ force: true })
  await page
    .locator('form', { has: page.getByRole('radio') })
    .getByRole('button', { name: 'Save' })
    .click()
  await page.getByText('Sign-in provider: Allowed').waitFor()
}

/** An app with a server of its own. */
interface RegisteredSite extends RegisteredApp {
  readonly redirectUri: string
}

/** Signs a person in to the app, through the sign-in page and the provider. */
async function signInToApp(page: Page, app: TestApp, provider: TestProvider, site: RegisteredSite) {
  const { clientId, secret, redirectUri } = site
  const config = await openid.discovery(new URL(app.environment().url), clientId, secret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const checks = { expectedNonce: openid.randomNonce(), expectedState: openid.randomState() }
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    nonce: checks.expectedNonce,
    state: checks.expectedState,
  })
  await page.goto(address.href)
  await page.getByLabel(/^Handle/).fill(`kim@${DOMAIN}`)
  await page.getByRole('button', { name: 'Sign in with your organisation' }).click()
  await signInAtProvider(page, provider, 'kim')
  const allow = page.getByRole('button', { name: 'Allow' })
  await Promise.race([allow.waitFor(), page.waitForURL(`${redirectUri}*`)])
  if (!page.url().startsWith(redirectUri)) {
    await allow.click()
    await page.waitForURL(`${redirectUri}*`)
  }
  const tokens = await openid.authorizationCodeGrant(config, new URL(page.url()), checks)
  const { sub } = tokens.claims()!
  return { config, tokens, claims: await openid.fetchUserInfo(config, tokens.access_token, sub) }
}

test('an owner connects a provider with the console, and people sign in through it to an app and out of everything', {
  skip: noChromium,
}, async (t) => {
  const dns = await startDns(t)
  const app = await testApp(t, { ...WITH_PROVIDERS, DNS_SERVERS: dns.address })
  const { url } = app.environment()
  const provider = await startProvider(t, {
    redirectUris: [`${url}/account/provider/school/callback`],
    postLogoutRedirectUris: [`${url}/account/provider/signed-out`],
    accounts: {
      casey: { email: `casey@${DOMAIN}`, email_verified: true, name: 'Casey Okafor' },
      kim: { email: `kim@${DOMAIN}`, email_verified: true, given_name: 'Kim', family_name: 'Lee' },
    },
    hasClaimsInIdToken: false,
  })
  await addOrganisation(app, 'school', { casey: 'owner' })
  await giveAddress(app, 'casey', `casey@${DOMAIN}`)
  await app.givePassword('casey')
  const owner = await openChromium(t)
  await blockOutside(owner)
  await connect(owner, app, provider, (name, value) => dns.names.set(name, { TXT: [value] }))
  assert.deepEqual(await listConnected(app, 'school'), [])

  const site = await openReceiver(t, (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('The app'),
  )
  const [redirectUri, done] = [`${site.address}/callback`, `${site.address}/signed-out`]
  const registered = await registerApp(app, {
    key: 'logbook',
    isPkceRequired: false,
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [done],
  })
  const client = { ...registered, redirectUri }
  // Sign-in pages work without scripts.
  const page = await openChromium(t, { javaScriptEnabled: false })
  await blockOutside(page)
  const first = await signInToApp(page, app, provider, client)
  assert.equal(first.claims.name, 'Kim Lee')
  assert.equal(first.claims.email, `kim@${DOMAIN}`)
  assert.deepEqual(await listConnected(app, 'school'), ['kim @kim.lee'])

  const signOut = openid.buildEndSessionUrl(first.config, {
    id_token_hint: first.tokens.id_token!,
    post_logout_redirect_uri: done,
  })
  await page.goto(signOut.href)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('link', { name: 'Sign out of The school too' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${done}*`)

  // The provider asks for the login again, because the person was signed out there too.
  const again = await signInToApp(page, app, provider, client)
  assert.equal(again.claims.sub, first.claims.sub)
  const elsewhere = await openChromium(t)
  await blockOutside(elsewhere)
  assert.equal((await signInToApp(elsewhere, app, provider, client)).claims.sub, first.claims.sub)
  assert.deepEqual(await listConnected(app, 'school'), ['kim @kim.lee'])
})
