import { recordAudit } from '../audit/audit.ts'
import { forgetUser } from '../buckets/buckets.ts'
import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import { REVOKED, type Revocation } from '../sessions/sessions.ts'
import * as store from './store.ts'

/** A person as one app knows them. */
interface UserOfApp {
  readonly appId: number
  readonly userId: string
}

/**
 * What a room does when one of its users goes for good: lets go of a part of what it keeps under their id, and says whether nothing is left. Rooms whose rows refer to
 * the person need none of it: those rows go along.
 */
type Forget = (tx: Db, who: Caller, user: UserOfApp) => Promise<boolean>

const ROOMS: readonly Forget[] = [forgetUser]

export interface Removal {
  readonly personId: number
  /** For the audit log. */
  readonly reason: string
  /** Decides once nobody can sign in as this person any more; they stay where it says no. */
  mayGo?(tx: Db, person: { readonly anonymous: boolean }): Promise<boolean>
}

/**
 * Removes a person with everything that is theirs; false where they stay, or are gone already. Their tokens are dead at once, on every process. A part at a time, so
 * that somebody with a thousand buckets holds up nobody; whoever is interrupted goes on later.
 */
export async function removePerson(db: Db, who: Caller, what: Removal): Promise<boolean> {
  for (;;) {
    const outcome = await db.transaction((tx) => removePart(tx, who, what))
    if (outcome !== 'more') return outcome === 'gone'
  }
}

/** Locks in the order that everybody keeps to: person, app user, session, bucket, storage. */
async function removePart(
  tx: Db,
  who: Caller,
  { personId, reason, mayGo }: Removal,
): Promise<'gone' | 'more' | 'stays'> {
  const person = await tx.first(store.lockForRemoval, { id: personId })
  if (!person) return 'stays'
  const users = await tx.all(store.lockUsersForRemoval, { person: personId })
  if (mayGo && !(await mayGo(tx, person))) return 'stays'
  for (const user of users) {
    for (const forget of ROOMS) {
      if (!(await forget(tx, who, { appId: user.app_id, userId: user.user_id }))) return 'more'
    }
  }
  await tx.first(store.deletePerson, { id: personId })
  await recordAudit(tx, who, { action: 'person.removed', personId, detail: { reason } })
  await notify(tx, REVOKED, { personId } satisfies Revocation)
  return 'gone'
}
