import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MoveOn } from './names.ts'
import { COURSE, type ItemState, meetsMoveOn, settle } from './satisfaction.ts'

const item = (position: number, more: Partial<ItemState> = {}): ItemState => ({
  ...{ position, parent: null, kind: 'unit', publisher: `urn:${position}`, moveOn: 'Passed', collateralCredit: [] },
  ...{ isCompleted: false, isPassed: false, isWaived: false, isSatisfied: false, isLeftOut: false },
  ...more,
})
const say = (items: readonly ItemState[], isCourseSatisfied = false) =>
  settle(items, isCourseSatisfied).map(({ kind, position }) => `${kind} ${position === COURSE ? 'course' : position}`)

test('a unit meets its moveOn criterion by what content has reported, or because it is waived', () => {
  const met: Record<MoveOn, [nothing: boolean, completed: boolean, passed: boolean, both: boolean]> = {
    NotApplicable: [true, true, true, true],
    Completed: [false, true, false, true],
    Passed: [false, false, true, true],
    CompletedAndPassed: [false, false, false, true],
    CompletedOrPassed: [false, true, true, true],
  }
  for (const [moveOn, expected] of Object.entries(met) as [MoveOn, boolean[]][]) {
    const seen = [0, 1, 2, 3].map((bits) =>
      meetsMoveOn(item(0, { moveOn, isCompleted: (bits & 1) > 0, isPassed: (bits & 2) > 0 })),
    )
    assert.deepEqual(seen, expected, moveOn)
    assert.ok(meetsMoveOn(item(0, { moveOn, isWaived: true })))
  }
})

test('inner blocks come before outer ones, then the course, and single units last', () => {
  const items = [
    item(0, { kind: 'block' }),
    item(1, { kind: 'block', parent: 0 }),
    item(2, { parent: 1, isPassed: true }),
    item(3, { parent: 0, isSatisfied: true }),
  ]
  assert.deepEqual(say(items), ['satisfied 1', 'satisfied 0', 'satisfied course', 'satisfied 2'])
  assert.deepEqual(say(items, true), [], 'nothing follows twice')
})

test('collateral credit waives other units, whose credit counts in turn', () => {
  const items = [
    item(0, { isPassed: true, collateralCredit: ['urn:1'] }),
    item(1, { collateralCredit: ['urn:2', 'urn:0'] }),
    item(2),
    item(3),
  ]
  assert.deepEqual(say(items), ['waived 1', 'waived 2', 'satisfied 0', 'satisfied 1', 'satisfied 2'])
})

test('a course without units is satisfied at once, and one with an open unit is not', () => {
  assert.deepEqual(say([]), ['satisfied course'])
  assert.deepEqual(say([item(0, { isPassed: true }), item(1)]), ['satisfied 0'])
})
