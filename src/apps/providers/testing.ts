/** Runs oidc-provider, a certified OpenID provider, and walks through its pages like a person. */
import assert from 'node:assert/strict'
import { generateKeyPair } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { Provider } from 'oidc-provider'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { findFreePort } from '../../operations/testing/ports.ts'

interface Lifetime {
  after(end: () => Promise<void> | void): void
}

/** What the provider knows of a person. The key in `accounts` is both the login and the subject. */
export interface ProviderAccount {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly preferred_username?: string
  readonly groups?: readonly string[]
}

export interface TestProviderOptions {
  /** Accounts by subject. The map can be changed at any time. */
  readonly accounts?: Readonly<Record<string, ProviderAccount>>
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** False if claims other than `sub` are in the response of userinfo only. */
  readonly hasClaimsInIdToken?: boolean
  /** More configuration of oidc-provider. */
  readonly more?: object
}

export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly accounts: Map<string, ProviderAccount>
  /** Paths that were requested, in order. */
  readonly paths: string[]
}

const CLIENT_ID = 'groundschool'
const CLIENT_SECRET = 'provider-secret-of-the-test-provider-0123456789'

let signingKey: Promise<object> | undefined
/** Creates one RSA key for all providers of a process, because that takes a while. */
const readSigningKey = (): Promise<object> => {
  signingKey ??= promisify(generateKeyPair)('rsa', { modulusLength: 2048 }).then(({ privateKey }) => ({
    ...privateKey.export({ format: 'jwk' }),
    kid: 'one',
    alg: 'RS256',
    use: 'sig',
  }))
  return signingKey
}

/** Creates the provider without printing its notices, which address operators. */
function createQuietly(issuer: string, configuration: object): Provider {
  const { info, warn } = console
  Object.assign(console, { info: () => {}, warn: () => {} })
  try {
    return new Provider(issuer, configuration)
  } finally {
    Object.assign(console, { info, warn })
  }
}

/** Starts a provider on a port of this machine. Its login page accepts every password. */
export async function startProvider(t: Lifetime, options: TestProviderOptions): Promise<TestProvider> {
  const accounts = new Map(Object.entries(options.accounts ?? {}))
  const port = await findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const provider = createQuietly(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: options.redirectUris,
        post_logout_redirect_uris: options.postLogoutRedirectUris ?? [],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['a key of the test provider'] },
    jwks: { keys: [await readSigningKey()] },
    conformIdTokenClaims: options.hasClaimsInIdToken === false,
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username', 'groups'],
    },
    pkce: { required: () => true },
    findAccount: (_context: unknown, sub: string) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) } : undefined,
    clientBasedCORS: () => false,
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 3600, Grant: 3600 },
    features: { rpInitiatedLogout: { enabled: true, logoutSource: showLogout }, devInteractions: { enabled: true } },
    renderError: (context: PageContext, out: object) => showPage(context, JSON.stringify(out)),
    ...options.more,
  })
  const paths: string[] = []
  const answer = provider.callback()
  const server = createServer((request, response) => {
    paths.push(request.url!.split('?')[0]!)
    answer(request, response)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, accounts, paths }
}

/** A response of koa, on which oidc-provider is built. */
interface PageContext {
  type: string
  body: string
}

function showPage(context: PageContext, html: string): void {
  context.type = 'html'
  context.body = `<!doctype html><title>Test provider</title>${html}`
}

const showLogout = (context: PageContext, form: string): void =>
  showPage(
    context,
    `<h1>Sign out of the provider?</h1>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
  )

interface ProviderPage {
  readonly url: URL
  readonly text: string
}

/** Follows redirects of one origin, and returns the page they lead to or the first URL of another origin. */
async function followWithin(
  origin: string,
  browser: TestBrowser,
  start: URL,
  init?: RequestInit,
): Promise<ProviderPage | URL> {
  let url = start
  for (let steps = 0; steps < 10; steps++) {
    if (url.origin !== origin) return url
    const seen = await browser.send(url.href, steps === 0 ? init : undefined)
    if (seen.location === undefined) return { url, text: seen.text }
    url = new URL(seen.location, url)
  }
  return assert.fail(`the provider redirects without end: ${url}`)
}

const findAction = ({ url, text }: ProviderPage): URL =>
  new URL(/<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? assert.fail(`the provider shows no form: ${text}`), url)

const formOf = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: String(new URLSearchParams(fields)),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

/**
 * Signs in at the provider: begins at the authorization URL to which the platform redirected, logs in as the account,
 * consents, and returns the URL of the platform to which the provider redirects at last. The browser has not opened
 * that URL yet.
 */
export async function signInAt(browser: TestBrowser, authorizationUrl: string, account: string): Promise<URL> {
  const start = new URL(authorizationUrl)
  let page = await followWithin(start.origin, browser, start)
  for (let steps = 0; !(page instanceof URL); steps++) {
    assert.ok(steps < 5, `sign-in at the provider does not end: ${page.text}`)
    const prompt = page.text.includes('name="login"') ? 'login' : 'consent'
    const fields = prompt === 'login' ? { prompt, login: account, password: 'any' } : { prompt }
    page = await followWithin(start.origin, browser, findAction(page), formOf(fields))
  }
  return page
}

/** Cancels on the provider's login page, and returns the URL of the platform to which the provider redirects. */
export async function cancelAt(browser: TestBrowser, authorizationUrl: string): Promise<URL> {
  const start = new URL(authorizationUrl)
  const page = await followWithin(start.origin, browser, start)
  assert.ok(!(page instanceof URL), `the provider shows no page: ${page}`)
  const end = await followWithin(start.origin, browser, new URL(`${findAction(page)}/abort`))
  assert.ok(end instanceof URL)
  return end
}

/**
 * Confirms signing out at the provider: begins at the end-session URL to which the platform redirected, and returns the
 * URL to which the provider redirects at last.
 */
export async function signOutAt(browser: TestBrowser, endSessionUrl: string): Promise<URL> {
  const start = new URL(endSessionUrl)
  const page = await followWithin(start.origin, browser, start)
  if (page instanceof URL) return page
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text)
  const end = await followWithin(start.origin, browser, findAction(page), formOf({ xsrf, logout: 'yes' }))
  assert.ok(end instanceof URL, 'the provider knows no address to return to')
  return end
}
