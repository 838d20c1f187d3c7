import { type Static, Type } from 'typebox'
import { Decimal, Flag, Id, inBody, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { LESSON_KINDS } from '../courses/schema.ts'
import { by, due, lesson, MAX_SCORE, Moment, orNull } from './schema.ts'

const MAX_REASON = 1000

/** `classId` is optional, because the student id determines the class. */
const about = {
  ...lesson,
  studentId: Id('Id of the student'),
  classId: Type.Optional(Id("Id of the student's class; can be left out")),
}
const reason = (more = '') =>
  inBody(Text(`The reason, in up to ${MAX_REASON} characters; the student can read it${more}`, MAX_REASON))

export const GradeAttempt = Type.Object({
  ...about,
  lessonResultId: Type.Optional(inBody(Id('Id of the attempt; by default the latest completed one'))),
  pass: Type.Optional(inBody(Flag('Whether it is passed; if only a score is sent, the passing score decides'))),
  score: Type.Optional(inBody(Decimal('Points', -MAX_SCORE, MAX_SCORE))),
  reason: Type.Optional(reason('. Not required for a first grade')),
})
export type GradeAttempt = Static<typeof GradeAttempt>

export const MAX_EXTRA = 1000
export const GrantAttempts = Type.Object({
  ...about,
  count: Type.Optional(inBody(Whole('Number of extra attempts; 1 by default', 1, 100))),
  reason: reason(),
})
export type GrantAttempts = Static<typeof GrantAttempts>

export const ResetLesson = Type.Object({ ...about, reason: reason() })
export type ResetLesson = Static<typeof ResetLesson>

export const ListAwaiting = Type.Object({
  classId: Type.Optional(Id('Id of a class; by default all that the caller teaches')),
  sort: sorting(['completed', 'student', 'lesson'], 'completed'),
  ...paging,
})
export type ListAwaiting = Static<typeof ListAwaiting>

export const AttemptsLeft = Type.Object(
  {
    studentId: Type.String(),
    lessonId: Type.String(),
    attempts: Type.Integer({ description: 'Number of started attempts' }),
    extraAttempts: Type.Integer({ description: 'Number of attempts granted in addition to those of the lesson' }),
    attemptsLeft: Type.Integer(),
  },
  { title: 'AttemptsLeft' },
)
export type AttemptsLeft = Static<typeof AttemptsLeft>

export const AwaitingPage = PageOf(
  Type.Object({
    classId: Type.String(),
    className: Type.String(),
    studentId: Type.String(),
    handle: Type.String(),
    name: Type.String(),
    lessonId: Type.String(),
    lessonName: Type.String(),
    kind: Type.Enum([...LESSON_KINDS], {
      description: 'Kind of the lesson; the answers of a quiz are graded one by one',
    }),
    lessonResultId: Type.String(),
    completed: Moment,
    due,
    late: Type.Boolean({ description: 'Whether it was completed after the due date' }),
  }),
  'AwaitingPage',
)
export type AwaitingAttempts = Static<(typeof AwaitingPage)['properties']['docs']>

export const GradeChanges = Type.Array(
  Type.Object({
    change: Type.String({ description: 'grade, objective, extra attempt or reset' }),
    lessonResultId: orNull('Id of the attempt; null if it is about all attempts'),
    before: Type.Unknown({ description: 'The values before the change' }),
    after: Type.Unknown({ description: 'The values after the change' }),
    reason: Type.String({ description: 'Empty if there is none' }),
    ...by,
    changed: Moment,
  }),
  { title: 'GradeChanges' },
)
export type GradeChanges = Static<typeof GradeChanges>
