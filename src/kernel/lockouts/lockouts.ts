import { recordAudit } from '../audit/audit.ts'
import { networkOf } from '../bounds/networks.ts'
import type { Caller } from '../caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { fail } from '../errors.ts'
import * as store from './store.ts'

/** A subject that wrong guesses are counted for, such as one handle from one network. */
export interface Subject {
  readonly name: string
  /**
   * The account or person that the subject belongs to. The failures of all subjects with the same `about` can be
   * cleared together.
   */
  readonly about?: string
  /** Set if the person is known. Then the audit entry is about this person and does not contain the handle. */
  readonly personId?: number
  /** Name of the subject in the audit log; `account` by default. */
  readonly label?: string
  /** Number of failures that cause no wait. The same number of failures expires per hour. */
  readonly freeFailures: number
  readonly longestWaitSeconds: number
  /** Error message for a caller that has to wait. By default it says that too many sign-ins failed. */
  readonly refusal?: string
}

const QUARTER_HOUR = 15 * 60

const aboutAccount = (handleKey: string): string => `account:${handleKey}`
const aboutPerson = (personId: number): string => `person:${personId}`

/**
 * Returns the subject for one handle from one network. Wrong guesses delay only those who try the same handle from the
 * same network.
 */
export const pairSubject = ({ address }: Caller, handleKey: string): Subject => ({
  name: `pair:${networkOf(address)} ${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** Returns the subject for one handle from all networks. It limits an attacker who has many addresses. */
export const accountSubject = (handleKey: string): Subject => ({
  name: `account:${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 20,
  longestWaitSeconds: QUARTER_HOUR,
})
/**
 * Returns the subject for all handles from one network. The limit allows for hundreds of typing errors in a school, but
 * stops an attacker who tries one password with every handle.
 */
export const networkSubject = (
  { address }: Caller,
  kind: 'address' | 'codes-from' | 'passkeys-from' = 'address',
): Subject => ({
  name: `${kind}:${networkOf(address)}`,
  freeFailures: 600,
  longestWaitSeconds: 60,
})
/**
 * Returns the subject for a browser in which the person has signed in before. Its failures are counted separately from
 * those of strangers.
 */
export const knownBrowserSubject = (personId: number, handleKey: string, browser: string): Subject => ({
  name: `known:${personId}:${browser}`,
  about: aboutAccount(handleKey),
  personId,
  label: 'known browser',
  freeFailures: 10,
  longestWaitSeconds: QUARTER_HOUR,
})
/**
 * Returns the subject for a signed-in person who has to authenticate again. Failures are counted for this browser only.
 */
export const proofSubject = ({ personId, browserId }: { personId: number; browserId: string }): Subject => ({
  name: `proof:${browserId}`,
  about: aboutPerson(personId),
  personId,
  label: 'proof',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'Too many failed attempts; wait before you try again',
})
/**
 * Returns the subject for codes that a person types. Failures are counted separately from sign-ins, so that neither
 * blocks the other.
 */
export const typedCodeSubject = (personId: number): Subject => ({
  name: `codes:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'codes',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/**
 * Returns the subject for handles that a person tries for new accounts. Free and taken handles both count, because each
 * try reveals whether a handle exists.
 */
export const newHandleSubject = (personId: number): Subject => ({
  name: `handles:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'handles',
  freeFailures: 30,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have tried too many handles; wait before you try again',
})
/**
 * Returns the subject for handles that a person looks up without success. Each may be an attempt to find a hidden
 * person.
 */
export const handleLookupSubject = (personId: number): Subject => ({
  name: `asked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'asked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have looked up too many users who cannot be found; wait before you try again',
})
/**
 * Returns the subject for handles that a person blocks without being able to see the account. They are counted
 * separately from look-ups, so that a person with too many failed look-ups can still block others.
 */
export const blockedHandleSubject = (personId: number): Subject => ({
  name: `blocked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'blocked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have blocked too many users who cannot be found; wait before you try again',
})
/**
 * Returns the subject for links (password reset, sign-up) that are requested from one network, whether or not the
 * account exists.
 */
export const linkRequestSubject = ({ address }: Caller): Subject => ({
  name: `asks:${networkOf(address)}`,
  freeFailures: 50,
  longestWaitSeconds: 60,
})
/**
 * Returns the subject for sign-up codes of one organisation from one network. A whole school may share a network and
 * mistype the code on one day.
 */
export const organisationCodeSubject = ({ address }: Caller, organisation: number): Subject => ({
  name: `join:${networkOf(address)} ${organisation}`,
  freeFailures: 30,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'Too many failed attempts; wait before you try again',
})
/**
 * Returns the subject for client secrets of one app from one network. A server with an outdated secret delays only its
 * own network.
 */
export const clientSubject = ({ address }: Caller, clientId: string): Subject => ({
  name: `client:${clientId}:${networkOf(address)}`,
  freeFailures: 20,
  longestWaitSeconds: 60,
})

const FAILED_SIGN_INS = 'Too many failed sign-ins; wait before you try again'

/** The subjects that one guess counts for: at most three, with the most specific one first. */
export type Subjects = readonly [Subject, Subject?, Subject?]

/** Throws while the caller has to wait because of one of these subjects. */
export async function refuseBlocked(db: Db, who: Caller, [one, other = one, third = one]: Subjects): Promise<void> {
  const block = await db.first(store.findBlock, { one: one.name, other: other.name, third: third.name })
  const waitMs = (block?.blocked_until?.getTime() ?? 0) - who.at.getTime()
  if (waitMs > 0) throw fail('tooManyRequests', one.refusal ?? FAILED_SIGN_INS, Math.ceil(waitMs / 1000))
}

/**
 * Counts a wrong guess for each subject. Each failure beyond the free ones doubles the wait. The start of a wait is
 * recorded in the audit log.
 */
export async function countFailures(tx: Tx, who: Caller, subjects: Subjects): Promise<void> {
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
    const subjectFields =
      personId === undefined ? { detail: { subject: name } } : { personId, detail: { subject: label } }
    await recordAudit(tx, who, { action: 'lockout.began', ...subjectFields })
  }
}

export async function forgetFailures(db: Db, subject: Subject): Promise<void> {
  await db.first(store.forgetFailures, { subject: subject.name })
}

/** Clears the failures of an account that has a new password or was deleted. */
export async function forgetFailuresOfAccount(db: Db, handleKey: string): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutAccount(handleKey) })
}

/** Clears all failures that are counted for a person by their internal id. */
export async function forgetFailuresOfPerson(db: Db, personId: number): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutPerson(personId) })
}

export const lockoutRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldFailures }]
