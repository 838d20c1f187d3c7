import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../kernel/database/test-database.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { databaseUrl, installServer } from '../../operations/testing/machine.ts'
import { size } from '../../operations/testing/sizes.ts'
import { SECRET_KEY, testApp } from '../../operations/testing/testing.ts'
import { idOf, nOf, registerReceiver, requestOf } from './testing.ts'

const KILLS = size(40)
const EVENTS = size(1000)
const REQUESTS = Math.ceil(EVENTS / 5)

test(`P5: killed ${KILLS} times while ${EVENTS} events flow and the receiver fails every fifth, nothing is lost or out of order`, async (t) => {
  const failed = new Set<string>()
  let count = 0
  const receiver = await openReceiver(t, async (response, received) => {
    // Delay the response at random, so that a kill hits deliveries in progress.
    await sleep(Math.random() * 40)
    // Fail each delivery at most once, because the second retry would come only after half a minute.
    const isBad = ++count % 5 === 0 && !failed.has(idOf(received))
    if (isBad) failed.add(idOf(received))
    response.writeHead(isBad ? 500 : 204).end()
  })
  const app = await testApp(t)
  const { pluginId } = await registerReceiver(app, 'killed', receiver.address)
  // Stop the platform of this process: from now on the server process below delivers.
  await app.platform.stop()
  const server = await installServer(t, { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, DEMO: 'off' })

  let emitted = 0
  const emitSome = async (upTo: number) => {
    const rows = []
    for (; emitted < upTo; emitted++) {
      const request = emitted % REQUESTS
      const payload = JSON.stringify({ plugin: pluginId, document: { requestId: `r${request}`, n: emitted } })
      rows.push(`('request.started', 'request:${request}', '${payload}', now())`)
    }
    if (rows.length > 0) await app.sql(`insert into event_outbox (kind, subject, payload, at) values ${rows.join()}`)
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    await server.start()
    for (let part = 1; part <= 5; part++) {
      await emitSome(Math.round(((kill - 1 + part / 5) / KILLS) * EVENTS))
      await sleep(60 + Math.random() * 60)
    }
    await server.kill()
  }
  await server.start()
  const isSettled = async () => (await app.sql(`select from deliveries where state = 'delivered'`)).length === EVENTS
  await until('everything is delivered', isSettled, 180_000)
  await server.stop()

  const byRequest = Map.groupBy(receiver.received, requestOf)
  for (const [request, seen] of byRequest) {
    const order = seen.map(nOf)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      request,
    )
  }
  const ids = new Map<number, Set<string>>()
  for (const one of receiver.received) ids.set(nOf(one), (ids.get(nOf(one)) ?? new Set()).add(idOf(one)))
  assert.equal(ids.size, EVENTS)
  assert.ok([...ids.values()].every((of) => of.size === 1))
  assert.equal(new Set(receiver.received.map(idOf)).size, EVENTS)
  t.diagnostic(`${receiver.received.length} requests for ${EVENTS} events, ${failed.size} of them refused`)
  assert.ok(failed.size > EVENTS / 20)
})
