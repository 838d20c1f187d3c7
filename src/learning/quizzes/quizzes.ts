import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { authorizeLesson } from '../progress/authorize.ts'
import { startQuizAttempt } from '../progress/quiz-attempts.ts'
import { drawQuiz } from './drawing.ts'
import type { QuestionContent } from './question-schema.ts'
import {
  type FeedbackTime,
  giveFeedback,
  gradeResponse,
  isOver,
  maySeeKey,
  type Response,
  readResponse,
  showQuestion,
  showResponse,
} from './rules.ts'
import type { QuizAttempt, QuizQuestion, ReadQuizAttempt, SaveQuizAnswer, StartQuiz, SubmitQuiz } from './schema.ts'
import * as store from './store.ts'
import { submitAttempt } from './submission.ts'

export type AttemptRow = RowOf<typeof store.findAttempt>
export type AnswerRow = RowOf<typeof store.findAnswer>

/** The same message whether there is no such attempt, or it is not the caller's, so that ids reveal nothing. */
const NOT_YOURS = 'There is no attempt at a quiz with this id, or it is not yours'

/** Starts an attempt at a quiz and draws its questions. If one is open, it continues. */
export async function startQuiz(db: Db, who: PersonCaller, what: StartQuiz): Promise<QuizAttempt> {
  const lessonResultId = await startQuizAttempt(db, who, what, drawQuiz)
  return readQuizAttempt(db, who, { lessonResultId })
}

/**
 * Reads an attempt. Students see their questions and answers, and correct answers when the quiz shows them. Others who
 * may read the student's progress see everything. If the time is over, the attempt is submitted first.
 */
export async function readQuizAttempt(db: Db, who: PersonCaller, what: ReadQuizAttempt): Promise<QuizAttempt> {
  const found = await findAttempt(db, who, what)
  if (!found.is_own) await authorizeLesson(db, who, { lessonId: found.lesson, studentId: found.student }, 'read')
  const expired = found.submitted_at === null && isOver(found.deadline_at, who.at)
  if (expired) await db.transaction((tx) => lockAndSubmit(tx, who, what.lessonResultId))
  const row = expired ? await findAttempt(db, who, what) : found
  const [counted, answers] = await Promise.all([
    db.first(store.countAnswers, { attempt: row.attempt_id }),
    db.all(store.listAnswers, { attempt: row.attempt_id, from: what.from ?? 1 }),
  ])
  return {
    lessonResultId: row.attempt,
    lessonId: row.lesson,
    classId: row.class,
    studentId: row.student,
    started: row.started_at.toISOString(),
    deadline: row.deadline_at?.toISOString() ?? null,
    now: who.at.toISOString(),
    submitted: row.submitted_at?.toISOString() ?? null,
    feedback: row.feedback as FeedbackTime,
    pass: row.pass,
    score: row.score,
    awaitsGrade: row.awaits_grade,
    answered: counted!.answered,
    total: counted!.total,
    questions: answers.map((answer) => toQuizQuestion(row, answer)),
  }
}

/** Saves an answer. It can be sent again, and changed until the quiz is submitted, or until it is final. */
export function saveQuizAnswer(db: Db, who: PersonCaller, what: SaveQuizAnswer): Promise<QuizQuestion> {
  return db.transaction(async (tx) => {
    const row = await lockOwn(tx, who, what.lessonResultId)
    if (row.submitted_at !== null) throw fail('impossibleNow', 'This quiz was submitted, and takes no more answers')
    if (isOver(row.deadline_at, who.at))
      throw fail('impossibleNow', 'The time is over. The answers that you saved before count')
    if (what.final && row.feedback !== 'answer')
      throw fail('validationFailed', 'final must be false, because this quiz gives no feedback after each answer')
    const answer = await findAnswer(tx, row, what.questionId)
    const content: QuestionContent = JSON.parse(answer.content)
    const response = readResponse(content, JSON.parse(answer.shown), what.response)
    if (answer.is_final) {
      if (
        JSON.stringify(response) === (answer.response === null ? 'null' : JSON.stringify(JSON.parse(answer.response)))
      )
        return toQuizQuestion(row, answer)
      throw fail('impossibleNow', 'This answer is final, because you have seen the correct one')
    }
    const isFinal = what.final === true
    if (isFinal && response === null) throw fail('validationFailed', 'response must not be empty in a final answer')
    const { points, isCorrect } = isFinal ? gradeResponse(content, response) : { points: null, isCorrect: null }
    const saved = {
      response: response === null ? null : JSON.stringify(response),
      points,
      isFinal,
    }
    const { saved_at } = (await tx.first(store.saveAnswer, {
      attempt: row.attempt_id,
      position: answer.position,
      isCorrect,
      now: who.at,
      ...saved,
    }))!
    return toQuizQuestion(row, {
      ...answer,
      response: saved.response,
      points,
      is_correct: isCorrect,
      is_final: isFinal,
      saved_at,
    })
  })
}

/**
 * Submits a quiz: grades it and completes the attempt. Submitting again changes nothing. Instructors can submit the
 * open quiz of a student who does not.
 */
export async function submitQuiz(db: Db, who: PersonCaller, what: SubmitQuiz): Promise<QuizAttempt> {
  const { is_own: isOwn, lesson: lessonId, student: studentId } = await findAttempt(db, who, what)
  if (!isOwn) await authorizeLesson(db, who, { lessonId, studentId }, 'grade')
  await db.transaction(async (tx) => {
    if (isOwn) await lockOwn(tx, who, what.lessonResultId)
    await lockAndSubmit(tx, who, what.lessonResultId)
  })
  return readQuizAttempt(db, who, what)
}

/** Locks an attempt, and submits it unless somebody else has done so. */
export async function lockAndSubmit(tx: Tx, who: Caller, lessonResultId: string): Promise<void> {
  await tx.first(store.lockQuiz, { attempt: lessonResultId })
  const row = await tx.first(store.findAttempt, { person: 0, attempt: lessonResultId })
  if (row && row.submitted_at === null) await submitAttempt(tx, who, row)
}

export async function findAttempt(
  db: Db,
  { personId }: { readonly personId: number },
  { lessonResultId }: { readonly lessonResultId: string },
): Promise<AttemptRow> {
  const row = await db.first(store.findAttempt, { person: personId, attempt: lessonResultId })
  if (!row) throw fail('forbidden', NOT_YOURS)
  return row
}

/** Locks an attempt of the caller. Throws if the caller may not work on it. */
async function lockOwn(tx: Tx, who: PersonCaller, lessonResultId: string): Promise<AttemptRow> {
  await tx.first(store.lockQuiz, { attempt: lessonResultId })
  const row = await findAttempt(tx, who, { lessonResultId })
  if (!row.is_own) throw fail('forbidden', NOT_YOURS)
  if (row.status === 'suspended') throw fail('forbidden', 'You are suspended from this class; contact your instructor')
  if (row.status !== 'active') throw fail('forbidden', 'You are no longer in this class')
  if (row.has_ended && row.submitted_at === null)
    throw fail('impossibleNow', 'This class is closed; nothing more is recorded')
  return row
}

export async function findAnswer(db: Db, row: AttemptRow, questionId: string): Promise<AnswerRow> {
  const answer = await db.first(store.findAnswer, { attempt: row.attempt_id, question: questionId })
  if (!answer) throw fail('validationFailed', 'questionId is not a question of this attempt')
  return answer
}

/** Converts a question to what the caller may see of it. */
export function toQuizQuestion(row: AttemptRow, answer: AnswerRow): QuizQuestion {
  const content: QuestionContent = JSON.parse(answer.content)
  const shown: number[] = JSON.parse(answer.shown)
  const response: Response | null = answer.response === null ? null : JSON.parse(answer.response)
  const isSubmitted = row.submitted_at !== null
  const grade = { points: answer.points, isCorrect: answer.is_correct }
  const seesKey = !row.is_own || maySeeKey(row.feedback as FeedbackTime, { isSubmitted, isFinal: answer.is_final })
  return {
    questionId: answer.question,
    number: answer.position,
    ...(showQuestion(content, shown) as Pick<QuizQuestion, 'kind' | 'text' | 'maxPoints'>),
    response: showResponse(content, shown, response),
    saved: answer.saved_at,
    final: answer.is_final || isSubmitted,
    ...(seesKey
      ? { feedback: giveFeedback(content, shown, response, grade) as NonNullable<QuizQuestion['feedback']> }
      : {}),
    ...(answer.graded_at === null
      ? {}
      : { graded: { points: answer.points!, remark: answer.remark ?? '', date: answer.graded_at } }),
    ...(!row.is_own && content.guidance !== undefined ? { guidance: content.guidance } : {}),
  }
}
