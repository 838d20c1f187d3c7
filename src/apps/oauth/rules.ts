import { hash } from 'node:crypto'
import { isLoopbackHost } from '../../kernel/config.ts'

/** RFC 7636 §4.1 and §4.2: 43 to 128 characters for a verifier, and a SHA-256 in base64url for a challenge. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const isVerifier = (text: string): boolean => VERIFIER.test(text)
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)
export const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')

/**
 * RFC 8252 §8.6: whether another program of the device could ask as this app and take the code, because the app has no secret and its redirect URI no owner. PKCE does not help
 * then, since the challenge is the other program's own; only the person can tell, each time. The unspecified address leads to the own machine as well.
 */
export function mustAskEachTime({ isPublic }: { isPublic: boolean }, redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return isPublic && (protocol !== 'https:' || isLoopbackHost(hostname) || UNSPECIFIED.has(hostname))
}

const UNSPECIFIED = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])
