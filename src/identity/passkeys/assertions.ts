import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, Visitor } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { takeChallenge } from './challenges.ts'
import { hasCounted, isUserHandleOf, type RelyingParty, readAssertion, readClientData } from './rules.ts'
import * as store from './store.ts'
import { verifyAssertion } from './webauthn.ts'

export type StoredPasskey = RowOf<typeof store.findForSignIn>

/** Parses the browser's assertion without verifying it. */
export const parseAssertion = (response: unknown) => {
  const assertion = readAssertion(response)
  return { assertion, ...readClientData(assertion.response.clientDataJSON) }
}

export const findPasskey = (
  db: Db,
  { assertion }: ReturnType<typeof parseAssertion>,
): Promise<StoredPasskey | undefined> => db.first(store.findForSignIn, { credential: assertion.id })

/**
 * Verifies that the passkey signed a challenge made for this browser and purpose. Returns the authenticator's counter,
 * or undefined if the assertion is invalid.
 */
export async function verifyPasskey(
  db: Db,
  who: Visitor,
  what: { answer: ReturnType<typeof parseAssertion>; passkey: StoredPasskey | undefined; purpose: string },
  party: RelyingParty,
): Promise<{ counter: number } | undefined> {
  const { passkey, purpose, answer } = what
  const { assertion, challenge, isCrossOrigin } = answer
  const isAsked = await takeChallenge(db, who, { challenge, purpose }, party)
  if (!isAsked || isCrossOrigin || !passkey) return undefined
  if (!isUserHandleOf(party, passkey, assertion.response.userHandle)) return undefined
  return verifyAssertion(party, assertion, { challenge, publicKey: passkey.public_key })
}

/**
 * Records a use of the passkey. Returns false if the passkey was deleted meanwhile, or if its counter shows that the
 * passkey was copied.
 */
export async function countUse(
  tx: Tx,
  who: Caller,
  { id, person_id: personId }: StoredPasskey,
  { counter }: { counter: number },
): Promise<boolean> {
  const kept = await tx.first(store.lockPasskey, { id })
  if (!kept) return false
  if (!hasCounted(kept.counter, counter)) {
    const detail = { passkeyId: id, kept: kept.counter, given: counter }
    await recordAudit(tx, who, { action: 'passkey.counter', personId, detail })
    return false
  }
  await tx.first(store.recordUse, { id, counter, now: who.at })
  return true
}
