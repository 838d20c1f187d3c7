import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { operations } from '../../../app.ts'
import { signInBrowser, UNLIMITED } from '../../../apps/account/testing.ts'
import { lesson, openSchool } from '../../../learning/courses/testing.ts'
import { sharedApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'
import { compressing } from './compress.ts'

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }
const RESULTS = '/edu/v1/class/result?classId=alpha'

const app = await sharedApp(UNLIMITED)
let token = ''
let cookie = ''
before(async () => {
  await openSchool(app, { lessons: Array.from({ length: 200 }, (_, i) => lesson(`lesson-${i}`)) })
  token = `Bearer ${(await app.as('avery')).token}`
  cookie = [...(await signInBrowser(app, 'casey')).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
})

interface Received {
  readonly coding: keyof typeof DECODE
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  readonly text: string
}

/** Sends a request without the automatic decoding of `fetch`. */
async function receive(path: string, headers: Record<string, string>, method = 'GET'): Promise<Received> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(`${app.address}${path}`, { method, headers }, resolve).on('error', reject).end(),
  )
  const bytes = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>))
  assert.equal(answer.statusCode, 200)
  const coding = (answer.headers['content-encoding'] ?? 'identity') as Received['coding']
  return { coding, headers: answer.headers, bytes, text: method === 'HEAD' ? '' : String(DECODE[coding](bytes)) }
}

const asApp = (accepted?: string) => ({
  authorization: token,
  ...(accepted !== undefined && { 'accept-encoding': accepted }),
})

test('a large response is compressed as the client accepts it, and says so', async () => {
  const plain = await receive(RESULTS, asApp())
  assert.ok(plain.bytes.length > 50_000)
  for (const [accepted, coding] of [
    [undefined, 'identity'],
    ['identity', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['br;q=0, gzip;q=0.0', 'identity'],
  ] as const) {
    const found = await receive(RESULTS, asApp(accepted))
    assert.equal(found.coding, coding, accepted)
    assert.equal(found.text, plain.text)
    assert.equal(found.headers['content-length'], String(found.bytes.length))
    assert.equal(found.headers.vary, 'Accept-Encoding')
    assert.equal(found.headers['content-type'], 'application/json; charset=utf-8')
    if (coding !== 'identity') assert.ok(found.bytes.length < plain.bytes.length / 5)
    const head = await receive(RESULTS, asApp(accepted), 'HEAD')
    assert.deepEqual([head.headers['content-length'], head.bytes.length], [found.headers['content-length'], 0])
  }
  const origin = 'https://elsewhere.example'
  const { headers } = await receive(RESULTS, { ...asApp('br'), origin })
  assert.equal(headers.vary, 'Origin, Accept-Encoding')
})

test('a small response is not compressed, but says that it could be', async () => {
  const { coding, headers } = await receive('/edu/v1/class/timeline?classId=alpha', asApp('br'))
  assert.deepEqual([coding, headers.vary], ['identity', 'Accept-Encoding'])
})

test('a response to a page of another site is compressed only if that page has the token', async () => {
  const codingFrom = async (site: string, credentials: Record<string, string>) =>
    (
      await receive(`${RESULTS}&studentId=avery-alpha`, {
        ...credentials,
        'accept-encoding': 'br',
        'sec-fetch-site': site,
      })
    ).coding
  for (const site of ['same-origin', 'none']) assert.equal(await codingFrom(site, { cookie }), 'br', site)
  for (const site of ['cross-site', 'same-site']) assert.equal(await codingFrom(site, { cookie }), 'identity', site)
  assert.equal(await codingFrom('cross-site', { authorization: token }), 'br')
})

test('while two others are being compressed, a response is sent as it is', async () => {
  const codingNow = async () => (await receive(RESULTS, asApp('br'))).coding
  const gate = app.environment().get(compressing)
  const turns = [gate.tryEnter('')!, gate.tryEnter('')!]
  assert.equal(await codingNow(), 'identity')
  turns[0]!()
  assert.equal(await codingNow(), 'br')
  turns[1]!()
})

test('clients that go away free their turns', async () => {
  for (let i = 0; i < 10; i++)
    await new Promise<void>((resolve) => {
      const sent = request(`${app.address}${RESULTS}`, { headers: asApp('br') }).on('error', () => resolve())
      sent.end(() => setTimeout(() => sent.destroy(new Error('gone')), i))
    })
  await until('all turns are free', () => app.environment().get(compressing).working === 0)
  assert.equal((await receive(RESULTS, asApp('br'))).coding, 'br')
})

/**
 * The operations whose responses are compressed, written down by hand. The size of a compressed response reveals
 * something about its content, so add no operation whose response contains a secret (decision 77).
 */
const COMPRESSED = [
  'listAnnouncements',
  'listCalendar',
  'listDates',
  'listEvaluations',
  'readGradebook',
  'readGradebookAverages',
  'readLocks',
  'readResults',
  'readTimeline',
]
const SECRET = /token|secret|password|cookie|session|credential|code$|^key$|challenge|csrf|signature|nonce/i

test('no operation that responds with a secret is compressed', () => {
  const compressed = operations.filter(({ isCompressible }) => isCompressible)
  assert.deepEqual(compressed.map(({ name }) => name).sort(), COMPRESSED)
  for (const { name, method, output } of compressed) {
    assert.equal(method, 'GET', name)
    assert.ok(output.kind === 'json' || output.kind === 'raw', name)
    const fields = output.kind === 'json' ? fieldsIn(output.schema) : []
    assert.deepEqual(
      [...fields, ...Object.keys(output.headers ?? {})].filter((field) => SECRET.test(field)),
      [],
      name,
    )
  }
  const tokens = operations.find(({ name }) => name === 'requestTokens')!.output
  assert.ok(tokens.kind === 'json' && fieldsIn(tokens.schema).some((field) => SECRET.test(field)))
})

/** Lists the names of all properties in a schema. */
function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsIn)]
}
