import { isRecent, type PersonCaller, RECENT_MINUTES } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { type VerifiedPerson, verifyOwnPassword } from './people.ts'
import * as store from './store.ts'

const hasPassword = async (db: Db, who: { readonly personId: number }): Promise<boolean> =>
  (await db.first(store.findHasPassword, { id: who.personId }))?.has_password === true

/**
 * Requires a signed-in person to prove their identity again: by the password or, if they have none, by a recent
 * sign-in. Throws otherwise. Used for operations for which access to a browser that was left open must not be enough.
 */
export async function proveAgain(db: Db, who: PersonCaller, password: string | undefined): Promise<VerifiedPerson> {
  if (await hasPassword(db, who)) {
    if (password === undefined) throw fail('parameterMissing', 'password is missing: verify that it is you')
    return verifyOwnPassword(db, who, password)
  }
  if (!isRecent(who))
    throw fail(
      'notAuthorized',
      `Sign in again first: without a password, this is allowed only within ${RECENT_MINUTES} minutes of signing in`,
    )
  return { id: who.personId, epoch: who.epoch }
}
