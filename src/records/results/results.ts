import type { Db } from '../../kernel/database/database.ts'
import { c } from '../../kernel/database/statement.ts'
import type { LessonKind } from '../../learning/courses/schema.ts'
import { type Result, resultOf } from '../../learning/progress/attempt.ts'
import { authorizeStudent, type LearningCaller } from '../../learning/progress/authorize.ts'
import { findMissing, lockReason, notPassedOf } from '../../learning/progress/locks.ts'
import { countStatementsOfStudent } from '../statements/statements.ts'
import { meanOf } from './rules.ts'
import type { ReadResults, Results } from './schema.ts'
import * as store from './store.ts'

/** Reads a student's results in every lesson and objective of a class, with explanations. */
export async function readResults(db: Db, who: LearningCaller, what: ReadResults): Promise<Results> {
  const { enrolmentId: enrolment, studentId, classId } = await authorizeStudent(db, who, what)
  const [found, sent] = await Promise.all([
    db.first(store.findResults, { enrolment, now: who.at }),
    countStatementsOfStudent(db, enrolment),
  ])
  // The student may have been deleted since the caller was authorised.
  if (!found) return { classId, studentId, lessons: [], objectives: [] }
  const lessons = (JSON.parse(found.lessons) as store.LessonRow[]).map(withDates)
  const scores = JSON.parse(found.objectives) as store.ObjectiveScoreRow[]
  const notPassed = notPassedOf(lessons)
  return {
    classId,
    studentId,
    lessons: lessons.map((row) => {
      const [result, explanation] = explain(row)
      return {
        lessonId: row.lesson,
        parentId: row.parent,
        name: row.name,
        kind: row.kind as LessonKind,
        result,
        explanation,
        score: row.score,
        bestScore: row.best_score,
        passed: row.is_passed,
        attempts: row.attempts,
        attemptsLeft: row.attempts_left,
        awaitsGrade: row.awaits_grade,
        timeOnTask: row.seconds,
        lessonResultId: row.attempt,
        started: decode(row.started_at),
        completed: decode(row.completed_at),
        opens: row.opens_at,
        due: row.due_at,
        closes: row.closes_at,
        late: row.is_late,
        overdue: row.is_overdue,
        locked: row.locked,
        lockedBy: row.locked_by as Results['lessons'][number]['lockedBy'],
        lockReason: lockReason(row, findMissing(row, notPassed)),
        statements: sent.get(row.lesson) ?? 0,
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

const decode = (time: string | null): string | null => time && c.instant.decode(time)

const withDates = (row: store.LessonRow): store.LessonRow => ({
  ...row,
  opens_at: decode(row.opens_at),
  due_at: decode(row.due_at),
  closes_at: decode(row.closes_at),
})

function explain(row: store.LessonRow): [Result, string] {
  if (row.state === null) return ['NOT STARTED', 'No attempts yet']
  const [result, explanation] = resultOf({
    kind: row.kind as LessonKind,
    isCompleted: row.state === 'completed',
    pass: row.pass === true,
    score: row.score,
    threshold: row.threshold,
    awaitsGrade: row.awaits_grade,
  })
  return [result, result === 'PASS' && row.waive_reason !== null ? `Waived: ${row.waive_reason}` : explanation]
}
