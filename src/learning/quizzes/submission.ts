import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { recordQuizResult } from '../progress/quiz-attempts.ts'
import { MAX_ANSWERS_BYTES } from '../progress/schema.ts'
import { quizEvents } from './events.ts'
import { toResponse } from './interactions.ts'
import type { QuestionContent } from './question-schema.ts'
import { endOf, gradeResponse, type Response, scoreOf } from './rules.ts'
import * as store from './store.ts'

type AttemptRow = RowOf<typeof store.findAttempt>
type AnswerRow = RowOf<typeof store.findAnswer>

/** Grades the saved answers and completes the attempt. The caller has locked the quiz, which is not submitted yet. */
export async function submitAttempt(tx: Tx, who: Caller, row: AttemptRow): Promise<void> {
  const endedAt = endOf(row.deadline_at, who.at)
  const answers: GradedAnswer[] = []
  for await (const page of pagesOfAnswers(tx, row.attempt_id)) {
    const graded = page.map(gradeAnswer)
    const rows = graded.map(({ position, points, isCorrect }) => ({ position, points, isCorrect }))
    await tx.all(store.gradeAnswers, { attempt: row.attempt_id, rows: JSON.stringify(rows) })
    answers.push(...graded)
  }
  await tx.first(store.setSubmitted, { attempt: row.attempt_id, at: endedAt })
  await recordQuizResult(tx, who, {
    attemptId: row.attempt_id,
    score: scoreOf(answers),
    answers: reportAnswers(row.feedback, answers),
    endedAt,
  })
  await quizEvents.emit(
    tx,
    ...answers
      .filter(({ response }) => response !== null)
      .map(({ questionId, position, isCorrect, points, maxPoints }) => ({
        kind: 'quiz.answered' as const,
        subject: `student:${row.enrolment_id}`,
        payload: {
          attempt: row.attempt_id,
          enrolment: row.enrolment_id,
          lesson: row.lesson_id,
          class: row.class_id,
          course: row.course_id,
          person: row.person_id,
          question: questionId,
          position,
          correct: isCorrect,
          points,
          maxPoints,
        },
        at: endedAt,
      })),
  )
}

/** Reads the answers of an attempt page by page, because essays can be large. */
async function* pagesOfAnswers(db: Db, attempt: number): AsyncGenerator<AnswerRow[]> {
  for (let from = 1; ; ) {
    const page = await db.all(store.listAnswers, { attempt, from })
    if (page.length === 0) return
    yield page
    from = page.at(-1)!.position + 1
  }
}

/** An answer without what is only needed to grade it, so that many fit into memory. */
export interface GradedAnswer {
  readonly questionId: number
  readonly key: string
  readonly kind: string
  readonly text: string
  readonly position: number
  readonly response: string | null
  readonly points: number | null
  readonly maxPoints: number
  readonly isCorrect: boolean | null
}

const MAX_REPORTED = 4000

function gradeAnswer(row: AnswerRow): GradedAnswer {
  const content: QuestionContent = JSON.parse(row.content)
  const response: Response | null = row.response === null ? null : JSON.parse(row.response)
  return { ...toGraded(row, content, response), ...gradeResponse(content, response) }
}

const toGraded = (row: AnswerRow, content: QuestionContent, response: Response | null): GradedAnswer => ({
  questionId: row.question_id,
  key: row.question,
  kind: content.kind,
  text: cut(content.text, 300),
  position: row.position,
  response: response === null ? null : cut(toResponse(content, response), MAX_REPORTED),
  points: row.points,
  maxPoints: row.max_points,
  isCorrect: row.is_correct,
})

export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text

/** Reads the answers of a submitted attempt as they are reported, after an instructor has graded one of them. */
export async function readReport(tx: Tx, row: AttemptRow) {
  const answers: GradedAnswer[] = []
  for await (const page of pagesOfAnswers(tx, row.attempt_id))
    answers.push(
      ...page.map((one) =>
        toGraded(one, JSON.parse(one.content), one.response === null ? null : JSON.parse(one.response)),
      ),
    )
  return { score: scoreOf(answers), answers: reportAnswers(row.feedback, answers) }
}

/**
 * Returns the `answers` of the attempt, which the student can read. A quiz that never shows correct answers does not
 * tell which answers are correct either. Texts are cut as far as needed to fit.
 */
export function reportAnswers(feedback: string, answers: readonly GradedAnswer[]): object[] {
  for (const most of [MAX_REPORTED, 500, 100, 0]) {
    const report = answers.map(({ key, kind, text, response, isCorrect, points, maxPoints }) => ({
      questionId: key,
      type: kind,
      question: cut(text, Math.max(1, Math.min(300, most))),
      response: response === null ? null : cut(response, Math.max(1, most)),
      ...(feedback === 'never' ? {} : { correct: isCorrect, points, maxPoints }),
    }))
    if (Buffer.byteLength(JSON.stringify(report)) <= MAX_ANSWERS_BYTES) return report
  }
  return []
}
