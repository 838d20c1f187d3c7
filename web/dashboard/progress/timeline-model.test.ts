import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Band,
  foldLabelsOf,
  labelsOf,
  type Mark,
  markTextsOf,
  scaleOf,
  spanOf,
  toBands,
} from './timeline-model.ts'

const [MINUTE, DAY, WIDTH] = [60_000, 86_400_000, 900]
const START = Date.parse('2026-05-01T10:00:00Z')

/** A lesson with an attempt of 20 minutes at each of these times, which ends with a score. */
const bandOf = (...starts: number[]): Band => ({
  lessonId: 'walkaround',
  name: 'Walkaround',
  attempts: starts.map((from, i) => ({
    id: String(i),
    number: i + 1,
    from,
    to: from + 20 * MINUTE,
    result: 'PASSED',
    intervals: [{ kind: 'progress', from, to: from + 20 * MINUTE }],
    pauses: [],
  })),
  marks: starts.map((from) => markAt(from + 20 * MINUTE)),
})
const markAt = (at: number): Mark => ({
  at,
  kind: 'score',
  text: '95',
  entry: {
    at: new Date(at).toISOString(),
    kind: 'completed',
    lessonId: 'walkaround',
    lessonResultId: '0',
    byId: null,
    byName: null,
    data: { score: 95 },
  },
})

test('empty time before the first and after the last attempt takes a small share of the picture', () => {
  for (const days of [0, 1, 91, 2140]) {
    const bands = [bandOf(START, START + days * DAY + (days === 0 ? 30 * MINUTE : 0))]
    const { xOf } = scaleOf(bands, spanOf(bands), WIDTH)
    const [first, last] = [bands[0]!.attempts[0]!, bands[0]!.attempts[1]!]
    assert.ok(xOf(first.from) > 0 && xOf(first.from) < 0.06 * WIDTH, `${days} days: ${xOf(first.from)}`)
    assert.ok(xOf(last.to) < WIDTH && xOf(last.to) > 0.94 * WIDTH, `${days} days: ${xOf(last.to)}`)
    assert.ok(xOf(first.to) - xOf(first.from) > 0.3 * WIDTH, `${days} days: the attempt is wide enough to read`)
  }
})

test('labels of breaks and of the time axis do not overlap', () => {
  // The more attempts, the narrower the space between two breaks.
  for (const count of [2, 5, 12]) {
    const bands = [bandOf(...Array.from({ length: count }, (_, i) => START + i * 2140 * DAY))]
    const span = spanOf(bands)
    const scale = scaleOf(bands, span, WIDTH)
    const labels = labelsOf(scale, span, WIDTH)
    const all = [
      ...labels.map(({ x, text }) => ({ from: x + 4, to: x + 4 + text.length * 6, text })),
      ...foldLabelsOf(scale, labels).map(({ x, text }) => ({
        from: x - text.length * 3,
        to: x + text.length * 3,
        text,
      })),
    ].toSorted((a, b) => a.from - b.from)
    for (const [i, { from, text }] of all.entries())
      assert.ok(i === 0 || from >= all[i - 1]!.to, `${count} attempts: ${all[i - 1]?.text} reaches ${text}`)
  }
})

test('a score that would cover another one is left out', () => {
  const marks = [START, START + 1000, START + DAY].map(markAt)
  const texts = markTextsOf(marks, (at) => (at - START) / 100_000, 880)
  assert.deepEqual(
    marks.map((mark) => texts.get(mark)),
    [{ x: 7, anchor: 'start' }, undefined, { x: 857, anchor: 'end' }],
  )
})

test('the mark of a score has the result of its attempt, so that a failed one is not drawn as passed', () => {
  const at = new Date(START).toISOString()
  const of = { lessonId: 'walkaround', lessonResultId: '0', byId: null, byName: null }
  const entries = [
    { ...of, at, kind: 'completed', data: { result: 'FAIL', score: 40 } },
    { ...of, at, kind: 'started', data: {} },
  ]
  const [band] = toBands(entries, [{ lessonId: 'walkaround', name: 'Walkaround' } as never], 'Class', START)
  assert.deepEqual(
    band!.marks.map(({ text, result }) => [text, result]),
    [['40', 'FAIL']],
  )
})
