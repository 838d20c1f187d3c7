import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../kernel/database/test-database.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { emitAll, idOf, nOf, registerReceiver, requestOf, statesOf, wake } from './testing.ts'

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

/** Opens a receiver that keeps each request waiting until the test resolves it with a status. */
async function openHeldReceiver(t: TestContext) {
  const held: ((status: number) => void)[] = []
  const receiver = await openReceiver(t, async (response) => {
    const status = Promise.withResolvers<number>()
    held.push(status.resolve)
    response.writeHead(await status.promise).end()
  })
  return { ...receiver, held }
}

test('a worker whose lease has ended does not settle the lane that another has taken', async (t) => {
  const { address, held } = await openHeldReceiver(t)
  const app = await testApp(t, { STOP_SECONDS: '1' })
  app.holdClock()
  const plugin = await registerReceiver(app, 'late', address)
  const readLane = async () => (await app.sql('select token::int as token, is_leased from delivery_lanes'))[0]
  const readTries = () => app.sql('select number, status from delivery_attempts')
  await emitAll(app, { plugin, n: 1 })
  await until('the first worker sends it', () => held.length === 1)
  const endLease = async () => {
    await app.sql(`update delivery_lanes set due_at = timestamptz '2000-01-01' where token = 1`)
    wake(app)
  }
  await until('another worker sends it', () => endLease().then(() => held.length === 2))
  held[0]!(204)
  await sleep(500)
  assert.deepEqual([await readLane(), await statesOf(app, plugin)], [{ token: 2, is_leased: true }, ['waiting']])
  assert.deepEqual(await readTries(), [])
  held[1]!(500)
  await until('the other worker has settled it', async () => (await readLane())!.is_leased === false)
  assert.deepEqual(await statesOf(app, plugin), ['waiting'])
  assert.deepEqual(await readTries(), [{ number: 1, status: 500 }])
})

test('a worker whose lease has ended does not extend the lease of another', async (t) => {
  const { address, held } = await openHeldReceiver(t)
  const app = await testApp(t, { STOP_SECONDS: '1' })
  app.holdClock()
  const plugin = await registerReceiver(app, 'late', address)
  const readLease = async () =>
    Number((await app.sql('select extract(epoch from due_at)::float8 as due from delivery_lanes'))[0]!.due) * 1000
  await emitAll(app, { plugin, n: 1 })
  await until('it is being sent', () => held.length === 1)
  const [now, before] = [app.environment().clock().getTime(), await readLease()]
  app.advance(1000)
  await until('its own lease is extended', async () => (await readLease()) > before)
  // Another process takes the lane and stops extending the lease, because it is killed.
  const theirs = now + 3_600_000
  await app.sql(`update delivery_lanes set token = token + 1, due_at = to_timestamp(${theirs / 1000})`)
  // The runner extends its leases every two seconds.
  await sleep(2500)
  assert.equal(Math.round(await readLease()), theirs)
  held[0]!(204)
})
