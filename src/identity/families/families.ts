import { recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readEmail, readLine } from '../../kernel/lines.ts'
import { countFailures, newHandleSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { actOnHandle } from '../friends/acts.ts'
import { readFriends } from '../friends/lists.ts'
import type { Friends, FriendVerb } from '../friends/schema.ts'
import { alsoRemovePasskeys, listPasskeys } from '../passkeys/passkeys.ts'
import type { Passkey } from '../passkeys/schema.ts'
import { childrenBornAfter, isChild, typesOf } from '../people/ages.ts'
import { changePeople, replaceEmail } from '../people/changes.ts'
import type { LeavingPolicy } from '../people/deletion.ts'
import { checkHandle, normaliseHandle } from '../people/handles.ts'
import { checkPassword, hashPassword } from '../people/passwords.ts'
import { addPerson, holdAccount, replacePassword, type VerifiedPerson } from '../people/people.ts'
import { proveAgain } from '../people/proof.ts'
import { removePerson } from '../people/removal.ts'
import { readEntries } from '../profiles/profiles.ts'
import type { UserEntry } from '../profiles/schema.ts'
import { changeState, checkChild, checkChildCount, checkParent, decisionsIn, readBirth } from './rules.ts'
import type { AddChild, ChangeChild, Child, ChildPassword } from './schema.ts'
import * as store from './store.ts'

/*
 * Operations of a parent for a child under 13. Whether a person is a child is not stored, but computed from the date of
 * birth each time. Another parent's child, an unrelated adult and an unknown handle all get the same refusal.
 */

const noSuchChild = () => fail('notFound', 'None of your children has this handle')

export async function listChildren(db: Db, who: PersonCaller): Promise<Child[]> {
  const rows = await db.all(store.listChildren, { parent: who.personId, born: childrenBornAfter(who.at) })
  return rows.map((row) => toChild(row, who.at))
}

/** Lists those of the caller's children who use the calling app. */
export async function listKids(db: Db, who: AppUser): Promise<UserEntry[]> {
  const kids = await db.all(store.listKids, { parent: who.personId, born: childrenBornAfter(who.at) })
  return readEntries(
    db,
    who,
    kids.map(({ id }) => id),
  )
}

const toChild = (row: RowOf<typeof store.findChild>, now: Date): Child => ({
  handle: row.handle,
  firstName: row.first_name,
  lastName: row.last_name,
  dateOfBirth: row.date_of_birth ?? '',
  userType: typesOf({ dateOfBirth: row.date_of_birth, accountKind: null, hasChildren: false }, now).userType,
  country: row.country ?? '',
  email: row.email ?? '',
  publicSearch: row.public_search,
  parentFlags: { cameraDisabled: row.camera_disabled, proximityFriends: row.proximity_friends },
  friendRequests: row.friend_requests,
})

const named = (who: PersonCaller, handle: string) => ({ parent: who.personId, handle: normaliseHandle(handle) })

async function readChild(db: Db, who: PersonCaller, handle: string): Promise<RowOf<typeof store.findChild>> {
  const row = await db.first(store.findChild, named(who, handle))
  if (!row) throw noSuchChild()
  checkChild({ handle: row.handle, dateOfBirth: row.date_of_birth }, who.at)
  return row
}

async function lockChild(tx: Tx, who: PersonCaller, handle: string): Promise<RowOf<typeof store.lockChild>> {
  const row = await tx.first(store.lockChild, named(who, handle))
  if (!row) throw noSuchChild()
  // Check only now, with the child locked, that the parent is not disabled. Disabling a parent locks their children
  // too, so it has either committed and is seen here, or waits for this transaction.
  if (!(await tx.first(store.findAble, { parent: who.personId }))) throw fail('notAuthorized')
  checkChild({ handle: row.handle, dateOfBirth: row.date_of_birth }, who.at)
  return row
}

/**
 * Creates an account for a child; the caller becomes its parent. At first the child is hidden from search, and the
 * flags for apps are the most cautious ones (`camera_disabled` on, `proximity_friends` off); a parent can change this.
 */
export async function addChild(db: Db, who: PersonCaller, what: AddChild): Promise<Child> {
  checkHandle(what.handle)
  const dateOfBirth = readBirth(what.dateOfBirth, who.at)
  const names = { firstName: readLine('firstName', what.firstName), lastName: readLine('lastName', what.lastName) }
  let passwordHash: string | undefined
  if (what.password !== undefined) {
    checkPassword(what.password)
    passwordHash = await hashPassword(what.password, networkOf(who.address))
  }
  await countHandle(db, who)
  return db.transaction(async (tx) => {
    await lockParent(tx, who)
    const { id, handle } = await addPerson(tx, who, { handle: what.handle, ...names, dateOfBirth, passwordHash })
    await tx.first(store.insertGuardian, { child: id, parent: who.personId, now: who.at })
    await recordAudit(tx, who, { action: 'child.added', personId: id, detail: { parent: who.personId } })
    return toChild(await readChild(tx, who, handle), who.at)
  })
}

/** Locks the caller. Throws if they are not an adult or already have the maximum number of children. */
async function lockParent(tx: Tx, who: PersonCaller): Promise<void> {
  await holdAccount(tx, { id: who.personId, epoch: who.epoch })
  const [parent] = await tx.all(store.lockPeople, { ids: [who.personId] })
  checkParent(toPersonFacts(parent!), who.at)
  const born = childrenBornAfter(who.at)
  checkChildCount((await tx.first(store.countChildren, { parent: who.personId, born }))!.children)
}

/**
 * Counts an attempt to choose a handle, before it is made and whether or not it succeeds. Throws after too many,
 * because each response reveals whether a handle is taken, even by a hidden person. The lock on the parent ensures that
 * concurrent attempts are all counted.
 */
const countHandle = (db: Db, who: PersonCaller): Promise<void> =>
  db.transaction(async (tx) => {
    await lockParent(tx, who)
    const subject = newHandleSubject(who.personId)
    await refuseBlocked(tx, who, [subject])
    await countFailures(tx, who, [subject])
  })

export const toPersonFacts = (row: RowOf<typeof store.lockPeople>) => ({
  handle: row.handle,
  dateOfBirth: row.date_of_birth,
  isAnonymous: row.anonymous,
})

/**
 * Changes the settings of a child. Changing the e-mail address, to which password reset links are sent, requires fresh
 * proof of the parent's identity, like changing the child's password.
 */
export async function changeChild(
  db: Db,
  who: PersonCaller,
  what: ChangeChild,
  messages: MessagePolicy,
): Promise<Child> {
  const email = what.email === undefined ? undefined : readEmail(what.email)
  let parent: VerifiedPerson | undefined
  if (email !== undefined) {
    await readChild(db, who, what.handle)
    parent = await proveAgain(db, who, what.password)
  }
  return db.transaction(async (tx) => {
    if (parent) await holdAccount(tx, parent)
    const before = await lockChild(tx, who, what.handle)
    const after = changeState(before, what)
    await changePeople(tx, [{ id: before.id, handle: before.handle, ...after }])
    const decisions = decisionsIn(before, after)
    if (Object.keys(decisions).length > 0) {
      const detail = { parent: who.personId, ...decisions }
      await recordAudit(tx, who, { action: 'child.changed', personId: before.id, detail })
    }
    if (email !== undefined) {
      const { id: personId, handle } = before
      await recordAudit(tx, who, { action: 'child.email', personId, detail: { parent: who.personId } })
      await replaceEmail(tx, who, { personId, handle, email }, messages)
    }
    return toChild(await readChild(tx, who, what.handle), who.at)
  })
}

/**
 * Sets a child's password, ends the child's sessions, and returns the passkeys that the child still has. Requires fresh
 * proof of the parent's identity: access to a browser that was left open must not be enough to take over a child's
 * account.
 */
export async function setChildPassword(
  db: Db,
  who: PersonCaller,
  what: ChildPassword,
  messages: MessagePolicy,
): Promise<Passkey[]> {
  checkPassword(what.newPassword)
  await readChild(db, who, what.handle)
  const parent = await proveAgain(db, who, what.password)
  const passwordHash = await hashPassword(what.newPassword, networkOf(who.address))
  return db.transaction(async (tx) => {
    await holdAccount(tx, parent)
    const { id: personId } = await lockChild(tx, who, what.handle)
    await recordAudit(tx, who, { action: 'child.password', personId, detail: { parent: who.personId } })
    const change = {
      personId,
      passwordHash,
      action: 'password.changed',
      ...alsoRemovePasskeys(who, what, messages),
    } as const
    await replacePassword(tx, who, change, messages)
    return listPasskeys(tx, { personId })
  })
}

/** Lists the child's passkeys, which a parent can remove when setting a new password. */
export async function listChildPasskeys(db: Db, who: PersonCaller, what: { handle: string }): Promise<Passkey[]> {
  const { id: personId } = await readChild(db, who, what.handle)
  return listPasskeys(db, { personId })
}

export async function readChildFriends(db: Db, who: PersonCaller, what: { handle: string }): Promise<Friends> {
  const { id } = await readChild(db, who, what.handle)
  return readFriends(db, who, id)
}

/** Applies a friend verb, such as `request` or `block`, on behalf of a child. */
export async function actForChild(
  db: Db,
  who: PersonCaller,
  what: { handle: string; friend: string; verb: FriendVerb },
): Promise<void> {
  const { id } = await readChild(db, who, what.handle)
  await actOnHandle(db, who, { verb: what.verb, personId: id, handle: what.friend, by: 'parent' })
}

const LAST_PARENT =
  'You are the only parent of this child: ask an operator to add another parent first, or delete the account'

/** Removes the caller as a parent of this person. Throws if the person is under 13 and has no other parent. */
export function leaveChild(db: Db, who: PersonCaller, what: { handle: string }): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockChild, named(who, what.handle))
    if (!row) throw noSuchChild()
    const parties = { child: row.id, parent: who.personId }
    if (isChild(row.date_of_birth, who.at) && !(await tx.first(store.findOtherParent, parties)))
      throw fail('impossibleNow', LAST_PARENT)
    await tx.first(store.deleteGuardian, parties)
    await recordAudit(tx, who, { action: 'parent.removed', personId: row.id, detail: { parent: who.personId } })
  })
}

/** Deletes a child's account with all its data. */
export async function deleteChild(
  db: Db,
  who: PersonCaller,
  what: { handle: string; password?: string | undefined },
  { messages, forget }: LeavingPolicy,
): Promise<void> {
  const { id } = await readChild(db, who, what.handle)
  await proveAgain(db, who, what.password)
  const isGone = await removePerson(db, who, {
    personId: id,
    reason: 'removed by a parent',
    messages,
    forget,
    mayGo: async (tx) => (await readChild(tx, who, what.handle)).id === id,
  })
  if (!isGone) throw noSuchChild()
}
