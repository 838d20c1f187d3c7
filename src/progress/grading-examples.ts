import { DONE, MOMENT, USER_IDS } from '../samples.ts'
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
      'Sets `score` and `pass` of an attempt that is completed, also where the app has reported others; result, best score and locks follow. It is kept who changed what and why, and a `reason` is needed except for the first grade of a lesson that instructors grade. Where only a score is given, a lesson with points is passed with enough of them.',
    example: {
      request: { ...STUDENT, pass: false, score: 60, reason: 'The left tyre was not looked at.' },
      answer: { ...COMPLETED, pass: false, score: 60 },
      as: casey,
      after: 'updateProgress',
    },
  },
  grantAttempts: {
    description:
      'For lessons that can be tried so often and no more. The attempts are added to those that the lesson has, for this student alone.',
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
      'Attempts so far stay in the history and count for nothing: the lesson is not started, not passed, and has all its attempts again; scores that were reported for its objectives are void. What had been unlocked by it is locked again. While an attempt is open the answer is 400 with code 4006: complete it first.',
    example: { request: { ...STUDENT, reason: 'Began with the wrong aircraft.' }, answer: DONE, as: casey, after: 'updateProgress' },
  },
  listGradeChanges: {
    description:
      'Grades, scores of objectives that instructors gave, extra attempts and resets, the newest first, at most 1000. The student reads them, and so do those who read the student’s progress.',
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
      'Attempts at lessons that instructors grade which are completed and not graded yet, in all classes that the caller teaches or in one, but for the caller’s own. Each has its `lessonResultId`, with which it is graded.',
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
