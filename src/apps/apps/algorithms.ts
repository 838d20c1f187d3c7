/** The algorithms that ID tokens can be signed with; the first is the default. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
export type Algorithm = (typeof ALGORITHMS)[number]
