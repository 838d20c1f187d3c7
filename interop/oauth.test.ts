/**
 * Tests with unmodified third-party OAuth libraries: the platform's responses have to pass all checks of these
 * libraries.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { Passport } from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import {
  assertTokenDies,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
  signInAndAllow,
} from '../src/apps/oauth/testing.ts'
import { signedIn } from '../src/identity/passkeys/testing.ts'
import { TestBrowser } from '../src/operations/testing/browser.ts'
import { Client, type TestApp, testApp } from '../src/operations/testing/testing.ts'

/** Does what a person does in the browser: signs in, allows the app, and is redirected to it. */
const actAsPerson = (app: TestApp, address: string | URL): Promise<URL> =>
  signInAndAllow(app, app.visitor(), { address: String(address) })

/** Does what a person does on a second device: opens the verification page, enters the code and allows the device. */
async function allowDevice(app: TestApp, address: string): Promise<void> {
  const browser = await signedIn(app, 'avery')
  const page = await browser.send(address)
  const asked = await browser.submit(page, { user_code: new URL(address).searchParams.get('user_code')! })
  await browser.follow(await browser.submit(asked, { decision: 'allow' }, '/device/decision'))
}

const statusOf = async (app: TestApp, token: string): Promise<number> =>
  (await new Client(app.address, token).get('/oauth/token/validate')).status

const INSECURE = { [oauth.allowInsecureRequests]: true }

const withOauth4webapi = async (app: TestApp) => {
  const issuer = new URL(app.environment().url)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  return oauth.processDiscoveryResponse(issuer, found)
}

interface Proven {
  readonly client: oauth.Client
  readonly auth: oauth.ClientAuth
}

const waysOf = (kept: RegisteredApp, open: RegisteredApp): Record<string, Proven> => ({
  client_secret_basic: { client: { client_id: kept.clientId }, auth: oauth.ClientSecretBasic(kept.secret) },
  client_secret_post: { client: { client_id: kept.clientId }, auth: oauth.ClientSecretPost(kept.secret) },
  none: { client: { client_id: open.clientId }, auth: oauth.None() },
})

test('oauth4webapi signs in with PKCE, state and iss, refreshes, introspects and revokes, with every client authentication', async (t) => {
  const app = await testApp(t)
  const server = await withOauth4webapi(app)
  const kept = await registerApp(app, { key: 'kept' })
  const open = await registerApp(app, { key: 'open', isPublic: true })
  for (const [way, { client, auth }] of Object.entries(waysOf(kept, open))) {
    await t.test(way, async () => {
      assert.ok(server.token_endpoint_auth_methods_supported?.includes(way))
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const address = new URL(server.authorization_endpoint!)
      address.search = String(
        new URLSearchParams({
          response_type: 'code',
          client_id: client.client_id,
          redirect_uri: REDIRECT_URI,
          scope: 'user',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
        }),
      )
      const back = await actAsPerson(app, address)
      const answer = oauth.validateAuthResponse(server, client, back, state)
      assert.throws(() => oauth.validateAuthResponse(server, client, back, oauth.generateRandomState()), /state/)
      back.searchParams.set('iss', 'https://attacker.example')
      assert.throws(() => oauth.validateAuthResponse(server, client, back, state), /iss/)

      const exchange = () =>
        oauth.authorizationCodeGrantRequest(server, client, auth, answer, REDIRECT_URI, verifier, INSECURE)
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange())
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['bearer', 86_400, 'user'])
      assert.equal(await statusOf(app, tokens.access_token), 200)

      const renew = (token: string) => oauth.refreshTokenGrantRequest(server, client, auth, token, INSECURE)
      const next = await oauth.processRefreshTokenResponse(server, client, await renew(tokens.refresh_token!))
      assert.equal(await statusOf(app, next.access_token), 200)

      if (way !== 'none') {
        const inspect = await oauth.introspectionRequest(server, client, auth, next.access_token, INSECURE)
        const facts = await oauth.processIntrospectionResponse(server, client, inspect)
        assert.deepEqual([facts.active, facts.username, facts.client_id], [true, '@avery', client.client_id])
      }

      const revoked = await oauth.revocationRequest(server, client, auth, next.refresh_token!, INSECURE)
      assert.equal(await oauth.processRevocationResponse(revoked), undefined)
      await assertTokenDies(app.address, next.access_token)
      await assert.rejects(
        async () => oauth.processRefreshTokenResponse(server, client, await renew(next.refresh_token!)),
        refusal('invalid_grant', 400),
      )
      await assert.rejects(
        async () => oauth.processAuthorizationCodeResponse(server, client, await exchange()),
        refusal('invalid_grant', 400),
      )
    })
  }
  await t.test('a wrong secret is reported as the library expects', async () => {
    const client = { client_id: kept.clientId }
    for (const auth of [oauth.ClientSecretBasic('wrong'), oauth.ClientSecretPost('wrong')]) {
      const response = await oauth.refreshTokenGrantRequest(server, client, auth, 'x', INSECURE)
      await assert.rejects(oauth.processRefreshTokenResponse(server, client, response), (error: unknown) => {
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError || error instanceof oauth.ResponseBodyError)
        assert.equal(error.status, 401)
        return true
      })
    }
  })
})

const refusal =
  (name: string, status: number) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof oauth.ResponseBodyError, String(error))
    assert.deepEqual([error.error, error.status], [name, status])
    return true
  }

test('oauth4webapi signs a device in', async (t) => {
  const app = await testApp(t)
  const server = await withOauth4webapi(app)
  const { clientId } = await registerApp(app, { key: 'tv', isPublic: true, isDeviceEnabled: true, redirectUris: [] })
  const client = { client_id: clientId }
  const auth = oauth.None()
  const asked = await oauth.deviceAuthorizationRequest(server, client, auth, { scope: 'user' }, INSECURE)
  const codes = await oauth.processDeviceAuthorizationResponse(server, client, asked)
  assert.deepEqual([codes.expires_in, codes.interval], [600, 5])
  const poll = async () => {
    const response = await oauth.deviceCodeGrantRequest(server, client, auth, codes.device_code, INSECURE)
    return oauth.processDeviceCodeResponse(server, client, response)
  }
  await assert.rejects(poll, refusal('authorization_pending', 400))
  await assert.rejects(poll, refusal('slow_down', 400))
  await allowDevice(app, codes.verification_uri_complete!)
  const tokens = await poll()
  assert.equal(await statusOf(app, tokens.access_token), 200)
  await assert.rejects(poll, refusal('invalid_grant', 400))
})

test('openid-client does the same by discovery alone', async (t) => {
  const app = await testApp(t)
  const { clientId, secret } = await registerApp(app, { key: 'logbook', isDeviceEnabled: true })
  const config = await openid.discovery(new URL(app.environment().url), clientId, secret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  assert.ok(config.serverMetadata().supportsPKCE())

  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const expectedState = openid.randomState()
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'user',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  })
  const back = await actAsPerson(app, address)
  const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState })
  assert.equal(tokens.expiresIn()! > 86_000, true)
  assert.equal(await statusOf(app, tokens.access_token), 200)

  const next = await openid.refreshTokenGrant(config, tokens.refresh_token!)
  const facts = await openid.tokenIntrospection(config, next.refresh_token!)
  assert.deepEqual([facts.active, facts.token_type], [true, 'refresh_token'])
  await openid.tokenRevocation(config, next.access_token)
  assert.deepEqual(await openid.tokenIntrospection(config, next.access_token), { active: false })
  await openid.tokenRevocation(config, next.refresh_token!, { token_type_hint: 'refresh_token' })
  await assert.rejects(openid.refreshTokenGrant(config, next.refresh_token!), { error: 'invalid_grant' })

  const codes = await openid.initiateDeviceAuthorization(config, { scope: 'user' })
  await allowDevice(app, codes.verification_uri_complete!)
  // The library waits for `interval` seconds before its first poll, so make it short.
  const device = await openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.01 })
  assert.equal(await statusOf(app, device.access_token), 200)

  const refused = await app
    .visitor()
    .get('/oauth/v2/signin', { ...Object.fromEntries(address.searchParams), prompt: 'none' })
  await assert.rejects(
    openid.authorizationCodeGrant(config, new URL(refused.location!), { pkceCodeVerifier, expectedState }),
    {
      error: 'login_required',
    },
  )
})

/** An HTTP request with the fields of `express` and of a session store that passport uses. */
type WebRequest = IncomingMessage & { query?: object; session?: object }

/** Starts a third-party web app that uses passport: it recognises visitors by a cookie, and shows who signed in. */
async function startWebApp(t: TestContext, { environment }: TestApp, { clientId, secret }: RegisteredApp) {
  const sessions = new Map<string, object>()
  const passport = new Passport()
  const listen: RequestListener = (request: WebRequest, response) => {
    const visitor = /visitor=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? String(sessions.size + 1)
    if (!sessions.has(visitor)) sessions.set(visitor, {})
    request.session = sessions.get(visitor)!
    request.query = Object.fromEntries(new URL(request.url!, 'http://localhost').searchParams)
    response.setHeader('set-cookie', `visitor=${visitor}`)
    const show = (status: number, body: unknown) => {
      response.statusCode = status
      response.end(JSON.stringify(body))
    }
    const authenticate = passport.authenticate('oauth2', (error: unknown, user: unknown, info: unknown) => {
      if (error) show(500, error)
      else if (user) show(200, user)
      else show(401, info)
    })
    authenticate(request, response, () => {})
  }
  const server = createServer(listen).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { url } = environment()
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${url}/oauth/v2/signin`,
      tokenURL: `${url}/oauth/v2/token`,
      clientID: clientId,
      clientSecret: secret,
      callbackURL: `${address}/callback`,
      state: true,
      // Means S256; the type declaration only allows a boolean here.
      pkce: true,
    },
    (
      accessToken: string,
      refreshToken: string,
      results: object,
      _profile: unknown,
      done: OAuth2Strategy.VerifyCallback,
    ) => done(null, { accessToken, refreshToken, results }),
  )
  passport.use(strategy)
  return address
}

test('passport-oauth2 signs people in to a web app, with state and PKCE', async (t) => {
  const app = await testApp(t)
  const registered = await registerApp(app, { key: 'web', redirectUris: ['http://127.0.0.1/callback'] })
  const address = await startWebApp(t, app, registered)
  const visitor = new TestBrowser(address)

  const away = await visitor.get('/login')
  assert.equal(away.status, 302, away.text)
  const back = await actAsPerson(app, away.location!)
  const seen = await visitor.send(String(back))
  assert.equal(seen.status, 200, seen.text)
  const { accessToken, refreshToken, results } = JSON.parse(seen.text)
  assert.equal(await statusOf(app, accessToken), 200)
  assert.match(refreshToken, /^gs_rt_/)
  assert.equal(results.expires_in, 86_400)

  // A redirect with the `state` of another visitor must be refused.
  const stranger = new TestBrowser(address)
  await stranger.get('/login')
  const again = await actAsPerson(app, (await visitor.get('/login')).location!)
  assert.equal((await stranger.send(String(again))).status, 401)

  const denying = await signedIn(app, 'blake')
  const page = await denying.send((await visitor.get('/login')).location!)
  const denied = await denying.submit(page, { decision: 'deny' })
  const told = await visitor.send(denied.location!)
  assert.equal(told.status, 401)
  assert.match(told.text, /did not allow/)

  const late = await actAsPerson(app, (await visitor.get('/login')).location!)
  app.advance(61_000)
  const refused = await visitor.send(String(late))
  assert.equal(refused.status, 500)
  assert.equal(JSON.parse(refused.text).code, 'invalid_grant')
})
