import type { Static } from 'typebox'
import { ALL_SCOPES, SCOPES } from '../../kernel/scopes.ts'
import type { ServerMetadata } from './schema.ts'
import { grantTypesOf } from './token.ts'

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post']

/** Returns the metadata of the authorization server (RFC 8414 §2). */
export const describeServer = (url: string): Static<typeof ServerMetadata> => ({
  issuer: url,
  authorization_endpoint: `${url}/oauth/v2/signin`,
  token_endpoint: `${url}/oauth/v2/token`,
  revocation_endpoint: `${url}/oauth/v2/revoke`,
  introspection_endpoint: `${url}/oauth/v2/introspect`,
  device_authorization_endpoint: `${url}/oauth/v2/device/authorize`,
  scopes_supported: [...SCOPES, ALL_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypesOf('rfc'),
  token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
  revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
  introspection_endpoint_auth_methods_supported: SECRET_METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${url}/docs`,
})
