import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { readPages } from '../../operations/testing/pages.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import {
  attachmentOf,
  MIXED,
  makeSpeaker,
  makeStatement,
  type Part,
  partOf,
  STATEMENTS,
  sha2,
  THROUGH_HEADER,
  VERSIONS,
  withParts,
  writeParts,
} from './testing.ts'

const MIB = 1024 * 1024
const app = await sharedApp({ ...UNLIMITED, XAPI_BODY_BYTES: String(24 * MIB), LARGE_BODIES_BYTES: String(512 * MIB) })
const key = await makeSpeaker(app)
const LOG = 'The flight took an hour.'
/** Bytes that a parser could mistake for boundaries. */
const BYTES = Buffer.concat([Buffer.from('\r\n--another-boundary\r\n\r\n\0'), randomBytes(100), Buffer.from('\r\n--')])

test('attachments are stored with their statements and returned with them (XAPI-00161, 00165, 00167)', async () => {
  for (const version of VERSIONS) {
    const speaker = key.as(version)
    const sent = makeStatement({
      attachments: [
        attachmentOf(LOG),
        attachmentOf(BYTES, { contentType: 'application/x-flight; v="1"' }),
        attachmentOf('', { fileUrl: 'https://example.org/logs/7', sha2: sha2('elsewhere'), length: 9 }),
      ],
    })
    assert.deepEqual(
      (await speaker.post(undefined, withParts(sent, partOf(LOG), partOf(BYTES)))).body,
      [sent.id],
      'of one that is elsewhere no bytes are needed',
    )
    for (const query of [{ statementId: sent.id }, { activity: (sent.object as { id: string }).id }]) {
      const { headers, body, parts } = await speaker.parts({ ...query, attachments: 'true' })
      assert.match(headers.get('content-type')!, /^multipart\/mixed; boundary=[\w-]+$/)
      assert.ok(headers.get(THROUGH_HEADER))
      const [one] = body.statements ?? [body]
      assert.deepEqual([one!.id, one!.attachments], [sent.id, sent.attachments])
      assert.deepEqual(
        new Set(
          parts.map(({ headers: own, content }) => [
            own.get('content-type'),
            own.get('content-transfer-encoding'),
            own.get('x-experience-api-hash'),
            content.toString('latin1'),
          ]),
        ),
        new Set([
          ['text/plain', 'binary', sha2(LOG), LOG],
          ['application/x-flight; v="1"', 'binary', sha2(BYTES), BYTES.toString('latin1')],
        ]),
      )
      for (const attachments of ['false', undefined]) {
        const plain = await speaker.get({ ...query, ...(attachments ? { attachments } : {}) })
        assert.equal(plain.headers.get('content-type'), 'application/json; charset=utf-8')
        assert.ok(!plain.text.includes(LOG))
      }
    }
  }
  const none = await key.parts({ verb: 'https://example.org/verbs/never', attachments: 'true' })
  assert.deepEqual([none.body, none.parts], [{ statements: [], more: '' }, []])
})

test('PUT accepts attachments too, and content shared by statements is stored and sent once', async () => {
  const verb = { id: `https://example.org/verbs/${randomUUID()}` }
  const [one, two] = [1, 2].map(() => makeStatement({ verb, attachments: [attachmentOf(LOG)] }))
  const put = await key.put(one!.id, undefined, withParts(one, partOf(LOG)))
  assert.equal(put.status, 204, put.text)
  assert.equal((await key.post(undefined, withParts([two], partOf(LOG), partOf(LOG)))).status, 200)
  const { body, parts } = await key.parts({ verb: verb.id, attachments: 'true' })
  assert.deepEqual([body.statements.length, parts.length], [2, 1])
  assert.equal((await app.sql(`select from attachments where sha2 = '${sha2(LOG)}'`)).length, 1)
})

test('an attachment in a sub-statement, and one with an upper-case hash, keep their media type and name', async () => {
  const [inner, outer] = [`in ${randomUUID()}`, `out ${randomUUID()}`]
  const { id: _id, ...planned } = makeStatement({
    attachments: [attachmentOf(inner, { contentType: 'text/csv' })],
  })
  const large = attachmentOf(outer, { sha2: sha2(outer).toUpperCase(), contentType: 'text/html' })
  const sent = makeStatement({ object: { objectType: 'SubStatement', ...planned }, attachments: [large] })
  const answer = await key.post(undefined, withParts(sent, partOf(inner), partOf(outer)))
  assert.equal(answer.status, 200, answer.text)
  const { parts } = await key.parts({ statementId: sent.id, attachments: 'true' })
  assert.deepEqual(
    new Map(parts.map(({ headers }) => [headers.get('x-experience-api-hash'), headers.get('content-type')])),
    new Map([
      [sha2(inner), 'text/csv'],
      [sha2(outer).toUpperCase(), 'text/html'],
    ]),
  )
})

test('every hash function of the SHA-2 family is accepted', async () => {
  for (const algorithm of ['sha224', 'sha256', 'sha384', 'sha512']) {
    const bytes = `${algorithm} ${randomUUID()}`
    const hash = sha2(bytes, algorithm)
    const sent = makeStatement({ attachments: [attachmentOf(bytes, { sha2: hash })] })
    const answer = await key.post(undefined, withParts(sent, partOf(bytes, { 'X-Experience-API-Hash': hash })))
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await key.parts({ statementId: sent.id, attachments: 'true' })).parts[0]!.content.toString(), bytes)
  }
})

test('a wrong length in the statement is accepted, in the part it is refused, and the hash must match the bytes', async () => {
  const sent = makeStatement({ attachments: [attachmentOf(LOG, { length: 1_000_000 })] })
  assert.equal((await key.post(undefined, withParts(sent, partOf(LOG)))).status, 200)
  assert.equal((await key.parts({ statementId: sent.id, attachments: 'true' })).parts[0]!.content.toString(), LOG)
  for (const length of ['1000000', '0', '-1', 'many', String(LOG.length - 1)]) {
    const other = makeStatement({ attachments: [attachmentOf(LOG)] })
    const answer = await key.post(undefined, withParts(other, partOf(LOG, { 'Content-Length': length })))
    assertError(answer, 400, 4000, /Part 2 .*24 bytes/)
    assertError(await key.get({ statementId: other.id }), 404, 4042)
  }
})

test('faults in the parts are named, and nothing is stored (XAPI-00128 to 00135)', async () => {
  const sent = makeStatement({ attachments: [attachmentOf(LOG)] })
  const json = (content: string, type = 'application/json'): Part => ({ headers: { 'Content-Type': type }, content })
  const first = json(JSON.stringify(sent))
  const good = partOf(LOG)
  const without = (name: string): Part => ({
    ...good,
    headers: Object.fromEntries(Object.entries(good.headers).filter(([one]) => one !== name)),
  })
  const text = writeParts([first, good]).toString()
  for (const [raw, words] of [
    [writeParts([first]), /without its bytes.*fileUrl/],
    [writeParts([first, partOf('something else')]), /without its bytes/],
    [writeParts([first, { ...good, content: `${LOG} ` }]), /Part 2 .*does not match its hash/],
    [writeParts([first, partOf(LOG, { 'X-Experience-API-Hash': 'abc' })]), /Part 2 .*does not match its hash/],
    [writeParts([first, without('X-Experience-API-Hash')]), /Part 2 .*no header X-Experience-API-Hash/],
    [writeParts([first, without('Content-Transfer-Encoding')]), /Part 2 .*binary/],
    [writeParts([first, partOf(LOG, { 'Content-Transfer-Encoding': 'base64' })]), /Part 2 .*binary/],
    [writeParts([first, good, partOf('left over')]), /Part 3 .*belongs to no attachment/],
    [writeParts([first, good, good, partOf('left over')]), /Part 4 .*belongs to no attachment/],
    [writeParts([good, first]), /first part/],
    [writeParts([json(first.content as string, 'text/plain'), good]), /first part/],
    [writeParts([json(JSON.stringify([sent]).slice(0, -1)), good]), /./],
    [writeParts([json(''), good]), /empty/],
    [writeParts([]), /first part/],
    [writeParts([json('[]'), good]), /belongs to no attachment/],
    // These bodies cannot be split into parts.
    ['', /incomplete or malformed/],
    ['no parts', /incomplete or malformed/],
    [text.slice(0, -4), /incomplete or malformed/],
    [text.slice(0, text.lastIndexOf('--a-boundary--')), /incomplete or malformed/],
    [`${text}more`, /incomplete or malformed/],
    [`before${text}`, /incomplete or malformed/],
    [text.replaceAll('\r\n', '\n'), /incomplete or malformed/],
    [text.replace('\r\n\r\n', '\r\n'), /incomplete or malformed/],
    [text.replace('Content-Type', 'Content Type'), /incomplete or malformed/],
    [text.replace('Content-Transfer', 'Content-Type: x\r\nContent-Transfer'), /incomplete or malformed/],
    [text.replace('Content-Transfer', ' folded: x\r\nContent-Transfer'), /incomplete or malformed/],
    [text.replace('Content-Transfer', `X: ${'x'.repeat(3000)}\r\nContent-Transfer`), /incomplete or malformed/],
    [text.replace('--a-boundary\r\n', '--a-boundary \r\n'), /incomplete or malformed/],
    [text.replaceAll('a-boundary', 'another'), /incomplete or malformed/],
  ] as const) {
    const answer = await key.send('POST', STATEMENTS, { raw, headers: MIXED })
    assert.equal(answer.status, 400, `${answer.text} ${raw}`)
    assert.match(answer.body.error_description, words, raw.toString())
  }
  for (const type of [
    'multipart/mixed',
    'multipart/mixed; boundary=',
    `multipart/mixed; boundary=${'x'.repeat(71)}`,
    'multipart/mixed; boundary="a b "',
  ])
    assertError(
      await key.send('POST', STATEMENTS, { raw: text, headers: { 'content-type': type } }),
      400,
      4000,
      /boundary/,
    )
  // XAPI-00129: a plain JSON body contains no attachment bytes, so an attachment without a fileUrl is refused.
  assertError(await key.post(sent), 400, 4003, /without its bytes/)
  assertError(await key.get({ statementId: sent.id }), 404, 4042)
  assert.equal((await app.sql(`select from attachments where sha2 = '${sha2('left over')}'`)).length, 0)
})

test('too many parts are refused before they are parsed', async () => {
  const many = Array.from({ length: 1100 }, (_, i) => partOf(String(i)))
  assertError(await key.post(undefined, withParts(makeStatement(), ...many)), 400, 4000, /more than 1001 parts/)
})

test('large attachments shorten pages, and all are returned in the end', async () => {
  const verb = { id: `https://example.org/verbs/${randomUUID()}` }
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const bytes = randomBytes(9 * MIB)
    const sent = makeStatement({ verb, attachments: [attachmentOf(bytes)] })
    const answer = await key.post(undefined, withParts(sent, partOf(bytes)))
    assert.equal(answer.status, 200, answer.text)
    ids.unshift(sent.id)
  }
  const first: Record<string, string> = { verb: verb.id, attachments: 'true' }
  const pages = await readPages(
    first,
    (query) => key.parts(query),
    ({ body: { more } }) => (more === '' ? undefined : { cursor: more.split('cursor=')[1]! }),
  )
  for (const [i, { body, parts }] of pages.entries()) {
    assert.deepEqual([body.statements.length, parts.length], [1, 1], `page ${i + 1}`)
    assert.equal(sha2(parts[0]!.content), body.statements[0]!.attachments![0]!.sha2)
  }
  assert.deepEqual(
    pages.map(({ body }) => body.statements[0]!.id),
    ids,
  )
})

test('attachments are visible only to those who can read their statement', async () => {
  const bytes = `secret ${randomUUID()}`
  const sent = makeStatement({ attachments: [attachmentOf(bytes)] })
  await key.post(undefined, withParts(sent, partOf(bytes)))
  const other = await makeSpeaker(app, 'statements/write', 'statements/read/mine')
  assertError(await other.get({ statementId: sent.id, attachments: true }), 404, 4042)
  // A caller who only names the hash of another sender's attachment does not receive its bytes.
  const probe = makeStatement({ attachments: [attachmentOf(bytes, { fileUrl: 'https://example.org/x' })] })
  await other.store(probe)
  assert.deepEqual((await other.parts({ statementId: probe.id, attachments: 'true' })).parts, [])
})

test('a media type cannot inject lines into the header of a part', async () => {
  for (const contentType of [
    'text/plain; a="\r\nX-Experience-API-Hash: 0"',
    'text/plain; a="\\\n"',
    'text/plain\r\n',
    'text/plain; a="\u0001"',
  ]) {
    const sent = makeStatement({ attachments: [attachmentOf(LOG, { contentType })] })
    const answer = await key.post(undefined, withParts(sent, partOf(LOG)))
    assertError(answer, 400, 4003, /media type/)
  }
})
