import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../errors.ts'
import { parseMixed, parseMultipart } from './multipart.ts'

const TYPE = 'multipart/form-data; boundary=xyz'
const parse = (body: string | Buffer, type = TYPE) =>
  parseMultipart(typeof body === 'string' ? Buffer.from(body) : body, type)
const part = (disposition: string, content: string, more = '') =>
  `--xyz\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
const END = '--xyz--\r\n'
const key = part('name="csrf_token"', 'k')
const file = (content = 'bytes', name = 'image', filename = 'a.png') =>
  part(`name="${name}"; filename="${filename}"`, content, 'Content-Type: image/png\r\n')

function assertRefused(body: string | Buffer, code: number, type = TYPE): void {
  assert.throws(
    () => parse(body, type),
    (error) => error instanceof PlatformError && error.code === code,
    JSON.stringify(String(body).slice(0, 200)),
  )
}

test('a form with a file becomes its fields and its bytes', async () => {
  assert.deepEqual(parse(key + file() + END), { csrf_token: 'k', image: Buffer.from('bytes') })
  assert.deepEqual(parse(key + file() + END.trimEnd()), { csrf_token: 'k', image: Buffer.from('bytes') })
  assert.deepEqual(parse(file('', 'image', '') + key + END), { image: Buffer.alloc(0), csrf_token: 'k' })
  assert.deepEqual(parse(END), {})
  const bytes = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))
  const [before, after] = file('|').split('|')
  assert.deepEqual(parse(Buffer.concat([Buffer.from(before!), bytes, Buffer.from(after! + END)])).image, bytes)
})

test('what browsers and curl send is read', async () => {
  const form = new FormData()
  form.append('csrf_token', 'äöü "quoted"')
  form.append('image', new Blob([Buffer.from('\r\n--\r\n')]), 'a "b"\r\n.png')
  const request = new Request('http://localhost', { method: 'POST', body: form })
  const fields = parse(Buffer.from(await request.arrayBuffer()), request.headers.get('content-type')!)
  assert.deepEqual(fields, { csrf_token: 'äöü "quoted"', image: Buffer.from('\r\n--\r\n') })
  assert.deepEqual(Object.keys(parse(file('x', 'image', 'C:\\\\a\\"b.png') + END)), ['image'])
  assert.deepEqual(Object.keys(parse(file('x', 'a%22b') + END)), ['a"b'])
  for (const type of ['multipart/form-data; boundary="xyz"', 'multipart/form-data; charset=utf-8; Boundary=xyz'])
    assert.deepEqual(parse(key + END, type), { csrf_token: 'k' })
})

test('content may look almost like the boundary', () => {
  for (const content of ['a--xyz', '\r\n--xy', '\n--xyz\n', '\r\n-xyz--', 'a--xyz--', '\r--xyz--'])
    assert.deepEqual(parse(file(content) + END).image, Buffer.from(content), JSON.stringify(content))
})

test('what two readers could take apart differently is refused', () => {
  for (const body of [
    '',
    'x',
    '--xyz',
    '--xyz\r\n',
    '--xyz-',
    '--xyz--x',
    '--xyz--\r\nmore',
    `before\r\n${key}${END}`,
    `\r\n${key}${END}`,
    key,
    key.slice(0, -2) + END,
    `${key}--xyz`,
    `${key}--xyzz--`,
    key.replaceAll('\r\n', '\n') + END,
    key + END.replace('--xyz', '--xyz '),
    '--xyz\r\n--xyz--',
    '--xyz\r\n\r\nx\r\n--xyz--',
    '--xyz\r\nContent-Disposition: form-data; name="a"\r\n--xyz--',
    '--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n--xyz--',
    part('name=a', 'x') + END,
    part('name=""', 'x') + END,
    part('filename="a"', 'x') + END,
    part('filename="a"; name="b"', 'x') + END,
    part('name="a"; name="b"', 'x') + END,
    part('name="a', 'x') + END,
    part('name="a"; filename*=utf-8\'\'x', 'x') + END,
    part('name="a"', 'x', 'Content-Disposition: form-data; name="b"\r\n') + END,
    part('name="a"', 'x', ' folded\r\n') + END,
    part('name="a"', 'x', `X: ${'x'.repeat(3000)}\r\n`) + END,
    file('--xyz') + END,
    file('--xyz--') + END,
    file('a\r\n--xyz') + END,
    key.replace('form-data', 'attachment') + END,
  ])
    assertRefused(body, 4000)
  assertRefused(Buffer.concat([Buffer.from(key.slice(0, -3)), Buffer.from([0xff]), Buffer.from(`\r\n${END}`)]), 4000)
})

test('a boundary is what RFC 2046 lets it be', () => {
  const forms = [
    '',
    '; boundary=',
    '; boundary=""',
    '; boundary="a\r\nb"',
    `; boundary=${'x'.repeat(71)}`,
    '; boundary="x ',
  ]
  for (const form of forms) assertRefused(key + END, 4000, `multipart/form-data${form}`)
})

test('one file, few fields, each once and short', () => {
  assertRefused(file() + file('x', 'other') + END, 4003)
  assertRefused(file() + file() + END, 4003)
  assertRefused(key + key + END, 4003)
  assertRefused(part('name="a"', 'x'.repeat(17_000)) + END, 4003)
  assert.equal(
    Object.keys(parse(Array.from({ length: 20 }, (_, i) => part(`name="f${i}"`, '')).join('') + END)).length,
    20,
  )
  const many = Array.from({ length: 50_000 }, (_, i) => part(`name="f${i}"`, '')).join('') + END
  const startedMs = performance.now()
  assertRefused(many, 4000)
  assertRefused('--xyz\r\n'.repeat(500_000), 4000)
  assertRefused(file('\r\n--xy'.repeat(800_000)), 4000)
  assert.ok(performance.now() - startedMs < 1_000)
})

test('names are fields and nothing else', () => {
  const fields = parse(part('name="__proto__"', 'x') + part('name="constructor"', 'y') + END)
  assert.deepEqual(Object.keys(fields), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(fields), Object.prototype)
})

const mixed = (body: string | Buffer, type = 'multipart/mixed; boundary=xyz', most = 3) =>
  parseMixed(Buffer.from(body as string), type, most).map(({ headers, content }) => [
    Object.fromEntries(headers),
    content.toString('latin1'),
  ])
const mixedPart = (content: string, head = 'A: b') => `--xyz\r\n${head}\r\n\r\n${content}\r\n`

test('parts of multipart/mixed: heads with small letters, bytes as they are, one empty line in front', () => {
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

test('multipart/mixed that could be read in two ways is refused', () => {
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
