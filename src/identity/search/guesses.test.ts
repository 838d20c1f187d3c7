import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listSlipped, listSplits } from './guesses.ts'
import { countSlips } from './match.ts'

test('a word is split between any two of its letters, with two of them at least on each side', () => {
  assert.deepEqual(listSplits('lucia'), [
    ['lu', 'cia'],
    ['luc', 'ia'],
  ])
  assert.deepEqual(listSplits('𝔞𝔟𝔠𝔡'), [['𝔞𝔟', '𝔠𝔡']])
  assert.deepEqual(listSplits('abc'), [])
})

test('all beginnings that are one slip away are listed, and nothing else', () => {
  const slipped = listSlipped('mooral')
  assert.deepEqual([...new Set(slipped)], slipped)
  for (const one of slipped) assert.equal(countSlips('mooral', one, 2).whole, 1, one)
  for (const one of ['moral', 'morola', 'mooril', 'mooreal', 'omoral'])
    assert.equal(slipped.includes(one), ['moral', 'mooril', 'mooreal', 'omoral'].includes(one), one)
  assert.ok(listSlipped('олена').includes('олина'))
  assert.deepEqual(listSlipped('moo'), [])
  assert.ok(slipped.length < 350)
})
