import type { ErrorName } from '../errors.ts'
import { member, person } from '../http/callers/callers.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json } from '../http/output/output.ts'
import { tokenPolicy } from '../sessions/sessions.ts'
import { examples } from './examples.ts'
import { launchLesson } from './launch.ts'
import { readLocks } from './locks.ts'
import { listAttempts, move, readProgress, scoreObjective, startLesson, updateProgress } from './progress.ts'
import {
  ClassEvents,
  LaunchAddress,
  LaunchLesson,
  Locks,
  NameAttempt,
  ObjectiveScore,
  Progress,
  ProgressHistory,
  ReadLocks,
  ScoreObjective,
  UpdateProgress,
  WatchClass,
} from './schema.ts'
import { classWatch } from './watch.ts'

const area = 'Lessons and progress'
const path = '/edu/v1/lesson/progress'
const READER = 'the student, staff of the class, its managers'
const WRITER = 'the student, or an instructor of the class'
/** Not the student, not an instructor of the class; no such lesson, or not started. */
const REFUSED: readonly ErrorName[] = ['forbidden', 'notFound', 'validationFailed']

const MOVES = [
  { verb: 'pause', name: 'pauseLesson', summary: 'Pauses a lesson' },
  { verb: 'resume', name: 'resumeLesson', summary: 'Resumes a paused lesson' },
  {
    verb: 'idle',
    name: 'idleLesson',
    summary: 'Marks the student as away; the time does not count as time on task',
  },
  { verb: 'active', name: 'activateLesson', summary: 'Marks the student as back' },
] as const

export const progressOperations: readonly Operation[] = [
  operation({
    name: 'readProgress',
    summary: 'Reads the latest attempt at a lesson',
    ...examples.readProgress,
    method: 'GET',
    path,
    area,
    who: member,
    role: READER,
    input: NameAttempt,
    from: 'query',
    output: json(Progress),
    errors: REFUSED,
    run: ({ db, who }, input) => readProgress(db, who, input),
  }),
  operation({
    name: 'listAttempts',
    summary: 'Lists all attempts at a lesson',
    ...examples.listAttempts,
    method: 'GET',
    path: `${path}/history`,
    area,
    who: member,
    role: READER,
    input: NameAttempt,
    from: 'query',
    output: json(ProgressHistory),
    errors: REFUSED,
    run: ({ db, who }, input) => listAttempts(db, who, input),
  }),
  operation({
    name: 'readLocks',
    summary: 'Shows which lessons of a class are locked for a student',
    ...examples.readLocks,
    method: 'GET',
    path: `${path}/lock`,
    area,
    who: member,
    role: READER,
    input: ReadLocks,
    from: 'query',
    output: json(Locks),
    errors: ['forbidden', 'validationFailed'],
    run: ({ db, who }, input) => readLocks(db, who, input),
  }),
  operation({
    name: 'startLesson',
    summary: 'Starts a lesson',
    ...examples.startLesson,
    method: 'POST',
    path: `${path}/start`,
    area,
    who: member,
    role: WRITER,
    input: NameAttempt,
    from: 'either',
    output: json(Progress),
    errors: [...REFUSED, 'impossibleNow', 'conflict'],
    run: ({ db, who }, input) => startLesson(db, who, input),
  }),
  ...MOVES.map(({ verb, name, summary }) =>
    operation({
      name,
      summary,
      ...examples[name],
      method: 'POST',
      path: `${path}/${verb}`,
      area,
      who: member,
      role: WRITER,
      input: NameAttempt,
      from: 'either',
      output: json(Progress),
      errors: [...REFUSED, 'impossibleNow'],
      run: ({ db, who }, input) => move(db, who, verb, input),
    }),
  ),
  operation({
    name: 'updateProgress',
    summary: 'Records score, answers and result of an attempt',
    ...examples.updateProgress,
    method: 'POST',
    path,
    area,
    who: member,
    role: WRITER,
    input: UpdateProgress,
    from: 'either',
    hasLargeBody: true,
    output: json(Progress),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => updateProgress(db, who, input),
  }),
  operation({
    name: 'scoreObjective',
    summary: 'Records a score for an objective, if it differs from the lesson’s',
    ...examples.scoreObjective,
    method: 'POST',
    path: `${path}/objective`,
    area,
    who: member,
    role: WRITER,
    input: ScoreObjective,
    from: 'either',
    output: json(ObjectiveScore),
    errors: REFUSED,
    run: ({ db, who }, input) => scoreObjective(db, who, input),
  }),
  operation({
    name: 'watchClass',
    summary: 'Streams what the students of a class do, as server-sent events',
    ...examples.watchClass,
    method: 'GET',
    path: '/edu/v1/class/events',
    area,
    who: member,
    role: 'instructor or observer of the class, owner of its organisation, administrator',
    input: WatchClass,
    from: 'query',
    requestHeaders: { 'Last-Event-ID': 'The last event that the client has seen: what came after it comes first' },
    output: { kind: 'events', about: 'Events `ready`, `change`, `reset` and `removed`', events: ClassEvents },
    errors: ['forbidden'],
    run: ({ who, environment, request }, { classId }) =>
      environment.get(classWatch).open(who, { classId, lastEventId: String(request.headers['last-event-id']) }),
  }),
  operation({
    name: 'launchLesson',
    summary: 'Returns the address that opens a lesson in its app',
    ...examples.launchLesson,
    method: 'POST',
    path: '/edu/v1/lesson/launch',
    area,
    who: person,
    role: 'student or instructor of the class',
    input: LaunchLesson,
    from: 'either',
    output: json(LaunchAddress),
    // It carries a code.
    isUnrepeatable: true,
    errors: [...REFUSED, 'impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => launchLesson(db, who, input, environment.get(tokenPolicy)),
  }),
]
