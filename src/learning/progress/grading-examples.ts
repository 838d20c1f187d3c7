import { DONE, MOMENT, USER_IDS } from '../../kernel/samples.ts'
import { examples as progress } from './examples.ts'

const STUDENT = { lessonId: 'lesson-walkaround', studentId: 'student-avery' }
const casey = 'casey' as const
/** As the test reports it, afterwards. */
const { answer } = progress.updateProgress.example
const COMPLETED = { ...answer, answers: null }
const { lessonResultId } = COMPLETED

/** What people read about these operations. */
export const examples = {
  gradeAttempt: {
    description:
      'Sets `score` and `pass` of a completed attempt, even if the app has reported others; result, best score and locks follow. The change is logged with its `reason`, which is required except for the first grade of a lesson that instructors grade. If only a score is sent, the points that the lesson needs decide whether it is passed.',
    example: {
      request: { ...STUDENT, pass: false, score: 60, reason: 'The left tyre was not looked at.' },
      answer: { ...COMPLETED, pass: false, score: 60 },
      as: casey,
      after: 'updateProgress',
    },
  },
  grantAttempts: {
    description: 'For lessons with a limited number of attempts. The extra attempts are for this student only.',
    example: {
      request: { lessonId: 'lesson-checkride', studentId: 'student-avery', reason: 'The simulator froze.' },
      answer: {
        studentId: 'student-avery',
        lessonId: 'lesson-checkride',
        attempts: 0,
        extraAttempts: 1,
        attemptsLeft: 4,
      },
      as: casey,
    },
  },
  resetLesson: {
    description:
      'Earlier attempts stay in the history but no longer count: the lesson is not started, not passed, and has all its attempts again; scores that were reported for its objectives are void. What it had unlocked is locked again. If an attempt is still open, the answer is 400 with code 4006: complete it first.',
    example: {
      request: { ...STUDENT, reason: 'Began with the wrong aircraft.' },
      answer: DONE,
      as: casey,
      after: 'updateProgress',
    },
  },
  listGradeChanges: {
    description:
      'Grades, objective scores, extra attempts and resets by instructors, newest first, at most 1000. The student can read them, and so can everybody who can read the student’s progress.',
    example: {
      request: STUDENT,
      answer: [
        {
          change: 'grade',
          lessonResultId,
          before: { pass: true, score: 92, result: 'PASS' },
          after: { pass: false, score: 60, result: 'FAIL' },
          reason: 'The left tyre was not looked at.',
          byId: USER_IDS.casey,
          byName: 'Casey Okafor',
          changed: MOMENT,
        },
        {
          change: 'grade',
          lessonResultId,
          before: { pass: false, score: null, result: 'IN PROGRESS' },
          after: { pass: true, score: 92, result: 'PASS' },
          reason: '',
          byId: USER_IDS.casey,
          byName: 'Casey Okafor',
          changed: MOMENT,
        },
      ],
      as: casey,
      after: 'gradeAttempt',
    },
  },
  listAwaiting: {
    description:
      'Completed attempts at instructor-graded lessons that have no grade yet, in one class or in all that the caller teaches, except the caller’s own. Use the `lessonResultId` to grade one.',
    example: {
      request: { classId: 'class-alpha' },
      answer: {
        docs: [
          {
            classId: 'class-alpha',
            className: 'Preflight Alpha',
            ...STUDENT,
            handle: '@avery',
            name: 'Avery Lindqvist',
            lessonName: 'Walkaround',
            lessonResultId,
            completed: MOMENT,
          },
        ],
        total: 1,
        limit: 10,
        page: 1,
        pages: 1,
      },
      as: casey,
    },
  },
}
