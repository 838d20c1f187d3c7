import { recordAudit } from '../../kernel/audit/audit.ts'
import { type OpenedBrowser, openBrowser } from '../../kernel/browsers/browsers.ts'
import type { Visitor } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { countFailures, knownBrowserSubject, networkSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { normaliseHandle } from '../people/handles.ts'
import { confirmPerson } from '../people/people.ts'
import { countUse, findPasskey, parseAssertion, type StoredPasskey, verifyPasskey } from './assertions.ts'
import { makeChallenge, SIGN_IN } from './challenges.ts'
import { type RelyingParty, requestOptions } from './rules.ts'
import type { RequestOptions } from './schema.ts'

/**
 * Returns the options with which the browser requests an assertion. They list no credentials, so that nobody can learn
 * which accounts have passkeys.
 */
export const startPasskeySignIn = (who: Visitor, party: RelyingParty): RequestOptions =>
  requestOptions(party, makeChallenge(who, SIGN_IN, party))

export interface PasskeySignIn {
  readonly response: unknown
  /** Whether the person stays signed in after the browser is closed. */
  readonly isKept: boolean
}

export interface PasskeySignedIn {
  readonly handle: string
  readonly name: string
  readonly browser: OpenedBrowser
}

/** Signs a person in to the platform itself, in this browser. Every failure gets the same response. */
export async function signInWithPasskey(
  db: Db,
  who: Visitor,
  { response, isKept }: PasskeySignIn,
  party: RelyingParty,
  environment: EnvironmentName,
): Promise<PasskeySignedIn> {
  const answer = parseAssertion(response)
  const passkey = await findPasskey(db, answer)
  const subjects = [subjectOf(who, passkey)] as const
  await refuseBlocked(db, who, subjects)
  const proof = await verifyPasskey(db, who, { answer, passkey, purpose: SIGN_IN }, party)
  const browser = passkey && proof ? await openWith(db, who, passkey, proof, isKept, environment) : undefined
  if (!passkey || !browser) {
    await db.transaction(async (tx) => {
      await countFailures(tx, who, subjects)
      const whom = passkey ? { personId: passkey.person_id } : {}
      await recordAudit(tx, who, { action: 'sign-in.failed', ...whom, detail: { door: 'passkey' } })
    })
    throw fail('wrongCredentials', 'This passkey was not accepted; try again, or sign in with your password')
  }
  return { handle: passkey.handle, name: `${passkey.first_name} ${passkey.last_name}`.trim(), browser }
}

/**
 * Returns the subject for which failures are counted: the browser if the person has signed in with it before, otherwise
 * the network, because the person is not known until the passkey is verified.
 */
function subjectOf(who: Visitor, passkey: StoredPasskey | undefined) {
  const known = passkey && who.known.recognise({ id: passkey.person_id, epoch: passkey.epoch })
  return passkey && known !== undefined
    ? knownBrowserSubject(passkey.person_id, normaliseHandle(passkey.handle), known)
    : networkSubject(who, 'passkeys-from')
}

/** Opens a browser session. Returns undefined if the passkey was deleted meanwhile or its counter was rejected. */
const openWith = (
  db: Db,
  who: Visitor,
  passkey: StoredPasskey,
  proof: { counter: number },
  isKept: boolean,
  environment: EnvironmentName,
): Promise<OpenedBrowser | undefined> =>
  db.transaction(async (tx) => {
    const { person_id: personId, epoch } = passkey
    await confirmPerson(tx, { id: personId, epoch })
    if (!(await countUse(tx, who, passkey, proof))) return undefined
    return openBrowser(tx, who, { personId, epoch, door: 'passkey', isKept }, environment)
  })
