import type { Environment } from '../../kernel/environment.ts'
import { growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { excerptOf } from './rules.ts'
import * as store from './store.ts'

const BATCH = 500

export const DISTRIBUTION: JobName<{ id: number }> = { name: 'announcement' }

/** The key of an announcement's notifications. It is unique for each person, so repeating a batch changes nothing. */
export const keyOf = (announcementId: string): string => `announcement:${announcementId}`

/**
 * Distributes an announcement in batches. Each is a transaction that also stores how far it came, so another process
 * continues where one was killed.
 */
const distributionJob: JobKind<Environment, { id: number }> = {
  ...DISTRIBUTION,
  atOnce: 2,
  leaseMs: 30_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, clock, stopping }) => {
    for (let isLast = false; !isLast; ) {
      if (stopping.aborted) return { againInMs: 0 }
      isLast = await db.transaction(async (tx) => {
        const batch = await tx.first(store.lockBatch, { id: job.payload.id, size: BATCH })
        if (batch) {
          // TODO notify
          excerptOf(batch.text)
          clock()
          await tx.first(store.finishBatch, { id: job.payload.id, size: BATCH, isLast: batch.is_last })
        }
        const isOver = !batch || batch.is_last
        if (isOver) await job.complete(tx)
        return isOver
      })
    }
    return undefined
  },
}

export const distributionJobs: readonly JobKind<Environment>[] = [distributionJob]
