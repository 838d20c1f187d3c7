/**
 * Sign-in with Glewlwyd, an OpenID provider that Debian has (`apt-get install --no-install-recommends glewlwyd
 * dbconfig-no-thanks`). The test configures it from scratch, as its OIDC.md describes.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import * as openid from 'openid-client'
import { REDIRECT_URI, type RegisteredApp, registerApp } from '../src/apps/oauth/testing.ts'
import {
  addOrganisation,
  connectProvider,
  findHandle,
  listConnected,
  listFailures,
  WITH_PROVIDERS,
} from '../src/apps/providers/testing-connected.ts'
import { until } from '../src/kernel/database/test-database.ts'
import { TestBrowser } from '../src/operations/testing/browser.ts'
import { findFreePort } from '../src/operations/testing/ports.ts'
import { isLong } from '../src/operations/testing/sizes.ts'
import { type TestApp, testApp } from '../src/operations/testing/testing.ts'

const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const skip = !isLong
  ? 'it is a long test: npm run test:long'
  : existsSync('/usr/bin/glewlwyd') && existsSync('/usr/bin/sqlite3') && existsSync(TABLES)
    ? false
    : 'Glewlwyd is not installed here: apt-get install --no-install-recommends glewlwyd dbconfig-no-thanks'

const CLIENT = { clientId: 'groundschool', clientSecret: 'the-secret-of-groundschool-at-glewlwyd' }
const PASSWORD = 'a password at glewlwyd'

interface Glewlwyd {
  readonly url: string
  readonly issuer: string
  /** Calls its API, as its own pages do. */
  call(browser: TestBrowser, method: string, path: string, body?: object): Promise<string>
}

/** Writes its configuration into an empty folder, starts it, and adds the plugin for OpenID, a client and a person. */
async function startGlewlwyd(
  t: TestContext,
  { redirectUri, logoutUri, email }: { redirectUri: string; logoutUri: string; email: string },
): Promise<Glewlwyd> {
  const folder = mkdtempSync(join(tmpdir(), 'groundschool-glewlwyd-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const database = join(folder, 'glewlwyd.db')
  const made = spawnSync('/usr/bin/sqlite3', [database], { input: readFileSync(TABLES) })
  assert.equal(made.status, 0, String(made.stderr))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const modules = ['user', 'user_middleware', 'client', 'plugin'].map(
    (name) => `${name}_module_path="/usr/lib/glewlwyd/${name}"`,
  )
  writeFileSync(
    join(folder, 'glewlwyd.conf'),
    `port=${port}
bind_address="127.0.0.1"
external_url="${url}"
login_url="login.html"
api_prefix="api"
static_files_path="/usr/share/glewlwyd/webapp/"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
${modules.join('\n')}
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${database}" };
`,
  )
  const server = spawn('/usr/bin/glewlwyd', ['-c', join(folder, 'glewlwyd.conf')], { stdio: 'ignore' })
  t.after(() => void server.kill('SIGKILL'))
  const admin = new TestBrowser(url)
  await until(
    'Glewlwyd responds',
    async () => (await admin.send('/config').catch(() => ({ status: 0 }))).status === 200,
    10_000,
  )
  const call: Glewlwyd['call'] = async (browser, method, path, body) => {
    const seen = await browser.send(`/api${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.equal(seen.status, 200, `${method} ${path}: ${seen.text}`)
    return seen.text
  }
  await call(admin, 'POST', '/auth/', { username: 'admin', password: 'password' })
  // People have a property that says whether their address is verified, and clients have addresses for signing out.
  for (const [kind, property] of [
    ['user', 'email_verified'],
    ['client', 'post_logout_redirect_uris'],
  ] as const) {
    const module = JSON.parse(await call(admin, 'GET', `/mod/${kind}/database`))
    module.parameters['data-format'][property] = { multiple: kind === 'client', read: true, write: true }
    await call(admin, 'PUT', `/mod/${kind}/database`, module)
    await call(admin, 'PUT', `/mod/${kind}/database/reset`)
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const issuer = `${url}/api/oidc`
  await call(admin, 'POST', '/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    enabled: true,
    parameters: {
      iss: issuer,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      'jwks-private': JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }] }),
      'default-kid': 'one',
      'code-duration': 60,
      'access-token-duration': 600,
      'refresh-token-duration': 600,
      'auth-type-code-enabled': true,
      'pkce-allowed': true,
      'pkce-required': true,
      'jwks-show': true,
      'subject-type': 'public',
      'name-claim': 'mandatory',
      'email-claim': 'mandatory',
      claims: [
        {
          name: 'email_verified',
          'user-property': 'email_verified',
          type: 'boolean',
          'boolean-value-true': 'yes',
          'boolean-value-false': 'no',
          mandatory: true,
        },
      ],
      'session-management-allowed': true,
      'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
      'session-cookie-expiration': 3600,
    },
  })
  await call(admin, 'POST', '/client/', {
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    name: 'Groundschool',
    confidential: true,
    enabled: true,
    redirect_uri: [redirectUri],
    post_logout_redirect_uris: [logoutUri],
    authorization_type: ['code'],
    token_endpoint_auth_method: ['client_secret_basic'],
  })
  await call(admin, 'POST', '/user/', {
    username: 'noor',
    name: 'Noor Haddad',
    email,
    email_verified: 'yes',
    password: PASSWORD,
    scope: ['openid', 'g_profile'],
    enabled: true,
  })
  return { url, issuer, call }
}

/** Does what its login page does with scripts: the password, the consent, and then the request again. */
async function signInAtGlewlwyd({ url, call }: Glewlwyd, person: TestBrowser, address: string): Promise<URL> {
  const login = await person.send(address)
  assert.match(login.location ?? '', new RegExp(`^${url}/login.html`))
  await call(person, 'POST', '/auth/', { username: 'noor', password: PASSWORD })
  await call(person, 'PUT', `/auth/grant/${CLIENT.clientId}`, { scope: 'openid' })
  const { location } = await person.send(`${address}&g_continue`)
  return new URL(location!)
}

/** Does what its page for signing out does with scripts. */
async function signOutAtGlewlwyd({ url, call }: Glewlwyd, person: TestBrowser, address: string): Promise<string> {
  const { location } = await person.send(address)
  assert.match(location ?? '', new RegExp(`^${url}/login.html`))
  const { searchParams } = new URL(location!)
  assert.equal(searchParams.get('prompt'), 'end_session')
  await call(person, 'DELETE', `/oidc/session/${searchParams.get('sid')}`)
  await call(person, 'DELETE', '/auth/')
  return searchParams.get('callback_url')!
}

/**
 * Signs a person in to an app that uses openid-client. `signIn` takes the platform's pages to the provider and back.
 */
async function signInToApp(
  app: TestApp,
  { clientId, secret }: RegisteredApp,
  browser: TestBrowser,
  atProvider: (address: string) => Promise<URL>,
) {
  const config = await openid.discovery(new URL(app.environment().url), clientId, secret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const checks = { expectedNonce: openid.randomNonce(), expectedState: openid.randomState() }
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile',
    nonce: checks.expectedNonce,
    state: checks.expectedState,
  })
  let page = await browser.send(address.href)
  const typed = { handle: 'noor@school.example', password: '', way: 'organisation' }
  const away = await browser.submit(page, typed)
  assert.equal(away.status, 303, away.text)
  const back = await browser.send((await atProvider(away.location!)).href)
  assert.equal(back.status, 303, `${back.text} ${JSON.stringify(await listFailures(app, 'school'))}`)
  page = await browser.send(back.location!)
  if (page.location === undefined) page = await browser.submit(page, { decision: 'allow' })
  const tokens = await openid.authorizationCodeGrant(config, new URL(page.location!), checks)
  return { config, tokens, sub: tokens.claims()!.sub }
}

test('a person signs in to an app through Glewlwyd, has the same userId again, and signs out of everything', {
  skip,
}, async (t) => {
  const app = await testApp(t, WITH_PROVIDERS)
  const { url } = app.environment()
  await addOrganisation(app, 'school', { casey: 'owner' })
  const glewlwyd = await startGlewlwyd(t, {
    redirectUri: `${url}/account/provider/school/callback`,
    logoutUri: `${url}/account/provider/signed-out`,
    email: 'noor@school.example',
  })
  await connectProvider(
    app,
    'school',
    { issuer: glewlwyd.issuer, ...CLIENT },
    { domains: ['school.example'], createsAccounts: true },
  )
  const done = 'https://app.example.org/signed-out'
  const client = await registerApp(app, { key: 'logbook', isPkceRequired: false, postLogoutRedirectUris: [done] })
  const browser = app.visitor()
  const person = new TestBrowser(glewlwyd.url)
  const first = await signInToApp(app, client, browser, (address) => signInAtGlewlwyd(glewlwyd, person, address))
  const handle = await findHandle(browser)
  assert.match(handle ?? '', /^@noor/)
  const [row] = await app.sql(`select email, first_name, last_name from people where handle = '${handle}'`)
  assert.equal(row!.email, 'noor@school.example')
  assert.equal((await listConnected(app, 'school')).length, 1)

  const signOut = openid.buildEndSessionUrl(first.config, {
    id_token_hint: first.tokens.id_token!,
    post_logout_redirect_uri: done,
  })
  const offered = await browser.follow(await browser.send(signOut.href))
  assert.equal(await findHandle(browser), undefined)
  const away = /href="([^"]*end_session[^"]*)"/.exec(offered.text)?.[1]?.replaceAll('&amp;', '&')
  assert.ok(away, offered.text)
  const returned = await browser.send(await signOutAtGlewlwyd(glewlwyd, person, away))
  assert.equal(returned.location, done)

  // The person has to sign in at Glewlwyd again, and is the same person in another browser.
  const again = await signInToApp(app, client, app.visitor(), (address) => signInAtGlewlwyd(glewlwyd, person, address))
  assert.equal(again.sub, first.sub)
  assert.equal((await listConnected(app, 'school')).length, 1)
})
