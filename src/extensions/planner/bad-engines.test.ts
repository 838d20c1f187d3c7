import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Capability, createPlugin } from 'groundschool-sdk'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { findFreePort } from '../../operations/testing/ports.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { searchTimeMs } from './engines.ts'
import { findCandidates, ok, openEngine, openSchool, search, type TestEngine } from './testing.ts'

const TIME_MS = 400
const app = await sharedApp({ ...UNLIMITED, RATE_PLANNER_PER_MINUTE: '100000' })
app.environment().provide(searchTimeMs, TIME_MS)
await openSchool(app)
const good = await openEngine(app, { after }, { key: 'good' })
const bad = await openEngine(app, { after }, { key: 'bad' })
await good.name(['@avery', 0.5])
const casey = await signInBrowser(app, 'casey')

type EngineResponse = TestEngine['says']['capabilities']
const never: EngineResponse = () => {}
const drip: EngineResponse = (response) => {
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const huge: EngineResponse = (response) => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  // Ignore the error of the pipeline: the platform closes the connection once it has read its maximum.
  pipeline(Readable.from(Array.from({ length: 1600 }, () => chunk)), response, () => {})
}
const raw =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): EngineResponse =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Ways in which an engine can misbehave, each with the problem that is reported. */
const BAD: [what: string, says: EngineResponse, problem: RegExp][] = [
  ['never answers', never, /^It did not respond within 0.4 seconds$/],
  ['a byte now and then', drip, /^It did not respond within 0.4 seconds$/],
  ['100 MB', huge, /^Its response is larger than 256 KiB$/],
  ['HTML', raw(200, '<html>Not found</html>', { 'content-type': 'text/html' }), /^Its response is not JSON$/],
  ['nothing', raw(204, ''), /^Its response is not JSON$/],
  ['a gzip bomb', raw(200, gzipSync(Buffer.alloc(10_000_000)), { 'content-encoding': 'gzip' }), /Content-Encoding/],
  ['an error', raw(500, '{"capabilities":[]}'), /^It responded with 500$/],
  ['a redirect', raw(302, '', { location: 'http://127.0.0.1:1/' }), /redirects are not followed/],
]

const setBad = (says: EngineResponse) => {
  bad.says.capabilities = bad.says.candidates = says
}

test('P4: an engine that is slow, silent, huge or answers nonsense fails by itself, and the others are shown', async () => {
  for (const [what, says, problem] of BAD) {
    setBad(says)
    const startedMs = performance.now()
    const { searchId, engines } = ok(await search(casey, [bad, good]))
    assertWithin(performance.now() - startedMs, TIME_MS + 2000, what)
    assert.deepEqual([engines[0].status, engines[0].capabilities, engines[1].status], ['failed', [], 'answered'], what)
    assert.match(engines[0].problem, problem, what)
    bad.says.capabilities = { capabilities: [{ id: 'a', name: 'A', description: '' }] }
    const both = ok(await search(casey, [bad, good]))
    const found = ok(await findCandidates(casey, both.searchId, ['1.1', '2.1']))
    assert.match(found.engines[0].problem, problem, what)
    // The failed engine does not lower the score: the mean covers only engines that answered.
    assert.deepEqual([found.candidates.length, found.candidates[0].score], [1, 0.5], what)
    assertError(await findCandidates(casey, searchId, ['1.1']), 400, 4003)
  }
})

test('P4: if no engine gives a usable answer, the result is 504/5040 with the reasons, and the search is kept', async () => {
  for (const [what, says, problem] of BAD) {
    setBad(says)
    const answer = await search(casey, [bad])
    assertError(answer, 504, 5040, /^No engine gave a usable response\. gs-bad: /)
    assert.match(answer.body.error_description.split('gs-bad: ')[1], problem, what)
    const { docs } = ok(await call(casey, 'GET', '/planner/v1/search/list?limit=1'))
    assert.deepEqual([docs[0].engines[0].status, problem.test(docs[0].engines[0].problem)], ['failed', true], what)
  }
  const { searchId } = ok(await search(casey, [good]))
  const says = good.says.candidates
  good.says.candidates = never
  assertError(await findCandidates(casey, searchId, ['1.1']), 504, 5040, /gs-good: It did not respond within/)
  good.says.candidates = says
})

test('P4: an engine that is dead, or speaks no HTTP, fails like any other', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'))
  const port = await findFreePort()
  const setPort = (to: number) =>
    app.sql(
      `update plugin_addresses set uri = 'http://127.0.0.1:${to}/x' where plugin_id = ${bad.pluginId} and purpose = 'capabilities'`,
    )
  const [{ uri }] = (await app.sql(
    `select uri from plugin_addresses where plugin_id = ${bad.pluginId} and purpose = 'capabilities'`,
  )) as [{ uri: string }]
  t.after(() =>
    app.sql(`update plugin_addresses set uri = '${uri}' where plugin_id = ${bad.pluginId} and uri like '%/x'`),
  )
  await setPort(port)
  assertError(await search(casey, [bad]), 504, 5040, /gs-bad: Connection refused/)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  await setPort((server.address() as { port: number }).port)
  assertError(await search(casey, [bad]), 504, 5040, /gs-bad: The connection failed/)
})

const capability = { id: 'a', name: 'A', description: '' }
const many = (count: number, one: object) => Array.from({ length: count }, (_, i) => ({ ...one, id: String(i) }))
const WRONG_CAPABILITIES: unknown[] = [
  null,
  [],
  'text',
  {},
  { capabilities: null },
  { capabilities: {} },
  { capabilities: [null] },
  { capabilities: [{ ...capability, id: 5 }] },
  { capabilities: [{ ...capability, id: '' }] },
  { capabilities: [{ ...capability, id: 'a\u0000' }] },
  { capabilities: [{ ...capability, id: '\ud800' }] },
  { capabilities: [{ ...capability, id: 'x'.repeat(201) }] },
  { capabilities: [{ ...capability, name: '' }] },
  { capabilities: [{ ...capability, name: 'x'.repeat(201) }] },
  { capabilities: [{ ...capability, description: 'x'.repeat(1001) }] },
  { capabilities: [{ id: 'a', name: 'A' }] },
  { capabilities: [capability, capability] },
  { capabilities: many(101, capability) },
]

test('P4: capabilities of a wrong shape are refused, and the reason names the place', async () => {
  for (const wrong of WRONG_CAPABILITIES) {
    bad.says.capabilities = raw(200, JSON.stringify(wrong))
    assertError(await search(casey, [bad]), 504, 5040, /gs-bad: Its response is not valid: /)
  }
  bad.says.capabilities = raw(200, '{"capabilities":[{"id":"a","name":5,"description":""}]}')
  assertError(await search(casey, [bad]), 504, 5040, /capabilities\.0\.name must be string/)
  bad.says.capabilities = raw(200, `${'['.repeat(100_000)}`)
  assertError(await search(casey, [bad]), 504, 5040, /not JSON/)
})

test('P4: candidates of a wrong shape are refused', async () => {
  bad.says.capabilities = { capabilities: [capability] }
  const { searchId } = ok(await search(casey, [bad]))
  const candidate = { userId: await bad.userIdOf('@avery'), score: 1, reasons: [] }
  const wrong = [
    '{}',
    '{"candidates":[{"userId":"a","score":1e400,"reasons":[]}]}',
    '{"candidates":[{"userId":"a","score":NaN,"reasons":[]}]}',
    ...[
      { ...candidate, score: 1.01 },
      { ...candidate, score: -0.01 },
      { ...candidate, score: '1' },
      { ...candidate, score: null },
      { ...candidate, userId: 7 },
      { ...candidate, userId: 'a\u0000b' },
      { ...candidate, reasons: 'many' },
      { ...candidate, reasons: [5] },
      { ...candidate, reasons: ['x'.repeat(301)] },
      { ...candidate, reasons: Array(21).fill('x') },
      { userId: candidate.userId, score: 1 },
    ].map((one) => JSON.stringify({ candidates: [one] })),
    JSON.stringify({ candidates: [candidate, candidate] }),
    JSON.stringify({ candidates: Array.from({ length: 6 }, (_, i) => ({ ...candidate, userId: String(i) })) }),
  ]
  for (const text of wrong) {
    bad.says.candidates = raw(200, text)
    assertError(await findCandidates(casey, searchId, ['1.1'], { limit: 5 }), 504, 5040, /gs-bad: It/)
  }
  assert.deepEqual(ok(await call(casey, 'GET', `/planner/v1/search?searchId=${searchId}`)).candidates.candidates, [])
})

test('at most 256 KiB of an answer are read; the SDK refuses a larger one before it is sent', async () => {
  const make = (bytes: number): Capability[] => {
    const all = Array.from({ length: 100 }, (_, i) => ({ id: `c${i}`, name: 'x', description: '€'.repeat(840) }))
    const lacks = bytes - Buffer.byteLength(JSON.stringify({ capabilities: all }))
    return all.map((one, i) => ({
      ...one,
      description: one.description.padEnd(840 + Math.floor((lacks + i) / 100), 'x'),
    }))
  }
  for (const [bytes, isTaken] of [
    [256 * 1024, true],
    [256 * 1024 + 1, false],
  ] as const) {
    const capabilities = make(bytes)
    const kit = createPlugin({
      clientId: 'c',
      secrets: 's',
      onCapabilitiesSearch: () => capabilities,
      onError: () => {},
    })
    const { status } = await kit.handle({
      method: 'POST',
      path: '/capabilities',
      headers: { authorization: `Basic ${btoa('c:s')}` },
      body: Buffer.from(JSON.stringify({ searchId: 's', text: 'x', orgIds: [] })),
    })
    assert.equal(status, isTaken ? 200 : 500)
    const body = JSON.stringify({ capabilities })
    assert.equal(Buffer.byteLength(body), bytes)
    bad.says.capabilities = raw(200, body)
    const { engines } = ok(await search(casey, [bad, good]))
    assert.equal(engines[0].status, isTaken ? 'answered' : 'failed', engines[0].problem)
  }
})

test("an engine's words are one plain line each", async () => {
  const name = '<b>Night</b>\r\nflying\u0000\u202e'
  bad.says.capabilities = { capabilities: [{ id: 'a', name, description: '\ud800a \u2028 b' }], more: 'ignored' }
  const { engines } = ok(await search(casey, [bad]))
  assert.deepEqual(engines[0].capabilities, [{ capabilityId: '1.1', name: '<b>Night</b> flying', description: 'a b' }])
})

test('an address that fails says since when, until it answers; one that is gone is switched off, and its plugin no longer offered', async () => {
  const read = async () =>
    (
      await app.sql(
        `select failing_since, off_at, off_reason from plugin_addresses where plugin_id = ${bad.pluginId} and purpose = 'capabilities'`,
      )
    )[0]!
  bad.says.capabilities = raw(500, '')
  await search(casey, [bad])
  assert.ok((await read()).failing_since)
  bad.says.capabilities = { capabilities: [] }
  ok(await search(casey, [bad]))
  assert.equal((await read()).failing_since, null)
  bad.says.capabilities = raw(410, '')
  assertError(await search(casey, [bad]), 504, 5040, /It responded with 410/)
  assert.match(String((await read()).off_reason), /410/)
  assertError(await search(casey, [bad]), 404, 4042)
})
