import type { Caller } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { announceEvents } from '../../kernel/events/events.ts'
import { type Attempt, freshAttempt } from './attempt.ts'
import { authorizeLesson, type LearningCaller, type LessonContext } from './authorize.ts'
import { checkAllowed, insert, later, MAX_TRIES, notBefore, update, valuesOf } from './progress.ts'
import { moveTo } from './rules.ts'
import type { NameAttempt } from './schema.ts'
import * as store from './store.ts'

/** The student for whom content of a package reports. */
type Student = Caller & { readonly personId: number }
type Lesson = Required<Pick<NameAttempt, 'lessonId' | 'classId'>>

/** Begins an attempt, or resumes the open one, because content of a package has started. */
export const beginPackageAttempt = (tx: Tx, who: Student, what: Lesson): Promise<void> =>
  change(tx, who, what, async (caller, context) => {
    const open = openAttempt(context)
    if (!open) {
      // Players show this to the student, for whom `checkAllowed` names an operation.
      if (context.isLocked) throw fail('impossibleNow', 'This lesson is locked')
      checkAllowed(context)
      return begin(tx, caller, context, freshAttempt(later(who.at, context.attempt?.completedAt)), 'attempt.started')
    }
    if (open.state === 'in progress') return open
    const resumed = { ...open, ...moveTo(open, 'in progress', notBefore(open, who.at)) }
    return update(tx, caller, context, resumed, open.state === 'paused' ? 'attempt.resumed' : 'attempt.active')
  })

/** Pauses the open attempt, because a session has ended. With a result, completes it instead. */
export const endPackageSession = (
  tx: Tx,
  who: Student,
  what: Lesson,
  result: { readonly pass: boolean; readonly score: number | null } | undefined,
): Promise<void> =>
  change(tx, who, what, async (caller, context) => {
    const open = openAttempt(context)
    if (!open) return 'done'
    const at = notBefore(open, who.at)
    if (result) return update(tx, caller, context, complete(open, at, result), 'attempt.completed')
    if (open.state === 'paused') return open
    return update(tx, caller, context, { ...open, ...moveTo(open, 'paused', at) }, 'attempt.paused')
  })

/**
 * Updates the score of the latest attempt, open or completed, and of the objectives that the lesson teaches. A
 * completed attempt keeps whether it was passed.
 */
export const scorePackageAttempt = (tx: Tx, who: Student, what: Lesson, score: number): Promise<void> =>
  change(tx, who, what, async (caller, context) => {
    const { attempt } = context
    if (!attempt) return 'done'
    const updated =
      attempt.score === score ? attempt : await update(tx, caller, context, { ...attempt, score }, 'attempt.updated')
    if (updated && attempt.score !== score) await scoreObjectives(tx, who, context, { attempt: updated.id, score })
    return updated
  })

/** Sets the score of all objectives of a lesson. What an instructor has set stays. */
async function scoreObjectives(
  tx: Tx,
  who: Student,
  { enrolmentId: enrolment, lessonId: lesson }: LessonContext,
  { attempt, score }: { readonly attempt: number; readonly score: number },
): Promise<void> {
  const objectives = await tx.all(store.listObjectives, { enrolment, lesson })
  const report = { enrolment, lesson, attempt, score, person: who.personId, isOwn: true, app: null, now: who.at }
  for (const { objective } of objectives) await tx.first(store.setObjectiveScore, { ...report, objective })
  if (objectives.length > 0) announceEvents(tx)
}

/**
 * Records that a lesson is passed: completes the open attempt or, if there is none, records a whole one. Does nothing
 * if the latest attempt is passed. A lesson that is locked stays as it is.
 */
export const passPackageLesson = (tx: Tx, who: Student, what: Lesson, score: number | null): Promise<void> =>
  change(tx, who, what, async (caller, context) => {
    const { attempt } = context
    const result = { pass: true, score }
    const open = openAttempt(context)
    if (open) return update(tx, caller, context, complete(open, notBefore(open, who.at), result), 'attempt.completed')
    if (context.isLocked || (attempt?.pass ?? false)) return 'done'
    const fresh = freshAttempt(later(who.at, attempt?.completedAt))
    return begin(tx, caller, context, complete(fresh, fresh.startedAt, result), 'attempt.completed')
  })

/** Rounds until the lessons that open each other are found. In a class that goes in order one is enough. */
const MOST_ROUNDS = 3

/**
 * Records that lessons are passed of which nothing is recorded yet, all with one statement. Lessons that are locked, or
 * that content alone does not pass, stay as they are, unless they are waived.
 */
export async function passNewLessons(
  tx: Tx,
  who: Student,
  enrolment: number,
  lessons: readonly { readonly lesson_id: number; readonly score: number | null }[],
  { areWaived = false } = {},
): Promise<void> {
  await tx.first(store.lockStudent, { enrolment })
  let open = lessons.map(({ lesson_id }) => lesson_id)
  for (let rounds = 0, before = -1; !areWaived && open.length > 0 && open.length !== before; rounds++) {
    if (rounds === MOST_ROUNDS) return
    before = open.length
    open = (await tx.all(store.listOpenTogether, { enrolment, lessons: open, at: who.at })).map((row) => row.lesson_id)
  }
  if (open.length === 0) return
  const fresh = freshAttempt(who.at)
  const attempt = complete(fresh, fresh.startedAt, { pass: true, score: null })
  const context = {
    kind: 'package',
    threshold: null,
    isInstructorGraded: false,
    isOwn: true,
    attempt: undefined,
  } as const
  const { score: _, ...values } = valuesOf({ ...who, appId: undefined }, context, attempt, 'attempt.completed')
  const rows = lessons
    .filter(({ lesson_id }) => open.includes(lesson_id))
    .map((row) => ({ ...row, key: freshAttempt(who.at).key }))
  await tx.all(store.insertManyAttempts, {
    ...{ ...values, enrolment, started: attempt.startedAt, isLate: true, rows: JSON.stringify(rows) },
  })
  announceEvents(tx)
}

const openAttempt = ({ attempt }: LessonContext): Attempt | undefined =>
  attempt?.state === 'completed' ? undefined : attempt

const complete = (
  attempt: Attempt,
  at: Date,
  { pass, score }: { readonly pass: boolean; readonly score: number | null },
): Attempt => ({ ...attempt, ...moveTo(attempt, 'completed', at), pass, score: score ?? attempt.score })

/** Inserts an attempt with the student locked. */
async function begin(
  tx: Tx,
  who: LearningCaller & { readonly appId: undefined },
  context: LessonContext,
  attempt: Attempt,
  kind: 'attempt.started' | 'attempt.completed',
): Promise<Attempt | undefined> {
  await tx.first(store.lockStudent, { enrolment: context.enrolmentId })
  // A nested transaction, so that the insert does not commit the caller's.
  return tx.transaction((inner) => insert(inner, who, context, attempt, kind))
}

/** Applies a change to the current state, again if another request has changed the attempt in between. */
async function change(
  tx: Tx,
  who: Student,
  what: Lesson,
  apply: (
    caller: Student & { readonly appId: undefined },
    context: LessonContext,
  ) => Promise<Attempt | 'done' | undefined>,
): Promise<void> {
  const caller = { ...who, appId: undefined }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const context = await authorizeLesson(tx, caller, what, 'attend', { recorder: 'package' })
    if (await apply(caller, context)) return
  }
  throw fail('conflict', 'This attempt is being changed by other requests; try again')
}
