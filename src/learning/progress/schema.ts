import { type Static, Type } from 'typebox'
import { AnyList, Decimal, Flag, Id, inBody, LocalDateTime } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

/** Scores have no unit; this limit only excludes absurd values. */
export const MAX_SCORE = 1_000_000

/** The largest size of the answers of an attempt. */
export const MAX_ANSWERS_BYTES = 256 * 1024

export const lesson = { lessonId: Id('Id of the lesson') }
export const student = {
  classId: Type.Optional(Id('Id of the class; by default the newest one in which the student takes the lesson')),
  studentId: Type.Optional(Id('Id of the student; by default the caller. Required for instructors')),
}

export const NameAttempt = Type.Object({ ...lesson, ...student })
export type NameAttempt = Static<typeof NameAttempt>

export const ListAttempts = Type.Object({
  ...lesson,
  ...student,
  lessonResultId: Type.Optional(Id('Id of one attempt, to return only this attempt with its answers')),
  ...paging,
})
export type ListAttempts = Static<typeof ListAttempts>

export const UpdateProgress = Type.Object({
  ...lesson,
  ...student,
  pass: Type.Optional(inBody(Flag('Whether the lesson is passed'))),
  complete: Type.Optional(inBody(Flag('Whether to complete the attempt'))),
  score: Type.Optional(inBody(Decimal('Points', -MAX_SCORE, MAX_SCORE))),
  answers: Type.Optional(inBody(AnyList('Any data about the answers, also as a JSON string; up to 256 KiB'))),
  startTime: Type.Optional(
    inBody(LocalDateTime('When the attempt began, if it is reported after the fact; ignored while an attempt is open')),
  ),
  endTime: Type.Optional(inBody(LocalDateTime('When the attempt ended; completes it'))),
})
export type UpdateProgress = Static<typeof UpdateProgress>

export const ReadLocks = Type.Object({
  classId: Id('Id of the class'),
  studentId: student.studentId,
})
export type ReadLocks = Static<typeof ReadLocks>

export const ScoreObjective = Type.Object({
  ...lesson,
  ...student,
  objectiveId: Id('Id of an objective of the lesson'),
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
    lessonResultId: Type.String({ description: 'Unique for each attempt' }),
    pass: Type.Boolean(),
    score: Type.Union([Type.Number(), Type.Null()], { description: 'Null until it is reported' }),
    answers: Type.Union([Type.Array(Type.Unknown()), Type.Null()], { description: 'As the app sent them' }),
    started: Moment,
    completed: Type.Union([Moment, Type.Null()], { description: 'Null until the lesson is completed' }),
    progressIntervals: Type.Array(Interval, { description: 'When the lesson was in progress' }),
    idleIntervals: Type.Array(Interval, { description: 'When the student was away, within the progress intervals' }),
  },
  { title: 'LessonProgress' },
)
export type Progress = Static<typeof Progress>

export const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
/** The person who made a change, as known to the calling app. */
export const by = {
  byId: orNull('userId of the user who did it; null outside apps, and if they do not use the app'),
  byName: orNull('Their name; null if they do not use the app, or the account was deleted'),
}

const ReportedVia = Type.Enum(['app', 'page', 'import', 'instructor'])
export type ReportedVia = Static<typeof ReportedVia>
const Reported = Type.Object(
  {
    via: Type.Union([ReportedVia, Type.Null()], {
      description:
        'The student through an app or on the platform’s pages, an import, or an instructor; null if it was not recorded',
    }),
    app: orNull("Name of the app, for that app and on the platform's pages; null if it was reported without an app"),
    ...by,
    at: Type.Union([Moment, Type.Null()], { description: 'When it was reported; null if it was not recorded' }),
    afterTheFact: Type.Boolean({ description: 'Whether the whole attempt was recorded after it had ended' }),
    beforeEnrolment: Type.Boolean({ description: 'Whether it began before the student was enrolled' }),
  },
  { description: 'How the attempt was reported. The last report counts: the start, an update or a grade' },
)
export type Reported = Static<typeof Reported>
export const due = Type.Union([Moment, Type.Null()], {
  description: 'When the lesson is due for the student; null if it has no due date',
})
const ReportedProgress = Type.Object(
  {
    ...Progress.properties,
    due,
    late: Type.Boolean({ description: 'Whether it was completed after the due date' }),
    reported: Reported,
  },
  { title: 'ReportedProgress' },
)
export type ReportedProgress = Static<typeof ReportedProgress>
export const ProgressHistory = Type.Array(ReportedProgress)
export const ProgressHistoryPage = PageOf(ReportedProgress, 'LessonProgressPage')

const lessonLock = { lessonId: Type.String(), name: Type.String(), locked: Type.Boolean() }
const NoLessons = Type.Array(Type.Object(lessonLock), {
  maxItems: 0,
  description: 'Always empty: child lessons have no child lessons',
})
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
  classId: Type.Optional(Id('Id of the class; by default the newest one in which the caller takes the lesson')),
  allow: Type.Optional(
    inBody(
      Flag(
        'Allows the app, as the consent page does, if the caller has not done so yet: send it only after asking them',
      ),
    ),
  ),
})
export type LaunchLesson = Static<typeof LaunchLesson>
export const LaunchAddress = Type.Object(
  { uri: Type.String({ description: "The URL to which the user's browser has to be sent immediately" }) },
  { title: 'LaunchAddress' },
)

export const WatchClass = Type.Object({ classId: Id('Id of the class') })
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
  lessonId: orNull('The lesson in progress, or else the latest; null if none was started'),
  ...workFields,
})
export type StudentState = Static<typeof StudentState>
export const ClassState = Type.Object({
  classId: Type.String(),
  students: Type.Array(StudentState, { description: 'At most 1,000 students, latest activity first' }),
})
export type ClassState = Static<typeof ClassState>
export const ClassChange = Type.Object({
  kind: Type.String({
    description:
      'attempt.started, .paused, .resumed, .idle, .active, .updated, .completed, .graded, .granted, .reset; objective.scored',
  }),
  ...studentFields,
  lessonId: orNull('Id of the lesson'),
  objectiveId: orNull('Id of the objective, if the score is one of an objective'),
  ...workFields,
})
export type ClassChange = Static<typeof ClassChange>

export const ClassEvents = {
  ready: {
    about:
      'The stream has started. A new stream has all students as they are now; a resumed one has none, and the missed events follow',
    data: Type.Object({ classId: Type.String(), students: Type.Optional(ClassState.properties.students) }),
  },
  change: { about: "A student's action, or what was recorded for the student", data: ClassChange },
  reset: { about: 'Missed changes are no longer stored: all students as they are now', data: ClassState },
  removed: { about: 'The caller can no longer watch this class, or it was deleted; the stream ends', data: WatchClass },
}
