import { notify, withdrawAnnounced } from '../../identity/notifications/notifications.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import * as store from './store.ts'

const BATCH = 500

/** The key of an announcement's notifications. It is unique for each person, so repeating a batch changes nothing. */
export const keyOf = (announcementId: string): string => `announcement:${announcementId}`

export const DISTRIBUTION: JobName<{ id: number }> = { name: 'announcement' }

/**
 * Distributes an announcement in batches. Each is a transaction that also stores how far it came, so another process
 * continues where one was killed. `notify` skips people who have left.
 */
const distributionJob: JobKind<Environment, { id: number }> = {
  ...DISTRIBUTION,
  atOnce: 2,
  leaseMs: 30_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, clock, get, stopping }) => {
    const { id } = job.payload
    for (let isOver = false; !isOver; ) {
      if (stopping.aborted || job.lost.aborted) return { againInMs: 0 }
      isOver = await db.transaction(async (tx) => {
        const batch = await tx.first(store.lockBatch, { id, size: BATCH })
        if (batch) {
          await notify(tx, notificationsFor(batch, clock()), get(messagePolicy))
          await tx.first(store.finishBatch, { id, size: BATCH, isLast: batch.is_last })
        }
        return !batch || batch.is_last
      })
    }
    return undefined
  },
}

const notificationsFor = (batch: RowOf<typeof store.lockBatch>, at: Date) =>
  batch.people.map((personId) => ({
    personId,
    kind: 'announcement' as const,
    key: keyOf(batch.key),
    title: `${batch.place}: ${batch.title}`,
    text: batch.text,
    link: `/account/announcements/${batch.key}`,
    scope:
      batch.class_id === null
        ? (`organisation:${batch.organisation_id}` as const)
        : (`class:${batch.class_id}` as const),
    at,
  }))

export const WITHDRAWAL: JobName<{ key: string }> = { name: 'announcement-withdrawal' }

/** Withdraws the notifications of a deleted announcement that were not read or not sent yet. */
const withdrawalJob: JobKind<Environment, { key: string }> = {
  ...WITHDRAWAL,
  atOnce: 1,
  leaseMs: 30_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, stopping }) => {
    const withdraw = () => db.transaction((tx) => withdrawAnnounced(tx, job.payload.key, BATCH))
    while ((await withdraw()) > 0) if (stopping.aborted || job.lost.aborted) return { againInMs: 0 }
    return undefined
  },
}

export const distributionJobs: readonly JobKind<Environment>[] = [distributionJob, withdrawalJob]
