import { MOMENT } from '../../kernel/samples.ts'
import { examples as progress } from '../../learning/progress/examples.ts'

const { lessonResultId } = progress.startLesson.example.answer
const CLASS = { classId: 'class-alpha' }
const casey = 'casey' as const

const NOT_STARTED = { result: 'NOT STARTED', score: null, attempts: 0, timeOnTask: 0 }
const PASSED = { result: 'PASS', score: 92, attempts: 1, timeOnTask: 1800 }

const LESSONS = [
  { lessonId: 'lesson-walkaround', parentId: null, name: 'Walkaround' },
  { lessonId: 'lesson-checklist', parentId: null, name: 'Checklist' },
  { lessonId: 'lesson-checklist-interior', parentId: 'lesson-checklist', name: 'Interior' },
  { lessonId: 'lesson-checklist-exterior', parentId: 'lesson-checklist', name: 'Exterior' },
  { lessonId: 'lesson-checkride', parentId: null, name: 'Checkride' },
]
const AHEAD = {
  ...NOT_STARTED,
  explanation: 'No attempt was started.',
  attemptsLeft: null,
  awaitsGrade: false,
  bestScore: null,
  passed: false,
  lessonResultId: null,
  started: null,
  completed: null,
}
const lockedUntil = (name: string) => ({ locked: true, lockReason: `Pass ${name} first; 1 of 2 done.`, statements: 0 })
const OPEN = { locked: false, lockReason: null, statements: 0 }

/** What people read about these operations. */
export const examples = {
  readResults: {
    description:
      'Every lesson of the class with its result, a sentence that explains it, and why it is locked; child lessons follow their parent. The score of an objective is the mean over its lessons: the score reported for it, or else the lesson’s.',
    example: {
      request: CLASS,
      answer: {
        ...CLASS,
        studentId: 'student-avery',
        lessons: [
          {
            ...LESSONS[0],
            ...PASSED,
            explanation: 'Completed, and reported as passed.',
            attemptsLeft: null,
            awaitsGrade: false,
            bestScore: 92,
            passed: true,
            lessonResultId,
            started: MOMENT,
            completed: MOMENT,
            ...OPEN,
          },
          { ...LESSONS[1], ...AHEAD, ...OPEN },
          { ...LESSONS[2], ...AHEAD, ...OPEN },
          { ...LESSONS[3], ...AHEAD, ...lockedUntil('Interior') },
          { ...LESSONS[4], ...AHEAD, attemptsLeft: 2, ...lockedUntil('Checklist') },
        ],
        objectives: [
          {
            objectiveId: 'objective-safety',
            name: 'Safety',
            score: 92,
            lessons: [
              { lessonId: 'lesson-walkaround', score: 92, reported: false },
              { lessonId: 'lesson-checkride', score: null, reported: false },
            ],
          },
          {
            objectiveId: 'objective-procedure',
            name: 'Procedure',
            score: null,
            lessons: [
              { lessonId: 'lesson-checklist', score: null, reported: false },
              { lessonId: 'lesson-checkride', score: null, reported: false },
            ],
          },
        ],
      },
    },
  },
  readTimeline: {
    description:
      'Attempts with their intervals, grades and other changes by instructors, scores of objectives, and the notes that the caller may read. For the next page, send `next` as `before`.',
    example: {
      request: { ...CLASS, limit: 2 },
      answer: {
        docs: [
          {
            at: MOMENT,
            kind: 'completed',
            lessonId: 'lesson-walkaround',
            lessonResultId,
            byId: null,
            byName: null,
            data: { pass: true, score: 92, result: 'PASS' },
          },
          {
            at: MOMENT,
            kind: 'progress',
            lessonId: 'lesson-walkaround',
            lessonResultId,
            byId: null,
            byName: null,
            data: { end: MOMENT },
          },
          {
            at: MOMENT,
            kind: 'started',
            lessonId: 'lesson-walkaround',
            lessonResultId,
            byId: null,
            byName: null,
            data: {},
          },
        ],
        next: MOMENT,
      },
      after: 'updateProgress',
    },
  },
  readGradebook: {
    description:
      'A page of students, by name, each with a result for every lesson, in order. Dropped students are not included.',
    example: {
      request: { ...CLASS, limit: 1 },
      answer: {
        ...CLASS,
        lessons: LESSONS,
        docs: [
          {
            studentId: 'student-avery',
            handle: '@avery',
            name: 'Avery Lindqvist',
            status: 'active',
            lessons: LESSONS.map(({ lessonId }, i) => ({ lessonId, ...(i === 0 ? PASSED : NOT_STARTED) })),
          },
        ],
        total: 2,
        limit: 1,
        page: 1,
        pages: 2,
      },
      as: casey,
    },
  },
  exportGradebook: {
    description:
      'One line for each student, four columns for each lesson: result, score, attempts, and seconds on task. The file is UTF-8 with a byte order mark, so that spreadsheets open it correctly; text that looks like a formula starts with an apostrophe.',
    example: { request: CLASS, as: casey },
  },
}
