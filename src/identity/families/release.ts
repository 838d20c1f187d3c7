import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { childrenBornAfter } from '../people/ages.ts'
import { changePeople } from '../people/changes.ts'
import * as store from './store.ts'

/** Whether the person is a child with a parent who can sign in. */
const isLookedAfter = async (db: Db, who: Caller, personId: number): Promise<boolean> =>
  (await db.first(store.findCared, { child: personId, born: childrenBornAfter(who.at) })) !== undefined

/**
 * Called when a parent can no longer sign in: hides from search those of their children who have no other parent.
 * Idempotent.
 */
export async function releaseChildren(tx: Tx, who: Caller, personId: number): Promise<void> {
  const children = await tx.all(store.lockChildrenOf, { parent: personId, born: childrenBornAfter(who.at) })
  const ids = children.map(({ id }) => id)
  await hideOrphans(tx, who, { childIds: ids, parentId: personId })
}

export const forgetParent: Forget = {
  lockOut: releaseChildren,
  async checkLeaving(tx, who, personId) {
    if (await isLookedAfter(tx, who, personId))
      throw fail('forbidden', 'Children cannot delete their account: ask a parent to do it')
  },
}

/**
 * Hides from search those of the children who have no other parent, and returns their ids. An earlier statement must
 * have locked the children: if two parents leave concurrently, the second must see that the first is gone.
 */
export async function hideOrphans(
  tx: Tx,
  who: Caller,
  what: { childIds: readonly number[]; parentId: number },
): Promise<number[]> {
  if (what.childIds.length === 0) return []
  const born = childrenBornAfter(who.at)
  const orphans = await tx.all(store.listOrphans, { children: [...what.childIds], parent: what.parentId, born })
  await changePeople(
    tx,
    orphans.map(({ id }) => ({ id, public_search: false })),
  )
  const detail = { publicSearch: false, reason: 'no parent is left' }
  for (const { id } of orphans) await recordAudit(tx, who, { action: 'child.changed', personId: id, detail })
  return orphans.map(({ id }) => id)
}
