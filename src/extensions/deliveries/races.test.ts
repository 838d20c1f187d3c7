import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../kernel/database/test-database.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { emitAll, idOf, nOf, registerReceiver, requestOf } from './testing.ts'

const REQUESTS = 6
const SETS = 25

test('sets that arrive while two processes send, fail and settle others: the newest is delivered last', async (t) => {
  const refused = new Map<string, string>()
  const receiver = await openReceiver(t, async (response, received) => {
    await sleep(Math.random() * 15)
    // Refuse one delivery of each request, once.
    const request = requestOf(received)
    const isBad = !refused.has(request) && nOf(received) > 5
    if (isBad) refused.set(request, idOf(received))
    response.writeHead(isBad ? 500 : 204).end()
  })
  const app = await testApp(t)
  const second = await app.startSecond()
  const plugin = await registerReceiver(app, 'racing', receiver.address)
  const platforms = [app, { environment: () => second.environments[0]! }]
  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, request) => {
      for (let n = 0; n < SETS; n++) {
        await emitAll(platforms[(n + request) % 2]!, { kind: 'distributions.changed', plugin, request, n })
        await sleep(Math.random() * 30)
      }
    }),
  )
  const count = async (what: string) => (await app.sql(`select from ${what}`)).length
  const isOver = async () =>
    (await count('deliveries')) === REQUESTS * SETS && (await count(`deliveries where state = 'waiting'`)) === 0
  await until('nothing waits', isOver, 30_000)
  await until(
    'no lane is held',
    async () => (await count('delivery_lanes where due_at is not null or is_leased')) === 0,
  )
  for (const [request, seen] of Map.groupBy(receiver.received, requestOf)) {
    const order = seen.map(nOf)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      request,
    )
    assert.equal(order.at(-1), SETS - 1, request)
  }
  const last = await app.sql(`select state from deliveries where body ->> 'n' = '${SETS - 1}'`)
  assert.deepEqual(last, Array(REQUESTS).fill({ state: 'delivered' }))
  // Each id is received once. Only the ids that were refused may be received again.
  const ids = receiver.received.map(idOf)
  const repeated = ids.filter((id, i) => ids.indexOf(id) !== i)
  assert.ok(repeated.every((id) => [...refused.values()].includes(id)))
  const [replaced] = await app.sql(`select count(*)::int as n from deliveries where state = 'replaced'`)
  assert.ok(Number(replaced!.n) > 0)
  assert.equal(await count(`deliveries where state = 'failed'`), 0)
})
