/** The algorithms that ID tokens can be signed with; the first is the default. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
/** The ways in which a confidential app proves itself at the token endpoint; the first is the default. */
export const AUTH_METHODS = ['client_secret', 'private_key_jwt'] as const
export type Algorithm = (typeof ALGORITHMS)[number]
