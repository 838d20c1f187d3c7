import type { AppUser, Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { PlatformError } from '../errors.ts'
import { normaliseHandle } from '../people/people.ts'
import { readPersonOfUser } from '../profiles/profiles.ts'
import { blockPerson, unblockPerson } from './blocks.ts'
import { acceptRequest, cancelRequest, declineRequest, removeFriend, requestFriend } from './friends.ts'
import type { Act } from './pair.ts'
import type { Verb } from './rules.ts'
import * as store from './store.ts'

export type { Verb } from './rules.ts'

const VERBS: Record<Verb, (db: Db, who: Caller, what: Act) => Promise<void>> = {
  request: requestFriend,
  accept: acceptRequest,
  decline: declineRequest,
  cancel: cancelRequest,
  remove: removeFriend,
  block: blockPerson,
  unblock: unblockPerson,
}

/** A user of an app acts on another one. */
export async function actOnUser(db: Db, who: AppUser, what: { verb: Verb; userId: string }): Promise<void> {
  const { verb, userId } = what
  const otherId = await readPersonOfUser(db, who, userId).catch((error: unknown) => {
    if (error instanceof PlatformError && error.kind === 'notFound') return undefined
    throw error
  })
  await VERBS[verb](db, who, { personId: who.personId, otherId, by: 'person' })
}

/** Somebody acts outside of any app, where people are named by their handles: the person, or a parent for a child. */
export async function actOnHandle(
  db: Db,
  who: Caller,
  what: Pick<Act, 'personId' | 'by'> & { verb: Verb; handle: string },
): Promise<void> {
  const { verb, personId, by } = what
  const other = await db.first(store.findByHandle, { handle: normaliseHandle(what.handle) })
  await VERBS[verb](db, who, { personId, otherId: other?.id, by })
}
