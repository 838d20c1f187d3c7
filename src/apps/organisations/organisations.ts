import { withdrawNotifications } from '../../identity/notifications/notifications.ts'
import { releaseAccount } from '../../identity/people/accounts.ts'
import { checkHandle, normaliseHandle } from '../../identity/people/handles.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { ActingPerson, Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import { fail } from '../../kernel/errors.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { takeByLink } from '../invitations/invitations.ts'
import type { SentInvitation } from '../invitations/schema.ts'
import { findJoiners, type InvitationPolicy, type Invitee, invitePerson } from '../invitations/sending.ts'
import { JOINED } from './joined.ts'
import { DEVELOPERS, mayManage, memberRoles, PLANNERS } from './roles.ts'
import { checkKey, checkLastOwner, checkTimeZone } from './rules.ts'
import type {
  CreateOrganisation,
  ListMembers,
  ListOrganisations,
  ListOwners,
  NameOrganisation,
  Organisation,
  OrganisationMember,
  OrganisationPerson,
  RemoveMember,
  RenameOrganisation,
  SetCourseAuthors,
  SetMember,
  SetTimeZone,
} from './schema.ts'
import * as store from './store.ts'

/** The organisations that the caller may manage: those that they own, or all if they are an administrator. */
const managedOrganisation = managed({
  find: (db, { person, key }) => db.first(store.findManaged, { person, organisation: key }),
  lock: (tx, key) => tx.first(store.lockOrganisation, { organisation: key }),
  isManaged: (row) => mayManage(row),
  refusal: 'There is no organisation with this key, or you do not manage it',
})
export const readManaged = managedOrganisation.read
export const lockManaged = managedOrganisation.lock

/** The organisations in which the caller may create courses. */
const authoredOrganisation = managed({
  find: (db, { person, key }) => db.first(store.findManaged, { person, organisation: key }),
  lock: (tx, key) => tx.first(store.lockOrganisation, { organisation: key }),
  isManaged: ({ creates }) => creates,
  refusal: 'There is no organisation with this key, or you cannot create courses in it; ask one of its owners',
})
export const readAuthored = authoredOrganisation.read
export const lockAuthored = authoredOrganisation.lock

/** Returns whether a person administers the platform, manages an organisation, develops apps, or uses the planner. */
export async function readRights(db: Db, { personId }: { personId: number }) {
  const row = (await db.first(store.findRights, {
    person: personId,
    developers: memberRoles(DEVELOPERS),
    planners: memberRoles(PLANNERS),
  }))!
  return { ...row, manages: mayManage(row) }
}

/** Creates an organisation. Its first owner is invited, unless the caller names themselves. */
export async function createOrganisation(
  db: Db,
  who: PersonCaller,
  what: CreateOrganisation,
  policy: InvitationPolicy,
): Promise<Organisation> {
  checkKey(what.organisation)
  const name = readName(what.name)
  return db.transaction(async (tx) => {
    const made = await tx.first(store.insertOrganisation, { key: what.organisation, name, now: who.at })
    if (!made) throw fail('conflict', 'An organisation with this key already exists; choose another key')
    await audit(tx, who, 'organisation.created', { organisation: what.organisation, after: name })
    const owner =
      what.owner === undefined
        ? undefined
        : await addMember(tx, who, { ...made, key: what.organisation }, { handle: what.owner, role: 'owner' }, policy)
    const owns = owner !== undefined && !('invitationId' in owner)
    return toOrganisation({
      key: what.organisation,
      name,
      course_authors: 'owners',
      time_zone: 'UTC',
      role: owns ? 'owner' : null,
      owns,
      administers: who.isAdministrator,
      creates: owns || who.isAdministrator,
    })
  })
}

export function renameOrganisation(db: Db, who: PersonCaller, what: RenameOrganisation): Promise<Organisation> {
  const name = readName(what.name)
  return db.transaction(async (tx) => {
    const row = await managedOrganisation.lock(tx, who, what.organisation)
    const { id, key, name: before } = row
    if (name !== before) {
      await tx.first(store.setName, { organisation: id, name })
      await audit(tx, who, 'organisation.renamed', { organisation: key, before, after: name })
    }
    return toOrganisation({ ...row, name })
  })
}

/** Decides whether all instructors of an organisation may create courses, and edit those that they created. */
export function setCourseAuthors(db: Db, who: PersonCaller, what: SetCourseAuthors): Promise<Organisation> {
  return db.transaction(async (tx) => {
    const { id, key, course_authors: before } = await managedOrganisation.lock(tx, who, what.organisation)
    const after = what.courseAuthors
    if (before !== after) {
      await tx.first(store.setCourseAuthors, { organisation: id, authors: after })
      await audit(tx, who, 'organisation.course-authors', { organisation: key, before, after })
    }
    return readOrganisation(tx, who, what)
  })
}

/** Sets the time zone of an organisation. Dates that are already set stay the same instants. */
export function setTimeZone(db: Db, who: PersonCaller, what: SetTimeZone): Promise<Organisation> {
  checkTimeZone(what.timeZone)
  return db.transaction(async (tx) => {
    const { id, key, time_zone: before } = await managedOrganisation.lock(tx, who, what.organisation)
    const after = what.timeZone
    if (before !== after) {
      await tx.first(store.setTimeZone, { organisation: id, zone: after })
      await audit(tx, who, 'organisation.time-zone', { organisation: key, before, after })
    }
    return readOrganisation(tx, who, what)
  })
}

/** Reads an organisation. Throws unless the caller is one of its members or an administrator. */
export async function readOrganisation(db: Db, who: PersonCaller, what: NameOrganisation): Promise<Organisation> {
  return toOrganisation(await findOwn(db, who, what))
}

async function findOwn(db: Db, who: PersonCaller, { organisation }: NameOrganisation) {
  const row = await db.first(store.findManaged, { person: who.personId, organisation })
  if (!row || (row.role === null && !row.administers))
    throw fail('forbidden', 'There is no organisation with this key, or you do not belong to it')
  return row
}

/** Lists the owners of an organisation, so that its members know whom to ask. */
export async function listOwners(db: Db, who: PersonCaller, what: ListOwners) {
  const { id } = await findOwn(db, who, what)
  const rows = await db.all(store.listOwnerNames, { organisation: id, ...spanOf(what) })
  const owners = rows.map(({ handle, first_name, last_name }) => ({
    handle,
    firstName: first_name,
    lastName: last_name,
  }))
  return pageOf(owners, rows[0]?.total ?? 0, what)
}

/** The roles of members who can do what a role can. */
const ROLES_ABOVE: Readonly<Record<string, string[]>> = { owner: ['owner'], developer: ['owner', 'developer'] }

/** Lists the caller's organisations; for an administrator, lists all organisations. */
export async function listOrganisations(
  db: Db,
  who: PersonCaller,
  what: ListOrganisations,
): Promise<Page<Organisation>> {
  const rows = await db.all(store.listOrganisations, {
    person: who.personId,
    words: wordsIn(what.query),
    keys: what.organisations === undefined ? null : [...what.organisations],
    roles: what.role === undefined ? null : (ROLES_ABOVE[what.role] ?? null),
    creates: what.role === 'courseAuthor',
    ...spanOf(what),
  })
  return pageOf(rows.map(toOrganisation), rows[0]?.total ?? 0, what)
}

export async function listMembers(db: Db, who: PersonCaller, what: ListMembers): Promise<Page<OrganisationPerson>> {
  const { id, administers } = await readManaged(db, who, what.organisation)
  const rows = await db.all(store.listMembers[what.sort ?? 'handle'], {
    organisation: id,
    administers,
    words: wordsIn(what.query),
    status: what.status ?? null,
    role: what.role ?? null,
    pending: what.pending ?? false,
    now: who.at,
    ...spanOf(what),
  })
  return pageOf(rows.map(toListed), rows[0]?.total ?? 0, what)
}

/** Changes a member's role. Anybody else is invited. */
export function setMember(
  db: Db,
  who: PersonCaller,
  what: SetMember,
  policy: InvitationPolicy,
): Promise<OrganisationMember | SentInvitation> {
  return db.transaction(async (tx) => {
    const organisation = await managedOrganisation.lock(tx, who, what.organisation)
    return addMember(tx, who, organisation, readInvitee(what), policy)
  })
}

/** Checks the names of somebody who is invited by e-mail address, and for whom an account may be created. */
function readInvitee(what: Omit<SetMember, 'organisation'>): Invitee {
  if (what.wantedHandle !== undefined) checkHandle(what.wantedHandle)
  return {
    handle: what.handle,
    role: what.role,
    firstName: readLine('firstName', what.firstName ?? ''),
    lastName: readLine('lastName', what.lastName ?? ''),
    wantedHandle: what.wantedHandle,
  }
}

async function addMember(
  tx: Tx,
  who: PersonCaller,
  organisation: { id: number; key: string; administers?: boolean },
  invitee: Invitee,
  policy: InvitationPolicy,
): Promise<OrganisationMember | SentInvitation> {
  const { handle, role } = invitee
  const key = normaliseHandle(handle)
  const person = (await findJoiners(tx, who, organisation.id, [key])).get(key)
  if (person === undefined) return invitePerson(tx, who, { organisation }, invitee, policy)
  if (role !== 'owner') await keepAnOwner(tx, organisation, person)
  await writeRole(tx, who, organisation, person, role)
  return toMember((await tx.first(store.findMember, { organisation: organisation.id, person }))!)
}

/** Adds a person who has accepted an invitation. Somebody who has become a member meanwhile keeps their role. */
export async function admitMember(
  tx: Tx,
  who: ActingPerson,
  what: { organisation: string; personId: number; role: string },
): Promise<void> {
  const { id } = (await tx.first(store.lockOrganisation, { organisation: what.organisation }))!
  if (await tx.first(store.findMember, { organisation: id, person: what.personId })) return
  await releaseAccount(tx, what.personId, id)
  await writeRole(tx, who, { id, key: what.organisation }, what.personId, what.role)
}

/** Makes the person of an account that was created by invitation a member, when they use its link. */
export async function joinByLink(tx: Tx, who: Caller, personId: number): Promise<void> {
  const taken = await takeByLink(tx, who, personId)
  if (!taken) return
  const { id } = (await tx.first(store.lockOrganisation, { organisation: taken.organisation }))!
  await writeRole(tx, { ...who, personId }, { id, key: taken.organisation }, personId, taken.role)
  await enqueue(tx, JOINED, { payload: { personId, organisation: id }, at: who.at })
}

/** Finds an organisation for an administrator, who may manage all of them. */
export async function readByKey(db: Db, key: string): Promise<{ id: number; key: string }> {
  const [organisation] = await db.all(store.findOrganisations, { keys: [key] })
  if (!organisation) throw fail('notFound', `There is no organisation with the key ${key}`)
  return organisation
}

/** Ends the caller's membership. Returns the id of the organisation. The last owner cannot leave. */
export async function endOwnMembership(tx: Tx, who: PersonCaller, { organisation }: NameOrganisation): Promise<number> {
  const found = await tx.first(store.lockOrganisation, { organisation })
  const member = found && (await tx.first(store.findMember, { organisation: found.id, person: who.personId }))
  if (!member) throw fail('forbidden', 'There is no organisation with this key, or you do not belong to it')
  await keepAnOwner(tx, { id: found.id }, who.personId)
  await tx.first(store.deleteMember, { organisation: found.id, person: who.personId })
  await withdrawNotifications(tx, `organisation:${found.id}`, [who.personId])
  await releaseAccount(tx, who.personId, null)
  const detail = { organisation, by: who.personId, before: member.role, after: null }
  await recordAudit(tx, who, { action: 'member.left', personId: who.personId, detail })
  return found.id
}

export function removeMember(db: Db, who: PersonCaller, what: RemoveMember): Promise<void> {
  return db.transaction(async (tx) => {
    const organisation = await managedOrganisation.lock(tx, who, what.organisation)
    const handle = normaliseHandle(what.handle)
    const member = await tx.first(store.findMemberByHandle, { organisation: organisation.id, handle })
    if (!member) throw fail('notFound', 'No member of this organisation has this handle')
    await keepAnOwner(tx, organisation, member.person_id)
    await tx.first(store.deleteMember, { organisation: organisation.id, person: member.person_id })
    await withdrawNotifications(tx, `organisation:${organisation.id}`, [member.person_id])
    await releaseAccount(tx, member.person_id, null)
    const detail = { organisation: organisation.key, by: who.personId, before: member.role, after: null }
    await recordAudit(tx, who, { action: 'member.removed', personId: member.person_id, detail })
  })
}

async function keepAnOwner(tx: Tx, organisation: { id: number; administers?: boolean }, person: number): Promise<void> {
  const owners = (await tx.first(store.countOwners, { organisation: organisation.id, person }))!
  const { is_owner: isOwner, others, is_last_way_in: isLastWayIn } = owners
  checkLastOwner({ isOwner, others, isLastWayIn, administers: organisation.administers === true })
}

/** Gives a member the role that the provider of the organisation names. The last owner keeps theirs. */
export async function setProvidedRole(
  tx: Tx,
  who: ActingPerson,
  organisation: { id: number; key: string },
  role: string,
): Promise<void> {
  const { personId: person } = who
  await tx.first(store.lockOrganisation, { organisation: organisation.key })
  const member = await tx.first(store.findMember, { organisation: organisation.id, person })
  if (!member || member.role === role) return
  const owners = (await tx.first(store.countOwners, { organisation: organisation.id, person }))!
  if (!owners.is_owner || owners.others > 0) await writeRole(tx, who, organisation, person, role)
}

/** Gives a role to a person who may have it without an invitation. */
export async function writeRole(
  tx: Tx,
  who: ActingPerson,
  organisation: { id: number; key: string },
  person: number,
  role: string,
): Promise<void> {
  const before = (await tx.first(store.findMember, { organisation: organisation.id, person }))?.role ?? null
  if (before === role) return
  await tx.first(store.setMember, { organisation: organisation.id, person, role })
  const detail = { organisation: organisation.key, by: who.personId, before, after: role }
  await recordAudit(tx, who, { action: 'member.set', personId: person, detail })
}

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })

const toOrganisation = (row: Omit<RowOf<typeof store.findManaged>, 'id'>): Organisation => ({
  organisation: row.key,
  name: row.name,
  role: row.role,
  courseAuthors: row.course_authors as Organisation['courseAuthors'],
  timeZone: row.time_zone,
  may: { manage: mayManage(row), leave: row.role !== null, createCourses: row.creates },
})

const toMember = (row: RowOf<typeof store.findMember>): OrganisationMember => ({
  handle: row.handle,
  firstName: row.first_name,
  lastName: row.last_name,
  role: row.role,
})

const toListed = (row: RowOf<(typeof store.listMembers)['handle']>): OrganisationPerson => ({
  handle: row.handle,
  firstName: row.first_name,
  lastName: row.last_name,
  role: row.role,
  email: row.email,
  status: row.status as OrganisationPerson['status'],
  invitationId: row.invitation,
  invitationExpiresDate: row.expires,
  managed: row.is_managed,
})

/**
 * Deletes those of the organisations that have no apps, no courses, and no members except these people, who are about
 * to be deleted. Returns the keys of the deleted and of the remaining organisations.
 */
export async function removeOrganisations(
  db: Db,
  what: { keys: readonly string[]; without: readonly number[] },
): Promise<{ gone: string[]; left: string[] }> {
  const keys = [...what.keys]
  const gone = (await db.all(store.deleteOrganisations, { keys, people: [...what.without] })).map(({ key }) => key)
  return { gone: gone.sort(), left: (await db.all(store.findOrganisations, { keys })).map(({ key }) => key) }
}
