import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testApp } from '../testing.ts'
import { countSlips } from './match.ts'
import { oneSlipFrom } from './slips.ts'

/** As the database masks a word. */
const masksOf = (word: string): string[] => {
  const letters = [...word]
  return letters.length < 3 ? [] : letters.map((_, i) => letters.with(i, '*').join(''))
}

const isNear = (typed: string, word: string): boolean => {
  const { words, masks } = oneSlipFrom(typed)
  return words.includes(word) || masksOf(word).some((mask) => masks.includes(mask))
}

test('exactly those words are near that are one slip away', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 })
  let near = 0
  fc.assert(
    fc.property(word, word, (typed, other) => {
      const isAway = countSlips(typed, other, 1).whole <= 1
      // Two letters are not mistyped for others.
      const expected = typed.length < 3 ? typed === other : isAway
      if (expected && typed !== other) near++
      assert.equal(isNear(typed, other), expected, `${typed} ${other}`)
    }),
    { numRuns: 20_000 },
  )
  assert.ok(near > 100, `${near}: too few to tell`)
})

test('letters that take two places are one letter', () => {
  assert.ok(isNear('𐐨𐐩𐐪', '𐐨𐐫𐐪'))
  assert.ok(isNear('𐐨𐐩𐐪', '𐐩𐐨𐐪'))
  assert.ok(!isNear('𐐨𐐩', '𐐨𐐫'))
})

test('the database masks the same letters', async (t) => {
  const app = await testApp(t)
  for (const word of ['ab', 'abc', 'jonathan', 'żółw', '𐐨𐐩𐐪']) {
    const [row] = await app.sql(`select search_masks(7, '${word}') as masks`)
    assert.deepEqual(
      row!.masks,
      masksOf(word).map((mask) => `7:${mask}`),
    )
  }
})
