import type { Environment } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { anyone } from '../../kernel/http/callers/callers.ts'
import { withClientCredentials } from '../../kernel/http/callers/client-credentials.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import {
  ACCESS_TOKEN,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE,
  CODE_VERIFIER,
  REDIRECT_URI,
  REFRESH_TOKEN,
} from '../../kernel/samples.ts'
import { showScopes } from '../../kernel/scopes.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { showUserCode, startDevice } from '../devices/devices.ts'
import { findIdToken } from './id-token.ts'
import { introspectToken } from './introspect.ts'
import { describeServer } from './metadata.ts'
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

const op = operationsIn({ area: 'Sign-in', who: anyone })

/** Fields must be in the body, because URLs may be written to logs (RFC 6749 §2.3.1, §3.2). */
const byTheBook = { from: 'body only', errorForm: 'rfc' } as const
const requestHeaders = { Authorization: 'Basic base64(client_id:client_secret), unless they are sent as fields' }

const desk = (environment: Environment, request: HttpRequest) => deskOf(environment, request, 'rfc')

const metadata = {
  errorForm: 'rfc',
  input: Nothing,
  output: json(ServerMetadata, {
    headers: { 'cache-control': 'May be cached for five minutes' },
    headersOf: () => ({ 'cache-control': 'public, max-age=300' }),
  }),
  run: async ({ environment }: { environment: Environment }) => describeServer(environment.url),
} as const

/**
 * The OAuth operations exactly as the RFCs define them. OAuth libraries discover them through the server metadata.
 */
export const standardOperations: readonly Operation[] = [
  op('GET /.well-known/oauth-authorization-server', {
    name: 'readServerMetadata',
    summary: 'Get OAuth server metadata',
    description:
      'Returns the authorization server metadata (RFC 8414). Give a standard OAuth library the URL of this platform, and it finds every other endpoint here. The response is the same for every caller and may be cached for five minutes.',
    ...metadata,
  }),
  op('GET /.well-known/openid-configuration', {
    name: 'readProviderMetadata',
    summary: 'Get OpenID provider metadata',
    description:
      'Returns the metadata of the OpenID provider (OpenID Connect Discovery). Give an OpenID library the URL of this platform as the issuer, and it finds everything else here. The response is the same for every caller and may be cached for five minutes.',
    ...metadata,
  }),
  op('POST /oauth/v2/token', {
    name: 'requestStandardTokens',
    summary: 'Get tokens (v2)',
    description:
      'Exchanges an authorization code, a refresh token or a device code for tokens, exactly as the standards say (RFC 6749, RFC 7636, RFC 8628). Codes require PKCE. A device polls with its device code, waiting `interval` seconds between requests, until the user has allowed or denied it.',
    example: {
      request: {
        grant_type: 'authorization_code',
        code: CODE,
        code_verifier: CODE_VERIFIER,
        redirect_uri: REDIRECT_URI,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
      },
      fill: { code: 'The code from the redirect to your redirect URI. It works once, within 60 seconds' },
    },
    ...byTheBook,
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
      const idToken = await findIdToken(db, who, tokens, environment)
      return {
        access_token: tokens.accessToken,
        // Without `offline_access`, an app that asked for `openid` has access only as long as the access token.
        ...(tokens.mayRefresh && { refresh_token: tokens.refreshToken }),
        token_type: 'Bearer',
        expires_in: tokens.expiresInSeconds,
        scope: showScopes(tokens.scopes),
        ...(idToken !== undefined && { id_token: idToken }),
      }
    },
  }),
  op('POST /oauth/v2/revoke', {
    name: 'revokeToken',
    summary: 'Revoke a token',
    description:
      'Revokes a token that your app no longer needs (RFC 7009). A refresh token ends the whole session; an access token ends only itself. An unknown token counts as revoked; a token of another app is refused.',
    example: {
      request: { token: REFRESH_TOKEN, client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
      fill: { token: 'An access token or a refresh token of your app' },
    },
    ...byTheBook,
    input: RevocationFields,
    requestHeaders,
    output: success(),
    errors: CLIENT_ERRORS,
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      return revokeToken(db, who, client, input, environment.get(tokenPolicy), environment.get(forgetting))
    },
  }),
  op('POST /oauth/v2/introspect', {
    name: 'introspectToken',
    summary: 'Introspect a token',
    description:
      'Returns whether a token is valid and which user it belongs to (RFC 7662), for servers that receive tokens from their own app. Only apps with a client secret can call it, and only for their own tokens. Any other token, and an expired one, gets `{"active": false}`.',
    example: {
      request: { token: ACCESS_TOKEN, client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
      fill: { token: 'An access token or a refresh token of your app' },
    },
    ...byTheBook,
    input: IntrospectionFields,
    requestHeaders,
    output: json(TokenFacts),
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      return introspectToken(db, who, client, input, { policy: environment.get(tokenPolicy), issuer: environment.url })
    },
  }),
  op('POST /oauth/v2/device/authorize', {
    name: 'startDevice',
    summary: 'Start device sign-in',
    description:
      'Starts sign-in on a device without a browser, such as a television or a simulator (RFC 8628); an administrator must enable this for the app. Show the user code and the URL, or a QR code of the complete URL. Then poll `requestStandardTokens` with the device code, waiting `interval` seconds between requests; the codes expire after ten minutes.',
    example: { request: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } },
    ...byTheBook,
    input: DeviceFields,
    requestHeaders,
    output: json(DeviceCodes),
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    run: async ({ db, who, environment, request }, input) => {
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk(environment, request))
      const started = await startDevice(
        db,
        who,
        client,
        { device: request.device, scope: input.scope },
        environment.name,
      )
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
