import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Result, resultOf } from '../../learning/progress/attempt.ts'
import { authorizeStudent, type LearningCaller } from '../../learning/progress/authorize.ts'
import { listLessonLocks, lockReason } from '../../learning/progress/locks.ts'
import { countStatementsOfStudent } from '../statements/statements.ts'
import { meanOf, secondsOnTask } from './rules.ts'
import type { ReadResults, Results } from './schema.ts'
import * as store from './store.ts'

/** Reads a student's results in every lesson and objective of a class, with explanations. */
export async function readResults(db: Db, who: LearningCaller, what: ReadResults): Promise<Results> {
  const { enrolmentId: enrolment, studentId, classId } = await authorizeStudent(db, who, what)
  const [lessons, standings, scores, sent] = await Promise.all([
    listLessonLocks(db, enrolment),
    db.all(store.listStandings, { enrolment }),
    db.all(store.listObjectiveScores, { enrolment }),
    countStatementsOfStudent(db, enrolment),
  ])
  const standingOf = new Map(standings.map((standing) => [standing.lesson_id, standing]))
  return {
    classId,
    studentId,
    lessons: lessons.flatMap((lesson) => {
      const row = standingOf.get(lesson.lesson_id)
      // The class was switched to another version of the course between the two queries.
      if (!row) return []
      const [result, explanation] = explain(row)
      return {
        lessonId: lesson.lesson,
        parentId: lesson.parent,
        name: lesson.name,
        result,
        explanation,
        score: row.score,
        bestScore: row.best_score,
        passed: lesson.is_passed,
        attempts: row.attempts ?? 0,
        attemptsLeft: row.attempts_left,
        awaitsGrade: row.awaits_grade ?? false,
        timeOnTask: secondsOnTask(row.active_ms ?? 0, row.active_since, earlier(who.at, row.stopped_at)),
        lessonResultId: row.attempt,
        started: row.started_at,
        completed: row.completed_at,
        locked: lesson.locked,
        lockReason: lockReason(lesson, lessons).reason,
        statements: sent.get(lesson.lesson) ?? 0,
      }
    }),
    objectives: [...Map.groupBy(scores, ({ objective }) => objective)].map(([objectiveId, rows]) => {
      const lessons = rows.flatMap(({ lesson, reported, score }) =>
        lesson === null ? [] : [{ lessonId: lesson, score: reported ?? score, reported: reported !== null }],
      )
      return {
        objectiveId,
        name: rows[0]!.name,
        score: meanOf(lessons.map(({ score }) => score)),
        lessons,
        lessonScores: lessons.map(({ lessonId, score }) => ({ lessonId, score })),
      }
    }),
  }
}

const explain = (row: RowOf<typeof store.listStandings>): [Result, string] =>
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
