import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { enqueue, growing, type JobKind } from '../../kernel/jobs/jobs.ts'
import type { progressEvents } from '../../learning/progress/events.ts'
import { badgeEvents } from './events.ts'
import * as store from './store.ts'

/*
 * The platform gives badges by itself. What was earned is read from how students stand when something has happened to them, so it does not matter how often that is
 * told, or in which order; and once given, a badge stays, whatever an instructor changes afterwards.
 */

/** Gives these students what they have earned and do not have, or only by the word of a plugin. */
async function giveEarned(tx: Db, now: Date, enrolments: readonly number[], badge: number | null): Promise<void> {
  const given = await tx.all(store.giveEarned, { enrolments: JSON.stringify(enrolments), badge, now })
  const events = given.map((row) => ({
    kind: 'badge.asserted' as const,
    subject: `person:${row.person_id}`,
    payload: {
      assertion: row.id,
      person: row.person_id,
      badge: row.badge_id,
      badgeKey: row.badge_key,
      organisation: row.organisation_id,
      plugin: null,
    },
    at: now,
  }))
  await badgeEvents.emit(tx, ...events)
}

type ProgressEvent = EventOf<typeof progressEvents>

/** After anything that can make a student pass a lesson or score at an objective. */
export const badgeGiver: Consumer<Environment, ProgressEvent> = {
  name: 'badges',
  kinds: ['attempt.completed', 'attempt.graded', 'objective.scored'],
  start: 'beginning',
  handle: (tx, events, { clock }) =>
    giveEarned(tx, clock(), [...new Set(events.map(({ payload }) => payload.enrolment))], null),
}

const STUDENTS_AT_ONCE = 500

interface GiveBadge {
  readonly badge: number
  /** Students up to this one were looked at. */
  readonly after: number
}
const GIVE_BADGE = { name: 'badges.give' }

/** Who has earned a new badge before it was made gets it too. */
export const giveLater = (tx: Db, at: Date, badges: readonly number[]): Promise<void> =>
  enqueue<GiveBadge>(tx, GIVE_BADGE, ...badges.map((badge) => ({ payload: { badge, after: 0 }, at })))

const giveBadgeJob: JobKind<Environment, GiveBadge> = {
  ...GIVE_BADGE,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(1000, 10 * 60_000),
  run: async ({ payload: { badge, after } }, { db, clock }) => {
    const students = await db.all(store.listStudents, { badge, after, limit: STUDENTS_AT_ONCE })
    const ids = students.map(({ id }) => id)
    if (ids.length > 0) await db.transaction((tx) => giveEarned(tx, clock(), ids, badge))
    return ids.length < STUDENTS_AT_ONCE ? undefined : { againInMs: 0, payload: { badge, after: ids.at(-1)! } }
  },
}

export const badgeJobs: readonly JobKind<Environment>[] = [giveBadgeJob]
