import { type Static, Type } from 'typebox'
import { CourseRecord, ID_MUST } from '../courses/schema.ts'
import { Flag, Id, Text } from '../http/input/fields.ts'
import { PageOf, paging } from '../paging.ts'

export const ROLES = ['student', 'instructor', 'observer'] as const

export const ClassRecord = Type.Object(
  {
    classId: Type.String(),
    groupId: Type.String({ description: 'The same as classId, under its old name' }),
    name: Type.String(),
    joinCode: Type.Union([Type.String(), Type.Null()], {
      description: 'With it others can join; null where nobody can',
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
    Text('With it others can join: 4 to 40 letters, digits or - of your own; empty for none. Unique among classes', 40),
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
