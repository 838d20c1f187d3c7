import { type Db, hasCode } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { growing, type JobKind, type JobParts } from '../../kernel/jobs/jobs.ts'
import * as store from './store.ts'

/** At least so long; a partition goes when the last of its week is that old. */
const KEPT_DAYS = 30
const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Empties partitions of which every delivery is old and none waits, with their attempts. */
export async function dropOldDeliveries({ db, clock }: Pick<JobParts, 'db' | 'clock'>): Promise<void> {
  const before = clock().getTime() - KEPT_DAYS * DAY_MS
  const listOld = async (from: Db) =>
    (await from.all(store.listSlots, {})).filter(({ at, is_waiting }) => at.getTime() < before && !is_waiting)
  for (const { slot } of await listOld(db))
    await db.transaction(async (tx) => {
      await tx.first(store.beHasty, {})
      await tx.all(store.lockSlot[slot]!, {})
      // Its week may have come round again meanwhile.
      if ((await listOld(tx)).some((old) => old.slot === slot)) await tx.all(store.emptySlot[slot]!, {})
    })
}

/** Longer than any delivery: a lane knows which set was the last. */
export const deliveryRetention: readonly Retention[] = [{ days: 2 * KEPT_DAYS, remove: store.deleteIdleLanes }]

export const deliveryJobs: readonly JobKind[] = [
  {
    name: 'deliveries.retention',
    atOnce: 1,
    leaseMs: 5 * 60_000,
    everyMs: HOUR_MS,
    waits: growing(60_000, HOUR_MS),
    run: async (_job, parts) => {
      await dropOldDeliveries(parts)
    },
    nameProblem: (error) =>
      hasCode(error, LOCK_NOT_AVAILABLE) ? 'somebody else reads, or a backup is being made' : (error as Error).message,
  },
]
