import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { enqueue, growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { type PasswordSeal, passwordSeal } from './password-seals.ts'
import { hashPassword } from './passwords.ts'
import * as store from './store.ts'

/** About a second of one core: then the job may go to another process, and a stop waits no longer. */
const AT_ONCE = 20
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000

interface Hashing {
  /** Everybody up to this person was looked at. */
  readonly after?: number
}
const HASH_SEALED: JobName<Hashing> = { name: 'passwords' }

/** In the transaction that keeps them. */
export const hashSealedLater = (tx: Db, who: Caller): Promise<void> =>
  enqueue(tx, HASH_SEALED, { payload: {}, at: who.at, uniqueKey: 'sealed' })

/**
 * Puts the hash in the place of the seal; sessions and everything else stay. Who has another password by then keeps that one. A seal that does not open is taken away, and gives
 * `lost`: the person needs a new password.
 */
export async function hashSealed(
  db: Db,
  { personId, sealed }: { personId: number; sealed: string },
  seal: PasswordSeal,
): Promise<'hashed' | 'lost' | 'replaced'> {
  const password = seal.open(sealed)
  const hash = password === undefined ? null : await hashPassword(password)
  if (!(await db.first(store.replaceSealed, { person: personId, sealed, hash }))) return 'replaced'
  return hash === null ? 'lost' : 'hashed'
}

export const hashSealedJob: JobKind<Environment, Hashing> = {
  ...HASH_SEALED,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(FIRST_WAIT_MS, LONGEST_WAIT_MS),
  run: async ({ payload: { after = 0 } }, { db, get, log, stopping }) => {
    const found = await db.all(store.findSealed, { after, limit: AT_ONCE })
    let last = after
    for (const { id: personId, sealed } of found) {
      if (stopping.aborted) break
      if ((await hashSealed(db, { personId, sealed }, get(passwordSeal))) === 'lost')
        log.warn({ personId }, 'an imported password cannot be opened with this secret key: the person needs a new one')
      last = personId
    }
    if (found.length > 0) return { againInMs: 0, payload: { after: last } }
    // Another import may have named somebody who was passed already.
    return after > 0 ? { againInMs: 0, payload: {} } : undefined
  },
}
