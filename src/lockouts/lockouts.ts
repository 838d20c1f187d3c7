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

/** An account's owner mistypes. */
export const accountSubject = (handleKey: string): Subject => ({
  name: `account:${handleKey}`,
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** A classroom behind one address mistypes a lot, and one of them may do so on purpose: nobody there waits for long. */
export const networkSubject = ({ address }: Caller): Subject => ({
  name: `address:${networkOf(address)}`,
  freeFailures: 100,
  longestWaitSeconds: 60,
})
/** Codes that a person types: apart from their sign-ins, which nobody else's code should hinder. */
export const typistSubject = (personId: number): Subject => ({
  name: `codes:${personId}`,
  personId,
  label: 'codes',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** Handles that a person tries for new accounts, free or taken: each try tells whether somebody has it. */
export const namerSubject = (personId: number): Subject => ({
  name: `handles:${personId}`,
  personId,
  label: 'handles',
  freeFailures: 30,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have tried too many handles; wait before the next one',
})
/** Handles that a person asks for in vain: each try may be a guess at somebody who is not to be found. */
export const guesserSubject = (personId: number): Subject => ({
  name: `asked:${personId}`,
  personId,
  label: 'asked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have asked for too many people who are not to be found; wait before the next one',
})
/** Handles that a person blocks and sees nobody by: apart from those, so that nobody who asked too much cannot block. */
export const blockerSubject = (personId: number): Subject => ({
  name: `blocked:${personId}`,
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
  longestWaitSeconds: QUARTER_HOUR,
})
/** Secrets of one app, from one network: a server with an old secret hinders nobody but itself. */
export const clientSubject = ({ address }: Caller, clientId: string): Subject => ({
  name: `client:${clientId}:${networkOf(address)}`,
  freeFailures: 20,
  longestWaitSeconds: 60,
})

const FAILED_SIGN_INS = 'Too many failed sign-ins; wait before the next try'

/** Refuses while one of these has to wait. */
export async function refuseBlocked(
  db: Db,
  who: Caller,
  [one, other = one]: readonly [Subject, Subject?],
): Promise<void> {
  const block = await db.first(store.findBlock, { one: one.name, other: other.name })
  const waitMs = (block?.blocked_until?.getTime() ?? 0) - who.at.getTime()
  if (waitMs > 0) throw fail('tooManyRequests', one.refusal ?? FAILED_SIGN_INS, Math.ceil(waitMs / 1000))
}

/** Counts a wrong guess for each of these; from its free ones on, each doubles the wait. That a wait begins is audited. */
export async function countFailures(tx: Db, who: Caller, subjects: readonly Subject[]): Promise<void> {
  for (const { name, personId, label = 'account', freeFailures, longestWaitSeconds } of subjects) {
    const row = await tx.first(store.countFailure, {
      subject: name,
      now: who.at,
      free: freeFailures,
      longest: longestWaitSeconds,
    })
    if (row?.failures !== freeFailures) continue
    const subject = personId === undefined ? { detail: { subject: name } } : { personId, detail: { subject: label } }
    await recordAudit(tx, who, { action: 'lockout.began', ...subject })
  }
}

/** Everything that is counted under a person's number: forgotten when they go. */
export const subjectsOfPerson = (personId: number): readonly Subject[] =>
  [typistSubject, namerSubject, guesserSubject, blockerSubject].map((make) => make(personId))

export async function forgetFailures(db: Db, subject: Subject): Promise<void> {
  await db.first(store.forgetFailures, { subject: subject.name })
}

export const lockoutRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldFailures }]
