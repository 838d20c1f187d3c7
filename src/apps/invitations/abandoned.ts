import { removePerson } from '../../identity/people/removal.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Forget } from '../../kernel/forget.ts'
import * as store from './store.ts'

const AT_ONCE = 100

/**
 * Deletes accounts that were created for an invitation which was withdrawn, or forgotten after it had expired, and that
 * nobody ever used. Returns their number.
 */
export async function sweepAbandoned(
  db: Db,
  who: Caller,
  forget: readonly Forget[],
  stopping: AbortSignal,
): Promise<number> {
  let count = 0
  for (const { id } of await db.all(store.listAbandoned, { limit: AT_ONCE })) {
    if (stopping.aborted) break
    const isGone = await removePerson(db, who, {
      personId: id,
      reason: 'invitation withdrawn or expired',
      isHandleFree: true,
      forget,
      // The person may have used the link, or another invitation may have been sent, until the account was locked.
      mayGo: async (tx) => {
        if (!(await tx.first(store.findAbandoned, { person: id }))) return false
        await tx.all(store.detach, { person: id })
        return true
      },
    })
    if (isGone) count++
  }
  return count
}
