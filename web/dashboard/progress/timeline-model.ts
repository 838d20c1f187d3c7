import type { Results, Timeline } from '../../api/operations.ts'

/** An entry of the timeline, as the platform returns it. */
export type TimelineEntry = Timeline['docs'][number]

interface Interval {
  readonly kind: 'progress' | 'idle'
  readonly from: number
  readonly to: number
}
export interface Mark {
  readonly at: number
  readonly kind: 'score' | 'note' | 'change' | 'statement'
  readonly entry: TimelineEntry
  readonly text: string
}
export interface Attempt {
  readonly id: string
  readonly number: number
  readonly from: number
  readonly to: number
  readonly result: string | undefined
  readonly intervals: readonly Interval[]
  /** `to` is undefined for a pause that has not ended. */
  readonly pauses: readonly { readonly from: number; readonly to: number | undefined }[]
}
export interface Band {
  readonly lessonId: string | null
  readonly name: string
  readonly attempts: readonly Attempt[]
  readonly marks: readonly Mark[]
}
export interface Span {
  readonly from: number
  readonly to: number
}

interface Data {
  readonly end?: string | null
  readonly result?: string
  readonly score?: number | null
  readonly after?: { readonly result?: string; readonly score?: number | null }
}
export const dataOf = <T = Data>(entry: TimelineEntry): T => entry.data as T

/**
 * Sorts entries by the time at which they happened. For a statement this is its timestamp, if that is earlier than when
 * it was stored: a headset may send in the evening what happened in the morning.
 */
export function toHappened(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const all = entries.map((entry) => {
    const said = entry.kind === 'statement' ? dataOf<{ timestamp?: string | null }>(entry).timestamp : undefined
    const at = said ? Date.parse(said) : Number.NaN
    return at < Date.parse(entry.at) ? { ...entry, at: new Date(at).toISOString() } : entry
  })
  return byNewest(all)
}
const byNewest = (entries: readonly TimelineEntry[]) => entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))

/**
 * Adds entries for pauses, which the platform does not record: a pause is a gap between two intervals of an attempt.
 */
export function withPauses(entries: readonly TimelineEntry[], bands: readonly Band[]): TimelineEntry[] {
  const pauses = bands.flatMap(({ lessonId, attempts }) =>
    attempts.flatMap(({ id, pauses: own }) =>
      own.map(({ from, to }) => ({
        at: new Date(from).toISOString(),
        kind: 'pause',
        lessonId,
        lessonResultId: id,
        byId: null,
        byName: null,
        data: { end: to === undefined ? null : new Date(to).toISOString() },
      })),
    ),
  )
  return byNewest([...entries, ...pauses])
}

/** Creates one band for each lesson that has entries, in the order of the course. */
export function toBands(
  entries: readonly TimelineEntry[],
  lessons: Results['lessons'],
  wholeClass: string,
  now: number,
): Band[] {
  const names = [...lessons.map(({ lessonId, name }) => [lessonId, name] as const), [null, wholeClass] as const]
  return names.flatMap(([lessonId, name]) => {
    const own = entries.filter((one) => one.lessonId === lessonId)
    if (own.length === 0) return []
    return [{ lessonId, name, attempts: toAttempts(own, now), marks: own.flatMap(toMarks) }]
  })
}

function toAttempts(entries: readonly TimelineEntry[], now: number): Attempt[] {
  const started = entries.filter(({ kind }) => kind === 'started').sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return started.map(({ lessonResultId, at }, i) => {
    const own = entries.filter((one) => one.lessonResultId === lessonResultId)
    const ended = own.find(({ kind }) => kind === 'completed')
    const intervals = own
      .filter(({ kind }) => kind === 'progress' || kind === 'idle')
      .map((one) => {
        const { end } = dataOf(one)
        return { kind: one.kind as Interval['kind'], from: Date.parse(one.at), to: end ? Date.parse(end) : now }
      })
    const from = Date.parse(at)
    const to = Math.max(from, ended ? Date.parse(ended.at) : 0, ...intervals.map((one) => one.to))
    const result = ended && dataOf(ended).result
    const pauses = toPauses(intervals, ended && Date.parse(ended.at), now)
    return { id: lessonResultId!, number: i + 1, from, to, result, intervals, pauses }
  })
}

/** Minimum length of a pause. There may be milliseconds between two consecutive intervals although nobody paused. */
const LEAST_PAUSE_MS = 1000
function toPauses(intervals: readonly Interval[], ended: number | undefined, now: number): Attempt['pauses'] {
  const inOrder = intervals.toSorted((a, b) => a.from - b.from)
  return inOrder.flatMap(({ to }, i): Attempt['pauses'] => {
    const next = inOrder[i + 1]?.from ?? ended
    if (next === undefined) return to < now ? [{ from: to, to: undefined }] : []
    return next - to >= LEAST_PAUSE_MS ? [{ from: to, to: next }] : []
  })
}

function toMarks(entry: TimelineEntry): Mark[] {
  const at = Date.parse(entry.at)
  const { score, after } = dataOf(entry) ?? {}
  switch (entry.kind) {
    case 'completed':
      return score == null ? [] : [{ at, kind: 'score', entry, text: String(score) }]
    case 'grade':
      return [{ at, kind: 'change', entry, text: after?.score == null ? '' : String(after.score) }]
    case 'extra attempt':
    case 'reset':
      return [{ at, kind: 'change', entry, text: '' }]
    case 'note':
    case 'statement':
      return [{ at, kind: entry.kind, entry, text: '' }]
    default:
      return []
  }
}

/** Returns the time span of all bands, with a margin on both sides. */
export function spanOf(bands: readonly Band[]): Span {
  const all = bands.flatMap(({ attempts, marks }) => [
    ...attempts.flatMap(({ from, to }) => [from, to]),
    ...marks.map(({ at }) => at),
  ])
  return widen({ from: Math.min(...all), to: Math.max(...all) })
}
const LEAST_MS = 60_000
export function widen({ from, to }: Span): Span {
  const air = Math.max(LEAST_MS, (to - from) * 0.04)
  return { from: from - air, to: to + air }
}
/** Zooms in or out, and keeps the middle of the span. */
export function zoom({ from, to }: Span, factor: number): Span {
  const half = Math.max(LEAST_MS / 2, ((to - from) * factor) / 2)
  const middle = (from + to) / 2
  return { from: middle - half, to: middle + half }
}
export const pan = ({ from, to }: Span, share: number): Span => ({
  from: from + (to - from) * share,
  to: to + (to - from) * share,
})

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((n) => n * MINUTE)
  .concat(
    [1, 2, 3, 6, 12].map((n) => n * HOUR),
    [1, 2, 7, 14, 28, 91, 182, 365, 730].map((n) => n * DAY),
  )
/** Returns the labels of the time axis, at round times in the person's time zone. */
export function ticksOf({ from, to }: Span, most: number): { readonly at: number; readonly text: string }[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 3650 * DAY
  const offset = new Date(from).getTimezoneOffset() * MINUTE
  const first = Math.ceil((from - offset) / step) * step + offset
  const format = new Intl.DateTimeFormat(
    'en-GB',
    step >= 28 * DAY
      ? { month: 'short', year: 'numeric' }
      : step >= DAY
        ? { day: 'numeric', month: 'short' }
        : to - from > DAY
          ? { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
          : { hour: '2-digit', minute: '2-digit' },
  )
  const count = Math.max(0, Math.floor((to - first) / step) + 1)
  return Array.from({ length: count }, (_, i) => ({ at: first + i * step, text: format.format(first + i * step) }))
}
