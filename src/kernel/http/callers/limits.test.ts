import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { openRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, Client, testApp } from '../../../operations/testing/testing.ts'
import { LruCache } from '../../bounds/lru-cache.ts'
import { RateLimiter } from '../../bounds/rate-limiter.ts'
import { until } from '../../database/test-database.ts'
import { mintToken } from '../../sessions/tokens.ts'

const LIST = '/app/v1/bucket/list'

const atOnce = (count: number, call: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, call))

/**
 * Sends 20 requests at once against a burst of 5 and a refill of one per second. Checks that 5 pass, and that the
 * others are told when to retry.
 */
async function assertLimited(name: string, call: () => Promise<Answer>): Promise<Answer[]> {
  const startedMs = performance.now()
  const answers = await atOnce(20, call)
  const refused = answers.filter(({ status }) => status === 429)
  for (const answer of refused) {
    assertError(answer, 429, 4291, /^Too many requests; try again later$/)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.equal(answer.headers.get('ratelimit'), `"${name}";r=0;t=1`)
  }
  const allowed = answers.length - refused.length
  const refilled = Math.ceil((performance.now() - startedMs) / 1000)
  assert.ok(allowed >= 5 && allowed <= 5 + refilled, `${allowed} were allowed`)
  return answers
}

test('a limiter lets a burst through, then what is refilled, for each key by itself', () => {
  const limiter = new RateLimiter('test', 10, 20)
  assert.equal(limiter.policy, '"test";q=20;w=2')
  for (let i = 19; i >= 0; i--)
    assert.deepEqual(limiter.take('a', 0), { isAllowed: true, remaining: i, waitSeconds: 0 })
  assert.deepEqual(limiter.take('a', 0), { isAllowed: false, remaining: 0, waitSeconds: 1 })
  assert.equal(limiter.take('b', 0).isAllowed, true)
  assert.equal(limiter.take('a', 99).isAllowed, false)
  assert.equal(limiter.take('a', 100).isAllowed, true)
  assert.equal(limiter.take('a', 100).isAllowed, false)
  assert.equal(limiter.take('a', 60_000).remaining, 19, 'it never holds more than a burst')
  const HOUR_MS = 3_600_000
  assert.equal(limiter.take('a', 60_000 - HOUR_MS).remaining, 18, 'a clock that is set back takes nothing away')
  for (let i = 17; i >= 0; i--) assert.equal(limiter.take('a', 60_000 - HOUR_MS).remaining, i)
  assert.equal(limiter.take('a', 60_000 - HOUR_MS).isAllowed, false, 'and gives nothing')
  assert.equal(limiter.take('a', 60_100 - HOUR_MS).isAllowed, true, 'time goes on from there')
  const slow = new RateLimiter('slow', 1, 1)
  slow.take('a', 0)
  assert.equal(slow.take('a', 0).waitSeconds, 1)
})

test('a clock that is set back an hour locks nobody out: not a token, an address, a search or a wrong join code', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const calls = () =>
    Promise.all([
      avery.get(LIST),
      avery.get('/user/v1/search', { term: 'blake' }),
      avery.post('/edu/v1/class/join', { joinCode: 'WRONGCODE' }),
      app.nobody().post('/oauth/token', { grant_type: 'refresh_token', client_id: 'gs-none', refresh_token: 'x' }),
    ])
  const before = (await calls()).map(({ status }) => status)
  assert.ok(!before.includes(429) && before[0] === 200, String(before))
  app.advance(-3_600_000)
  assert.deepEqual(
    (await calls()).map(({ status }) => status),
    before,
  )
})

test('a bounded cache drops the least recently used entry', () => {
  const map = new LruCache<number>(10)
  for (let i = 0; i < 1_000; i++) {
    map.set(`k${i}`, i)
    assert.equal(map.get('k0'), 0, 'what is used stays')
    assert.ok(map.size <= 10)
  }
  assert.equal(map.get('k999'), 999)
  assert.equal(map.get('k500'), undefined)
  map.deleteWhere((value) => value === 0)
  assert.equal(map.get('k0'), undefined)
})

test('requests of one access token are limited', async (t) => {
  const app = await testApp(t, { RATE_TOKEN_PER_SECOND: '1', RATE_TOKEN_BURST: '5' })
  const avery = await app.as('avery')
  const first = await avery.get(LIST)
  assert.equal(first.headers.get('ratelimit-policy'), '"token";q=5;w=5')
  assert.equal(first.headers.get('ratelimit'), '"token";r=4;t=0')
  app.advance(60_000)
  await assertLimited('token', () => avery.get(LIST))

  assert.equal(
    (await (await app.as('avery')).get(LIST)).status,
    200,
    'another token of the same person is not concerned',
  )
  app.advance(60_000)
  await assertLimited('token', () => avery.get(LIST))
})

test('unauthenticated requests of one address are limited, and over the limit cost no query', async (t) => {
  const app = await testApp(t, {
    RATE_ADDRESS_PER_SECOND: '1',
    RATE_ADDRESS_BURST: '5',
    TRUST_PROXY: '127.0.0.1',
    METRICS_TOKEN: 'a-token-for-metrics',
  })
  const avery = await app.as('avery')
  assert.equal((await avery.get(LIST)).status, 200)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const tries: Record<string, () => Promise<Answer>> = {
    '192.0.2.1': () => app.nobody().get('/auth/basic', undefined, from('192.0.2.1')),
    '192.0.2.2': () => app.nobody().get(LIST, undefined, from('192.0.2.2')),
    '192.0.2.3': () =>
      new Client(app.address, mintToken('access', 'production')).get(LIST, undefined, from('192.0.2.3')),
    '192.0.2.4': () => new Client(app.address, 'nonsense').get(LIST, undefined, from('192.0.2.4')),
    '192.0.2.5': () => app.nobody().post('/nowhere', {}, { 'content-type': 'none', ...from('192.0.2.5') }),
  }
  for (const attempt of Object.values(tries)) {
    const answers = await assertLimited('address', attempt)
    assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"address";q=5;w=5')
  }
  const remembered = await avery.get(LIST, undefined, from('192.0.2.3'))
  assert.equal(remembered.status, 200, 'a token that holds is not held up by its neighbours')

  const monitoring = new Client(app.address, 'a-token-for-metrics')
  const statements = async () =>
    Number(/^groundschool_read_statements_total\S* (\d+)/m.exec((await monitoring.get('/metrics')).text)?.[1])
  await atOnce(20, tries['192.0.2.3']!)
  // Reading the metrics runs some statements itself, which must be subtracted.
  const cost = -(await statements()) + (await statements())
  // Background work can run a statement at the same time, so one of 20 tries has to be without any.
  const tryOnce = async () => {
    const before = await statements()
    const answers = await atOnce(20, tries['192.0.2.3']!)
    const looked = answers.filter(({ status }) => status !== 429).length
    return (await statements()) - before <= looked + cost
  }
  let isCheap = false
  for (let n = 0; n < 20 && !isCheap; n++) isCheap = await tryOnce()
  assert.ok(isCheap, 'refused requests are not looked up')

  app.advance(60_000)
  assertError(await tries['192.0.2.1']!(), 400, 4001)
})

test('more large bodies than fit into memory are refused for a moment, and small ones go through', async (t) => {
  const app = await testApp(t, { LARGE_BODIES_BYTES: String(8 << 20) })
  const avery = await app.as('avery')
  for (let i = 0; i < 20; i++) await avery.put('/app/v1/bucket', { id: `b${i}` })
  const write = (i: number, value: string) => avery.post('/app/v1/bucket', { id: `b${i}`, key: 'a', value })
  const [large, small] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, (_, i) => write(i, 'x'.repeat(600_000)))),
    Promise.all(Array.from({ length: 20 }, (_, i) => write(i, 'y'))),
  ])
  const refused = large.filter(({ status }) => status !== 200)
  assert.ok(refused.length > 0 && refused.length < 20, `${refused.length} were refused`)
  for (const answer of refused) {
    assertError(answer, 503, 5030, /large bodies/)
    assert.equal(answer.headers.get('retry-after'), '1')
  }
  assert.deepEqual(new Set(small.map(({ status }) => status)), new Set([200]))
  assert.equal((await write(0, 'x'.repeat(600_000))).status, 200, 'what was held is given back')
})

test('a client that does not read large answers gets no more of them, and others do', async (t) => {
  const app = await testApp(t, { UNSENT_ANSWERS_BYTES: String(32 << 20) })
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  for (const client of [avery, blake])
    await client.put('/app/v1/bucket', { id: client.userId, data: 'x'.repeat(1_000_000) })
  const request = `GET /app/v1/bucket?id=${avery.userId} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\n\r\n`
  const sockets = Array.from({ length: 10 }, () => openRaw(app.address).pause())
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const read = (client: Client) => client.get('/app/v1/bucket', { id: client.userId })
  let answer = await read(avery)
  // Several rounds are needed, because the operating system buffers the first responses.
  const isRefused = async () => {
    for (const socket of sockets) socket.write(request.repeat(4))
    answer = await read(avery)
    return answer.status === 503
  }
  await until('no more room', isRefused, 10_000)
  assertError(answer, 503, 5030, /large responses/)
  assert.equal((await avery.get(LIST)).status, 200, 'small answers are not concerned')
  assert.equal((await read(blake)).status, 200)
  for (const socket of sockets) socket.destroy()
  await until('there is room again', async () => (await read(avery)).status === 200, 10_000)
})

test('memory held for a client that left before its answer was ready is released', async (t) => {
  const app = await testApp(t, { UNSENT_ANSWERS_BYTES: String(16 << 20) })
  const avery = await app.as('avery')
  await avery.put('/app/v1/bucket', { id: 'b', data: 'x'.repeat(1_000_000) })
  const request = `GET /app/v1/bucket?id=b HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\n\r\n`
  for (let i = 0; i < 60; i++) {
    const socket = openRaw(app.address).on('error', () => undefined)
    socket.write(request, () => socket.resetAndDestroy())
    await once(socket, 'close')
  }
  const read = () => avery.get('/app/v1/bucket', { id: 'b' })
  await until('there is room again', async () => (await read()).status === 200, 5_000)
})
