import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { freshAttempt, toAttempt } from './attempt.ts'
import { authorizeLesson, type LessonContext } from './authorize.ts'
import { checkAllowed, insert, later, MAX_TRIES, notBefore, update, withStudentLock } from './progress.ts'
import { answersText, moveTo } from './rules.ts'
import type { NameAttempt } from './schema.ts'
import * as store from './store.ts'

/** An attempt at a quiz that has just started. */
export interface StartedQuiz {
  readonly attemptId: number
  readonly lessonId: number
  readonly classId: number
  readonly startedAt: Date
}

/**
 * Starts an attempt at a quiz, and calls `draw` in the same transaction. Returns the id of the attempt. If one is open
 * already, returns that one, so a student who starts twice or on two devices continues with the same questions.
 */
export async function startQuizAttempt(
  db: Db,
  who: PersonCaller,
  what: NameAttempt,
  draw: (tx: Tx, started: StartedQuiz) => Promise<void>,
): Promise<string> {
  const caller = { ...who, appId: undefined }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const context = await authorizeLesson(db, caller, what, 'attend', { recorder: 'quiz' }).catch(refuseStaff)
    if (context.kind !== 'quiz') throw fail('validationFailed', 'lessonId is not a quiz')
    if (!context.isOwn) throw fail('forbidden', 'Only the student can start this quiz')
    if (context.attempt && context.attempt.state !== 'completed') return context.attempt.key
    checkAllowed(context)
    const { lessonId, classId } = context
    const attempt = freshAttempt(later(who.at, context.attempt?.completedAt))
    const stored = await withStudentLock(db, context, async (tx) => {
      const saved = await tx.transaction((inner) => insert(inner, caller, context, attempt, 'attempt.started'))
      if (saved) await draw(tx, { attemptId: saved.id, lessonId, classId, startedAt: saved.startedAt })
      return saved
    })
    if (stored) return stored.key
  }
  throw fail('conflict', 'This attempt is being changed by other requests; try again')
}

/** Staff are asked to name a student elsewhere, but nobody can take a quiz for somebody else. */
function refuseStaff(error: unknown): never {
  if (error instanceof PlatformError && error.kind === 'parameterMissing')
    throw fail('forbidden', 'Only students of the class can take its quizzes')
  throw error
}

export interface QuizResult {
  readonly attemptId: number
  /** In percent; null if an instructor still has to grade an answer. */
  readonly score: number | null
  readonly answers: readonly object[]
  readonly endedAt: Date
}

/** Returns whether a score passes a quiz. Without a passing score, every completed quiz is passed. */
export const passesQuiz = (score: number, threshold: number | null): boolean => threshold === null || score >= threshold

/**
 * Completes an attempt at a quiz with its score. The quizzes room has locked the quiz, and has checked that the caller
 * may submit it.
 */
export async function recordQuizResult(tx: Tx, who: Caller, what: QuizResult): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await tx.first(store.findQuizAttempt, { attempt: what.attemptId })
    if (!row || row.state === 'completed') return
    const attempt = toAttempt(row)
    const awaitsGrade = what.score === null || row.instructor_graded === true
    const context: Partial<LessonContext> = {
      threshold: row.threshold,
      isInstructorGraded: awaitsGrade,
      isOwn: true,
      attempt,
    }
    const completed = {
      ...attempt,
      ...moveTo(attempt, 'completed', notBefore(attempt, what.endedAt)),
      score: what.score,
      pass: !awaitsGrade && passesQuiz(what.score!, row.threshold),
      answers: answersText(what.answers)!,
    }
    const student = { ...who, personId: row.person_id, appId: undefined }
    if (await update(tx, student, context as LessonContext, completed, 'attempt.completed')) return
  }
  throw fail('conflict', 'This attempt is being changed by other requests; try again')
}

/** Replaces the answers of an attempt at a quiz, after an instructor has graded some of them. */
export async function setQuizAnswers(tx: Tx, what: { attemptId: number; answers: readonly object[] }): Promise<void> {
  await tx.first(store.setAnswers, { attempt: what.attemptId, answers: answersText(what.answers)! })
}
