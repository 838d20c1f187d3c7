import { fail } from '../../kernel/errors.ts'
import type { Criterion, GivenPoints, NewEvaluation } from './schema.ts'

/** A criterion of a rubric, as in the course. */
export interface RubricCriterion {
  readonly id: string
  readonly name: string
  readonly objective?: string
  readonly points?: number
}

const DEFAULT_POINTS = 100

/** Enters points into a rubric. Criteria without points keep those of `before`. */
export function enterPoints(rubric: readonly RubricCriterion[], given: GivenPoints): Criterion[] {
  const left = new Map(given.map(({ id, points }) => [id, points]))
  if (left.size < given.length) throw fail('validationFailed', 'criteria must have each criterion once')
  const entered = rubric.map(({ id, name, objective = null, points: maxPoints = DEFAULT_POINTS }) => {
    const points = left.get(id) ?? null
    left.delete(id)
    if (points !== null && points > maxPoints)
      throw fail('validationFailed', `criteria must not give ${points} points for ${name}: it has ${maxPoints}`)
    return { id, name, objective, maxPoints, points }
  })
  const [unknown] = left.keys()
  if (unknown !== undefined) throw fail('validationFailed', `criteria must be of the rubric, and not ${unknown}`)
  return entered
}

/** The percentage of the possible points, over the criteria that were evaluated; null if none was. */
function percentageOf(criteria: readonly Criterion[]): number | null {
  const evaluated = criteria.filter(({ points }) => points !== null)
  if (evaluated.length === 0) return null
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  const possible = sum(evaluated.map(({ maxPoints }) => maxPoints))
  return Math.round((10_000 * sum(evaluated.map(({ points }) => points!))) / possible) / 100
}

/** The score of each objective that evaluated criteria refer to. */
export const objectiveScores = (criteria: readonly Criterion[]): { objective: string; score: number }[] =>
  [...Map.groupBy(criteria, ({ objective }) => objective)].flatMap(([objective, ofObjective]) => {
    const score = percentageOf(ofObjective)
    return objective === null || score === null ? [] : [{ objective, score }]
  })

/** Completes the grade: the score follows from the criteria, and the pass from the passing score. */
export function decideGrade(
  { score, pass }: { readonly score?: number; readonly pass?: boolean },
  criteria: readonly Criterion[],
  threshold: number | null,
): { score: number | null; pass: boolean } {
  const decided = score ?? percentageOf(criteria)
  if (pass !== undefined) return { score: decided, pass }
  if (threshold === null) throw fail('parameterMissing', 'pass is missing: the lesson has no passing score')
  if (decided === null) throw fail('parameterMissing', 'score is missing: send it, or points for the criteria')
  return { score: decided, pass: decided >= threshold }
}

/** The clock of a phone may be ahead by this much. */
const CLOCK_TOLERANCE_MS = 5 * 60_000
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Reads the times of an evaluation. Times slightly in the future become now. */
export function readTimes({ startTime, endTime }: NewEvaluation, now: Date): { startTime: Date; endTime: Date } {
  const read = (name: string, text: string): Date => {
    const time = new Date(ISO_TIME.test(text) ? text : Number.NaN)
    if (Number.isNaN(time.getTime()) || time.getTime() < 0)
      throw fail('validationFailed', `${name} must be an ISO 8601 time with a time zone, from 1970 on`)
    if (time.getTime() > now.getTime() + CLOCK_TOLERANCE_MS)
      throw fail('validationFailed', `${name} must not be in the future`)
    return time > now ? now : time
  }
  const start = read('startTime', startTime)
  const end = endTime === undefined ? start : read('endTime', endTime)
  if (end < start) throw fail('validationFailed', 'endTime must not be before startTime')
  return { startTime: start, endTime: end }
}
