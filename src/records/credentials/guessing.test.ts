import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { basicOf, makeTestKey } from './testing.ts'

const WHOAMI = '/lrs/v1/whoami'

test('guessing', async (t) => {
  const app = await testApp(t, { RATE_ADDRESS_PER_SECOND: '1', RATE_ADDRESS_BURST: '60', TRUST_PROXY: '127.0.0.1' })
  app.holdClock()
  const from = (address: string, authorization: string) =>
    app.nobody().get(WHOAMI, {}, { authorization, 'x-forwarded-for': address })

  await t.test(
    'guessing the secret of a key leads to a wait after 20 tries, but not for others or the owner',
    async () => {
      const { key, basic } = await makeTestKey(app)
      const { secret } = await makeTestKey(app)
      assert.equal((await from('192.0.2.1', basic)).status, 200)
      for (let i = 0; i < 20; i++) assertError(await from('192.0.2.2', basicOf(key, `${secret}${i}`)), 401, 4011)
      const blocked = await from('192.0.2.2', basicOf(key, secret))
      assertError(blocked, 429, 4291)
      assert.ok(Number(blocked.headers.get('retry-after')) >= 1)
      for (const address of ['192.0.2.1', '192.0.2.3']) assert.equal((await from(address, basic)).status, 200)
      const entries = await app.sql(
        `select action, count(*)::int as n from audit_entries where action in ('credential.wrong-secret', 'lockout.began') group by 1 order by 1`,
      )
      assert.deepEqual(entries, [
        { action: 'credential.wrong-secret', n: 20 },
        { action: 'lockout.began', n: 1 },
      ])
      app.advance(61_000)
      assertError(await from('192.0.2.2', basicOf(key, secret)), 401, 4011)
    },
  )

  await t.test('guessing keys is limited by address', async () => {
    const guess = (i: number) => from('192.0.2.9', basicOf(`gs_key_${String(i).padStart(22, '0')}`, 'gs_cs_x'))
    for (let i = 0; i < 60; i++) assertError(await guess(i), 401, 4012)
    assertError(await guess(60), 429, 4291)
  })

  await t.test('failures of an existing key do not count for the address', async () => {
    const { basic } = await makeTestKey(app)
    for (let i = 0; i < 100; i++) assert.equal((await from('192.0.2.11', basic)).status, 200)
  })
})
