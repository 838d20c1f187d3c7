import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../database/test-database.ts'
import { openReceiver } from '../outbound/testing.ts'
import { sharedApp } from '../testing/testing.ts'
import { emitAll, nOf, registerReceiver } from './testing.ts'

const app = await sharedApp()

test('smoke', async (t) => {
  const receiver = await openReceiver(t)
  const plugin = await registerReceiver(app, 'smoke', receiver.address)
  await emitAll(app, { plugin, n: 1 }, { plugin, n: 2 })
  await until('both came', () => receiver.received.length === 2)
  assert.deepEqual(receiver.received.map(nOf), [1, 2])
  t.diagnostic(JSON.stringify(receiver.received[0]))
  t.diagnostic(JSON.stringify(await app.sql('select * from deliveries')))
  t.diagnostic(JSON.stringify(await app.sql('select * from delivery_attempts')))
  t.diagnostic(JSON.stringify(await app.sql('select * from delivery_lanes')))
})
