import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readEmail, readLine } from '../../kernel/lines.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import * as store from './accounts-store.ts'
import { changePeople, replaceEmail } from './changes.ts'
import { checkHandle, deriveHandles, normaliseHandle, suggestFrom } from './handles.ts'
import { handleChangedLetter } from './letters.ts'
import { addPerson, tellPerson } from './people.ts'
import { retireForOthers } from './removal.ts'

/*
 * Accounts that are created and corrected for somebody else. The callers decide who may do this to whom.
 */

export type LockedAccount = RowOf<typeof store.lockAccount>

export interface AccountDraft {
  readonly firstName: string
  readonly lastName: string
  readonly email: string | null
  /** Without one, a free handle is derived from the name or the e-mail address. */
  readonly handle?: string | undefined
  /** Id of the organisation that manages the account. */
  readonly managedBy?: number | undefined
}

/** Adds an account that waits for its person to set a password. */
export async function addUnclaimed(tx: Tx, who: Caller, draft: AccountDraft): Promise<{ id: number; handle: string }> {
  const { firstName, lastName, email, managedBy } = draft
  const handle = draft.handle ?? (await chooseHandle(tx, who, draft))
  return addPerson(tx, who, {
    handle,
    firstName,
    lastName,
    ...(email !== null && { email }),
    isUnclaimed: true,
    managedBy,
  })
}

/** Adds an account of a person who has signed in at the provider of their organisation. It needs no password. */
export async function addProvided(
  tx: Tx,
  who: Caller,
  draft: AccountDraft & { readonly userName: string },
): Promise<{ id: number; handle: string }> {
  const { firstName, lastName, email, managedBy } = draft
  const handle = await chooseHandle(tx, who, draft, suggestFrom(draft.userName))
  return addPerson(tx, who, { handle, firstName, lastName, ...(email !== null && { email }), managedBy })
}

async function chooseHandle(db: Db, who: Caller, draft: AccountDraft, wanted: readonly string[] = []): Promise<string> {
  const handles = [...wanted, ...deriveHandles(draft)]
  const rows = await db.all(store.findTaken, { keys: handles.map(normaliseHandle), now: who.at })
  const taken = new Set(rows.map(({ key }) => key))
  const free = handles.find((handle) => !taken.has(normaliseHandle(handle)))
  if (free === undefined) throw fail('conflict', 'No free handle was found; choose one')
  return free
}

/** Throws if somebody else has the address, and says who. Only administrators may learn this. */
export async function refuseSameAddress(db: Db, email: string): Promise<void> {
  const other = await db.first(store.findWithAddress, { email })
  if (other)
    throw fail(
      'conflict',
      `${email} belongs to ${other.handle}: use that account, or allow a second one with this address`,
    )
}

/**
 * Returns the account of an address, and creates one if there is none. Nobody is told which: a taken handle is replaced
 * by a derived one. Returns undefined if the account is disabled.
 */
export async function provideAccount(
  tx: Tx,
  who: Caller,
  draft: AccountDraft & { readonly email: string },
): Promise<number | undefined> {
  await tx.first(store.takeAddressTurn, { email: draft.email })
  const found = await tx.first(store.findByAddress, { email: draft.email })
  if (found) return found.is_disabled ? undefined : found.id
  const handle = await chooseHandle(tx, who, draft, draft.handle === undefined ? [] : [draft.handle])
  return (await addUnclaimed(tx, who, { ...draft, handle })).id
}

/** Gives an account that nobody has used yet the names of the latest invitation by the organisation that created it. */
export async function renameUnclaimed(
  tx: Tx,
  personId: number,
  { organisation_id, first_name, last_name }: { organisation_id: number; first_name: string; last_name: string },
): Promise<void> {
  const account = await lockAccount(tx, personId)
  if (!account.unclaimed || account.managed_by !== organisation_id || `${first_name}${last_name}` === '') return
  await changePeople(tx, [{ id: personId, handle: account.handle, first_name, last_name }])
}

/** Records that the person has set a password, so the account is no longer only prepared for them. */
export const claimAccount = async (tx: Tx, personId: number): Promise<void> => {
  await tx.first(store.setClaimed, { id: personId })
}

/**
 * Ends the management of an account by its organisation, when the person leaves it or joins another one. `joined` is
 * the id of the organisation that may go on.
 */
export const releaseAccount = async (tx: Tx, personId: number, joined: number | null): Promise<void> => {
  await tx.first(store.releaseAccount, { id: personId, organisation: joined })
}

/** Locks an account until the transaction ends. */
export async function lockAccount(tx: Tx, personId: number): Promise<LockedAccount> {
  const account = await tx.first(store.lockAccount, { id: personId })
  if (!account) throw fail('notFound', 'This account no longer exists')
  return account
}

export interface AccountChange {
  readonly newHandle?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly email?: string | undefined
}

/**
 * Corrects the names, the handle or the e-mail address of a locked account. The person is told about a new handle, and
 * at the old address about a new address. Returns the fields that changed.
 */
export async function correctAccount(
  tx: Tx,
  who: Caller,
  account: LockedAccount,
  change: AccountChange,
  messages: MessagePolicy,
): Promise<string[]> {
  const { id: personId } = account
  const first_name = change.firstName === undefined ? account.first_name : readLine('firstName', change.firstName)
  const last_name = change.lastName === undefined ? account.last_name : readLine('lastName', change.lastName)
  const handle = change.newHandle === undefined ? account.handle : `@${change.newHandle.trim().replace(/^@/, '')}`
  const email = change.email === undefined ? account.email : readEmail(change.email)
  if (handle !== account.handle) await replaceHandle(tx, who, account, handle)
  if (handle !== account.handle || first_name !== account.first_name || last_name !== account.last_name)
    await changePeople(tx, [{ id: personId, handle, first_name, last_name }])
  if (email !== account.email) await replaceEmail(tx, who, { personId, handle, email }, messages)
  if (handle !== account.handle && !account.unclaimed)
    await tellPerson(tx, who, { personId, ...handleChangedLetter(account.handle, handle, who.at, messages) }, messages)
  return [
    ...(handle === account.handle ? [] : ['handle']),
    ...(first_name === account.first_name ? [] : ['firstName']),
    ...(last_name === account.last_name ? [] : ['lastName']),
    ...(email === account.email ? [] : ['email']),
  ]
}

async function replaceHandle(tx: Tx, who: Caller, account: LockedAccount, handle: string): Promise<void> {
  const key = normaliseHandle(handle)
  if (key === account.handle_key) return
  checkHandle(handle)
  const [isTaken] = await tx.all(store.findTaken, { keys: [key], now: who.at })
  if (isTaken || !(await tx.first(store.setHandle, { id: account.id, handle, key }).catch(undefinedIfTaken)))
    throw fail('duplicate', `The handle ${handle} is taken or was recently released; choose another`)
  // The handle of an account that was never used is known to nobody, so it needs no retirement.
  if (!account.unclaimed) await retireForOthers(tx, who, account.handle_key)
}

const undefinedIfTaken = (error: unknown): undefined => {
  if (!hasCode(error, '23505')) throw error
}

/**
 * Makes somebody an administrator, or takes the role back. Nobody changes their own role, so somebody is left: all
 * administrators are locked, and the caller must still be one.
 */
export async function setAdministrator(
  tx: Tx,
  who: Caller & { readonly personId: number },
  what: { personId: number; isAdministrator: boolean; reason: string },
): Promise<void> {
  const { personId, isAdministrator, reason } = what
  if (personId === who.personId)
    throw fail('impossibleNow', 'You cannot change your own role; ask another administrator')
  const administrators = await tx.all(store.lockAdministrators, {})
  if (!administrators.some(({ id, is_disabled }) => id === who.personId && !is_disabled))
    throw fail('forbidden', 'You are no longer an administrator')
  const account = await lockAccount(tx, personId)
  if (account.administrator === isAdministrator) return
  if (isAdministrator && (account.unclaimed || account.is_disabled))
    throw fail('impossibleNow', `${account.handle} cannot sign in yet: they have to accept the invitation first`)
  await changePeople(tx, [{ id: personId, administrator: isAdministrator }])
  const action = isAdministrator ? 'administrator.added' : 'administrator.removed'
  await recordAudit(tx, who, { action, personId, detail: { by: who.personId, reason } })
}
