import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { holdTwo, NOBODY_ID, type RelationChange } from './pair.ts'
import { checkBlockCount, DECLINE_DAYS, isListed, type Pair } from './rules.ts'
import * as store from './store.ts'

/**
 * Blocks a person: their relation ends, and neither finds the other any more. The blocked person is not told. To them
 * it looks like a removed friend, a cancelled or unanswered request, or a person who has turned public search off.
 *
 * Any name can be blocked without learning whether it exists: the answer, the list, the limit and the statements are
 * the same. `countUnseen` may refuse a caller who blocks very many people whom they cannot see.
 */
export const blockPerson = (
  db: Db,
  who: Caller,
  what: RelationChange,
  countUnseen: (tx: Tx) => Promise<void> = async () => undefined,
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

/** A request to the blocker becomes quiet instead of being deleted: to the asker it stays unanswered. */
async function endTie(tx: Tx, { me, other, tie }: Pair): Promise<void> {
  if (tie === 'received') await tx.first(store.setQuiet, { asker: other.id, asked: me.id, quiet: true })
  else if (tie !== 'none' && tie !== 'unheard') await tx.first(store.deleteTie, { me: me.id, other: other.id })
}

/**
 * Removes a block; the earlier relation does not come back. A person who could not be seen is blocked by the names
 * given, and each name is unblocked alone: ending both at once would reveal that they belong to one person. The answer
 * does not say whether there was a block, because that would reveal a hidden person.
 */
export const unblockPerson = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  db.transaction(async (tx) => {
    await holdTwo(tx, who, 'unblock', what)
    const [blocker, blocked] = [what.personId, what.otherId ?? NOBODY_ID]
    await tx.first(store.deleteBlock, { blocker, blocked, name: what.name ?? null })
  })

export const friendRetention: readonly Retention[] = [{ days: DECLINE_DAYS, remove: store.deleteOldDeclines }]
