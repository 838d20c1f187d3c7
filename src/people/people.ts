import { networkOf } from '../addresses.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { endSessionsOfPerson } from '../sessions/sessions.ts'
import { hashPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, verifyPassword } from './passwords.ts'
import { isHandle, isLine, normaliseHandle } from './rules.ts'
import * as store from './store.ts'

export { isLine, normaliseHandle } from './rules.ts'

/** Failures without any wait: an account's owner mistypes, a classroom behind one address mistypes a lot. */
const FREE_FAILURES_OF_ACCOUNT = 5
const FREE_FAILURES_OF_ADDRESS = 100

/** Somebody who has just given the right password. */
export interface VerifiedPerson {
  readonly id: number
  readonly passwordHash: string
}

/**
 * The person behind a handle and a password. An unknown handle, a wrong password and a disabled account give the same answer after the same time.
 * Failures are counted by account and by address and lead to growing waits, for everybody who tries that account or comes from that address; successes count for nothing.
 */
export async function verifyPerson(
  db: Db,
  who: Caller,
  what: { handle: string; password: string },
): Promise<VerifiedPerson> {
  const handle = normaliseHandle(what.handle).slice(0, 100)
  const account = `account:${handle}`
  const address = `address:${networkOf(who.address)}`
  await refuseBlocked(db, who, account, address)
  const person = await db.first(store.findForSignIn, { handle })
  const passwordHash = person?.password_hash ?? null
  const isRight = await verifyPassword(what.password, passwordHash)
  // Guesses that were sent at once have all passed the first look; the answer must not tell which of them was right.
  await refuseBlocked(db, who, account, address)
  if (person && passwordHash !== null && isRight && !person.disabled_at) {
    await db.first(store.forgetFailures, { subject: account })
    return { id: person.id, passwordHash }
  }
  await db.transaction(async (tx) => {
    await tx.first(store.countFailure, { subject: account, now: who.at, free: FREE_FAILURES_OF_ACCOUNT })
    await tx.first(store.countFailure, { subject: address, now: who.at, free: FREE_FAILURES_OF_ADDRESS })
    await recordAudit(tx, who, { action: 'sign-in.failed', ...(person ? { personId: person.id } : {}) })
  })
  throw wrongCredentials()
}

async function refuseBlocked(db: Db, who: Caller, account: string, address: string): Promise<void> {
  const block = await db.first(store.findBlock, { account, address })
  const waitMs = (block?.blocked_until?.getTime() ?? 0) - who.at.getTime()
  if (waitMs > 0)
    throw fail('tooManyRequests', 'Too many failed sign-ins; wait before the next try', Math.ceil(waitMs / 1000))
}

/**
 * Refuses where the password was changed, or the account disabled, after it was verified; until the transaction ends neither can happen. So no session of
 * an old password slips past the one that ends them all.
 */
export async function confirmPerson(tx: Db, person: VerifiedPerson): Promise<void> {
  if (!(await tx.first(store.lockForSignIn, { id: person.id, hash: person.passwordHash }))) throw wrongCredentials()
}

const wrongCredentials = () => fail('wrongCredentials', 'The handle or the password is wrong')

export async function readPersonId(db: Db, handle: string): Promise<number> {
  const person = await db.first(store.findByHandle, { handle: normaliseHandle(handle) })
  if (!person) throw fail('notFound', `There is nobody with the handle ${handle}`)
  return person.id
}

/** Sets a password and ends every session that the old one opened. */
export async function changePassword(db: Db, who: Caller, what: { handle: string; password: string }): Promise<void> {
  if (what.password.length < MIN_PASSWORD_LENGTH || what.password.length > MAX_PASSWORD_LENGTH)
    throw fail('validationFailed', `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  const hash = await hashPassword(what.password)
  await db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    await tx.first(store.setPassword, { id: personId, hash })
    await recordAudit(tx, who, { action: 'password.changed', personId })
    await endSessionsOfPerson(tx, who, { personId, reason: 'password changed' })
  })
}

/** A disabled person cannot sign in, and all their tokens are dead. */
export function disablePerson(db: Db, who: Caller, what: { handle: string; isDisabled: boolean }): Promise<void> {
  return db.transaction(async (tx) => {
    const personId = await readPersonId(tx, what.handle)
    await tx.first(store.setDisabled, { id: personId, at: what.isDisabled ? who.at : null })
    await recordAudit(tx, who, { action: what.isDisabled ? 'person.disabled' : 'person.enabled', personId })
    if (what.isDisabled) await endSessionsOfPerson(tx, who, { personId, reason: 'person disabled' })
  })
}

export const peopleAges: readonly Age[] = [{ days: 1, remove: store.deleteOldFailures }]

export interface NewPerson {
  readonly handle: string
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly email?: string | undefined
  readonly isAdministrator?: boolean | undefined
  readonly isDeveloper?: boolean | undefined
}

/** Adds an account. Nobody can sign in to it until it has a password. Gives the handle as it is shown. */
export async function addPerson(db: Db, who: Caller, what: NewPerson): Promise<string> {
  if (!isHandle(what.handle))
    throw fail('validationFailed', 'A handle is 1 to 30 letters, digits, . _ or -, such as @avery')
  const texts = { 'first name': what.firstName, 'last name': what.lastName, 'e-mail address': what.email }
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isLine(value))
      throw fail('validationFailed', `The ${name} is too long or has control characters`)
  }
  const handle = `@${what.handle.replace(/^@/, '')}`
  await db.transaction(async (tx) => {
    const row = await tx.first(store.insertPerson, {
      handle,
      key: normaliseHandle(handle),
      first: what.firstName?.normalize('NFC') ?? '',
      last: what.lastName?.normalize('NFC') ?? '',
      email: what.email ?? null,
      administrator: what.isAdministrator ?? false,
      developer: what.isDeveloper ?? false,
      now: who.at,
    })
    if (!row) throw fail('duplicate', `The handle ${handle} is taken`)
    await recordAudit(tx, who, { action: 'person.added', personId: row.id })
  })
  return handle
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
