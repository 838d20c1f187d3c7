import type { Evaluation, LessonDetails } from '../../api/operations.ts'
import { evaluationWords as say } from './words.ts'

export type Rubric = NonNullable<LessonDetails['rubric']>

/** The values of the form. They are stored on the device, so they are plain JSON. */
export interface EvaluationValues {
  /** Points by criterion; criteria that were not evaluated are missing or empty. */
  readonly points: Readonly<Record<string, number | ''>>
  /** Undefined until the instructor enters a score: then it follows from the points. */
  readonly score?: number | ''
  /** Undefined until the instructor decides: then it follows from the score. */
  readonly pass?: boolean
  readonly remarks: string
  /** Local date and time, as in the browser's fields. */
  readonly date: string
  readonly time: string
  readonly minutes: number | ''
}

/** An evaluation as the platform takes it. */
export interface EvaluationInput {
  readonly evaluationId: string
  readonly studentId: string
  readonly criteria: { id: string; points: number | null }[]
  readonly score?: number
  readonly pass: boolean
  readonly remarks: string
  readonly startTime: string
  readonly endTime: string
}

const DEFAULT_POINTS = 100
const DEFAULT_MINUTES = 60
const DAY_MINUTES = 1440

export const maxOf = ({ points }: Rubric[number]): number => points ?? DEFAULT_POINTS

const two = (value: number): string => String(value).padStart(2, '0')
const dateOf = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
const timeOf = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`

/** Begins with a session of the usual length that has just ended. */
export function emptyValues(minutes = DEFAULT_MINUTES, now = new Date()): EvaluationValues {
  const start = new Date(now.getTime() - minutes * 60_000)
  return { points: {}, remarks: '', date: dateOf(start), time: timeOf(start), minutes }
}

/**
 * Begins after earlier sessions that ended within the usual length, because the sessions of a student at a lesson must
 * not overlap.
 */
export function followingValues(ends: readonly (string | undefined)[], now = new Date()): EvaluationValues {
  const last = Math.max(0, ...ends.map((end) => (end === undefined ? 0 : Math.ceil(Date.parse(end) / 60_000))))
  const minutes = Math.floor(now.getTime() / 60_000) - last
  return minutes >= DEFAULT_MINUTES ? emptyValues(DEFAULT_MINUTES, now) : emptyValues(Math.max(0, minutes), now)
}

interface Session {
  readonly studentId: string
  readonly endTime: string
}

/** The end of the last session of each student, recorded or waiting to be sent. */
export function lastEndsOf(...sessions: readonly (readonly Session[])[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>()
  for (const { studentId, endTime } of sessions.flat()) {
    const before = ends.get(studentId)
    if (before === undefined || Date.parse(endTime) > Date.parse(before)) ends.set(studentId, endTime)
  }
  return ends
}

export const valuesOf = ({ criteria, score, pass, remarks }: Evaluation): EvaluationValues => ({
  ...emptyValues(),
  points: Object.fromEntries(criteria.flatMap(({ id, points }) => (points === null ? [] : [[id, points]]))),
  score: score ?? '',
  pass,
  remarks,
})

/** The percentage of the possible points, over the evaluated criteria. The platform computes the same. */
export function percentageOf(rubric: Rubric, { points }: Pick<EvaluationValues, 'points'>): number | null {
  const evaluated = rubric.filter(({ id }) => typeof points[id] === 'number')
  if (evaluated.length === 0) return null
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  const given = sum(evaluated.map(({ id }) => Number(points[id])))
  return Math.round((10_000 * given) / sum(evaluated.map(maxOf))) / 100
}

/** The score and the result as they stand: entered, or following from the points. */
export function standingOf(rubric: Rubric, threshold: number | null, values: EvaluationValues) {
  const score = values.score === undefined ? percentageOf(rubric, values) : values.score === '' ? null : values.score
  const follows = threshold === null || score === null ? undefined : score >= threshold
  return { score, pass: values.pass ?? follows }
}

/** Finds everything that is wrong with the values, by field; points by the id of their criterion. */
export function findMistakes(rubric: Rubric, threshold: number | null, values: EvaluationValues, now = new Date()) {
  const mistakes: Record<string, string> = {}
  for (const criterion of rubric) {
    const points = values.points[criterion.id]
    if (typeof points === 'number' && (points < 0 || points > maxOf(criterion)))
      mistakes[criterion.id] = say.tooMany(maxOf(criterion))
  }
  const { score, pass } = standingOf(rubric, threshold, values)
  if (pass === undefined) mistakes.pass = say.missingResult
  if (threshold !== null && score === null) mistakes.score = say.missingScore
  const { startTime, endTime } = timesOf(values)
  if (values.minutes === '' || values.minutes < 0 || values.minutes > DAY_MINUTES) mistakes.minutes = say.badMinutes
  // An evaluation that is recorded while it ends may end within this minute.
  else if (Number.isNaN(startTime.getTime()) || endTime.getTime() > now.getTime() + 60_000) mistakes.time = say.badTime
  return mistakes
}

function timesOf({ date, time, minutes }: EvaluationValues): { startTime: Date; endTime: Date } {
  const startTime = new Date(`${date}T${time}`)
  return { startTime, endTime: new Date(startTime.getTime() + Number(minutes) * 60_000) }
}

export function toInput(
  rubric: Rubric,
  threshold: number | null,
  values: EvaluationValues,
  ids: { readonly evaluationId: string; readonly studentId: string },
): EvaluationInput {
  const { score, pass } = standingOf(rubric, threshold, values)
  const { startTime, endTime } = timesOf(values)
  return {
    ...ids,
    criteria: pointsIn(rubric, values),
    ...(score !== null && { score }),
    pass: pass!,
    remarks: values.remarks.trim(),
    startTime: startTime.toISOString(),
    endTime: endTime.toISOString(),
  }
}

export const pointsIn = (rubric: Rubric, { points }: EvaluationValues): { id: string; points: number | null }[] =>
  rubric.map(({ id }) => ({ id, points: typeof points[id] === 'number' ? points[id] : null }))
