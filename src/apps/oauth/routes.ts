import { passwordSeal } from '../../identity/people/password-seals.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { findBearer } from '../../kernel/http/callers/bearer.ts'
import { anyone, appUser, person } from '../../kernel/http/callers/callers.ts'
import { withClientCredentials } from '../../kernel/http/callers/client-credentials.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { empty, json, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { type TokenPair, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { sayDuration, TOKEN_HEADERS, tokenHeaders } from '../../kernel/sessions/token-headers.ts'
import { secretHashKey } from '../apps/secrets.ts'
import type { Dialect } from './authorize.ts'
import { signInWithBasic } from './basic.ts'
import { examples } from './examples.ts'
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

/** What every operation of an app that proves itself may refuse with. */
export const CLIENT_ERRORS = ['wrongCredentials', 'unknownClient', 'appNotUsable', 'notAuthorized'] as const

const clientLimit = service(
  ({ config }) => new RateLimiter('client', config.RATE_CLIENT_PER_SECOND, config.RATE_CLIENT_BURST),
)

export const deskOf = (environment: Environment, request: HttpRequest, dialect: Dialect): TokenDesk => ({
  dialect,
  policy: environment.get(tokenPolicy),
  secretHashKey: environment.get(secretHashKey),
  // A public app proves nothing, so there each network counts for itself, or one could spend what is another's.
  admit: ({ clientId, isPublic }) =>
    request.limit(environment.get(clientLimit), isPublic ? `${clientId} ${networkOf(request.ip)}` : clientId),
})

export const oauthOperations: readonly Operation[] = [
  operation({
    who: anyone,
    name: 'requestTokens',
    ...examples.requestTokens,
    summary: 'Turns a code, or a refresh token, into an access token and a refresh token',
    method: 'POST',
    path: '/oauth/token',
    area: 'Sign-in',
    input: TokenFields,
    from: 'either',
    requestHeaders: {
      Authorization: 'Basic base64(client_id:client_secret), where they are no fields',
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
  operation({
    who: anyone,
    name: 'logOut',
    ...examples.logOut,
    summary: 'Ends a session: the one that the refresh token or the access token belongs to',
    method: 'POST',
    path: '/oauth/logout',
    area: 'Sign-in',
    input: LogoutFields,
    from: 'either',
    requestHeaders: { Authorization: 'Bearer <access token>, where there is no refresh_token' },
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
  operation({
    who: appUser,
    name: 'validateToken',
    ...examples.validateToken,
    summary: 'Checks whether an access token is still valid',
    method: 'GET',
    path: '/oauth/token/validate',
    area: 'Sign-in',
    input: Nothing,
    from: 'query',
    output: json(TokenState),
    errors: [],
    run: async ({ who }) => ({
      valid: true,
      userId: who.userId,
      expiresDate: new Date(who.tokenExpiresAtMs).toISOString(),
    }),
  }),
  operation({
    who: anyone,
    name: 'validateSession',
    ...examples.validateSession,
    summary: 'Checks whether a session is still valid, even if its access token has expired',
    method: 'GET',
    path: '/oauth/session/validate',
    area: 'Sign-in',
    input: SessionFields,
    from: 'query',
    requestHeaders: { Authorization: 'Bearer <access token>, where there is no refresh_token' },
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
  operation({
    who: anyone,
    name: 'signInWithBasic',
    ...examples.signInWithBasic,
    summary: 'Signs a person in with handle and password, if an administrator has enabled this for the app',
    method: 'GET',
    path: '/auth/basic',
    area: 'Sign-in',
    input: Nothing,
    from: 'query',
    requestHeaders: {
      Authorization: 'Basic base64(handle:password)',
      clientId: "The app's client ID (client_id is read too)",
    },
    output: empty(200, { headers: TOKEN_HEADERS, headersOf: tokenHeaders }),
    errors: ['notAuthorized', 'wrongCredentials', 'appNotUsable', 'permissionMissing'],
    run: ({ db, who, environment, request }) =>
      signInWithBasic(
        db,
        who,
        {
          clientId: request.oneHeader('clientid', 'client_id'),
          authorization: request.oneHeader('authorization'),
          device: request.device,
        },
        environment.get(tokenPolicy),
        environment.get(passwordSeal),
      ),
  }),
  operation({
    who: person,
    name: 'launchApp',
    ...examples.launchApp,
    summary: 'Returns the launch address of an app, with a sign-in code for the caller',
    method: 'POST',
    path: '/account/v1/launch',
    area: 'Account',
    input: LaunchFields,
    from: 'body',
    output: json(LaunchAnswer),
    // It carries a code.
    isUnrepeatable: true,
    errors: ['impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchApp(db, who, input, environment.get(tokenPolicy)),
  }),
]
