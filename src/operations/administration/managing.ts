import { extendInvitations } from '../../apps/invitations/invitations.ts'
import { readByKey, writeRole } from '../../apps/organisations/organisations.ts'
import {
  addUnclaimed,
  correctAccount,
  lockAccount,
  refuseSameAddress,
  setAdministrator,
} from '../../identity/people/accounts.ts'
import type { LeavingPolicy } from '../../identity/people/deletion.ts'
import { isSameHandle, normaliseHandle } from '../../identity/people/handles.ts'
import { inviteAgain, refuseWithoutMessages, withdrawAccount } from '../../identity/people/invitations.ts'
import { disablePerson, readPersonId } from '../../identity/people/people.ts'
import { removePerson } from '../../identity/people/removal.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { readEmail, readLine } from '../../kernel/lines.ts'
import { countFailures, newHandleSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { readReason, showPerson } from './people.ts'
import { mayManagePerson } from './rules.ts'
import type {
  CorrectPerson,
  CreatePerson,
  DecideAboutPerson,
  Deletion,
  FoundPerson,
  NamePerson,
  SetAdministrator,
} from './schema.ts'
import * as store from './store.ts'

/** Reads what the caller sees of a person whom they manage. */
async function readFound(db: Db, who: PersonCaller, { handle }: NamePerson): Promise<FoundPerson> {
  const row = await db.first(store.findPerson, { handle: normaliseHandle(handle), now: who.at })
  if (!row) throw fail('notFound', `There is no user with the handle ${handle}`)
  return showPerson(row)
}

/**
 * Finds the person whose account the caller wants to change. Owners get the same answer about everybody whom they do
 * not manage, whether or not somebody has the handle.
 */
async function readTarget(db: Db, who: PersonCaller, { handle }: NamePerson) {
  const target = await db.first(store.findTarget, { person: who.personId, handle: normaliseHandle(handle) })
  if (!target && who.isAdministrator) throw fail('notFound', `There is no user with the handle ${handle}`)
  if (!target || !mayManagePerson(target))
    throw fail('forbidden', 'No account with this handle is managed by an organisation that you own')
  return target
}

/** Creates an account for somebody, who sets a password with the link of the invitation. */
export async function createPerson(
  db: Db,
  who: PersonCaller,
  what: CreatePerson,
  messages: MessagePolicy,
): Promise<FoundPerson> {
  const draft = {
    firstName: readLine('firstName', what.firstName ?? ''),
    lastName: readLine('lastName', what.lastName ?? ''),
    email: readEmail(what.email ?? ''),
    handle: what.handle,
  }
  if (draft.handle === undefined && draft.email === null && `${draft.firstName}${draft.lastName}` === '')
    throw fail('parameterMissing', 'Send a handle, a name or an e-mail address')
  if (what.role !== undefined && what.organisation === undefined)
    throw fail('parameterMissing', 'organisation is missing: role is the role in it')
  const isInvited = what.invite ?? draft.email !== null
  if (isInvited) refuseWithoutMessages(messages)
  const handle = await db.transaction(async (tx) => {
    if (draft.email !== null && what.allowSameAddress !== true) await refuseSameAddress(tx, draft.email)
    const organisation = what.organisation === undefined ? undefined : await readByKey(tx, what.organisation)
    const person = await addUnclaimed(tx, who, { ...draft, managedBy: organisation?.id })
    if (organisation) await writeRole(tx, who, organisation, person.id, what.role ?? 'member')
    if (isInvited) await inviteAgain(tx, who, await lockAccount(tx, person.id), messages)
    return person.handle
  })
  return readFound(db, who, { handle })
}

/** Corrects the names, the handle or the e-mail address of an account. */
export async function correctPerson(
  db: Db,
  who: PersonCaller,
  what: CorrectPerson,
  messages: MessagePolicy,
): Promise<FoundPerson> {
  const { handle: _named, allowSameAddress, ...change } = what
  if (change.email !== undefined && isSameHandle(what.handle, who.handle))
    throw fail('impossibleNow', 'Change your own e-mail address in your account, with your password')
  const isGuess = what.newHandle !== undefined && !who.isAdministrator
  if (isGuess) await refuseBlocked(db, who, [newHandleSubject(who.personId)])
  try {
    const handle = await db.transaction(async (tx) => {
      const { id } = await readTarget(tx, who, what)
      const account = await lockAccount(tx, id)
      // The rights are read again under the lock: the person may have joined another organisation meanwhile.
      await readTarget(tx, who, what)
      const email = readEmail(change.email ?? '')
      const isNewAddress = email !== null && email.toLowerCase() !== account.email?.toLowerCase()
      if (isNewAddress && who.isAdministrator && allowSameAddress !== true) await refuseSameAddress(tx, email)
      const changed = await correctAccount(tx, who, account, change, messages)
      const detail = { by: who.personId, changed: changed.join(' ') }
      if (changed.length > 0) await recordAudit(tx, who, { action: 'person.corrected', personId: id, detail })
      return change.newHandle ?? what.handle
    })
    return await readFound(db, who, { handle })
  } catch (error) {
    // Each taken handle counts, because the answer reveals that somebody has it.
    if (isGuess && error instanceof PlatformError && error.kind === 'duplicate')
      await db.transaction((tx) => countFailures(tx, who, [newHandleSubject(who.personId)]))
    throw error
  }
}

/** Makes somebody an administrator, or takes the role back. */
export async function changeAdministrator(db: Db, who: PersonCaller, what: SetAdministrator): Promise<FoundPerson> {
  const reason = readReason(what)
  await db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    await setAdministrator(tx, who, { personId, isAdministrator: what.administrator, reason })
  })
  return readFound(db, who, what)
}

/** Sends the invitation to an account again, or for the first time; the new link replaces the old one. */
export async function resendPersonInvitation(
  db: Db,
  who: PersonCaller,
  what: NamePerson,
  messages: MessagePolicy,
): Promise<FoundPerson> {
  await db.transaction(async (tx) => {
    const { id } = await readTarget(tx, who, what)
    const until = await inviteAgain(tx, who, await lockAccount(tx, id), messages)
    await extendInvitations(tx, { personId: id, until })
  })
  return readFound(db, who, what)
}

/** Withdraws the invitation to an account. An account that nobody ever used is deleted with it. */
export async function withdrawPersonInvitation(
  db: Db,
  who: PersonCaller,
  what: NamePerson,
  forget: readonly Forget[],
): Promise<void> {
  const { id } = await readTarget(db, who, what)
  const check = async (tx: Tx) => {
    await readTarget(tx, who, what)
  }
  await withdrawAccount(db, who, { personId: id, check }, forget)
}

/** Tells what deleting an account would leave behind. */
export async function readDeletion(db: Db, who: PersonCaller, what: NamePerson): Promise<Deletion> {
  const { id, handle } = await readTarget(db, who, what)
  const row = (await db.first(store.countConsequences, { id }))!
  return {
    handle,
    classesTaught: row.taught,
    classesAttended: row.attended,
    appsOwned: row.apps,
    organisationsOwned: row.owned,
    organisationsWithoutOwner: JSON.parse(row.orphaned),
  }
}

/** Deletes an account with all its data. Owners can delete accounts that their organisation manages. */
export async function deletePerson(
  db: Db,
  who: PersonCaller,
  what: DecideAboutPerson,
  { messages, forget }: LeavingPolicy,
): Promise<void> {
  const reason = readReason(what)
  if (isSameHandle(what.handle, who.handle))
    throw fail('impossibleNow', 'Delete your own account in your account, with your password')
  const { id } = await readTarget(db, who, what)
  await removePerson(db, who, {
    personId: id,
    reason: `deleted by a manager: ${reason}`,
    messages,
    forget,
    mayGo: async (tx) => {
      await tx.first(store.lockManager, { id })
      await readTarget(tx, who, what)
      await recordAudit(tx, who, { action: 'person.deleted', personId: id, detail: { by: who.personId, reason } })
      return true
    },
  })
}

/** Disables or enables a person. A disabled person cannot sign in, and all tokens of that person are invalid. */
export async function setDisabled(
  db: Db,
  who: PersonCaller,
  what: DecideAboutPerson & { isDisabled: boolean },
  forget: readonly Forget[],
): Promise<FoundPerson> {
  await readTarget(db, who, what)
  if (what.isDisabled && isSameHandle(what.handle, who.handle))
    throw fail('impossibleNow', 'You cannot disable your own account; ask another administrator')
  const reason = readReason(what)
  const check = async (tx: Tx) => {
    await readTarget(tx, who, what)
  }
  await disablePerson(db, who, { ...what, check, detail: { by: who.personId, reason } }, forget)
  return readFound(db, who, what)
}
