import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from './database/test-database.ts'
import { installServer, isReady, killIfThere, signIn, startLoad } from './machine-testing.ts'

const KILLS = 20
/** How long writes flow before something is killed. */
const someLoad = () => delay(200 + Math.random() * 300)

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
const summarize = (values: readonly number[]): string =>
  `median ${Math.round(median(values))} ms, longest ${Math.round(Math.max(...values))} ms`

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
  const outcomes = new Set(load.exchanges.map(({ outcome }) => outcome))
  assert.deepEqual([...outcomes.difference(new Set(['200', 'no answer', '503/5030']))], [])
  assert.ok(Math.max(...restarts) < 10_000, summarize(restarts))

  await server.kill()
  await until('no process is left', () => server.databaseProcesses().length === 0, 10_000)
})

test('a database killed 20 times under write load comes back and keeps every acknowledged write (M1)', async (t) => {
  const server = await installServer(t)
  await server.start()
  const load = await startLoad(t, [await signIn(server.nobody)])
  const recoveries: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await load.turnTo(`round-${kill}`)
    await someLoad()
    const killed = server.postmaster()!
    killIfThere(killed)
    const killedMs = performance.now()
    await until('another postmaster runs', () => ![killed, undefined].includes(server.postmaster()), 20_000)
    await until('it is ready', () => isReady(server.nobody), 20_000)
    recoveries.push(performance.now() - killedMs)
  }
  await load.stop()
  t.diagnostic(`recoveries: ${recoveries.map(Math.round)} ${summarize(recoveries)}; ${load.count()} writes kept`)
  await load.check()
  const outcomes = new Set(load.exchanges.map(({ outcome }) => outcome))
  assert.deepEqual(outcomes, new Set(['200', '503/5030']))
})
