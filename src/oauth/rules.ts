import { hash } from 'node:crypto'

/** RFC 7636 §4.1 and §4.2: 43 to 128 characters for a verifier, and a SHA-256 in base64url for a challenge. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const isVerifier = (text: string): boolean => VERIFIER.test(text)
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)
export const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url')
