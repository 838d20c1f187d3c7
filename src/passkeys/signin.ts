import { recordAudit } from '../audit/audit.ts'
import { type OpenedBrowser, openBrowser } from '../browsers/browsers.ts'
import type { Visitor } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { fail } from '../errors.ts'
import { countFailures, networkSubject, refuseBlocked } from '../lockouts/lockouts.ts'
import { confirmPerson } from '../people/people.ts'
import { makeChallenge, takeChallenge } from './challenges.ts'
import {
  hasCounted,
  isUserHandleOf,
  type RelyingParty,
  readAssertion,
  readClientData,
  requestOptions,
} from './rules.ts'
import type { Assertion, RequestOptions } from './schema.ts'
import * as store from './store.ts'
import { verifyAssertion } from './webauthn.ts'

/** What a browser needs to ask for a passkey. It names none: whoever is there chooses, and nobody learns who has one. */
export const startPasskeySignIn = (who: Visitor, party: RelyingParty): RequestOptions =>
  requestOptions(party, makeChallenge(who, { personId: null }, party))

export interface PasskeySignIn {
  readonly response: unknown
  /** For longer than the browser is open. */
  readonly isKept: boolean
}

export interface PasskeySignedIn {
  readonly handle: string
  readonly name: string
  readonly browser: OpenedBrowser
}

/** Signs a person in to the platform itself, in this browser. Whatever is wrong, the answer is the same. */
export async function signInWithPasskey(
  db: Db,
  who: Visitor,
  { response, isKept }: PasskeySignIn,
  party: RelyingParty,
  environment: EnvironmentName,
): Promise<PasskeySignedIn> {
  const given = readAssertion(response)
  const { challenge, isCrossOrigin } = readClientData(given.response.clientDataJSON)
  // No account is named before it is proved, so only the network can be made to wait.
  await refuseBlocked(db, who, [networkSubject(who)])
  const isAsked = await takeChallenge(db, who, { challenge, personId: null }, party)
  const passkey = await db.first(store.findForSignIn, { credential: given.id })
  const proof = isAsked && !isCrossOrigin && passkey ? await prove(party, passkey, given, challenge) : undefined
  const browser = passkey && proof ? await openWith(db, who, passkey, proof, isKept, environment) : undefined
  if (!passkey || !browser) {
    await db.transaction(async (tx) => {
      await countFailures(tx, who, [networkSubject(who)])
      const whom = passkey ? { personId: passkey.person_id } : {}
      await recordAudit(tx, who, { action: 'sign-in.failed', ...whom, detail: { door: 'passkey' } })
    })
    throw fail('wrongCredentials', 'This passkey was not accepted; try again, or sign in with your password')
  }
  return { handle: passkey.handle, name: `${passkey.first_name} ${passkey.last_name}`.trim(), browser }
}

type KeptPasskey = RowOf<typeof store.findForSignIn>

const prove = (party: RelyingParty, passkey: KeptPasskey, given: Assertion, challenge: string) =>
  isUserHandleOf(party, passkey.person_id, given.response.userHandle)
    ? verifyAssertion(party, given, { challenge, publicKey: passkey.public_key })
    : undefined

/** Nothing where the passkey was removed meanwhile, or its counter shows that there is a copy of it. */
const openWith = (
  db: Db,
  who: Visitor,
  { id, person_id: personId, epoch }: KeptPasskey,
  { counter }: { counter: number },
  isKept: boolean,
  environment: EnvironmentName,
): Promise<OpenedBrowser | undefined> =>
  db.transaction(async (tx) => {
    await confirmPerson(tx, { id: personId, epoch })
    const kept = await tx.first(store.lockPasskey, { id })
    if (!kept) return undefined
    if (!hasCounted(kept.counter, counter)) {
      const detail = { passkeyId: id, kept: kept.counter, given: counter }
      await recordAudit(tx, who, { action: 'passkey.counter', personId, detail })
      return undefined
    }
    await tx.first(store.recordUse, { id, counter, now: who.at })
    return openBrowser(tx, who, { personId, epoch, door: 'passkey', isKept }, environment)
  })
