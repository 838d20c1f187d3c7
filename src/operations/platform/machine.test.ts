import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openStream, PATH } from '../../apps/buckets/testing.ts'
import { createTestDatabase, layWire, until } from '../../kernel/database/test-database.ts'
import {
  databaseUrl,
  installServer,
  installUsedServer,
  isReady,
  killIfThere,
  type Server,
  signIn,
} from '../testing/machine.ts'
import { type Exchange, type Load, startLoad } from '../testing/machine-load.ts'
import { isLong } from '../testing/sizes.ts'
import { openRaw } from '../testing/socket.ts'
import { Client } from '../testing/testing.ts'
import { assertWithin } from '../testing/time-limits.ts'

const KILLS = isLong ? 20 : 1
const onLinux = { skip: !existsSync('/proc/self') && 'reads /proc' }

/** Waits while writes are being made, before something is killed. */
const someLoad = () => delay(150 + Math.random() * 300)

const summarize = (times: readonly number[]): string => {
  const sorted = times.map(Math.round).toSorted((a, b) => a - b)
  return `median ${sorted[sorted.length >> 1]} ms, longest ${sorted.at(-1)} ms`
}
const slowest = (exchanges: readonly Exchange[]): number => Math.max(...exchanges.map(({ tookMs }) => tookMs))
const outcomesOf = (exchanges: readonly Exchange[]): Set<string> => new Set(exchanges.map(({ outcome }) => outcome))

function assertOutcomes({ exchanges }: Pick<Load, 'exchanges'>, ...allowed: string[]): void {
  assert.deepEqual([...outcomesOf(exchanges).difference(new Set(allowed))], [])
}

test(`a server killed (${KILLS} ×) under write load keeps every acknowledged write (M1)`, async (t) => {
  const server = await installServer(t)
  // The server is also killed during its very first starts.
  for (let kill = 1; kill <= Math.min(2, KILLS); kill++) {
    server.launch()
    await delay(500 + Math.random() * 1_500)
    await server.kill()
  }
  const starts = [await server.start()]
  const load = await startLoad(t, [await signIn(server.nobody)])
  for (let kill = 1; kill <= KILLS; kill++) {
    await load.turnTo(`round ${kill}`)
    await someLoad()
    await server.kill()
    // Sometimes the restarted server is killed too, before it is ready.
    if (kill % 5 === 2) {
      server.launch()
      await delay(Math.random() * 1_000)
      await server.kill()
    }
    starts.push(await server.start())
  }
  await load.stop()
  const { acknowledged, unanswered } = await load.check()
  t.diagnostic(`starts: ${summarize(starts)}; ${acknowledged} acknowledged writes kept, ${unanswered} done unanswered`)
  assertOutcomes(load, '200', 'no answer', '503/5030')
  assertWithin(Math.max(...starts), 10_000, 'a start')

  await server.kill()
  await until('no process is left', () => server.databaseProcesses().length === 0, 10_000)
})

/** Kills the database and returns after how many milliseconds the platform was ready again. */
async function killDatabase(server: Server): Promise<number> {
  const killedMs = performance.now()
  const killed = server.postmaster()!
  killIfThere(killed)
  await until('another postmaster runs', () => ![killed, undefined].includes(server.postmaster()), 20_000)
  await until('the platform is ready', () => isReady(server.nobody), 20_000)
  return performance.now() - killedMs
}

const AWAY_MS = isLong ? 8_000 : 6_000
/** Time limit for noticing a silent database, which counts as unavailable after about three seconds. */
const NOTICED_MS = 4_500
const PROMPT_MS = 2_000
const BACK_MS = 5_000

/**
 * Makes the database unavailable to a server under load, and then available again. Checks that no request takes longer
 * than `patienceMs`.
 */
async function goAway(t: TestContext, server: Server, patienceMs: number, leave: () => () => void): Promise<void> {
  const load = await startLoad(t, [await signIn(server.nobody)], { writers: isLong ? 16 : 6 })
  const readiness = keepAsking(t, server.nobody, '/readyz')
  const health = keepAsking(t, server.nobody, '/healthz')
  await someLoad()
  const comeBack = leave()
  const leftMs = performance.now()
  await delay(AWAY_MS)
  const backMs = performance.now()
  comeBack()
  const isServedSince = ({ outcome, startedMs }: Exchange) => outcome === '200' && startedMs > backMs
  await until('writes are acknowledged', () => load.exchanges.some(isServedSince), 20_000)
  const recoveryMs = performance.now() - backMs
  await load.stop()
  await load.check()

  const isMeanwhile = ({ startedMs, tookMs }: Exchange) => startedMs > leftMs && startedMs + tookMs < backMs
  const noticedMs = readiness.find((seen) => isMeanwhile(seen) && seen.outcome === '503')?.startedMs ?? backMs
  const isNoticed = (one: Exchange) => isMeanwhile(one) && one.startedMs >= noticedMs
  const refused = load.exchanges.filter(isMeanwhile)
  const refusedLater = refused.filter(isNoticed)
  t.diagnostic(
    `noticed after ${Math.round(noticedMs - leftMs)} ms; slowest of ${refused.length} requests ${Math.round(slowest(refused))} ms, ` +
      `of those since then ${Math.round(slowest(refusedLater))} ms; back after ${Math.round(recoveryMs)} ms`,
  )
  assert.deepEqual(outcomesOf(refused), new Set(['503/5030']))
  assertOutcomes(load, '200', '503/5030')
  assertWithin(slowest(load.exchanges), patienceMs, 'a request')
  assertWithin(slowest(refusedLater), PROMPT_MS, 'a request during the outage')
  assert.deepEqual(outcomesOf(readiness.filter(isNoticed)), new Set(['503']))
  assert.deepEqual(outcomesOf(health), new Set(['200']))
  assertWithin(slowest(health), PROMPT_MS, 'a health check')
  assertWithin(recoveryMs, BACK_MS)
}

/** Sends a request every 100 ms until the test ends, and records the outcomes. */
function keepAsking(t: TestContext, client: Client, path: string): Exchange[] {
  const seen: Exchange[] = []
  const timer = setInterval(async () => {
    const startedMs = performance.now()
    const outcome = await client.get(path).then(
      ({ status }) => String(status),
      () => 'no answer',
    )
    seen.push({ outcome, startedMs, tookMs: performance.now() - startedMs })
  }, 100)
  t.after(() => clearInterval(timer))
  return seen
}

// This test runs alone: while other servers start, a request can take seconds even without an outage.
test('without its database a server answers 503 at once, and recovers by itself (M2)', async (t) => {
  const database = await createTestDatabase()
  t.after(database.drop)
  const wire = await layWire(database.connection)
  t.after(wire.close)
  const server = await installServer(t, { DATABASE_URL: databaseUrl(wire.connection), DEMO: 'on' })
  await server.start()
  await goAway(t, server, PROMPT_MS, () => {
    wire.cut()
    return wire.mend
  })
})

// These tests mostly wait, so they may run concurrently.
describe('bad days that take their time', { concurrency: true }, () => {
  test('a silent database is noticed, and then the same holds (M2)', onLinux, async (t) => {
    const server = await installUsedServer(t)
    await server.start()
    await goAway(t, server, NOTICED_MS, server.suspendDatabase)
  })

  test('nobody keeps a server from stopping within 10 seconds, however slow (M3)', async (t) => {
    const server = await installUsedServer(t)
    await server.start()
    const avery = await signIn(server.nobody)
    await avery.put(PATH, { id: 'slow' })
    const stream = await openStream(avery, { id: 'slow' })
    assert.equal((await stream.next()).event, 'ready')
    const body = JSON.stringify({ id: 'slow', key: 'late', value: 1 })
    const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\n`
    const half = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`
    const open = (text: string) => openConnection(t, avery.address, text)
    const [late, stuck, stuckEarlier, silent] = [open(half), open(half), open(head), open('')]
    const idle = open('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await until('the idle connection has its answer', () => idle.received().includes('"ok"'))

    const stopping = server.stop()
    const askedMs = performance.now()
    await stream.ended()
    late.send(body.slice(9))
    assert.match(await late.closed, /^HTTP\/1\.1 200 .*"late":1/s)
    await Promise.all([idle.closed, silent.closed])
    assertWithin(performance.now() - askedMs, 4_000)
    const { code, tookMs } = await stopping
    await Promise.all([stuck.closed, stuckEarlier.closed])
    t.diagnostic(`stopped after ${Math.round(tookMs)} ms`)
    assert.equal(code, 0, server.log())
    assertWithin(tookMs, 10_000)
    assert.deepEqual(server.databaseProcesses(), [])
    await server.start()
    assert.deepEqual((await avery.get(PATH, { id: 'slow' })).body.data, { late: 1 })
  })
})

/** Opens a raw connection, over which a test can send any text at any time. */
function openConnection(t: TestContext, address: string, text: string) {
  const socket = openRaw(address)
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  return {
    closed: new Promise<string>((resolve) => socket.on('close', () => resolve(received))),
    received: () => received,
    send: (more: string) => socket.write(more),
  }
}

// The time limits of these tests are ten seconds and more, so they may run concurrently.
describe('kills and stops under write load', { concurrency: true }, () => {
  test(`a database killed (${KILLS} ×) under write load comes back and keeps every acknowledged write (M1)`, async (t) => {
    const server = await installUsedServer(t)
    await server.start()
    const recoveries: number[] = []
    const load = await startLoad(t, [await signIn(server.nobody)], { name: 'database' })
    for (let kill = 1; kill <= KILLS; kill++) {
      await load.turnTo(`round ${kill}`)
      await someLoad()
      recoveries.push(await killDatabase(server))
    }
    await load.stop()
    const { acknowledged } = await load.check()
    assert.deepEqual(outcomesOf(load.exchanges), new Set(['200', '503/5030']))
    assert.equal((await server.stop()).code, 0, server.log())
    t.diagnostic(`recoveries: ${summarize(recoveries)}; ${acknowledged} acknowledged writes kept`)
    assert.deepEqual(server.databaseProcesses(), [])
  })

  test('SIGTERM under load: what was taken is answered, the rest refused, and nothing is lost (M3)', async (t) => {
    const server = await installUsedServer(t)
    await server.start()
    const load = await startLoad(t, [await signIn(server.nobody)], { writers: 16 })
    const stops: number[] = []
    for (let round = 1; round <= Math.min(3, KILLS); round++) {
      await load.turnTo(`round ${round}`)
      await someLoad()
      const { code, tookMs } = await server.stop()
      stops.push(tookMs)
      assert.equal(code, 0, server.log())
      assert.deepEqual(server.databaseProcesses(), [])
      await assert.rejects(server.nobody.get('/healthz'), /fetch failed/)
      await server.start()
    }
    await load.stop()
    const { acknowledged, unanswered } = await load.check()
    t.diagnostic(`stops: ${summarize(stops)}; ${acknowledged} acknowledged writes kept`)
    assertWithin(Math.max(...stops), 10_000, 'a stop')
    assertOutcomes(load, '200', 'no answer', '503/5030')
    assert.equal(unanswered, 0, 'a request was taken and not answered')
  })
})

test('of two servers on one database one is killed: tokens hold on the other, and writes go on (M4)', async (t) => {
  const database = await createTestDatabase()
  t.after(database.drop)
  const SECRET_KEY = Buffer.alloc(32, 'machine').toString('base64url')
  const settings = { DATABASE_URL: databaseUrl(database.connection), DEMO: 'on', SECRET_KEY }
  const [first, second] = [await installServer(t, settings), await installServer(t, settings)]
  // Both servers find an empty database, and both try to create the tables and to import the demo data.
  await Promise.all([first.start(), second.start()])
  const avery = await signIn(first.nobody)
  const load = await startLoad(t, [new Client(second.nobody.address, avery.token), avery])
  for (let kill = 1; kill <= Math.min(2, KILLS); kill++) {
    await load.turnTo(`round ${kill}`)
    await someLoad()
    await first.kill()
    const killedMs = performance.now()
    const newcomer = await signIn(second.nobody, '@blake')
    await until('writes go on', () =>
      load.exchanges.some(({ outcome, startedMs }) => outcome === '200' && startedMs > killedMs),
    )
    await first.start()
    const elsewhere = new Client(first.nobody.address, newcomer.token)
    assert.equal((await elsewhere.get(`${PATH}/list`)).status, 200)
  }
  await load.stop()
  const { acknowledged, unanswered } = await load.check()
  t.diagnostic(`${acknowledged} acknowledged writes kept, ${unanswered} done unanswered`)
  assert.deepEqual(outcomesOf(load.exchanges), new Set(['200', 'no answer']))
})
