import type { Static } from 'typebox'
import { ALL_SCOPES, SCOPES } from '../../kernel/scopes.ts'
import { ALGORITHMS } from '../apps/algorithms.ts'
import { ASSERTION_ALGORITHMS } from '../apps/public-keys.ts'
import { CLAIM_NAMES } from '../openid/claims.ts'
import type { ServerMetadata } from './schema.ts'
import { grantTypesOf } from './token.ts'

const PROVEN_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']

/** Returns the metadata of the authorization server (RFC 8414 §2) and OpenID provider (OpenID Connect Discovery §3). */
export const describeServer = (url: string): Static<typeof ServerMetadata> => ({
  issuer: url,
  authorization_endpoint: `${url}/oauth/v2/signin`,
  token_endpoint: `${url}/oauth/v2/token`,
  revocation_endpoint: `${url}/oauth/v2/revoke`,
  introspection_endpoint: `${url}/oauth/v2/introspect`,
  device_authorization_endpoint: `${url}/oauth/v2/device/authorize`,
  userinfo_endpoint: `${url}/oauth/v2/userinfo`,
  jwks_uri: `${url}/oauth/v2/jwks`,
  end_session_endpoint: `${url}/oauth/v2/logout`,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  scopes_supported: [...SCOPES, ALL_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypesOf('rfc'),
  token_endpoint_auth_methods_supported: [...PROVEN_METHODS, 'none'],
  revocation_endpoint_auth_methods_supported: [...PROVEN_METHODS, 'none'],
  introspection_endpoint_auth_methods_supported: PROVEN_METHODS,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  revocation_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  introspection_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  // Each app knows a person under another id.
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: [...ALGORITHMS],
  claims_supported: [...CLAIM_NAMES],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  // Without this, apps may assume that it is supported (OpenID Connect Discovery §3).
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${url}/docs`,
})
