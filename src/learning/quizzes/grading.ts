import { type Caller, type PersonCaller, upkeepAt } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { authorizeClass, authorizeLesson } from '../progress/authorize.ts'
import { gradeAttempt } from '../progress/grading.ts'
import { passesQuiz, setQuizAnswers } from '../progress/quiz-attempts.ts'
import type { QuestionContent, QuestionKind } from './question-schema.ts'
import { findAnswer, findAttempt, lockAndSubmit, toQuizQuestion } from './quizzes.ts'
import { GRACE_MS, keyOf, maxPointsOf } from './rules.ts'
import type { GradeQuizAnswer, QuestionResult, QuizQuestion, ReadQuizResults } from './schema.ts'
import * as store from './store.ts'
import { cut, readReport } from './submission.ts'

/**
 * Grades an answer, such as an essay. When no answer is left to grade, the attempt gets its score. Points of other
 * answers can be corrected in the same way.
 */
export async function gradeQuizAnswer(db: Db, who: PersonCaller, what: GradeQuizAnswer): Promise<QuizQuestion> {
  const found = await findAttempt(db, who, what)
  const { lesson: lessonId, student: studentId } = found
  const { threshold } = await authorizeLesson(db, who, { lessonId, studentId }, 'grade')
  return db.transaction(async (tx) => {
    await tx.first(store.lockQuiz, { attempt: what.lessonResultId })
    const row = await findAttempt(tx, who, what)
    if (row.submitted_at === null) throw fail('impossibleNow', 'This quiz is not submitted yet, so it cannot be graded')
    const answer = await findAnswer(tx, row, what.questionId)
    if (what.points > answer.max_points)
      throw fail('validationFailed', `points must be at most ${answer.max_points}, the points of the question`)
    const remark = what.remark?.trim() ?? ''
    await tx.first(store.gradeAnswer, {
      attempt: row.attempt_id,
      position: answer.position,
      points: what.points,
      isCorrect: what.points === answer.max_points,
      remark,
      person: who.personId,
      now: who.at,
    })
    const { score, answers } = await readReport(tx, row)
    await setQuizAnswers(tx, { attemptId: row.attempt_id, answers })
    if (score !== null)
      await gradeAttempt(tx, who, {
        lessonId,
        studentId,
        lessonResultId: what.lessonResultId,
        score,
        pass: passesQuiz(score, threshold),
        reason: (remark || `Question ${answer.position} of the quiz was graded`).slice(0, 1000).toWellFormed(),
      })
    return toQuizQuestion(row, await findAnswer(tx, row, what.questionId))
  })
}

/** Sums up the answers to each question of a quiz in a class. */
export async function readQuizResults(db: Db, who: PersonCaller, what: ReadQuizResults): Promise<Page<QuestionResult>> {
  const { id } = await authorizeClass(db, who, what, 'read')
  const rows = await db.all(store.listResults, { class: id, lesson: what.lessonId, ...spanOf(what) })
  const results = rows.map((row): QuestionResult => {
    const content: QuestionContent = JSON.parse(row.content)
    return {
      questionId: row.question,
      revision: row.revision,
      kind: content.kind as QuestionKind,
      text: cut(content.text, 300),
      maxPoints: maxPointsOf(content),
      shown: row.shown,
      answered: row.answered,
      correct: row.correct,
      meanPoints: row.mean,
      toGrade: row.to_grade,
      responses: toResponses(content, JSON.parse(row.responses)),
    }
  })
  return pageOf(results, rows[0]?.total ?? 0, what)
}

/** Adds the text of each option, also of those that nobody chose, and tells which answers are correct. */
function toResponses(content: QuestionContent, counted: readonly { response: string; count: number }[]) {
  if (content.options) {
    const key = [keyOf(content)].flat()
    const countOf = new Map(counted.map(({ response, count }) => [response, count]))
    return content.options.map(({ text }, i) => ({
      text: cut(text, 200),
      correct: key.includes(i),
      count: countOf.get(String(i)) ?? 0,
    }))
  }
  return counted.slice(0, 10).map(({ response, count }) => ({
    text: response.replace(/^"|"$/g, ''),
    correct: null,
    count,
  }))
}

const AT_ONCE = 50

/**
 * Submits quizzes whose time is over, each in its own transaction. Several processes can do so at the same time. One
 * that fails does not keep the others waiting.
 */
export async function submitExpired(db: Db, who: Caller, stopping: AbortSignal): Promise<number> {
  const before = new Date(who.at.getTime() - GRACE_MS)
  const failures: unknown[] = []
  let count = 0
  for (let after = 0; !stopping.aborted; ) {
    const expired = await db.all(store.listExpired, { before, after, limit: AT_ONCE })
    for (const { attempt } of expired)
      await db
        .transaction((tx) => lockAndSubmit(tx, who, attempt))
        .then(
          () => count++,
          (error) => failures.push(error),
        )
    if (expired.length === 0) break
    after = expired.at(-1)!.attempt_id
  }
  if (failures.length > 0) throw failures[0]
  return count
}

export const quizUpkeep = {
  name: 'quizzes whose time is over',
  everyMs: 30_000,
  run: ({ db, clock, stopping }: Environment) => submitExpired(db, upkeepAt(clock()), stopping),
}
