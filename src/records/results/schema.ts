import { type Static, Type } from 'typebox'
import { DateTime, Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import { LessonScores } from '../../learning/courses/schema.ts'
import { by, lock, Moment, orNull, student } from '../../learning/progress/schema.ts'

export const ReadResults = Type.Object({ classId: Id('The class'), studentId: student.studentId })
export type ReadResults = Static<typeof ReadResults>

const Score = Type.Union([Type.Number(), Type.Null()])
const RESULTS = ['PASS', 'FAIL', 'INCOMPLETE', 'IN PROGRESS', 'NOT STARTED'] as const
const standing = {
  result: Type.Enum([...RESULTS], { description: 'Of the latest attempt' }),
  score: Type.Union([Type.Number(), Type.Null()], { description: 'Of the latest attempt' }),
  attempts: Type.Integer({ description: 'Those that count' }),
  timeOnTask: Type.Integer({ description: 'In seconds, over all attempts that count, including a running one' }),
}

export const Results = Type.Object(
  {
    classId: Type.String(),
    studentId: Type.String(),
    lessons: Type.Array(
      Type.Object({
        lessonId: Type.String(),
        parentId: orNull('The lesson of which it is a step'),
        name: Type.String(),
        ...standing,
        explanation: Type.String({ description: 'Why the result is what it is, in a sentence' }),
        attemptsLeft: Type.Union([Type.Integer(), Type.Null()], {
          description: 'How many more may be started; null if there is no limit',
        }),
        awaitsGrade: Type.Boolean({ description: 'Whether the latest attempt waits for an instructor’s grade' }),
        bestScore: Score,
        passed: Type.Boolean({ description: 'Whether an attempt that counts was passed, the latest or another' }),
        lessonResultId: orNull('The latest attempt'),
        started: Type.Union([Moment, Type.Null()]),
        completed: Type.Union([Moment, Type.Null()]),
        locked: lock.locked,
        lockReason: lock.reason,
        statements: Type.Integer({ description: 'xAPI statements that apps sent about it; the timeline has them' }),
      }),
    ),
    objectives: Type.Array(
      Type.Object({
        objectiveId: Type.String(),
        name: Type.String(),
        score: Type.Union([Type.Number(), Type.Null()], {
          description: 'The mean over its lessons that have a score; null if none has',
        }),
        lessons: Type.Array(
          Type.Object({
            lessonId: Type.String(),
            score: Score,
            reported: Type.Boolean({
              description: 'Reported for the objective; otherwise it is the score of the lesson',
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

export const ReadGradebook = Type.Object({
  classId: Id('The class'),
  search: Type.Optional(Text('Only students whose name or handle has these words, or parts of them', 200)),
  ...paging,
})
export type ReadGradebook = Static<typeof ReadGradebook>
export const NameClass = Type.Object({ classId: Id('The class') })
export type NameClass = Static<typeof NameClass>

const { properties: page } = PageOf(
  Type.Object({
    studentId: Type.String(),
    handle: Type.String(),
    name: Type.String(),
    status: Type.String({ description: 'active or suspended' }),
    lessons: Type.Array(Type.Object({ lessonId: Type.String(), ...standing })),
  }),
  '',
)
export const Gradebook = Type.Object(
  {
    classId: Type.String(),
    lessons: Type.Array(
      Type.Object({
        lessonId: Type.String(),
        parentId: orNull('The lesson of which it is a step'),
        name: Type.String(),
      }),
      { description: 'In their order' },
    ),
    ...page,
  },
  { title: 'Gradebook' },
)
export type Gradebook = Static<typeof Gradebook>

export const ReadTimeline = Type.Object({
  studentId: student.studentId,
  classId: Type.Optional(Id('The class; that of the student if one is named')),
  before: Type.Optional(DateTime('Only what happened earlier; by default the newest')),
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
        lessonId: orNull('The lesson'),
        lessonResultId: orNull('The attempt'),
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
