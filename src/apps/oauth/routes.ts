import { networkOf } from '../../kernel/bounds/networks.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { findBearer } from '../../kernel/http/callers/bearer.ts'
import { anyone, appUser, person } from '../../kernel/http/callers/callers.ts'
import { withClientCredentials } from '../../kernel/http/callers/client-credentials.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, raw, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { CLIENT_ID, CLIENT_SECRET, CODE, PASSWORD, REDIRECT_URI, REFRESH_TOKEN } from '../../kernel/samples.ts'
import { type TokenPair, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { sayDuration, TOKEN_HEADERS, tokenHeaders } from '../../kernel/sessions/token-headers.ts'
import { secretHashKeys } from '../apps/secrets.ts'
import type { Dialect } from './authorize.ts'
import { signInWithBasic } from './basic.ts'
import { launchApp } from './launch.ts'
import { logOut, validateSession } from './logout.ts'
import {
  LaunchAnswer,
  LaunchFields,
  LogoutFields,
  SessionFields,
  SessionState,
  TokenAnswer,
  TokenFields,
  TokenState,
} from './schema.ts'
import { requestTokens, type TokenDesk } from './token.ts'

const op = operationsIn({ area: 'Sign-in', who: anyone })

/** The errors of every operation that authenticates an app. */
export const CLIENT_ERRORS = ['wrongCredentials', 'unknownClient', 'appNotUsable', 'notAuthorized'] as const

const clientLimit = service(
  ({ config }) => new RateLimiter('client', config.RATE_CLIENT_PER_SECOND, config.RATE_CLIENT_BURST),
)

export const deskOf = (environment: Environment, request: HttpRequest, dialect: Dialect): TokenDesk => ({
  dialect,
  policy: environment.get(tokenPolicy),
  secretHashKeys: environment.get(secretHashKeys),
  // A public app has no secret, so anybody can use its client ID. Its limit is therefore per network, so that one
  // network cannot use up the limit of another.
  admit: ({ clientId, isPublic }) =>
    request.limit(environment.get(clientLimit), isPublic ? `${clientId} ${networkOf(request.ip)}` : clientId),
})

export const oauthOperations: readonly Operation[] = [
  op('POST /oauth/token', {
    name: 'requestTokens',
    summary: 'Turns a code, or a refresh token, into an access token and a refresh token',
    description:
      'Exchange the code that a person brought back to your app, and refresh before the access token expires. A code works once, within 60 seconds. Each refresh replaces the refresh token: if the answer got lost, repeat it within 30 seconds, because a later repeat ends the session.',
    example: {
      request: {
        grant_type: 'authorization_code',
        code: CODE,
        redirect_uri: REDIRECT_URI,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
      },
      fill: { code: 'The code that sign-in brought to your redirect URI. It works once, within 60 seconds' },
    },
    input: TokenFields,
    from: 'either',
    requestHeaders: {
      Authorization: 'Basic base64(client_id:client_secret), unless they are sent as fields',
      clientId: "The app's client ID, where it is not a field (client_id is read too)",
    },
    output: json(TokenAnswer, {
      headers: TOKEN_HEADERS,
      headersOf: tokenHeaders,
      present: ({ accessToken, refreshToken, expiresInSeconds }: TokenPair) =>
        JSON.stringify({
          access_token: accessToken,
          refresh_token: refreshToken,
          expires_in: sayDuration(expiresInSeconds),
          token_type: 'Bearer',
        }),
    }),
    errors: [...CLIENT_ERRORS, 'alreadyUsed', 'unknownCode', 'tokenInvalid'],
    errorForm: 'oauth',
    run: ({ db, who, environment, request }, input) =>
      requestTokens(db, who, withClientCredentials(request, input), deskOf(environment, request, 'own')),
  }),
  op('POST /oauth/logout', {
    name: 'logOut',
    summary: 'Ends a session: the one that the refresh token or the access token belongs to',
    description:
      'Call this when the user logs out of your app. All tokens of the session stop working at once; other sessions of the user go on. Send the refresh token, or the access token as a Bearer token.',
    input: LogoutFields,
    from: 'either',
    requestHeaders: { Authorization: 'Bearer <access token>, unless refresh_token is sent' },
    output: success(),
    errors: ['tokenInvalid', 'notAuthorized'],
    run: async ({ db, who, environment, request }, input) => {
      const token = input.refresh_token === undefined ? findBearer(request, false) : undefined
      return logOut(
        db,
        who,
        { refreshToken: input.refresh_token, accessToken: token },
        environment.get(tokenPolicy),
        environment.get(forgetting),
      )
    },
  }),
  op('GET /oauth/token/validate', {
    name: 'validateToken',
    summary: 'Checks whether an access token is still valid',
    description:
      'Use it to check an access token that your app has kept. The answer says which user of your app it belongs to and when it expires. A token that has expired or was revoked gets the error that says so.',
    who: appUser,
    input: Nothing,
    output: json(TokenState),
    run: async ({ who }) => ({
      valid: true,
      userId: who.userId,
      expiresDate: new Date(who.tokenExpiresAtMs).toISOString(),
    }),
  }),
  op('GET /oauth/session/validate', {
    name: 'validateSession',
    summary: 'Checks whether a session is still valid, even if its access token has expired',
    description:
      'Use it when your app starts, to find out whether the user has to sign in again. The refresh token is not used up. The answer says when the session ends unless the app refreshes it.',
    example: { request: { refresh_token: REFRESH_TOKEN }, fill: { refresh_token: 'A refresh token of your app' } },
    input: SessionFields,
    requestHeaders: { Authorization: 'Bearer <access token>, unless refresh_token is sent' },
    output: json(SessionState),
    errors: ['tokenInvalid', 'notAuthorized', 'alreadyUsed', 'appNotUsable', 'consentMissing'],
    run: ({ db, who, environment, request }, input) => {
      const token = input.refresh_token === undefined ? findBearer(request, false) : undefined
      return validateSession(
        db,
        who,
        { refreshToken: input.refresh_token, accessToken: token },
        environment.get(tokenPolicy),
      )
    },
  }),
  op('GET /auth/basic', {
    name: 'signInWithBasic',
    summary: 'Signs a person in with handle and password, if an administrator has enabled this for the app',
    description:
      'For apps that cannot show a web page; an administrator must have enabled it for the app. The body of the answer is empty: the tokens are in its headers. After a few wrong passwords the account is locked for a while.',
    example: {
      headers: { Authorization: 'Basic QGF2ZXJ5Omdyb3VuZHNjaG9vbA==', clientId: CLIENT_ID },
      pair: { key: '@avery', secret: PASSWORD },
    },
    input: Nothing,
    requestHeaders: {
      Authorization: 'Basic base64(handle:password)',
      clientId: "The app's client ID (client_id is read too)",
    },
    output: raw({ 200: { about: 'Done' } }, TOKEN_HEADERS),
    errors: ['notAuthorized', 'wrongCredentials', 'appNotUsable', 'permissionMissing'],
    run: async ({ db, who, environment, request }) => {
      const sent = {
        clientId: request.oneHeader('clientid', 'client_id'),
        authorization: request.oneHeader('authorization'),
        device: request.device,
      }
      const tokens = await signInWithBasic(db, who, sent, environment.get(tokenPolicy))
      return { status: 200, headers: tokenHeaders(tokens) }
    },
  }),
  op('POST /account/v1/launch', {
    name: 'launchApp',
    summary: 'Returns the launch address of an app, with a sign-in code for the caller',
    description:
      "A dashboard calls this to open a lesson in another app without a second sign-in. Send the person's browser to the address within a minute: the app redeems the code with its secret, like any other code. The person must have allowed the app before, and the app must not be public.",
    example: { request: { clientId: CLIENT_ID, launchUri: 'http://127.0.0.1/callback?lesson=crosswind-landings' } },
    who: person,
    area: 'Account',
    input: LaunchFields,
    output: json(LaunchAnswer),
    // The response contains a code, which must not be stored with an idempotency key.
    refusesIdempotencyKey: true,
    errors: ['impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchApp(db, who, input, environment.get(tokenPolicy)),
  }),
]
