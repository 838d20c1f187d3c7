import { canBeBirth } from '../../identity/people/ages.ts'
import { addAnonymous } from '../../identity/people/people.ts'
import { type Removal, removePerson } from '../../identity/people/removal.ts'
import { readOwnProfile } from '../../identity/profiles/profiles.ts'
import type { OwnProfile } from '../../identity/profiles/schema.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { openSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { ensureAppUser, readApp } from '../apps/apps.ts'
import * as store from './store.ts'

export interface NewAnonymous {
  /** The value as the app sent it; anything but true is refused. */
  readonly anonymous?: unknown
  readonly clientId: string | undefined
  /** An ISO 8601 date or time, of which only the day in UTC counts. */
  readonly dateOfBirth: string
  /** The push token for notifications to this device. */
  readonly deviceToken?: string | undefined
  readonly device: string
  /** The country that the profile gets, because anonymous users are not asked for theirs. */
  readonly defaultCountry: string
}

/**
 * Creates an anonymous user of one app, with the only session that the user will ever have. Returns the user's own
 * profile and the tokens.
 */
export async function createAnonymous(
  db: Db,
  who: Caller,
  what: NewAnonymous,
  policy: TokenPolicy,
): Promise<OwnProfile & { tokens: TokenPair }> {
  if (!isTrue(what.anonymous))
    throw fail('validationFailed', 'anonymous must be true: this operation creates only anonymous users')
  if (what.clientId === undefined) throw fail('parameterMissing', 'clientId is missing')
  const born = new Date(what.dateOfBirth)
  if (!canBeBirth(who.at, born))
    throw fail('validationFailed', 'dateOfBirth must be a day in the past, and at most 150 years ago')
  const app = await readApp(db, what.clientId, policy.environment)
  if (!app.hasAnonymous) throw fail('notForAnonymous', 'This app does not allow anonymous users; sign in to use it')
  return db.transaction(async (tx) => {
    const { id } = await addAnonymous(tx, who, { dateOfBirth: born.toISOString().slice(0, 10) })
    const parties = { appId: app.id, personId: id }
    const userId = await ensureAppUser(tx, who, parties)
    const tokens = await openSession(
      tx,
      who,
      { ...parties, userId, door: 'anonymous', device: what.device, pushToken: what.deviceToken },
      policy,
    )
    const profile = await readOwnProfile(tx, {
      ...who,
      ...parties,
      scopes: tokens.scopes,
      defaultCountry: what.defaultCountry,
    })
    return { ...profile, tokens }
  })
}

/** Whether the value is `true`, or the text "true" in upper or lower case. */
const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true')

/** Called when a session has ended: if it was the last session of an anonymous user, deletes that user. */
export async function releaseAnonymous(
  db: Db,
  who: Caller,
  what: { sessionId: string; forget: readonly Forget[] },
): Promise<void> {
  const person = await db.first(store.findAnonymousOfSession, { session: what.sessionId })
  if (person) await removePerson(db, who, leaving(who, person.id, what.forget))
}

const SWEPT_AT_ONCE = 100

/** Deletes anonymous users whose sessions have all ended or expired. Returns how many were deleted. */
export async function sweepAnonymous(
  db: Db,
  who: Caller,
  what: { forget: readonly Forget[] },
  stopping: AbortSignal,
): Promise<number> {
  let count = 0
  for (;;) {
    const deserted = await db.all(store.listDeserted, { now: who.at, limit: SWEPT_AT_ONCE })
    const before = count
    for (const { id } of deserted) {
      if (stopping.aborted) return count
      if (await removePerson(db, who, leaving(who, id, what.forget))) count++
    }
    if (deserted.length < SWEPT_AT_ONCE || count === before) return count
  }
}

/** Deletes the anonymous users of an app that is about to be deleted. */
export async function removeAnonymousOf(
  db: Db,
  who: Caller,
  what: { clientId: string; forget: readonly Forget[] },
): Promise<void> {
  for (const { id } of await db.all(store.listOfApp, { client: what.clientId }))
    await removePerson(db, who, { personId: id, reason: 'the app was removed', forget: what.forget })
}

const leaving = (who: Caller, personId: number, forget: readonly Forget[]): Removal => ({
  personId,
  forget,
  reason: 'the last session of an anonymous user ended',
  mayGo: async (tx, { anonymous }) => {
    if (!anonymous) return false
    const sessions = await tx.all(store.lockSessions, { person: personId, now: who.at })
    return sessions.every((session) => session.is_over)
  },
})
