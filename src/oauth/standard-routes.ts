import type { FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { withClientCredentials } from '../http/client-credentials.ts'
import { type Operation, openOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/success.ts'
import { introspectToken } from './introspect.ts'
import { describeServer, SCOPE } from './metadata.ts'
import { revokeToken } from './revoke.ts'
import { CLIENT_ERRORS, deskOf } from './routes.ts'
import {
  IntrospectionFields,
  NoFields,
  RevocationFields,
  ServerMetadata,
  StandardTokenAnswer,
  StandardTokenFields,
  TokenFacts,
} from './schema.ts'
import { identifyClient, requestTokens } from './token.ts'

/** Fields travel in the body alone: addresses end up in logs (RFC 6749 §2.3.1, §3.2). */
const byTheBook = { area: 'Sign-in', place: 'body only', errorForm: 'rfc' } as const
const requestHeaders = { Authorization: 'Basic base64(client_id:client_secret), where they are no fields' }

const desk = (environment: Environment, request: FastifyRequest) => deskOf(environment, request, 'rfc')

/** The same core by the book, for OAuth libraries: they find everything else through the metadata. */
export const standardOperations: readonly Operation[] = [
  openOperation({
    ...byTheBook,
    name: 'readServerMetadata',
    summary: 'What OAuth libraries need to know of this server (RFC 8414)',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    place: 'query',
    input: NoFields,
    answer: ServerMetadata,
    answerHeaders: { 'cache-control': 'May be kept for five minutes' },
    errors: [],
    headersOf: () => ({ 'cache-control': 'public, max-age=300' }),
    run: async ({ environment }) => describeServer(environment.url),
  }),
  openOperation({
    ...byTheBook,
    name: 'requestStandardTokens',
    summary: 'Turns a code, a refresh token or a device code into tokens (RFC 6749, RFC 7636, RFC 8628)',
    method: 'POST',
    path: '/oauth/v2/token',
    input: StandardTokenFields,
    requestHeaders,
    answer: StandardTokenAnswer,
    answerHeaders: { pragma: 'no-cache' },
    errors: [
      ...CLIENT_ERRORS,
      'alreadyUsed',
      'unknownCode',
      'tokenInvalid',
      'permissionMissing',
      'impossibleNow',
      'forbidden',
    ],
    headersOf: () => ({ pragma: 'no-cache' }),
    run: async ({ db, who, environment, request }, input) => {
      const tokens = await requestTokens(db, who, withClientCredentials(request, input), desk(environment, request))
      return {
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken,
        token_type: 'Bearer',
        expires_in: tokens.expiresInSeconds,
        scope: SCOPE,
      }
    },
  }),
  openOperation({
    ...byTheBook,
    name: 'revokeToken',
    summary: 'Takes a token back: with a refresh token the session ends, an access token ends alone (RFC 7009)',
    method: 'POST',
    path: '/oauth/v2/revoke',
    input: RevocationFields,
    requestHeaders,
    answer: Success,
    errors: CLIENT_ERRORS,
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      await revokeToken(db, who, client, input, environment.tokenPolicy, environment.forget)
      return SUCCESS
    },
  }),
  openOperation({
    ...byTheBook,
    name: 'introspectToken',
    summary: 'Tells an app with a secret what a token of its own is worth now (RFC 7662)',
    method: 'POST',
    path: '/oauth/v2/introspect',
    input: IntrospectionFields,
    requestHeaders,
    answer: TokenFacts,
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      return introspectToken(db, who, client, input, { policy: environment.tokenPolicy, issuer: environment.url })
    },
  }),
]
