import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { type Act, holdTwo, NOBODY_ID } from './pair.ts'
import { checkBlockCount, DECLINE_DAYS, isListed, type Pair } from './rules.ts'
import * as store from './store.ts'

/**
 * Ends what is between two people, and neither finds the other any more. The blocked one is not told: what they see is what a removed friend, a cancelled request,
 * a request that nobody answers, and somebody who has turned public search off look like.
 *
 * Whoever knows a name can block it, and learns nothing about whether somebody has it: the answer, the list, the limit and the statements are the same. `countUnseen` may
 * refuse whoever blocks very many whom they do not see.
 */
export const blockPerson = (
  db: Db,
  who: Caller,
  what: Act,
  countUnseen: (tx: Db) => Promise<void> = async () => undefined,
): Promise<void> =>
  db.transaction(async (tx) => {
    const pair = await holdTwo(tx, who, 'block', what)
    const name = what.name ?? null
    const { blocks, is_named } = (await tx.first(store.countBlocks, { person: what.personId, name }))!
    if (pair?.block === 'listed') return
    if (!is_named) checkBlockCount(blocks)
    const listed = pair !== undefined && isListed(pair, what.isAway)
    if (!listed) await countUnseen(tx)
    if (pair) await endTie(tx, pair)
    const [blocker, blocked] = [what.personId, pair?.other.id ?? NOBODY_ID]
    await tx.first(store.insertBlock, { blocker, blocked, listed, name, now: who.at })
  })

/** A request to the blocker stays, to the asker, what it was: not answered. */
async function endTie(tx: Db, { me, other, tie }: Pair): Promise<void> {
  if (tie === 'received') await tx.first(store.setQuiet, { asker: other.id, asked: me.id, quiet: true })
  else if (tie !== 'none' && tie !== 'unheard') await tx.first(store.deleteTie, { me: me.id, other: other.id })
}

/**
 * What was before the block does not come back. Somebody who was not seen is blocked by the names that were given, and each ends with itself: that two names are one
 * person's would tell that there is one. Nor is it told whether there was one: of somebody hidden that would tell that they are there.
 */
export const unblockPerson = (db: Db, who: Caller, what: Act): Promise<void> =>
  db.transaction(async (tx) => {
    await holdTwo(tx, who, 'unblock', what)
    const [blocker, blocked] = [what.personId, what.otherId ?? NOBODY_ID]
    await tx.first(store.deleteBlock, { blocker, blocked, name: what.name ?? null })
  })

export const friendRetention: readonly Retention[] = [{ days: DECLINE_DAYS, remove: store.deleteOldDeclines }]
