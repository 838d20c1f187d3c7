import { Type } from 'typebox'
import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, presentAs } from '../../kernel/http/output/output.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { MAY } from '../classes/roles.ts'
import { listAttempts } from './history.ts'
import { launchLesson } from './launch.ts'
import { readLockReason, readLocks } from './locks.ts'
import { move, readProgress, scoreObjective, startLesson, updateProgress } from './progress.ts'
import {
  ClassEvents,
  LaunchAddress,
  LaunchLesson,
  ListAttempts,
  LockReason,
  Locks,
  NameAttempt,
  ObjectiveScore,
  Progress,
  ProgressHistory,
  ProgressHistoryPage,
  ReadLocks,
  ScoreObjective,
  UpdateProgress,
  WatchClass,
} from './schema.ts'
import { classWatch } from './watch.ts'

const op = operationsIn({ area: 'Lessons and progress', who: member, scope: 'progress' })

/**
 * The errors that are returned if the caller is neither the student nor an instructor of the class, or if the lesson
 * does not exist or was not started.
 */
const REFUSED: readonly ErrorName[] = ['forbidden', 'notFound', 'validationFailed']

const MOVES = [
  {
    verb: 'pause',
    name: 'pauseLesson',
    summary: 'Pause a lesson',
    description:
      'Closes the open progress interval, and the idle interval if there is one. Pausing again changes nothing, so the request can be repeated.',
    after: 'startLesson',
  },
  {
    verb: 'resume',
    name: 'resumeLesson',
    summary: 'Resume a lesson',
    description:
      'Opens the next progress interval of a paused lesson. Resuming a lesson that is in progress changes nothing; if it is idle, call `activateLesson` instead.',
    after: 'pauseLesson',
  },
  {
    verb: 'idle',
    name: 'idleLesson',
    summary: 'Start idle time',
    description:
      'Opens an idle interval while the student is away; the progress interval stays open. Time on task is progress time minus idle time.',
    after: 'startLesson',
  },
  {
    verb: 'active',
    name: 'activateLesson',
    summary: 'End idle time',
    description: 'Closes the open idle interval when the student is back. If the lesson is not idle, nothing changes.',
    after: 'idleLesson',
  },
] as const

export const progressOperations: readonly Operation[] = [
  op('GET /edu/v1/lesson/progress', {
    name: 'readProgress',
    summary: 'Get lesson progress',
    description:
      'Returns the open attempt at a lesson, or else the latest. Students read their own; instructors and observers choose a student with `studentId`. If the lesson was never started, the response is 404 with code 4042.',
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' }, after: 'startLesson' },
    roles: MAY.readStudent,
    input: NameAttempt,
    output: json(Progress),
    errors: REFUSED,
    run: ({ db, who }, input) => readProgress(db, who, input),
  }),
  op('GET /edu/v1/lesson/progress/history', {
    name: 'listAttempts',
    summary: 'List attempts at a lesson',
    description:
      "Returns the attempts at a lesson, newest first: the newest 100 in an array, or a page with `page` or `limit`. Each says how it was reported: through which app, on the platform's pages, by an instructor or an import, and whether it was entered after the fact or began before the enrolment. `answers` is null, except for the attempt in `lessonResultId`.",
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha', limit: 10 }, after: 'startLesson' },
    roles: MAY.readStudent,
    input: ListAttempts,
    output: json(Type.Union([ProgressHistory, ProgressHistoryPage], { title: 'LessonProgressHistory' }), {
      present: (found) => presentAs(Array.isArray(found) ? ProgressHistory : ProgressHistoryPage, found),
    }),
    errors: REFUSED,
    run: ({ db, who }, input) => listAttempts(db, who, input),
  }),
  op('GET /edu/v1/lesson/progress/lock', {
    name: 'readLocks',
    summary: 'List lesson locks of a student',
    description:
      'Returns which lessons of a class are locked for a student, in order and with their child lessons. A lesson is locked while one of its prerequisites is not passed, in a sequential class while an earlier lesson is not passed, or because an instructor has locked it. A manual lock takes precedence.',
    example: { request: { classId: 'class-alpha' } },
    roles: MAY.readStudent,
    input: ReadLocks,
    output: json(Locks),
    isCompressible: true,
    errors: ['forbidden', 'validationFailed'],
    run: ({ db, who }, input) => readLocks(db, who, input),
  }),
  op('GET /edu/v1/lesson/progress/lock/reason', {
    name: 'readLockReason',
    summary: "Get a lesson's lock reason",
    description:
      'Returns why a lesson is locked for a student, as a sentence and as the ids of the lessons to pass first. If an instructor has locked or unlocked the lesson, only that counts.',
    example: { request: { lessonId: 'lesson-checklist', classId: 'class-alpha' } },
    roles: MAY.readStudent,
    input: NameAttempt,
    output: json(LockReason),
    errors: REFUSED,
    run: ({ db, who }, input) => readLockReason(db, who, input),
  }),
  op('POST /edu/v1/lesson/progress/start', {
    name: 'startLesson',
    summary: 'Start a lesson',
    description:
      "Starts an attempt with its own `lessonResultId`; the server sets the time. If an attempt is still open, the response is 409 with code 4091: complete it first. A lesson that is locked, that has no attempts left, or that another app delivers cannot be started; one without an app is started on the platform's own pages.",
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' } },
    roles: MAY.record,
    input: NameAttempt,
    from: 'either',
    output: json(Progress),
    errors: [...REFUSED, 'impossibleNow', 'storageFull', 'conflict'],
    run: ({ db, who }, input) => startLesson(db, who, input),
  }),
  ...MOVES.map(({ verb, name, summary, description, after }) =>
    op(`POST /edu/v1/lesson/progress/${verb}`, {
      name,
      summary,
      description,
      example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' }, after },
      roles: MAY.record,
      input: NameAttempt,
      from: 'either',
      output: json(Progress),
      errors: [...REFUSED, 'impossibleNow', 'storageFull'],
      run: ({ db, who }, input) => move(db, who, verb, input),
    }),
  ),
  op('POST /edu/v1/lesson/progress', {
    name: 'updateProgress',
    summary: 'Update lesson progress',
    description:
      "Records the fields that are sent; `complete: true` ends the attempt and closes its open intervals. With `startTime` and no open attempt, a whole attempt is recorded after the fact, up to `endTime` or now; it must not be in the future or overlap another, and a time without a zone is read in the zone in which it is nearest to now. Students report results only through the app that delivers the lesson, instructors also on the platform's own pages; ids can be in the query or in the body, everything else only in the body.",
    example: {
      request: {
        lessonId: 'lesson-walkaround',
        classId: 'class-alpha',
        pass: true,
        complete: true,
        score: 92,
        answers: [{ item: 'pitot cover', found: true }],
      },
      after: 'startLesson',
    },
    roles: MAY.record,
    input: UpdateProgress,
    from: 'either',
    hasLargeBody: true,
    output: json(Progress),
    errors: [...REFUSED, 'impossibleNow', 'storageFull'],
    run: ({ db, who }, input) => updateProgress(db, who, input),
  }),
  op('POST /edu/v1/lesson/progress/objective', {
    name: 'scoreObjective',
    summary: 'Update an objective score',
    description:
      "Records a score for an objective that differs from the score of the lesson; without it, the lesson's score counts. The lesson must have been started. Instructors choose the student with `studentId`; the class can then be left out.",
    example: {
      request: { lessonId: 'lesson-walkaround', classId: 'class-alpha', objectiveId: 'objective-safety', score: 75 },
      after: 'startLesson',
    },
    roles: MAY.record,
    input: ScoreObjective,
    from: 'either',
    output: json(ObjectiveScore),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => scoreObjective(db, who, input),
  }),
  op('GET /edu/v1/class/events', {
    name: 'watchClass',
    summary: 'Stream class activity',
    description:
      'Streams what the students of a class do, as server-sent events. A new stream starts with the current state of every student: active, idle, paused or finished; changes follow within a second, and after a disconnect `Last-Event-ID` brings what you missed, for up to 30 days. Callers who lose their role get `removed`; a user can have 50 open streams per process.',
    example: { request: { classId: 'class-alpha' }, as: 'casey' },
    roles: MAY.readClass,
    input: WatchClass,
    requestHeaders: { 'Last-Event-ID': 'The last event that the client has seen; later ones are sent first' },
    output: { kind: 'events', about: 'Events `ready`, `change`, `reset` and `removed`', events: ClassEvents },
    errors: ['forbidden'],
    run: ({ who, environment, request }, { classId }) =>
      environment.get(classWatch).open(who, { classId, lastEventId: String(request.headers['last-event-id']) }),
  }),
  op('POST /edu/v1/lesson/launch', {
    name: 'launchLesson',
    summary: 'Launch a lesson',
    description:
      "Returns the URL that opens a lesson in its app, with the lesson's launch parameters, the platform's ids and, if the lesson passes one, a code that the app redeems within a minute. Students can launch lessons that are not locked; instructors can launch any lesson of their class, without a `studentId`. The code is for the caller, who must have allowed the app before, or does so with `allow`.",
    example: { request: { lessonId: 'lesson-walkaround', classId: 'class-alpha' } },
    who: person,
    roles: MAY.launch,
    input: LaunchLesson,
    from: 'either',
    output: json(LaunchAddress),
    // The response contains a code, which must not be stored for a repeated request.
    refusesIdempotencyKey: true,
    errors: [...REFUSED, 'impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchLesson(db, who, input, environment.get(tokenPolicy)),
  }),
]
