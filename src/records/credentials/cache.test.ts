import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { changeCredential, revokeCredential } from './managing.ts'
import { makeTestKey } from './testing.ts'

const WHOAMI = '/lrs/v1/whoami'
const PLENTY = { RATE_ADDRESS_BURST: '100000', RATE_TOKEN_BURST: '100000' }
/** Other processes must refuse a revoked key within this time. */
const WITHIN_MS = 1_000
const MINUTE_MS = 60_000

test('keys on two processes', async (t) => {
  const app = await testApp(t, PLENTY)
  const second = await app.startSecond()
  app.holdClock()
  const environment = app.environment()
  const { db } = environment
  const who = () => ({ at: environment.clock(), requestId: 'test', address: '127.0.0.1' })
  const everywhere = (client: Client) => [client, new Client(second.addresses.production, client.token)]
  const assertAdmitted = async (clients: Client[]) => {
    for (const client of clients) assert.equal((await client.get(WHOAMI)).status, 200)
  }

  await t.test('a revoked key is refused at once in its process, in another within a second', async () => {
    const [victim, bystander] = [await makeTestKey(app), await makeTestKey(app)]
    await assertAdmitted([...everywhere(victim.client), ...everywhere(bystander.client)])
    await revokeCredential(db, who(), victim)
    const [here, there] = everywhere(victim.client)
    assertError(await here!.get(WHOAMI), 401, 4011, /revoked/)
    await until('the other refuses too', async () => (await there!.get(WHOAMI)).status === 401, WITHIN_MS)
    await assertAdmitted(everywhere(bystander.client))
  })

  await t.test('a revocation wins against concurrent look-ups', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => makeTestKey(app)))
    await Promise.all(
      keys.map(async (key) => {
        const clients = everywhere(key.client)
        const racing = clients.flatMap((client) => Array.from({ length: 5 }, () => client.get(WHOAMI)))
        await Promise.all([revokeCredential(db, who(), key), ...racing])
        for (const client of clients)
          await until('it is refused', async () => (await client.get(WHOAMI)).status === 401, WITHIN_MS)
        for (const client of clients) assertError(await client.get(WHOAMI), 401, 4011)
      }),
    )
  })

  await t.test('a cached key is refused once it has expired, and accepted again when it is extended', async () => {
    const expiresDate = new Date(environment.clock().getTime() + MINUTE_MS).toISOString()
    const { key, client } = await makeTestKey(app, { expiresDate })
    await assertAdmitted(everywhere(client))
    app.advance(MINUTE_MS)
    for (const one of everywhere(client)) assertError(await one.get(WHOAMI), 401, 4011, /expired/)
    await changeCredential(db, who(), { key, neverExpires: true }, environment)
    await assertAdmitted([client])
  })

  await t.test('the last use is written once a minute, by all processes together', async () => {
    const { credentialId, client } = await makeTestKey(app)
    const usedAt = async () => {
      const [row] = await app.sql(
        `select last_used_at, xmin::text as written_by from credential_secrets where credential_id = ${credentialId}`,
      )
      return { atMs: (row!.last_used_at as Date | null)?.getTime(), writtenBy: row!.written_by }
    }
    assert.equal((await usedAt()).atMs, undefined)
    await assertAdmitted(everywhere(client))
    const first = await usedAt()
    assert.equal(first.atMs, environment.clock().getTime())
    app.advance(MINUTE_MS - 1)
    await assertAdmitted([...everywhere(client), ...everywhere(client)])
    assert.deepEqual(await usedAt(), first)
    app.advance(1)
    await assertAdmitted(everywhere(client))
    assert.equal((await usedAt()).atMs, environment.clock().getTime())
  })

  await t.test('cached keys are read again after five minutes', async () => {
    const { credentialId, client } = await makeTestKey(app)
    await assertAdmitted([client])
    // This change is made directly in the database, so the caches are not notified.
    await app.sql(`update credentials set suspended_at = now() where id = ${credentialId}`)
    await assertAdmitted([client])
    app.advance(5 * MINUTE_MS)
    assertError(await client.get(WHOAMI), 401, 4011, /suspended/)
  })
})

test('a cached key is checked without the database, unless a change could be missed', async (t) => {
  const app = await testApp(t, PLENTY)
  app.holdClock()
  const [known, other] = [await makeTestKey(app), await makeTestKey(app)]
  assert.equal((await known.client.get(WHOAMI)).status, 200)
  await app.sql('alter table credentials rename to hidden')
  assert.equal((await known.client.get(WHOAMI)).status, 200)
  assertError(await other.client.get(WHOAMI), 500, 5000)
  await app.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'groundschool production' and (query ilike 'listen %' or query = 'select 1')`,
  )
  await until('the memory is not used', async () => (await known.client.get(WHOAMI)).status === 500, WITHIN_MS)
  await app.sql('alter table hidden rename to credentials')
  assert.equal((await known.client.get(WHOAMI)).status, 200)
})
