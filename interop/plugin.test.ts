import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import express from 'express'
import fastify from 'fastify'
import { createPlugin, type Plugin, type PluginOptions, rememberIds, TOLERANCE_SECONDS } from 'groundschool-sdk'
import { Webhook } from 'standardwebhooks'
import { basic, CLIENT_ID, listen, SECRET, START, send, signed } from '../sdk/src/testing.ts'

const SEARCH = JSON.stringify({ searchId: 's1', text: 'night flying', orgIds: ['org-1'] })
const CANDIDATES = JSON.stringify({ searchId: 's1', capabilityIds: ['skill:night'], orgIds: ['org-1'], limit: 5 })
const BODY = JSON.stringify(START)

/**
 * By framework, a function that starts a server with the plugin and returns the plugin's address. A path prefix is used
 * if the framework supports one.
 */
const SERVERS = {
  'node:http': async (t: TestContext, plugin: Plugin) => listen(t, plugin.node),
  express: async (t: TestContext, plugin: Plugin) => {
    const app = express()
    app.use('/hooks', plugin.express)
    // The app's own routes, outside the plugin, still get parsed JSON.
    app.use(express.json())
    app.post('/own', (request, response) => void response.json(request.body))
    return `${await listen(t, app)}/hooks`
  },
  fastify: async (t: TestContext, plugin: Plugin) => {
    const app = fastify()
    await app.register(plugin.fastify, { prefix: '/hooks' })
    app.post('/own', (request) => request.body)
    t.after(() => app.close())
    return `${await app.listen({ port: 0 })}/hooks`
  },
} as const

/** Creates a plugin that records what its handlers were given. */
function record(more: Partial<PluginOptions> = {}) {
  const calls: unknown[] = []
  const plugin = createPlugin({
    clientId: CLIENT_ID,
    secrets: SECRET,
    onRequestStarted: (document, { id }) => void calls.push([document, id]),
    onDistributionsChanged: (change, { id }) => void calls.push([change, id]),
    onCapabilitiesSearch: ({ text }) => [{ id: 'skill:night', name: text, description: 'Flies at night.' }],
    onCandidateSearch: ({ capabilityIds }) => [{ userId: 'u1', score: 0.5, reasons: [`Has ${capabilityIds}.`] }],
    ...more,
  })
  return { plugin, calls }
}

for (const [name, serve] of Object.entries(SERVERS))
  test(`${name}: what the platform sends is handed on and answered`, async (t) => {
    const { plugin, calls } = record()
    const address = await serve(t, plugin)
    assert.deepEqual((await send(`${address}/request?x=1`, BODY, signed(BODY))).body, { success: true })
    const change = JSON.stringify({ requestId: 'request-1', distributions: [], later: 'unknown fields stay' })
    assert.equal((await send(`${address}/distributions`, change, signed(change, { id: 'event-2' }))).status, 200)
    assert.deepEqual(calls, [
      [START, 'event-1'],
      [JSON.parse(change), 'event-2'],
    ])
    assert.deepEqual((await send(`${address}/capabilities`, SEARCH, { authorization: basic() })).body, {
      capabilities: [{ id: 'skill:night', name: 'night flying', description: 'Flies at night.' }],
    })
    assert.deepEqual((await send(`${address}/candidates`, CANDIDATES, signed(CANDIDATES))).body, {
      candidates: [{ userId: 'u1', score: 0.5, reasons: ['Has skill:night.'] }],
    })
    if (name !== 'node:http')
      assert.deepEqual((await send(new URL('/own', address).href, '{"a":1}', {})).body, { a: 1 })
  })

for (const [name, serve] of Object.entries(SERVERS))
  test(`${name}: wrong, missing and half credentials are refused, and no handler is called`, async (t) => {
    const { plugin, calls } = record()
    const address = await serve(t, plugin)
    const good = signed(BODY)
    const now = Math.floor(Date.now() / 1000)
    const without = (header: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== header))
    const refused: Record<string, Record<string, string>> = {
      'nothing at all': {},
      'a wrong secret in Basic': { ...good, authorization: basic('wrong') },
      'another client ID': { ...good, authorization: basic(SECRET, 'gs-other') },
      'a secret with something after it': { ...good, authorization: basic(`${SECRET}x`) },
      'Bearer instead of Basic': { ...good, authorization: `Bearer ${SECRET}` },
      'Basic without a colon': { ...good, authorization: `Basic ${Buffer.from(CLIENT_ID).toString('base64')}` },
      'no Basic': without('authorization'),
      'Basic alone': { authorization: basic() },
      'no id': without('webhook-id'),
      'no timestamp': without('webhook-timestamp'),
      'no signature': without('webhook-signature'),
      'an empty id': signed(BODY, { id: '' }),
      'another id': { ...good, 'webhook-id': 'event-2' },
      'another timestamp': { ...good, 'webhook-timestamp': String(now + 1) },
      'a timestamp that is no number': { ...good, 'webhook-timestamp': 'now' },
      'the signature of another secret': { ...signed(BODY, { secrets: ['wrong'] }), authorization: basic() },
      'the signature of another body': { ...signed(BODY.replace('Drew', 'Dora')) },
      'half of the signature': { ...good, 'webhook-signature': good['webhook-signature']!.slice(0, 20) },
      'a version that nobody knows': { ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', 'v2,') },
      'a delivery sent again later': signed(BODY, { timestamp: now - TOLERANCE_SECONDS - 2 }),
      'a delivery of the future': signed(BODY, { timestamp: now + TOLERANCE_SECONDS + 30 }),
    }
    for (const [what, headers] of Object.entries(refused)) {
      const { status, headers: answered } = await send(`${address}/request`, BODY, headers)
      assert.equal(status, 401, what)
      assert.match(answered.get('www-authenticate') ?? '', /^Basic /, what)
    }
    // A search needs no signature. If it has one, the signature must be valid.
    for (const headers of [{}, { authorization: basic('wrong') }, { ...signed(BODY) }, without('webhook-id')])
      assert.equal((await send(`${address}/capabilities`, SEARCH, headers)).status, 401)
    assert.deepEqual(calls, [])
    const early = signed(BODY, { timestamp: now - TOLERANCE_SECONDS + 30 })
    assert.equal((await send(`${address}/request`, BODY, early)).status, 200)
  })

test('two secrets: either one in Basic, any one of several signatures', async (t) => {
  const { plugin } = record({ secrets: ['old', 'new'] })
  const address = `${await SERVERS['node:http'](t, plugin)}/request`
  const several = signed(BODY, { secrets: ['unknown', 'new'] })
  for (const [headers, status] of [
    [signed(BODY, { secrets: ['old'] }), 200],
    [signed(BODY, { secrets: ['new'] }), 200],
    [signed(BODY, { secrets: ['old', 'new'] }), 200],
    [{ ...several, authorization: basic('old') }, 200],
    [several, 401],
    [{ ...signed(BODY, { secrets: ['unknown'] }), authorization: basic('old') }, 401],
  ] as const)
    assert.equal((await send(address, BODY, headers)).status, status)
  for (const secrets of [[], [''], ['a', 'b', 'c']])
    assert.throws(() => createPlugin({ clientId: CLIENT_ID, secrets }), /one or two secrets/)
})

for (const [name, serve] of Object.entries(SERVERS))
  test(`${name}: a huge body is refused unread, also one that does not say how long it is`, async (t) => {
    const { plugin, calls } = record({ bodyLimitBytes: 20_000 })
    const address = await serve(t, plugin)
    const most = JSON.stringify({ ...START, packageName: 'x'.repeat(19_000) })
    assert.equal((await send(`${address}/request`, most, signed(most))).status, 200)
    const huge = JSON.stringify({ ...START, packageName: 'x'.repeat(20_000) })
    assert.equal((await send(`${address}/request`, huge, signed(huge))).status, 413)
    assert.equal(calls.length, 1)
    // Requests whose body never ends: a response is sent anyway. Callers with wrong credentials are refused before
    // their body is read.
    for (const [authorization, status] of [
      [basic(), 413],
      [basic('wrong'), 401],
    ] as const) {
      const call = request(`${address}/request`, { method: 'POST', headers: { authorization } })
      call.on('error', () => {})
      call.write(' '.repeat(status === 413 ? 30_000 : 1))
      const [response] = await once(call, 'response')
      assert.equal(response.statusCode, status)
      assert.equal(response.headers.connection, 'close')
      call.destroy()
    }
  })

test('what is no document is refused by name: 400, 404, 405', async (t) => {
  const { plugin, calls } = record({ paths: { request: '/ato/new' } })
  const address = await SERVERS['node:http'](t, plugin)
  for (const [body, reason] of [
    ['', /JSON object/],
    ['[]', /JSON object/],
    ['{"requestId": "r"', /JSON object/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /JSON object/],
    ['{"status": "not-started", "distributions": []}', /requestId/],
    ['{"requestId": "r", "status": "not-started", "distributions": {}}', /distributions/],
  ] as const) {
    const answer = await send(`${address}/ato/new`, body, signed(body as string))
    assert.equal(answer.status, 400)
    assert.match(String(answer.body.error), reason)
  }
  assert.equal((await send(`${address}/request`, BODY, signed(BODY))).status, 404)
  const got = await send(`${address}/ato/new`, '', signed(''), 'GET')
  assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST'])
  // Paths that `new URL` rejects must not crash the process.
  for (const path of ['//', '/\\\\[', '*']) {
    const call = request(address, { path, signal: AbortSignal.timeout(10_000) }).end()
    const [response] = await once(call, 'response')
    assert.equal(response.resume().statusCode, 404)
  }
  const bare = await SERVERS['node:http'](t, createPlugin({ clientId: CLIENT_ID, secrets: SECRET }))
  assert.equal((await send(`${bare}/request`, BODY, signed(BODY))).status, 404)
  assert.deepEqual(calls, [])
})

test('a handler that fails is 500, says nothing to the caller, and is called again for the same id', async (t) => {
  const errors: unknown[] = []
  let tries = 0
  const { plugin } = record({
    seen: rememberIds(),
    onRequestStarted: () => {
      if (++tries === 1) throw new Error('the disk is full')
    },
    onCandidateSearch: () => [{ userId: 'u1', score: 1.5, reasons: [] }],
    onError: (error, purpose) => errors.push([String(error), purpose]),
  })
  const address = await SERVERS['node:http'](t, plugin)
  const failed = await send(`${address}/request`, BODY, signed(BODY))
  assert.deepEqual([failed.status, failed.body], [500, { error: 'The plugin could not deal with it.' }])
  for (let i = 0; i < 2; i++) assert.equal((await send(`${address}/request`, BODY, signed(BODY))).status, 200)
  assert.equal(tries, 2)
  assert.equal((await send(`${address}/candidates`, CANDIDATES, signed(CANDIDATES))).status, 500)
  assert.deepEqual(errors[0], ['Error: the disk is full', 'request'])
  assert.match(String(errors[1]), /from 0 to 1/)
  assert.equal(errors.length, 2)
})

test('a delivery that comes twice at once is dealt with once, and the guard forgets the oldest', async (t) => {
  const release = Promise.withResolvers<void>()
  const { plugin, calls } = record({
    seen: rememberIds(2),
    onRequestStarted: async (_, { id }) => {
      calls.push(id)
      await release.promise
    },
  })
  const address = await SERVERS['node:http'](t, plugin)
  const deliver = (id: string) => send(`${address}/request`, BODY, signed(BODY, { id }))
  const raw = {
    method: 'POST',
    path: '/request',
    headers: signed(BODY, { id: 'a' }),
    body: Buffer.from(BODY),
  }
  const both = [plugin.handle(raw), plugin.handle(raw)]
  release.resolve()
  assert.deepEqual(
    (await Promise.all(both)).map(({ status }) => status),
    [200, 200],
  )
  for (const id of ['b', 'b', 'c', 'b', 'a']) assert.equal((await deliver(id)).status, 200)
  assert.deepEqual(calls, ['a', 'b', 'c', 'a'])
})

test('express: behind a parser of JSON it says what to do, behind express.raw() it works', async (t) => {
  const { plugin, calls } = record()
  const errors: unknown[] = []
  const app = express()
  const report: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(String(error))
    response.status(500).json({})
  }
  app.use('/raw', express.raw({ type: '*/*' }), plugin.express)
  app.use('/json', express.json(), plugin.express, report)
  const address = await listen(t, app)
  assert.equal((await send(`${address}/raw/request`, BODY, signed(BODY))).status, 200)
  assert.equal((await send(`${address}/json/request`, BODY, signed(BODY))).status, 500)
  assert.match(String(errors), /before express\.json/)
  assert.equal(calls.length, 1)
})

test('an answer that the platform would refuse is told to the author', async () => {
  const one = { userId: 'u1', score: 1, reasons: ['Flies.'] }
  const capability = { id: 'c1', name: 'Flying', description: '' }
  const many = <T>(make: (i: number) => T, length: number) => Array.from({ length }, (_, i) => make(i))
  const wrong: [unknown, RegExp][] = [
    [undefined, /array of candidates, 5 at most/],
    [many((i) => ({ ...one, userId: `u${i}` }), 6), /5 at most/],
    [[one, one], /same id twice/],
    [[{ ...one, score: Number.NaN }], /from 0 to 1/],
    [[{ ...one, score: '1' }], /from 0 to 1/],
    [[{ ...one, reasons: ['x'.repeat(301)] }], /300 characters/],
    [[{ ...one, reasons: many(() => 'x', 21) }], /up to 20 texts/],
    [[{ ...one, weights: [1, 1] }], /one for each reason/],
    [[{ ...one, weights: ['1'] }], /one for each reason/],
  ]
  for (const [answer, reason] of wrong) {
    const { told, status } = await ask('/candidates', CANDIDATES, { onCandidateSearch: () => answer as never })
    assert.equal(status, 500)
    assert.match(told, reason)
  }
  const large = many((i) => ({ ...capability, id: `c${i}`, description: '€'.repeat(1000) }), 100)
  for (const [answer, reason] of [
    [large, /larger than 262144 bytes/],
    [many(() => capability, 101), /100 capabilities at most/],
    [[capability, capability], /same id twice/],
    [[{ ...capability, name: '' }], /up to 200, 200 and 1000/],
  ] as const)
    assert.match((await ask('/capabilities', SEARCH, { onCapabilitiesSearch: () => answer })).told, reason)

  async function ask(path: string, body: string, more: Partial<PluginOptions>) {
    let told = ''
    const { plugin } = record({ ...more, onError: (error) => (told = String(error)) })
    const { status } = await plugin.handle({
      method: 'POST',
      path,
      headers: { authorization: basic() },
      body: Buffer.from(body),
    })
    return { status, told }
  }
})

test('signatures are those of the Standard Webhooks library', async () => {
  const library = new Webhook(Buffer.from(SECRET).toString('base64'))
  const { 'webhook-signature': ours, 'webhook-timestamp': sentAt } = signed(BODY)
  assert.equal(library.sign('event-1', new Date(Number(sentAt) * 1000), BODY), ours)
  assert.deepEqual(library.verify(BODY, signed(BODY)), START)
})
