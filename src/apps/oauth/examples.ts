import {
  ACCESS_TOKEN,
  BASE_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE,
  CODE_VERIFIER,
  DEVICE_CODE,
  DONE,
  LATER,
  PASSWORD,
  REDIRECT_URI,
  REFRESH_TOKEN,
  USER_CODE,
  USER_IDS,
} from '../../kernel/samples.ts'

const CLIENT = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
const FILL_CODE = { code: 'The code that sign-in brought to your redirect URI. It works once, within 60 seconds' }
const FILL_TOKEN = { token: 'An access token or a refresh token of your app' }
const VALID = { valid: true, userId: USER_IDS.avery, expiresDate: LATER }

/** What people read about these operations. */
export const examples = {
  requestTokens: {
    description:
      'Exchange the code that a person brought back to your app, and refresh before the access token expires. A code works once, within 60 seconds. Each refresh replaces the refresh token: if the answer got lost, repeat it within 30 seconds, because a later repeat ends the session.',
    example: {
      request: { grant_type: 'authorization_code', code: CODE, redirect_uri: REDIRECT_URI, ...CLIENT },
      answer: { access_token: ACCESS_TOKEN, refresh_token: REFRESH_TOKEN, expires_in: '1d', token_type: 'Bearer' },
      fill: FILL_CODE,
    },
  },
  logOut: {
    description:
      'Call this when the user logs out of your app. All tokens of the session stop working at once; other sessions of the user go on. Send the refresh token, or the access token as a Bearer token.',
    example: { answer: DONE },
  },
  validateToken: {
    description:
      'Use it to check an access token that your app has kept. The answer says which user of your app it belongs to and when it expires. A token that has expired or was revoked gets the error that says so.',
    example: { answer: VALID },
  },
  validateSession: {
    description:
      'Use it when your app starts, to find out whether the user has to sign in again. The refresh token is not used up. The answer says when the session ends unless the app refreshes it.',
    example: {
      request: { refresh_token: REFRESH_TOKEN },
      answer: VALID,
      fill: { refresh_token: 'A refresh token of your app' },
    },
  },
  signInWithBasic: {
    description:
      'For apps that cannot show a web page; an administrator must have enabled it for the app. The body of the answer is empty: the tokens are in its headers. After a few wrong passwords the account is locked for a while.',
    example: {
      headers: { Authorization: 'Basic QGF2ZXJ5Omdyb3VuZHNjaG9vbA==', clientId: CLIENT_ID },
      pair: { key: '@avery', secret: PASSWORD },
    },
  },
  launchApp: {
    description:
      "A dashboard calls this to open a lesson in another app without a second sign-in. Send the person's browser to the address within a minute: the app redeems the code with its secret, like any other code. The person must have allowed the app before, and the app must not be public.",
    example: {
      request: { clientId: CLIENT_ID, launchUri: `${REDIRECT_URI}?lesson=crosswind-landings` },
      answer: { uri: `${REDIRECT_URI}?lesson=crosswind-landings&code=${CODE}` },
    },
  },
  readServerMetadata: {
    description:
      'Give a standard OAuth library the address of this platform, and it finds every other address here. The answer is the same for everybody and may be cached for five minutes.',
    example: {
      answer: {
        issuer: BASE_URL,
        authorization_endpoint: `${BASE_URL}/oauth/v2/signin`,
        token_endpoint: `${BASE_URL}/oauth/v2/token`,
        revocation_endpoint: `${BASE_URL}/oauth/v2/revoke`,
        introspection_endpoint: `${BASE_URL}/oauth/v2/introspect`,
        device_authorization_endpoint: `${BASE_URL}/oauth/v2/device/authorize`,
        scopes_supported: ['user'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${BASE_URL}/docs`,
      },
    },
  },
  requestStandardTokens: {
    description:
      'For standard OAuth libraries: it answers exactly as the RFCs say. Codes require PKCE here. A device polls with its device code, waiting `interval` seconds between requests, until the person has decided.',
    example: {
      request: {
        grant_type: 'authorization_code',
        code: CODE,
        code_verifier: CODE_VERIFIER,
        redirect_uri: REDIRECT_URI,
        ...CLIENT,
      },
      answer: {
        access_token: ACCESS_TOKEN,
        refresh_token: REFRESH_TOKEN,
        token_type: 'Bearer',
        expires_in: 86_400,
        scope: 'user',
      },
      fill: FILL_CODE,
    },
  },
  revokeToken: {
    description:
      'Call this when your app no longer needs a token. A refresh token ends the whole session; an access token ends only itself. An unknown token counts as revoked; a token of another app is refused.',
    example: { request: { token: REFRESH_TOKEN, ...CLIENT }, answer: DONE, fill: FILL_TOKEN },
  },
  introspectToken: {
    description:
      'For servers that receive a token from their own app. Only apps with a secret can ask, and only about their own tokens. Any other token, and one that has expired, gets `{"active": false}` and nothing else.',
    example: {
      request: { token: ACCESS_TOKEN, ...CLIENT },
      answer: {
        active: true,
        scope: 'user',
        client_id: CLIENT_ID,
        username: '@avery',
        token_type: 'Bearer',
        exp: 1_777_723_200,
        iat: 1_777_636_800,
        sub: USER_IDS.avery,
        iss: BASE_URL,
      },
      fill: FILL_TOKEN,
    },
  },
  startDevice: {
    description:
      'For televisions, simulators and other devices without a browser; an administrator must have enabled it for the app. Show the user code and the address, or a QR code of the complete address. Then poll the token operation with the device code, waiting `interval` seconds between requests; the codes expire after ten minutes.',
    example: {
      request: CLIENT,
      answer: {
        device_code: DEVICE_CODE,
        user_code: USER_CODE,
        verification_uri: `${BASE_URL}/device`,
        verification_uri_complete: `${BASE_URL}/device?user_code=${USER_CODE}`,
        expires_in: 600,
        interval: 5,
      },
    },
  },
}
