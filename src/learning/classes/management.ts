import { makeUserCode, showUserCode } from '../../apps/devices/devices.ts'
import type { SentInvitation } from '../../apps/invitations/schema.ts'
import { findJoiners, type InvitationPolicy, invitePerson } from '../../apps/invitations/sending.ts'
import { withdrawNotifications } from '../../identity/notifications/notifications.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { ActingPerson, PersonCaller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { editedCourse, readOwnId } from '../courses/authoring.ts'
import { nameCopy } from '../courses/duplicating.ts'
import { revealsId } from '../courses/guesses.ts'
import { toCourse } from './classes.ts'
import { resolveName } from './enrolments.ts'
import * as store from './management-store.ts'
import { permissionsIn } from './roles.ts'
import { chooseJoinCode, compareSettings } from './rules.ts'
import type {
  ChangeClass,
  ClassDetails,
  CreateClass,
  DuplicateClass,
  ListManagedClasses,
  ManagedClass,
  NameClass,
  RemoveStaff,
  SetStaff,
  Staff,
} from './schema.ts'
import { lockClasses } from './store.ts'

// These operations are for the managers of a class: owners of its organisation, and administrators. A class that the
// caller does not manage is refused like one that does not exist.

const NOT_INSIDE = 'There is no class with this id, or you are not in it'

type Row = RowOf<typeof store.findClass>

const { lock: lockManaged } = managed({
  find: (db, { person, key }) => db.first(store.findClass, { person, class: key }),
  lock: (tx, key) => tx.first(lockClasses, { keys: [key] }),
  isManaged: ({ manages }) => manages,
  refusal: 'There is no class with this id, or you do not manage it',
})

/** Reads the details of a class. Only staff and managers also see the list of staff and the number of students. */
export async function readClass(db: Db, who: PersonCaller, { classId }: NameClass): Promise<ClassDetails> {
  const row = await db.first(store.findClass, { person: who.personId, class: classId })
  const role = row && roleIn(row)
  if (!role) throw fail('forbidden', NOT_INSIDE)
  const details = { ...toManaged(row), studentId: row.student, role, may: permissionsIn(row) }
  if (role === 'student') return details
  const [staff, students] = await Promise.all([
    db.all(store.listStaff, { class: row.id }),
    db.first(store.countByStatus, { class: row.id }),
  ])
  const hasPackages = row.has_packages && { hasPackages: true }
  return { ...details, staff: staff.map(toStaff), students: students!, ...hasPackages }
}

/**
 * Returns the role to show. A person who is staff or a manager is shown as such, even if they are also a student of the
 * class.
 */
const roleIn = ({ teaches, observes, manages, student }: Row): ClassDetails['role'] | undefined => {
  if (teaches) return 'instructor'
  if (observes) return 'observer'
  if (manages) return 'manager'
  return student === null ? undefined : 'student'
}

/**
 * Creates a class. It stays on the course version that is the newest one now. An instructor who created the course
 * becomes the instructor of the class.
 */
export function createClass(db: Db, who: PersonCaller, what: CreateClass): Promise<ClassDetails> {
  return refusingTakenCode(db, async (tx) => {
    const found = await editedCourse.lock(tx, who, what.courseId)
    const { id: course, key: courseId, version_id: version } = found
    if (version === null) throw fail('impossibleNow', 'This course is a draft: publish it first')
    const key = readOwnId('classId', what.classId)
    const settings = {
      name: readName(what.name),
      sequential: what.sequential ?? false,
      joinCode: chooseJoinCode(what, null, makeJoinCode),
    }
    const made = await tx.first(store.createClass, { key, course, version, ...settings, now: who.at })
    if (!made) throw takenId()
    await audit(tx, who, 'class.created', { class: key, course: courseId })
    if (!found.manages)
      await putOnStaff(tx, who, { id: made.id, class: key }, { person: who.personId, role: 'instructor' })
    return readClass(tx, who, { classId: key })
  })
}

/**
 * Creates a class with the settings and the staff of another one, without its students. Staff who are not members of
 * the organisation are invited again.
 */
export function duplicateClass(
  db: Db,
  who: PersonCaller,
  what: DuplicateClass,
  policy: InvitationPolicy,
): Promise<ClassDetails> {
  return refusingTakenCode(db, async (tx) => {
    const source = await lockManaged(tx, who, what.classId)
    const { id: course, version_id: newest } = await editedCourse.lock(tx, who, source.course)
    const key = readOwnId('newClassId', what.newClassId)
    const settings = {
      name: what.name === undefined ? nameCopy(source.name) : readName(what.name),
      sequential: source.is_sequential,
      joinCode: source.join_code === null ? null : makeJoinCode(),
    }
    const version = what.version === 'same' ? source.version_id : newest!
    const made = await tx.first(store.createClass, { key, course, version, ...settings, now: who.at })
    if (!made) throw takenId()
    await audit(tx, who, 'class.duplicated', { class: key, from: source.class, course: source.course })
    const copy = { ...source, id: made.id, class: key }
    for (const { handle, role } of await tx.all(store.listStaff, { class: source.id }))
      await addStaff(tx, who, copy, { handle, role }, policy)
    return readClass(tx, who, { classId: key })
  })
}

/** Changes the settings of a class. Omitted fields stay unchanged. */
export function changeClass(db: Db, who: PersonCaller, what: ChangeClass): Promise<ClassDetails> {
  return refusingTakenCode(db, async (tx) => {
    const row = await lockManaged(tx, who, what.classId)
    const before = { name: row.name, sequential: row.is_sequential, joinCode: row.join_code }
    const after = {
      name: what.name === undefined ? row.name : readName(what.name),
      sequential: what.sequential ?? row.is_sequential,
      joinCode: chooseJoinCode(what, row.join_code, makeJoinCode),
    }
    const changed = compareSettings(before, after)
    if (changed) {
      await tx.first(store.changeClass, { class: row.id, ...after })
      await audit(tx, who, 'class.changed', { class: row.class, ...changed })
    }
    return readClass(tx, who, what)
  })
}

export function setEnded(db: Db, who: PersonCaller, what: NameClass & { ended: boolean }): Promise<ClassDetails> {
  return db.transaction(async (tx) => {
    const row = await lockManaged(tx, who, what.classId)
    if (await tx.first(store.setEnded, { class: row.id, ended: what.ended, now: who.at }))
      await audit(tx, who, what.ended ? 'class.ended' : 'class.reopened', { class: row.class })
    return readClass(tx, who, what)
  })
}

export async function listManagedClasses(
  db: Db,
  who: PersonCaller,
  what: ListManagedClasses,
): Promise<Page<ManagedClass>> {
  const { organisation = null, courseId: course = null } = what
  const rows = await db.all(store.listManaged, { person: who.personId, organisation, course, ...spanOf(what) })
  return pageOf(rows.map(toManaged), rows[0]?.total ?? 0, what)
}

/**
 * Makes a member of the organisation an instructor or observer of a class, or changes the role of its staff. Anybody
 * else is invited.
 */
export function setStaff(
  db: Db,
  who: PersonCaller,
  what: SetStaff,
  policy: InvitationPolicy,
): Promise<Staff | SentInvitation> {
  return db.transaction(async (tx) => {
    const row = await lockManaged(tx, who, what.classId)
    return addStaff(tx, who, row, what, policy)
  })
}

async function addStaff(
  tx: Tx,
  who: PersonCaller,
  row: Row,
  what: Omit<SetStaff, 'classId'>,
  policy: InvitationPolicy,
): Promise<Staff | SentInvitation> {
  const handle = await resolveName(tx, row, normaliseHandle(what.handle))
  const staff = await tx.first(store.findStaffByHandle, { class: row.id, handle })
  const person = staff?.person_id ?? (await findJoiners(tx, who, row.organisation_id, [handle])).get(handle)
  if (person === undefined) {
    if (await tx.first(store.findStudentByHandle, { class: row.id, handle })) throw fail('impossibleNow', STUDENT)
    const organisation = { id: row.organisation_id, key: row.organisation }
    return invitePerson(tx, who, { organisation, class: { id: row.id, key: row.class } }, what, policy)
  }
  await putOnStaff(tx, who, row, { person, role: what.role })
  return toStaff((await tx.first(store.findStaffByHandle, { class: row.id, handle }))!)
}

const STUDENT = 'This user is a student of the class; drop them first'

/** Sets the role of a person as staff. A student of the class is refused, so that nobody can grade themselves. */
async function putOnStaff(
  tx: Tx,
  who: ActingPerson,
  { id, class: classId }: { id: number; class: string },
  { person, role }: { person: number; role: string },
): Promise<void> {
  const { role: before, is_student } = (await tx.first(store.findRoles, { class: id, person }))!
  if (is_student) throw fail('impossibleNow', STUDENT)
  if (before === role) return
  await tx.first(store.setStaff, { class: id, person, role })
  const detail = { class: classId, by: who.personId, before, after: role }
  await recordAudit(tx, who, { action: 'staff.set', personId: person, detail })
}

/** Puts a person on the staff who has accepted an invitation. The caller has locked the class. */
export async function admitStaff(
  tx: Tx,
  who: ActingPerson,
  what: { classId: string; personId: number; role: string },
): Promise<void> {
  const row = (await tx.first(store.findClass, { person: what.personId, class: what.classId }))!
  await putOnStaff(tx, who, row, { person: what.personId, role: what.role })
}

/** Takes a person who leaves an organisation off the staff of all its classes. */
export async function leaveStaff(tx: Tx, who: PersonCaller, organisation: number): Promise<void> {
  const left = await tx.all(store.leaveStaff, { person: who.personId, organisation })
  for (const { class: classId, class_id: id, role } of left) {
    await withdrawNotifications(tx, `class:${id}`, [who.personId])
    const detail = { class: classId, by: who.personId, before: role, after: null }
    await recordAudit(tx, who, { action: 'staff.left', personId: who.personId, detail })
  }
}

export function removeStaff(db: Db, who: PersonCaller, what: RemoveStaff): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockManaged(tx, who, what.classId)
    const handle = normaliseHandle(what.handle)
    const staff = await tx.first(store.findStaffByHandle, { class: row.id, handle })
    if (!staff) throw fail('notFound', 'No staff member of this class has this handle')
    await tx.first(store.deleteStaff, { class: row.id, person: staff.person_id })
    await withdrawNotifications(tx, `class:${row.id}`, [staff.person_id])
    const detail = { class: row.class, by: who.personId, before: staff.role, after: null }
    await recordAudit(tx, who, { action: 'staff.removed', personId: staff.person_id, detail })
  })
}

const takenId = () =>
  revealsId(fail('conflict', 'A class with this id already exists; choose another id, or leave it out'))
const makeJoinCode = () => showUserCode(makeUserCode())

/**
 * Runs a transaction, and reports a join code that is taken as a conflict. Only the unique index can detect that
 * reliably, because two classes may choose the same code concurrently.
 */
const refusingTakenCode = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(work).catch((error) => {
    throw hasCode(error, '23505') ? fail('conflict', 'Another class already has this join code; choose another') : error
  })

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })

const toManaged = (row: Omit<RowOf<typeof store.listManaged>, 'total'>): ManagedClass => ({
  classId: row.class,
  groupId: row.class,
  name: row.name,
  joinCode: row.join_code,
  sequential: row.is_sequential,
  ended: row.has_ended,
  createdDate: row.created_at,
  course: toCourse(row),
})

const toStaff = (row: RowOf<typeof store.findStaffByHandle>): Staff => ({
  handle: row.handle,
  firstName: row.first_name,
  lastName: row.last_name,
  role: row.role as Staff['role'],
})
