import { secondsOf } from '../registrations/gate.ts'
import type { Result } from '../statements/model/statement.ts'

export type Standard = 'scorm12' | 'scorm2004'
type Values = Readonly<Record<string, unknown>>

/** The results in the data model of an item. */
export interface ItemReport {
  readonly isCompleted: boolean
  readonly isPassed: boolean
  readonly isFailed: boolean
  readonly score: Result['score'] | undefined
  /** In percent; null if it is unknown. */
  readonly percent: number | null
  readonly progress: number | null
  readonly interactions: readonly Interaction[]
  readonly objectives: readonly ItemObjective[]
}

export interface Interaction {
  readonly id: string
  readonly type: string
  readonly description: string | undefined
  readonly response: string | undefined
  readonly correct: readonly string[]
  readonly result: string | undefined
  readonly latencySeconds: number | null
}

export interface ItemObjective {
  readonly id: string
  readonly description: string | undefined
  readonly score: Result['score'] | undefined
  readonly completion: boolean | undefined
  readonly success: boolean | undefined
}

/** The maximum number of interactions and of objectives of an item that become statements. */
const MOST_ENTRIES = 1000

const objectOf = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {})
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
const numberOf = (value: unknown): number | undefined => {
  const text = textOf(value)
  return text !== undefined && Number.isFinite(Number(text)) ? Number(text) : undefined
}
/** Returns the entries of a list, which may be an object with numbers as keys. */
const entriesOf = (value: unknown): Values[] =>
  Object.entries(objectOf(value))
    .filter(([key]) => /^\d+$/.test(key))
    .slice(0, MOST_ENTRIES)
    .map(([, entry]) => objectOf(entry))

/** Reads a score. `scaled` is from −1 to 1; without it, it follows from `raw`, `min` and `max`, or from 0 to 100. */
function readScore(value: unknown): Result['score'] | undefined {
  const { raw, min, max, scaled } = objectOf(value)
  const [own, low, high] = [numberOf(raw), numberOf(min), numberOf(max)]
  const given = numberOf(scaled)
  const fits = own !== undefined && (low ?? 0) <= own && own <= (high ?? 100) && (low ?? 0) < (high ?? 100)
  const derived = fits ? (own - (low ?? 0)) / ((high ?? 100) - (low ?? 0)) : undefined
  const wanted = given !== undefined && given >= -1 && given <= 1 ? given : derived
  // Bounds may be so far apart that their difference is infinite.
  const ratio = Number.isFinite(wanted) ? wanted : undefined
  if (own === undefined && ratio === undefined) return undefined
  // xAPI-Data 2.4.5.1: `raw` is between `min` and `max`, and `min` is less than `max`.
  const bounds = fits && low !== undefined && high !== undefined ? { min: low, max: high } : {}
  return { ...(ratio !== undefined && { scaled: ratio }), ...(own !== undefined && { raw: own }), ...bounds }
}

const percentOf = (score: Result['score'] | undefined): number | null =>
  score?.scaled === undefined ? null : Math.round(score.scaled * 10_000) / 100

const isTrue = (value: unknown, yes: string, no: string): boolean | undefined =>
  value === yes ? true : value === no ? false : undefined

export function readItemReport(standard: Standard, cmi: Values): ItemReport {
  const interactions = entriesOf(cmi.interactions).flatMap(toInteraction)
  const objectives = entriesOf(cmi.objectives).flatMap(toObjective)
  if (standard === 'scorm12') {
    const core = objectOf(cmi.core)
    const status = core.lesson_status
    const score = readScore(core.score)
    const isPassed = status === 'passed'
    return {
      ...{ isCompleted: isPassed || status === 'completed', isPassed, isFailed: status === 'failed' },
      ...{ score, percent: percentOf(score), progress: null, interactions, objectives },
    }
  }
  const { completion_status: completion, success_status: success } = cmi
  const score = readScore(cmi.score)
  const given = numberOf(cmi.progress_measure)
  const measure = given !== undefined && given >= 0 && given <= 1 ? given : undefined
  const isFailed = success === 'failed'
  return {
    // An item that is completed but failed is not satisfied.
    ...{ isCompleted: completion === 'completed' && !isFailed, isPassed: success === 'passed', isFailed },
    ...{ score, percent: percentOf(score), progress: measure === undefined ? null : Math.round(measure * 1e4) / 100 },
    ...{ interactions, objectives },
  }
}

function toInteraction(entry: Values): Interaction[] {
  const id = textOf(entry.id)
  if (id === undefined) return []
  return [
    {
      ...{ id, type: textOf(entry.type) ?? 'other', description: textOf(entry.description) },
      response: textOf(entry.learner_response) ?? textOf(entry.student_response),
      correct: entriesOf(entry.correct_responses).flatMap(({ pattern }) => textOf(pattern) ?? []),
      result: textOf(entry.result),
      latencySeconds: readTime(textOf(entry.latency)),
    },
  ]
}

/** Reads a time span of SCORM 1.2 (HHHH:MM:SS.SS) or SCORM 2004 (ISO 8601), in seconds. */
function readTime(text: string | undefined): number | null {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return seconds === undefined ? secondsOf(text) : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function toObjective(entry: Values): ItemObjective[] {
  const id = textOf(entry.id)
  if (id === undefined) return []
  const { status, success_status: success, completion_status: completion } = entry
  return [
    {
      ...{ id, description: textOf(entry.description), score: readScore(entry.score) },
      completion: isTrue(completion ?? status, 'completed', 'incomplete'),
      success: isTrue(success ?? status, 'passed', 'failed'),
    },
  ]
}

/** Interaction types of xAPI by those of SCORM 1.2 and 2004. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ 'true-false': 'true-false', choice: 'choice', 'fill-in': 'fill-in', 'long-fill-in': 'long-fill-in' },
  ...{
    matching: 'matching',
    performance: 'performance',
    sequencing: 'sequencing',
    likert: 'likert',
    numeric: 'numeric',
  },
}
export const interactionTypeOf = ({ type }: Interaction): string => TYPES[type] ?? 'other'

/** Returns whether an answer is right, as content has said it; undefined if it has not. */
export const successOf = ({ result }: Interaction): boolean | undefined =>
  result === 'correct' ? true : result === 'incorrect' || result === 'wrong' ? false : undefined
