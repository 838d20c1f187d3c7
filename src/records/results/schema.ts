import { type Static, Type } from 'typebox'
import { DateTime, Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { LESSON_KINDS, LessonScores } from '../../learning/courses/schema.ts'
import { by, due, lock, Moment, orNull, student } from '../../learning/progress/schema.ts'

export const ReadResults = Type.Object({ classId: Id('Id of the class'), studentId: student.studentId })
export type ReadResults = Static<typeof ReadResults>

const Score = Type.Union([Type.Number(), Type.Null()])
const RESULTS = ['PASS', 'FAIL', 'INCOMPLETE', 'IN PROGRESS', 'NOT STARTED'] as const
const standing = {
  result: Type.Enum([...RESULTS], { description: 'Of the latest attempt' }),
  score: Type.Union([Type.Number(), Type.Null()], { description: 'Of the latest attempt' }),
  attempts: Type.Integer({ description: 'Number of attempts that count' }),
  timeOnTask: Type.Integer({ description: 'In seconds, over all attempts that count, including a running one' }),
}

const kind = Type.Enum([...LESSON_KINDS], { description: 'How students work on it' })

export const Results = Type.Object(
  {
    classId: Type.String(),
    studentId: Type.String(),
    lessons: Type.Array(
      Type.Object({
        lessonId: Type.String(),
        parentId: orNull('Id of the parent lesson'),
        name: Type.String(),
        kind,
        ...standing,
        explanation: Type.String({ description: 'A sentence that explains the result' }),
        attemptsLeft: Type.Union([Type.Integer(), Type.Null()], {
          description: 'Number of attempts that are left; null if there is no limit',
        }),
        awaitsGrade: Type.Boolean({ description: "Whether the latest attempt is waiting for an instructor's grade" }),
        bestScore: Score,
        passed: Type.Boolean({ description: 'Whether any attempt that counts was passed' }),
        lessonResultId: orNull('Id of the latest attempt'),
        started: Type.Union([Moment, Type.Null()]),
        completed: Type.Union([Moment, Type.Null()]),
        opens: Type.Union([Moment, Type.Null()], { description: 'When the student can start it; null for no limit' }),
        due,
        closes: Type.Union([Moment, Type.Null()], {
          description: 'When the student can no longer start it; null for no limit',
        }),
        late: Type.Boolean({ description: 'Whether the latest attempt was completed after the due date' }),
        overdue: Type.Boolean({
          description: 'Whether the due date has passed and the student has completed no attempt',
        }),
        locked: lock.locked,
        lockReason: lock.reason,
        lockedBy: Type.Union([Type.Enum(['hand', 'opening', 'lessons', 'closing']), Type.Null()], {
          description:
            'Why it is locked: an instructor has locked it, it is not open yet, other lessons have to be passed first, or it is closed. Null if it is not locked',
        }),
        statements: Type.Integer({
          description: 'Number of xAPI statements that apps sent about it; they are in the timeline',
        }),
      }),
    ),
    objectives: Type.Array(
      Type.Object({
        objectiveId: Type.String(),
        name: Type.String(),
        score: Type.Union([Type.Number(), Type.Null()], {
          description: 'The mean over its lessons that have a score; null if none has one',
        }),
        lessons: Type.Array(
          Type.Object({
            lessonId: Type.String(),
            score: Score,
            reported: Type.Boolean({
              description: 'Whether it was reported for the objective; otherwise it is the score of the lesson',
            }),
          }),
        ),
        lessonScores: LessonScores,
      }),
    ),
  },
  { title: 'Results' },
)
export type Results = Static<typeof Results>

const GRADEBOOK_STATES = [
  'waiting',
  'failed',
  'incomplete',
  'in progress',
  'passed',
  'not started',
  'late',
  'overdue',
] as const

export const ReadGradebook = Type.Object({
  classId: Id('Id of the class'),
  search: Type.Optional(Text('Only students whose name or handle has these words, or parts of them', 200)),
  sort: sorting(['name', 'result', 'passed', 'mean'], 'name'),
  lessonId: Type.Optional(Id('The lesson whose results to sort by, if `sort` is `result`')),
  state: Type.Optional(
    Type.Enum([...GRADEBOOK_STATES], {
      description: 'Only students with a lesson in this state; waiting: it waits for a grade',
    }),
  ),
  stateLessonId: Type.Optional(Id('Only students for whom this lesson is in that state; by default any lesson')),
  ...paging,
})
export type ReadGradebook = Static<typeof ReadGradebook>
export const NameClass = Type.Object({ classId: Id('Id of the class') })
export type NameClass = Static<typeof NameClass>

/** The results of one student, as lists without an object for each cell, because a page can have 50,000 cells. */
const GradebookCells = Type.Object({
  started: Type.Array(Type.Integer(), {
    description:
      'The lessons that the student has started, each as its place in `lessons` of the gradebook, from 0. The lists that follow have an entry for each of them, in the same order',
  }),
  results: Type.Array(standing.result),
  scores: Type.Array(standing.score),
  attempts: Type.Array(standing.attempts),
  timeOnTask: Type.Array(standing.timeOnTask),
  waiting: Type.Array(Type.Integer(), { description: 'The places of the lessons that wait for a grade' }),
  late: Type.Array(Type.Integer(), {
    description: 'The places of the lessons whose latest attempt was completed after the due date',
  }),
  overdue: Type.Array(Type.Integer(), {
    description: 'The places of the lessons whose due date has passed and of which no attempt is completed',
  }),
  passed: Type.Integer({ description: 'Number of lessons that the student has passed' }),
  meanScore: Type.Union([Type.Number(), Type.Null()], {
    description: 'The mean of the scores, rounded to two decimals; null if there is none',
  }),
})
export type GradebookCells = Static<typeof GradebookCells>
const { properties: page } = PageOf(
  Type.Object({
    studentId: Type.String(),
    handle: Type.String(),
    name: Type.String(),
    status: Type.String({ description: 'active or suspended' }),
    ...GradebookCells.properties,
  }),
  '',
)
export const Gradebook = Type.Object(
  {
    classId: Type.String(),
    lessons: Type.Array(
      Type.Object({
        lessonId: Type.String(),
        parentId: orNull('Id of the parent lesson'),
        name: Type.String(),
        kind,
        due: Type.Union([Moment, Type.Null()], {
          description: 'When it is due for students without overrides; null if it has no due date',
        }),
      }),
      { description: 'In order' },
    ),
    ...page,
  },
  { title: 'Gradebook' },
)
type Gradebook = Static<typeof Gradebook>

/** A gradebook whose cells are JSON text: the members of a student that `GradebookCells` declares. */
export interface GradebookRecord extends Omit<Gradebook, 'docs'> {
  readonly docs: readonly (Omit<Gradebook['docs'][number], keyof GradebookCells> & { readonly cells: string })[]
}

/** Writes the JSON by hand, so that the cells need not be parsed and serialised again. */
export function presentGradebook({ docs, ...page }: GradebookRecord): string {
  const students = docs.map(({ cells, ...student }) => `${JSON.stringify(student).slice(0, -1)},${cells}}`)
  return `${JSON.stringify(page).slice(0, -1)},"docs":[${students.join()}]}`
}

export const GradebookAverages = Type.Object(
  {
    classId: Type.String(),
    students: Type.Integer({ description: 'Number of students, without those who were dropped' }),
    lessons: Type.Array(
      Type.Object({
        lessonId: Type.String(),
        name: Type.String(),
        started: Type.Integer({ description: 'Number of students who have started it' }),
        passed: Type.Integer({ description: 'Number of students who have passed it' }),
        waiting: Type.Integer({ description: 'Number of students whose latest attempt waits for a grade' }),
        meanScore: Type.Union([Type.Number(), Type.Null()], {
          description: 'The mean of the scores of the latest attempts, rounded to two decimals; null if there is none',
        }),
      }),
      { description: 'All lessons, in order' },
    ),
  },
  { title: 'GradebookAverages' },
)
export type GradebookAverages = Static<typeof GradebookAverages>

export const ReadTimeline = Type.Object({
  studentId: student.studentId,
  classId: Type.Optional(Id('Id of the class; by default that of the student')),
  before: Type.Optional(DateTime('Only earlier entries; by default the newest')),
  limit: Type.Optional(Whole('Entries per page, plus those of the same moment as the last one; 50 by default', 1, 200)),
})
export type ReadTimeline = Static<typeof ReadTimeline>

export const Timeline = Type.Object(
  {
    docs: Type.Array(
      Type.Object({
        at: Moment,
        kind: Type.String({
          description:
            'started, completed; progress, idle (an interval); grade, extra attempt, reset; objective; note; statement (sent by an app). More kinds may be added',
        }),
        lessonId: orNull('Id of the lesson'),
        lessonResultId: orNull('Id of the attempt'),
        ...by,
        data: Type.Unknown({
          description:
            'Details, depending on the kind. `completed`, and `started` while the attempt is open, have `reported`, as in the history of attempts',
        }),
      }),
      { description: 'Newest first' },
    ),
    next: Type.Union([Moment, Type.Null()], { description: 'Send it as `before` for the next page; null at the end' }),
  },
  { title: 'Timeline' },
)
export type Timeline = Static<typeof Timeline>
