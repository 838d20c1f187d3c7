import type { SentInvitation } from '../../apps/invitations/schema.ts'
import { findJoiners, type InvitationPolicy, invitePerson } from '../../apps/invitations/sending.ts'
import { withdrawNotifications } from '../../identity/notifications/notifications.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { ActingPerson, Caller, Member, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { type Action, OUTCOMES, PAST_PARTICIPLES, type Status } from './enrolment-rules.ts'
import * as store from './enrolment-store.ts'
import { classEvents } from './events.ts'
import { deleteStaff } from './management-store.ts'
import { type ClassRoles, mayChange, maySee } from './roles.ts'
import { normaliseJoinCode } from './rules.ts'
import type {
  EnrolStudent,
  JoinClass,
  Joined,
  LeaveClass,
  ListStudents,
  ListTransferTargets,
  Student,
  TransferStudent,
  TransferTargets,
} from './schema.ts'
import { findStudentOwners, insertEnrolments } from './store.ts'

type PersonRef = Pick<Member, 'personId'>
type ClassRow = RowOf<typeof store.findClass>

/** Serialises additions to one class within this process. Requests that wait here hold no database connection. */
const adding = gatePerOwner({ atOnce: 8, perKey: 1, waiting: 10_000, waitingPerKey: 2000 })

export function inTurn<T>(db: Db, classId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  // In a transaction, do not queue behind other requests: this one holds a database connection, and a request ahead may
  // be waiting for one, so both could wait forever.
  if (db.isTransaction) return work(db)
  return adding(db).run(classId, () => db.transaction(work))
}

/**
 * Finds a class in which the caller has the required role. A class with which the caller has nothing to do is refused
 * like one that does not exist.
 */
export async function readClass(
  db: Db,
  who: PersonRef,
  classId: string,
  may: (roles: ClassRoles) => boolean,
): Promise<ClassRow> {
  const found = await db.first(store.findClass, { person: who.personId, class: classId })
  if (!found || !may(found)) throw fail('forbidden', 'You do not have permission to do this in this class')
  return found
}

/** Locks the class, so that it cannot end and no other transaction can add students to it. */
async function lockClass(tx: Tx, who: PersonRef, classId: string): Promise<ClassRow> {
  await tx.first(store.lockClass, { class: classId })
  const found = await readClass(tx, who, classId, mayChange)
  if (found.has_ended) throw fail('impossibleNow', 'This class is closed; nobody can be added to it')
  return found
}

/**
 * Locks a student. The permission is checked after locking, because the student may just have moved to another class.
 */
async function lockStudent(tx: Tx, who: PersonRef, studentId: string) {
  await tx.first(store.lockStudent, { student: studentId })
  const student = await tx.first(store.findStudent, { person: who.personId, app: null, student: studentId })
  if (!student || !mayChange(student)) throw fail('forbidden', 'You do not have permission to do this for this student')
  return student
}

export async function listStudents(db: Db, who: Member, what: ListStudents): Promise<Page<Student>> {
  const { id } = await readClass(db, who, what.classId, maySee)
  const filter = {
    class: id,
    status: what.status ?? null,
    student: what.studentId ?? null,
    words: wordsIn(what.search),
  }
  const [rows, count] = await Promise.all([
    db.all(store.listStudents[what.sort ?? 'enrolled'], { ...filter, ...spanOf(what), app: who.appId ?? null }),
    db.first(store.countStudents, filter),
  ])
  return pageOf(rows.map(toStudent), count!.students, what)
}

/** Exports the classes in which a person is or was a student or staff. */
export async function* exportClasses(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportClasses, { person: personId }))
    yield {
      classId: row.class,
      name: row.name,
      courseId: row.course,
      role: row.role,
      ...(row.student === null ? {} : { studentId: row.student, status: row.status, enrolledDate: row.enrolled_at! }),
    }
}

/**
 * Enrols a member of the organisation in a class. A former student gets the same student id as before. Anybody else is
 * invited, unless they are a student or on the staff of the class now.
 */
export async function enrolStudent(
  db: Db,
  who: PersonCaller,
  { classId, handle }: EnrolStudent,
  policy: InvitationPolicy,
): Promise<Student | SentInvitation> {
  await readClass(db, who, classId, mayChange)
  return inTurn(db, classId, async (tx) => {
    const found = await lockClass(tx, who, classId)
    const key = await resolveName(tx, found, normaliseHandle(handle))
    const [person] = await tx.all(store.lockPeople, { handles: [key] })
    const before = await lockEnrolment(tx, found.id, person?.id ?? NOBODY_ID)
    await refuseStaff(tx, found.id, person?.id ?? NOBODY_ID, STAFF)
    const isStudent = before !== undefined && before.status !== 'dropped'
    const joiners = await findJoiners(tx, who, found.organisation_id, [key])
    if (!person || !(isStudent || (person.is_able && joiners.has(key))))
      return invitePerson(tx, who, targetOf(found), { handle, role: 'student' }, policy)
    const status = decide('add', before?.status)
    const student = before?.student ?? makeId()
    await enrol(tx, who, found, { personId: person.id, student, before, status })
    return readStudent(tx, who, student)
  })
}

/**
 * Returns the handles of members of the organisation and students of the class whom e-mail addresses name. An address
 * counts if it is confirmed, or if only the owner of its mailbox can get into the account.
 */
export async function findHandles(
  db: Db,
  { id, organisation_id }: Pick<ClassRow, 'id' | 'organisation_id'>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map()
  const where = { class: id, organisation: organisation_id, addresses: [...addresses] }
  return new Map((await db.all(store.findHandles, where)).map(({ address, handle }) => [address, handle]))
}

/** Returns the handle of a member or student whom an e-mail address names; anything else stays as it is. */
export const resolveName = async (
  db: Db,
  found: Pick<ClassRow, 'id' | 'organisation_id'>,
  key: string,
): Promise<string> => (key.includes('@') ? ((await findHandles(db, found, [key])).get(key) ?? key) : key)

/** Id that nobody has: an unknown handle runs the same statements as a stranger's. */
const NOBODY_ID = 0

export const targetOf = (found: ClassRow) => ({
  organisation: { id: found.organisation_id, key: found.organisation },
  class: { id: found.id, key: found.class },
})

async function enrol(
  tx: Tx,
  who: Caller & PersonRef,
  { id, class: classId }: ClassRow,
  what: { personId: number; student: string; before: { id: number; status: string } | undefined; status: Status },
): Promise<void> {
  const { personId, student, before, status } = what
  if (before?.status === status) return
  if (!before) await addStudents(tx, who, id, [{ student, person: personId }])
  else {
    await setStatus(tx, who, before.id, status)
    if (personId !== who.personId) await tellEnrolled(tx, who, id, [before.id])
  }
  await audit(tx, who, PAST_PARTICIPLES.add, personId, { class: classId })
}

/**
 * Enrols a person who has accepted an invitation. The caller has locked the class. A suspended student stays suspended.
 * The chosen student id is used only if it is still free.
 */
export async function admitStudent(
  tx: Tx,
  who: ActingPerson,
  what: { classId: string; personId: number; studentId: string | null },
): Promise<void> {
  const found = (await tx.first(store.findClass, { person: null, class: what.classId }))!
  if (found.has_ended) throw fail('impossibleNow', 'This class is closed; nobody can be added to it')
  await refuseStaff(tx, found.id, what.personId, STAFF)
  const before = await lockEnrolment(tx, found.id, what.personId)
  if (before?.status === 'suspended') return
  const isFree = what.studentId !== null && (await tx.all(findStudentOwners, { keys: [what.studentId] })).length === 0
  const student = before?.student ?? (isFree ? what.studentId! : makeId())
  await enrol(tx, who, found, { personId: what.personId, student, before, status: 'active' })
}

/** Ends the places of a person who leaves an organisation in all its classes. */
export async function leaveClasses(tx: Tx, who: PersonCaller, organisation: number): Promise<void> {
  const left = await tx.all(store.leaveClasses, { person: who.personId, organisation, now: who.at })
  for (const { class: classId, class_id: id } of left) {
    await withdrawNotifications(tx, `class:${id}`, [who.personId])
    await audit(tx, who, 'left', who.personId, { class: classId })
  }
}

/** Drops, suspends or reinstates a student. The student's records are kept. */
export const changeStudent = (db: Db, who: PersonCaller, action: Action, studentId: string): Promise<Student> =>
  db.transaction(async (tx) => {
    // Reinstating adds a student to the class, so the class is locked as for any other addition.
    if (action === 'reinstate') await tx.first(store.lockClassOf, { student: studentId })
    const student = await lockStudent(tx, who, studentId)
    const status = decide(action, student.status)
    if (action === 'reinstate') {
      await refuseStaff(tx, student.class_id, student.person_id, STAFF)
      if (student.has_left) await refuseReturn(tx, student.class_id, student.person_id)
    }
    // Dropping a student who had left voluntarily clears `has_left`, so that they can no longer rejoin with the code.
    if (status !== student.status || student.has_left) {
      await setStatus(tx, who, student.id, status)
      if (status !== 'active') await withdrawNotifications(tx, `class:${student.class_id}`, [student.person_id])
      else if (student.status !== 'active') await tellEnrolled(tx, who, student.class_id, [student.id])
      await audit(tx, who, PAST_PARTICIPLES[action], student.person_id, { class: student.class })
    }
    return readStudent(tx, who, studentId)
  })

/** Moves a student to another class of the same course. The student id and all records remain the same. */
export const transferStudent = (db: Db, who: PersonCaller, what: TransferStudent): Promise<Student> =>
  inTurn(db, what.classId, async (tx) => {
    const target = await lockClass(tx, who, what.classId)
    const student = await lockStudent(tx, who, what.studentId)
    if (student.class_id === target.id) return toStudent(student)
    if (student.course_id !== target.course_id)
      throw fail('validationFailed', 'That class belongs to another course; enrol the student there instead')
    if (student.status === 'dropped') throw fail('impossibleNow', 'This student was dropped; reinstate them first')
    if (await lockEnrolment(tx, target.id, student.person_id))
      throw fail('conflict', 'The user is or was already a student of that class; reinstate them there')
    await refuseStaff(tx, target.id, student.person_id, STAFF)
    await tx.first(store.moveStudent, { student: student.id, class: target.id, now: who.at })
    await withdrawNotifications(tx, `class:${student.class_id}`, [student.person_id])
    await tellEnrolled(tx, who, target.id, [student.id])
    await audit(tx, who, 'transferred', student.person_id, { class: what.classId, from: student.class })
    return readStudent(tx, who, what.studentId)
  })

/** Lists the classes to which the caller may transfer students of a class. */
export async function listTransferTargets(
  db: Db,
  who: PersonCaller,
  what: ListTransferTargets,
): Promise<TransferTargets> {
  const { id } = await readClass(db, who, what.classId, mayChange)
  const rows = await db.all(store.listOpenClasses, { person: who.personId, class: id })
  return rows.filter(mayChange).map(({ key, name }) => ({ classId: key, name }))
}

const NO_CODE = 'There is no class with this code; ask the instructor for the code'

/**
 * Adds the caller to the class with this join code. Suspended students remain suspended. Dropped students are refused,
 * unless they had left voluntarily.
 */
export async function joinClass(db: Db, who: Member, { joinCode }: JoinClass): Promise<Joined> {
  const code = normaliseJoinCode(joinCode)
  const byCode = await db.first(store.findByCode, { code })
  if (!byCode) throw fail('notFound', NO_CODE)
  return inTurn(db, byCode.class, async (tx) => {
    await tx.first(store.lockClass, { class: byCode.class })
    // Check the code again under the lock: the class may have ended or got another code since the first query.
    if ((await tx.first(store.findByCode, { code }))?.class !== byCode.class) throw fail('notFound', NO_CODE)
    const found = (await tx.first(store.findClass, { person: null, class: byCode.class }))!
    const before = await lockEnrolment(tx, found.id, who.personId)
    if (before?.status === 'dropped' && !before.has_left)
      throw fail('forbidden', 'You were dropped from this class; contact your instructor')
    await refuseStaff(
      tx,
      found.id,
      who.personId,
      'You are on the staff of this class, so you cannot be a student of it',
    )
    const student = before?.student ?? makeId()
    const isNew = before === undefined || before.status === 'dropped'
    if (!before) await addStudents(tx, who, found.id, [{ student, person: who.personId }])
    else if (isNew) await setStatus(tx, who, before.id, 'active')
    if (isNew) await audit(tx, who, 'joined', who.personId, { class: byCode.class })
    const status = before?.status === 'suspended' ? 'suspended' : 'active'
    return { classId: found.class, name: found.name, studentId: student, status }
  })
}

/**
 * Removes the caller from a class: as a student, or from its observers. A student who leaves while suspended cannot
 * rejoin with the code.
 */
export const leaveClass = (db: Db, who: Member, { classId }: LeaveClass): Promise<void> =>
  db.transaction(async (tx) => {
    const found = await tx.first(store.findClass, { person: who.personId, class: classId })
    const student = found && (await lockEnrolment(tx, found.id, who.personId))
    if (!found || (!student && !found.observes))
      throw fail('forbidden', 'You are not a student or observer of this class')
    if (found.observes) {
      await tx.first(deleteStaff, { class: found.id, person: who.personId })
      const detail = { class: classId, by: who.personId, before: 'observer', after: null }
      await recordAudit(tx, who, { action: 'staff.left', personId: who.personId, detail })
    }
    await withdrawNotifications(tx, `class:${found.id}`, [who.personId])
    if (!student || student.status === 'dropped') return
    await setStatus(tx, who, student.id, 'dropped', student.status === 'active')
    await audit(tx, who, 'left', who.personId, { class: classId })
  })

export async function addStudents(
  tx: Tx,
  who: Caller & Partial<PersonRef>,
  classId: number,
  students: readonly { student: string; person: number }[],
): Promise<void> {
  const rows = students.map(({ student, person }) => ({ key: student, class_id: classId, person_id: person }))
  const added = await tx.all(insertEnrolments, { rows: JSON.stringify(rows), now: who.at })
  const others = added.filter(({ person_id }) => person_id !== who.personId).map(({ id }) => id)
  await tellEnrolled(tx, who, classId, others)
}

/** Emits the event with which students learn that somebody else has enrolled them. */
export async function tellEnrolled(
  tx: Tx,
  who: Caller & Partial<PersonRef>,
  classId: number,
  enrolments: readonly number[],
): Promise<void> {
  if (enrolments.length === 0) return
  const payload = { class: classId, enrolments, by: who.personId ?? null }
  await classEvents.emit(tx, { kind: 'students.enrolled', subject: `class:${classId}`, payload, at: who.at })
}

const STAFF = 'This user is on the staff of the class; remove them from the staff first'

/**
 * Refuses staff of the class: nobody may be staff and a student of the same class, so that nobody can grade themselves.
 */
async function refuseStaff(tx: Tx, classId: number, personId: number, words: string): Promise<void> {
  const [staff] = await tx.all(store.findStaffAmong, { class: classId, people: [personId] })
  if (staff) throw fail('impossibleNow', words)
}

/** Refuses to bring back a student who has left by themselves, unless they belong to the organisation. */
async function refuseReturn(tx: Tx, classId: number, personId: number): Promise<void> {
  const [member] = await tx.all(store.findMembersAmong, { class: classId, people: [personId] })
  if (!member) throw fail('impossibleNow', 'This student left the class; invite them instead')
}

/** Finds and locks the person's enrolment in a class. */
const lockEnrolment = async (tx: Tx, classId: number, personId: number) =>
  (await tx.all(store.lockStudents, { class: classId, people: [personId] }))[0]

const setStatus = (tx: Tx, who: Caller, id: number, status: Status, hasLeft = false) =>
  tx.all(store.setStatuses, { rows: JSON.stringify([{ id, status, has_left: hasLeft }]), now: who.at })

function decide(action: Action, before: string | undefined): Status {
  const outcome = OUTCOMES[action][(before ?? 'none') as Status | 'none']
  if (typeof outcome === 'string') return outcome
  throw fail(action === 'add' ? 'conflict' : 'impossibleNow', `This user ${outcome.refused}`)
}

type Verb = (typeof PAST_PARTICIPLES)[Action] | 'transferred' | 'joined' | 'left'

const audit = (tx: Tx, who: Caller & PersonRef, verb: Verb, personId: number, detail: Record<string, string>) =>
  recordAudit(tx, who, { action: `student.${verb}`, personId, detail: { ...detail, by: who.personId } })

const readStudent = async (tx: Tx, who: PersonRef, student: string): Promise<Student> =>
  toStudent((await tx.first(store.findStudent, { person: who.personId, app: null, student }))!)

const toStudent = (row: Omit<RowOf<typeof store.listStudents.enrolled>, 'id'>): Student => ({
  studentId: row.student,
  classId: row.class,
  handle: row.handle,
  name: `${row.first_name} ${row.last_name}`.trim(),
  status: row.status as Status,
  enrolledDate: row.enrolled_at,
  userId: row.user_id,
})
