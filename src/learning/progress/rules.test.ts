import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LessonKind } from '../courses/schema.ts'
import { readAttemptTimes, type WriteAction, whyNotWritten } from './rules.ts'

test('a quiz is recorded by its operations, a package lesson by its content, an instructor-led lesson by instructors, and reading passes', () => {
  const actions: WriteAction[] = ['attend', 'complete', 'report']
  const refusals = (kind: LessonKind, isOwn: boolean, recorder?: LessonKind) =>
    actions.map((action) => whyNotWritten(action, { kind, recorder, lessonApp: null, callerApp: undefined, isOwn }))
  const all = (why: string | undefined) => [why, why, why]
  for (const isOwn of [true, false]) {
    assert.deepEqual(refusals('quiz', isOwn), all('the quiz reports'))
    assert.deepEqual(refusals('quiz', isOwn, 'quiz'), all(undefined))
  }
  for (const isOwn of [true, false]) {
    assert.deepEqual(refusals('package', isOwn), all('the content reports'))
    assert.deepEqual(refusals('package', isOwn, 'quiz'), all('the content reports'))
    assert.deepEqual(refusals('package', isOwn, 'package'), all(undefined))
  }
  assert.deepEqual(refusals('instructor-led', true), all('an instructor reports'))
  assert.deepEqual(refusals('instructor-led', false), all(undefined))
  for (const kind of ['page', 'file'] as const) {
    assert.deepEqual(refusals(kind, true), [undefined, undefined, 'read it'])
    assert.deepEqual(refusals(kind, false), all(undefined))
  }
})

test('who writes progress, and through what (D12)', () => {
  const [demo, other] = [1, 2]
  const actions: WriteAction[] = ['attend', 'complete', 'report']
  const refusals = (lessonApp: number | null, callerApp: number | undefined, isOwn: boolean) =>
    actions.map((action) =>
      whyNotWritten(action, { kind: lessonApp === null ? 'activity' : 'app', lessonApp, callerApp, isOwn }),
    )
  const all = (why: string | undefined) => [why, why, why]
  const student = true
  const instructor = false
  for (const who of [student, instructor]) {
    assert.deepEqual(refusals(demo, demo, who), all(undefined))
    assert.deepEqual(refusals(demo, other, who), all('another app'))
    assert.deepEqual(refusals(null, other, who), all('no app'))
  }
  assert.deepEqual(refusals(demo, undefined, student), [undefined, 'the app reports', 'the app reports'])
  assert.deepEqual(refusals(null, undefined, student), [undefined, undefined, 'an instructor reports'])
  assert.deepEqual(refusals(demo, undefined, instructor), all(undefined))
  assert.deepEqual(refusals(null, undefined, instructor), all(undefined))
})

/** Local times of an attempt from 8:40 to 8:50 UTC, ten minutes before now. */
const NOW = '2026-05-04T09:00:00.000Z'
const PLACES: [place: string, start: string, end: string][] = [
  ['Auckland, +12:00', '2026-05-04T20:40:00.000', '2026-05-04T20:50:00.000'],
  ['Kiritimati, +14:00', '2026-05-04T22:40:00.000', '2026-05-04T22:50:00.000'],
  ['Kolkata, +5:30', '2026-05-04T14:10:00.000', '2026-05-04T14:20:00.000'],
  ['Kathmandu, +5:45', '2026-05-04T14:25:00.000', '2026-05-04T14:35:00.000'],
  ['London in winter, 0', '2026-05-04T08:40:00.000', '2026-05-04T08:50:00.000'],
  ['Los Angeles, -7:00', '2026-05-04T01:40:00.000', '2026-05-04T01:50:00.000'],
  ['Honolulu, -10:00', '2026-05-03T22:40:00.000', '2026-05-03T22:50:00.000'],
  ['Baker Island, -12:00', '2026-05-03T20:40:00.000', '2026-05-03T20:50:00.000'],
]

test('local times of an attempt are in the zone in which it has just ended', () => {
  const read = (startTime: string | undefined, endTime: string | undefined) => {
    const times = { ...(startTime !== undefined && { startTime }), ...(endTime !== undefined && { endTime }) }
    const found = readAttemptTimes(times, new Date(NOW))
    return [found.startTime?.toISOString(), found.endTime?.toISOString()]
  }
  const [start, end] = ['2026-05-04T08:40:00.000Z', '2026-05-04T08:50:00.000Z']
  for (const [place, localStart, localEnd] of PLACES) {
    assert.deepEqual(read(localStart, localEnd), [start, end], place)
    assert.deepEqual(read(undefined, localEnd), [undefined, end], place)
    // A start alone is placed as near to now as the quarter hours allow, here 20 minutes less 15.
    const alone = place.startsWith('Baker') ? start : '2026-05-04T08:55:00.000Z'
    assert.deepEqual(read(localStart, undefined), [alone, undefined], place)
  }
  const cases: [string | undefined, string | undefined, ...result: (string | undefined)[]][] = [
    // It ended this very second.
    ['2026-05-04T14:10:00.000', '2026-05-04T14:30:00.000', '2026-05-04T08:40:00.000Z', NOW],
    // A second later would be in the future, so the next zone is taken.
    ['2026-05-04T14:10:00.000', '2026-05-04T14:30:01.000', '2026-05-04T08:25:00.000Z', '2026-05-04T08:45:01.000Z'],
    // Long ago, the westernmost zone is still the nearest.
    ['2020-01-01T10:00:00.000', '2020-01-01T11:00:00.000', '2020-01-01T22:00:00.000Z', '2020-01-01T23:00:00.000Z'],
    // In the future everywhere: it stays there, and is refused.
    ['2026-05-05T10:00:00.000', '2026-05-05T11:00:00.000', '2026-05-04T20:00:00.000Z', '2026-05-04T21:00:00.000Z'],
    // A zone that was sent is never changed.
    ['2026-05-04T07:00:00.000Z', '2026-05-04T08:00:00.000Z', '2026-05-04T07:00:00.000Z', '2026-05-04T08:00:00.000Z'],
    ['2026-05-04T07:00:00.000', '2026-05-04T08:00:00.000Z', '2026-05-04T07:00:00.000Z', '2026-05-04T08:00:00.000Z'],
    ['2026-05-04T07:00:00.000Z', '2026-05-04T08:00:00.000', '2026-05-04T07:00:00.000Z', '2026-05-04T08:00:00.000Z'],
    [undefined, undefined, undefined, undefined],
  ]
  for (const [given, givenEnd, ...result] of cases) assert.deepEqual(read(given, givenEnd), result, `${given}`)
})
