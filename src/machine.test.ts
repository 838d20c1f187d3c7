import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createTestDatabase, layWire, until } from './database/test-database.ts'
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
import type { Client } from './testing.ts'

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
    const load = await startLoad(t, [await signIn(server.nobody)], `stretch ${stretch}`)
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

const AWAY_MS = 30_000

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
  const load = await startLoad(t, [avery])
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
