import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairLine } from './fair-line.ts'

/** Each is called after its party and its number there. */
function lineOf(...names: string[]): FairLine<string> {
  const line = new FairLine<string>()
  for (const name of names) line.push(name[0]!, name)
  return line
}

const takeAll = (line: FairLine<string>): string[] => Array.from({ length: line.size }, () => line.take()!)

test('parties take turns, and each in the order of arrival', () => {
  assert.deepEqual(takeAll(lineOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a party that has just had a turn comes behind those who came during it', () => {
  const line = new FairLine<string>()
  line.turnOf('a')
  line.push('a', 'a1')
  line.push('b', 'b1')
  assert.deepEqual(takeAll(line), ['b1', 'a1'])
})

test('a party that loses one of those who wait keeps its place', () => {
  const line = lineOf('a1', 'a2', 'b1')
  line.remove('a', 'a1')
  line.remove('a', 'a1')
  assert.deepEqual([line.size, line.sizeOf('a'), line.sizeOf('c')], [2, 1, 0])
  assert.deepEqual([...line], ['a2', 'b1'])
  assert.deepEqual(takeAll(line), ['a2', 'b1'])
  assert.equal(line.take(), undefined)
})
