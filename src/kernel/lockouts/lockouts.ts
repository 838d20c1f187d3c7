import { recordAudit } from '../audit/audit.ts'
import { networkOf } from '../bounds/networks.ts'
import type { Caller } from '../caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { fail } from '../errors.ts'
import * as store from './store.ts'

/** A key under which wrong guesses are counted. */
export interface Subject {
  readonly name: string
  /** The account or person that the key belongs to. All keys of one are forgotten together. */
  readonly about?: string
  /** The person, if known. Then the audit log names the person instead of the handle. */
  readonly personId?: number
  /** Name in the audit log, if the guess is not about signing in. */
  readonly label?: string
  /** Failures without a wait. As many are forgotten per hour. */
  readonly freeFailures: number
  readonly longestWaitSeconds: number
  /** Error text for a caller that has to wait, if it is not about signing in. */
  readonly refusal?: string
}

const QUARTER_HOUR = 15 * 60

const aboutAccount = (handleKey: string): string => `account:${handleKey}`
const aboutPerson = (personId: number): string => `person:${personId}`

/** One handle from one network: a guesser there delays only others who try the same handle from the same network. */
export const pairSubject = ({ address }: Caller, handleKey: string): Subject => ({
  name: `pair:${networkOf(address)} ${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** One handle from all networks: having many addresses gives an attacker no more tries than this. */
export const accountSubject = (handleKey: string): Subject => ({
  name: `account:${handleKey}`,
  about: aboutAccount(handleKey),
  freeFailures: 20,
  longestWaitSeconds: QUARTER_HOUR,
})
/**
 * All handles from one network: enough for hundreds of typing errors in a school, but it stops trying one password on
 * every handle.
 */
export const networkSubject = (
  { address }: Caller,
  kind: 'address' | 'codes-from' | 'passkeys-from' = 'address',
): Subject => ({
  name: `${kind}:${networkOf(address)}`,
  freeFailures: 600,
  longestWaitSeconds: 60,
})
/** A browser in which the person has signed in before. Its tries and those of strangers are counted apart. */
export const knownBrowserSubject = (personId: number, handleKey: string, browser: string): Subject => ({
  name: `known:${personId}:${browser}`,
  about: aboutAccount(handleKey),
  personId,
  label: 'known browser',
  freeFailures: 10,
  longestWaitSeconds: QUARTER_HOUR,
})
/** A signed-in person who authenticates again: counted for that browser alone. */
export const proofSubject = ({ personId, browserId }: { personId: number; browserId: string }): Subject => ({
  name: `proof:${browserId}`,
  about: aboutPerson(personId),
  personId,
  label: 'proof',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'Too many failed tries; wait before the next one',
})
/** Codes that a person types. They are counted apart from sign-ins, so that neither blocks the other. */
export const typedCodeSubject = (personId: number): Subject => ({
  name: `codes:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'codes',
  freeFailures: 5,
  longestWaitSeconds: QUARTER_HOUR,
})
/** Handles that a person tries for new accounts, free or taken: each try reveals whether a handle exists. */
export const newHandleSubject = (personId: number): Subject => ({
  name: `handles:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'handles',
  freeFailures: 30,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have tried too many handles; wait before the next one',
})
/** Handles that a person looks up in vain: each try may be a guess at a hidden person. */
export const handleLookupSubject = (personId: number): Subject => ({
  name: `asked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'asked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have asked for too many people who are not to be found; wait before the next one',
})
/**
 * Handles that a person blocks without being able to see them. They are counted apart from look-ups, so that too many
 * of those do not prevent blocking.
 */
export const blockedHandleSubject = (personId: number): Subject => ({
  name: `blocked:${personId}`,
  about: aboutPerson(personId),
  personId,
  label: 'blocked',
  freeFailures: 60,
  longestWaitSeconds: QUARTER_HOUR,
  refusal: 'You have blocked too many people who are not to be found; wait before the next one',
})
/** Reset links requested from one network: each request adds to the audit log, whoever it is for. */
export const linkRequestSubject = ({ address }: Caller): Subject => ({
  name: `asks:${networkOf(address)}`,
  freeFailures: 50,
  longestWaitSeconds: 60,
})
/** Secrets of one app from one network: a server with an outdated secret blocks only itself. */
export const clientSubject = ({ address }: Caller, clientId: string): Subject => ({
  name: `client:${clientId}:${networkOf(address)}`,
  freeFailures: 20,
  longestWaitSeconds: 60,
})

const FAILED_SIGN_INS = 'Too many failed sign-ins; wait before the next try'

/** The keys that one guess counts under: at most three, the first being the guesser's own. */
export type Subjects = readonly [Subject, Subject?, Subject?]

/** Throws while one of these keys has to wait. */
export async function refuseBlocked(db: Db, who: Caller, [one, other = one, third = one]: Subjects): Promise<void> {
  const block = await db.first(store.findBlock, { one: one.name, other: other.name, third: third.name })
  const waitMs = (block?.blocked_until?.getTime() ?? 0) - who.at.getTime()
  if (waitMs > 0) throw fail('tooManyRequests', one.refusal ?? FAILED_SIGN_INS, Math.ceil(waitMs / 1000))
}

/**
 * Counts a wrong guess under each key. Beyond the free failures, each one doubles the wait. The start of a wait is
 * audited.
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

/** Forgets the failures of an account that got a new password or was deleted. */
export async function forgetFailuresOfAccount(db: Db, handleKey: string): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutAccount(handleKey) })
}

/** Forgets all failures counted under a person's number. */
export async function forgetFailuresOfPerson(db: Db, personId: number): Promise<void> {
  await db.all(store.forgetFailuresAbout, { about: aboutPerson(personId) })
}

export const lockoutRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldFailures }]
