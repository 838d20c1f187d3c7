import { type Static, Type } from 'typebox'
import { CourseRecord, ID_MUST } from '../courses/schema.ts'
import { File, Flag, Id, Text } from '../http/input/fields.ts'
import { PageOf, paging } from '../paging.ts'

export const ROLES = ['student', 'instructor', 'observer'] as const

export const ClassRecord = Type.Object(
  {
    classId: Type.String(),
    groupId: Type.String({ description: 'The same as classId, under its old name' }),
    name: Type.String(),
    joinCode: Type.Union([Type.String(), Type.Null()], {
      description: 'With it others can join; null where nobody can, and for those who do not let others in',
    }),
    studentId: Type.Union([Type.String(), Type.Null()], {
      description: 'The caller as a student of this class; null for its staff',
    }),
    role: Type.Union(
      ROLES.map((role) => Type.Literal(role)),
      { description: 'What the caller is in this class' },
    ),
    sequential: Type.Boolean({ description: 'Whether lessons are taken in their order' }),
    ended: Type.Boolean({ description: 'Whether nothing is recorded any more' }),
    course: CourseRecord,
  },
  { title: 'Class' },
)
export type ClassRecord = Static<typeof ClassRecord>
export const ClassList = Type.Array(ClassRecord, { title: 'Classes' })

export const STAFF_ROLES = ['instructor', 'observer'] as const

const classId = Id('The class')
const handle = Id('Of the person')
const settings = {
  sequential: Type.Optional(Flag('Whether a lesson is locked until every earlier one is passed')),
  joinCode: Type.Optional(
    Text(
      'With it others can join: 4 to 40 letters, digits or - of your own, kept in upper case; empty for none. Unique among classes',
      40,
    ),
  ),
  newJoinCode: Type.Optional(Flag('Makes a join code that nobody can guess, in place of one of your own')),
}

export const CreateClass = Type.Object({
  courseId: Id('The course; the class takes its newest version, for good'),
  classId: Type.Optional(Id(`An id of your own, ${ID_MUST}; by default one is made`)),
  name: Text('As people read it', 200),
  ...settings,
})
export type CreateClass = Static<typeof CreateClass>
export const ChangeClass = Type.Object({
  classId,
  name: Type.Optional(Text('As people read it', 200)),
  ...settings,
})
export type ChangeClass = Static<typeof ChangeClass>
export const NameClass = Type.Object({ classId })
export type NameClass = Static<typeof NameClass>
export const ListManagedClasses = Type.Object({
  organisation: Type.Optional(Id('Only classes of this organisation; by default of all that the caller manages')),
  courseId: Type.Optional(Id('Only classes of this course')),
  ...paging,
})
export type ListManagedClasses = Static<typeof ListManagedClasses>
export const SetStaff = Type.Object({
  classId,
  handle,
  role: { ...Id('Instructors teach and grade, observers look on'), enum: STAFF_ROLES },
})
export type SetStaff = Static<typeof SetStaff>
export const RemoveStaff = Type.Object({ classId, handle })
export type RemoveStaff = Static<typeof RemoveStaff>

const { studentId, role: _role, ...fields } = ClassRecord.properties
const managed = { ...fields, createdDate: Type.String({ format: 'date-time' }) }
export const ManagedClass = Type.Object(managed, { title: 'ManagedClass' })
export type ManagedClass = Static<typeof ManagedClass>
export const ManagedClassPage = PageOf(ManagedClass, 'ManagedClassPage')

export const Staff = Type.Object(
  {
    handle: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    role: Type.Enum(['instructor', 'observer']),
  },
  { title: 'ClassStaff' },
)
export type Staff = Static<typeof Staff>
export const ClassDetails = Type.Object(
  {
    ...managed,
    studentId,
    role: Type.Enum(['student', 'instructor', 'observer', 'manager'], {
      description: 'What the caller is in this class; a manager owns its organisation, or is an administrator',
    }),
    staff: Type.Optional(Type.Array(Staff, { description: 'Only for staff and managers' })),
    students: Type.Optional(
      Type.Object(
        { active: Type.Integer(), suspended: Type.Integer(), dropped: Type.Integer() },
        { description: 'How many there are; only for staff and managers' },
      ),
    ),
  },
  { title: 'ClassDetails' },
)
export type ClassDetails = Static<typeof ClassDetails>

const Status = (description: string) =>
  Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('dropped')], { description })

const ClassId = Id('The class')
const StudentId = Id('The student')

export const Student = Type.Object(
  {
    studentId: Type.String(),
    classId: Type.String(),
    handle: Type.String(),
    name: Type.String({ description: 'First and last name; empty where the person has said neither' }),
    status: Status('Suspended and dropped students keep what was recorded; nothing more is'),
    enrolledDate: Type.String({ format: 'date-time', description: 'When they first came' }),
    userId: Type.Union([Type.String(), Type.Null()], {
      description: 'As the calling app knows them; null where it does not, and outside of apps',
    }),
  },
  { title: 'Student' },
)
export type Student = Static<typeof Student>

export const ListStudents = Type.Object({
  classId: ClassId,
  status: Type.Optional(Status('Only these; all by default')),
  studentId: Type.Optional(Id('Only this one')),
  search: Type.Optional(Text('Only those whose name or handle has these words, or parts of them', 200)),
  ...paging,
})
export type ListStudents = Static<typeof ListStudents>
export const StudentPage = PageOf(Student, 'Students')

export const EnrolStudent = Type.Object({ classId: ClassId, handle: Id('Of somebody with an account') })
export type EnrolStudent = Static<typeof EnrolStudent>
export const NameStudent = Type.Object({ studentId: StudentId })
export const TransferStudent = Type.Object({
  studentId: StudentId,
  classId: Id('The class that they go to, of the same course'),
})
export type TransferStudent = Static<typeof TransferStudent>

export const JoinClass = Type.Object({ joinCode: Id('The code, which the instructor knows', 100) })
export type JoinClass = Static<typeof JoinClass>
export const Joined = Type.Object(
  {
    classId: Type.String(),
    name: Type.String(),
    studentId: Type.String({ description: 'The caller in this class' }),
    status: Status('Active, unless an instructor has suspended them'),
  },
  { title: 'Joined' },
)
export type Joined = Static<typeof Joined>
export const LeaveClass = Type.Object({ classId: ClassId })
export type LeaveClass = Static<typeof LeaveClass>

const lockNames = {
  classId: ClassId,
  lessonId: Id('A lesson of its course'),
  studentId: Type.Optional(Id('For one student; for the whole class where nobody is named')),
}
export const NameLock = Type.Object(lockNames)
export type NameLock = Static<typeof NameLock>
export const SetLock = Type.Object({ ...lockNames, locked: Flag('Whether it is locked, whatever the course says') })
export type SetLock = Static<typeof SetLock>
export const LessonLock = Type.Object(
  {
    classId: Type.String(),
    lessonId: Type.String(),
    studentId: Type.Union([Type.String(), Type.Null()]),
    locked: Type.Boolean(),
  },
  { title: 'LessonLock' },
)
export type LessonLock = Static<typeof LessonLock>
export const ListLocks = Type.Object({ classId: ClassId })
export type ListLocks = Static<typeof ListLocks>
export const LocksByHand = Type.Array(LessonLock, { title: 'LocksByHand' })

export const ImportRoster = Type.Object({
  classId: ClassId,
  dryRun: Type.Optional(Flag('Whether to say what would happen, and write nothing')),
  allOrNothing: Type.Optional(Flag('Whether nothing is written where a row is refused')),
  roster: File(
    'CSV (RFC 4180) in UTF-8, with or without a byte order mark. Its first line names the columns: `handle`, and optionally `action` (add, drop, suspend or reinstate; add where it is empty) and `studentId` (for those who are added, where it must be a certain one)',
  ),
})
export type ImportRoster = Static<typeof ImportRoster>

const counts = {
  added: Type.Integer(),
  dropped: Type.Integer(),
  suspended: Type.Integer(),
  reinstated: Type.Integer(),
  unchanged: Type.Integer(),
  refused: Type.Integer(),
}
const RosterResult = Type.Union([
  Type.Literal('added'),
  Type.Literal('dropped'),
  Type.Literal('suspended'),
  Type.Literal('reinstated'),
  Type.Literal('unchanged'),
  Type.Literal('refused'),
])
export const RosterReport = Type.Object(
  {
    written: Type.Boolean({
      description: 'False for a dry run, and where a row was refused and all or nothing asked for',
    }),
    counts: Type.Object(counts),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'As a spreadsheet counts: the names of the columns are row 1' }),
        handle: Type.String(),
        action: Type.String(),
        studentId: Type.Union([Type.String(), Type.Null()]),
        result: RosterResult,
        reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is refused' }),
      }),
    ),
  },
  { title: 'RosterReport' },
)
export type RosterReport = Static<typeof RosterReport>
