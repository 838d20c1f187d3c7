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
const MAX_TRIES = 20

export async function readProgress(db: Db, who: Member, what: NameAttempt): Promise<Progress> {
  const context = await authorizeLesson(db, who, what, 'read', { withAnswers: true })
  if (!context.attempt) throw fail('notFound', 'User has not started that lesson yet.')
  return presentAttempt(context.attempt, idsOf(context, what))
}

export const startLesson = (db: Db, who: Member, what: NameAttempt): Promise<Progress> =>
  change(db, who, what, 'attend', async (context, db) => {
    checkStart(context)
    return withStudentLock(db, who, what, 'attend', context, (now, tx) => {
      checkStart(now)
      return save(tx, who, now, freshAttempt(later(who.at, now.attempt?.completedAt)), 'attempt.started')
    })
  })

export const move = (db: Db, who: Member, verb: keyof typeof MOVES, what: NameAttempt): Promise<Progress> =>
  change(db, who, what, 'attend', async (context, db) => {
    const state = nextState(verb, stateOf(context))
    const attempt = context.attempt!
    if (state === undefined) return { ...attempt, ...(await db.first(store.findAnswers, { attempt: attempt.id }))! }
    return save(db, who, context, { ...attempt, ...moveTo(attempt, state, notBefore(attempt, who.at)) }, MOVES[verb])
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
  return change(db, who, what, saysResult ? 'report' : 'complete', async (context, db) => {
    if (startTime && createsAttempt(context))
      return reportAttempt(db, who, what, context, { ...reported, startTime, endTime: endTime ?? who.at })
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
    return save(
      db,
      who,
      context,
      { ...attempt, ...moved, ...accepted(who, context, reported, attempt) },
      isEnd ? 'attempt.completed' : 'attempt.updated',
    )
  })
}

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

/** Locks the student, reads the state again, and runs `begin` with it, so that only one attempt can start at a time. */
const withStudentLock = (
  db: Db,
  who: Member,
  what: NameAttempt,
  action: WriteAction,
  { enrolmentId }: LessonContext,
  begin: (context: LessonContext, tx: Tx) => Promise<Attempt | undefined>,
): Promise<Attempt | undefined> =>
  db.transaction(async (tx) => {
    await tx.first(store.lockStudent, { enrolment: enrolmentId })
    return begin(await authorizeLesson(tx, who, what, action), tx)
  })

/**
 * Records a whole attempt after it has ended. The lock ensures that it overlaps no attempt that is reported
 * concurrently.
 */
function reportAttempt(
  db: Db,
  who: Member,
  what: NameAttempt,
  context: LessonContext,
  report: ReportedResult & { startTime: Date; endTime: Date },
): Promise<Attempt | undefined> {
  const { startTime, endTime } = report
  if (endTime < startTime) throw fail('validationFailed', 'endTime must not be before startTime')
  return withStudentLock(db, who, what, 'report', context, async (now, tx) => {
    // Another request has started an attempt. Returning undefined makes the caller retry, which then updates that
    // attempt.
    if (!createsAttempt(now)) return undefined
    checkAllowed(now)
    const studentLesson = { enrolment: now.enrolmentId, lesson: now.lessonId }
    const found = await tx.first(store.overlaps, { ...studentLesson, from: startTime, to: endTime })
    if (found?.overlaps) throw fail('validationFailed', 'startTime and endTime must not overlap another attempt')
    const begun = freshAttempt(startTime)
    const attempt = { ...begun, ...moveTo(begun, 'completed', endTime), ...accepted(who, now, report, begun) }
    return save(tx, who, now, attempt, 'attempt.completed')
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
  if (!found) throw fail('validationFailed', 'objectiveId is not an objective of that lesson')
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
const later = (at: Date, earliest: Date | null | undefined): Date => (earliest && at < earliest ? earliest : at)
const notBefore = ({ changedAt }: Attempt, at: Date): Date => later(at, changedAt)

/** Reads the context and applies a change; retries if the attempt was changed in between. */
async function change(
  db: Db,
  who: Member,
  what: NameAttempt,
  action: WriteAction,
  attempt: (context: LessonContext, db: Db) => Promise<Attempt | undefined>,
): Promise<Progress> {
  const runWithRetries = async (): Promise<Progress> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const context = await authorizeLesson(db, who, what, action)
      const changed = await attempt(context, db)
      if (changed) return presentAttempt(changed, idsOf(context, what))
    }
    throw fail('conflict', 'Others change this attempt at the same time; try again')
  }
  // In a transaction, do not queue behind other requests: this one holds a database connection, and a request ahead may
  // be waiting for one, so both could wait forever.
  if (db.isTransaction) return runWithRetries()
  return writing(db).run(`${what.studentId ?? who.personId} ${what.lessonId}`, runWithRetries)
}

function checkStart(context: LessonContext): void {
  nextState('start', stateOf(context))
  checkAllowed(context)
}

function checkAllowed({ isLocked, attempts, attemptsLeft }: LessonContext): void {
  if (isLocked)
    throw fail('impossibleNow', 'This lesson is locked; GET /edu/v1/lesson/progress/lock/reason says what to do first')
  if (attemptsLeft <= 0)
    throw fail('impossibleNow', `All ${attempts} attempts are used; an instructor can give another`)
}

type AttemptEventKind = 'attempt.started' | 'attempt.updated' | 'attempt.completed' | (typeof MOVES)[keyof typeof MOVES]

/**
 * Returns the entry for the log of grade changes if an instructor changed the grade; undefined if the grade is the
 * same.
 */
function changeOf({ threshold, attempt: latest }: LessonContext, attempt: Attempt, result: Result) {
  const was = attempt.id !== 0 && latest ? latest : { pass: false, score: null, state: 'in progress' }
  if (was.pass === attempt.pass && was.score === attempt.score) return undefined
  const isCompleted = was.state === 'completed'
  const [before] = resultOf({ ...was, isCompleted, threshold, awaitsGrade: false })
  return {
    before: { pass: was.pass, score: was.score, result: before },
    after: { pass: attempt.pass, score: attempt.score, result },
  }
}

/** Through what an attempt was reported; null for events that report nothing, such as a pause. */
function viaOf({ isOwn }: LessonContext, { appId }: Member, kind: AttemptEventKind): ReportedVia | null {
  if (kind !== 'attempt.started' && kind !== 'attempt.updated' && kind !== 'attempt.completed') return null
  if (!isOwn) return 'instructor'
  return appId === undefined ? 'page' : 'app'
}

/**
 * Writes the attempt, the standing, the event and the grade change in one SQL statement. Returns undefined if another
 * request has changed the attempt since it was read.
 */
async function save(
  db: Db,
  who: Member,
  context: LessonContext,
  attempt: Attempt,
  kind: AttemptEventKind,
): Promise<Attempt | undefined> {
  const isCompleted = attempt.state === 'completed'
  const awaitsGrade = isCompleted && context.isInstructorGraded && attempt.gradedAt === null
  const [result] = resultOf({ ...attempt, isCompleted, threshold: context.threshold, awaitsGrade })
  const change = context.isOwn ? undefined : changeOf(context, attempt, result)
  const values = {
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
  const saved =
    attempt.id === 0
      ? await db.first(store.insertAttempt, {
          ...values,
          key: attempt.key,
          enrolment: context.enrolmentId,
          lesson: context.lessonId,
          started: attempt.startedAt,
          isLate: isCompleted,
        })
      : await db.first(store.updateAttempt, {
          ...values,
          attempt: attempt.id,
          version: attempt.version,
        })
  if (!saved) return undefined
  announceEvents(db)
  return { ...attempt, answers: saved.answers }
}
