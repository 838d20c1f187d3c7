import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { size } from '../../src/operations/testing/sizes.ts'
import { escapedJson, escapeText, unescaped, unescapeText } from './escaping.ts'

/** Texts of any code units, with many of those that are escaped or look so. */
const texts = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xf8ff, 0xd83d, 0xde00, 0x64, 0x38, 0x33)))
  .map((units) => String.fromCharCode(...units))

test('any text is found again exactly, and the platform gets only what it can store', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const escaped = escapeText(text)
      assert.equal(unescapeText(escaped), text)
      assert.equal(escaped.isWellFormed() && !escaped.includes('\0'), true)
      if (text.isWellFormed() && !/[\0\uF8FF]/.test(text)) assert.equal(escaped, text)
      const values = { suspend_data: text, interactions: { 0: { id: 'q', list: [text, 1, null, true] } } }
      assert.deepEqual(unescaped(JSON.parse(escapedJson(values))), values)
    }),
    { numRuns: size(10_000) },
  )
})

test('half an emoji, U+0000 and the escape itself are written as their four digits, and nothing else is', () => {
  assert.equal(escapeText('a\ud83d\0\uf8ff0000\ude00'), 'a\uf8ffd83d\uf8ff0000\uf8fff8ff0000\uf8ffde00')
  for (const text of ['', 'plain', '😀 ü \u0001 \ue000 \ufffd', '\ud83d\ude00']) assert.equal(escapeText(text), text)
})
