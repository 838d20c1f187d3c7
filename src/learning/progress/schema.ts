import { type Static, Type } from 'typebox'
import { AnyList, Decimal, Flag, Id, inBody, LocalDateTime } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

/** Scores have no unit; this limit only excludes absurd values. */
export const MAX_SCORE = 1_000_000

export const lesson = { lessonId: Id('The lesson') }
export const student = {
  classId: Type.Optional(Id('The class; by default the newest one in which the student takes the lesson')),
  studentId: Type.Optional(Id('The student; by default the caller. An instructor must say whom it is about')),
}

export const NameAttempt = Type.Object({ ...lesson, ...student })
export type NameAttempt = Static<typeof NameAttempt>

export const ListAttempts = Type.Object({
  ...lesson,
  ...student,
  lessonResultId: Type.Optional(Id('Only this attempt, with its answers')),
  ...paging,
})
export type ListAttempts = Static<typeof ListAttempts>

export const UpdateProgress = Type.Object({
  ...lesson,
  ...student,
  pass: Type.Optional(inBody(Flag('Whether the lesson is passed'))),
  complete: Type.Optional(inBody(Flag('Ends the attempt'))),
  score: Type.Optional(inBody(Decimal('Points', -MAX_SCORE, MAX_SCORE))),
  answers: Type.Optional(inBody(AnyList('Whatever the app keeps about answers, also as JSON text; up to 256 KiB'))),
  startTime: Type.Optional(
    inBody(LocalDateTime('When the attempt began, if it is reported afterwards; ignored while an attempt is open')),
  ),
  endTime: Type.Optional(inBody(LocalDateTime('When the attempt ended; ends it'))),
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
    idleIntervals: Type.Array(Interval, { description: 'When the student was away, within the progress intervals' }),
  },
  { title: 'LessonProgress' },
)
export type Progress = Static<typeof Progress>

export const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
/** The person who made a change, as known to the calling app. */
export const by = {
  byId: orNull('userId of the person who did it; null outside of apps, and if they do not use the app'),
  byName: orNull('Their name; null if they do not use the app, or the account is gone'),
}

const ReportedVia = Type.Enum(['app', 'page', 'import', 'instructor'])
export type ReportedVia = Static<typeof ReportedVia>
const Reported = Type.Object(
  {
    via: Type.Union([ReportedVia, Type.Null()], {
      description:
        'The student through an app or on the platform’s pages, an import, or an instructor; null if it was not recorded',
    }),
    app: orNull('Name of the app, for that app and on the platform’s pages; null if it came through none'),
    ...by,
    at: Type.Union([Moment, Type.Null()], { description: 'When; null if it was not recorded' }),
    afterTheFact: Type.Boolean({ description: 'Whether the whole attempt was recorded after it had ended' }),
    beforeEnrolment: Type.Boolean({ description: 'Whether it began before the student was enrolled' }),
  },
  { description: 'How the attempt was reported. The last report counts: the start, an update, a grade' },
)
export type Reported = Static<typeof Reported>
const ReportedProgress = Type.Object({ ...Progress.properties, reported: Reported }, { title: 'ReportedProgress' })
export type ReportedProgress = Static<typeof ReportedProgress>
export const ProgressHistory = Type.Array(ReportedProgress)
export const ProgressHistoryPage = PageOf(ReportedProgress, 'LessonProgressPage')

const lessonLock = { lessonId: Type.String(), name: Type.String(), locked: Type.Boolean() }
const NoLessons = Type.Array(Type.Object(lessonLock), { maxItems: 0, description: 'Child lessons have none; empty' })
export const Locks = Type.Array(
  Type.Object({
    ...lessonLock,
    childLessons: Type.Array(Type.Object({ ...lessonLock, childLessons: NoLessons })),
  }),
  { title: 'LessonLocks' },
)
export interface Lock {
  readonly lessonId: string
  readonly name: string
  readonly locked: boolean
  readonly childLessons: readonly Lock[]
}

export const lock = {
  locked: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is locked; null if it is not' }),
  missing: Type.Array(Type.String(), { description: 'Ids of the lessons to pass first' }),
}
export const LockReason = Type.Object(
  { lessonId: Type.String(), studentId: Type.String(), ...lock },
  { title: 'LockReason' },
)
export type LockReason = Static<typeof LockReason>

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

export const LaunchLesson = Type.Object({
  ...lesson,
  classId: Type.Optional(Id('The class; by default the newest one in which the caller takes the lesson')),
  allow: Type.Optional(
    inBody(Flag('Allows the app as the consent page does, if the caller has not yet: send it only after asking them')),
  ),
})
export type LaunchLesson = Static<typeof LaunchLesson>
export const LaunchAddress = Type.Object(
  { uri: Type.String({ description: "Where to send the person's browser, at once" }) },
  { title: 'LaunchAddress' },
)

export const WatchClass = Type.Object({ classId: Id('The class') })
export type WatchClass = Static<typeof WatchClass>

const studentFields = {
  studentId: Type.String(),
  handle: Type.String(),
  name: Type.String(),
}
const workFields = {
  state: orNull('in progress, paused, idle or completed; null if there is no attempt'),
  result: orNull('IN PROGRESS, PASS, FAIL or INCOMPLETE'),
  score: Type.Union([Type.Number(), Type.Null()]),
  changedDate: Type.Union([Moment, Type.Null()]),
}
export const StudentState = Type.Object({
  ...studentFields,
  lessonId: orNull('The lesson that is open, or else the latest; null if none was started'),
  ...workFields,
})
export type StudentState = Static<typeof StudentState>
export const ClassState = Type.Object({
  classId: Type.String(),
  students: Type.Array(StudentState, { description: 'At most 1,000; those with the latest news first' }),
})
export type ClassState = Static<typeof ClassState>
export const ClassChange = Type.Object({
  kind: Type.String({
    description:
      'attempt.started, .paused, .resumed, .idle, .active, .updated, .completed, .graded, .granted, .reset; objective.scored',
  }),
  ...studentFields,
  lessonId: orNull('The lesson'),
  objectiveId: orNull('Where the score is one of an objective'),
  ...workFields,
})
export type ClassChange = Static<typeof ClassChange>

export const ClassEvents = {
  ready: {
    about:
      'The stream has begun. A new one has all students as they are now; one that resumes has none, and what was missed follows',
    data: Type.Object({ classId: Type.String(), students: Type.Optional(ClassState.properties.students) }),
  },
  change: { about: 'What a student did, or what was recorded for them', data: ClassChange },
  reset: { about: 'Changes were missed that are no longer kept: all students as they are now', data: ClassState },
  removed: { about: 'The caller may no longer watch this class, or it is gone; the stream ends', data: WatchClass },
}
