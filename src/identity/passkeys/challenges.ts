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

/** What is asked, and of whom: an answer to one is none to another. */
export const SIGN_IN = 'sign-in'
export const toAdd = (personId: number): string => `add:${personId}`
export const toProve = (personId: number): string => `prove:${personId}`

const macOf = (party: RelyingParty, who: Visitor, purpose: string, claim: Buffer): Buffer =>
  createHmac('sha256', party.challengeKey).update(claim).update(hashToken(who.browserToken)).update(purpose).digest()

/** Something to sign, for this browser alone. It carries its end and our signature, so nothing is stored before it is answered: strangers may ask for as many as they like. */
export function makeChallenge(who: Visitor, purpose: string, party: RelyingParty): string {
  const claim = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(EXPIRY_BYTES)])
  claim.writeBigUInt64BE(BigInt(who.at.getTime() + CHALLENGE_MS), RANDOM_BYTES)
  return Buffer.concat([claim, macOf(party, who, purpose, claim)]).toString('base64url')
}

interface Asked {
  readonly challenge: string
  readonly purpose: string
}

/** When a challenge ends that was made for this browser and this purpose; undefined where it was not. */
function findExpiry(who: Visitor, { challenge, purpose }: Asked, party: RelyingParty) {
  const bytes = Buffer.from(challenge, 'base64url')
  // Another spelling of the same bytes would be another challenge to whoever remembers the used ones.
  if (bytes.length !== CLAIM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge) return undefined
  const claim = bytes.subarray(0, CLAIM_BYTES)
  if (!timingSafeEqual(bytes.subarray(CLAIM_BYTES), macOf(party, who, purpose, claim))) return undefined
  return new Date(Number(claim.readBigUInt64BE(RANDOM_BYTES)))
}

/** Whether it was given to this browser, for this purpose, and not answered before. The first answer takes it, even a wrong one. */
export async function takeChallenge(db: Db, who: Visitor, what: Asked, party: RelyingParty): Promise<boolean> {
  const expires = findExpiry(who, what, party)
  if (!expires || expires <= who.at) return false
  return (await db.first(store.takeChallenge, { hash: hashToken(what.challenge), expires })) !== undefined
}

/** A used challenge is known as one for a day after its end: the clocks of two processes may differ. */
export const passkeyRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldChallenges }]
