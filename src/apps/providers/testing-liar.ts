/** An OpenID provider that misbehaves as a test tells it to. Without lies, it signs everybody in without asking. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { TestBrowser } from '../../operations/testing/browser.ts'

interface Lifetime {
  after(end: () => Promise<void> | void): void
}

type Claims = Record<string, unknown>
type Answer = (response: ServerResponse, request: IncomingMessage) => unknown
type Endpoint = 'configuration' | 'authorize' | 'token' | 'jwks' | 'userinfo'

/** What the provider does differently. Each function gets what would be right, and returns what is sent. */
export interface Lies {
  readonly configuration?: (right: Claims) => Claims
  /** Changes the parameters of the response to the platform. */
  readonly response?: (right: Record<string, string>) => Record<string, string | undefined>
  /** Changes the claims of the ID token. A claim that becomes undefined is left out. */
  readonly claims?: (right: Claims) => Claims
  /** Makes the ID token. */
  readonly idToken?: (claims: Claims, liar: Liar) => Promise<string>
  /** Changes the response of the token endpoint. */
  readonly tokens?: (right: Claims) => Claims
  readonly userinfo?: (right: Claims) => unknown
  readonly jwks?: (right: Claims) => unknown
  /** Endpoints that respond in another way: see `answers`. */
  readonly answers?: Partial<Record<Endpoint, Answer>>
  /** True if a code can be redeemed more than once, by everybody and without its verifier. */
  readonly takesEveryCode?: boolean
}

export interface Liar {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The claims about the person who signs in next. */
  person: Claims
  /** What the provider does differently from now on. */
  lies: Lies
  /** Signs a JWT with a key that is not published, or by default with the published one. */
  sign(claims: Claims, options?: { readonly isUnknown?: boolean; readonly kid?: string }): Promise<string>
  /** The published key, as PEM and as text of a JWK. */
  publicKey(): Promise<{ readonly pem: string; readonly jwk: string }>
  /** Replaces the key: only the new one is published. */
  rotate(): Promise<void>
  /** The requests that were received, such as `POST /token`, with their bodies. */
  readonly received: { readonly name: string; readonly body: string }[]
}

const CLIENT_ID = 'groundschool'
const CLIENT_SECRET = 'client-secret-that-the-liar-has-issued-0123456789'

/** Ways to respond that no provider should have. */
export const answers = {
  /** Takes the request and never responds. */
  hang: () => {},
  close: (response) => response.destroy(),
  fail: (response) => response.writeHead(500).end('{"error":"server_error"}'),
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to the portal</h1>'),
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":[')
    const more = () => {
      if (!response.destroyed && response.write('{"kty":"RSA"},'.repeat(1000))) setImmediate(more)
    }
    response.on('drain', more)
    more()
  },
  huge: (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: [], padding: 'x'.repeat(1024 * 1024) })),
  empty: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
} satisfies Record<string, Answer>

export const redirectTo =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end()

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** ID tokens that are not signed with the provider's private key. */
export const forgeries: Readonly<Record<string, (claims: Claims, liar: Liar) => Promise<string>>> = {
  'alg none': async (claims) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`,
  'alg none with a signature': async (claims, liar) => {
    const [, payload, signature] = (await liar.sign(claims)).split('.')
    return `${encode({ alg: 'none', typ: 'JWT', kid: 'key-1' })}.${payload}.${signature}`
  },
  'HS256 with the client secret': (claims) => signHs256(claims, CLIENT_SECRET),
  'HS256 with the public key as PEM': async (claims, liar) => signHs256(claims, (await liar.publicKey()).pem),
  'HS256 with the public key as JWK': async (claims, liar) => signHs256(claims, (await liar.publicKey()).jwk),
  'a key that is not published': (claims, liar) => liar.sign(claims, { isUnknown: true, kid: 'unknown' }),
  'a key that is not published, under the name of one that is': (claims, liar) =>
    liar.sign(claims, { isUnknown: true }),
  'a signature of other claims': async (claims, liar) => {
    const [head, , signature] = (await liar.sign({ ...claims, sub: 'somebody else' })).split('.')
    return `${head}.${encode(claims)}.${signature}`
  },
  'no signature': async (claims, liar) => `${(await liar.sign(claims)).split('.').slice(0, 2).join('.')}.`,
}

const signHs256 = (claims: Claims, secret: string): Promise<string> =>
  new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(Buffer.from(secret))

interface Grant {
  readonly clientId: string | null
  readonly nonce: string | null
  readonly challenge: string | null
  readonly redirectUri: string | null
  readonly person: Claims
}

const makeKey = (): Promise<GenerateKeyPairResult> => generateKeyPair('ES256', { extractable: true })

export async function startLiar(t: Lifetime, person: Claims = { sub: 'kim' }): Promise<Liar> {
  let key = await makeKey()
  let number = 1
  const stranger = makeKey()
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, Claims>()
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const url = new URL(request.url!, liar.issuer)
    liar.received.push({ name: `${request.method} ${url.pathname}`, body })
    await respond(url, new URLSearchParams(body), request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const liar: Liar = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    person,
    lies: {},
    received: [],
    sign: async (claims, { isUnknown = false, kid = `key-${number}` } = {}) =>
      new SignJWT(claims as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
        .sign((isUnknown ? await stranger : key).privateKey),
    publicKey: async () => ({
      pem: await exportSPKI(key.publicKey),
      jwk: JSON.stringify(await exportJWK(key.publicKey)),
    }),
    rotate: async () => {
      key = await makeKey()
      number++
    },
  }

  const paths: Readonly<Record<string, Endpoint>> = {
    '/.well-known/openid-configuration': 'configuration',
    '/authorize': 'authorize',
    '/token': 'token',
    '/jwks': 'jwks',
    '/userinfo': 'userinfo',
  }

  async function respond(
    url: URL,
    fields: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const endpoint = paths[url.pathname]
    if (endpoint === undefined) return void response.writeHead(404).end()
    const { lies } = liar
    const instead = lies.answers?.[endpoint]
    if (instead) return void instead(response, request)
    const json = (value: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (endpoint === 'configuration') return json((lies.configuration ?? ((right) => right))(describe()))
    if (endpoint === 'jwks') {
      const right = { keys: [{ ...(await exportJWK(key.publicKey)), kid: `key-${number}`, alg: 'ES256', use: 'sig' }] }
      return json(lies.jwks ? lies.jwks(right) : right)
    }
    if (endpoint === 'authorize') return void response.writeHead(302, { location: authorize(url.searchParams) }).end()
    if (endpoint === 'token') return json(...(await redeem(fields, request)))
    const known = tokens.get(request.headers.authorization?.replace(/^Bearer /i, '') ?? '')
    if (!known) return json({ error: 'invalid_token' }, 401)
    return json(lies.userinfo ? lies.userinfo(known) : known)
  }

  const describe = (): Claims => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256', 'HS256', 'none'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
  })

  function authorize(query: URLSearchParams): string {
    const code = randomUUID()
    codes.set(code, {
      clientId: query.get('client_id'),
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
      redirectUri: query.get('redirect_uri'),
      person: liar.person,
    })
    const right = { code, state: query.get('state') ?? '', iss: issuer }
    const sent = Object.entries(liar.lies.response?.(right) ?? right).filter(([, value]) => value !== undefined)
    return `${query.get('redirect_uri')}?${new URLSearchParams(sent as [string, string][])}`
  }

  async function redeem(fields: URLSearchParams, request: IncomingMessage): Promise<[object, number?]> {
    const { lies } = liar
    const code = fields.get('code') ?? ''
    const grant = codes.get(code) ?? (lies.takesEveryCode ? [...codes.values()].at(-1) : undefined)
    if (!lies.takesEveryCode) codes.delete(code)
    // RFC 6749 §2.3.1: both parts are encoded like form fields.
    const sent = Buffer.from(request.headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
    if (decodeURIComponent(sent) !== `${CLIENT_ID}:${CLIENT_SECRET}`) return [{ error: 'invalid_client' }, 401]
    const isVerified =
      lies.takesEveryCode || (await challengeOf(fields.get('code_verifier') ?? '')) === grant?.challenge
    if (!grant || !isVerified || grant.redirectUri !== fields.get('redirect_uri'))
      return [{ error: 'invalid_grant' }, 400]
    const now = secondsNow()
    const accessToken = randomUUID()
    tokens.set(accessToken, grant.person)
    const right = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300, nonce: grant.nonce, ...grant.person }
    const claims = lies.claims?.(right) ?? right
    const idToken = lies.idToken ? await lies.idToken(claims, liar) : await liar.sign(claims)
    const tokensSent = { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken }
    return [lies.tokens?.(tokensSent) ?? tokensSent]
  }

  return liar
}

const challengeOf = async (verifier: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')

/** Opens an authorization URL at a liar, and returns the URL of the platform to which it redirects at once. */
export async function passThrough(browser: TestBrowser, authorizationUrl: string): Promise<URL> {
  const { location, text: shown } = await browser.send(authorizationUrl)
  if (location === undefined) throw new Error(`The liar does not redirect: ${shown}`)
  return new URL(location)
}
