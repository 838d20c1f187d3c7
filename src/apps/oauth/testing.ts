import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import type { EnvironmentName } from '../../kernel/config.ts'
import { until } from '../../kernel/database/test-database.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, Client, type Person, type TestApp } from '../../operations/testing/testing.ts'
import { addApp, type NewApp } from '../apps/apps.ts'
import { secretKeys } from '../apps/secrets.ts'

/** The password that `testApp` gives to people. */
export const PASSWORD = 'groundschool'
export const REDIRECT_URI = 'https://app.example.org/callback'

export interface RegisteredApp {
  readonly clientId: string
  /** The client secret; empty for a public app. */
  readonly secret: string
}

/** Registers an app like an operator does. PKCE is required by default; only old apps work without it. */
export async function registerApp(
  app: TestApp,
  what: Partial<NewApp> & { key: string },
  environment: EnvironmentName = 'production',
): Promise<RegisteredApp> {
  const { db, get, clock } = app.environment(environment)
  const { clientId, secret = '' } = await addApp(
    db,
    { at: clock(), requestId: 'test', address: '127.0.0.1' },
    {
      name: what.key,
      redirectUris: [REDIRECT_URI],
      origins: [],
      isBasicEnabled: false,
      isImplicitEnabled: false,
      isDeviceEnabled: false,
      isPublic: false,
      ...what,
    },
    get(secretKeys),
  )
  return { clientId, secret }
}

/** Makes a verifier and its challenge (RFC 7636 §4.1, §4.2). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

/**
 * Signs a person in to an app as the person would: fills in the pages until the first redirect, which is to the app.
 * `address` is the URL of the sign-in page.
 */
export async function signInAndAllow(
  app: TestApp,
  browser: TestBrowser,
  { address, person = 'avery', environment }: { address: string; person?: Person; environment?: EnvironmentName },
): Promise<URL> {
  await app.givePassword(person, environment)
  let page = await browser.send(address)
  for (let steps = 0; page.location === undefined; steps++) {
    assert.ok(steps < 5, `sign-in does not end: ${page.text}`)
    if (page.text.includes('name="password"'))
      page = await browser.submit(page, { handle: `@${person}`, password: PASSWORD })
    else if (page.text.includes('value="allow"')) page = await browser.submit(page, { decision: 'allow' })
    else assert.fail(`${page.status}: ${page.text}`)
  }
  const url = new URL(page.location)
  assert.notEqual(url.origin, new URL(address).origin, 'old Android views take the first redirect for the last')
  return url
}

export interface CodeRequest {
  readonly clientId: string
  readonly redirectUri?: string
  readonly person?: Person
  /** The path of the sign-in page: `/oauth/signin` or `/oauth/v2/signin`. */
  readonly path?: string
  readonly challenge?: string
  readonly state?: string
  /** Other parameters of the authorization request. */
  readonly more?: Readonly<Record<string, string>>
  /** The browser to use, in which a person may already be signed in. */
  readonly browser?: TestBrowser
  readonly environment?: EnvironmentName
}

/** Obtains a code for an app, by signing the person in and allowing the app. */
export async function obtainCode(
  app: TestApp,
  {
    clientId,
    redirectUri = REDIRECT_URI,
    person = 'avery',
    path = '/oauth/signin',
    challenge,
    state,
    more,
    environment = 'production',
    browser = app.visitor(environment),
  }: CodeRequest,
): Promise<{ code: string; redirect: URL; browser: TestBrowser }> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(state === undefined ? {} : { state }),
    ...(challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
    ...more,
  })
  const redirect = await signInAndAllow(app, browser, {
    address: `${browser.address}${path}?${query}`,
    person,
    environment,
  })
  const code = redirect.searchParams.get('code')
  assert.ok(code, `no code: ${redirect}`)
  return { code, redirect, browser }
}

/** The three ways in which clients send the fields of a token request. */
export type FieldFormat = 'query' | 'json' | 'form'

/** Sends a token request, or another request that authenticates the app. */
export function exchange(
  app: TestApp,
  fields: Readonly<Record<string, string>>,
  as: FieldFormat = 'form',
  {
    path = '/oauth/token',
    environment,
    headers = {},
  }: { path?: string; environment?: EnvironmentName; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const client = app.nobody(environment)
  if (as === 'query') return client.send('POST', path, { query: fields, headers })
  if (as === 'json') return client.send('POST', path, { body: fields, headers })
  return client.send('POST', path, {
    raw: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export const basicHeader = ({ clientId, secret }: RegisteredApp): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

/** Asserts that the response is an error in the platform's own form, plus its OAuth name. */
export function assertOauthError(answer: Answer, status: number, code: number, name: string): void {
  const { error, ...own } = answer.body ?? {}
  assert.equal(error, name, answer.text)
  assertError({ ...answer, body: own }, status, code)
}

/** Asserts that the response is an error exactly as in RFC 6749 §5.2. */
export function assertRfcError(answer: Answer, status: number, name: string, code: number): void {
  assert.equal(answer.body?.error, name, answer.text)
  assertError(answer, status, code, undefined, 'rfc')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.has('www-authenticate'), status === 401)
}

/** Asserts that the token is refused within a second, the time that a process may take to learn of a revocation. */
export const assertTokenDies = (address: string, accessToken: string): Promise<void> =>
  until(
    'the access token is dead',
    async () => (await new Client(address, accessToken).get('/oauth/token/validate')).status === 403,
    1000,
  )
