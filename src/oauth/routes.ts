import type { FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { admitClient } from '../http/admit.ts'
import { findBearer } from '../http/authenticate.ts'
import { oneHeader, withClientCredentials } from '../http/client-credentials.ts'
import { type Operation, openOperation, personOperation, userOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/success.ts'
import { sayDuration, TOKEN_HEADERS, tokenHeaders } from '../sessions/token-headers.ts'
import type { Dialect } from './authorize.ts'
import { signInWithBasic } from './basic.ts'
import { launchApp } from './launch.ts'
import { logOut, validateSession } from './logout.ts'
import {
  EmptyAnswer,
  LaunchAnswer,
  LaunchFields,
  LogoutFields,
  NoFields,
  SessionFields,
  SessionState,
  TokenAnswer,
  TokenFields,
  TokenState,
} from './schema.ts'
import { requestTokens, type TokenDesk } from './token.ts'

/** What every operation of an app that proves itself may refuse with. */
export const CLIENT_ERRORS = ['wrongCredentials', 'unknownClient', 'appNotUsable', 'notAuthorized'] as const

export const deskOf = (environment: Environment, request: FastifyRequest, dialect: Dialect): TokenDesk => ({
  dialect,
  policy: environment.tokenPolicy,
  secretHashKey: environment.secretHashKey,
  admit: (client) => admitClient(environment, request, client),
})

export const oauthOperations: readonly Operation[] = [
  openOperation({
    name: 'requestTokens',
    summary: 'Turns a code, or a refresh token, into an access token and a refresh token',
    method: 'POST',
    path: '/oauth/token',
    area: 'Sign-in',
    input: TokenFields,
    place: 'either',
    requestHeaders: { clientId: "The app's client ID, where it is not a field (client_id is read too)" },
    answer: TokenAnswer,
    answerHeaders: TOKEN_HEADERS,
    errors: [...CLIENT_ERRORS, 'alreadyUsed', 'unknownCode', 'tokenInvalid'],
    errorForm: 'oauth',
    present: ({ accessToken, refreshToken, expiresInSeconds }) =>
      JSON.stringify({
        access_token: accessToken,
        refresh_token: refreshToken,
        expires_in: sayDuration(expiresInSeconds),
        token_type: 'Bearer',
      }),
    headersOf: tokenHeaders,
    run: ({ db, who, environment, request }, input) =>
      requestTokens(db, who, withClientCredentials(request, input), deskOf(environment, request, 'own')),
  }),
  openOperation({
    name: 'logOut',
    summary: 'Ends a session at once: the one of the refresh token, or of the Bearer token',
    method: 'POST',
    path: '/oauth/logout',
    area: 'Sign-in',
    input: LogoutFields,
    place: 'either',
    answer: Success,
    errors: ['tokenInvalid', 'notAuthorized'],
    run: async ({ db, who, environment, request }, input) => {
      const token = input.refresh_token === undefined ? findBearer(request, false) : undefined
      await logOut(
        db,
        who,
        { refreshToken: input.refresh_token, accessToken: token },
        environment.tokenPolicy,
        environment.forget,
      )
      return SUCCESS
    },
  }),
  userOperation({
    name: 'validateToken',
    summary: 'Tells whether an access token still holds',
    method: 'GET',
    path: '/oauth/token/validate',
    area: 'Sign-in',
    input: NoFields,
    place: 'query',
    answer: TokenState,
    errors: [],
    run: async ({ who }) => ({
      valid: true,
      userId: who.userId,
      expiresDate: new Date(who.tokenExpiresAtMs).toISOString(),
    }),
  }),
  openOperation({
    name: 'validateSession',
    summary:
      'Tells whether a session still holds: the one of the refresh token, or of the Bearer token, which may have expired',
    method: 'GET',
    path: '/oauth/session/validate',
    area: 'Sign-in',
    input: SessionFields,
    place: 'query',
    answer: SessionState,
    errors: ['tokenInvalid', 'notAuthorized', 'alreadyUsed', 'appNotUsable', 'consentMissing'],
    run: ({ db, who, environment, request }, input) => {
      const token = input.refresh_token === undefined ? findBearer(request, false) : undefined
      return validateSession(
        db,
        who,
        { refreshToken: input.refresh_token, accessToken: token },
        environment.tokenPolicy,
      )
    },
  }),
  openOperation({
    name: 'signInWithBasic',
    summary: 'Signs a person in with handle and password, for apps that an administrator has allowed to',
    method: 'GET',
    path: '/auth/basic',
    area: 'Sign-in',
    input: NoFields,
    place: 'query',
    requestHeaders: {
      Authorization: 'Basic base64(handle:password)',
      clientId: "The app's client ID (client_id is read too)",
    },
    answer: EmptyAnswer,
    answerHeaders: TOKEN_HEADERS,
    errors: ['notAuthorized', 'wrongCredentials', 'appNotUsable', 'permissionMissing'],
    present: () => '',
    headersOf: tokenHeaders,
    run: ({ db, who, environment, request }) =>
      signInWithBasic(
        db,
        who,
        {
          clientId: oneHeader(request, 'clientid', 'client_id'),
          authorization: oneHeader(request, 'authorization'),
          device: String(request.headers['user-agent'] ?? '').slice(0, 200),
        },
        environment.tokenPolicy,
      ),
  }),
  personOperation({
    name: 'launchApp',
    summary:
      'Gives the address that opens a lesson in its app: the launch address, with a code for the person who asks',
    method: 'POST',
    path: '/account/v1/launch',
    area: 'Account',
    input: LaunchFields,
    place: 'body',
    answer: LaunchAnswer,
    errors: ['impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchApp(db, who, input, environment.tokenPolicy),
  }),
]
