import { recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { fail } from '../../kernel/errors.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { countFailures, linkRequestSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { hashToken, inspectToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { normaliseHandle } from './handles.ts'
import { resetLetter } from './letters.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { type AlongWithPassword, replacePassword, type VerifiedPerson } from './people.ts'
import { confirmEmail } from './sign-up.ts'
import * as store from './store.ts'

export const RESET_MINUTES = 30
/**
 * While a person has this many valid links, no more are sent, so that strangers cannot fill somebody's mailbox. The
 * caller gets the same response.
 */
const LIVE_LINKS = 3
const NO_LIMIT = 1_000_000
const MINUTE_MS = 60_000
/** The id of a dummy person, used for unknown handles so that they take the same time as known ones. */
const NOBODY = 0

const linkOf = (code: string, { url }: MessagePolicy): string => `${url}/account/reset?code=${code}`

/** The link of an invitation says what it is, so that its page can explain it even after the account was deleted. */
export const invitationLinkOf = (code: string, messages: MessagePolicy): string =>
  `${linkOf(code, messages)}&invitation=true`

export const insertLink = (
  tx: Tx,
  who: Caller,
  what: { personId: number; code: string; most?: number; sentTo: string | null; until?: Date },
) =>
  tx.first(store.insertReset, {
    hash: hashToken(what.code),
    person: what.personId,
    now: who.at,
    expires: what.until ?? new Date(who.at.getTime() + RESET_MINUTES * MINUTE_MS),
    since: new Date(who.at.getTime() - RESET_MINUTES * MINUTE_MS),
    most: what.most ?? NO_LIMIT,
    sentTo: what.sentTo,
  })

/**
 * Sends a one-time link to the owner of this handle. The caller cannot tell whether it was sent: if the person is
 * unknown, is disabled, has no e-mail address or has enough links already, the same statements run with a dummy id.
 */
export async function askReset(db: Db, who: Caller, what: { handle: string }, messages: MessagePolicy): Promise<void> {
  if (!messages.isOn) throw fail('impossibleNow', 'E-mail is off: ask an administrator for a password reset link')
  const handle = normaliseHandle(what.handle).slice(0, 254)
  const code = mintToken('reset', messages.environment)
  await refuseBlocked(db, who, [linkRequestSubject(who)])
  await db.transaction(async (tx) => {
    await countFailures(tx, who, [linkRequestSubject(who)])
    const turn = await tx.first(store.takeResetTurn, { handle })
    const person = await tx.first(store.findForReset, { handle })
    const recipient = person?.email ?? ''
    const isReachable = person !== undefined && isMailAddress(recipient) && turn?.is_free === true
    const personIdOrNobody = isReachable ? person.id : NOBODY
    const link = await insertLink(tx, who, { personId: personIdOrNobody, code, most: LIVE_LINKS, sentTo: recipient })
    const letter = resetLetter(person?.handle ?? `@${handle}`, linkOf(code, messages), RESET_MINUTES, messages)
    const personId = link?.person_id ?? NOBODY
    const until = new Date(who.at.getTime() + RESET_MINUTES * MINUTE_MS)
    await sendMessage(tx, who, { personId, recipient, ...letter, until }, messages)
    await recordAudit(tx, who, { action: 'password.reset-asked', ...(person ? { personId: person.id } : {}) })
  })
}

/** Makes a one-time link for an administrator to pass on. Works even if messages are off. */
export async function makeResetLink(
  db: Db,
  who: Caller,
  what: { handle: string },
  messages: MessagePolicy,
): Promise<string> {
  const code = mintToken('reset', messages.environment)
  await db.transaction(async (tx) => {
    const person = await tx.first(store.findForReset, { handle: normaliseHandle(what.handle) })
    if (!person) throw fail('notFound', `There is no user with the handle ${what.handle}`)
    const link = await insertLink(tx, who, { personId: person.id, code, sentTo: null })
    if (!link) throw fail('impossibleNow', `${person.handle} is disabled: enable the account first`)
    await recordAudit(tx, who, { action: 'password.reset-link-made', personId: person.id })
  })
  return linkOf(code, messages)
}

/** Sends a one-time link on behalf of an administrator. Throws if it cannot be sent. */
export async function sendReset(
  db: Db,
  who: Caller,
  what: { handle: string; by: number },
  messages: MessagePolicy,
): Promise<void> {
  if (!messages.isOn)
    throw fail('impossibleNow', 'E-mail is off: create a link with `npx groundschool user reset-link`')
  const code = mintToken('reset', messages.environment)
  await db.transaction(async (tx) => {
    const person = await tx.first(store.findForReset, { handle: normaliseHandle(what.handle) })
    if (!person) throw fail('notFound', `There is no user with the handle ${what.handle}`)
    const { id: personId, handle, email } = person
    const recipient = email ?? ''
    if (!isMailAddress(recipient))
      throw fail(
        'impossibleNow',
        `${handle} has no e-mail address: create a link with \`npx groundschool user reset-link ${handle}\``,
      )
    if (!(await insertLink(tx, who, { personId, code, most: LIVE_LINKS, sentTo: recipient })))
      throw fail(
        'impossibleNow',
        `${handle} is disabled (enable the account first), or has ${LIVE_LINKS} links that still work (wait ${RESET_MINUTES} minutes)`,
      )
    const until = new Date(who.at.getTime() + RESET_MINUTES * MINUTE_MS)
    const letter = resetLetter(handle, linkOf(code, messages), RESET_MINUTES, messages)
    await sendMessage(tx, who, { personId, recipient, ...letter, until }, messages)
    await recordAudit(tx, who, { action: 'password.reset-sent', personId, detail: { by: what.by } })
  })
}

/** The person for whom a link was made. */
export interface LinkOwner {
  readonly personId: number
  readonly epoch: number
  readonly handle: string
  readonly name: string
  /** True if nobody can sign in to the account yet: it has neither a password nor a passkey. */
  readonly isNew: boolean
}

const RESET_PROBLEMS = {
  incomplete: 'This link is incomplete: copy all of it from the message, or request a new one',
  unknown: 'This link is unknown: request a new one',
  used: 'This link was already used: request a new one',
  expired: 'This link has expired: request a new one',
  outdated: 'This link stopped working when the password or the account was changed: request a new one',
}
const ENDED =
  'This invitation was withdrawn or has expired: ask the organisation or the administrator who invited you for a new one'
const INVITATION_PROBLEMS = {
  incomplete: 'This link is incomplete: copy all of it from the message',
  unknown: ENDED,
  used: 'This invitation was already used: sign in. If you have not set a password, open the link of the latest message',
  expired: ENDED,
  outdated: ENDED,
}

/** Returns the person for whom the link was made. Throws if the link can no longer be used. */
export async function readReset(
  db: Db,
  who: Caller,
  what: { code: string; isInvitation?: boolean },
  messages: MessagePolicy,
): Promise<LinkOwner> {
  const say = what.isInvitation ? INVITATION_PROBLEMS : RESET_PROBLEMS
  if (inspectToken(what.code, 'reset', messages.environment) !== 'good') throw fail('unknownCode', say.incomplete)
  const found = await db.first(store.findReset, { hash: hashToken(what.code) })
  if (!found) throw fail('unknownCode', say.unknown)
  if (found.used_at) throw fail('alreadyUsed', say.used)
  if (found.expires_at <= who.at) throw fail('unknownCode', say.expired)
  if (!found.is_current) throw fail('unknownCode', say.outdated)
  const { person_id: personId, epoch, handle, name, has_credentials: hasCredentials } = found
  return { personId, epoch, handle, name, isNew: !hasCredentials }
}

/**
 * Sets a new password with a one-time link, and ends all sessions opened with the old password, in apps and browsers.
 */
export async function resetPassword(
  db: Db,
  who: Caller,
  what: { code: string; password: string; also?: AlongWithPassword },
  messages: MessagePolicy,
): Promise<VerifiedPerson> {
  checkPassword(what.password)
  const { personId, epoch } = await readReset(db, who, what, messages)
  const passwordHash = await hashPassword(what.password, networkOf(who.address))
  return db.transaction(async (tx) => {
    await takeLink(tx, who, { ...what, personId, epoch }, messages)
    return replacePassword(tx, who, { personId, passwordHash, action: 'password.reset', also: what.also }, messages)
  })
}

/** Locks the account of a link and uses the link up. Throws if it can no longer be used. */
async function takeLink(
  tx: Tx,
  who: Caller,
  what: { code: string; personId: number; epoch: number },
  messages: MessagePolicy,
): Promise<void> {
  const { personId, epoch } = what
  const isLocked = await tx.first(store.lockForChange, { id: personId, epoch })
  const taken = isLocked && (await tx.first(store.takeReset, { hash: hashToken(what.code), epoch, now: who.at }))
  // A concurrent request has used the link or changed the password: `readReset` throws the error that says which.
  if (!taken) {
    await readReset(tx, who, what, messages)
    throw fail('unknownCode', 'This link is no longer valid: request a new one')
  }
  // The link was sent to the mailbox, so opening it confirms the e-mail address.
  if (taken.sent_to !== null) await confirmEmail(tx, who, { personId, email: taken.sent_to })
}

/** Like `readReset`, for a link with which a new account gets a passkey. Throws if somebody has set the account up. */
export async function readFirstLink(
  db: Db,
  who: Caller,
  what: { code: string },
  messages: MessagePolicy,
): Promise<LinkOwner> {
  const owner = await readReset(db, who, what, messages)
  if (!owner.isNew) throw fail('impossibleNow', 'This account is set up already: create passkeys in the account')
  return owner
}

/** Uses the link of a new account that gets a passkey instead of a password. All its other links end too. */
export async function takeFirstLink(
  tx: Tx,
  who: Caller,
  what: { code: string } & LinkOwner,
  messages: MessagePolicy,
): Promise<void> {
  await takeLink(tx, who, what, messages)
  await tx.all(store.endResets, { person: what.personId, now: who.at })
}

export const resetRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldResets }]
