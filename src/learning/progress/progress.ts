import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { Member } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { announceEvents } from '../../kernel/events/events.ts'
import { type Attempt, freshAttempt, presentAttempt, type Result, resultOf } from './attempt.ts'
import { authorizeLesson, type LessonContext } from './authorize.ts'
import {
  type AttemptState,
  answersText,
  isLocal,
  moveTo,
  nextState,
  readAttemptTimes,
  type WriteAction,
} from './rules.ts'
import type { NameAttempt, ObjectiveScore, Progress, ReportedVia, ScoreObjective, UpdateProgress } from './schema.ts'
import * as store from './store.ts'

/**
 * Serialises changes to one student's lesson within this process. Requests that wait here hold no database connection.
 */
const writing = gatePerOwner({ atOnce: 32, perKey: 1, waiting: 10_000, waitingPerKey: 1000 })
/** The number of tries if another process keeps changing the attempt between reading and writing. */
export const MAX_TRIES = 20

export async function readProgress(db: Db, who: Member, what: NameAttempt): Promise<Progress> {
  const context = await authorizeLesson(db, who, what, 'read', { withAnswers: true })
  if (!context.attempt) throw fail('notFound', 'User has not started that lesson yet.')
  return presentAttempt(context.attempt, idsOf(context, what))
}

export const startLesson = (db: Db, who: Member, what: NameAttempt): Promise<Progress> =>
  change(db, who, what, { action: 'attend' }, async (context, db) => {
    nextState('start', stateOf(context))
    checkAllowed(context)
    const attempt = freshAttempt(later(who.at, context.attempt?.completedAt))
    return withStudentLock(db, context, (tx) => insert(tx, who, context, attempt, 'attempt.started'))
  })

export const move = (db: Db, who: Member, verb: keyof typeof MOVES, what: NameAttempt): Promise<Progress> =>
  change(db, who, what, { action: 'attend' }, async (context, db) => {
    const state = nextState(verb, stateOf(context))
    const attempt = context.attempt!
    if (state === undefined) return { ...attempt, ...(await db.first(store.findAnswers, { attempt: attempt.id }))! }
    return update(db, who, context, { ...attempt, ...moveTo(attempt, state, notBefore(attempt, who.at)) }, MOVES[verb])
  })

const MOVES = {
  pause: 'attempt.paused',
  resume: 'attempt.resumed',
  idle: 'attempt.idle',
  active: 'attempt.active',
} as const

/**
 * Records a report from the app: updates or completes the open attempt, or records a whole attempt after it has ended.
 */
export const updateProgress = (db: Db, who: Member, what: UpdateProgress): Promise<Progress> => {
  const { startTime, endTime } = readAttemptTimes(what, who.at)
  for (const [name, time] of Object.entries({ startTime, endTime }))
    if (time && time > who.at) throw fail('validationFailed', `${name} must not be in the future`)
    else if (time && time.getTime() < 0) throw fail('validationFailed', `${name} must not be before 1970`)
  const reported = { pass: what.pass, score: what.score, answers: answersText(what.answers) }
  const saysResult = startTime !== undefined || Object.values(reported).some((value) => value !== undefined)
  const action = saysResult ? 'report' : 'complete'
  return change(db, who, what, { action, at: startTime ?? who.at }, async (context, db) => {
    if (startTime && createsAttempt(context))
      return reportAttempt(db, who, context, { ...reported, startTime, endTime: endTime ?? who.at })
    const isEnd = what.complete ?? endTime !== undefined
    const state = nextState(isEnd ? 'complete' : 'update', stateOf(context))!
    const attempt = context.attempt!
    // The zone of a local time is only a guess, so such a time is moved forward where it does not fit.
    const given = endTime && isLocal(what.endTime) ? notBefore(attempt, endTime) : endTime
    const end = isEnd ? (given ?? notBefore(attempt, who.at)) : who.at
    if (end < attempt.changedAt && endTime)
      throw fail(
        'validationFailed',
        `endTime must not be before ${attempt.changedAt.toISOString()}, when the attempt last changed`,
      )
    const moved = isEnd ? moveTo(attempt, state, end) : {}
    return update(
      db,
      who,
      context,
      { ...attempt, ...moved, ...accepted(who, context, isEnd ? passedIfRead(context, reported) : reported, attempt) },
      isEnd ? 'attempt.completed' : 'attempt.updated',
    )
  })
}

/** A page or a file is passed when it has been read to the end. */
const passedIfRead = ({ kind }: LessonContext, reported: ReportedResult): ReportedResult =>
  kind === 'page' || kind === 'file' ? { ...reported, pass: reported.pass ?? true } : reported

interface ReportedResult {
  readonly pass: boolean | undefined
  readonly score: number | undefined
  readonly answers: string | undefined
}

/**
 * Returns the values of a report that may be stored. If the lesson is graded by an instructor, `pass` and `score` are
 * accepted only from an instructor.
 */
function accepted(who: Member, context: LessonContext, { pass, score, answers }: ReportedResult, before: Attempt) {
  const isGrade = context.isInstructorGraded && context.teaches && (pass !== undefined || score !== undefined)
  const mayGrade = !context.isInstructorGraded || context.teaches
  return {
    pass: mayGrade ? (pass ?? before.pass) : before.pass,
    score: mayGrade ? (score ?? before.score) : before.score,
    answers: answers ?? null,
    ...(isGrade ? { gradedAt: who.at, gradedBy: who.personId } : {}),
  }
}

/**
 * Locks the student and runs `begin`, so that only one attempt can begin at a time. The state is not read again: if it
 * has changed since, `insertAttempt` stores nothing, and the caller tries again.
 */
export const withStudentLock = <T>(db: Db, { enrolmentId }: LessonContext, begin: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.first(store.lockStudent, { enrolment: enrolmentId })
    return begin(tx)
  })

/**
 * Records a whole attempt after it has ended. The lock ensures that it overlaps no attempt that is reported
 * concurrently.
 */
export function reportAttempt(
  db: Db,
  who: Member,
  context: LessonContext,
  report: ReportedResult & { startTime: Date; endTime: Date },
): Promise<Attempt | undefined> {
  const { startTime, endTime } = report
  if (endTime < startTime) throw fail('validationFailed', 'endTime must not be before startTime')
  checkAllowed(context)
  const begun = freshAttempt(startTime)
  const attempt = { ...begun, ...moveTo(begun, 'completed', endTime), ...accepted(who, context, report, begun) }
  return withStudentLock(db, context, async (tx) => {
    const studentLesson = { enrolment: context.enrolmentId, lesson: context.lessonId }
    const found = (await tx.first(store.overlaps, { ...studentLesson, from: startTime, to: endTime }))!
    // Another request has begun an attempt. The next try may have to update that attempt.
    if (found.attempts !== context.attempts) return undefined
    if (found.overlaps) throw fail('validationFailed', 'startTime and endTime must not overlap another attempt')
    return insert(tx, who, context, attempt, 'attempt.completed')
  })
}

/** Stores the score of one objective, which is independent of the lesson's score. */
export async function scoreObjective(db: Db, who: Member, what: ScoreObjective): Promise<ObjectiveScore> {
  const context = await authorizeLesson(db, who, what, 'report')
  if (!context.attempt) throw fail('notFound', 'User has not started that lesson yet.')
  if (context.isInstructorGraded && !context.teaches)
    throw fail('forbidden', 'Only an instructor can grade this lesson and score its objectives')
  const { objectiveId, lessonId, score } = what
  const found = await db.first(store.setObjectiveScore, {
    enrolment: context.enrolmentId,
    lesson: context.lessonId,
    objective: objectiveId,
    attempt: context.attempt.id,
    score,
    person: who.personId,
    isOwn: context.isOwn,
    app: who.appId ?? null,
    now: who.at,
  })
  if (!found) throw fail('validationFailed', 'objectiveId is not an objective of this lesson')
  if (!found.is_stored)
    throw fail('forbidden', 'An instructor has scored this objective; only instructors can change it')
  announceEvents(db)
  return { objectiveId, lessonId, studentId: context.student, score }
}

const idsOf = ({ student }: LessonContext, { lessonId }: NameAttempt) => ({ studentId: student, lessonId })

/** Whether a report creates an attempt. It does if there is no open attempt that it could update. */
const createsAttempt = (context: LessonContext): boolean => nextState('report', stateOf(context)) === 'completed'

const stateOf = ({ attempt }: LessonContext): AttemptState => attempt?.state ?? 'none'

/**
 * Returns the later of two times. Because server clocks differ, times are moved forward where needed, so that no
 * attempt ends before it started, or starts before the previous one ended.
 */
export const later = (at: Date, earliest: Date | null | undefined): Date => (earliest && at < earliest ? earliest : at)
export const notBefore = ({ changedAt }: Attempt, at: Date): Date => later(at, changedAt)

/** Reads the context and applies a change; retries if the attempt was changed in between. */
async function change(
  db: Db,
  who: Member,
  what: NameAttempt,
  { action, at }: { action: WriteAction; at?: Date },
  attempt: (context: LessonContext, db: Db) => Promise<Attempt | undefined>,
): Promise<Progress> {
  const runWithRetries = async (): Promise<Progress> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const context = await authorizeLesson(db, who, what, action, at && { at })
      const changed = await attempt(context, db)
      if (changed) return presentAttempt(changed, idsOf(context, what))
    }
    throw fail('conflict', 'This attempt is being changed by other requests; try again')
  }
  // In a transaction, do not queue behind other requests: this one holds a database connection, and a request ahead may
  // be waiting for one, so both could wait forever.
  if (db.isTransaction) return runWithRetries()
  return writing(db).run(`${what.studentId ?? who.personId} ${what.lessonId}`, runWithRetries)
}

export function checkAllowed({ isLocked, attempts, attemptsLeft }: LessonContext): void {
  if (isLocked)
    throw fail('impossibleNow', 'This lesson is locked; GET /edu/v1/lesson/progress/lock/reason says what to do first')
  if (attemptsLeft <= 0)
    throw fail(
      'impossibleNow',
      `${attempts === 1 ? 'The only attempt is' : `All ${attempts} attempts are`} used; an instructor can grant another one`,
    )
}

type AttemptEventKind = 'attempt.started' | 'attempt.updated' | 'attempt.completed' | (typeof MOVES)[keyof typeof MOVES]

/**
 * Returns the entry for the log of grade changes if an instructor changed the grade; undefined if the grade is the
 * same.
 */
function changeOf({ kind, threshold, attempt: latest }: ValueContext, attempt: Attempt, result: Result) {
  const was = attempt.id !== 0 && latest ? latest : { pass: false, score: null, state: 'in progress' }
  if (was.pass === attempt.pass && was.score === attempt.score) return undefined
  const isCompleted = was.state === 'completed'
  const [before] = resultOf({ ...was, isCompleted, kind, threshold, awaitsGrade: false })
  return {
    before: { pass: was.pass, score: was.score, result: before },
    after: { pass: attempt.pass, score: attempt.score, result },
  }
}

/** Through what an attempt was reported; null for events that report nothing, such as a pause. */
function viaOf({ isOwn }: ValueContext, { appId }: Member, kind: AttemptEventKind): ReportedVia | null {
  if (kind !== 'attempt.started' && kind !== 'attempt.updated' && kind !== 'attempt.completed') return null
  if (!isOwn) return 'instructor'
  return appId === undefined ? 'page' : 'app'
}

type ValueContext = Pick<LessonContext, 'kind' | 'threshold' | 'isInstructorGraded' | 'isOwn' | 'attempt'>

/** The values of a changed attempt that are written together with its standing, its event and the grade change. */
export function valuesOf(who: Member, context: ValueContext, attempt: Attempt, kind: AttemptEventKind) {
  const isCompleted = attempt.state === 'completed'
  const awaitsGrade = isCompleted && context.isInstructorGraded && attempt.gradedAt === null
  const { threshold, kind: lessonKind } = context
  const [result] = resultOf({ ...attempt, isCompleted, kind: lessonKind, threshold, awaitsGrade })
  const change = context.isOwn ? undefined : changeOf(context, attempt, result)
  return {
    change: change ? JSON.stringify(change) : null,
    person: who.personId,
    app: who.appId ?? null,
    state: attempt.state,
    pass: attempt.pass,
    score: attempt.score,
    answers: attempt.answers,
    completed: attempt.completedAt,
    progress: JSON.stringify(attempt.progress),
    idle: JSON.stringify(attempt.idle),
    activeMs: attempt.activeMs,
    activeSince: attempt.activeSince,
    result,
    awaitsGrade,
    gradedAt: attempt.gradedAt,
    gradedBy: attempt.gradedBy,
    via: viaOf(context, who, kind),
    kind,
    now: notBefore(attempt, who.at),
  }
}

/**
 * Stores a new attempt and ends the transaction, in which the student is locked. Returns undefined if what was checked
 * has changed since.
 */
export async function insert(
  tx: Tx,
  who: Member,
  context: LessonContext,
  attempt: Attempt,
  kind: AttemptEventKind,
): Promise<Attempt | undefined> {
  const [saved] = await tx.finish(store.insertAttempt, {
    ...valuesOf(who, context, attempt, kind),
    key: attempt.key,
    enrolment: context.enrolmentId,
    lesson: context.lessonId,
    status: context.status,
    attempts: context.attempts,
    started: attempt.startedAt,
    isLate: attempt.state === 'completed',
  })
  if (!saved) return undefined
  announceEvents(tx)
  return { ...attempt, id: saved.attempt_id, answers: saved.answers }
}

/** Stores a changed attempt. Returns undefined if another request has changed it since it was read. */
export async function update(
  db: Db,
  who: Member,
  context: LessonContext,
  attempt: Attempt,
  kind: AttemptEventKind,
): Promise<Attempt | undefined> {
  const saved = await db.first(store.updateAttempt, {
    ...valuesOf(who, context, attempt, kind),
    attempt: attempt.id,
    version: attempt.version,
  })
  if (!saved) return undefined
  announceEvents(db)
  return { ...attempt, answers: saved.answers }
}
