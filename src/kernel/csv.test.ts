import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BYTE_ORDER_MARK, csvLine, decodeCsv, readCsv } from './csv.ts'

const read = (text: string): string[][] => [...readCsv(text)]

test('CSV is parsed by RFC 4180', () => {
  const cases: [string, string[][]][] = [
    ['', []],
    [
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,\r\n,b',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a,', [['a', '']]],
    [',', [['', '']]],
    ['""', [['']]],
    ['"a","b ""c"""\r\n', [['a', 'b "c"']]],
    ['"a,b\r\nc",d', [['a,b\r\nc', 'd']]],
    ['a\r\n\r\nb', [['a'], [''], ['b']]],
    [' a , b ', [[' a ', ' b ']]],
    ['=1+1,@x', [['=1+1', '@x']]],
  ]
  for (const [text, records] of cases) assert.deepEqual(read(text), records, JSON.stringify(text))
})

test('ambiguous input is refused with its row', () => {
  assert.throws(() => read('a\n"b'), /Row 2: a quote is opened and not closed/)
  assert.throws(() => read('a\nb"c'), /Row 2: a quote must enclose a whole field/)
  assert.throws(() => read('"b"c'), /Row 1: a quote must enclose a whole field/)
  assert.throws(() => read('"b" ,c'), /Row 1/)
})

test('a byte order mark is dropped, and invalid UTF-8 refused', () => {
  assert.equal(decodeCsv(Buffer.from(`${BYTE_ORDER_MARK}handle`)), 'handle')
  assert.throws(() => decodeCsv(Buffer.from([0xe9, 0x2c])), /not valid UTF-8/)
  assert.throws(() => decodeCsv(Buffer.from('\ufeffhandle', 'utf16le')), /not valid UTF-8/)
})

test('everything written as CSV is read back', () => {
  const field = fc.oneof(fc.string(), fc.constantFrom('', '"', '""', ',', '\r\n', '\n', '\r', 'a"b', ' '))
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const write = (isQuoted: boolean) => (text: string) => (isQuoted || /[",\r\n]/.test(text) ? quote(text) : text)
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom('\r\n', '\n', '\r'),
      (records, isQuoted, end) => {
        const text = records.map((record) => record.map(write(isQuoted)).join(',') + end).join('')
        assert.deepEqual(read(text), records)
      },
    ),
  )
  // Any other input must either be parsed or be refused with an error.
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', 'a') }), (text) => {
      try {
        read(text)
      } catch (error) {
        assert.match((error as Error).message, /^Row \d+: /)
      }
    }),
  )
})

test('text that a spreadsheet would run as a formula is marked as text, and text is always quoted', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
    assert.equal(csvLine([`${start}1`]), `"'${start}1"\r\n`)
  assert.equal(
    csvLine(['a=1', 'b"c', 'd,e', 'f\ng', 'h;=1', '', null, -1, 2.5]),
    '"a=1","b""c","d,e","f\ng","h;=1","",,-1,2.5\r\n',
  )
})

test('records of texts are read back as written, except for the mark before a formula', () => {
  const unmarked = (text: string) => text.replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, '')
  const isMarked = (text: string) => unmarked(text) !== text
  const field = fc
    .oneof(fc.string(), fc.constantFrom('', '"', ',', '\r\n', '=1+1', '-', 'a"b'))
    .filter((text) => !isMarked(text))
  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (records) => {
      const text = records.map((record) => csvLine(record)).join('')
      assert.deepEqual(
        read(text).map((record) => record.map(unmarked)),
        records,
      )
    }),
  )
})
