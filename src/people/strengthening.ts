import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { enqueue, growing, type JobKind, type JobName } from '../jobs/jobs.ts'
import * as store from './import-store.ts'
import { QUICK, STEP, strengthenHash } from './passwords.ts'

/** A second of one core: then others may have their turn. */
const AT_ONCE = 20
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

interface Strengthening {
  /** Everybody up to this person was looked at. */
  readonly after?: number
}
const STRENGTHEN: JobName<Strengthening> = { name: 'passwords' }

/** What a large import has hashed quickly gets the rest of the work soon. */
export const strengthenLater = (tx: Db, who: Caller): Promise<void> =>
  enqueue(tx, STRENGTHEN, { payload: {}, at: who.at, uniqueKey: 'quick' })

/** Who has another password by then keeps it. */
export const strengthenJob: JobKind = {
  ...STRENGTHEN,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(FIRST_WAIT_MS, LONGEST_WAIT_MS),
  run: async ({ payload: { after = 0 } }, { db, stopping }) => {
    const found = await db.all(store.findQuick, { after, quick: `${QUICK}%`, strong: `%${STEP}%`, limit: AT_ONCE })
    let last = after
    for (const { id, password_hash } of found) {
      if (stopping.aborted) break
      await db.first(store.strengthen, {
        person: id,
        quick: password_hash,
        strong: await strengthenHash(password_hash),
      })
      last = id
    }
    return found.length > 0 ? { againInMs: 0, payload: { after: last } } : undefined
  },
}
