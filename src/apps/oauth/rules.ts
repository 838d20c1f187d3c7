import { hash } from 'node:crypto'
import { isLoopbackHost } from '../../kernel/config.ts'

/** RFC 7636 §4.1 and §4.2: a verifier has 43 to 128 characters; a challenge is a SHA-256 in base64url. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const isVerifier = (text: string): boolean => VERIFIER.test(text)
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)
export const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')

/**
 * RFC 8252 §8.6: an app without a secret, with a redirect URI that any program on the device can receive, can be
 * impersonated. PKCE does not help, since the impostor sends a challenge of its own, so the person must consent each
 * time. The unspecified addresses (0.0.0.0, ::) reach the local machine too.
 */
export function mustAskEachTime({ isPublic }: { isPublic: boolean }, redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return isPublic && (protocol !== 'https:' || isLoopbackHost(hostname) || UNSPECIFIED.has(hostname))
}

const UNSPECIFIED = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])
