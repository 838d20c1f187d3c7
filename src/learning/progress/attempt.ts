import type { ColumnType } from '../../kernel/database/columns.ts'
import { makeId } from '../../kernel/ids.ts'
import { parseJson } from '../../kernel/json.ts'
import type { LessonKind } from '../courses/schema.ts'
import { type AttemptTiming, moveTo } from './rules.ts'
import type { Interval, Progress, Reported, ReportedVia } from './schema.ts'
import type { attemptRow, reportRow } from './store.ts'

type Row<Columns> = { readonly [K in keyof Columns]: Columns[K] extends ColumnType<infer T> ? T : never }

export interface Attempt extends AttemptTiming {
  /** 0 if the attempt is not stored yet. */
  readonly id: number
  readonly key: string
  readonly version: number
  readonly pass: boolean
  readonly score: number | null
  /** JSON text; null if there are none, or if they were not read. */
  readonly answers: string | null
  readonly startedAt: Date
  readonly changedAt: Date
  /** When and by whom an instructor's grade was set; null if there is none. */
  readonly gradedAt: Date | null
  readonly gradedBy: number | null
}

export const freshAttempt = (at: Date): Attempt => ({
  id: 0,
  key: makeId(),
  version: 0,
  pass: false,
  score: null,
  answers: null,
  startedAt: at,
  changedAt: at,
  gradedAt: null,
  gradedBy: null,
  ...moveTo(undefined, 'in progress', at),
})

export const toAttempt = (row: Row<typeof attemptRow>): Attempt => ({
  id: row.attempt_id,
  key: row.attempt,
  version: row.version,
  state: row.state as Attempt['state'],
  pass: row.pass,
  score: row.score,
  answers: row.answers,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  progress: JSON.parse(row.progress_intervals) as Interval[],
  idle: JSON.parse(row.idle_intervals) as Interval[],
  activeMs: row.active_ms,
  activeSince: row.active_since,
  changedAt: row.changed_at,
  gradedAt: row.graded_at,
  gradedBy: row.graded_by,
})

export const presentAttempt = (attempt: Attempt, ids: { studentId: string; lessonId: string }): Progress => ({
  ...ids,
  lessonResultId: attempt.key,
  pass: attempt.pass,
  score: attempt.score,
  answers: attempt.answers === null ? null : (parseJson(attempt.answers) as unknown[]),
  started: attempt.startedAt.toISOString(),
  completed: attempt.completedAt?.toISOString() ?? null,
  progressIntervals: [...attempt.progress],
  idleIntervals: [...attempt.idle],
})

export const presentReport = (
  row: Row<typeof reportRow>,
): { due: string | null; late: boolean; reported: Reported } => ({
  due: row.due_at,
  late: row.is_overdue,
  reported: {
    via: row.reported_via as ReportedVia | null,
    app: row.reported_app,
    byId: row.by_id,
    byName: row.by_name,
    at: row.reported_at,
    afterTheFact: row.is_late,
    beforeEnrolment: row.is_early,
  },
})

export type Result = 'PASS' | 'FAIL' | 'INCOMPLETE' | 'IN PROGRESS' | 'NOT STARTED'

interface AttemptOutcome {
  readonly kind: LessonKind
  readonly isCompleted: boolean
  readonly pass: boolean
  readonly score: number | null
  /** The score required to pass; null if the lesson is passed or failed without a score. */
  readonly threshold: number | null
  /** Whether the attempt is completed, but an instructor still has to grade it. */
  readonly awaitsGrade: boolean
}

/** Determines the result of an attempt, with a sentence that explains it. */
export function resultOf({ kind, isCompleted, pass, score, threshold, awaitsGrade }: AttemptOutcome): [Result, string] {
  if (!isCompleted) return ['IN PROGRESS', 'Not finished yet']
  if (awaitsGrade) return ['INCOMPLETE', 'An instructor will grade this attempt']
  // In an instructor-led lesson the instructor decides: a check ride can be failed whatever its score.
  if (threshold === null || kind === 'instructor-led') {
    if (pass) return ['PASS', score === null ? 'Passed' : `Passed with ${score} points`]
    return ['FAIL', score === null ? 'Not passed' : `Not passed. You scored ${score}.`]
  }
  if (score === null) return ['INCOMPLETE', `No score yet (${threshold} required)`]
  if (score >= threshold)
    return pass
      ? ['PASS', `Passed with ${score} points (${threshold} required)`]
      : ['INCOMPLETE', `Not passed yet: the app hasn’t reported a pass. You scored ${score} (${threshold} required).`]
  return pass
    ? ['INCOMPLETE', `Not passed yet: the score is too low. You scored ${score} (${threshold} required).`]
    : ['FAIL', `Not passed. You scored ${score} (${threshold} required).`]
}
