import { type TSchema, Type } from 'typebox'
import { Flag, Id, Text } from '../../kernel/http/input/fields.ts'

const optional = <T extends TSchema>(field: T) => Type.Optional(field)

const ClientId = Id("The app's client ID")
const ClientSecret = Id("The app's client secret; a public client has none", 500)
const RefreshToken = Id('The refresh token', 500)
const Challenge = 'PKCE (RFC 7636)'

/** Query parameters of the sign-in page. */
export const authorizationFields = {
  response_type: optional(Id('`code`, or `implicit` if it is enabled for the app', 100)),
  client_id: optional(ClientId),
  redirect_uri: optional(Id('A redirect URI of the app, exactly as registered', 2000)),
  state: optional(Text('Returned unchanged', 8000)),
  scope: optional(
    Text(
      '`/oauth/v2`: the scopes that the app asks for, separated by spaces; without it, all that it has registered',
      2000,
    ),
  ),
  nonce: optional(Text('Accepted and ignored', 2000)),
  app_login: optional(Text('Accepted and ignored', 200)),
  code_challenge: optional(Id(`${Challenge}: BASE64URL(SHA256(code_verifier))`, 500)),
  code_challenge_method: optional(Id(`${Challenge}: S256`, 100)),
  prompt: optional(
    Id('`login` and `select_account` ask who the user is, `consent` asks for consent, `none` shows no page', 100),
  ),
}

/** Further parameters of the `rfc` dialect. `queryOf` writes them in this order, after the others. */
export const openidFields = {
  nonce: optional(Text('OpenID: returned in the ID token', 2000)),
  response_mode: optional(Id('`query`, the only mode', 100)),
  max_age: optional(Id('OpenID: seconds that may have passed since the user authenticated', 100)),
  login_hint: optional(Text('OpenID: the handle to fill in', 1000)),
  id_token_hint: optional(Text('OpenID: an ID token of the user who is expected', 8000)),
  request: optional(Text('Not supported', 20_000)),
  request_uri: optional(Text('Not supported', 8000)),
  registration: optional(Text('Not supported', 8000)),
  signin_since: optional(Text('Added by the sign-in form; apps do not send it', 200)),
}

export const AuthorizationQuery = Type.Object(authorizationFields)
export const StandardAuthorizationQuery = Type.Object({ ...authorizationFields, ...openidFields })
const signInFields = {
  handle: optional(Text('The handle', 1000)),
  password: optional(Text('The password', 5000)),
  keep: optional(Flag('Stay signed in when the browser is closed')),
  way: optional(Id('`organisation` to sign in with the provider of an organisation', 100)),
}
const decision = Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: "The user's choice" })
export const SignInForm = Type.Object({ ...authorizationFields, ...signInFields })
export const StandardSignInForm = Type.Object({ ...authorizationFields, ...openidFields, ...signInFields })
export const ConsentForm = Type.Object({ ...authorizationFields, decision })
export const StandardConsentForm = Type.Object({ ...authorizationFields, ...openidFields, decision })

const tokenFields = {
  grant_type: optional(Id('`authorization_code` or `refresh_token`', 200)),
  client_id: optional(ClientId),
  client_secret: optional(ClientSecret),
  code: optional(Id('authorization_code: the code', 500)),
  code_verifier: optional(Id('authorization_code: the PKCE verifier, if a challenge was sent', 500)),
  redirect_uri: optional(Id('authorization_code: the same as in the authorization request', 2000)),
  refresh_token: optional(Id('refresh_token: the refresh token', 500)),
}
export const TokenFields = Type.Object(tokenFields)

const tokenAnswer = {
  access_token: Type.String({ description: 'Sent as a Bearer token' }),
  refresh_token: Type.String({ description: 'Works once, to get the next pair of tokens' }),
}
export const TokenAnswer = Type.Object(
  {
    ...tokenAnswer,
    expires_in: Type.String({ description: 'Lifetime of the access token, such as 1d' }),
    token_type: Type.Literal('Bearer'),
  },
  { title: 'Tokens' },
)

const assertionFields = {
  client_assertion: optional(Id('A JWT signed with a key of the app (private_key_jwt, RFC 7523)', 8000)),
  client_assertion_type: optional(Id('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`', 200)),
}
const clientFields = { client_id: optional(ClientId), client_secret: optional(ClientSecret), ...assertionFields }
const Token = Id('The token', 500)
const Hint = optional(Id('Accepted and ignored: the type is read from the token itself', 100))

/**
 * The token request of the `rfc` dialect, for standard OAuth libraries; `StandardTokenAnswer` is the response to it.
 */
export const StandardTokenFields = Type.Object({
  ...tokenFields,
  ...assertionFields,
  grant_type: optional(
    Id('`authorization_code`, `refresh_token` or `urn:ietf:params:oauth:grant-type:device_code`', 200),
  ),
  device_code: optional(Id('device_code: the device code', 500)),
  scope: optional(Text('refresh_token: the scopes of the new access token, if fewer than those of the session', 2000)),
})
export const StandardTokenAnswer = Type.Object(
  {
    ...tokenAnswer,
    refresh_token: optional(
      Type.String({
        description: 'Works once, to get the next pair of tokens; missing with `openid` and without `offline_access`',
      }),
    ),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds' }),
    scope: Type.String({ description: 'The scopes of the access token; `user` stands for everything' }),
    id_token: optional(
      Type.String({ description: 'Who has signed in: a signed JWT, if the app asked for the scope `openid`' }),
    ),
  },
  { title: 'StandardTokens' },
)
export const RevocationFields = Type.Object({ ...clientFields, token: Token, token_type_hint: Hint })
export const IntrospectionFields = Type.Object({ ...clientFields, token: Token, token_type_hint: Hint })
export const TokenFacts = Type.Object(
  {
    active: Type.Boolean({
      description: 'Whether the token belongs to this app and is valid; if not, there are no other fields',
    }),
    scope: optional(Type.String()),
    client_id: optional(Type.String()),
    username: optional(Type.String({ description: "The user's handle, if the token has the scope `profile`" })),
    token_type: optional(Type.Union([Type.Literal('Bearer'), Type.Literal('refresh_token')])),
    exp: optional(Type.Integer({ description: 'When it expires, in seconds since 1970' })),
    iat: optional(Type.Integer({ description: 'When it was issued, in seconds since 1970' })),
    sub: optional(Type.String({ description: "The user's id in this app" })),
    iss: optional(Type.String()),
  },
  { title: 'TokenFacts' },
)
export const ServerMetadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    device_authorization_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    jwks_uri: Type.String(),
    end_session_endpoint: Type.String(),
    backchannel_logout_supported: Type.Boolean(),
    backchannel_logout_session_supported: Type.Boolean(),
    scopes_supported: Type.Array(Type.String()),
    response_types_supported: Type.Array(Type.String()),
    response_modes_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_methods_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    token_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    subject_types_supported: Type.Array(Type.String()),
    id_token_signing_alg_values_supported: Type.Array(Type.String()),
    claims_supported: Type.Array(Type.String()),
    prompt_values_supported: Type.Array(Type.String()),
    claims_parameter_supported: Type.Boolean(),
    request_parameter_supported: Type.Boolean(),
    request_uri_parameter_supported: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    service_documentation: Type.String(),
  },
  { title: 'ServerMetadata' },
)

export const LogoutFields = Type.Object({ refresh_token: optional(RefreshToken) })
export const SessionFields = Type.Object({ refresh_token: optional(RefreshToken) })

export const LaunchFields = Type.Object({
  clientId: ClientId,
  launchUri: Id('Launch URL of the lesson: a redirect URI of the app, with any query', 4000),
})
export const LaunchAnswer = Type.Object({
  uri: Type.String({ description: 'The launch URL with a code, which works once, within a minute' }),
})

export const TokenState = Type.Object({
  valid: Type.Literal(true),
  userId: Type.String({ description: "The user's id in this app" }),
  expiresDate: Type.String({ format: 'date-time', description: 'When the access token expires' }),
})
export const SessionState = Type.Object({
  valid: Type.Literal(true),
  userId: Type.String({ description: "The user's id in this app" }),
  expiresDate: Type.String({ format: 'date-time', description: 'When the session ends unless it is refreshed' }),
})

export const DeviceFields = Type.Object({
  ...clientFields,
  scope: optional(
    Text('The scopes that the app asks for, separated by spaces; without it, all that it has registered', 2000),
  ),
})

export const DeviceCodes = Type.Object(
  {
    device_code: Type.String({ description: 'The code for the token operation' }),
    user_code: Type.String({ description: 'The code for the user to enter, such as BCDF-GHJK' }),
    verification_uri: Type.String({ description: 'URL of the page where the user enters the code' }),
    verification_uri_complete: Type.String({ description: 'The same URL with the code filled in, for a QR code' }),
    expires_in: Type.Integer({ description: 'Lifetime of both codes in seconds' }),
    interval: Type.Integer({ description: 'Seconds to wait between two requests for tokens' }),
  },
  { title: 'DeviceCodes' },
)
