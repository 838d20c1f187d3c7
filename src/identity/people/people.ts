import { randomBytes } from 'node:crypto'
import { type AuditEntry, recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import { type Caller, type KnownBrowser, personKey, type SignedIn } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { isLine, isMailAddress } from '../../kernel/lines.ts'
import {
  accountSubject,
  countFailures,
  forgetFailures,
  forgetFailuresOfAccount,
  knownBrowserSubject,
  networkSubject,
  pairSubject,
  proofSubject,
  refuseBlocked,
  type Subjects,
} from '../../kernel/lockouts/lockouts.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { endSessionsOfPerson } from '../../kernel/sessions/sessions.ts'
import { ANONYMOUS_PREFIX, checkHandle, normaliseHandle } from './handles.ts'
import { isImportedHash } from './imported-hashes.ts'
import { type Letter, passwordChangedLetter } from './letters.ts'
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts'
import { SEARCH_VERSION, searchKeys } from './search-keys.ts'
import * as store from './store.ts'

/** A person whose identity has just been verified. The verification is valid until the person's epoch changes. */
export interface VerifiedPerson {
  readonly id: number
  readonly epoch: number
}

/**
 * Verifies a handle, or a confirmed e-mail address, and a password. An unknown handle, a wrong password and a disabled
 * account get the same response after the same time. Failures cause growing waits. They are counted for the browser if
 * this person has signed in with it before; otherwise for the pair of handle and network, for the handle, and for the
 * network. Successes are not counted.
 */
export async function verifyPerson(
  db: Db,
  who: Caller & { readonly known?: KnownBrowser },
  what: { handle: string; password: string },
): Promise<VerifiedPerson> {
  const named = normaliseHandle(what.handle).slice(0, 254)
  const person = await db.first(store.findForSignIn, { handle: named })
  // Failures by handle and by e-mail address are counted together, because they concern the same person.
  const handle = person?.handle_key ?? named.slice(0, 100)
  const browser = who.known?.recognise(person ?? NOBODY)
  if (person && browser !== undefined) {
    const own = knownBrowserSubject(person.id, handle, browser)
    // A known browser also has its own key in the hashing queue, so that guessers in the same network do not delay it.
    return tryPassword(db, who, { person, password: what.password, subjects: [own], by: own.name })
  }
  const whom = person ? { personId: person.id } : {}
  const subjects = [
    { ...pairSubject(who, handle), ...whom },
    { ...accountSubject(handle), ...whom },
    networkSubject(who),
  ] as const
  return tryPassword(db, who, { person, password: what.password, subjects, by: networkOf(who.address) })
}

/** Dummy person, used for unknown handles so that verifying takes the same time as for known ones. */
const NOBODY = { id: 0, epoch: 0 }

interface PasswordAttempt {
  readonly person: RowOf<typeof store.findForSignIn> | undefined
  readonly password: string
  /**
   * Failures are counted for each of these subjects. A success clears the failures of the first subject only, because
   * those of the others may include attempts by other people.
   */
  readonly subjects: Subjects
  /** The key of the attempt in the hashing queue. */
  readonly by: string
}

async function tryPassword(
  db: Db,
  who: Caller,
  { person, password, subjects, by }: PasswordAttempt,
): Promise<VerifiedPerson> {
  const startedMs = performance.now()
  /**
   * Returns the caller with the current time: a wait that is caused after queueing must start now, and not when the
   * request arrived.
   */
  const later = (): Caller => ({ ...who, at: new Date(who.at.getTime() + performance.now() - startedMs) })
  const refuse = () => refuseBlocked(db, later(), subjects)
  await refuse()
  const passwordHash = person?.password_hash ?? null
  const [isRight, ownHash] = await Promise.all([
    // `check` skips the hashing if other failures have meanwhile caused a wait.
    verifyPassword({ password, hash: passwordHash, by, check: refuse }),
    // Computed even if the password is wrong, so that verifying an imported hash takes at least as long as verifying
    // any other hash.
    isImportedHash(passwordHash) ? hashPassword(password, by, refuse) : undefined,
  ])
  // Check again: concurrent guesses may all have passed the check above, and the response must not reveal which of them
  // was right.
  await refuse()
  if (person && passwordHash !== null && isRight && !person.disabled_at) {
    await forgetFailures(db, subjects[0])
    if (ownHash !== undefined)
      await db.first(store.replaceImportedHash, { person: person.id, imported: passwordHash, hash: ownHash })
    return { id: person.id, epoch: person.epoch }
  }
  const whom = person ? { personId: person.id } : {}
  await db.transaction(async (tx) => {
    await countFailures(tx, later(), subjects)
    await recordAudit(tx, who, { action: 'sign-in.failed', ...whom })
  })
  throw wrongCredentials()
}

/**
 * Throws if the password was changed or the account disabled after the verification, and prevents both until the
 * transaction ends. Without this, a session opened with the old password could outlive the password change, which ends
 * all sessions.
 */
export async function confirmPerson(tx: Tx, person: VerifiedPerson): Promise<void> {
  if (!(await tx.first(store.lockForSignIn, { id: person.id, epoch: person.epoch }))) throw wrongCredentials()
}

const wrongCredentials = () => fail('wrongCredentials', 'The handle or the password is wrong')

export async function readPersonId(db: Db, handle: string): Promise<number> {
  const person = await db.first(store.findByHandle, { handle: normaliseHandle(handle) })
  if (!person) throw fail('notFound', `There is no user with the handle ${handle}`)
  return person.id
}

/** Sets a person's password on behalf of an operator. */
export async function changePassword(
  db: Db,
  who: Caller,
  what: { handle: string; password: string; also?: AlongWithPassword },
  messages?: MessagePolicy,
): Promise<VerifiedPerson> {
  checkPassword(what.password)
  const passwordHash = await hashPassword(what.password)
  return db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    const change = { personId, passwordHash, action: 'password.changed', also: what.also } as const
    return replacePassword(tx, who, change, messages)
  })
}

/** Sets the caller's own password, after verifying the old one. */
export async function changeOwnPassword(
  db: Db,
  who: OwnBrowser,
  what: { password: string; newPassword: string; also?: AlongWithPassword },
  messages: MessagePolicy,
): Promise<VerifiedPerson> {
  checkPassword(what.newPassword)
  if (what.newPassword.normalize('NFC') === what.password.normalize('NFC'))
    throw fail('validationFailed', 'The new password must differ from the current one')
  const person = await verifyOwnPassword(db, who, what.password)
  const passwordHash = await hashPassword(what.newPassword, networkOf(who.address))
  return db.transaction(async (tx) => {
    await holdAccount(tx, person)
    const change = { personId: person.id, passwordHash, action: 'password.changed', also: what.also } as const
    return replacePassword(tx, who, change, messages)
  })
}

/**
 * Verifies the password of a signed-in person again. Failures are counted for this browser only: nobody else can cause
 * a wait here, and failures here cause no wait elsewhere.
 */
export async function verifyOwnPassword(db: Db, who: OwnBrowser, password: string): Promise<VerifiedPerson> {
  const person = await db.first(store.findForSignIn, { handle: normaliseHandle(who.handle) })
  if (person?.id !== who.personId) throw wrongCurrentPassword()
  const by = personKey(who.personId)
  return tryPassword(db, who, { person, password, subjects: [proofSubject(who)], by }).catch((error) => {
    throw error instanceof PlatformError && error.kind === 'wrongCredentials' ? wrongCurrentPassword() : error
  })
}

/** A caller who is signed in to the platform with a browser. */
export type OwnBrowser = Caller & Pick<SignedIn, 'personId' | 'handle' | 'browserId'>

/** Locks the account until the transaction ends. Throws if the account has changed since the identity was verified. */
export async function holdAccount(tx: Tx, person: VerifiedPerson): Promise<void> {
  if (!(await tx.first(store.lockForChange, person)))
    throw fail('impossibleNow', 'Your account was changed in another browser in the meantime; sign in and try again')
}

const wrongCurrentPassword = () => fail('wrongCredentials', 'The current password is wrong')

/** Makes further changes in the transaction that changes the password. */
export type AlongWithPassword = (tx: Tx, person: { personId: number; handle: string }) => Promise<void>

/**
 * Replaces a password, ends all sessions opened with the old password, and notifies the person. Apart from imports,
 * this is the only code that replaces a password.
 */
export async function replacePassword(
  tx: Tx,
  who: Caller,
  what: {
    personId: number
    passwordHash: string
    action: 'password.changed' | 'password.reset'
    also?: AlongWithPassword | undefined
  },
  messages: MessagePolicy | undefined,
): Promise<VerifiedPerson> {
  const { personId, passwordHash, action } = what
  const person = await tx.first(store.setPassword, { id: personId, hash: passwordHash })
  if (!person) throw fail('notFound', 'This account no longer exists')
  await recordAudit(tx, who, { action, personId })
  await endSessionsOfPerson(tx, who, { personId, reason: 'password changed' })
  await forgetFailuresOfAccount(tx, person.handle_key)
  await what.also?.(tx, { personId, handle: person.handle })
  if (messages)
    await tellPerson(tx, who, { personId, ...passwordChangedLetter(person.handle, who.at, messages) }, messages)
  return { id: personId, epoch: person.epoch }
}

/**
 * Sends a message about a change, in the transaction of that change. Does nothing if the person has no e-mail address
 * or messages are off.
 */
export async function tellPerson(
  tx: Tx,
  who: Caller,
  what: Letter & { personId: number },
  messages: MessagePolicy,
): Promise<void> {
  if (!messages.isOn) return
  const recipient = (await tx.first(store.findEmail, { id: what.personId }))?.email ?? ''
  if (isMailAddress(recipient)) await sendMessage(tx, who, { ...what, recipient }, messages)
}

/** Disables or enables an account. A disabled person cannot sign in, and all their tokens are revoked. */
export function disablePerson(
  db: Db,
  who: Caller,
  what: { handle: string; isDisabled: boolean; detail?: AuditEntry['detail']; check?(tx: Tx): Promise<void> },
  forget: readonly Forget[],
): Promise<void> {
  return db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    // This also locks the children in the person's care, in ascending order of id.
    if (what.isDisabled) await tx.all(store.lockForRemoval, { id: personId })
    await what.check?.(tx)
    await tx.first(store.setDisabled, { id: personId, at: what.isDisabled ? who.at : null })
    const { detail = {} } = what
    await recordAudit(tx, who, { action: what.isDisabled ? 'person.disabled' : 'person.enabled', personId, detail })
    if (!what.isDisabled) return
    for (const room of forget) await room.lockOut?.(tx, who, personId)
    await endSessionsOfPerson(tx, who, { personId, reason: 'person disabled' })
  })
}

/** Signs a person out of all browsers and apps, and invalidates their codes and links. The person can sign in again. */
export function endEverything(
  db: Db,
  who: Caller,
  what: { handle: string; detail?: AuditEntry['detail'] },
): Promise<void> {
  return db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    await tx.first(store.raiseEpoch, { id: personId })
    await recordAudit(tx, who, { action: 'sign-out.forced', personId, detail: what.detail ?? {} })
    await endSessionsOfPerson(tx, who, { personId, reason: 'ended by an administrator' })
  })
}

export interface NewPerson {
  readonly handle: string
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly email?: string | undefined
  /** An ISO 8601 date. */
  readonly dateOfBirth?: string | undefined
  readonly passwordHash?: string | undefined
  readonly isAdministrator?: boolean | undefined
  readonly isDeveloper?: boolean | undefined
  /** Set for an account that is created for somebody else: they have yet to set a password. */
  readonly isUnclaimed?: boolean | undefined
  /** Id of the organisation that creates the account and manages it. */
  readonly managedBy?: number | undefined
}

/** Adds an account, which cannot sign in until it has a password. Returns the handle as it is shown. */
export async function addPerson(db: Db, who: Caller, what: NewPerson): Promise<{ id: number; handle: string }> {
  checkHandle(what.handle)
  const texts = { 'first name': what.firstName, 'last name': what.lastName, 'e-mail address': what.email }
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isLine(value))
      throw fail('validationFailed', `The ${name} must be one line of visible characters, and not too long`)
  }
  const handle = `@${what.handle.replace(/^@/, '')}`
  const firstName = what.firstName?.normalize('NFC').trim() ?? ''
  const lastName = what.lastName?.normalize('NFC').trim() ?? ''
  return db.transaction(async (tx) => {
    const row = await tx.first(store.insertPerson, {
      handle,
      key: normaliseHandle(handle),
      first: firstName,
      last: lastName,
      email: what.email ?? null,
      born: what.dateOfBirth ?? null,
      passwordHash: what.passwordHash ?? null,
      administrator: what.isAdministrator ?? false,
      developer: what.isDeveloper ?? false,
      unclaimed: what.isUnclaimed ?? false,
      manager: what.managedBy ?? null,
      keys: searchKeys({ handle, firstName, lastName }),
      version: SEARCH_VERSION,
      now: who.at,
    })
    // Retired handles are checked after the insert: the handle's owner may have been deleted while the insert waited
    // for the lock on their row. The error does not distinguish taken handles from retired ones.
    if (!row || (await tx.first(store.findRetired, { key: normaliseHandle(handle), now: who.at })))
      throw fail('duplicate', `The handle ${handle} is taken or was recently released; choose another`)
    await recordAudit(tx, who, { action: 'person.added', personId: row.id })
    return { id: row.id, handle }
  })
}

/** Adds an anonymous user. The random handle has the maximum length and a prefix that no account may use. */
export async function addAnonymous(tx: Tx, who: Caller, { dateOfBirth: born }: { dateOfBirth: string }) {
  const handle = `@${ANONYMOUS_PREFIX}-${randomBytes(10).toString('hex')}`
  const row = await tx.first(store.insertAnonymous, { handle, key: normaliseHandle(handle), born, now: who.at })
  return { id: row!.id, handle }
}

/** Returns the data of the account for the data export. */
export async function exportPerson(db: Db, personId: number) {
  const row = await db.first(store.findWhole, { id: personId })
  if (!row) throw fail('notFound', 'This account no longer exists')
  return {
    handle: row.handle,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    emailConfirmedDate: row.email_confirmed_at,
    country: row.country,
    dateOfBirth: row.date_of_birth,
    gender: row.gender,
    position: row.position,
    accountKind: row.account_kind,
    service: JSON.parse(row.service),
    publicSearch: row.public_search,
    parentFlags: { cameraDisabled: row.camera_disabled, proximityFriends: row.proximity_friends },
    administrator: row.administrator,
    developer: row.developer,
    hasPassword: row.has_password,
    invitationExpiresDate: row.invited_until,
    managedBy: row.managed_by,
    createdDate: row.created_at,
    organisations: JSON.parse(row.organisations),
  }
}

/** Yields everybody with an account, sorted by handle, reading page by page. */
export async function* listPeople(db: Db, pageSize = 1000) {
  for (let after = ''; ; ) {
    const page = await db.all(store.listPeople, { after, limit: pageSize })
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.handle_key
  }
}
