import { type Db, hasCode } from '../database/database.ts'
import { growing, type JobEnvironment, type JobKind } from '../jobs/jobs.ts'
import * as store from './store.ts'

/**
 * Events are stored for at least this many days. Each week's events are in one slot (a partition of the log), which is
 * emptied when its newest event is older.
 */
const KEPT_DAYS = 30
const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Empties the slots whose events have all expired, even if some consumers have not read them. */
export async function dropOldEvents({ db, clock, log }: Pick<JobEnvironment, 'db' | 'clock' | 'log'>): Promise<void> {
  const before = clock().getTime() - KEPT_DAYS * DAY_MS
  const listOld = async (from: Db) => (await from.all(store.listSlots, {})).filter(({ at }) => at.getTime() < before)
  for (const { slot, id } of await listOld(db)) {
    const isDropped = await db.transaction(async (tx) => {
      await tx.first(store.limitLockWait, {})
      await tx.all(store.lockSlot[slot]!, {})
      // The slot may have been emptied and reused for another week in the meantime.
      if (!(await listOld(tx)).some((old) => old.slot === slot)) return false
      await tx.all(store.emptySlot[slot]!, {})
      return true
    })
    if (!isDropped) continue
    for (const { name } of await db.all(store.listBehind, { id }))
      log.error({ consumer: name, position: id }, 'expired events were deleted before a consumer had read them')
  }
}

export const eventJobs: readonly JobKind[] = [
  {
    name: 'events.retention',
    atOnce: 1,
    leaseMs: 5 * 60_000,
    everyMs: HOUR_MS,
    waits: growing(60_000, HOUR_MS),
    run: async (_job, context) => {
      await dropOldEvents(context)
    },
    nameProblem: (error) =>
      hasCode(error, LOCK_NOT_AVAILABLE) ? 'somebody else reads, or a backup is being made' : (error as Error).message,
  },
]
