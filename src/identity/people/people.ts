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

/** Somebody who has just proved who they are. The proof holds while the epoch is current. */
export interface VerifiedPerson {
  readonly id: number
  readonly epoch: number
}

/**
 * The person behind a handle, or an e-mail address that they have confirmed, and a password. An unknown handle, a wrong password and a disabled account give the same answer after the same time.
 * Failures lead to growing waits: in a browser in which this person has signed in before for that browser alone; elsewhere for the handle from that network, for the handle, and for the
 * network. Successes count for nothing.
 */
export async function verifyPerson(
  db: Db,
  who: Caller & { readonly known?: KnownBrowser },
  what: { handle: string; password: string },
): Promise<VerifiedPerson> {
  const named = normaliseHandle(what.handle).slice(0, 254)
  const person = await db.first(store.findForSignIn, { handle: named })
  // Guesses by handle and by address count together: they are about the same person.
  const handle = person?.handle_key ?? named.slice(0, 100)
  const browser = who.known?.recognise(person ?? NOBODY)
  if (person && browser !== undefined) {
    const own = knownBrowserSubject(person.id, handle, browser)
    // Its own turn as well: a crowd of guessers in the same network is not in its way.
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

/** Nobody has this id: whatever is asked of nobody is asked all the same, so that it takes as long. */
const NOBODY = { id: 0, epoch: 0 }

interface Try {
  readonly person: RowOf<typeof store.findForSignIn> | undefined
  readonly password: string
  /** What a wrong one is counted under. A right one forgets the first, and leaves what others have tried. */
  readonly subjects: Subjects
  /** For whom it waits its turn. */
  readonly by: string
}

async function tryPassword(db: Db, who: Caller, { person, password, subjects, by }: Try): Promise<VerifiedPerson> {
  const startedMs = performance.now()
  /** The same caller now: in a crowd one waits for one's turn, and a wait begins when it is found out that it must. */
  const later = (): Caller => ({ ...who, at: new Date(who.at.getTime() + performance.now() - startedMs) })
  const refuse = () => refuseBlocked(db, later(), subjects)
  await refuse()
  const passwordHash = person?.password_hash ?? null
  const [isRight, ownHash] = await Promise.all([
    // Not hashed if somebody else's failures have brought a wait meanwhile.
    verifyPassword({ password, hash: passwordHash, by, check: refuse }),
    // Made even if the password turns out to be wrong: an account with an imported hash then takes at least as long as any other.
    isImportedHash(passwordHash) ? hashPassword(password, by, refuse) : undefined,
  ])
  // Guesses that were sent at once have all passed the checks before; the answer must not tell which of them was right.
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
 * Refuses where the password was changed, or the account disabled, after it was verified; until the transaction ends neither can happen. So no session of
 * an old password slips past the one that ends them all.
 */
export async function confirmPerson(tx: Tx, person: VerifiedPerson): Promise<void> {
  if (!(await tx.first(store.lockForSignIn, { id: person.id, epoch: person.epoch }))) throw wrongCredentials()
}

const wrongCredentials = () => fail('wrongCredentials', 'The handle or the password is wrong')

export async function readPersonId(db: Db, handle: string): Promise<number> {
  const person = await db.first(store.findByHandle, { handle: normaliseHandle(handle) })
  if (!person) throw fail('notFound', `There is nobody with the handle ${handle}`)
  return person.id
}

/** An operator sets somebody's password. */
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

/** A person sets their own, and proves with the old one that it is they. */
export async function changeOwnPassword(
  db: Db,
  who: OwnBrowser,
  what: { password: string; newPassword: string; also?: AlongWithPassword },
  messages: MessagePolicy,
): Promise<VerifiedPerson> {
  checkPassword(what.newPassword)
  if (what.newPassword.normalize('NFC') === what.password.normalize('NFC'))
    throw fail('validationFailed', 'The new password is the old one: choose another')
  const person = await verifyOwnPassword(db, who, what.password)
  const passwordHash = await hashPassword(what.newPassword, networkOf(who.address))
  return db.transaction(async (tx) => {
    await holdAccount(tx, person)
    const change = { personId: person.id, passwordHash, action: 'password.changed', also: what.also } as const
    return replacePassword(tx, who, change, messages)
  })
}

/** Somebody who is signed in proves once more that it is they. Wrong tries count for this browser alone: no stranger's do, and they lock nobody out elsewhere. */
export async function verifyOwnPassword(db: Db, who: OwnBrowser, password: string): Promise<VerifiedPerson> {
  const person = await db.first(store.findForSignIn, { handle: normaliseHandle(who.handle) })
  if (person?.id !== who.personId) throw wrongCurrentPassword()
  const by = personKey(who.personId)
  return tryPassword(db, who, { person, password, subjects: [proofSubject(who)], by }).catch((error) => {
    throw error instanceof PlatformError && error.kind === 'wrongCredentials' ? wrongCurrentPassword() : error
  })
}

/** Somebody who is signed in in a browser. */
export type OwnBrowser = Caller & Pick<SignedIn, 'personId' | 'handle' | 'browserId'>

/** Until the transaction ends nobody else changes the account; refuses where somebody has since the proof. */
export async function holdAccount(tx: Tx, person: VerifiedPerson): Promise<void> {
  if (!(await tx.first(store.lockForChange, person)))
    throw fail(
      'impossibleNow',
      'Your account was changed in another browser meanwhile; sign in again, then try once more',
    )
}

const wrongCurrentPassword = () => fail('wrongCredentials', 'The current password is wrong')

/** What else changes with a password, in the same transaction: all of it happens, or nothing. */
export type AlongWithPassword = (tx: Tx, person: { personId: number; handle: string }) => Promise<void>

/** The one place where a password is set: everything that the old one has opened ends, and the person is told. */
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

/** A message to a person, in the transaction of what it tells about. Nothing where they have no e-mail address, or messages are off. */
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

/** A disabled person cannot sign in, and all their tokens are dead. */
export function disablePerson(
  db: Db,
  who: Caller,
  what: { handle: string; isDisabled: boolean; detail?: AuditEntry['detail'] },
  forget: readonly Forget[],
): Promise<void> {
  return db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    // With the children that they look after, in the order that everybody keeps to.
    if (what.isDisabled) await tx.all(store.lockForRemoval, { id: personId })
    await tx.first(store.setDisabled, { id: personId, at: what.isDisabled ? who.at : null })
    const { detail = {} } = what
    await recordAudit(tx, who, { action: what.isDisabled ? 'person.disabled' : 'person.enabled', personId, detail })
    if (!what.isDisabled) return
    for (const room of forget) await room.lockOut?.(tx, who, personId)
    await endSessionsOfPerson(tx, who, { personId, reason: 'person disabled' })
  })
}

/** Signs somebody out in all browsers and all apps. They stay able to sign in; codes and links that they were given are worth nothing any more. */
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
  /** A day in ISO 8601. */
  readonly dateOfBirth?: string | undefined
  readonly passwordHash?: string | undefined
  readonly isAdministrator?: boolean | undefined
  readonly isDeveloper?: boolean | undefined
}

/** Adds an account. Nobody can sign in to it until it has a password. Gives the handle as it is shown. */
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
      keys: searchKeys({ handle, firstName, lastName }),
      version: SEARCH_VERSION,
      now: who.at,
    })
    // Looked up afterwards: whoever has it may have gone while we waited for them. Who is here and who has left is not told apart.
    if (!row || (await tx.first(store.findRetired, { key: normaliseHandle(handle), now: who.at })))
      throw fail('duplicate', `The handle ${handle} is taken, or was given up lately; choose another`)
    await recordAudit(tx, who, { action: 'person.added', personId: row.id })
    return { id: row.id, handle }
  })
}

/** Somebody without a name. The handle is random, so that nobody has it already, and as long as one may be; no account is called so. */
export async function addAnonymous(tx: Tx, who: Caller, { dateOfBirth: born }: { dateOfBirth: string }) {
  const handle = `@${ANONYMOUS_PREFIX}-${randomBytes(10).toString('hex')}`
  const row = await tx.first(store.insertAnonymous, { handle, key: normaliseHandle(handle), born, now: who.at })
  return { id: row!.id, handle }
}

/** For the download of everything that is kept about a person. */
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
    createdDate: row.created_at,
    organisations: JSON.parse(row.organisations),
  }
}

/** Everybody with an account, in the order of their handles, a page at a time. */
export async function* listPeople(db: Db, pageSize = 1000) {
  for (let after = ''; ; ) {
    const page = await db.all(store.listPeople, { after, limit: pageSize })
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.handle_key
  }
}
