import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeRanges, shareOf } from './watched.ts'

test('parts that were played twice count once, and skipped parts not at all', () => {
  const first = mergeRanges(
    [],
    [
      [0, 10],
      [20, 30],
    ],
  )
  assert.deepEqual(mergeRanges(first, [[5, 12]]), [
    [0, 12],
    [20, 30],
  ])
  assert.deepEqual(mergeRanges(first, [[10.2, 19.8]]), [[0, 30]])
  assert.deepEqual(mergeRanges([[50, 60]], first), [
    [0, 10],
    [20, 30],
    [50, 60],
  ])
  assert.equal(shareOf(first, 40), 0.5)
  assert.equal(shareOf([[0, 100]], 99), 1)
  assert.equal(shareOf([], 0), 0)
})
