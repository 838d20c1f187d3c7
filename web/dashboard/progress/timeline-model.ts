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
  /** The result of an attempt that has ended. */
  readonly result?: string | undefined
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
  const { score, result, after } = dataOf(entry) ?? {}
  switch (entry.kind) {
    case 'completed':
      return score == null ? [] : [{ at, kind: 'score', entry, text: String(score), result }]
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

/** Returns the time span of all bands, with a margin on both sides that is a share of the time drawn to scale. */
export function spanOf(bands: readonly Band[]): Span {
  const all = bands.flatMap(({ attempts, marks }) => [
    ...attempts.flatMap(({ from, to }) => [from, to]),
    ...marks.map(({ at }) => at),
  ])
  const span = { from: Math.min(...all), to: Math.max(...all) }
  return widen(span, scaleOf(bands, span, 0).shownMs)
}

/** A part of the time axis that is drawn to scale. */
interface Segment extends Span {
  readonly x: number
  readonly width: number
}

/** Maps times to horizontal positions. Long times without any activity are folded into breaks of equal width. */
export interface Scale {
  readonly segments: readonly Segment[]
  readonly folds: readonly (Span & { readonly x: number })[]
  readonly xOf: (at: number) => number
  /** The time at a share of the width, from 0 to 1. */
  readonly timeAt: (share: number) => number
  /** Milliseconds that are drawn to scale. */
  readonly shownMs: number
}

/** Width of a break in pixels. */
export const FOLD_PX = 36
/** Time without activity is folded if it is longer than this share of the time that is drawn to scale. */
const FOLDED_SHARE = 0.1
/** Share of the time drawn to scale that is kept on both sides of a break, so that marks do not touch it. */
const FOLD_MARGIN = 0.02

/** Returns the scale of a picture that shows this span of the bands. */
export function scaleOf(bands: readonly Band[], span: Span, width: number): Scale {
  const folds = foldsIn(bands, span)
  const starts = [span.from, ...folds.map(({ to }) => to)]
  const ends = [...folds.map(({ from }) => from), span.to]
  const shownMs = starts.reduce((sum, from, i) => sum + ends[i]! - from, 0)
  const perMs = Math.max(0, width - folds.length * FOLD_PX) / shownMs
  let x = 0
  const segments = starts.map((from, i) => {
    const segment = { from, to: ends[i]!, x, width: (ends[i]! - from) * perMs }
    x += segment.width + FOLD_PX
    return segment
  })
  const xOf = (at: number): number => {
    const one = segments.find(({ to }) => at <= to) ?? segments.at(-1)!
    // Inside a break, everything is at its end; before the first and after the last segment the scale continues.
    return one.x + (one === segments[0] ? at - one.from : Math.max(0, at - one.from)) * perMs
  }
  const timeAt = (share: number): number => {
    const at = share * width
    const one = segments.findLast((segment) => segment.x <= at) ?? segments[0]!
    return Math.min(one.to, one.from + (at - one.x) / (perMs || 1))
  }
  return {
    segments,
    folds: folds.map((fold, i) => ({ ...fold, x: segments[i]!.x + segments[i]!.width })),
    xOf,
    timeAt,
    shownMs,
  }
}

function foldsIn(bands: readonly Band[], span: Span): Span[] {
  const gaps = gapsIn(bands, span)
  const all = span.to - span.from
  // Each fold shortens the picture, so that other gaps may become long in comparison: repeat until none is.
  let shown = all
  for (let before = Number.POSITIVE_INFINITY; shown < before; ) {
    before = shown
    const long = gaps.filter(({ from, to }) => to - from > FOLDED_SHARE * before)
    shown = all - long.reduce((sum, { from, to }) => sum + to - from, 0)
  }
  const margin = FOLD_MARGIN * shown
  return gaps
    .filter(({ from, to }) => to - from > FOLDED_SHARE * shown && to - from > 2 * margin)
    .map(({ from, to }) => ({ from: from + margin, to: to - margin }))
}

/** Returns the times inside the span, between the first and the last activity, in which nothing happened. */
function gapsIn(bands: readonly Band[], span: Span): Span[] {
  const busy = bands
    .flatMap(({ attempts, marks }): Span[] => [
      ...attempts.flatMap(({ from, to, intervals }) => [{ from, to: from }, ...intervals, { from: to, to }]),
      ...marks.map(({ at }) => ({ from: at, to: at })),
    ])
    .filter(({ from, to }) => to >= span.from && from <= span.to)
    .sort((a, b) => a.from - b.from)
  const gaps: Span[] = []
  let end = busy[0]?.to ?? span.to
  for (const { from, to } of busy) {
    if (from > end) gaps.push({ from: end, to: from })
    end = Math.max(end, to)
  }
  return gaps
}

const LEAST_MS = 60_000
export function widen({ from, to }: Span, shownMs = to - from): Span {
  const air = Math.max(LEAST_MS, shownMs * 0.04)
  return { from: from - air, to: to + air }
}
/** Zooms in or out around a time, by default the middle of the span. */
export function zoom({ from, to }: Span, factor: number, middle = (from + to) / 2): Span {
  const half = Math.max(LEAST_MS / 2, ((to - from) * factor) / 2)
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
const START = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const START_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
/** Pixels that a label of the time axis needs. */
const LABEL_PX = 110
const DAY_PX = 52

/**
 * Returns the labels of the time axis. After a break, the axis starts again with the date, if there is room for it.
 */
export function labelsOf({ segments, folds, xOf }: Scale, span: Span, width: number) {
  if (folds.length === 0)
    return ticksOf(span, Math.max(2, width / LABEL_PX)).map(({ at, text }) => ({ at, x: xOf(at), text }))
  let free = 0
  return segments.flatMap((segment) => {
    const room = segment.x + segment.width - Math.max(free, segment.x)
    if (segment.x < free || room < 0) return []
    const text = (segment.width >= LABEL_PX ? START : START_DAY).format(segment.from)
    free = segment.x + (segment.width >= LABEL_PX ? LABEL_PX : DAY_PX)
    const inner = ticksOf(segment, segment.width / LABEL_PX)
      .map(({ at, text: own }) => ({ at, x: xOf(at), text: own }))
      .filter(({ x }) => x > free && x < segment.x + segment.width - DAY_PX)
    return [{ at: segment.from, x: segment.x, text }, ...inner]
  })
}

/** Returns the labels of a part of the time axis, at round times in the person's time zone. */
function ticksOf({ from, to }: Span, most: number): { readonly at: number; readonly text: string }[] {
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

/** Pixels that a character of the time axis takes. */
const CHARACTER_PX = 6.2
const CLEARANCE_PX = 4

/** Returns the labels of breaks, centred at `x`. A label that would reach a label of the time axis is left out. */
export function foldLabelsOf({ folds }: Scale, labels: readonly { readonly x: number; readonly text: string }[]) {
  return folds.flatMap(({ from, to, x: start }) => {
    const [text, x] = [sayGap(to - from), start + FOLD_PX / 2]
    const reach = (text.length * CHARACTER_PX) / 2 + CLEARANCE_PX
    const isCovered = labels.some((label) => {
      const left = label.x + 4
      return left < x + reach && left + label.text.length * CHARACTER_PX > x - reach
    })
    return isCovered ? [] : [{ from, x, text }]
  })
}

/** Formats the length of a break briefly: 6 y, 12 d, 5 h, 40 min. */
export const sayGap = (ms: number): string =>
  ms >= 730 * DAY
    ? `${Math.round(ms / (365.25 * DAY))} y`
    : ms >= DAY
      ? `${Math.round(ms / DAY)} d`
      : ms >= HOUR
        ? `${Math.round(ms / HOUR)} h`
        : `${Math.max(1, Math.round(ms / MINUTE))} min`

/** Pixels between a mark and its number, and pixels that a digit takes. */
const [MARK_GAP_PX, DIGIT_PX] = [7, 8]
/** Space that a number needs. With less space on the right of its mark, the number is drawn on the left. */
const NUMBER_PX = 36

/** Places the numbers of marks. A number that would cover the one before it is left out. */
export function markTextsOf(marks: readonly Mark[], xOf: (at: number) => number, width: number) {
  const texts = new Map<Mark, { readonly x: number; readonly anchor: 'start' | 'end' }>()
  let free = Number.NEGATIVE_INFINITY
  for (const mark of marks.filter(({ text }) => text !== '').toSorted((a, b) => a.at - b.at)) {
    const at = xOf(mark.at)
    const isLeft = at > width - NUMBER_PX
    const length = mark.text.length * DIGIT_PX
    const from = isLeft ? at - MARK_GAP_PX - length : at + MARK_GAP_PX
    if (from < free) continue
    free = from + length
    texts.set(mark, { x: isLeft ? at - MARK_GAP_PX : at + MARK_GAP_PX, anchor: isLeft ? 'end' : 'start' })
  }
  return texts
}
