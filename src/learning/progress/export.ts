import type { Db } from '../../kernel/database/database.ts'
import { presentAttempt, presentReport, toAttempt } from './attempt.ts'
import * as store from './store.ts'

/** Exports the person's attempts, objective scores and grade changes. */
export async function* exportLearning(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportAttempts, { person: personId, app: null })) {
    const ids = { studentId: row.student, lessonId: row.lesson }
    yield { classId: row.class, ...presentAttempt(toAttempt(row), ids), ...presentReport(row), result: row.result }
  }
  for await (const row of db.stream(store.exportScores, { person: personId }))
    yield {
      classId: row.class,
      studentId: row.student,
      lessonId: row.lesson,
      objectiveId: row.objective,
      score: row.score,
      reported: row.reported_at,
    }
  for await (const row of db.stream(store.exportGradeChanges, { person: personId }))
    yield {
      classId: row.class,
      studentId: row.student,
      lessonId: row.lesson,
      change: row.kind,
      before: JSON.parse(row.before),
      after: JSON.parse(row.after),
      reason: row.reason,
      changed: row.changed_at,
    }
}
