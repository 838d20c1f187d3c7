import { recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { ActingPerson, Caller } from '../../kernel/caller.ts'
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
import { accountExistsLetter, joinLetter, signUpLetter } from './letters.ts'
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

/**
 * Throws if nobody can sign up. An organisation that is open for sign-up lets people in even if the platform is not.
 */
function checkOpen(config: Pick<Config, 'SIGN_UP'>, messages: MessagePolicy, isForOrganisation: boolean): void {
  if (isForOrganisation ? !messages.isOn : !canSignUp(config, messages))
    throw fail('impossibleNow', 'Only administrators create accounts here: contact one of them')
}

/** The organisation that a sign-up link joins. */
export interface JoinedBySignUp {
  /** Its key. */
  readonly organisation: string
  readonly name: string
  /** The code that was typed; null if the address was enough. */
  readonly code: string | null
}

/**
 * Sends a sign-up link to an address. If the address already has an account, only the message says so; the caller gets
 * the same response. The link to an organisation also works for people who have an account.
 */
export async function askSignUp(
  db: Db,
  who: Caller,
  what: { email: string; join?: JoinedBySignUp & { readonly id: number } },
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
): Promise<void> {
  const { join } = what
  checkOpen(config, messages, join !== undefined)
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
      organisation: join?.id ?? null,
      organisationCode: join?.code ?? null,
    })
    const url = `${messages.url}/account/signup?code=${code}`
    const letter = join
      ? joinLetter({ organisation: join.name, link: url, minutes: LINK_MINUTES, handle: owner?.handle }, messages)
      : owner
        ? accountExistsLetter(owner.handle, messages)
        : signUpLetter(url, LINK_MINUTES, messages)
    const personId = link ? (owner?.id ?? null) : NOBODY
    await sendMessage(tx, who, { personId, recipient: email, ...letter, until }, messages)
    const detail = join ? { organisation: join.organisation } : {}
    await recordAudit(tx, who, { action: 'sign-up.asked', detail, ...(owner && { personId: owner.id }) })
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

/** Makes the person a member of the organisation of a used link, in the same transaction. Throws if it has closed. */
export type JoinWithLink = (
  tx: Tx,
  what: { readonly personId: number; readonly email: string; readonly join: JoinedBySignUp },
) => Promise<void>

/** Creates an account with a sign-up link. The link also confirms the e-mail address. */
export async function signUp(
  db: Db,
  who: Caller,
  what: SignUp,
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
  joinWithLink: JoinWithLink,
): Promise<VerifiedPerson> {
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
  const { join } = await readSignUp(db, who, what, messages)
  checkOpen(config, messages, join !== undefined)
  const passwordHash = await hashPassword(what.password, networkOf(who.address))
  try {
    return await db.transaction(async (tx) => {
      const email = await takeSignUp(tx, who, what)
      const { id } = await addPerson(tx, who, { handle, ...names, email, dateOfBirth, passwordHash })
      if (!(await confirmEmail(tx, who, { personId: id, email })))
        throw fail('conflict', 'This e-mail address already has an account: sign in with it')
      if (join) await joinWithLink(tx, { personId: id, email, join })
      return { id, epoch: 0 }
    })
  } catch (error) {
    // Count the attempt as a failure, because each attempt reveals whether a handle is taken.
    if (error instanceof PlatformError && error.kind === 'duplicate')
      await db.transaction((tx) => countFailures(tx, who, [linkRequestSubject(who)]))
    throw error
  }
}

const ALREADY_USED = 'This link, or another one for the same address, was already used'

/** Uses up the links of an address. Returns the address. */
async function takeSignUp(tx: Tx, who: Caller, { code }: { code: string }): Promise<string> {
  const [taken] = await tx.all(store.takeSignUps, { hash: hashToken(code), now: who.at })
  if (!taken) throw fail('alreadyUsed', ALREADY_USED)
  return taken.email
}

/** Joins an organisation with a sign-up link and the account that the caller has. It may have another address. */
export async function signUpMember(
  db: Db,
  who: ActingPerson,
  what: { code: string },
  messages: MessagePolicy,
  joinWithLink: JoinWithLink,
): Promise<JoinedBySignUp> {
  const { personId } = who
  const { join } = await readSignUp(db, who, what, messages)
  if (!join) throw fail('impossibleNow', 'This link creates an account, and you have one')
  await db.transaction(async (tx) => {
    const email = await takeSignUp(tx, who, what)
    await confirmEmail(tx, who, { personId, email })
    await joinWithLink(tx, { personId, email, join })
  })
  return join
}

/** Returns what the link is for. Throws if it can no longer be used, and says why it cannot. */
export async function readSignUp(
  db: Db,
  who: Caller,
  what: { code: string },
  messages: MessagePolicy,
): Promise<{ email: string; join: JoinedBySignUp | undefined }> {
  if (inspectToken(what.code, 'sign-up', messages.environment) !== 'good')
    throw fail('unknownCode', 'This link is incomplete: copy all of it from the message, or request a new one')
  const found = await db.first(store.findSignUp, { hash: hashToken(what.code) })
  if (!found) throw fail('unknownCode', 'This link is unknown: request a new one')
  if (found.used_at) throw fail('alreadyUsed', ALREADY_USED)
  if (found.expires_at <= who.at)
    throw fail('unknownCode', `This link has expired after ${LINK_MINUTES} minutes: request a new one`)
  const { email, organisation, organisation_name: name, organisation_code: code } = found
  return { email, join: organisation === null ? undefined : { organisation, name: name!, code } }
}

/** Finds the handle of the account that has confirmed an address. */
export const findConfirmedHandle = async (db: Db, email: string): Promise<string | undefined> =>
  (await db.first(store.findConfirmed, { email }))?.handle

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

/** Confirms the addresses of imported people. An address that somebody else has confirmed stays theirs. */
export const confirmEmails = async (tx: Tx, who: Caller, people: readonly number[]): Promise<void> => {
  await tx.all(store.confirmEmails, { people: [...people], now: who.at })
}

export const signUpRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldSignUps }]
