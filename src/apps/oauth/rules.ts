import { hash } from 'node:crypto'
import { isLoopbackHost } from '../../kernel/config.ts'

/** A PKCE verifier: 43 to 128 characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
/** A PKCE challenge: a SHA-256 hash in base64url (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const isVerifier = (text: string): boolean => VERIFIER.test(text)
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)
export const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')

/**
 * Whether the person must consent at each sign-in (RFC 8252 §8.6). An app can be impersonated if it has no secret and
 * any program on the device can receive its redirect URI. PKCE does not prevent this, because the impostor sends its
 * own challenge. The unspecified addresses (0.0.0.0, ::) also reach the local machine.
 */
export function mustAskEachTime({ isPublic }: { isPublic: boolean }, redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return isPublic && (protocol !== 'https:' || isLoopbackHost(hostname) || UNSPECIFIED.has(hostname))
}

/**
 * Whether a request of the `rfc` dialect needs PKCE. A confidential app that uses OpenID may send a nonce instead,
 * which it checks in the ID token (RFC 9700 §2.1.1), or neither, if it is registered so.
 */
export const needsPkce = (
  client: { isPublic: boolean; isPkceRequired: boolean },
  { isOpenid, hasNonce }: { isOpenid: boolean; hasNonce: boolean },
): boolean => client.isPublic || !isOpenid || (client.isPkceRequired && !hasNonce)

/** Whether the request asks for a newer sign-in than this one. */
export const mustSignInAgain = (
  { needsLogin, maxAgeMs }: { needsLogin: boolean; maxAgeMs: number | undefined },
  signedInAt: Date,
  now: Date,
): boolean => needsLogin || (maxAgeMs !== undefined && now.getTime() - signedInAt.getTime() > maxAgeMs)

const UNSPECIFIED = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])
