import { networkOf } from '../../kernel/bounds/networks.ts'
import type { Environment } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { findBearer } from '../../kernel/http/callers/bearer.ts'
import { anyone, appUser, person } from '../../kernel/http/callers/callers.ts'
import { withClientCredentials } from '../../kernel/http/callers/client-credentials.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, raw, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
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

const clientLimit = rateLimit('client', (config) => ({
  perSecond: config.RATE_CLIENT_PER_SECOND,
  burst: config.RATE_CLIENT_BURST,
}))

export const deskOf = (environment: Environment, request: HttpRequest, dialect: Dialect): TokenDesk => ({
  dialect,
  policy: environment.get(tokenPolicy),
  secretHashKeys: environment.get(secretHashKeys),
  audiences: [environment.url, `${environment.url}/oauth/v2/token`],
  // A public app has no secret, so anybody can use its client ID. Its limit is therefore per network, so that one
  // network cannot use up the limit of another.
  admit: ({ clientId, isPublic }) =>
    request.limit(environment.get(clientLimit), isPublic ? `${clientId} ${networkOf(request.ip)}` : clientId),
})

export const oauthOperations: readonly Operation[] = [
  op('POST /oauth/token', {
    name: 'requestTokens',
    summary: 'Get tokens',
    description:
      'Exchanges an authorization code or a refresh token for an access token and a new refresh token. A code works once, within 60 seconds. Each refresh replaces the refresh token: if the response is lost, repeat the request within 30 seconds, because a later repeat ends the session.',
    example: {
      request: {
        grant_type: 'authorization_code',
        code: CODE,
        redirect_uri: REDIRECT_URI,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
      },
      fill: { code: 'The code from the redirect to your redirect URI. It works once, within 60 seconds' },
    },
    input: TokenFields,
    from: 'either',
    requestHeaders: {
      Authorization: 'Basic base64(client_id:client_secret), unless they are sent as fields',
      clientId: "The app's client ID, if it is not sent as a field (client_id is read too)",
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
    summary: 'Sign out a user',
    description:
      'Ends the session that the refresh token or the access token belongs to. All tokens of that session stop working immediately; other sessions of the user continue. Send the refresh token as a field, or the access token as a Bearer token.',
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
    summary: 'Validate an access token',
    description:
      'Checks an access token that your app has stored. Returns the user of your app that it belongs to, and when it expires. An expired or revoked token gets the error that says so.',
    who: appUser,
    scope: null,
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
    summary: 'Validate a session',
    description:
      'Checks whether a session is still valid, even if its access token has expired. Call it when your app starts, to find out whether the user has to sign in again. The refresh token is not used up, and the response says when the session ends unless the app refreshes it.',
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
    summary: 'Sign in with Basic authentication',
    description:
      'Signs a user in with handle and password, for apps that cannot show a web page. An administrator must enable this for the app. The response body is empty and the tokens are in the headers; after several wrong passwords the account is locked for a while.',
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
    errors: ['notAuthorized', 'wrongCredentials', 'appNotUsable', 'permissionMissing', 'forbidden'],
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
    summary: 'Launch an app',
    description:
      "Returns the launch URL of an app, with a sign-in code for the caller, so that a dashboard can open another app without a second sign-in. Send the user's browser to the URL within a minute: the app redeems the code with its client secret. The user must have allowed the app before, and the app must not be a public client.",
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
