import { randomBytes } from 'node:crypto'
import type { Tx } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import type { Bucket } from '../../../kernel/files/bucket.ts'
import { removeUnusedFiles } from '../../../kernel/files/removal.ts'
import { makeId } from '../../../kernel/ids.ts'
import { growing, type JobKind } from '../../../kernel/jobs/jobs.ts'
import type { Upkeep } from '../../../kernel/room.ts'
import { isHashOf } from '../model/hashes.ts'
import { attachmentStore } from './attachments.ts'
import * as store from './store.ts'

const MINUTE_MS = 60_000
/** The number of attachments that one run moves. */
const RUN = 200
/** The number that are moved at once, and so are in memory. */
const AT_ONCE = 4
/** Time limit for moving one attachment. */
const MOVE_MS = 5 * MINUTE_MS
/** An object that is not in use after this time was left by a process that ended or failed. */
const ABANDONED_MS = 60 * MINUTE_MS

/** Moves some attachments from the database to the file store. Returns true if there may be more. */
export async function moveAttachments(environment: Environment, signal?: AbortSignal): Promise<boolean> {
  const { bucket } = environment.get(attachmentStore)
  if (!bucket) return false
  const { db, clock, stopping } = environment
  const listAfter = (after: string) => db.all(store.listUnmoved, { after, now: clock(), limit: RUN })
  // Begins at a random hash, so that an attachment that cannot be moved does not stop the others for ever.
  const later = await listAfter(randomBytes(28).toString('hex'))
  const hashes = (later.length > 0 ? later : await listAfter('')).map(({ sha2 }) => sha2)
  const isMore = hashes.length > 0
  const work = async () => {
    for (let sha2 = hashes.pop(); sha2 !== undefined && !stopping.aborted && !signal?.aborted; sha2 = hashes.pop())
      await moveAttachment(environment, bucket, sha2)
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (failed && !stopping.aborted) throw failed.reason
  return isMore
}

/**
 * Moves an attachment. It can end anywhere, and several processes can move the same one: the bytes stay in the database
 * until they have been read back from an object, and an object is noted as unused before it is created.
 */
async function moveAttachment({ db, clock, stopping }: Environment, bucket: Bucket, sha2: string): Promise<void> {
  const content = (await db.first(store.readAttachment, { sha2 }))?.content
  if (!content) return
  const object = makeId()
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(MOVE_MS)])
  await db.first(store.insertUnused, { object, keptUntil: new Date(clock().getTime() + ABANDONED_MS) })
  await bucket.put(object, content, signal)
  const copy = await bucket.read(object, { most: content.length, signal })
  if (!copy || !isHashOf(sha2, copy)) throw new Error('The file store returned other bytes than it was sent')
  await db.first(store.moveAttachment, { sha2, object })
}

/** One process at a time moves attachments. */
export const attachmentJobs: readonly JobKind<Environment>[] = [
  {
    name: 'attachments.move',
    atOnce: 1,
    leaseMs: MINUTE_MS,
    everyMs: MINUTE_MS,
    waits: growing(10_000, 5 * MINUTE_MS),
    run: async ({ lost }, environment) => ((await moveAttachments(environment, lost)) ? { againInMs: 0 } : undefined),
    nameProblem: (error) => String((error as Error).cause ?? error),
  },
]

/** Deletes objects of attachments that no statement has any more, and of moves that were not finished. */
export const unusedObjectsUpkeep: Upkeep = {
  name: 'unused objects of attachments',
  async run(environment) {
    const { bucket } = environment.get(attachmentStore)
    const takeUnused = async (tx: Tx) => (await tx.first(store.deleteUnused, { now: environment.clock() }))?.name
    if (bucket) await removeUnusedFiles(environment, bucket, takeUnused)
  },
}

/** Counts the attachments that wait to be moved, up to 10,000. */
export const countWaiting = async ({ db, get }: Environment): Promise<number> =>
  get(attachmentStore).bucket ? (await db.first(store.countUnmoved, {}))!.count : 0
