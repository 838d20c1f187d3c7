import type { Caller } from '../caller.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { type Act, betweenTwo } from './pair.ts'
import { checkBlock, checkBlockCount, DECLINE_DAYS, missing } from './rules.ts'
import * as store from './store.ts'

/**
 * Ends what is between two people, and neither finds the other any more. The blocked one is not told: what they see is what a removed friend, a cancelled request,
 * a request that nobody answers, and somebody who has turned public search off look like.
 */
export const blockPerson = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'block', what, async (tx, pair) => {
    checkBlock(pair)
    if (pair.hasBlocked) return
    const [me, other] = [pair.me.id, pair.other.id]
    checkBlockCount((await tx.first(store.countBlocks, { person: me }))!.blocks)
    if (pair.tie === 'received') await tx.first(store.setQuiet, { asker: other, asked: me, quiet: true })
    else if (pair.tie !== 'unheard') await tx.first(store.deleteTie, { me, other })
    await tx.first(store.insertBlock, { blocker: me, blocked: other, now: who.at })
  })

/** What was before the block does not come back. */
export const unblockPerson = (db: Db, who: Caller, what: Act): Promise<void> =>
  betweenTwo(db, who, 'unblock', what, async (tx, { me, other, hasBlocked }) => {
    if (!hasBlocked) throw missing('unblock')
    await tx.first(store.deleteBlock, { blocker: me.id, blocked: other.id })
  })

export const friendAges: readonly Age[] = [{ days: DECLINE_DAYS, remove: store.deleteOldDeclines }]
