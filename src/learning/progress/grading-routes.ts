import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { MAY } from '../classes/roles.ts'
import { gradeAttempt, grantAttempts, listAwaiting, listChanges, resetLesson } from './grading.ts'
import {
  AttemptsLeft,
  AwaitingPage,
  GradeAttempt,
  GradeChanges,
  GrantAttempts,
  ListAwaiting,
  ResetLesson,
} from './grading-schema.ts'
import { NameAttempt, Progress } from './schema.ts'

const op = operationsIn({ area: 'Lessons and progress', who: person })

const REFUSED: readonly ErrorName[] = ['forbidden', 'notFound', 'validationFailed', 'impossibleNow']

export const gradingOperations: readonly Operation[] = [
  op('POST /edu/v1/lesson/progress/grade', {
    name: 'gradeAttempt',
    summary: 'Grade an attempt',
    description:
      "Sets `score` and `pass` of a completed attempt, even if the app has reported others; result, best score and locks follow. The change is logged with its `reason`, which is required except for the first grade of an instructor-graded lesson. If only a score is sent, the lesson's passing score decides whether it is passed.",
    example: {
      request: {
        lessonId: 'lesson-walkaround',
        studentId: 'student-avery',
        pass: false,
        score: 60,
        reason: 'The left tyre was not looked at.',
      },
      as: 'casey',
      after: 'updateProgress',
    },
    roles: MAY.grade,
    input: GradeAttempt,
    from: 'either',
    output: json(Progress),
    errors: REFUSED,
    run: ({ db, who }, input) => gradeAttempt(db, who, input),
  }),
  op('POST /edu/v1/lesson/progress/extra', {
    name: 'grantAttempts',
    summary: 'Grant extra attempts',
    description:
      'Gives a student more attempts at a lesson with a limited number of attempts. The extra attempts are for this student only.',
    example: {
      request: { lessonId: 'lesson-checkride', studentId: 'student-avery', reason: 'The simulator froze.' },
      as: 'casey',
    },
    roles: MAY.grade,
    input: GrantAttempts,
    from: 'either',
    output: json(AttemptsLeft),
    errors: REFUSED,
    run: ({ db, who }, input) => grantAttempts(db, who, input),
  }),
  op('POST /edu/v1/lesson/progress/reset', {
    name: 'resetLesson',
    summary: 'Reset a lesson for a student',
    description:
      'Lets a student start a lesson over: earlier attempts stay in the history but no longer count, the lesson has all its attempts again, and scores reported for its objectives are void. Lessons that it had unlocked are locked again. If an attempt is still open, the response is 400 with code 4006: complete it first.',
    example: {
      request: { lessonId: 'lesson-walkaround', studentId: 'student-avery', reason: 'Began with the wrong aircraft.' },
      as: 'casey',
      after: 'updateProgress',
    },
    roles: MAY.grade,
    input: ResetLesson,
    from: 'either',
    output: success(),
    errors: REFUSED,
    run: ({ db, who }, input) => resetLesson(db, who, input),
  }),
  op('GET /edu/v1/lesson/progress/changes', {
    name: 'listGradeChanges',
    summary: 'List grade changes',
    description:
      "Returns grades, objective scores, extra attempts and resets by instructors for a student's lesson, newest first, at most 1000. The student can read them, and so can everybody who can read the student's progress.",
    example: {
      request: { lessonId: 'lesson-walkaround', studentId: 'student-avery' },
      as: 'casey',
      after: 'gradeAttempt',
    },
    who: member,
    scope: 'progress',
    roles: MAY.readStudent,
    input: NameAttempt,
    output: json(GradeChanges),
    errors: ['forbidden', 'notFound', 'validationFailed'],
    run: ({ db, who }, input) => listChanges(db, who, input),
  }),
  op('GET /edu/v1/class/grading', {
    name: 'listAwaiting',
    summary: 'List attempts to grade',
    description:
      "Returns completed attempts at instructor-graded lessons that have no grade yet, in one class or in all classes that the caller teaches, except the caller's own. Use the `lessonResultId` to grade one.",
    example: { request: {}, as: 'casey' },
    roles: MAY.grade,
    input: ListAwaiting,
    output: json(AwaitingPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listAwaiting(db, who, input),
  }),
]
