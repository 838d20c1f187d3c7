import { recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Config } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { readEmail, readLine } from '../../kernel/lines.ts'
import { countFailures, linkRequestSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { hashToken, inspectToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { canBeBirth, isChild } from './ages.ts'
import { checkHandle } from './handles.ts'
import { accountExistsLetter, signUpLetter } from './letters.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { addPerson, type VerifiedPerson } from './people.ts'
import * as store from './sign-up-store.ts'

const LINK_MINUTES = 60
/**
 * While an address has this many valid links, no more are sent, so that strangers cannot fill somebody's mailbox. The
 * caller gets the same response.
 */
const LIVE_LINKS = 3
const MINUTE_MS = 60_000
/**
 * The id of a dummy person. A message to this id is stored but never sent, which takes the same time as a real message.
 */
const NOBODY = 0

/** Whether this installation lets anybody create an account. */
export const canSignUp = ({ SIGN_UP }: Pick<Config, 'SIGN_UP'>, messages: Pick<MessagePolicy, 'isOn'>): boolean =>
  SIGN_UP === 'on' && messages.isOn

const checkOpen = (config: Pick<Config, 'SIGN_UP'>, messages: MessagePolicy): void => {
  if (!canSignUp(config, messages))
    throw fail('impossibleNow', 'Only administrators create accounts here: contact one of them')
}

/**
 * Sends a sign-up link to an address. If the address already has an account, only the message says so; the caller gets
 * the same response.
 */
export async function askSignUp(
  db: Db,
  who: Caller,
  what: { email: string },
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
): Promise<void> {
  checkOpen(config, messages)
  const email = readEmail(what.email)
  if (email === null) throw fail('parameterMissing', 'email is missing')
  const code = mintToken('sign-up', messages.environment)
  const until = new Date(who.at.getTime() + LINK_MINUTES * MINUTE_MS)
  await refuseBlocked(db, who, [linkRequestSubject(who)])
  await db.transaction(async (tx) => {
    await countFailures(tx, who, [linkRequestSubject(who)])
    const owner = await tx.first(store.findConfirmed, { email })
    const link = await tx.first(store.insertSignUp, {
      hash: hashToken(code),
      email,
      now: who.at,
      expires: until,
      since: new Date(who.at.getTime() - LINK_MINUTES * MINUTE_MS),
      most: LIVE_LINKS,
    })
    const letter = owner
      ? accountExistsLetter(owner.handle, messages)
      : signUpLetter(`${messages.url}/account/signup?code=${code}`, LINK_MINUTES, messages)
    const personId = link ? (owner?.id ?? null) : NOBODY
    await sendMessage(tx, who, { personId, recipient: email, ...letter, until }, messages)
    await recordAudit(tx, who, { action: 'sign-up.asked', ...(owner && { personId: owner.id }) })
  })
}

export interface SignUp {
  readonly code: string
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
  /** An ISO 8601 date. */
  readonly dateOfBirth: string
  readonly password: string
}

/** Creates an account with a sign-up link. The link also confirms the e-mail address. */
export async function signUp(
  db: Db,
  who: Caller,
  what: SignUp,
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
): Promise<VerifiedPerson> {
  checkOpen(config, messages)
  checkPassword(what.password)
  checkHandle(what.handle)
  const names = { firstName: readLine('firstName', what.firstName), lastName: readLine('lastName', what.lastName) }
  const { dateOfBirth, handle } = what
  if (!canBeBirth(who.at, new Date(dateOfBirth)))
    throw fail('validationFailed', 'dateOfBirth must be a real date of birth, such as 2001-05-31')
  if (isChild(dateOfBirth, who.at))
    throw fail(
      'forbidden',
      'Users under 13 get their account from a parent, who creates it under Children in their own account',
    )
  await refuseBlocked(db, who, [linkRequestSubject(who)])
  await readSignUp(db, who, what, messages)
  const passwordHash = await hashPassword(what.password, networkOf(who.address))
  try {
    return await db.transaction(async (tx) => {
      const [taken] = await tx.all(store.takeSignUps, { hash: hashToken(what.code), now: who.at })
      if (!taken) throw fail('alreadyUsed', 'This link, or another one for the same address, was already used')
      const { id } = await addPerson(tx, who, { handle, ...names, email: taken.email, dateOfBirth, passwordHash })
      if (!(await confirmEmail(tx, who, { personId: id, email: taken.email })))
        throw fail('conflict', 'This e-mail address already has an account: sign in with it')
      return { id, epoch: 0 }
    })
  } catch (error) {
    // Count the attempt as a failure, because each attempt reveals whether a handle is taken.
    if (error instanceof PlatformError && error.kind === 'duplicate')
      await db.transaction((tx) => countFailures(tx, who, [linkRequestSubject(who)]))
    throw error
  }
}

/** Throws if the link can no longer be used, and says why it cannot. */
export async function readSignUp(db: Db, who: Caller, what: { code: string }, messages: MessagePolicy): Promise<void> {
  if (inspectToken(what.code, 'sign-up', messages.environment) !== 'good')
    throw fail('unknownCode', 'This link is incomplete: copy all of it from the message, or request a new one')
  const found = await db.first(store.findSignUp, { hash: hashToken(what.code) })
  if (!found) throw fail('unknownCode', 'This link is unknown: request a new one')
  if (found.used_at) throw fail('alreadyUsed', 'This link, or another one for the same address, was already used')
  if (found.expires_at <= who.at)
    throw fail('unknownCode', `This link has expired after ${LINK_MINUTES} minutes: request a new one`)
}

/**
 * Confirms the e-mail address of a person who has opened a link sent to it. Returns false if the person's address has
 * changed or somebody else has confirmed it.
 */
export async function confirmEmail(tx: Tx, who: Caller, what: { personId: number; email: string }): Promise<boolean> {
  const { personId, email } = what
  if (!(await tx.first(store.confirmEmail, { id: personId, email, now: who.at }))) return false
  await recordAudit(tx, who, { action: 'email.confirmed', personId })
  return true
}

export const signUpRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldSignUps }]
