import { isHandle, normaliseHandle } from '../../identity/people/handles.ts'
import { INVITATION_DAYS } from '../../identity/people/invitations.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit, recordAudits } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { batches } from '../../kernel/imports/batches.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { INVITE, SWEEP } from './letters.ts'
import {
  checkSentLately,
  HOUR_MS,
  type InvitationLimits,
  isAddressKey,
  isOpen,
  mayHandle,
  planInvitation,
  planResend,
  QUIET_DAYS,
  refuseUnconfirmed,
} from './rules.ts'
import type { CorrectInvitation, InvitationPlan, ListSent, NameInvitation, SentInvitation } from './schema.ts'
import * as store from './store.ts'

const DAY_MS = 24 * HOUR_MS

export interface InvitationPolicy extends InvitationLimits {
  /** Days after which an unanswered invitation expires. */
  readonly days: number
  /** Whether messages are sent. Without them, nobody can be invited by e-mail address. */
  readonly isMailOn: boolean
}

export const invitationPolicy = service(
  ({ config, get }): InvitationPolicy => ({
    days: config.INVITATION_DAYS,
    isMailOn: get(messagePolicy).isOn,
    perHour: config.RATE_INVITE_PER_HOUR,
    perHourOfOrganisation: config.RATE_INVITE_ORGANISATION_PER_HOUR,
  }),
)

/** An organisation or, if `class` is given, one of its classes. */
export interface InvitationTarget {
  readonly organisation: { readonly id: number; readonly key: string }
  readonly class?: { readonly id: number; readonly key: string }
}

export interface Invitee {
  /** A handle or an e-mail address. */
  readonly handle: string
  readonly role: string
  readonly studentId?: string | undefined
  /** For an account that is created for an e-mail address. */
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly wantedHandle?: string | undefined
}

/** Whether the text can name somebody: a handle or an e-mail address. */
export const isName = (text: string): boolean => isHandle(text) || isMailAddress(text)

/** Returns the ids of those of the people who are added without an invitation, by normalised handle or address. */
export async function findJoiners(
  db: Db,
  who: { readonly personId: number },
  organisation: number,
  handles: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(store.findJoiners, { organisation, person: who.personId, handles: [...handles] })
  return new Map(rows.map(({ handle, person_id }) => [handle, person_id]))
}

/** Decides for each handle what inviting it does, without writing anything. */
export async function planInvitations(
  db: Db,
  who: PersonCaller,
  target: InvitationTarget,
  people: readonly Invitee[],
): Promise<ReadonlyMap<string, InvitationPlan>> {
  const keys = people.map(({ handle }) => normaliseHandle(handle))
  const where = { organisation: target.organisation.id, class: target.class?.id ?? null, handles: keys }
  const earlier = new Map((await db.all(store.findEarlier, where)).map((row) => [row.handle_key, row]))
  const seen = { organisation: where.organisation, person: who.personId, addresses: keys.filter(isAddressKey) }
  const members = new Map((await db.all(store.findUnconfirmed, seen)).map((row) => [row.address, row]))
  return new Map(
    people.map(({ role }, i) => {
      const member = members.get(keys[i]!)
      return [keys[i]!, member ? refuseUnconfirmed(member) : planInvitation(earlier.get(keys[i]!), role, who.at)]
    }),
  )
}

/** Sends invitations that `planInvitations` has decided to send. Throws if too many were sent in the last hour. */
export async function sendInvitations(
  tx: Tx,
  who: PersonCaller,
  target: InvitationTarget,
  people: readonly Invitee[],
  policy: InvitationPolicy,
): Promise<void> {
  if (people.length === 0) return
  const rows = people.map(({ handle, role, studentId, firstName, lastName, wantedHandle }) => {
    const handle_key = normaliseHandle(handle)
    return {
      key: makeId(),
      role,
      student_key: studentId,
      handle: isAddressKey(handle_key) ? handle.trim() : `@${handle.trim().replace(/^@/, '')}`,
      handle_key,
      first_name: firstName ?? '',
      last_name: lastName ?? '',
      wanted_handle: wantedHandle,
      expires_at: expiryOf(who, handle_key, policy),
    }
  })
  const keys = rows.map(({ handle_key }) => handle_key)
  if (!policy.isMailOn && keys.some(isAddressKey))
    throw fail('impossibleNow', 'E-mail is off, so nobody can be invited by e-mail address; use handles')
  await checkLimit(tx, who, target.organisation.id, keys, policy)
  const sent = await tx.all(store.sendInvitations, {
    organisation: target.organisation.id,
    class: target.class?.id ?? null,
    inviter: who.personId,
    rows: JSON.stringify(rows),
    ...timesOf(who),
  })
  await tellLater(
    tx,
    who,
    sent.map(({ id }) => id),
  )
  await recordAudits(
    tx,
    who,
    people.map(({ role }) => ({
      action: 'invitation.sent',
      personId: who.personId,
      detail: { organisation: target.organisation.key, class: target.class?.key ?? null, role },
    })),
  )
}

/** Invites a person, or returns the pending invitation. The answer depends only on the handle that was typed. */
export async function invitePerson(
  tx: Tx,
  who: PersonCaller,
  target: InvitationTarget,
  invitee: Invitee,
  policy: InvitationPolicy,
): Promise<SentInvitation> {
  if (!isName(invitee.handle.trim()))
    throw fail('validationFailed', `${invitee.handle} is neither a handle, such as @avery, nor an e-mail address`)
  const key = normaliseHandle(invitee.handle)
  const plan = (await planInvitations(tx, who, target, [invitee])).get(key)!
  if (typeof plan === 'object') throw fail('impossibleNow', `${isAddressKey(key) ? '' : '@'}${key} ${plan.refused}`)
  if (plan === 'send') await sendInvitations(tx, who, target, [invitee], policy)
  const where = { organisation: target.organisation.id, class: target.class?.id ?? null, handles: [key] }
  const [stored] = await tx.all(store.findEarlier, where)
  return toSent((await tx.first(store.findSent, { person: who.personId, invitation: stored!.key }))!, who.at)
}

/**
 * Locks the inviter and checks the limits. Every handle counts, whether or not somebody has it, because each may be a
 * guess. The limit of the organisation can be exceeded by the few invitations that others send at the same moment.
 * Administrators have no limit: they see everybody.
 */
async function checkLimit(
  tx: Tx,
  who: PersonCaller,
  organisation: number,
  keys: readonly string[],
  policy: InvitationPolicy,
): Promise<void> {
  if (who.isAdministrator) return
  await tx.first(store.lockInviter, { person: who.personId })
  const since = new Date(who.at.getTime() - HOUR_MS)
  const sent = await tx.first(store.countSentLately, { inviter: who.personId, organisation, since })
  checkSentLately(sent!, keys, policy, who.at)
}

/** The link that is sent to an address works for as long as the invitation. */
const expiryOf = ({ at }: PersonCaller, key: string, { days }: InvitationPolicy): Date =>
  new Date(at.getTime() + (isAddressKey(key) ? INVITATION_DAYS : days) * DAY_MS)

const timesOf = ({ at }: PersonCaller) => ({
  now: at,
  quietSince: new Date(at.getTime() - QUIET_DAYS * DAY_MS),
})

/** Leaves the messages to a job, so that the response time does not reveal whether somebody has the handle. */
const tellLater = (tx: Tx, { at }: PersonCaller, invitations: readonly number[]): Promise<void> =>
  enqueue(tx, INVITE, ...batches(invitations, TOLD_AT_ONCE).map((batch) => ({ payload: { invitations: batch }, at })))

const TOLD_AT_ONCE = 20

export async function listSent(db: Db, who: PersonCaller, what: ListSent): Promise<Page<SentInvitation>> {
  const { organisation = null, classId = null } = what
  if ((organisation === null) === (classId === null))
    throw fail('validationFailed', 'Send organisation or classId, not both')
  const found = await db.first(store.findTarget, { person: who.personId, organisation, class: classId })
  if (!found || !mayHandle(found, 'student') || (organisation !== null && found.teaches))
    throw fail('forbidden', 'There is no such organisation or class, or you cannot invite users to it')
  const rows = await db.all(store.listSent, {
    organisation: found.organisation_id,
    class: found.class_id,
    students: !mayHandle(found, 'instructor'),
    ...spanOf(what),
  })
  return pageOf(
    rows.map((row) => toSent(row, who.at)),
    rows[0]?.total ?? 0,
    what,
  )
}

async function lockSent(tx: Tx, who: PersonCaller, invitation: string) {
  await tx.first(store.lock, { invitation })
  const found = await tx.first(store.findSent, { person: who.personId, invitation })
  if (!found || !mayHandle(found, found.role))
    throw fail('forbidden', 'There is no such invitation, or you cannot change it')
  return found
}

/** Sends an invitation again. The caller becomes its inviter, and it expires later. */
export const resendInvitation = (
  db: Db,
  who: PersonCaller,
  { invitationId }: NameInvitation,
  policy: InvitationPolicy,
): Promise<SentInvitation> =>
  db.transaction(async (tx) => {
    const found = await lockSent(tx, who, invitationId)
    const plan = planResend(found, who.at)
    if (typeof plan === 'object') throw fail('impossibleNow', `${found.handle} ${plan.refused}`)
    await checkLimit(tx, who, found.organisation_id, [found.handle_key], policy)
    const expires = expiryOf(who, found.handle_key, policy)
    await tx.first(store.resend, { id: found.id, inviter: who.personId, expires, ...timesOf(who) })
    await tellLater(tx, who, [found.id])
    await audit(tx, who, 'invitation.resent', found)
    return toSent((await tx.first(store.findSent, { person: who.personId, invitation: invitationId }))!, who.at)
  })

export const withdrawInvitation = (db: Db, who: PersonCaller, { invitationId }: NameInvitation): Promise<void> =>
  db.transaction(async (tx) => {
    await withdraw(tx, who, await lockSent(tx, who, invitationId))
  })

async function withdraw(tx: Tx, who: PersonCaller, found: RowOf<typeof store.findSent>): Promise<void> {
  await tx.first(store.close, { id: found.id, now: who.at })
  // The account that was created for the invitation is deleted later, so that the time reveals nothing.
  await enqueue(tx, SWEEP, { payload: {}, at: who.at })
  await audit(tx, who, 'invitation.withdrawn', found)
}

/**
 * Corrects the address or the names of an invitation by e-mail address, and sends it. The old address can no longer
 * use its link.
 */
export const correctInvitation = (
  db: Db,
  who: PersonCaller,
  { invitationId, email, firstName, lastName }: CorrectInvitation,
  policy: InvitationPolicy,
): Promise<SentInvitation> =>
  db.transaction(async (tx) => {
    const found = await lockSent(tx, who, invitationId)
    if (!isAddressKey(found.handle_key))
      throw fail('impossibleNow', 'Only an invitation by e-mail address can be corrected; withdraw it instead')
    if (email !== undefined && !isMailAddress(email.trim()))
      throw fail('validationFailed', 'email must be an e-mail address')
    const handle = email?.trim() ?? found.handle
    const key = normaliseHandle(handle)
    if ((await findJoiners(tx, who, found.organisation_id, [key])).has(key))
      throw fail('impossibleNow', `${handle} already belongs to the organisation; withdraw this invitation instead`)
    await withdraw(tx, who, found)
    const target = {
      organisation: { id: found.organisation_id, key: found.organisation },
      ...(found.class_id !== null && { class: { id: found.class_id, key: found.class! } }),
    }
    const invitee = {
      handle,
      role: found.role,
      studentId: found.student_key ?? undefined,
      firstName: firstName ?? found.first_name,
      lastName: lastName ?? found.last_name,
      wantedHandle: found.wanted_handle ?? undefined,
    }
    return invitePerson(tx, who, target, invitee, policy)
  })

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, found: RowOf<typeof store.findSent>) =>
  recordAudit(tx, who, {
    action,
    personId: who.personId,
    detail: { organisation: found.organisation, class: found.class, role: found.role },
  })

const toSent = (row: Omit<RowOf<typeof store.listSent>, 'total'>, at: Date): SentInvitation => ({
  invitationId: row.key,
  organisation: row.organisation,
  classId: row.class,
  handle: row.handle,
  name: `${row.first_name} ${row.last_name}`.trim(),
  firstName: row.first_name,
  lastName: row.last_name,
  role: row.role,
  status: isOpen(row, at) ? 'pending' : 'notAccepted',
  sentDate: row.sent_at.toISOString(),
  expiresDate: row.expires_at.toISOString(),
})
