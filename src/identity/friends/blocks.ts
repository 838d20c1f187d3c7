import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { holdTwo, NOBODY_ID, type RelationChange } from './pair.ts'
import { checkBlockCount, DECLINE_DAYS, isListed, type Pair } from './rules.ts'
import * as store from './store.ts'

/**
 * Blocks a person: the relation of the two ends, and neither can find the other any more. The blocked person is not
 * notified. To them it looks as if the blocker had removed a friend, had cancelled or not answered a request, or had
 * turned public search off.
 *
 * Blocking a name does not reveal whether a person has it: the response, the list, the limit and the statements are the
 * same. `countUnseen` may refuse a caller who blocks very many people whom they cannot see.
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

/**
 * Ends the relation of the two. A request from the blocked person becomes quiet instead of being deleted, so that to
 * them it still looks unanswered.
 */
async function endTie(tx: Tx, { me, other, tie }: Pair): Promise<void> {
  if (tie === 'received') await tx.first(store.setQuiet, { asker: other.id, asked: me.id, quiet: true })
  else if (tie !== 'none' && tie !== 'unheard') await tx.first(store.deleteTie, { me: me.id, other: other.id })
}

/**
 * Removes a block; the earlier relation is not restored. A person whom the blocker could not see is blocked under each
 * name given (a handle or a user id), and each name must be unblocked separately: ending all of these blocks at once
 * would reveal that the names belong to one person. The response does not say whether there was a block, because that
 * would reveal a hidden person.
 */
export const unblockPerson = (db: Db, who: Caller, what: RelationChange): Promise<void> =>
  db.transaction(async (tx) => {
    await holdTwo(tx, who, 'unblock', what)
    const [blocker, blocked] = [what.personId, what.otherId ?? NOBODY_ID]
    await tx.first(store.deleteBlock, { blocker, blocked, name: what.name ?? null })
  })

export const friendRetention: readonly Retention[] = [{ days: DECLINE_DAYS, remove: store.deleteOldDeclines }]
