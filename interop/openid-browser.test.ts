/** Tests with unmodified OpenID libraries for pages without a server: in Chromium, on an origin of their own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { User, UserManagerSettings } from 'oidc-client-ts'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { assertTokenDies, registerApp } from '../src/apps/oauth/testing.ts'
import { fillIn } from '../src/apps/oauth/testing-pages.ts'
import { userInfo } from '../src/apps/openid/testing.ts'
import { until } from '../src/kernel/database/test-database.ts'
import { collectProblems, noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { type TestApp, testApp } from '../src/operations/testing/testing.ts'

const SCOPE = 'openid profile email offline_access'

/** The registration of an app, as its page needs it. */
interface Registration {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly signedOutUri: string
}

interface PublicApp {
  readonly app: TestApp
  /** A tab with the app's page, which has loaded the library and the app's script. */
  readonly page: Page
  readonly origin: string
  /** Errors in the console of the browser. */
  readonly problems: readonly string[]
}

/**
 * Serves a page that loads a library and a script on an origin of its own, registers it as a public app, and opens it.
 * To a browser, the app is on another site than the platform, whose public URL is at `localhost`.
 */
async function openPublicApp(
  t: TestContext,
  library: string,
  writeScript: (registration: Registration) => string,
): Promise<PublicApp> {
  const app = await testApp(t)
  await app.givePassword('avery')
  await app.sql(
    `update people set first_name = 'Avery', last_name = 'Quinn', email = 'avery@example.org', email_confirmed_at = now()
      where handle_key = 'avery'`,
  )
  const files: Record<string, string> = { '/library.js': library }
  const server = createServer(({ url }, response) => {
    const file = files[url!]
    const type = file === undefined ? 'text/html' : 'text/javascript'
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(
      file ??
        `<!doctype html><html lang="en"><title>The app</title><link rel="icon" href="data:,"><h1>The app</h1>
         <script src="/library.js"></script><script src="/app.js"></script>`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `${origin}/callback`
  const signedOutUri = `${origin}/signed-out`
  const { clientId } = await registerApp(app, {
    key: 'page',
    isPublic: true,
    origins: [origin],
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [signedOutUri],
  })
  const readPreflight = () => app.nobody().send('OPTIONS', '/oauth/v2/token', { headers: { origin } })
  await until(
    'the origin is known',
    async () => (await readPreflight()).headers.get('access-control-allow-origin') === origin,
  )
  files['/app.js'] = writeScript({ issuer: app.environment().url, clientId, redirectUri, signedOutUri })
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await page.goto(origin)
  return { app, page, origin, problems }
}

/** Calls a function of the page that leaves it, and signs in and allows the app on the platform's pages. */
async function signInOnPages({ page, origin }: PublicApp, call: string): Promise<void> {
  await page.evaluate(`void ${call}`)
  await fillIn(page, '@avery')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${origin}/callback?*`)
}

/** Calls a function of the page that leaves it, and waits until the platform sends the browser back without asking. */
async function comeBack({ page, origin }: PublicApp, call: string, path: string): Promise<URLSearchParams> {
  await page.evaluate(`void ${call}`)
  await page.waitForURL(`${origin}${path}?*`)
  return new URL(page.url()).searchParams
}

const OIDC_CLIENT = new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'))

/** The part of a `User` of oidc-client-ts that tests read. */
type SignedIn = Pick<User, 'access_token' | 'refresh_token' | 'id_token' | 'profile' | 'scope'>

test('oidc-client-ts in Chromium signs in with PKCE, reads userinfo and keys, refreshes, revokes and signs out', {
  skip: noChromium,
}, async (t) => {
  const writeScript = ({ issuer, clientId, redirectUri, signedOutUri }: Registration) => {
    const settings: UserManagerSettings = {
      authority: issuer,
      client_id: clientId,
      redirect_uri: redirectUri,
      post_logout_redirect_uri: signedOutUri,
      scope: SCOPE,
      loadUserInfo: true,
      automaticSilentRenew: false,
      revokeTokensOnSignout: true,
    }
    return `const manager = new oidc.UserManager(${JSON.stringify(settings)})`
  }
  const opened = await openPublicApp(t, readFileSync(OIDC_CLIENT, 'utf8'), writeScript)
  const { app, page, problems } = opened
  await signInOnPages(opened, `manager.signinRedirect({ nonce: 'n-0S6_WzA2Mj', state: { page: 'logbook' } })`)
  const first = await page.evaluate<SignedIn & { state: unknown }>('manager.signinRedirectCallback()')
  const { sub, name, email, email_verified } = first.profile
  assert.deepEqual([name, email, email_verified], ['Avery Quinn', 'avery@example.org', true])
  assert.equal(first.scope, SCOPE)
  assert.deepEqual(first.state, { page: 'logbook' })
  const keys = await page.evaluate<{ kid: string }[]>('manager.metadataService.getSigningKeys()')
  assert.ok(keys.length > 0 && keys.every(({ kid }) => kid))

  const next = await page.evaluate<SignedIn>('manager.signinSilent()')
  assert.notEqual(next.access_token, first.access_token)
  assert.notEqual(next.refresh_token, first.refresh_token)
  assert.ok(next.id_token)
  assert.equal(next.profile.sub, sub)
  assert.equal((await userInfo(app, next.access_token)).body.sub, sub)

  await comeBack(opened, `manager.signoutRedirect({ state: { page: 'front' } })`, '/signed-out')
  const { userState } = await page.evaluate<{ userState: unknown }>('manager.signoutRedirectCallback()')
  assert.deepEqual(userState, { page: 'front' })
  assert.equal(await page.evaluate('manager.getUser()'), null)
  await assertTokenDies(app.address, next.access_token)
  const refused = await comeBack(opened, `manager.signinRedirect({ prompt: 'none' })`, '/callback')
  assert.equal(refused.get('error'), 'login_required')
  assert.equal(
    await page.evaluate(`manager.signinRedirectCallback().catch(({ error }) => 'refused: ' + error)`),
    'refused: login_required',
  )
  assert.deepEqual(problems, [])
})

/** A token response as AppAuth-JS shows it. Its own types cannot be read by Node's rules for modules. */
type Tokens = Readonly<
  Record<'access_token' | 'refresh_token' | 'id_token' | 'token_type' | 'expires_in' | 'scope', string>
>

/** AppAuth-JS has no file for browsers: its modules are written for a bundler. */
async function bundleAppAuth(): Promise<string> {
  const build = await rolldown({ input: fileURLToPath(import.meta.resolve('@openid/appauth')), platform: 'browser' })
  const { output } = await build.generate({ format: 'iife', name: 'AppAuth' })
  await build.close()
  return output[0].code
}

/** An app with AppAuth-JS, as its README describes it. */
const writeAppAuthScript = ({ issuer, clientId, redirectUri, signedOutUri }: Registration): string => `
AppAuth.setFlag('IS_LOG', false)
const app = ${JSON.stringify({ client_id: clientId, redirect_uri: redirectUri })}
const requestor = new AppAuth.FetchRequestor()
const tokenHandler = new AppAuth.BaseTokenRequestHandler(requestor)
const readConfiguration = () => AppAuth.AuthorizationServiceConfiguration.fetchFromIssuer('${issuer}', requestor)

// The library looks for the code in the fragment, where the implicit flow has its answers.
class QueryOnly extends AppAuth.BasicQueryStringUtils {
  parse(location) { return super.parse(location, false) }
}
const handler = new AppAuth.RedirectRequestHandler(new AppAuth.LocalStorageBackend(), new QueryOnly())

async function signIn(extras) {
  const request = new AppAuth.AuthorizationRequest({ ...app, scope: '${SCOPE}', response_type: 'code', extras })
  handler.performAuthorizationRequest(await readConfiguration(), request)
}

async function finishSignIn() {
  const notifier = new AppAuth.AuthorizationNotifier()
  handler.setAuthorizationNotifier(notifier)
  const answer = new Promise((resolve) => notifier.setAuthorizationListener((...all) => resolve(all)))
  await handler.completeAuthorizationRequestIfPossible()
  const [request, response, error] = await answer
  if (error) return error
  return requestTokens({
    grant_type: AppAuth.GRANT_TYPE_AUTHORIZATION_CODE,
    code: response.code,
    extras: { code_verifier: request.internal.code_verifier },
  })
}

const refresh = (refresh_token) => requestTokens({ grant_type: AppAuth.GRANT_TYPE_REFRESH_TOKEN, refresh_token })

async function requestTokens(fields) {
  const request = new AppAuth.TokenRequest({ ...app, ...fields })
  return (await tokenHandler.performTokenRequest(await readConfiguration(), request)).toJson()
}

async function revoke(token) {
  const request = new AppAuth.RevokeTokenRequest({ token, token_type_hint: 'refresh_token', client_id: app.client_id })
  return tokenHandler.performRevokeTokenRequest(await readConfiguration(), request)
}

// The library has no function for this.
async function signOut(id_token_hint) {
  const fields = { id_token_hint, post_logout_redirect_uri: '${signedOutUri}', state: 'bye' }
  location.assign((await readConfiguration()).endSessionEndpoint + '?' + new URLSearchParams(fields))
}
`

test('AppAuth-JS in Chromium discovers, signs in with PKCE, refreshes, revokes and signs out', {
  skip: noChromium,
}, async (t) => {
  const opened = await openPublicApp(t, await bundleAppAuth(), writeAppAuthScript)
  const { app, page, problems } = opened
  const call = <T>(name: string, ...values: string[]) =>
    page.evaluate<T>(`${name}(${values.map((value) => JSON.stringify(value)).join()})`)
  const { url } = app.environment()
  const { end_session_endpoint, revocation_endpoint } = await page.evaluate<Record<string, string>>(
    'readConfiguration().then((one) => one.toJson())',
  )
  assert.deepEqual([end_session_endpoint, revocation_endpoint], [`${url}/oauth/v2/logout`, `${url}/oauth/v2/revoke`])

  await signInOnPages(opened, `signIn({ nonce: 'n-0S6_WzA2Mj' })`)
  const first = await call<Tokens>('finishSignIn')
  assert.deepEqual([first.token_type, first.expires_in, first.scope], ['Bearer', '86400', SCOPE])
  const { body: claims } = await userInfo(app, first.access_token)
  assert.deepEqual([claims.name, claims.email], ['Avery Quinn', 'avery@example.org'])

  // The library sends its redirect URI with a refresh token, too. Unknown parameters are ignored (RFC 6749 §3.2).
  const next = await call<Tokens>('refresh', first.refresh_token)
  assert.ok(next.id_token)
  assert.notEqual(next.access_token, first.access_token)
  assert.notEqual(next.refresh_token, first.refresh_token)
  assert.equal((await userInfo(app, next.access_token)).body.sub, claims.sub)

  assert.equal(await call('revoke', next.refresh_token), true)
  await assertTokenDies(app.address, next.access_token)
  const back = await comeBack(opened, `signOut(${JSON.stringify(next.id_token)})`, '/signed-out')
  assert.equal(back.get('state'), 'bye')
  await comeBack(opened, `signIn({ prompt: 'none' })`, '/callback')
  assert.equal((await call<{ error: string }>('finishSignIn')).error, 'login_required')
  assert.deepEqual(problems, [])
})
