import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../kernel/database/test-database.ts'
import { databaseUrl, installServer } from '../../operations/testing/machine.ts'
import { size } from '../../operations/testing/sizes.ts'
import { Client, SECRET_KEY, testApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { makeStatement, Speaker } from './testing.ts'

const KILLS = size(20)
const SENDERS = 4
const BATCH = 50

test(`killed ${KILLS} times while storing batches: each batch is stored completely or not at all, and every acknowledged one is`, async (t) => {
  const app = await testApp(t)
  const { basic } = await makeTestKey(app)
  await app.platform.stop()
  const server = await installServer(t, { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, DEMO: 'off' })
  const key = new Speaker(new Client(server.nobody.address, basic))
  /**
   * Maps the verb that all statements of a batch share to the ids of the statements, and to whether the sender got an
   * acknowledgement.
   */
  const batches = new Map<string, { ids: string[]; isTold: boolean }>()
  let [isUp, acknowledged] = [false, 0]
  const keepSending = async () => {
    while (isUp) {
      const verb = { id: `https://example.org/verbs/${randomUUID()}` }
      const sent = Array.from({ length: BATCH }, () => makeStatement({ verb }))
      const batch = { ids: sent.map(({ id }) => id), isTold: false }
      batches.set(verb.id, batch)
      const answer = await key.post(sent).catch(() => undefined)
      if (answer?.status !== 200) continue
      batch.isTold = true
      acknowledged++
    }
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await server.start()
    isUp = true
    const senders = Array.from({ length: SENDERS }, keepSending)
    const wanted = acknowledged + SENDERS
    await until('some are stored', async () => acknowledged >= wanted, 60_000)
    await sleep(Math.random() * 100)
    isUp = false
    await server.kill()
    await Promise.all(senders)
  }
  const { addresses } = await app.startSecond()
  const reader = new Speaker(new Client(addresses.production, basic))
  let [told, lost] = [0, 0]
  for (const [verb, { ids, isTold }] of batches) {
    const found = await reader.find({ verb, limit: BATCH })
    if (isTold) told++
    else if (found.length === 0) lost++
    assert.deepEqual(found.toReversed(), isTold || found.length > 0 ? ids : [])
  }
  t.diagnostic(`${batches.size} batches, ${told} acknowledged, ${lost} gone`)
  assert.ok(told >= KILLS && told < batches.size, `${told} of ${batches.size}`)
  const [odd] = await app.sql(
    `select (select count(*) from statement_ids i left join statements s on s.seq = i.seq where s.seq is null) as ids,
            (select count(*) from statements s left join statement_ids i on i.seq = s.seq where i.seq is null) as statements`,
  )
  assert.deepEqual(odd, { ids: '0', statements: '0' })
})
