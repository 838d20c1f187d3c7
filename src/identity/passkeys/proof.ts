import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { countFailures, forgetFailures, proofSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { type VerifiedPerson, verifyOwnPassword } from '../people/people.ts'
import { countUse, findPasskey, parseAssertion, verifyPasskey } from './assertions.ts'
import { makeChallenge, toProve } from './challenges.ts'
import { type RelyingParty, requestOptions } from './rules.ts'
import type { RequestOptions } from './schema.ts'

/** Proof of identity for a sensitive change: the password, or an assertion by one of the person's passkeys. */
export interface Proof {
  readonly password?: string | undefined
  /** The assertion as the browser sent it. */
  readonly proof?: unknown
}

/** Returns the options with which the browser requests an assertion as proof. */
export const startProof = (who: PersonCaller, party: RelyingParty): RequestOptions =>
  requestOptions(party, makeChallenge(who, toProve(who.personId), party))

/**
 * Verifies the proof required before passkeys are added or removed, and throws if it is missing or wrong. A recent
 * sign-in is not enough: somebody who finds a browser left open could add a passkey, which outlives the sign-in cookie,
 * a new password and the end of all sessions.
 */
export async function proveForPasskeys(
  db: Db,
  who: PersonCaller,
  what: Proof,
  party: RelyingParty,
): Promise<VerifiedPerson> {
  if (what.password) return verifyOwnPassword(db, who, what.password)
  if (what.proof === undefined || what.proof === null)
    throw fail('forbidden', 'Verify that it is you: enter your password, or use one of your passkeys')
  return proveWithPasskey(db, who, what.proof, party)
}

async function proveWithPasskey(
  db: Db,
  who: PersonCaller,
  response: unknown,
  party: RelyingParty,
): Promise<VerifiedPerson> {
  const answer = parseAssertion(response)
  const own = proofSubject(who)
  await refuseBlocked(db, who, [own])
  const found = await findPasskey(db, answer)
  const passkey = found?.person_id === who.personId ? found : undefined
  const proof = await verifyPasskey(db, who, { answer, passkey, purpose: toProve(who.personId) }, party)
  if (passkey && proof && (await db.transaction((tx) => countUse(tx, who, passkey, proof)))) {
    await forgetFailures(db, own)
    return { id: who.personId, epoch: passkey.epoch }
  }
  await db.transaction(async (tx) => {
    await countFailures(tx, who, [own])
    await recordAudit(tx, who, { action: 'sign-in.failed', personId: who.personId, detail: { door: 'passkey' } })
  })
  throw fail('wrongCredentials', 'This passkey was not accepted; try again')
}
