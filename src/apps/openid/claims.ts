import { hash } from 'node:crypto'

/** The hash of each algorithm, whose left half is `at_hash` (OpenID Connect Core §3.1.3.6; Ed25519 has SHA-512). */
const HASHES: Readonly<Record<string, string>> = { RS256: 'sha256', ES256: 'sha256', EdDSA: 'sha512' }

/** Computes `at_hash`, which binds an ID token to the access token beside it. */
export function hashAccessToken(accessToken: string, algorithm: string): string {
  const digest = hash(HASHES[algorithm]!, accessToken, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

interface UserFacts {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string | null
  readonly isEmailConfirmed: boolean
}

/** The claims that each scope stands for (OpenID Connect Core §5.4), as far as the platform has them. */
const CLAIMS = {
  profile: ['name', 'given_name', 'family_name', 'preferred_username'],
  email: ['email', 'email_verified'],
} as const

/** All claims that ID tokens and userinfo can have. */
export const CLAIM_NAMES: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'sid',
  ...Object.values(CLAIMS).flat(),
]

/** Returns the claims about a person that these scopes allow; all, if there is no list. Empty texts are left out. */
export function claimsOf(
  { handle, firstName, lastName, email, isEmailConfirmed }: UserFacts,
  scopes: readonly string[] | undefined,
): Record<string, string | boolean> {
  const all = {
    name: `${firstName} ${lastName}`.trim(),
    given_name: firstName,
    family_name: lastName,
    preferred_username: handle,
    ...(email && { email, email_verified: isEmailConfirmed }),
  }
  const allowed = Object.entries(CLAIMS).flatMap(([scope, names]) =>
    scopes === undefined || scopes.includes(scope) ? names : [],
  )
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== '' && (allowed as string[]).includes(name)),
  )
}
