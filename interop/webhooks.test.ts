import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { call, emitAll, idOf, nOf, registerReceiver } from '../src/extensions/deliveries/testing.ts'
import { signedIn } from '../src/identity/passkeys/testing.ts'
import { until } from '../src/kernel/database/test-database.ts'
import { openReceiver } from '../src/kernel/outbound/testing.ts'
import { sharedApp } from '../src/operations/testing/testing.ts'

const app = await sharedApp()

test('what happened is posted with Basic, and signed as Standard Webhooks has it', async (t) => {
  const receiver = await openReceiver(t)
  const plugin = await registerReceiver(app, 'signed', receiver.address)
  await emitAll(app, { plugin, n: 1 }, { kind: 'distributions.changed', plugin, request: 2, n: 2 })
  await until('both came', () => receiver.received.length === 2)
  const [one, two] = receiver.received.toSorted((a, b) => nOf(a) - nOf(b))
  assert.deepEqual([one!.path, two!.path], ['/request', '/distributions'])
  assert.deepEqual(JSON.parse(one!.body), { requestId: 'r1', n: 1 })
  const { authorization, 'content-type': type, 'user-agent': agent } = one!.headers
  assert.deepEqual([authorization, type, agent], [plugin.basic, 'application/json', 'Groundschool'])
  assert.notEqual(idOf(one!), idOf(two!))
  const webhook = new Webhook(Buffer.from(plugin.secret).toString('base64'))
  for (const { body, headers } of receiver.received)
    assert.deepEqual(webhook.verify(body, headers as Record<string, string>), JSON.parse(body))
  assert.throws(() => webhook.verify(`${one!.body} `, one!.headers as Record<string, string>))
})

test('with two secrets the older one is sent, and both sign', async (t) => {
  const receiver = await openReceiver(t)
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  const plugin = await registerReceiver(app, 'rotating', receiver.address)
  const ellis = await signedIn(app, 'ellis')
  const { body: second } = await call(ellis, 'PUT', '/plugin/v1/plugin/secret', { clientId: plugin.clientId })
  await emitAll(app, { plugin, n: 1 })
  await until('it came', () => receiver.received.length === 1)
  const { body, headers } = receiver.received[0]!
  assert.equal(headers.authorization, plugin.basic)
  for (const secret of [plugin.secret, second.clientSecret])
    new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers as Record<string, string>)
})
