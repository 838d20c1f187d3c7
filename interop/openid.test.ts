/** Tests with unmodified OpenID libraries: ID tokens, userinfo and refresh have to pass all of their checks. */
import assert from 'node:assert/strict'
import { generateKeyPair } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { Passport } from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'
import { REDIRECT_URI, type RegisteredApp, registerApp, signInAndAllow } from '../src/apps/oauth/testing.ts'
import { DONE } from '../src/apps/signout/testing.ts'
import { TestBrowser } from '../src/operations/testing/browser.ts'
import { type TestApp, testApp } from '../src/operations/testing/testing.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }

const actAsPerson = (app: TestApp, address: string | URL, browser = app.visitor()): Promise<URL> =>
  signInAndAllow(app, browser, { address: String(address) })

const nameAvery = (app: TestApp) =>
  app.sql(
    `update people set first_name = 'Avery', last_name = 'Quinn', email = 'avery@example.org', email_confirmed_at = now()
      where handle_key = 'avery'`,
  )

for (const algorithm of ['RS256', 'ES256', 'EdDSA'])
  test(`openid-client discovers, signs in with nonce and max_age, reads userinfo, refreshes and signs out, with ${algorithm}`, async (t) => {
    const app = await testApp(t)
    await nameAvery(app)
    const { clientId, secret } = await registerApp(app, { key: 'logbook', postLogoutRedirectUris: [DONE] })
    await app.sql(`update apps set id_token_algorithm = '${algorithm}' where client_id = '${clientId}'`)
    const config = await openid.discovery(
      new URL(app.environment().url),
      clientId,
      { client_secret: secret, id_token_signed_response_alg: algorithm, require_auth_time: true },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    )
    // Without this, the library trusts the connection and does not verify the signature.
    openid.enableNonRepudiationChecks(config)
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const checks = {
      pkceCodeVerifier,
      expectedState: openid.randomState(),
      expectedNonce: openid.randomNonce(),
      maxAge: 600,
      idTokenExpected: true,
    }
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile email offline_access',
      prompt: 'consent',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      max_age: '600',
    })
    const browser = app.visitor()
    const back = await actAsPerson(app, address, browser)
    await assert.rejects(
      openid.authorizationCodeGrant(
        config,
        new URL(String(back).replace(/iss=[^&]+/, 'iss=https://attacker.example')),
        checks,
      ),
      ({ cause }: Error) => /"iss"/.test((cause as Error).message),
    )
    const tokens = await openid.authorizationCodeGrant(config, back, checks)
    const { sub, auth_time: authTime } = tokens.claims()!
    const info = await openid.fetchUserInfo(config, tokens.access_token, sub)
    assert.deepEqual([info.name, info.email, info.email_verified], ['Avery Quinn', 'avery@example.org', true])
    await assert.rejects(openid.fetchUserInfo(config, tokens.access_token, 'somebody'), ({ cause }: Error) =>
      /"sub"/.test((cause as Error).message),
    )

    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!)
    assert.deepEqual([next.claims()!.sub, next.claims()!.auth_time], [sub, authTime])
    assert.equal((await openid.fetchUserInfo(config, next.access_token, sub)).sub, sub)

    const silent = openid.buildAuthorizationUrl(config, {
      ...Object.fromEntries(address.searchParams),
      prompt: 'none',
      id_token_hint: tokens.id_token!,
    })
    const again = await openid.authorizationCodeGrant(config, await actAsPerson(app, silent, browser), checks)
    assert.equal(again.claims()!.sub, sub)

    const signOut = openid.buildEndSessionUrl(config, {
      id_token_hint: again.id_token!,
      post_logout_redirect_uri: DONE,
      state: 'bye',
    })
    assert.equal((await browser.send(String(signOut))).location, `${DONE}?state=bye`)
    const gone = await browser.send(String(silent))
    assert.equal(new URL(gone.location!).searchParams.get('error'), 'login_required')
  })

test('openid-client authenticates with private_key_jwt', async (t) => {
  const app = await testApp(t)
  const { clientId } = await registerApp(app, { key: 'keyed' })
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const jwk = JSON.stringify([{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }])
  await app.sql(
    `update apps set token_auth_method = 'private_key_jwt', public_keys = '${jwk}' where client_id = '${clientId}'`,
  )
  const key = await crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ format: 'der', type: 'pkcs8' }),
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  )
  const config = await openid.discovery(
    new URL(app.environment().url),
    clientId,
    {},
    openid.PrivateKeyJwt({ key, kid: 'one' }),
    { execute: [openid.allowInsecureRequests] },
  )
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const tokens = await openid.authorizationCodeGrant(config, await actAsPerson(app, address), { pkceCodeVerifier })
  assert.ok(tokens.claims()!.sub)
  const facts = await openid.tokenIntrospection(config, tokens.access_token)
  assert.equal(facts.active, true)
})

test('oauth4webapi signs in without PKCE and with a nonce, as a confidential client may', async (t) => {
  const app = await testApp(t)
  const { clientId, secret } = await registerApp(app, { key: 'logbook' })
  const issuer = new URL(app.environment().url)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...INSECURE }),
  )
  const client: oauth.Client = { client_id: clientId }
  const auth = oauth.ClientSecretBasic(secret)
  const nonce = oauth.generateRandomNonce()
  const state = oauth.generateRandomState()
  const address = new URL(server.authorization_endpoint!)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid email',
    nonce,
    state,
  }
  address.search = String(new URLSearchParams(query))
  const answer = oauth.validateAuthResponse(server, client, await actAsPerson(app, address), state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    answer,
    REDIRECT_URI,
    oauth.nopkce,
    INSECURE,
  )
  await assert.rejects(
    oauth.processAuthorizationCodeResponse(server, client, response.clone(), {
      expectedNonce: oauth.generateRandomNonce(),
    }),
    /nonce/,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce })
  await oauth.validateApplicationLevelSignature(server, response, INSECURE)
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)!
  const asked = await oauth.userInfoRequest(server, client, tokens.access_token, INSECURE)
  assert.equal((await oauth.processUserInfoResponse(server, client, sub, asked)).sub, sub)
})

/** An HTTP request with the fields of `express` and of a session store that passport uses. */
type WebRequest = IncomingMessage & { query?: object; session?: object }

/** Starts a third-party web app that uses passport-openidconnect, and shows who signed in. */
async function startWebApp(t: TestContext, { environment }: TestApp, { clientId, secret }: RegisteredApp) {
  const session = {}
  const passport = new Passport()
  const server = createServer((request: WebRequest, response) => {
    request.session = session
    request.query = Object.fromEntries(new URL(request.url!, 'http://localhost').searchParams)
    const show = (status: number, body: unknown) => {
      response.statusCode = status
      response.end(JSON.stringify(body))
    }
    const authenticate = passport.authenticate('openidconnect', (error: Error | null, user: unknown, info: unknown) => {
      if (error) show(500, error.message)
      else if (user) show(200, user)
      else show(401, info)
    })
    authenticate(request, response, () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { url } = environment()
  passport.use(
    new OpenIDConnectStrategy(
      {
        issuer: url,
        authorizationURL: `${url}/oauth/v2/signin`,
        tokenURL: `${url}/oauth/v2/token`,
        userInfoURL: `${url}/oauth/v2/userinfo`,
        clientID: clientId,
        clientSecret: secret,
        callbackURL: `${address}/callback`,
        scope: ['profile', 'email'],
        // The library knows no PKCE.
        nonce: 'true',
        // Without this, the profile has the subject alone.
        skipUserProfile: false,
      },
      (_issuer: string, profile: object, done: (error: null, user: object) => void) => done(null, profile),
    ),
  )
  return address
}

test('passport-openidconnect signs people in to a web app, with state and nonce', async (t) => {
  const app = await testApp(t)
  await nameAvery(app)
  const registered = await registerApp(app, { key: 'web', redirectUris: ['http://127.0.0.1/callback'] })
  const address = await startWebApp(t, app, registered)
  const visitor = new TestBrowser(address)
  const away = await visitor.get('/login')
  assert.equal(away.status, 302, away.text)
  assert.ok(new URL(away.location!).searchParams.get('nonce'))
  const seen = await visitor.send(String(await actAsPerson(app, away.location!)))
  assert.equal(seen.status, 200, seen.text)
  const profile = JSON.parse(seen.text)
  assert.deepEqual(
    [profile.displayName, profile.username, profile.emails],
    ['Avery Quinn', '@avery', [{ value: 'avery@example.org' }]],
  )
})
