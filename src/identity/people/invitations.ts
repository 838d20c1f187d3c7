import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readInBatches } from '../../kernel/imports/section.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { normaliseHandle } from './handles.ts'
import { lockPeople } from './import-store.ts'
import { invitationLetter } from './letters.ts'
import { insertLink, linkOf } from './resets.ts'
import * as store from './store.ts'

/** Longer than a reset link is valid, because people take longer to open an e-mail that they did not ask for. */
export const INVITATION_DAYS = 7
const DAY_MS = 24 * 60 * 60_000

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
  const recipient = person?.email ?? ''
  if (!person || !isMailAddress(recipient)) return false
  const { id: personId, handle } = person
  const code = mintToken('reset', messages.environment)
  const until = new Date(who.at.getTime() + INVITATION_DAYS * DAY_MS)
  if (!(await insertLink(tx, who, { personId, code, sentTo: recipient, until }))) return false
  const letter = invitationLetter(handle, linkOf(code, messages), INVITATION_DAYS, messages)
  await sendMessage(tx, who, { personId, recipient, ...letter, until }, messages)
  await recordAudit(tx, who, { action: 'password.invitation-sent', personId })
  return true
}
