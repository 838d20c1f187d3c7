import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseMixed } from '../input/multipart.ts'
import { writeMixed } from './mixed.ts'

const JSON_PART = { headers: { 'Content-Type': 'application/json' }, content: Buffer.from('{"a":"ö"}') }
const LOG = { headers: { 'Content-Type': 'text/plain', 'X-Experience-API-Hash': 'abc' }, content: Buffer.from('log') }

test('parts are written exactly as in RFC 2046', () => {
  const { type, body } = writeMixed([JSON_PART, LOG])
  const [, boundary] = /^multipart\/mixed; boundary=([\w-]{24})$/.exec(type)!
  const lines = [
    `--${boundary}`,
    'Content-Type: application/json',
    '',
    '{"a":"ö"}',
    `--${boundary}`,
    'Content-Type: text/plain',
    'X-Experience-API-Hash: abc',
    '',
    'log',
    `--${boundary}--`,
    '',
  ]
  assert.equal(body.toString(), lines.join('\r\n'))
  assert.notEqual(writeMixed([LOG]).type, type, 'nobody can know the next one')
})

test('whatever bytes a part has, they are read as they were written', () => {
  const bytes = fc.oneof(
    fc.uint8Array().map((some) => Buffer.from(some)),
    fc.constantFrom(...['', '\r\n', '\r\n--', '--', '\r\n\r\n', '\0', '--x--\r\n'].map((text) => Buffer.from(text))),
  )
  const part = bytes.map((content) => ({ headers: { 'X-Part': 'x' }, content }))
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const { type, body } = writeMixed(parts)
      assert.deepEqual(
        parseMixed(body, type, 5).map(({ headers, content }) => ({ headers: Object.fromEntries(headers), content })),
        parts.map(({ content }) => ({ headers: { 'x-part': 'x' }, content })),
      )
    }),
    { numRuns: 200 },
  )
})
