import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { childrenBornAfter, isChild } from '../people/ages.ts'
import { readPersonId } from '../people/people.ts'
import { toPersonFacts } from './families.ts'
import { hideOrphans } from './release.ts'
import { checkChildCount, checkParent, checkParentCount } from './rules.ts'
import * as store from './store.ts'

/** The handles of a child and a parent. */
export interface Link {
  readonly child: string
  readonly parent: string
}

const readLink = async (db: Db, { child, parent }: Link): Promise<{ childId: number; parentId: number }> => ({
  childId: await readPersonId(db, child),
  parentId: await readPersonId(db, parent),
})

/**
 * Adds a parent to an existing child account; only operators may do this. Returns false if that person already is a
 * parent of the child.
 */
export async function addParent(db: Db, who: Caller, what: Link): Promise<boolean> {
  const { childId, parentId } = await readLink(db, what)
  if (childId === parentId)
    throw fail('validationFailed', 'A user cannot be their own parent: give two different handles')
  return db.transaction(async (tx) => {
    const people = await tx.all(store.lockPeople, { ids: [childId, parentId] })
    const [child, parent] = [childId, parentId].map((id) => people.find((one) => one.id === id))
    if (!child || !parent) throw fail('notFound', 'One of the two users was just deleted')
    if (child.anonymous || !isChild(child.date_of_birth, who.at))
      throw fail('wrongUserType', `${child.handle} is not a child: a child is under 13`)
    checkParent(toPersonFacts(parent), who.at)
    const isNew = await tx.first(store.insertGuardian, { child: childId, parent: parentId, now: who.at })
    if (!isNew) return false
    const born = childrenBornAfter(who.at)
    checkChildCount((await tx.first(store.countChildren, { parent: parentId, born }))!.children - 1)
    checkParentCount((await tx.first(store.countParents, { child: childId }))!.parents - 1)
    await recordAudit(tx, who, { action: 'parent.added', personId: childId, detail: { parent: parentId } })
    return true
  })
}

/** Removes a parent. If the child then has no parent left (`isLeftAlone`), it is hidden from search. */
export async function removeParent(db: Db, who: Caller, what: Link): Promise<{ isLeftAlone: boolean }> {
  const { childId, parentId } = await readLink(db, what)
  return db.transaction(async (tx) => {
    await tx.all(store.lockPeople, { ids: [childId] })
    const parties = { child: childId, parent: parentId }
    if (!(await tx.first(store.deleteGuardian, parties)))
      throw fail('notFound', `${what.parent} is not a parent of ${what.child}`)
    await hideOrphans(tx, who, { childIds: [childId], parentId })
    await recordAudit(tx, who, { action: 'parent.removed', personId: childId, detail: { parent: parentId } })
    return { isLeftAlone: (await tx.first(store.findOtherParent, parties)) === undefined }
  })
}

/**
 * Returns a person's parents and children for the data export, each with the date on which the relation was stored.
 * Includes children who have grown up.
 */
export async function exportFamily(db: Db, personId: number) {
  const rows = await db.all(store.listFamily, { person: personId })
  const linksOf = (isParent: boolean) =>
    rows.filter((row) => row.is_parent === isParent).map(({ handle, since }) => ({ handle, since }))
  return { parents: linksOf(true), children: linksOf(false) }
}
