import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readInBatches } from '../../kernel/imports/section.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { type LockedAccount, lockAccount } from './accounts.ts'
import { setInvited } from './accounts-store.ts'
import { normaliseHandle } from './handles.ts'
import { lockPeople } from './import-store.ts'
import { invitationLetter } from './letters.ts'
import { type Removal, removePerson } from './removal.ts'
import { insertLink, invitationLinkOf } from './resets.ts'
import * as store from './store.ts'

/** Longer than a reset link is valid, because people take longer to open an e-mail that they did not ask for. */
export const INVITATION_DAYS = 7
const DAY_MS = 24 * 60 * 60_000
/** A second request within this time sends nothing: a double click, or two people at once. */
const RESEND_MS = 60_000

export function refuseWithoutMessages(messages: MessagePolicy): void {
  if (!messages.isOn) throw fail('impossibleNow', 'E-mail is off: create links with `npx groundschool user reset-link`')
}

/**
 * Sends a link for setting the first password to everybody in the list who has an e-mail address, no password and no
 * working link. Repeating the call therefore sends nothing twice. Returns the number of links sent.
 */
export async function sendInvitations(
  db: Db,
  who: Caller,
  what: { readonly handles: readonly string[]; onProgress?(done: number, total: number): void },
  messages: MessagePolicy,
): Promise<number> {
  refuseWithoutMessages(messages)
  const found = await readInBatches(what.handles.map(normaliseHandle), (handles) =>
    db.all(store.findUninvited, { handles, now: who.at }),
  )
  let sent = 0
  for (const [i, { key }] of found.entries()) {
    if (await db.transaction((tx) => sendInvitation(tx, who, key, messages))) sent++
    what.onProgress?.(i + 1, found.length)
  }
  return sent
}

/**
 * Sends the link, if the person still needs one. If two commands run concurrently, the second waits for the lock and
 * then finds the link of the first.
 */
async function sendInvitation(tx: Tx, who: Caller, key: string, messages: MessagePolicy): Promise<boolean> {
  await tx.all(lockPeople, { handles: [key] })
  const person = await tx.first(store.findUninvited, { handles: [key], now: who.at })
  return person !== undefined && (await sendLink(tx, who, await lockAccount(tx, person.id), messages)) !== undefined
}

/**
 * Sends a link for setting the first password, which replaces earlier links. Returns when it expires; undefined if
 * there is no address to send it to, or the account is disabled.
 */
async function sendLink(
  tx: Tx,
  who: Caller & { readonly personId?: number },
  account: LockedAccount,
  messages: MessagePolicy,
): Promise<Date | undefined> {
  const { id: personId, handle, organisation } = account
  const recipient = account.email ?? ''
  if (!isMailAddress(recipient)) return undefined
  const code = mintToken('reset', messages.environment)
  const until = new Date(who.at.getTime() + INVITATION_DAYS * DAY_MS)
  await tx.all(store.endResets, { person: personId, now: who.at })
  if (!(await insertLink(tx, who, { personId, code, sentTo: recipient, until }))) return undefined
  await tx.first(setInvited, { id: personId, until })
  const what = { handle, link: invitationLinkOf(code, messages), days: INVITATION_DAYS, organisation }
  await sendMessage(tx, who, { personId, recipient, ...invitationLetter(what, messages), until }, messages)
  const detail = who.personId === undefined ? {} : { by: who.personId }
  await recordAudit(tx, who, { action: 'password.invitation-sent', personId, detail })
  return until
}

/**
 * Sends the invitation of a locked account again, or for the first time. Returns when its link expires. Throws if it
 * cannot be sent.
 */
export async function inviteAgain(
  tx: Tx,
  who: Caller & { readonly personId?: number },
  account: LockedAccount,
  messages: MessagePolicy,
): Promise<Date> {
  const { handle } = account
  refuseWithoutMessages(messages)
  if (account.has_credentials) throw fail('impossibleNow', `${handle} has set up the account already`)
  if (account.is_disabled) throw fail('impossibleNow', `${handle} is disabled: enable the account first`)
  if (isJustInvited(account, who.at)) return account.invited_until
  const until = await sendLink(tx, who, account, messages)
  if (!until) throw fail('impossibleNow', `${handle} has no e-mail address to send the invitation to`)
  return until
}

const isJustInvited = <A extends LockedAccount>(account: A, at: Date): account is A & { invited_until: Date } =>
  account.invited_until !== null &&
  account.invited_until.getTime() - at.getTime() > INVITATION_DAYS * DAY_MS - RESEND_MS

/**
 * Sends the link of an account that an organisation invites, if nobody has claimed it yet. Returns true if the message
 * is that organisation's: it created the account, and using the link accepts its invitation.
 */
export async function sendFirstLink(
  tx: Tx,
  who: Caller,
  what: { personId: number; organisation: number },
  messages: MessagePolicy,
): Promise<boolean> {
  const account = await lockAccount(tx, what.personId)
  if (!account.unclaimed) return false
  if (!isJustInvited(account, who.at)) await sendLink(tx, who, account, messages)
  return account.managed_by === what.organisation
}

/**
 * Withdraws an invitation. An account that was created for it and never used is deleted; any other account loses the
 * link and stays.
 */
export async function withdrawAccount(
  db: Db,
  who: Caller & { readonly personId: number },
  what: { personId: number; check?(tx: Tx): Promise<void> },
  forget: Removal['forget'],
): Promise<void> {
  const { personId } = what
  await removePerson(db, who, {
    personId,
    reason: 'invitation withdrawn',
    isHandleFree: true,
    forget,
    mayGo: async (tx) => {
      await what.check?.(tx)
      const account = await lockAccount(tx, personId)
      if (account.has_credentials)
        throw fail('impossibleNow', `${account.handle} has set up the account already: disable or delete it instead`)
      await recordAudit(tx, who, { action: 'password.invitation-withdrawn', personId, detail: { by: who.personId } })
      if (account.unclaimed) return true
      await tx.all(store.endResets, { person: personId, now: who.at })
      await tx.first(setInvited, { id: personId, until: null })
      return false
    },
  })
}
