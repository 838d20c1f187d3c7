import { type Static, Type } from 'typebox'
import { AnyList, DateTime, Decimal, Flag, Id, inBody } from '../http/input/fields.ts'

/** Scores of lessons have no unit of their own; this only keeps nonsense out. */
export const MAX_SCORE = 1_000_000

export const lesson = { lessonId: Id('The lesson') }
export const student = {
  classId: Type.Optional(Id('The class; by default the newest one in which the student takes the lesson')),
  studentId: Type.Optional(Id('The student; by default the caller. An instructor must say whom it is about')),
}

export const NameAttempt = Type.Object({ ...lesson, ...student })
export type NameAttempt = Static<typeof NameAttempt>

export const UpdateProgress = Type.Object({
  ...lesson,
  ...student,
  pass: Type.Optional(inBody(Flag('Whether the lesson is passed'))),
  complete: Type.Optional(inBody(Flag('Ends the attempt'))),
  score: Type.Optional(inBody(Decimal('Points', -MAX_SCORE, MAX_SCORE))),
  answers: Type.Optional(inBody(AnyList('Whatever the app keeps about answers, also as JSON text; up to 256 KiB'))),
  startTime: Type.Optional(
    inBody(DateTime('When an attempt began that is reported afterwards; means nothing while an attempt is open')),
  ),
  endTime: Type.Optional(inBody(DateTime('When the attempt ended; ends it'))),
})
export type UpdateProgress = Static<typeof UpdateProgress>

export const ReadLocks = Type.Object({
  classId: Id('The class'),
  studentId: student.studentId,
})
export type ReadLocks = Static<typeof ReadLocks>

export const ScoreObjective = Type.Object({
  ...lesson,
  ...student,
  objectiveId: Id('An objective that the lesson serves'),
  score: inBody(Decimal('From 0 to 100', 0, 100)),
})
export type ScoreObjective = Static<typeof ScoreObjective>

export const Moment = Type.String({ format: 'date-time' })
export const Interval = Type.Object({
  start: Moment,
  end: Type.Union([Moment, Type.Null()], { description: 'Null while it is open' }),
})
export type Interval = Static<typeof Interval>

export const Progress = Type.Object(
  {
    studentId: Type.String(),
    lessonId: Type.String(),
    lessonResultId: Type.String({ description: 'One for each attempt' }),
    pass: Type.Boolean(),
    score: Type.Union([Type.Number(), Type.Null()], { description: 'Null until it is reported' }),
    answers: Type.Union([Type.Array(Type.Unknown()), Type.Null()], { description: 'As the app has sent them' }),
    started: Moment,
    completed: Type.Union([Moment, Type.Null()], { description: 'Null until the lesson is completed' }),
    progressIntervals: Type.Array(Interval, { description: 'When the lesson was open' }),
    idleIntervals: Type.Array(Interval, { description: 'When the student was away, within the others' }),
  },
  { title: 'LessonProgress' },
)
export type Progress = Static<typeof Progress>
export const ProgressHistory = Type.Array(Progress, { title: 'LessonProgressHistory' })

const lock = { lessonId: Type.String(), locked: Type.Boolean() }
export const Locks = Type.Array(Type.Object({ ...lock, childLessons: Type.Array(Type.Object(lock)) }), {
  title: 'LessonLocks',
})
export type Locks = Static<typeof Locks>

export const ObjectiveScore = Type.Object(
  {
    objectiveId: Type.String(),
    lessonId: Type.String(),
    studentId: Type.String(),
    score: Type.Number(),
  },
  { title: 'ObjectiveScore' },
)
export type ObjectiveScore = Static<typeof ObjectiveScore>
