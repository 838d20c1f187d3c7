import type { Environment } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { anyone } from '../../kernel/http/callers/callers.ts'
import { withClientCredentials } from '../../kernel/http/callers/client-credentials.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { showUserCode, startDevice } from '../devices/devices.ts'
import { examples } from './examples.ts'
import { introspectToken } from './introspect.ts'
import { describeServer, SCOPE } from './metadata.ts'
import { revokeToken } from './revoke.ts'
import { CLIENT_ERRORS, deskOf } from './routes.ts'
import {
  DeviceCodes,
  DeviceFields,
  IntrospectionFields,
  RevocationFields,
  ServerMetadata,
  StandardTokenAnswer,
  StandardTokenFields,
  TokenFacts,
} from './schema.ts'
import { identifyClient, requestTokens } from './token.ts'

/** Fields travel in the body alone: addresses end up in logs (RFC 6749 §2.3.1, §3.2). */
const byTheBook = { area: 'Sign-in', from: 'body only', errorForm: 'rfc' } as const
const requestHeaders = { Authorization: 'Basic base64(client_id:client_secret), where they are no fields' }

const desk = (environment: Environment, request: HttpRequest) => deskOf(environment, request, 'rfc')

/** The same core by the book, for OAuth libraries: they find everything else through the metadata. */
export const standardOperations: readonly Operation[] = [
  operation({
    who: anyone,
    ...byTheBook,
    name: 'readServerMetadata',
    ...examples.readServerMetadata,
    summary: 'Returns the OAuth server metadata (RFC 8414)',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    from: 'query',
    input: Nothing,
    output: json(ServerMetadata, {
      headers: { 'cache-control': 'May be kept for five minutes' },
      headersOf: () => ({ 'cache-control': 'public, max-age=300' }),
    }),
    errors: [],
    run: async ({ environment }) => describeServer(environment.url),
  }),
  operation({
    who: anyone,
    ...byTheBook,
    name: 'requestStandardTokens',
    ...examples.requestStandardTokens,
    summary: 'Turns a code, a refresh token or a device code into tokens (RFC 6749, RFC 7636, RFC 8628)',
    method: 'POST',
    path: '/oauth/v2/token',
    input: StandardTokenFields,
    requestHeaders,
    output: json(StandardTokenAnswer, { headers: { pragma: 'no-cache' }, headersOf: () => ({ pragma: 'no-cache' }) }),
    errors: [
      ...CLIENT_ERRORS,
      'alreadyUsed',
      'unknownCode',
      'tokenInvalid',
      'permissionMissing',
      'impossibleNow',
      'forbidden',
    ],
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
  operation({
    who: anyone,
    ...byTheBook,
    name: 'revokeToken',
    ...examples.revokeToken,
    summary: 'Revokes a token: a refresh token ends the session, an access token only itself (RFC 7009)',
    method: 'POST',
    path: '/oauth/v2/revoke',
    input: RevocationFields,
    requestHeaders,
    output: success(),
    errors: CLIENT_ERRORS,
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      return revokeToken(db, who, client, input, environment.get(tokenPolicy), environment.get(forgetting))
    },
  }),
  operation({
    who: anyone,
    ...byTheBook,
    name: 'introspectToken',
    ...examples.introspectToken,
    summary: 'Tells an app whether one of its tokens is valid, and whose it is (RFC 7662)',
    method: 'POST',
    path: '/oauth/v2/introspect',
    input: IntrospectionFields,
    requestHeaders,
    output: json(TokenFacts),
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      return introspectToken(db, who, client, input, { policy: environment.get(tokenPolicy), issuer: environment.url })
    },
  }),
  operation({
    ...byTheBook,
    who: anyone,
    name: 'startDevice',
    ...examples.startDevice,
    summary: 'Starts a sign-in on a device without a browser (RFC 8628)',
    method: 'POST',
    path: '/oauth/v2/device/authorize',
    input: DeviceFields,
    requestHeaders,
    output: json(DeviceCodes),
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      const started = await startDevice(db, who, client, { device: request.device }, environment.name)
      const userCode = showUserCode(started.userCode)
      return {
        device_code: started.deviceCode,
        user_code: userCode,
        verification_uri: `${environment.url}/device`,
        verification_uri_complete: `${environment.url}/device?user_code=${userCode}`,
        expires_in: started.expiresInSeconds,
        interval: started.intervalSeconds,
      }
    },
  }),
]
