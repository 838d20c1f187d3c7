import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Visitor } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { hashToken } from '../../kernel/sessions/tokens.ts'
import { CHALLENGE_MS, type RelyingParty } from './rules.ts'
import * as store from './store.ts'

const RANDOM_BYTES = 32
const EXPIRY_BYTES = 8
const CLAIM_BYTES = RANDOM_BYTES + EXPIRY_BYTES
const MAC_BYTES = 32

/** Purposes of a challenge. A signature made for one purpose and person is invalid for any other. */
export const SIGN_IN = 'sign-in'
export const toAdd = (personId: number): string => `add:${personId}`
export const toProve = (personId: number): string => `prove:${personId}`

const macOf = (party: RelyingParty, who: Visitor, purpose: string, claim: Buffer): Buffer =>
  createHmac('sha256', party.challengeKey).update(claim).update(hashToken(who.browserToken)).update(purpose).digest()

/**
 * Makes a challenge that only this browser can use. The challenge contains its expiry and a MAC, so nothing is stored
 * until it is used, however many challenges are requested.
 */
export function makeChallenge(who: Visitor, purpose: string, party: RelyingParty): string {
  const claim = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(EXPIRY_BYTES)])
  claim.writeBigUInt64BE(BigInt(who.at.getTime() + CHALLENGE_MS), RANDOM_BYTES)
  return Buffer.concat([claim, macOf(party, who, purpose, claim)]).toString('base64url')
}

interface ChallengeUse {
  readonly challenge: string
  readonly purpose: string
}

/** Returns the expiry of a challenge, or undefined if it was not made for this browser and purpose. */
function findExpiry(who: Visitor, { challenge, purpose }: ChallengeUse, party: RelyingParty) {
  const bytes = Buffer.from(challenge, 'base64url')
  // Refuse any other base64url spelling of the same bytes: used challenges are stored by the hash of their text, so
  // another spelling could be used again.
  if (bytes.length !== CLAIM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge) return undefined
  const claim = bytes.subarray(0, CLAIM_BYTES)
  if (!timingSafeEqual(bytes.subarray(CLAIM_BYTES), macOf(party, who, purpose, claim))) return undefined
  return new Date(Number(claim.readBigUInt64BE(RANDOM_BYTES)))
}

/**
 * Marks a challenge as used. Returns false if it was not made for this browser and purpose, has expired, or was used
 * before. A challenge is used up even if the assertion turns out to be invalid.
 */
export async function takeChallenge(db: Db, who: Visitor, what: ChallengeUse, party: RelyingParty): Promise<boolean> {
  const expires = findExpiry(who, what, party)
  if (!expires || expires <= who.at) return false
  return (await db.first(store.takeChallenge, { hash: hashToken(what.challenge), expires })) !== undefined
}

/**
 * Used challenges are stored for a day after they expire, so that a process whose clock is slow cannot accept one
 * again.
 */
export const passkeyRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldChallenges }]
