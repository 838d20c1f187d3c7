import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import {
  blockedHandleSubject,
  countFailures,
  handleLookupSubject,
  refuseBlocked,
  type Subject,
} from '../../kernel/lockouts/lockouts.ts'
import { isChild } from '../people/ages.ts'
import { normaliseHandle } from '../people/handles.ts'
import { blockPerson, unblockPerson } from './blocks.ts'
import { acceptRequest, cancelRequest, declineRequest, removeFriend, requestFriend } from './friends.ts'
import type { RelationChange } from './pair.ts'
import { type AskingVerb, checkDoer, missing } from './rules.ts'
import type { FriendVerb } from './schema.ts'
import * as store from './store.ts'

const ASKING: Record<AskingVerb, typeof requestFriend> = {
  request: requestFriend,
  accept: acceptRequest,
  decline: declineRequest,
  cancel: cancelRequest,
  remove: removeFriend,
}
const BLOCKING = { block: blockPerson, unblock: unblockPerson }

const isBlocking = (verb: FriendVerb): verb is keyof typeof BLOCKING => verb === 'block' || verb === 'unblock'

/** Applies a friend verb of the caller to another user of the calling app, given by user id. */
export async function actOnUser(db: Db, who: AppUser, what: { verb: FriendVerb; userId: string }): Promise<void> {
  const { verb, userId } = what
  const params = { me: who.personId, app: who.appId, user: userId }
  const act = { personId: who.personId, by: 'person' } as const
  if (isBlocking(verb)) {
    const found = await db.first(store.findAnyUser, params)
    return BLOCKING[verb](db, who, { ...act, ...otherOf(found), isAway: found?.is_away === true, name: `#${userId}` })
  }
  const other = checkTarget(await db.first(store.findKnownUser, params), who.at, { ...act, verb })
  if (other.otherId === undefined) throw missing(verb)
  await ASKING[verb](db, who, { ...act, ...other })
}

/**
 * Applies a friend verb outside of any app, where people are given by handle. The caller acts for themselves or, as a
 * parent, for a child.
 */
export async function actOnHandle(
  db: Db,
  who: PersonCaller,
  what: Pick<RelationChange, 'personId' | 'by'> & { verb: FriendVerb; handle: string },
): Promise<void> {
  const { verb, personId, by } = what
  const act = { personId, by }
  const params = { me: personId, handle: normaliseHandle(what.handle) }
  if (isBlocking(verb)) {
    const what = { ...act, ...otherOf(await db.first(store.findAnyHandle, params)), name: `@${params.handle}` }
    return BLOCKING[verb](db, who, what, (tx) => countTry(tx, who, blockedHandleSubject(who.personId)))
  }
  if (verb === 'request') await refuseBlocked(db, who, [handleLookupSubject(who.personId)])
  const other = checkTarget(await db.first(store.findKnownHandle, params), who.at, { ...act, verb })
  if (other.otherId === undefined) {
    if (verb === 'request') await countGuess(db, who)
    throw missing(verb)
  }
  await ASKING[verb](db, who, { ...act, ...other })
}

type TargetRow = RowOf<typeof store.findAnyHandle> | undefined

const otherOf = (found: TargetRow): Pick<RelationChange, 'otherId'> => ({ otherId: found?.other_id ?? undefined })

/**
 * Returns the target's id. Before that, throws if the caller may not use the verb, so that this refusal does not reveal
 * whether the target exists.
 */
function checkTarget(
  found: TargetRow,
  at: Date,
  { verb, by }: Pick<RelationChange, 'by'> & { verb: FriendVerb },
): Pick<RelationChange, 'otherId'> {
  if (!found) throw fail('notAuthorized')
  checkDoer({ isChild: isChild(found.date_of_birth, at) }, verb, by)
  return otherOf(found)
}

/**
 * Counts a guess of a handle, and throws after too many. Locks the caller, so that concurrent guesses are all counted,
 * and none is counted for a deleted caller.
 */
const countGuess = (db: Db, who: PersonCaller): Promise<void> =>
  db.transaction(async (tx) => {
    if ((await tx.all(store.lockPeople, { ids: [who.personId] })).length === 0) throw fail('notAuthorized')
    await countTry(tx, who, handleLookupSubject(who.personId))
  })

async function countTry(tx: Tx, who: PersonCaller, subject: Subject): Promise<void> {
  await refuseBlocked(tx, who, [subject])
  await countFailures(tx, who, [subject])
}
