import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countSlips, rankWords } from './match.ts'

/** Computes the distance with the textbook algorithm, which fills the whole table. */
function reference(typed: string, word: string): number {
  const table = Array.from({ length: typed.length + 1 }, (_, i) =>
    Array.from({ length: word.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= typed.length; i++)
    for (let j = 1; j <= word.length; j++) {
      const cost = typed[i - 1] === word[j - 1] ? 0 : 1
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, table[i - 1]![j - 1]! + cost)
      if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1)
    }
  return table[typed.length]![word.length]!
}

test('typos are counted like the textbook algorithm does, up to the limit', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(word, word, fc.constantFrom(1, 2), (typed, other, most) => {
      const { whole, beginning } = countSlips(typed, other, most)
      assert.equal(Math.min(whole, most + 1), Math.min(reference(typed, other), most + 1), `${typed} ${other}`)
      const starts = [-1, 0, 1]
        .map((more) => typed.length + more)
        .filter((length) => length >= 0 && length <= other.length && Math.abs(length - typed.length) <= most)
        .map((length) => reference(typed, other.slice(0, length)))
      assert.equal(Math.min(beginning, most + 1), Math.min(...starts, most + 1), `${typed} ${other}`)
    }),
    { numRuns: 5000 },
  )
})

test('the likeliest words come first', () => {
  const best = (typed: string, words: string[]) => rankWords(typed, words).map(({ word }) => word)
  assert.deepEqual(best('jon', ['john', 'joe', 'jonathan', 'son']), ['john', 'joe', 'jonathan', 'son'])
  assert.deepEqual(best('alexnader', ['alexander', 'alexandra']), ['alexander'])
  assert.deepEqual(best('elizbe', ['elizabeth', 'elizabethan', 'eliza']), ['elizabeth', 'elizabethan'])
  assert.deepEqual(best('ab', ['ac', 'abc']), ['abc'], 'two letters are not mistyped for two others')
  assert.deepEqual(
    best('jon', ['john', 'jon', 'jonathan']),
    ['jon', 'jonathan', 'john'],
    'a word that there is, is hardly mistyped',
  )
})
