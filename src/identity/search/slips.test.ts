import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testApp } from '../../operations/testing/testing.ts'
import { countSlips } from './match.ts'
import { listNear } from './slips.ts'

const areNear = (typed: string, word: string): boolean => {
  const near = listNear(word)
  return listNear(typed).some((one) => near.includes(one))
}

test('words that are one slip apart are near, and others hardly ever', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 7 })
  let near = 0
  fc.assert(
    fc.property(word, word, (typed, other) => {
      const { whole: slips } = countSlips(typed, other, 2)
      if (slips === 1) near++
      if (slips <= 1) assert.ok(areNear(typed, other), `${typed} ${other}`)
      if (slips > 2) assert.ok(!areNear(typed, other), `${typed} ${other}`)
    }),
    { numRuns: 20_000 },
  )
  assert.ok(near > 100, `${near}: too few to tell`)
})

test('a letter outside the BMP counts as one letter', () => {
  assert.deepEqual(listNear('𐐨𐐩𐐪'), ['𐐨𐐩𐐪', '𐐩𐐪', '𐐨𐐪', '𐐨𐐩'])
  assert.deepEqual(listNear('𐐨𐐩'), ['𐐨𐐩'])
})

test('the database stores words by the same rules', async (t) => {
  const app = await testApp(t)
  for (const word of ['ab', 'abc', 'jonathan', 'żółw', '𐐨𐐩𐐪']) {
    const [row] = await app.sql(`select search_near(7, '${word}') as near`)
    assert.deepEqual(
      row!.near,
      listNear(word).map((one) => `7=${one}`),
    )
  }
})
