import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { type Answer, assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { MIXED, makeSpeaker, makeStatement, Speaker, STATEMENTS, withParts, writeParts } from './testing.ts'

const app = await sharedApp(UNLIMITED)
const key = await makeSpeaker(app)
const count = async () => (await app.sql('select count(*)::int as n from statement_ids'))[0]!.n
const JSON_TYPE = { 'content-type': 'application/json' }
const large = (bytes: number) =>
  makeStatement({ result: { extensions: { 'https://example.org/x': 'x'.repeat(bytes) } } })

test('limits are named in the error: a statement of 10 MB, a small body that grows large, 10,000 in a batch (XAPI-00328)', async () => {
  const before = await count()
  assertError(await key.post(large(10_000_000)), 413, 4131, /8388608/)
  assertError(await key.post([makeStatement(), large(1_100_000)]), 413, 4131, /^\/1 must have at most 1048576 bytes/)
  const { id: _id, ...short } = makeStatement({ object: { id: 'x:y' }, actor: { mbox: 'mailto:a@b.c' } })
  assertError(await key.post(Array(10_000).fill(short)), 400, 4003, /10000 .*1000/)
  assertError(await key.post(Array(1001).fill(short)), 400, 4003, /1001 .*1000/)
  assert.equal(await count(), before)
  assert.equal((await key.post(Array(1000).fill(short))).body.length, 1000)
})

test('with one bad statement in 500 none is stored, and the error names its place (XAPI-00182, 00326)', async () => {
  const before = await count()
  const batch: object[] = Array.from({ length: 500 }, () => makeStatement())
  batch[321] = makeStatement({ actor: { mbox: 'ada@example.org' } })
  const answer = await key.post(batch)
  assertError(answer, 400, 4003, /^\/321\/actor\/mbox must/)
  assert.deepEqual(
    answer.body.faults.map(({ pointer }: { pointer: string }) => pointer),
    ['/321/actor/mbox'],
  )
  assert.equal(await count(), before)
  // A refusal lists several faults, but no more than 20.
  const { faults } = (await key.post([7, null, 'x', [], {}, ...Array(400).fill({ verb: 1 })])).body
  assert.equal(faults.length, 20)
  assert.deepEqual([faults[0].pointer, faults[1].pointer], ['/0', '/1'])
})

test('of 50 parallel posts of one id through two processes one is stored, and the others learn that it exists', async (t) => {
  const second = await app.startSecond()
  const speakers = [key, new Speaker(new Client(second.addresses.production, key.client.token))]
  await t.test('the same content', async () => {
    const sent = makeStatement()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => speakers[i % 2]!.post(sent)))
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, [sent.id]])
    assert.deepEqual(await key.find({ activity: (sent.object as { id: string }).id }), [sent.id])
  })
  await t.test('different content in each', async () => {
    const id = randomUUID()
    const verb = { id: `https://example.org/verbs/${randomUUID()}` }
    const beside = Array.from({ length: 50 }, () => makeStatement({ verb }))
    const answers = await Promise.all(beside.map((one, i) => speakers[i % 2]!.post([one, makeStatement({ id, verb })])))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, ...Array(49).fill(409)],
      answers.map(({ text }) => text).join(),
    )
    const won = beside[answers.findIndex(({ status }) => status === 200)]!
    assert.deepEqual(await key.find({ verb: verb.id }), [id, won.id], 'of the others nothing at all')
    // An acknowledged statement can be read immediately from both processes.
    for (const speaker of speakers) assert.equal((await speaker.read(id)).id, id)
  })
})

const D4: readonly (readonly [string, string, number])[] = [
  ['400,000 levels', '['.repeat(400_000), 400],
  ['400,000 levels of objects', '{"a":'.repeat(400_000), 400],
  ['400,000 levels inside', inside('['.repeat(200_000) + ']'.repeat(200_000)), 400],
  ['U+0000', inside('"a\\u0000b"'), 400],
  ['a lone surrogate', inside('"\\ud800"'), 400],
  ['1e400', inside('1e400'), 400],
  ['a key twice', inside('{"a":1,"a":2}'), 400],
  ['a property twice', JSON.stringify(makeStatement()).replace('{', '{"verb":{"id":"x:y"},'), 400],
  ['2 MB', inside(`"${'x'.repeat(2_000_000)}"`), 413],
  ['20 MB', inside(`"${'x'.repeat(20_000_000)}"`), 413],
]
function inside(json: string): string {
  return JSON.stringify(makeStatement({ result: { extensions: { 'https://example.org/x': 7 } } })).replace(
    ':7',
    `:${json}`,
  )
}

test('D4: JSON that is too deep, malformed, has duplicate keys or is too large is refused at once, also in multipart', async () => {
  const before = await count()
  const assertRefused = (name: string, status: number, answer: Answer) => {
    assert.equal(answer.status, status, `${name}: ${answer.text}`)
    assertError(answer, status, answer.body.error_code)
  }
  for (const [name, raw, status] of D4) {
    assertRefused(name, status, await key.send('POST', STATEMENTS, { raw, headers: JSON_TYPE }))
    assertRefused(
      name,
      status,
      await key.put(randomUUID(), undefined, { raw: raw.replace(/"id":"[0-9a-f-]{36}",/, ''), headers: JSON_TYPE }),
    )
    const parts = writeParts([{ headers: { 'Content-Type': 'application/json' }, content: raw }])
    assertRefused(name, status, await key.send('POST', STATEMENTS, { raw: parts, headers: MIXED }))
    if (raw.length > 1_000_000) continue
    const fields = { Authorization: key.client.token!, 'X-Experience-API-Version': '1.0.3', content: raw }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const wrapped = { query: { method: 'POST' }, raw: String(new URLSearchParams(fields)), headers: form }
    assertRefused(name, status, await app.nobody().send('POST', STATEMENTS, wrapped))
    if (raw.length < 10_000) assertRefused(name, status, await key.get({ agent: raw }))
  }
  // Bodies with invalid UTF-8 or a byte order mark are refused.
  for (const raw of [Buffer.from([0xff, 0xfe, 0x7b]), Buffer.from('{"actor":"\xff"}', 'latin1')])
    assertRefused('UTF-8', 400, await key.send('POST', STATEMENTS, { raw, headers: JSON_TYPE }))
  assert.equal(await count(), before)
  assert.deepEqual(
    app
      .log()
      .split('\n')
      .filter((line) => line.includes('unhandled error')),
    [],
  )
})

test('text in all languages is stored exactly (XAPI-00015)', async () => {
  const name = 'Zoë 航空 \u202e😀 e\u0301 __proto__'
  const sent = makeStatement({
    actor: { mbox: 'mailto:ada@example.org', name },
    object: { id: `https://example.org/飛行/${randomUUID()}` },
  })
  await key.store(sent)
  const read = await key.read(sent.id)
  assert.deepEqual([read.actor.name, read.object], [name, sent.object])
  assert.deepEqual(await key.find({ activity: (sent.object as { id: string }).id }), [sent.id])
  const odd = JSON.parse('{"https://example.org/x":{"__proto__":{"a":1},"constructor":null,"":0.1}}')
  const [id] = (await key.post(undefined, withParts(makeStatement({ result: { extensions: odd } })))).body
  assert.equal(JSON.stringify((await key.read(id)).result!.extensions), JSON.stringify(odd))
})
