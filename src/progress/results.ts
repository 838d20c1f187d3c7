import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { countStatementsOfStudent } from '../statements/statements.ts'
import { readStudent, type Who } from './asked.ts'
import type { ReadResults, Results } from './results-schema.ts'
import * as store from './results-store.ts'
import { lockReason, meanOf, type Result, resultOf, secondsOnTask } from './rules.ts'

/** How a student of a class stands at every lesson and objective, and why. */
export async function readResults(db: Db, who: Who, what: ReadResults): Promise<Results> {
  const { enrolmentId: enrolment, studentId, classId } = await readStudent(db, who, what)
  const [lessons, scores, sent] = await Promise.all([
    db.all(store.listResults, { enrolment }),
    db.all(store.listObjectiveScores, { enrolment }),
    countStatementsOfStudent(db, enrolment),
  ])
  return {
    classId,
    studentId,
    lessons: lessons.map((row) => {
      const [result, explanation] = explain(row)
      return {
        lessonId: row.lesson,
        parentId: row.parent,
        name: row.name,
        result,
        explanation,
        score: row.score,
        bestScore: row.best_score,
        passed: row.is_passed,
        attempts: row.attempts ?? 0,
        attemptsLeft: row.attempts_left,
        awaitsGrade: row.awaits_grade ?? false,
        timeOnTask: secondsOnTask(row.active_ms ?? 0, row.active_since, earlier(who.at, row.stopped_at)),
        lessonResultId: row.attempt,
        started: row.started_at?.toISOString() ?? null,
        completed: row.completed_at?.toISOString() ?? null,
        locked: row.locked,
        lockReason: lockReason(row, lessons).reason,
        statements: sent.get(row.lesson) ?? 0,
      }
    }),
    objectives: [...Map.groupBy(scores, ({ objective }) => objective)].map(([objectiveId, rows]) => {
      const lessons = rows.flatMap(({ lesson, reported, score }) =>
        lesson === null ? [] : [{ lessonId: lesson, score: reported ?? score, reported: reported !== null }],
      )
      return { objectiveId, name: rows[0]!.name, score: meanOf(lessons.map(({ score }) => score)), lessons }
    }),
  }
}

const explain = (row: RowOf<typeof store.listResults>): [Result, string] =>
  row.state === null
    ? ['NOT STARTED', 'No attempt was started.']
    : resultOf({
        isCompleted: row.state === 'completed',
        pass: row.pass === true,
        score: row.score,
        threshold: row.threshold,
        awaitsGrade: row.awaits_grade === true,
      })

const earlier = (now: Date, stop: Date | null): Date => (stop && stop < now ? stop : now)
