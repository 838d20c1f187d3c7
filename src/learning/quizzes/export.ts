import type { Db } from '../../kernel/database/database.ts'
import type { QuestionContent } from './question-schema.ts'
import { type FeedbackTime, maySeeKey, showQuestion, showResponse } from './rules.ts'
import * as store from './store.ts'

/** Exports the questions that the person was asked, and their answers. Correct answers stay hidden. */
export async function* exportQuizzes(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportAnswers, { person: personId })) {
    const content: QuestionContent = JSON.parse(row.content)
    const shown: number[] = JSON.parse(row.shown)
    const state = { isSubmitted: row.is_submitted, isFinal: row.is_final }
    const isGradeShown = row.graded_at !== null || maySeeKey(row.feedback as FeedbackTime, state)
    yield {
      classId: row.class,
      lessonId: row.lesson,
      lessonResultId: row.attempt,
      questionId: row.question,
      ...showQuestion(content, shown),
      response: row.response === null ? null : showResponse(content, shown, JSON.parse(row.response)),
      saved: row.saved_at,
      ...(isGradeShown ? { points: row.points, remark: row.remark } : {}),
    }
  }
}
