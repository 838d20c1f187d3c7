import { type Static, Type } from 'typebox'
import { CourseRecord } from '../courses/schema.ts'

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
