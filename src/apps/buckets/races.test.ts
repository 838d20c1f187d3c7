import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Answer, type Client, testApp } from '../../operations/testing/testing.ts'
import { assertStorageAddsUp, PATH, registerApp, through, UNLIMITED, UNSHARED } from './testing.ts'

const WRITERS = 50
const many = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const statuses = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const once = (): Record<string, string> => ({ 'idempotency-key': randomUUID() })

test('D6: no writer of a bucket loses its write', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const casey = await app.as('casey')
  const elsewhere = through(avery, second.addresses.production)
  const twoProcesses = [avery, elsewhere]

  for (const [name, clients, headers] of [
    ['through one process', [avery], () => ({})],
    ['through two processes', twoProcesses, () => ({})],
    ['through one process, with Idempotency-Keys', [avery], once],
    ['through two processes, some with Idempotency-Keys', twoProcesses, () => (Math.random() < 0.5 ? once() : {})],
  ] as [string, Client[], () => Record<string, string>][]) {
    await t.test(`${WRITERS} writers on different keys, ${name}`, async () => {
      const id = `keys ${name}`
      const made = await avery.put(PATH, { id, data: { deep: {}, list: [] } })
      const answers = await many(WRITERS, (i) =>
        clients[i % clients.length]!.post(PATH, { id, key: `deep.k${i}.v`, value: i }, headers()),
      )
      assert.deepEqual(statuses(answers), { 200: WRITERS })
      const { body } = await avery.get(PATH, { id })
      assert.deepEqual(body.data.deep, Object.fromEntries(answers.map((_, i) => [`k${i}`, { v: i }])))
      assert.equal(body.version, made.body.version + WRITERS)
      const versions = new Set(answers.map((answer) => answer.body.version))
      assert.equal(versions.size, WRITERS)
      for (const [i, answer] of answers.entries()) assert.equal(answer.body.data.deep[`k${i}`].v, i)
    })

    await t.test(`${WRITERS} writers on the same key, ${name}`, async () => {
      const id = `same ${name}`
      const made = await avery.put(PATH, { id })
      const answers = await many(WRITERS, (i) =>
        clients[i % clients.length]!.post(PATH, { id, key: 'k', value: i }, headers()),
      )
      assert.deepEqual(statuses(answers), { 200: WRITERS })
      const { body } = await avery.get(PATH, { id })
      assert.equal(body.version, made.body.version + WRITERS)
      const last = answers.find((answer) => answer.body.version === body.version)
      assert.deepEqual(body, last?.body)
    })
  }

  await t.test('a bucket that another transaction has locked delays only its own writers', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `beside ${i}`)
    for (const id of ids) await avery.put(PATH, { id })
    const client = new pg.Client(app.connection)
    await client.connect()
    t.after(() => client.end())
    await client.query("begin; select from gs_production.buckets where id = 'beside 3' for update")
    const answers = ids.map((id) => avery.post(PATH, { id, key: 'k', value: 1 }))
    const [locked] = answers.splice(3, 1)
    assert.deepEqual(statuses(await Promise.all(answers)), { 200: 9 })
    assert.equal(await Promise.race([locked!, pause(200, 'waits')]), 'waits')
    await client.query('rollback')
    assert.equal((await locked!).status, 200)
  })

  await t.test('of writers with the same If-Match, one gets through', async () => {
    await avery.put(PATH, { id: 'match' })
    for (let round = 0; round < 5; round++) {
      const etag = (await avery.get(PATH, { id: 'match' })).headers.get('etag') ?? ''
      const answers = await many(20, (i) =>
        twoProcesses[i % 2]!.post(
          PATH,
          { id: 'match', key: `k${i}`, value: i },
          { 'if-match': etag, ...(i % 3 ? {} : once()) },
        ),
      )
      assert.deepEqual(statuses(answers), { 200: 1, 409: 19 })
    }
  })

  await t.test('a request repeated at once under one Idempotency-Key has one effect and one answer', async () => {
    const made = await avery.put(PATH, { id: 'repeat', data: [] })
    const headers = once()
    const answers = await many(20, (i) =>
      twoProcesses[i % 2]!.post(PATH, { id: 'repeat', key: '0', value: 'x' }, headers),
    )
    assert.deepEqual(statuses(answers), { 200: 20 })
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1)
    assert.equal((await avery.get(PATH, { id: 'repeat' })).body.version, made.body.version + 1)
  })

  await t.test('writes mixed with adding and removing users', async () => {
    for (const id of ['mixed 1', 'mixed 2', 'mixed 3']) {
      const made = await avery.put(PATH, { id })
      const others = [blake, casey]
      const answers = await many(WRITERS * 2, async (i) => {
        const client = twoProcesses[i % 2]!
        const { userId } = others[(i >> 3) % 2]!
        const headers = i % 5 === 0 ? once() : {}
        if (i % 4 === 0) return client.post(`${PATH}/user`, { id, userId }, headers)
        if (i % 4 === 2) return client.post(`${PATH}/user/remove`, { id, userId }, headers)
        return client.post(PATH, { id, key: `k${i}`, value: i }, headers)
      })
      assert.deepEqual(statuses(answers), { 200: WRITERS * 2 })
      const { body } = await avery.get(PATH, { id })
      const expected = Object.fromEntries(answers.flatMap((_, i) => (i % 2 ? [[`k${i}`, i]] : [])))
      assert.deepEqual(body.data, expected)
      // Every write and every change of members increments the version; repeating a change of members does not.
      const changes = await app.sql(
        `select kind, count(*)::int as n from bucket_changes join buckets using (bucket_no) where id = '${id}' group by kind`,
      )
      const count = (kind: string) => Number(changes.find((row) => row.kind === kind)?.n ?? 0)
      assert.equal(count('set'), WRITERS)
      assert.equal(body.version, made.body.version + WRITERS + count('users'))
    }
  })

  await t.test('two members who remove each other leave one behind', async () => {
    for (let round = 0; round < 10; round++) {
      const id = `duel ${round}`
      await avery.put(PATH, { id, users: [blake.userId] })
      const answers = await Promise.all([
        elsewhere.post(`${PATH}/user/remove`, { id, userId: blake.userId }),
        blake.post(`${PATH}/user/remove`, { id, userId: avery.userId }),
      ])
      assert.deepEqual(statuses(answers), { 200: 1, 403: 1 })
      const reads = await Promise.all([avery.get(PATH, { id }), blake.get(PATH, { id })])
      assert.deepEqual(statuses(reads), { 200: 1, 403: 1 })
    }
  })

  await assertStorageAddsUp(app)
})

test('D6: the quota is never exceeded', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, ...UNSHARED })
  const second = await app.startSecond()
  const limit = 30
  const name = await registerApp(app, 'tight', limit)
  const avery = await app.as('avery', name)
  const clients = [avery, through(avery, second.addresses.production)]
  const kib = (n: number) => 'x'.repeat(n * 1024 - 2)
  const kept = async () => Number((await app.sql(`select coalesce(sum(blocks), 0) as n from buckets`))[0]?.n)

  await t.test(`${WRITERS} creators at once fill it to the last block`, async () => {
    const answers = await many(WRITERS, (i) =>
      clients[i % 2]!.put(PATH, { id: `b${i}`, data: i % 2 ? 1 : 'x' }, i % 3 ? {} : once()),
    )
    assert.deepEqual(statuses(answers), { 200: limit, 400: WRITERS - limit })
    for (const { body } of answers) assert.ok(body.error_code === undefined || body.error_code === 4007)
    assert.equal(await kept(), limit)
    await assertStorageAddsUp(app)
    const made = answers.filter((answer) => answer.status === 200).map((answer) => answer.body.id)
    assert.deepEqual(statuses(await many(limit, (i) => clients[i % 2]!.delete(PATH, { id: made[i] }))), { 200: limit })
    assert.equal(await kept(), 0)
  })

  await t.test(`${WRITERS} growers of one bucket and of five stop at the limit`, async () => {
    for (const count of [1, 5]) {
      await many(count, (i) => avery.put(PATH, { id: `g${i}`, data: {} }))
      const answers = await many(WRITERS, (i) =>
        clients[i % 2]!.post(PATH, { id: `g${i % count}`, key: `k${i}`, value: kib(1) }, i % 3 ? {} : once()),
      )
      for (const { status, body } of answers)
        assert.ok(status === 200 || body.error_code === 4007, JSON.stringify(body))
      assert.ok((await kept()) <= limit)
      assert.ok((await kept()) > limit - count * 2, 'it filled up')
      const lengths = await many(
        count,
        async (i) => Object.keys((await avery.get(PATH, { id: `g${i}` })).body.data).length,
      )
      assert.equal(
        lengths.reduce((sum, n) => sum + n),
        statuses(answers)[200],
      )
      await assertStorageAddsUp(app)
      await many(count, (i) => avery.delete(PATH, { id: `g${i}` }))
    }
  })

  await t.test('growing, shrinking, making and deleting at once', async () => {
    for (let round = 0; round < 4; round++) {
      const answers = await many(120, (i) => {
        const client = clients[i % 2]!
        const id = `s${(i * 7) % 6}`
        const headers = i % 4 ? {} : once()
        const kind = (i + round) % 5
        if (kind === 0) return client.put(PATH, { id, data: kib(1 + (i % 8)) }, headers)
        if (kind === 1) return client.delete(PATH, { id }, headers)
        return client.post(PATH, { id, key: '', value: kib(1 + (i % 8)) }, headers)
      })
      for (const { status, body, text } of answers)
        assert.ok([200, 404, 409].includes(status) || body?.error_code === 4007, text)
      assert.ok((await kept()) <= limit)
      await assertStorageAddsUp(app)
    }
  })
})

test('D6: parallel creators and deleters of one id', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, POOL_SIZE: '10' })
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const clients = [avery, through(avery, second.addresses.production)]

  await t.test('of 20 creators one gets the id', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await many(20, (i) =>
        clients[i % 2]!.put(PATH, { id: `one ${round}`, data: i }, i % 3 ? {} : once()),
      )
      assert.deepEqual(statuses(answers), { 200: 1, 409: 19 })
      const winner = answers.find((answer) => answer.status === 200)
      assert.deepEqual((await avery.get(PATH, { id: `one ${round}` })).body, winner?.body)
    }
    await assertStorageAddsUp(app)
  })

  await t.test('of 20 deleters one deletes', async () => {
    for (let round = 0; round < 5; round++) {
      await avery.put(PATH, { id: 'doomed' })
      const answers = await many(20, (i) => clients[i % 2]!.delete(PATH, { id: 'doomed' }, i % 3 ? {} : once()))
      assert.deepEqual(statuses(answers), { 200: 1, 404: 19 })
    }
    await assertStorageAddsUp(app)
  })

  await t.test('a storm of all operations on few ids gives only answers that make sense, and no deadlock', async () => {
    const versions = new Map<string, Set<number>>()
    const storm = async (worker: number) => {
      const client = clients[worker % 2]!
      for (let i = 0; i < 60; i++) {
        const id = `storm ${Math.floor(Math.random() * 3)}`
        const headers = Math.random() < 0.3 ? once() : {}
        const size = Math.ceil(Math.random() * 3000)
        const answer = await [
          () => client.put(PATH, { id, data: { x: 'x'.repeat(size) }, users: [blake.userId] }, headers),
          () => client.delete(PATH, { id }, headers),
          () => client.post(PATH, { id, key: 'x', value: 'y'.repeat(size) }, headers),
          () => client.post(`${PATH}/user`, { id, userId: blake.userId }, headers),
          () => client.post(`${PATH}/user/remove`, { id, userId: blake.userId }, headers),
          () => client.get(PATH, { id }),
        ][Math.floor(Math.random() * 6)]!()
        assert.ok([200, 404, 409].includes(answer.status), `${answer.status} ${answer.text}`)
        // Different states of a bucket with the same id never have the same version.
        if (answer.status === 200 && answer.body.version) {
          const seen = versions.get(`${id} ${answer.body.version}`) ?? new Set()
          versions.set(`${id} ${answer.body.version}`, seen.add(answer.text as never))
          assert.equal(seen.size, 1, `version ${answer.body.version} of ${id} was two things`)
        }
      }
    }
    await many(16, storm)
    await assertStorageAddsUp(app)
    const [deadlocks] = await app.sql(
      `select deadlocks::int as n from pg_stat_database where datname = current_database()`,
    )
    assert.equal(deadlocks?.n, 0)
    assert.ok(!app.log().includes('unhandled error'))
  })
})
