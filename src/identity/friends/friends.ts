import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { betweenTwo, type RelationChange } from './pair.ts'
import { checkFriendCount, checkSentCount, decideAccept, decideRequest, missing, type Pair } from './rules.ts'
import * as store from './store.ts'

/*
 * Friendships connect people, not users of an app, so they apply in every app. Each verb acts for one person,
 * `personId`; `by` says whether that person decides or, for a child, a parent. The calling module checks that the
 * caller is that parent.
 */

/**
 * Sends a friend request to a person who can be found. If that person has already sent the caller a request, the two
 * become friends. The response is the same for a new request, a repeated request, and a quiet request, which is hidden
 * because the other person declined recently. A blocked person cannot find the blocker.
 */
export const requestFriend = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  betweenTwo(db, who, 'request', what, async (tx, pair) => {
    const [asker, asked] = [pair.me.id, pair.other.id]
    const asking = decideRequest(pair, who.at)
    if (asking === 'befriend') await befriend(tx, who, pair)
    // Quiet requests run the same statements, so that the response time does not reveal a decline.
    const quiet = asking === 'ask quietly' || asking === 'ask again quietly'
    if (asking === 'ask again' || asking === 'ask again quietly')
      await tx.first(store.setQuiet, { asker, asked, quiet })
    if (asking === 'ask' || asking === 'ask quietly') {
      checkSentCount((await tx.first(store.countSent, { person: asker }))!.sent)
      await tx.first(store.insertRequest, { asker, asked, quiet, now: who.at })
    }
  })

export const acceptRequest = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  betweenTwo(db, who, 'accept', what, async (tx, pair) => {
    if (decideAccept(pair)) await befriend(tx, who, pair)
  })

/** Accepts the request of the other person. Throws if either has too many friends. */
async function befriend(tx: Tx, who: Caller, { me, other }: Pair): Promise<void> {
  const count = async (person: number) => (await tx.first(store.countFriends, { person }))!.friends
  checkFriendCount(await count(me.id), await count(other.id))
  await tx.first(store.acceptRequest, { asker: other.id, asked: me.id, now: who.at })
}

/** Declines a request. The asker is not notified, and their requests stay quiet for DECLINE_DAYS. */
export const declineRequest = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  betweenTwo(db, who, 'decline', what, async (tx, { me, other, tie }) => {
    if (tie !== 'received') throw missing('decline')
    await tx.first(store.declineRequest, { asker: other.id, asked: me.id, now: who.at })
  })

export const cancelRequest = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  betweenTwo(db, who, 'cancel', what, async (tx, { me, other, tie }) => {
    if (tie !== 'sent' && tie !== 'sent quietly') throw missing('cancel')
    await tx.first(store.deleteTie, { me: me.id, other: other.id })
  })

/** Ends the friendship for both people. */
export const removeFriend = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  betweenTwo(db, who, 'remove', what, async (tx, { me, other, tie }) => {
    if (tie !== 'friends') throw missing('remove')
    await tx.first(store.deleteTie, { me: me.id, other: other.id })
  })
