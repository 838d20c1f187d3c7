import { CODE, MOMENT, REDIRECT_URI } from '../../kernel/samples.ts'

const ATTEMPT = 'x3LmV9rQ0sTzB7cHkW2dYg'
const IDS = { lessonId: 'lesson-walkaround', classId: 'class-alpha' }

const interval = (isOpen = true) => ({ start: MOMENT, end: isOpen ? null : MOMENT })
const STARTED = {
  studentId: 'student-avery',
  lessonId: 'lesson-walkaround',
  lessonResultId: ATTEMPT,
  pass: false,
  score: null,
  answers: null,
  started: MOMENT,
  completed: null,
  progressIntervals: [interval()],
  idleIntervals: [],
}

/** What people read about these operations. */
export const examples = {
  readProgress: {
    description:
      'The open attempt, or else the latest. Students read their own; instructors and observers name a student with `studentId`. If the lesson was never started, the answer is 404 with code 4042.',
    example: { request: IDS, answer: STARTED, after: 'startLesson' },
  },
  listAttempts: {
    description:
      'All attempts at the lesson, oldest first, in a plain array. It is empty if the lesson was never started.',
    example: { request: IDS, answer: [STARTED], after: 'startLesson' },
  },
  readLocks: {
    description:
      'Each lesson of the class with its child lessons, in their order. A lesson is locked while one of its prerequisites is not passed, in a sequential class while an earlier lesson is not passed, or because an instructor has locked it. A manual lock wins over the rest.',
    example: {
      request: { classId: 'class-alpha' },
      answer: [
        { lessonId: 'lesson-walkaround', locked: false, childLessons: [] },
        {
          lessonId: 'lesson-checklist',
          locked: true,
          childLessons: [
            { lessonId: 'lesson-checklist-interior', locked: true },
            { lessonId: 'lesson-checklist-exterior', locked: true },
          ],
        },
        { lessonId: 'lesson-checkride', locked: true, childLessons: [] },
      ],
    },
  },
  startLesson: {
    description:
      'Starts an attempt with a `lessonResultId` of its own; the server sets the time. If an attempt is still open, the answer is 409 with code 4091: complete it first. A lesson that is locked, or whose attempts are used up, cannot be started.',
    example: { request: IDS, answer: STARTED },
  },
  pauseLesson: {
    description:
      'Closes the open progress interval, and the idle one if there is one. Pausing again changes nothing, so the request can be repeated.',
    example: { request: IDS, answer: { ...STARTED, progressIntervals: [interval(false)] }, after: 'startLesson' },
  },
  resumeLesson: {
    description:
      'Opens the next progress interval. Resuming a lesson that is in progress changes nothing; if it is idle, activate it instead.',
    example: {
      request: IDS,
      answer: { ...STARTED, progressIntervals: [interval(false), interval()] },
      after: 'pauseLesson',
    },
  },
  idleLesson: {
    description:
      'Opens an idle interval; the progress interval stays open. Time on task is progress time minus idle time.',
    example: { request: IDS, answer: { ...STARTED, idleIntervals: [interval()] }, after: 'startLesson' },
  },
  activateLesson: {
    description: 'Closes the open idle interval. If the lesson is in progress already, nothing changes.',
    example: { request: IDS, answer: { ...STARTED, idleIntervals: [interval(false)] }, after: 'idleLesson' },
  },
  updateProgress: {
    description:
      'Records the fields that are sent; `complete: true` ends the attempt and closes its open intervals. With `startTime` and no open attempt, a whole attempt is recorded after the fact, up to `endTime` or now; it must not be in the future or overlap another. Ids can be in the address or in the body, everything else only in the body.',
    example: {
      request: { ...IDS, pass: true, complete: true, score: 92, answers: [{ item: 'pitot cover', found: true }] },
      answer: {
        ...STARTED,
        pass: true,
        score: 92,
        answers: [{ item: 'pitot cover', found: true }],
        completed: MOMENT,
        progressIntervals: [interval(false)],
      },
      after: 'startLesson',
    },
  },
  scoreObjective: {
    description:
      "Without it, the lesson's score counts for its objectives. The lesson must have been started. Instructors name the student with `studentId`; the class can then be left out.",
    example: {
      request: { ...IDS, objectiveId: 'objective-safety', score: 75 },
      answer: {
        objectiveId: 'objective-safety',
        lessonId: 'lesson-walkaround',
        studentId: 'student-avery',
        score: 75,
      },
      after: 'startLesson',
    },
  },
  launchLesson: {
    description:
      "Send the person's browser to the address at once: it has the lesson's launch parameters, the platform's ids and, if the lesson passes one, a code that the app redeems within a minute. Students can launch lessons that are not locked; instructors can launch any lesson of their class, without a `studentId`. The code is for the caller, who must have allowed the app before, or does so with `allow`.",
    example: {
      request: IDS,
      answer: {
        uri: `${REDIRECT_URI}?scene=apron&lessonId=lesson-walkaround&classId=class-alpha&courseId=course-preflight&studentId=student-avery&code=${CODE}`,
      },
    },
  },
  watchClass: {
    description:
      'A new stream starts with the current state of every student: active, idle, paused or finished. Changes follow within a second, and after a break `Last-Event-ID` brings what you missed, for up to 30 days. Callers who lose their role get `removed`; a person can have 50 open streams per process.',
    example: { request: { classId: 'class-alpha' }, as: 'casey' as const },
  },
  readLockReason: {
    description:
      'In words, and as the ids of the lessons to pass first. If an instructor has locked or unlocked the lesson, only that counts.',
    example: {
      request: { lessonId: 'lesson-checklist', classId: 'class-alpha' },
      answer: {
        lessonId: 'lesson-checklist',
        studentId: 'student-avery',
        locked: true,
        reason: 'Pass Walkaround first; 0 of 1 done.',
        missing: ['lesson-walkaround'],
      },
    },
  },
}
