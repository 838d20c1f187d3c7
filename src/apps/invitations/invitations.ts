import { childrenBornAfter, isChild } from '../../identity/people/ages.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { ActingPerson, Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import { SWEEP } from './letters.ts'
import { QUIET_DAYS } from './rules.ts'
import type { Invitation, NameInvitation } from './schema.ts'
import * as store from './store.ts'

type Row = RowOf<typeof store.findReceived>

/** Lists the invitations that wait for the answer of the caller or, for their children, of a parent. */
export async function listInvitations(db: Db, who: PersonCaller): Promise<Invitation[]> {
  const rows = await db.all(store.listReceived, { ...viewerOf(who), now: who.at })
  return rows.map((row) => ({ ...toInvitation(row, who.at), plugins: JSON.parse(row.plugins) }))
}

/** Finds an invitation that the caller may answer. A child is told to ask a parent. */
export async function readInvitation(db: Db, who: ActingPerson, { invitationId }: NameInvitation): Promise<Row> {
  const row = await db.first(store.findReceived, { ...viewerOf(who), now: who.at, invitation: invitationId })
  if (!row) throw fail('notFound', 'There is no such invitation; it may have expired or been withdrawn')
  if (!mayAnswer(row, who.at))
    throw fail('wrongUserType', 'Invitations to a child are accepted or declined by a parent')
  return row
}

/** Locks an invitation that the caller may answer, so that it is answered once. */
async function lockInvitation(tx: Tx, who: ActingPerson, what: NameInvitation): Promise<Row> {
  await tx.first(store.lock, { invitation: what.invitationId })
  return readInvitation(tx, who, what)
}

/** Closes an accepted invitation. The caller adds the person in the same transaction. */
export async function takeInvitation(tx: Tx, who: ActingPerson, what: NameInvitation): Promise<Row> {
  const row = await lockInvitation(tx, who, what)
  await tx.first(store.close, { id: row.id, now: who.at })
  await audit(tx, who, 'invitation.accepted', row)
  return row
}

/**
 * Accepts what the organisation that created an account invited its person to, when they use the link of the account.
 * Returns the organisation and the role in it; undefined if the account waits for no organisation. Throws if all
 * invitations were withdrawn or have expired.
 */
export async function takeByLink(
  tx: Tx,
  who: Caller,
  personId: number,
): Promise<{ organisation: string; role: string } | undefined> {
  const awaited = await tx.first(store.findAwaited, { person: personId })
  if (!awaited) return undefined
  const open = await tx.all(store.lockOpen, { person: personId, now: who.at })
  if (open.length === 0)
    throw fail('unknownCode', 'This invitation was withdrawn or has expired: ask the organisation for a new one')
  const own = open.filter(({ organisation_id }) => organisation_id === awaited.organisation_id)
  if (own.length === 0) return undefined
  const membership = own.find(({ class_id }) => class_id === null)
  if (membership) {
    await tx.first(store.close, { id: membership.id, now: who.at })
    const detail = { organisation: awaited.organisation, class: null, role: membership.role, by: personId }
    await recordAudit(tx, who, { action: 'invitation.accepted', personId, detail })
  }
  return { organisation: awaited.organisation, role: membership?.role ?? 'member' }
}

/** Keeps the invitations that a new link of an account accepts open until the link expires. */
export const extendInvitations = async (tx: Tx, what: { personId: number; until: Date }): Promise<void> => {
  await tx.all(store.extend, { person: what.personId, until: what.until })
}

/** Whether an organisation has an open invitation to an address. */
export const isInvited = async (
  db: Db,
  { at: now }: Caller,
  { organisation, email }: { organisation: number; email: string },
): Promise<boolean> =>
  (await db.first(store.findOpenByAddress, { organisation, address: normaliseHandle(email), now })) !== undefined

/**
 * Accepts the open invitation of an organisation to an address, for a person who has confirmed the address. Returns the
 * role; undefined if the address was not invited. An account that was created for the invitation is deleted.
 */
export async function takeByAddress(
  tx: Tx,
  who: ActingPerson,
  what: { organisation: { id: number; key: string }; email: string },
): Promise<string | undefined> {
  const { organisation, email } = what
  const found = await tx.first(store.lockByAddress, {
    organisation: organisation.id,
    address: normaliseHandle(email),
    now: who.at,
  })
  if (!found) return undefined
  await tx.first(store.close, { id: found.id, now: who.at })
  await enqueue(tx, SWEEP, { payload: {}, at: who.at })
  const detail = { organisation: organisation.key, class: null, role: found.role, by: who.personId }
  await recordAudit(tx, who, { action: 'invitation.accepted', personId: who.personId, detail })
  return found.role
}

/** Lists a person's open invitations to classes of an organisation. */
export const listOpenClasses = (db: Db, who: ActingPerson, organisation: number): Promise<{ key: string }[]> =>
  db.all(store.listOpenClasses, { person: who.personId, organisation, now: who.at })

export const declineInvitation = (db: Db, who: PersonCaller, what: NameInvitation): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await lockInvitation(tx, who, what)
    await tx.first(store.decline, { id: row.id, now: who.at })
    await audit(tx, who, 'invitation.declined', row)
  })

const viewerOf = (who: ActingPerson) => ({ person: who.personId, born: childrenBornAfter(who.at) })

const mayAnswer = (row: Row, at: Date): boolean => !row.is_own || !isChild(row.date_of_birth, at)

const audit = (tx: Tx, who: ActingPerson, action: AuditAction, row: Row) =>
  recordAudit(tx, who, {
    action,
    personId: row.person_id,
    detail: { organisation: row.organisation, class: row.class, role: row.role, by: who.personId },
  })

const nameOf = (first: string, last: string) => `${first} ${last}`.trim()

const toInvitation = (row: Row, at: Date): Omit<Invitation, 'plugins'> => ({
  invitationId: row.key,
  organisation: { organisation: row.organisation, name: row.organisation_name },
  class: row.class === null ? null : { classId: row.class, name: row.class_name!, course: row.course_name! },
  role: row.role,
  inviter: { handle: row.inviter_handle, name: nameOf(row.inviter_first_name, row.inviter_last_name) },
  invited: { handle: row.handle, name: nameOf(row.first_name, row.last_name) },
  isOwn: row.is_own,
  mayAnswer: mayAnswer(row, at),
  sentDate: row.sent_at,
  expiresDate: row.expires_at,
})

/** Exports the invitations that a person has received and sent, including those that a block hides. */
export async function exportInvitations(db: Db, personId: number) {
  const [received, sent] = await Promise.all([
    db.all(store.exportReceived, { person: personId }),
    db.all(store.exportSent, { person: personId }),
  ])
  return {
    received: received.map((row) => ({
      organisation: row.organisation,
      classId: row.class,
      role: row.role,
      inviter: row.inviter,
      sentDate: row.sent_at,
      expiresDate: row.expires_at,
      declinedDate: row.declined_at,
      closedDate: row.closed_at,
    })),
    sent: sent.map((row) => ({
      organisation: row.organisation,
      classId: row.class,
      role: row.role,
      handle: row.handle,
      sentDate: row.sent_at,
      expiresDate: row.expires_at,
    })),
  }
}

/** Ended invitations are kept until a decline no longer counts. */
export const invitationRetention: readonly Retention[] = [{ days: QUIET_DAYS, remove: store.deleteOld }]
