import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { type Act, betweenTwo } from './pair.ts'
import { checkFriendCount, checkSentCount, decideAccept, decideRequest, missing, type Pair } from './rules.ts'
import * as store from './store.ts'

/*
 * Friends, by people and not by users of an app: friends stay friends in every app. Each verb acts for one person, `personId`; `by` says whether the person decides
 * or a parent does for a child. That the caller is that parent is for the caller's room to know.
 */

export { blockPerson, friendRetention, unblockPerson } from './blocks.ts'
export type { Act } from './pair.ts'

/**
 * Asks somebody who can be found, or who has asked already, which makes them friends. The answer is the same whether the request is new, was made before, or is
 * not heard because the other one has declined lately. To whoever is blocked, the blocker is not to be found.
 */
export const requestFriend = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'request', what, async (tx, pair) => {
    const [asker, asked] = [pair.me.id, pair.other.id]
    const asking = decideRequest(pair, who.at)
    if (asking === 'befriend') await befriend(tx, who, pair)
    // The same statements for requests that are heard and that are not: whoever was declined must not tell by the time that it takes.
    const quiet = asking === 'ask quietly' || asking === 'ask again quietly'
    if (asking === 'ask again' || asking === 'ask again quietly')
      await tx.first(store.setQuiet, { asker, asked, quiet })
    if (asking === 'ask' || asking === 'ask quietly') {
      checkSentCount((await tx.first(store.countSent, { person: asker }))!.sent)
      await tx.first(store.insertRequest, { asker, asked, quiet, now: who.at })
    }
  })

export const acceptRequest = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'accept', what, async (tx, pair) => {
    if (decideAccept(pair)) await befriend(tx, who, pair)
  })

/** Of a request that the other one has made. */
async function befriend(tx: Db, who: Caller, { me, other }: Pair): Promise<void> {
  const count = async (person: number) => (await tx.first(store.countFriends, { person }))!.friends
  checkFriendCount(await count(me.id), await count(other.id))
  await tx.first(store.acceptRequest, { asker: other.id, asked: me.id, now: who.at })
}

/** The asker is not told, and asks in vain for a while. */
export const declineRequest = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'decline', what, async (tx, { me, other, tie }) => {
    if (tie !== 'received') throw missing('decline')
    await tx.first(store.declineRequest, { asker: other.id, asked: me.id, now: who.at })
  })

export const cancelRequest = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'cancel', what, async (tx, { me, other, tie }) => {
    if (tie !== 'sent' && tie !== 'sent quietly') throw missing('cancel')
    await tx.first(store.deleteTie, { me: me.id, other: other.id })
  })

/** Both lose each other. */
export const removeFriend = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'remove', what, async (tx, { me, other, tie }) => {
    if (tie !== 'friends') throw missing('remove')
    await tx.first(store.deleteTie, { me: me.id, other: other.id })
  })
