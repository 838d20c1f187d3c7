import { recordAudit } from '../audit/audit.ts'
import { networkOf } from '../bounds/networks.ts'
import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { fail } from '../errors.ts'
import * as store from './store.ts'

/** What wrong guesses are counted under. */
export interface Subject {
  readonly name: string
  /** The account or the person whose it is: all of theirs are forgotten together. */
  readonly about?: string
  /** Whom it is about, where that is known: the audit log then names them, and no handle. */
  readonly personId?: number
  /** What the audit log calls it then, if it is not about signing in to the account. */
  readonly label?: string
  /** How many of them bring no wait; and as many are forgotten in an hour. */
  readonly freeFailures: number
  readonly longestWaitSeconds: number
  /** What whoever has to wait is told, where it is not about signing in. */
  readonly refusal?: string
}

const QUARTER_HOUR = 15 * 60

const aboutAccount = (handleKey: string): string => `account:${handleKey}`
const aboutPerson = (personId: number): string => `person:${personId}`

/** One handle from one network: whoever guesses there hinders nobody but those who try the same handle from the same place. */
export const pairSubject = ({ address }: Caller, handleKey: string): Subject => ({
  name: `pair:${networkOf(address)} ${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** All strangers who guess at one handle, from wherever: with many addresses one has no more tries than these. */
export const accountSubject = (handleKey: string): Subject => ({
  name: `account:${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 20,
  longestWaitSeconds: QUARTER_HOUR,
})
/** What one network tries in vain: high enough for hundreds in a school who mistype, and still an end to one password tried on every handle. */
export const networkSubject = (
  { address }: Caller,
  kind: 'address' | 'codes-from' | 'passkeys-from' = 'address',
): Subject => ({
  name: `${kind}:${networkOf(address)}`,
  freeFailures: 600,
  longestWaitSeconds: 60,
})
/** A browser in which the person has signed in before: strangers do not use up its tries, nor it theirs. */
export const knownBrowserSubject = (personId: number, handleKey: string, browser: string): Subject => ({
  name: `known:${personId}:${browser}`,
  about: aboutAccount(handleKey),
  personId,
  label: 'known browser',
  freeFailures: 10,
  longestWaitSeconds: QUARTER_HOUR,
})
/** Whoever is signed in proves once more who they are: counted for that browser alone. */
export const proofSubject = ({ personId, browserId }: { personId: number; browserId: string }): Subject => ({
  name: `proof:${browserId}`,
  about: aboutPerson(personId),
  personId,
  label: 'proof',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'Too many failed tries; wait before the next one',
})
/** Codes that a person types: apart from their sign-ins, which nobody else's code should hinder. */
export const typistSubject = (personId: number): Subject => ({
  name: `codes:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'codes',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** Handles that a person tries for new accounts, free or taken: each try tells whether somebody has it. */
export const namerSubject = (personId: number): Subject => ({
  name: `handles:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'handles',
  freeFailures: 30,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have tried too many handles; wait before the next one',
})
/** Handles that a person asks for in vain: each try may be a guess at somebody who is not to be found. */
export const guesserSubject = (personId: number): Subject => ({
  name: `asked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'asked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have asked for too many people who are not to be found; wait before the next one',
})
/** Handles that a person blocks and sees nobody by: apart from those, so that nobody who asked too much cannot block. */
export const blockerSubject = (personId: number): Subject => ({
  name: `blocked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'blocked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have blocked too many people who are not to be found; wait before the next one',
})
/** Links asked for from one network: each is kept in the audit log, whoever it is for. */
export const askerSubject = ({ address }: Caller): Subject => ({
  name: `asks:${networkOf(address)}`,
  freeFailures: 50,
  longestWaitSeconds: 60,
})
/** Secrets of one app, from one network: a server with an old secret hinders nobody but itself. */
export const clientSubject = ({ address }: Caller, clientId: string): Subject => ({
  name: `client:${clientId}:${networkOf(address)}`,
  freeFailures: 20,
  longestWaitSeconds: 60,
})

const FAILED_SIGN_INS = 'Too many failed sign-ins; wait before the next try'

/** What one guess is counted under: three at most, of which the first is the guesser's own. */
export type Subjects = readonly [Subject, Subject?, Subject?]

/** Refuses while one of these has to wait. */
export async function refuseBlocked(db: Db, who: Caller, [one, other = one, third = one]: Subjects): Promise<void> {
  const block = await db.first(store.findBlock, { one: one.name, other: other.name, third: third.name })
  const waitMs = (block?.blocked_until?.getTime() ?? 0) - who.at.getTime()
  if (waitMs > 0) throw fail('tooManyRequests', one.refusal ?? FAILED_SIGN_INS, Math.ceil(waitMs / 1000))
}

/** Counts a wrong guess for each of these; from its free ones on, each doubles the wait. That a wait begins is audited. */
export async function countFailures(tx: Db, who: Caller, subjects: Subjects): Promise<void> {
  for (const subject of subjects) {
    if (!subject) continue
    const { name, about = null, personId, label = 'account', freeFailures, longestWaitSeconds } = subject
    const row = await tx.first(store.countFailure, {
      subject: name,
      about,
      now: who.at,
      free: freeFailures,
      longest: longestWaitSeconds,
    })
    if (row?.failures !== freeFailures) continue
    const whom = personId === undefined ? { detail: { subject: name } } : { personId, detail: { subject: label } }
    await recordAudit(tx, who, { action: 'lockout.began', ...whom })
  }
}

export async function forgetFailures(db: Db, subject: Subject): Promise<void> {
  await db.first(store.forgetFailures, { subject: subject.name })
}

/** What was tried at signing in to an account: it has a new password, or is gone. */
export async function forgetFailuresOfAccount(db: Db, handleKey: string): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutAccount(handleKey) })
}

/** Everything that is counted under a person's number. */
export async function forgetFailuresOfPerson(db: Db, personId: number): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutPerson(personId) })
}

export const lockoutRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldFailures }]
