/** Tests with Debian's Apache and mod_auth_openidc, which protect web applications that know nothing of OpenID. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertTokenDies, type RegisteredApp, registerApp } from '../src/apps/oauth/testing.ts'
import { fillIn } from '../src/apps/oauth/testing-pages.ts'
import { userInfo } from '../src/apps/openid/testing.ts'
import { until } from '../src/kernel/database/test-database.ts'
import { noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { findFreePort } from '../src/operations/testing/ports.ts'
import { isLong } from '../src/operations/testing/sizes.ts'
import { type TestApp, testApp } from '../src/operations/testing/testing.ts'

const APACHE = '/usr/sbin/apache2'
const MODULES = '/usr/lib/apache2/modules'
const isInstalled = existsSync(APACHE) && existsSync(`${MODULES}/mod_auth_openidc.so`)
const skip = !isLong
  ? 'npm run test:long runs it'
  : !isInstalled
    ? "Debian's apache2 and libapache2-mod-auth-openidc are not installed"
    : noChromium

/**
 * A site of Apache: a registered app, on a port of its own. To a browser, the platform at `localhost` is another site.
 */
interface Site {
  readonly name: string
  readonly port: number
  readonly address: string
  readonly client: RegisteredApp
  readonly scope: string
}

/** Starts a web application that shows the headers in which Apache tells it who the user is. */
async function startApplication(t: TestContext): Promise<number> {
  const server = createServer(({ headers }, response) => {
    const told = Object.entries(headers).filter(([name]) => name.startsWith('oidc_'))
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<pre>${JSON.stringify(Object.fromEntries(told))}</pre>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function registerSite(app: TestApp, name: string, scope: string): Promise<Site> {
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const client = await registerApp(app, {
    key: name,
    redirectUris: [`${address}/inside/oidc`],
    postLogoutRedirectUris: [`${address}/goodbye`],
    backchannelLogoutUri: `${address}/inside/oidc?logout=backchannel`,
  })
  return { name, port, address, client, scope }
}

const describeSite = (app: TestApp, applicationPort: number, { name, port, address, client, scope }: Site): string => `
Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
  OIDCProviderMetadataURL ${app.environment().url}/.well-known/openid-configuration
  OIDCClientID ${client.clientId}
  OIDCClientSecret ${client.secret}
  OIDCRedirectURI ${address}/inside/oidc
  OIDCCryptoPassphrase ${randomBytes(16).toString('hex')}
  OIDCScope "${scope}"
  OIDCPKCEMethod S256
  # Cookies do not depend on the port, and all sites are at the same address.
  OIDCCookie ${name}
  OIDCStateCookiePrefix ${name}_state_
  OIDCCookieSameSite On
  ProxyPass /inside/oidc !
  ProxyPass / http://127.0.0.1:${applicationPort}/
  <Location /inside>
    AuthType openid-connect
    Require valid-user
  </Location>
  # Access tokens are valid for 86,400 seconds, so every request refreshes them.
  <Location /inside/fresh>
    OIDCRefreshAccessTokenBeforeExpiry 86401 logout_on_error
  </Location>
</VirtualHost>
`

const NEEDED = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http', 'auth_openidc']

/** Starts Apache with these sites in a directory of its own. */
async function startApache(t: TestContext, app: TestApp, sites: readonly Site[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'groundschool-apache-'))
  // Workers run as another user, if the tests run as root.
  chmodSync(directory, 0o755)
  const applicationPort = await startApplication(t)
  const errors = join(directory, 'error.log')
  const configuration = join(directory, 'apache.conf')
  writeFileSync(
    configuration,
    `ServerRoot ${directory}
DefaultRuntimeDir ${directory}
PidFile ${directory}/apache.pid
ServerName 127.0.0.1
User www-data
Group www-data
ErrorLog ${errors}
${NEEDED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
StartServers 1
ServerLimit 1
ThreadsPerChild 16
MinSpareThreads 1
MaxSpareThreads 16
MaxRequestWorkers 16
LogLevel auth_openidc:info
${sites.map((site) => describeSite(app, applicationPort, site)).join('')}`,
  )
  const apache = spawn(APACHE, ['-f', configuration, '-D', 'FOREGROUND'], { stdio: ['ignore', 'inherit', 'inherit'] })
  t.after(async () => {
    await stop(apache)
    const log = readFileSync(errors, 'utf8')
    rmSync(directory, { recursive: true })
    const failures = log.split('\n').filter((line) => /:(?:error|crit|alert|emerg)\]/.test(line))
    assert.deepEqual(failures, [])
  })
  await until('Apache listens', async () => {
    assert.equal(apache.exitCode, null, 'Apache has ended')
    return fetch(`${sites[0]!.address}/goodbye`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
}

async function stop(apache: ChildProcess): Promise<void> {
  if (apache.exitCode !== null) return
  apache.kill()
  await once(apache, 'exit')
}

test('Apache with mod_auth_openidc signs in, refreshes and signs out, and ends the session of a logout token', {
  skip,
}, async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')
  await app.sql(
    `update people set first_name = 'Avery', last_name = 'Quinn', email = 'avery@example.org', email_confirmed_at = now()
      where handle_key = 'avery'`,
  )
  const wiki = await registerSite(app, 'wiki', 'openid profile email offline_access')
  // This site gets no refresh token, and its tokens are signed with another algorithm.
  const forum = await registerSite(app, 'forum', 'openid profile')
  await app.sql(`update apps set id_token_algorithm = 'ES256' where client_id = '${forum.client.clientId}'`)
  await startApache(t, app, [wiki, forum])
  const { url } = app.environment()
  const page = await openChromium(t)
  const open = (site: Site, path: string) => page.goto(`${site.address}${path}`)
  const allow = () => page.getByRole('button', { name: 'Allow' }).click()
  const readTold = async (): Promise<Record<string, string>> => JSON.parse(await page.locator('pre').innerText())
  const assertAsksToSignIn = async (site: Site) => {
    await open(site, '/inside/page')
    assert.equal(new URL(page.url()).origin, url)
    await page.getByLabel('Password').waitFor()
  }
  const allTold = () =>
    until('the sites have taken all logout tokens', async () => {
      const rows = await app.sql('select problem from logout_messages')
      assert.ok(
        rows.every(({ problem }) => problem === null),
        JSON.stringify(rows),
      )
      return rows.length === 0
    })

  await assertAsksToSignIn(wiki)
  await fillIn(page, '@avery')
  await allow()
  await page.waitForURL(`${wiki.address}/inside/page`)
  const first = await readTold()
  const { body: claims } = await userInfo(app, first.oidc_access_token!)
  assert.deepEqual(
    [first.oidc_claim_sub, first.oidc_claim_name, first.oidc_claim_email, first.oidc_claim_email_verified],
    [claims.sub, 'Avery Quinn', 'avery@example.org', '1'],
  )
  assert.equal(first.oidc_claim_iss, url)

  await t.test('the session is refreshed on demand, and before the access token expires', async () => {
    const query = new URLSearchParams({
      refresh: `${wiki.address}/inside/page`,
      access_token: first.oidc_access_token!,
    })
    await open(wiki, `/inside/oidc?${query}`)
    assert.equal(page.url(), `${wiki.address}/inside/page`)
    const second = await readTold()
    assert.notEqual(second.oidc_access_token, first.oidc_access_token)
    assert.equal((await userInfo(app, second.oidc_access_token!)).body.sub, claims.sub)
    await open(wiki, '/inside/fresh')
    const third = await readTold()
    assert.notEqual(third.oidc_access_token, second.oidc_access_token)
    assert.equal((await userInfo(app, third.oidc_access_token!)).body.sub, claims.sub)
  })

  await open(wiki, '/inside/page')
  const { oidc_access_token: token } = await readTold()
  await t.test('signing out of one site ends its tokens, and by a logout token the session of the other', async () => {
    await open(forum, '/inside/page')
    await allow()
    await page.waitForURL(`${forum.address}/inside/page`)
    assert.notEqual((await readTold()).oidc_claim_sub, claims.sub, 'each app knows a person under another id')
    await open(wiki, `/inside/oidc?${new URLSearchParams({ logout: `${wiki.address}/goodbye` })}`)
    assert.equal(page.url(), `${wiki.address}/goodbye`)
    await assertTokenDies(app.address, token!)
    await assertAsksToSignIn(wiki)
    await allTold()
    await assertAsksToSignIn(forum)
  })

  await t.test('signing out of the platform ends the sessions of both, also the one with a refresh token', async () => {
    await fillIn(page, '@avery')
    await page.waitForURL(`${forum.address}/inside/page`)
    await open(wiki, '/inside/page')
    assert.equal(page.url(), `${wiki.address}/inside/page`)
    const { oidc_access_token: accessToken } = await readTold()
    const signedOut = await page.request.post(`${url}/account/v1/signout`, { data: {} })
    assert.equal(signedOut.status(), 200, await signedOut.text())
    await allTold()
    for (const site of [wiki, forum]) await assertAsksToSignIn(site)
    // The platform leaves sessions with `offline_access` to their apps, and the module revokes the refresh token.
    await assertTokenDies(app.address, accessToken!)
  })
})
