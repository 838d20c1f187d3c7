import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rawRequest, readRaw, sendRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, testApp } from '../../../operations/testing/testing.ts'
import { assertWithin } from '../../../operations/testing/time-limits.ts'
import { PlatformError } from '../../errors.ts'
import { hasExactNumbers, parseJson, roundNumbers } from '../../json.ts'
import { parseStrictJson } from './json.ts'

const parse = (text: string | Buffer): unknown => parseStrictJson(Buffer.from(text as string))

/** Parses the text and returns the value, or the status and code of the error. Any other exception fails the test. */
const outcome = (text: string | Buffer): unknown => {
  try {
    return parse(text)
  } catch (error) {
    assert.ok(error instanceof PlatformError, `threw ${error}`)
    return `${error.status}/${error.code}`
  }
}

const NOT_JSON = '400/4000'
const NOT_KEPT = '400/4003'

const REFUSED: [what: string, body: string | Buffer, outcome: string][] = [
  ['arrays 400,000 levels deep', '['.repeat(400_000) + ']'.repeat(400_000), NOT_KEPT],
  ['objects 100,000 levels deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, NOT_KEPT],
  ['400,000 opening brackets alone', '['.repeat(400_000), NOT_KEPT],
  ['U+0000 in a value', '{"id":"x","data":"\\u0000"}', NOT_KEPT],
  ['U+0000 in a key', '{"id":"x","data":{"a\\u0000b":1}}', NOT_KEPT],
  ['a raw NUL in a text', '{"id":"a\0b"}', NOT_JSON],
  ['half of a surrogate pair in a value', '{"id":"x","data":"\\ud83d"}', NOT_KEPT],
  ['half of a surrogate pair in a key', '{"id":"x","data":{"\\ude00":1}}', NOT_KEPT],
  ['a surrogate pair in the wrong order', '{"id":"x","data":"\\ude00\\ud83d"}', NOT_KEPT],
  ['half of a surrogate pair as bytes', Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22]), NOT_JSON],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), NOT_JSON],
  ['an overlong form of a slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), NOT_JSON],
  ['UTF-16', Buffer.from('{"id":"x"}', 'utf16le'), NOT_JSON],
  ['1e400', '{"id":"x","data":1e400}', NOT_KEPT],
  ['-1e400', '{"id":"x","data":[-1e400]}', NOT_KEPT],
  ['a whole number of 400 digits', `{"id":"x","data":1${'0'.repeat(399)}}`, NOT_KEPT],
  ['a key given twice', '{"id":"x","id":"y"}', NOT_KEPT],
  ['a key given twice with the same value', '{"id":"x","id":"x"}', NOT_KEPT],
  ['a key given twice deep inside', '{"id":"x","data":[{"a":{"b":1,"b":2}}]}', NOT_KEPT],
  ['__proto__ given twice', '{"id":"x","data":{"__proto__":1,"__proto__":2}}', NOT_KEPT],
  ['a key given twice in two spellings', '{"id":"x","data":{"a":1,"\\u0061":2}}', NOT_KEPT],
  ['a truncated object', '{"id":"x"', NOT_JSON],
  ['a truncated text', '{"id":"x', NOT_JSON],
  ['a truncated escape', '{"id":"\\u00', NOT_JSON],
  ['two values', '{"id":"x"}{"id":"y"}', NOT_JSON],
  ['a trailing comma', '{"id":"x",}', NOT_JSON],
  ['NaN', '{"id":"x","data":NaN}', NOT_JSON],
  ['a leading zero', '{"id":"x","data":0123}', NOT_JSON],
  ['a comment', '{"id":"x"/**/}', NOT_JSON],
  ['single quotes', "{'id':'x'}", NOT_JSON],
  ['a no-break space alone', '\u00a0', NOT_JSON],
  ['more closed than opened', ']]]]{}', NOT_JSON],
]

test('JSON that is ambiguous, or cannot be stored as sent, is refused (D4)', () => {
  for (const [what, body, refusal] of REFUSED) assert.equal(outcome(body), refusal, what)
})

test('JSON at the limits is read unchanged', () => {
  assert.equal(parse(''), undefined)
  assert.equal(parse(' \t\r\n'), undefined)
  assert.equal(parse('null'), null)
  assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 }, 'RFC 8259 §8.1 lets a reader ignore a byte order mark')
  assert.deepEqual(parse('{"a":":{[\\"","b":"\\\\"}'), { a: ':{["', b: '\\' })
  assert.deepEqual(parse('{"a":{"x":1},"b":{"x":1}}'), { a: { x: 1 }, b: { x: 1 } })
  assert.equal(parse('"\\ud83d\\ude00"'), '😀')
  const smuggled = parse('{"__proto__":{"polluted":true},"constructor":1}') as object
  assert.deepEqual(Object.keys(smuggled), ['__proto__', 'constructor'])
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.ok(Array.isArray(parse('['.repeat(100) + ']'.repeat(100))))
  assert.equal(outcome('['.repeat(101) + ']'.repeat(101)), NOT_KEPT)
})

test('every number that a double can represent is accepted, and keeps its text if it would be rounded', () => {
  const NUMBERS: [literal: string, kept: boolean][] = [
    ['0.1', false],
    ['1.0', false],
    ['1E5', false],
    ['0e-400', false],
    ['1e20', false],
    ['100000000000000000000', false],
    ['9007199254740991', false],
    ['-9007199254740991', false],
    ['12345678901234568', false],
    ['12345678901234567890e0', true],
    ['5e-324', false],
    ['1e308', false],
    ['-0.5', false],
    ['9007199254740993', true],
    ['638679312000000001', true],
    ['638679312000000000', false],
    ['123456789012345678901234567890', true],
    ['-12345678901234567890', true],
    ['0.3333333333333333333333333333', true],
    ['12345678901234567.5', true],
    ['0.1000000000000000055', true],
    ['1e-400', true],
    ['-1e-400', true],
    ['1.23456e-320', true],
    ['-0', true],
    ['-0.0', true],
    [`1.${'0'.repeat(1000)}1`, true],
    [`1.${'0'.repeat(1000)}`, false],
  ]
  for (const [literal, isKept] of NUMBERS)
    for (const text of [literal, `[${literal}]`, `{"a": ${literal} }`, `{"__proto__":[1,{"a":"x"},${literal}]}`]) {
      const value = parse(text)
      assert.equal(hasExactNumbers(value), isKept, text.slice(0, 100))
      const expected = isKept ? literal : JSON.stringify(Number(literal))
      assert.equal(JSON.stringify(value), text.replaceAll(' ', '').replace(literal, expected))
      assert.deepEqual(roundNumbers(value), JSON.parse(text), 'rounded as IEEE 754 does')
      // Stored text parses to the same value as the text that was sent.
      assert.equal(JSON.stringify(parseJson(JSON.stringify(parse(text)))), JSON.stringify(parse(text)))
    }
  assert.equal(outcome('1e400'), NOT_KEPT)
})

test('stored JSON is read with every digit, wherever the number stands', () => {
  for (let padding = 0; padding < 40; padding++)
    for (const number of ['9007199254740993', '-1.234567890123456789', '1e-400', '1E-0400', '-0']) {
      const text = `{"a":"${'x'.repeat(padding)}","b":${number},"c":[${number}],"d":"e-mail 2026-01-05"}`
      assert.equal(JSON.stringify(parseJson(text)), text)
    }
})

test('every value that can be written as JSON is read back equal', () => {
  const value = fc
    .jsonValue({ noUnicodeString: false, maxDepth: 4 })
    .filter((v) => !JSON.stringify(v).includes('\\u0000'))
  fc.assert(
    fc.property(value, (v) => {
      const text = JSON.stringify(v)
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (v) => {
      assert.equal(parse(JSON.stringify(v)), v === 0 ? 0 : v)
      assert.equal(hasExactNumbers(parse(JSON.stringify([v]))), false)
    }),
    { numRuns: 2_000 },
  )
})

test('any bytes are read as JSON.parse reads them, or refused with an error of ours', () => {
  const bytes = fc.uint8Array({ maxLength: 60 })
  const jsonish = fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '\\',
        '"a"',
        '"\\u0061"',
        '1',
        '-',
        '1e400',
        'null',
        ' ',
        '\ud83d',
        '\0',
        'é',
      ),
      { maxLength: 12 },
    )
    .map((parts) => new Uint8Array(Buffer.from(parts.join(''))))
  fc.assert(
    fc.property(fc.oneof(bytes, jsonish), (given) => {
      const buffer = Buffer.from(given)
      const result = outcome(buffer)
      const text = buffer.toString('utf8')
      let expected: unknown
      try {
        expected = /^[ \t\r\n]*$/.test(text) ? undefined : JSON.parse(text)
      } catch {
        expected = NOT_JSON
      }
      const isUtf8 = Buffer.from(text).equals(buffer)
      if (result !== NOT_KEPT && isUtf8) assert.deepEqual(result, expected)
      if (!isUtf8) assert.equal(result, NOT_JSON)
    }),
    { numRuns: 5_000 },
  )
})

test('parsing takes linear time, whatever the text', () => {
  const mib = 1 << 20
  const worst = {
    backslashes: `"${'\\'.repeat(mib)}"`,
    'escaped quotes': `"${'\\"'.repeat(mib / 2)}"`,
    'many short texts': `[${'"",'.repeat(mib / 3)}""]`,
    'a text without its end': `"${'a'.repeat(mib)}`,
    digits: '1'.repeat(mib),
    'zeros between digits': `1.${'0'.repeat(mib)}1`,
    'long numbers': `[${'0.12345678901234567,'.repeat(mib / 20)}1]`,
    'one long number among many': `[${'1,'.repeat(mib / 2)}9007199254740993]`,
    'many numbers': `[${'1,'.repeat(mib / 2)}1]`,
    'many members': `{${Array.from({ length: mib / 12 }, (_, i) => `"${i}":0`).join()}}`,
    'minus signs': '-'.repeat(mib),
    colons: ':'.repeat(mib),
  }
  for (const [what, text] of Object.entries(worst)) {
    const startedMs = performance.now()
    outcome(text)
    const tookMs = performance.now() - startedMs
    // An algorithm with quadratic cost would take minutes for a million characters.
    assertWithin(tookMs, 2_000, what)
  }
})

test('bodies over HTTP', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const countBuckets = async () => Number((await app.sql('select count(*) as n from buckets'))[0]?.n)
  const send = (method: string, raw: string | Buffer, headers = {}): Promise<Answer> =>
    avery.send(method, '/app/v1/bucket', { raw, headers })

  await t.test('a body that is refused is a 400 of our own, and nothing is stored (D4)', async () => {
    for (const [what, body] of REFUSED) {
      for (const method of ['PUT', 'POST', 'DELETE']) {
        const answer = await send(method, body)
        // DELETE has a small body limit.
        const isLong = method === 'DELETE' && Buffer.byteLength(body) > 64 * 1024
        assert.equal(answer.status, isLong ? 413 : 400, `${method} ${what}: ${answer.text}`)
        assertError(answer, answer.status, answer.body.error_code)
      }
    }
    assert.equal(await countBuckets(), 0)
  })

  await t.test('a body that is not an object is a 400', async () => {
    for (const body of ['[]', '[{"id":"x"}]', '"x"', '5', 'true']) {
      for (const method of ['PUT', 'POST', 'DELETE'])
        assertError(await send(method, body), 400, 4000, /must be a JSON object/)
    }
    assertError(await send('PUT', 'null'), 400, 4001, /id is missing/)
  })

  await t.test('a body of 2 MB is a 413 and leaves nothing behind (D4)', async () => {
    const large = JSON.stringify({ id: 'large', data: 'x'.repeat(2_000_000) })
    for (const method of ['PUT', 'POST', 'DELETE']) assertError(await send(method, large), 413, 4131)
    assert.equal(await countBuckets(), 0)
    // Without Content-Length, the bytes of the body are counted as they arrive.
    const chunked = await sendRaw(
      app.address,
      Buffer.concat([
        Buffer.from(
          `PUT /app/v1/bucket HTTP/1.1\r\nhost: localhost\r\nauthorization: ${avery.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n`,
        ),
        Buffer.from(`${large}\r\n0\r\n\r\n`),
      ]),
    )
    const { status, body } = readRaw(chunked)
    assert.deepEqual([status, body.error_code], [413, 4131])
  })

  await t.test('an empty JSON body is valid on every method', async () => {
    await avery.put('/app/v1/bucket', { id: 'here' })
    const json = { 'content-type': 'application/json' }
    const read = await avery.get('/app/v1/bucket', { id: 'here' }, json)
    assert.equal(read.status, 200, read.text)
    assertError(await avery.send('PUT', '/app/v1/bucket', { headers: json }), 400, 4001, /id is missing/)
    assertError(await avery.send('POST', '/app/v1/bucket', { headers: json }), 400, 4001, /id, key, value is missing/)
    const gone = await avery.send('DELETE', '/app/v1/bucket', { query: { id: 'here' }, headers: json })
    assert.deepEqual([gone.status, gone.body], [200, { success: true }])
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']) {
      for (const extra of ['', 'transfer-encoding: chunked']) {
        const headers = [`authorization: ${avery.token}`, 'content-type: application/json', ...(extra ? [extra] : [])]
        const request = extra
          ? `${method} /app/v1/bucket HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers.join('\r\n')}\r\n\r\n0\r\n\r\n`
          : rawRequest(method, '/app/v1/bucket', headers)
        assert.equal(readRaw(await sendRaw(app.address, request)).status, 400, `${method} ${extra}`)
      }
    }
  })

  await t.test('the text null is no body, on every method', async () => {
    await avery.put('/app/v1/bucket', { id: 'null' })
    const head = [`authorization: Bearer ${avery.token}`, 'content-type: application/json']
    const ask = async (method: string, path: string, body = 'null') =>
      readRaw(await sendRaw(app.address, rawRequest(method, path, head, body)))
    for (const body of ['null', ' null\r\n']) {
      assert.equal((await ask('GET', '/app/v1/bucket?id=null', body)).body.id, 'null')
      assert.equal((await ask('HEAD', '/app/v1/bucket?id=null', body)).status, 200)
      for (const method of ['PUT', 'POST'])
        assertError((await ask(method, '/app/v1/bucket', body)) as Answer, 400, 4001, /id.* is missing/)
    }
    assert.deepEqual((await ask('DELETE', '/app/v1/bucket?id=null')).body, { success: true })
    const loggedOut = await app.as('drew')
    const logout = [`authorization: Bearer ${loggedOut.token}`, 'content-type: application/json']
    const answer = readRaw(await sendRaw(app.address, rawRequest('POST', '/oauth/logout', logout, 'null')))
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
  })

  await t.test('a body of white space is an empty body', async () => {
    assertError(await send('PUT', ' \r\n\t '), 400, 4001, /id is missing/)
  })

  await t.test('another media type is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/jsonp',
      'nonsense',
      'application/json,text/plain',
    ])
      assertError(await send('PUT', '{"id":"x"}', { 'content-type': type }), 415, 4151)
    const typed = await send('PUT', '{"id":"typed"}', { 'content-type': 'Application/JSON; charset=UTF-8' })
    assert.equal(typed.status, 200, typed.text)
  })

  await t.test('numbers come back as they were sent, and can be sent again', async () => {
    await avery.put('/app/v1/bucket', { id: 'numbers' })
    for (const literal of [
      '9007199254740991',
      '1e20',
      '1234567890123456.5',
      '-0.1',
      '5e-324',
      '1.7976931348623157e308',
    ]) {
      const written = await send('POST', `{"id":"numbers","key":"n","value":${literal}}`)
      assert.equal(written.body.data.n, Number(literal))
      const again = await avery.post('/app/v1/bucket', { id: 'numbers', key: 'n', value: written.body.data.n })
      assert.equal(again.body.data.n, Number(literal), again.text)
    }
  })
})
