import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openStream, PATH } from './buckets/testing.ts'
import { createTestDatabase, layWire, until } from './database/test-database.ts'
import { openRaw } from './http/test-socket.ts'
import {
  databaseUrl,
  type Exchange,
  installServer,
  isReady,
  killIfThere,
  type Load,
  type Server,
  signIn,
  startLoad,
} from './machine-testing.ts'
import { Client } from './testing.ts'

const KILLS = 20
/** How long writes flow before something is killed. */
const someLoad = () => delay(200 + Math.random() * 300)

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
const summarize = (values: readonly number[]): string =>
  `median ${Math.round(median(values))} ms, longest ${Math.round(Math.max(...values))} ms`

const outcomesOf = ({ exchanges }: Pick<Load, 'exchanges'>): Set<string> =>
  new Set(exchanges.map(({ outcome }) => outcome))

test('a server killed 20 times under write load keeps every acknowledged write (M1)', async (t) => {
  const server = await installServer(t)
  const firstMs = await server.start()
  const load = await startLoad(t, [await signIn(server.nobody)])
  const restarts: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await load.turnTo(`round-${kill}`)
    await someLoad()
    await server.kill()
    // Now and then the next one does not even live until it is ready.
    if (kill % 5 === 0) {
      server.launch()
      await delay(Math.random() * 1_500)
      await server.kill()
    }
    restarts.push(await server.start())
  }
  await load.stop()
  t.diagnostic(`first start ${Math.round(firstMs)} ms; restarts: ${summarize(restarts)}; ${load.count()} writes kept`)
  await load.check()
  assert.deepEqual([...outcomesOf(load).difference(new Set(['200', 'no answer', '503/5030']))], [])
  assert.ok(Math.max(...restarts) < 10_000, summarize(restarts))

  await server.kill()
  await until('no process is left', () => server.databaseProcesses().length === 0, 10_000)
})

test('a database killed 20 times under write load comes back and keeps every acknowledged write (M1)', async (t) => {
  const server = await installServer(t)
  const recoveries: number[] = []
  let kept = 0
  // A database that ends again and again is started with ever longer pauses; a new start of the platform forgets them.
  for (let stretch = 1; stretch <= 4; stretch++) {
    await server.start()
    const load = await startLoad(t, [await signIn(server.nobody)], { name: `stretch ${stretch}` })
    for (let kill = 1; kill <= KILLS / 4; kill++) {
      await load.turnTo(`stretch ${stretch} round ${kill}`)
      await someLoad()
      const killed = server.postmaster()!
      killIfThere(killed)
      const killedMs = performance.now()
      await until('another postmaster runs', () => ![killed, undefined].includes(server.postmaster()), 20_000)
      await until('it is ready', () => isReady(server.nobody), 20_000)
      recoveries.push(performance.now() - killedMs)
    }
    await load.stop()
    await load.check()
    assert.deepEqual(outcomesOf(load), new Set(['200', '503/5030']))
    kept += load.count()
    assert.equal((await server.stop()).code, 0)
  }
  t.diagnostic(`recoveries: ${summarize(recoveries)}; ${kept} writes kept`)
  assert.deepEqual(server.databaseProcesses(), [])
})

const AWAY_MS = 8_000

/** Asks all the while; tells how each answer turned out. */
function watchHealth(nobody: Client, path: string): { stop(): Promise<Exchange[]> } {
  const seen: Exchange[] = []
  let isOver = false
  const work = async () => {
    while (!isOver) {
      const startedMs = performance.now()
      const { status } = await nobody.get(path)
      seen.push({ outcome: String(status), startedMs, tookMs: performance.now() - startedMs })
      await delay(50)
    }
  }
  const working = work()
  return {
    stop: async () => {
      isOver = true
      await working
      return seen
    },
  }
}

/** The database goes for a while and comes back. Tells what that was like for the clients. */
async function goAway(t: TestContext, server: Server, leave: () => void, comeBack: () => void) {
  const avery = await signIn(server.nobody)
  const load = await startLoad(t, [avery], { writers: 32 })
  const readiness = watchHealth(server.nobody, '/readyz')
  const health = watchHealth(server.nobody, '/healthz')
  await someLoad()
  leave()
  const leftMs = performance.now()
  await delay(AWAY_MS)
  comeBack()
  const backMs = performance.now()
  await until(
    'writes are acknowledged',
    async () => {
      return load.exchanges.some(({ outcome, startedMs }) => outcome === '200' && startedMs > backMs)
    },
    20_000,
  )
  const recoveryMs = performance.now() - backMs
  await load.stop()
  await load.check()
  const isMeanwhile = ({ startedMs }: Exchange) => startedMs > leftMs && startedMs < backMs
  const ready = (await readiness.stop()).filter(isMeanwhile)
  const noticed = ready.find(({ outcome }) => outcome === '503')
  const meanwhile = load.exchanges.filter(isMeanwhile)
  const noticedMs = noticed ? noticed.startedMs - leftMs : Number.POSITIVE_INFINITY
  const later = meanwhile.filter(({ startedMs }) => startedMs > leftMs + noticedMs)
  const slowest = (some: readonly Exchange[]) => Math.max(...some.map(({ tookMs }) => tookMs))
  t.diagnostic(
    `noticed after ${Math.round(noticedMs)} ms; slowest of ${meanwhile.length}: ${Math.round(slowest(meanwhile))} ms, of those after it was noticed: ${Math.round(slowest(later))} ms; back after ${Math.round(recoveryMs)} ms`,
  )
  t.diagnostic(
    `${[...outcomesOf({ exchanges: meanwhile })]} ${[...outcomesOf(load)]}; healthz ${[...new Set((await health.stop()).map((e) => e.outcome))]} readyz ${[...new Set(ready.map((e) => e.outcome))]}`,
  )
}

test('a database that refuses connections under load (M2)', async (t) => {
  const database = await createTestDatabase()
  t.after(database.drop)
  const wire = await layWire(database.connection)
  t.after(wire.close)
  const server = await installServer(t, { DATABASE_URL: databaseUrl(wire.connection), DEMO: 'on' })
  await server.start()
  await goAway(t, server, wire.cut, wire.mend)
})

test('a database that hangs under load (M2)', async (t) => {
  const server = await installServer(t, {})
  await server.start()
  let stopped: number[] = []
  await goAway(
    t,
    server,
    () => {
      stopped = server.databaseProcesses()
      for (const pid of stopped) killIfThere(pid, 'SIGSTOP')
    },
    () => {
      for (const pid of stopped) killIfThere(pid, 'SIGCONT')
    },
  )
})

test('SIGTERM under load: what was taken is answered, the rest refused, and nothing is lost (M3)', async (t) => {
  const server = await installServer(t)
  await server.start()
  const load = await startLoad(t, [await signIn(server.nobody)], { writers: 16 })
  const stops: number[] = []
  for (let round = 1; round <= 3; round++) {
    await load.turnTo(`round ${round}`)
    await someLoad()
    const { code, tookMs } = await server.stop()
    assert.equal(code, 0, server.log())
    stops.push(tookMs)
    assert.deepEqual(server.databaseProcesses(), [])
    await assert.rejects(server.nobody.get('/healthz'), /fetch failed/)
    await server.start()
  }
  await load.stop()
  t.diagnostic(`stops: ${summarize(stops)}; ${load.count()} writes kept`)
  assert.ok(Math.max(...stops) < 10_000, summarize(stops))
  assert.deepEqual([...outcomesOf(load).difference(new Set(['200', 'no answer', '503/5030']))], [])
  await load.check()
  await load.checkUnanswered()
})

test('nobody keeps a server from stopping within 10 seconds, however slow (M3)', async (t) => {
  const server = await installServer(t)
  await server.start()
  const avery = await signIn(server.nobody)
  await avery.put(PATH, { id: 'slow' })
  const stream = await openStream(avery, { id: 'slow' })
  assert.equal((await stream.next()).event, 'ready')
  const open = (text: string) => openConnection(t, avery.address, text)
  const body = JSON.stringify({ id: 'slow', key: 'late', value: 1 })
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${avery.token}\r\n`
  const half = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`
  const connections = {
    late: open(half),
    neverComplete: open(half),
    halfHead: open(head),
    silent: open(''),
    idle: open('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  }
  await until('the idle connection has its answer', () => connections.idle.received().includes('"ok"'))
  const stopping = server.stop()
  await stream.ended()
  connections.late.send(body.slice(9))
  await connections.idle.closed
  await connections.silent.closed
  assert.match(await connections.late.closed, /^HTTP\/1\.1 200 .*"late":1/s)
  const { code, tookMs } = await stopping
  t.diagnostic(`stopped after ${Math.round(tookMs)} ms`)
  assert.equal(code, 0, server.log())
  assert.ok(tookMs < 10_000, `it took ${tookMs} ms`)
  assert.deepEqual(server.databaseProcesses(), [])
  for (const one of [connections.neverComplete, connections.halfHead]) t.diagnostic(JSON.stringify(await one.closed))
  await server.start()
  assert.deepEqual((await avery.get(PATH, { id: 'slow' })).body.data, { late: 1 })
})

/** A client that sends what it likes, when it likes. */
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

test('of two servers on one database one is killed: tokens hold on the other, and writes go on (M4)', async (t) => {
  const database = await createTestDatabase()
  t.after(database.drop)
  const settings = {
    DATABASE_URL: databaseUrl(database.connection),
    DEMO: 'on',
    SECRET_KEY: Buffer.alloc(32, 'machine').toString('base64url'),
  }
  const servers = [await installServer(t, settings), await installServer(t, settings)]
  const [first, second] = servers as [Server, Server]
  // Both find an empty database, and both want to make the tables and import the demo data.
  await Promise.all(servers.map((server) => server.start()))
  const averyOnFirst = await signIn(first.nobody)
  const averyOnSecond = new Client(second.nobody.address, averyOnFirst.token)
  const load = await startLoad(t, [averyOnFirst, averyOnSecond])
  for (let kill = 1; kill <= 3; kill++) {
    await load.turnTo(`round ${kill}`)
    await someLoad()
    await first.kill()
    const killedMs = performance.now()
    await delay(300)
    const later = load.exchanges.filter(({ startedMs }) => startedMs > killedMs)
    assert.ok(
      later.some(({ outcome }) => outcome === '200'),
      'writes go on',
    )
    const newcomer = await signIn(second.nobody)
    await first.start()
    assert.equal((await new Client(first.nobody.address, newcomer.token).get(`${PATH}/list`)).status, 200)
  }
  await load.stop()
  t.diagnostic(`${load.count()} writes kept`)
  assert.deepEqual(outcomesOf(load), new Set(['200', 'no answer']))
  await load.check()
})
