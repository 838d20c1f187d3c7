import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from '../../kernel/errors.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { parseMixed, writeMixed } from './multipart.ts'

const END = '--xyz--\r\n'
const mixed = (body: string | Buffer, type = 'multipart/mixed; boundary=xyz', most = 3) =>
  parseMixed(Buffer.from(body as string), type, most).map(({ headers, content }) => [
    Object.fromEntries(headers),
    content.toString('latin1'),
  ])
const mixedPart = (content: string, head = 'A: b') => `--xyz\r\n${head}\r\n\r\n${content}\r\n`

test('parts of multipart/mixed: header names in lower case, bytes unchanged, an empty line before the first', () => {
  for (const before of ['', '\r\n'])
    assert.deepEqual(
      mixed(before + mixedPart('{}', 'Content-Type:application/json') + mixedPart('\0\r\n', 'X-Hash: \t1 ') + END),
      [
        [{ 'content-type': 'application/json' }, '{}'],
        [{ 'x-hash': '1' }, '\0\r\n'],
      ],
    )
  assert.deepEqual(mixed(END), [])
  for (const type of [
    'multipart/mixed; boundary="xyz"',
    'Multipart/Mixed; charset=utf-8; BOUNDARY=xyz; a=b',
    'multipart/mixed;boundary=xyz',
  ])
    assert.deepEqual(mixed(mixedPart('x') + END, type), [[{ a: 'b' }, 'x']])
})

test('ambiguous multipart/mixed is refused', () => {
  const good = mixedPart('x') + END
  for (const [body, type] of [
    [`\r\n\r\n${good}`],
    [` ${good}`],
    [`preamble\r\n${good}`],
    [`${good}epilogue`],
    [`${good}\r\n`],
    [good.slice(0, -5)],
    [mixedPart('x', 'A: b\r\nA: c') + END],
    [mixedPart('x', 'A: b\r\na: c') + END],
    [mixedPart('x', 'A : b') + END],
    [mixedPart('x', ': b') + END],
    [mixedPart('x', 'A') + END],
    [mixedPart('x', 'A: b\r\n folded') + END],
    [mixedPart('x', 'A: b\nB: c') + END],
    [mixedPart('x', 'A: \0') + END],
    [mixedPart('x', `A: ${'b'.repeat(3000)}`) + END],
    ['--xyz\r\n\r\nno head\r\n--xyz--\r\n'],
    ['--xyz\r\nA: b\r\n--xyz--\r\n'],
    [mixedPart('x').repeat(4) + END],
    ['--xyzz\r\nA: b\r\n\r\nx\r\n--xyzz--\r\n'],
    [good, 'multipart/mixed'],
    [good, 'multipart/mixed; boundary='],
    [good, 'multipart/mixed; boundary=x y z'],
    [good, `multipart/mixed; boundary=${'x'.repeat(71)}`],
    [good, 'multipart/mixed; xboundary=xyz'],
  ] as [string, string?][])
    assert.throws(
      () => mixed(body, type),
      (error) => error instanceof PlatformError && error.code === 4000,
      JSON.stringify([body.slice(0, 100), type]),
    )
  assert.throws(
    () => mixed(Buffer.concat([Buffer.from('--xyz\r\nA: '), Buffer.from([0xff]), Buffer.from(`\r\n\r\nx\r\n${END}`)])),
    /UTF-8/,
  )
})

test('content may look almost like the boundary, and much of it is refused quickly', () => {
  for (const content of ['a--xyz', '\r\n--xy', '\n--xyz\n', '\r\n-xyz--', 'a--xyz--', '\r--xyz--'])
    assert.deepEqual(mixed(mixedPart(content) + END), [[{ a: 'b' }, content]], JSON.stringify(content))
  const startedMs = performance.now()
  for (const body of [
    mixedPart('').repeat(50_000) + END,
    '--xyz\r\n'.repeat(500_000),
    mixedPart('\r\n--xy'.repeat(800_000)),
  ])
    assert.throws(() => mixed(body), /more than|incomplete/)
  assertWithin(performance.now() - startedMs, 1_000)
})

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
