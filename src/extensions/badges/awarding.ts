import type { Caller } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { enqueue, growing, type JobKind } from '../../kernel/jobs/jobs.ts'
import type { progressEvents } from '../../learning/progress/events.ts'
import { badgeEvents } from './events.ts'
import * as store from './store.ts'

// The platform awards badges automatically. Eligibility is computed from the student's standings, not from the event,
// so repeated and reordered events do no harm. An awarded badge stays, even if an instructor changes grades afterwards.

/** Awards badges that these students have earned and do not hold yet, or that so far only a plugin has asserted. */
async function awardEarned(tx: Tx, enrolments: readonly number[], badge: number | null, now: Date): Promise<void> {
  const awarded = await tx.all(store.awardEarned, { enrolments: JSON.stringify(enrolments), badge, now })
  const events = awarded.map((row) => ({
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

/** Awards badges after every event that can make a student pass a lesson or reach an objective. */
export const badgeAwarder: Consumer<Environment, ProgressEvent> = {
  name: 'badges',
  kinds: ['attempt.completed', 'attempt.graded', 'objective.scored'],
  start: 'beginning',
  handle: (tx, events, { clock }) =>
    awardEarned(tx, [...new Set(events.map(({ payload }) => payload.enrolment))], null, clock()),
}

const BATCH_SIZE = 500

interface AwardBadge {
  readonly badge: number
  /** Progress of the job: students up to this enrolment id have been checked. */
  readonly after: number
}
const AWARD_BADGE = { name: 'badges.give' }

/** Queues a job that awards new badges to students who have already earned them. */
export const awardLater = (tx: Tx, { at }: Caller, badges: readonly number[]): Promise<void> =>
  enqueue<AwardBadge>(tx, AWARD_BADGE, ...badges.map((badge) => ({ payload: { badge, after: 0 }, at })))

const awardBadgeJob: JobKind<Environment, AwardBadge> = {
  ...AWARD_BADGE,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(1000, 10 * 60_000),
  run: async ({ payload: { badge, after } }, { db, clock }) => {
    const students = await db.all(store.listStudents, { badge, after, limit: BATCH_SIZE })
    const ids = students.map(({ id }) => id)
    if (ids.length > 0) await db.transaction((tx) => awardEarned(tx, ids, badge, clock()))
    return ids.length < BATCH_SIZE ? undefined : { againInMs: 0, payload: { badge, after: ids.at(-1)! } }
  },
}

export const badgeJobs: readonly JobKind<Environment>[] = [awardBadgeJob]
