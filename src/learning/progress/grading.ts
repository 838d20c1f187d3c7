import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { announceEvents } from '../../kernel/events/events.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { LessonKind } from '../courses/schema.ts'
import { presentAttempt, resultOf, toAttempt } from './attempt.ts'
import { authorizeClass, authorizeLesson, type LearningCaller, type LessonContext } from './authorize.ts'
import {
  type AttemptsLeft,
  type AwaitingAttempts,
  type GradeAttempt,
  type GradeChanges,
  type GrantAttempts,
  type ListAwaiting,
  MAX_EXTRA,
  type ResetLesson,
} from './grading-schema.ts'
import * as store from './grading-store.ts'
import { gradeOf } from './rules.ts'
import type { NameAttempt, Progress } from './schema.ts'

const NOT_STARTED = 'User has not started that lesson yet.'

/** Further values that change with a grade. They are recorded in the log of grade changes. */
interface GradeDetails {
  readonly before: object
  readonly after: object
}

/**
 * Sets or changes the grade of a completed attempt, updates the standing, records the change, and emits an event. With
 * `details` the change is recorded even if the grade itself stays the same.
 */
export async function gradeAttempt(
  db: Db,
  who: PersonCaller,
  what: GradeAttempt,
  details?: GradeDetails,
): Promise<Progress> {
  const context = await authorizeLesson(db, who, what, 'grade')
  return db.transaction(async (tx) => {
    const before = await lockAttempt(tx, context, what.lessonResultId)
    const { pass, score } = gradeOf(what, before, context.threshold)
    const isSame = pass === before.pass && score === before.score
    if (before.awaits_grade || !isSame || details) {
      const reason = before.awaits_grade ? (what.reason?.trim() ?? '') : reasonOf(what)
      const { kind, threshold } = context
      const [result] = resultOf({ kind, isCompleted: true, awaitsGrade: false, threshold, pass, score })
      await tx.first(store.gradeAttempt, {
        ...studentLesson(context),
        ...actorAndTime(who),
        attempt: before.attempt,
        pass,
        score,
        result,
        reason,
        before: JSON.stringify({ pass: before.pass, score: before.score, result: before.result, ...details?.before }),
        after: JSON.stringify({ pass, score, result, ...details?.after }),
        kind: 'attempt.graded',
        app: null,
      })
      announceEvents(tx)
    }
    const ids = { studentId: context.student, lessonId: what.lessonId }
    return presentAttempt({ ...toAttempt(before), pass, score }, ids)
  })
}

/** Grants a student attempts beyond the lesson's limit. */
export async function grantAttempts(db: Db, who: PersonCaller, what: GrantAttempts): Promise<AttemptsLeft> {
  const context = await authorizeLesson(db, who, what, 'grade')
  const { count = 1 } = what
  const reason = reasonOf(what)
  if (context.maxAttempts === null)
    throw fail('impossibleNow', 'This lesson has no limit of attempts, so extra ones are not needed')
  const given = await db.first(store.addAttempts, {
    ...studentLesson(context),
    ...actorAndTime(who),
    reason,
    count,
    most: MAX_EXTRA,
  })
  if (!given)
    throw fail('impossibleNow', `A student can get at most ${MAX_EXTRA} extra attempts at a lesson; reset it instead`)
  announceEvents(db)
  return {
    studentId: context.student,
    lessonId: what.lessonId,
    attempts: given.attempts,
    extraAttempts: given.extra_attempts,
    attemptsLeft: Math.max(0, context.maxAttempts + given.extra_attempts - given.attempts),
  }
}

/** Lets a student start a lesson over. Earlier attempts remain in the history, but no longer count. */
export async function resetLesson(db: Db, who: PersonCaller, what: ResetLesson): Promise<void> {
  const context = await authorizeLesson(db, who, what, 'grade')
  const reason = reasonOf(what)
  await db.transaction(async (tx) => {
    const standing = await tx.first(store.lockStanding, studentLesson(context))
    if (!standing || standing.attempt_id === null) throw fail('notFound', NOT_STARTED)
    if (standing.state !== 'completed')
      throw fail('impossibleNow', `An attempt is open (${standing.state}); complete it before you reset the lesson`)
    await tx.first(store.resetAttempts, { ...studentLesson(context), ...actorAndTime(who), reason })
    announceEvents(tx)
  })
}

/** Lists the grade changes of a student's lesson, newest first. */
export async function listChanges(db: Db, who: LearningCaller, what: NameAttempt): Promise<GradeChanges> {
  const context = await authorizeLesson(db, who, what, 'read')
  const rows = await db.all(store.listChanges, { ...studentLesson(context), app: who.appId ?? null })
  return rows.map((row) => ({
    change: row.kind,
    lessonResultId: row.attempt,
    before: JSON.parse(row.before),
    after: JSON.parse(row.after),
    reason: row.reason,
    byId: row.by_id,
    byName: row.by_name,
    changed: row.changed_at,
  }))
}

/** Lists attempts that await a grade. */
export async function listAwaiting(
  db: Db,
  who: PersonCaller,
  what: ListAwaiting,
): Promise<Page<AwaitingAttempts[number]>> {
  const { classId, sort = 'completed' } = what
  const one = classId === undefined ? null : (await authorizeClass(db, who, { classId }, 'grade')).id
  const rows = await db.all(store.listAwaiting[sort], { person: who.personId, class: one, ...spanOf(what) })
  const docs = rows.map((row) => ({
    classId: row.class,
    className: row.class_name,
    studentId: row.student,
    handle: row.handle,
    name: row.name,
    lessonId: row.lesson,
    lessonName: row.lesson_name,
    kind: row.kind as LessonKind,
    lessonResultId: row.attempt,
    completed: row.completed_at!,
    due: row.due_at,
    late: row.is_late,
  }))
  return pageOf(docs, rows[0]?.total ?? 0, what)
}

const studentLesson = ({ enrolmentId, lessonId }: LessonContext) => ({ enrolment: enrolmentId, lesson: lessonId })
const actorAndTime = ({ personId, at }: PersonCaller) => ({ person: personId, now: at })

function reasonOf({ reason }: { reason?: string }): string {
  const given = reason?.trim() ?? ''
  if (given === '') throw fail('parameterMissing', 'reason is missing: tell the student why')
  return given
}

/** Locks the standing until the end of the transaction, and finds the attempt. Throws if it cannot be graded. */
async function lockAttempt(tx: Tx, context: LessonContext, lessonResultId: string | undefined) {
  const standing = await tx.first(store.lockStanding, studentLesson(context))
  const found =
    standing && (await tx.first(store.findAttempt, { ...studentLesson(context), attempt: lessonResultId ?? null }))
  if (!found && lessonResultId !== undefined)
    throw fail('validationFailed', 'lessonResultId is not an attempt of this student at this lesson')
  if (!standing || (!found && standing.attempt_id === null)) throw fail('notFound', NOT_STARTED)
  if (found?.state !== 'completed')
    throw fail('impossibleNow', 'This attempt is not completed yet, so it cannot be graded')
  if (found.is_reset) throw fail('impossibleNow', 'This attempt was reset and no longer counts; grade a later one')
  return found
}
