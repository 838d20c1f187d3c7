import { type Db, hasCode } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { growing, type JobEnvironment, type JobKind } from '../../kernel/jobs/jobs.ts'
import * as store from './store.ts'

/**
 * Minimum age in days at which deliveries are deleted. A slot is a partition of the tables, holds one week, and is
 * emptied once its newest delivery is that old.
 */
const KEPT_DAYS = 30
const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Empties each slot, both deliveries and attempts, once all of its deliveries are old and none is waiting. */
export async function dropOldDeliveries({ db, clock }: Pick<JobEnvironment, 'db' | 'clock'>): Promise<void> {
  const before = clock().getTime() - KEPT_DAYS * DAY_MS
  const listOld = async (from: Db) =>
    (await from.all(store.listSlots, {})).filter(({ at, is_waiting }) => at.getTime() < before && !is_waiting)
  for (const { slot } of await listOld(db))
    await db.transaction(async (tx) => {
      await tx.first(store.setLockTimeout, {})
      await tx.all(store.lockSlot[slot]!, {})
      // Check again under the lock: meanwhile the slot may have been reused for the current week.
      if ((await listOld(tx)).some((old) => old.slot === slot)) await tx.all(store.emptySlot[slot]!, {})
    })
}

/**
 * Lanes (queues of one plugin and one subject) are kept longer than their deliveries, because a lane stores which set
 * of distributions is the newest.
 */
export const deliveryRetention: readonly Retention[] = [{ days: 2 * KEPT_DAYS, remove: store.deleteIdleLanes }]

export const deliveryJobs: readonly JobKind[] = [
  {
    name: 'deliveries.retention',
    atOnce: 1,
    leaseMs: 5 * 60_000,
    everyMs: HOUR_MS,
    waits: growing(60_000, HOUR_MS),
    run: async (_job, context) => {
      await dropOldDeliveries(context)
    },
    nameProblem: (error) =>
      hasCode(error, LOCK_NOT_AVAILABLE) ? 'a reader or a backup holds a lock' : (error as Error).message,
  },
]
