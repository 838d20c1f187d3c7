import assert from 'node:assert/strict'
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import type { Received } from '../../kernel/outbound/testing.ts'
import type { Seen, TestBrowser } from '../../operations/testing/browser.ts'
import type { Person, TestApp } from '../../operations/testing/testing.ts'
import type { LogoutSettings } from '../apps/apps.ts'
import { REDIRECT_URI, type RegisteredApp, registerApp } from '../oauth/testing.ts'
import { SIGN_IN, signInWithOpenid } from '../openid/testing.ts'

export const LOGOUT = '/oauth/v2/logout'
export const DONE = 'https://app.example.org/signed-out'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export const registerOpenidApp = (
  app: TestApp,
  key: string,
  more: LogoutSettings & { redirectUris?: readonly string[] } = {},
): Promise<RegisteredApp> => registerApp(app, { key, isPkceRequired: false, postLogoutRedirectUris: [DONE], ...more })

export interface OpenidUser {
  readonly browser: TestBrowser
  readonly idToken: string
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly claims: JWTPayload
}

/** Signs a person in to an app with OpenID, in a new browser or in the given one. */
export async function signInTo(
  app: TestApp,
  client: RegisteredApp,
  what: { person?: Person; browser?: TestBrowser; scope?: string } = {},
): Promise<OpenidUser> {
  const { answer, browser, claims } = await signInWithOpenid(app, client, what)
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = answer.body
  return { browser, idToken, accessToken, refreshToken, claims }
}

/** Sends a silent authorization request, and returns whether the person is still signed in to the platform. */
export async function isSignedIn(browser: TestBrowser, { clientId }: RegisteredApp): Promise<boolean> {
  const { location } = await browser.get(SIGN_IN, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    nonce: 'n',
    prompt: 'none',
  })
  const { searchParams } = new URL(location!)
  const error = searchParams.get('error')
  assert.ok(error === 'login_required' || searchParams.has('code'), location)
  return error === null
}

export function assertSignedOutPage(seen: Seen): void {
  assert.deepEqual([seen.status, seen.location], [200, undefined], seen.text)
  assert.match(seen.text, /<h1>You are signed out<\/h1>/)
}

/** Asserts that the person is asked, and is not sent anywhere. */
export function assertAsked(seen: Seen, problem?: RegExp): void {
  assert.equal(seen.location, undefined)
  assert.equal(seen.status, problem ? 400 : 200, seen.text)
  assert.match(seen.text, /<h1>Sign out\?<\/h1>/)
  if (problem) assert.match(seen.text, problem)
}

/** Verifies a logout token as an app does (Back-Channel Logout 1.0 §2.6). */
export async function verifyLogoutToken(app: TestApp, received: Received, clientId: string): Promise<JWTPayload> {
  assert.equal(received.headers['content-type'], 'application/x-www-form-urlencoded')
  const fields = [...new URLSearchParams(received.body)]
  assert.deepEqual(
    fields.map(([name]) => name),
    ['logout_token'],
  )
  const { body } = await app.nobody().get('/oauth/v2/jwks')
  const { url, clock } = app.environment()
  const { payload } = await jwtVerify(fields[0]![1], createLocalJWKSet(body), {
    issuer: url,
    audience: clientId,
    currentDate: clock(),
    typ: 'logout+jwt',
  })
  assert.deepEqual(payload.events, { [EVENT]: {} })
  assert.equal('nonce' in payload, false)
  return payload
}

export const claimsIn = ({ body }: Received): JWTPayload => decodeJwt(new URLSearchParams(body).get('logout_token')!)
