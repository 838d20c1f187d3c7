import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { childrenBornAfter, isChild } from '../people/ages.ts'
import { readPersonId } from '../people/people.ts'
import { toSomebody } from './families.ts'
import { hideOrphans } from './release.ts'
import { checkChildCount, checkParent, checkParentCount } from './rules.ts'
import * as store from './store.ts'

/** By their handles. */
export interface Link {
  readonly child: string
  readonly parent: string
}

const readLink = async (db: Db, { child, parent }: Link): Promise<{ childId: number; parentId: number }> => ({
  childId: await readPersonId(db, child),
  parentId: await readPersonId(db, parent),
})

/** An operator lets somebody look after an account that exists; nobody else can. False where they do already. */
export async function addParent(db: Db, who: Caller, what: Link): Promise<boolean> {
  const { childId, parentId } = await readLink(db, what)
  if (childId === parentId) throw fail('validationFailed', 'A person cannot be their own parent: name two people')
  return db.transaction(async (tx) => {
    const people = await tx.all(store.lockPeople, { ids: [childId, parentId] })
    const [child, parent] = [childId, parentId].map((id) => people.find((one) => one.id === id))
    if (!child || !parent) throw fail('notFound', 'One of the two was just removed')
    if (child.anonymous || !isChild(child.date_of_birth, who.at))
      throw fail(
        'wrongUserType',
        `${child.handle} is not a child: the date of birth of a child is less than 13 years ago`,
      )
    checkParent(toSomebody(parent), who.at)
    const isNew = await tx.first(store.insertGuardian, { child: childId, parent: parentId, now: who.at })
    if (!isNew) return false
    const born = childrenBornAfter(who.at)
    checkChildCount((await tx.first(store.countChildren, { parent: parentId, born }))!.children - 1)
    checkParentCount((await tx.first(store.countParents, { child: childId }))!.parents - 1)
    await recordAudit(tx, who, { action: 'parent.added', personId: childId, detail: { parent: parentId } })
    return true
  })
}

/** The reverse. A child who has no parent left is not found until it has one again; whether that is so is the answer. */
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

/** For the download of everything that is kept about a person: who looks after whom, since when, also after childhood. */
export async function exportFamily(db: Db, personId: number) {
  const rows = await db.all(store.listFamily, { person: personId })
  const told = (isParent: boolean) =>
    rows
      .filter((row) => row.is_parent === isParent)
      .map(({ handle, since }) => ({ handle, since: since.toISOString() }))
  return { parents: told(true), children: told(false) }
}
