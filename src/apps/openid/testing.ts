import assert from 'node:assert/strict'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, Client, type Person, type TestApp } from '../../operations/testing/testing.ts'
import { basicHeader, exchange, obtainCode, type RegisteredApp } from '../oauth/testing.ts'

export const SIGN_IN = '/oauth/v2/signin'
export const TOKEN = '/oauth/v2/token'

interface OpenidSignIn {
  readonly scope?: string
  /** Other parameters of the authorization request. */
  readonly more?: Readonly<Record<string, string>>
  readonly person?: Person
  readonly browser?: TestBrowser
  readonly redirectUri?: string
}

interface SignedIn {
  readonly answer: Answer
  readonly claims: JWTPayload
  readonly header: ProtectedHeaderParameters
  readonly browser: TestBrowser
  readonly redirect: URL
  readonly code: string
}

/** Verifies an ID token as an app does: with the published keys, for this issuer and client. */
export async function verifyIdToken(app: TestApp, token: string, clientId: string): Promise<JWTPayload> {
  const { body } = await app.nobody().get('/oauth/v2/jwks')
  const { url, clock } = app.environment()
  const { payload } = await jwtVerify(token, createLocalJWKSet(body), {
    issuer: url,
    audience: clientId,
    currentDate: clock(),
    typ: 'JWT',
  })
  return payload
}

/** Redeems a code at the `rfc` dialect, with client_secret_basic. */
export const redeem = (app: TestApp, client: RegisteredApp, code: string, fields: Record<string, string> = {}) =>
  exchange(
    app,
    { grant_type: 'authorization_code', code, redirect_uri: 'https://app.example.org/callback', ...fields },
    'form',
    { path: TOKEN, headers: basicHeader(client) },
  )

/** Signs a person in to an app with OpenID, and verifies the ID token. */
export async function signInWithOpenid(
  app: TestApp,
  client: RegisteredApp,
  { scope = 'openid', more, ...request }: OpenidSignIn = {},
): Promise<SignedIn> {
  const { code, redirect, browser } = await obtainCode(app, {
    clientId: client.clientId,
    path: SIGN_IN,
    state: 'xyz',
    more: { scope, nonce: 'n-0S6_WzA2Mj', ...more },
    ...request,
  })
  const answer = await redeem(app, client, code, request.redirectUri ? { redirect_uri: request.redirectUri } : {})
  assert.equal(answer.status, 200, answer.text)
  const { id_token: idToken } = answer.body
  const claims = await verifyIdToken(app, idToken, client.clientId)
  return { answer, claims, header: decodeProtectedHeader(idToken), browser, redirect, code }
}

export const userInfo = (app: TestApp, token: string): Promise<Answer> =>
  new Client(app.address, token).get('/oauth/v2/userinfo')
