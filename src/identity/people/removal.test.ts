import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { ADULT, type Anonymous, join, leftOf, PROFILE } from '../../apps/anonymous/testing.ts'
import { assertStorageAddsUp, openStream, PATH, through, UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { type Answer, assertError, Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { removePerson } from './removal.ts'

const SETTINGS = { ...UNLIMITED, RATE_ANONYMOUS_PER_SECOND: '1000000', RATE_ANONYMOUS_BURST: '1000000' }
const many = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const once = (): Record<string, string> => ({ 'idempotency-key': randomUUID() })

/**
 * Asserts that every member of a bucket is a user of its app and listed in `users`, and that every bucket has a member.
 */
async function assertNobodyDangles(app: TestApp): Promise<void> {
  const dangling = await app.sql(
    `select b.id, u as user_id from buckets b cross join unnest(b.users) u
      where not exists (select from app_users a where a.user_id = u and a.app_id = b.app_id)
      union all select id, null from buckets where users = '{}'
      union all select bucket_id, user_id from bucket_members m
      where not exists (select from buckets b where b.bucket_no = m.bucket_no and m.user_id = any(b.users))`,
  )
  assert.deepEqual(dangling, [])
}

async function assertNoTrouble(app: TestApp): Promise<void> {
  await assertStorageAddsUp(app)
  await assertNobodyDangles(app)
  const [deadlocks] = await app.sql(
    `select deadlocks::int as n from pg_stat_database where datname = current_database()`,
  )
  assert.equal(deadlocks?.n, 0)
  assert.ok(!app.log().includes('unhandled error'))
}

test('removing a user takes them out of their buckets', async (t) => {
  const app = await testApp(t, SETTINGS, { withSandbox: true })
  const avery = await app.as('avery')
  const leave = ({ refreshToken }: Anonymous) => app.nobody().post('/oauth/logout', { refresh_token: refreshToken })
  const used = async () => Number((await app.sql('select sum(blocks_used) as n from app_storage'))[0]?.n)

  await t.test('a shared bucket stays without them, and its watchers are notified', async () => {
    const user = await join(app)
    await avery.put(PATH, { id: 'shared', data: { a: 1 }, users: [user.userId] })
    await user.client.post(PATH, { id: 'shared', key: 'b', value: 2 })
    const stream = await openStream(avery, { id: 'shared' })
    const theirs = await openStream(user.client, { id: 'shared' })
    const { data: ready } = await stream.next()
    await theirs.next()
    await leave(user)
    const change = await stream.next()
    assert.equal(change.event, 'change')
    const { changedDate, ...told } = change.data
    assert.ok(changedDate)
    assert.deepEqual(told, {
      id: 'shared',
      version: ready.version + 1,
      kind: 'users',
      userId: user.userId,
      users: [avery.userId],
    })
    await theirs.ended()
    await stream.close()
    const { body } = await avery.get(PATH, { id: 'shared' })
    assert.deepEqual([body.users, body.data, body.version], [[avery.userId], { a: 1, b: 2 }, ready.version + 1])
    assert.deepEqual(await leftOf(app, user), [])
  })

  await t.test('a bucket with no other member is deleted, even a public one, and its bytes are freed', async () => {
    const before = await used()
    const user = await join(app)
    await user.client.put(PATH, { id: 'own', data: 'x'.repeat(5000) })
    await user.client.put(PATH, { id: 'own and public', public: true })
    for (let i = 0; i < 3; i++) await user.client.post(PATH, { id: 'own', key: '', value: i })
    const last = (await user.client.get(PATH, { id: 'own' })).body.version
    assert.ok((await used()) > before)
    await leave(user)
    assert.equal(await used(), before)
    for (const id of ['own', 'own and public']) assertError(await avery.get(PATH, { id }), 404, 4042)
    const again = await avery.put(PATH, { id: 'own' })
    assert.ok(again.body.version > last, 'a namesake never has a version that was seen before')
    assert.deepEqual(await leftOf(app, user), [])
    await assertNoTrouble(app)
  })

  await t.test('any number of buckets is handled', async () => {
    const before = await used()
    const user = await join(app)
    await many(120, (i) => user.client.put(PATH, { id: `many ${i}`, users: i % 2 ? [avery.userId] : [] }))
    await leave(user)
    assert.deepEqual(await leftOf(app, user), [])
    assert.equal(await used(), before + 60)
    assert.deepEqual((await avery.get(PATH, { id: 'many 1' })).body.users, [avery.userId])
    await assertNoTrouble(app)
  })

  await t.test('only their own app and environment are affected', async () => {
    const user = await join(app)
    const other = await join(app, { clientId: 'gs-second' })
    const elsewhere = await join(app, {}, 'sandbox')
    for (const one of [user, other, elsewhere]) await one.client.put(PATH, { id: 'namesake', data: 1 })
    await leave(user)
    for (const one of [other, elsewhere]) assert.equal((await one.client.get(PATH, { id: 'namesake' })).status, 200)
    assert.deepEqual(await leftOf(app, user), [])
  })

  await t.test('a removed user cannot be given access any more', async () => {
    const user = await join(app)
    await avery.put(PATH, { id: 'closed' })
    await leave(user)
    const added = await avery.post(`${PATH}/user`, { id: 'closed', userId: user.userId })
    assertError(added, 400, 4003, /Not users of this app/)
    assertError(await avery.put(PATH, { id: 'new', users: [user.userId] }), 400, 4003, /Not users of this app/)
    assertError(await user.client.put(PATH, { id: 'late' }), 403, 4034)
  })
})

test('D6: users are removed while everybody writes', async (t) => {
  const app = await testApp(t, { ...SETTINGS, POOL_SIZE: '10' })
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const elsewhere = through(avery, second.addresses.production)
  const leave = ({ refreshToken }: Anonymous, address = app.address) =>
    fetch(`${address}/oauth/logout`, {
      method: 'POST',
      body: JSON.stringify({ refresh_token: refreshToken }),
      headers: { 'content-type': 'application/json' },
    })
  const assertEach = (answers: readonly Answer[], codes: readonly (number | undefined)[]) => {
    for (const { body, text } of answers) assert.ok(codes.includes(body?.error_code), text)
  }

  await t.test('no write of a remaining user is lost', async () => {
    for (let round = 0; round < 5; round++) {
      const id = `busy ${round}`
      const users = await many(4, () => join(app))
      const made = await avery.put(PATH, { id, users: users.map(({ userId }) => userId), data: {} })
      const writers = [avery, elsewhere]
      const [writes] = await Promise.all([
        many(40, (i) => writers[i % 2]!.post(PATH, { id, key: `k${i}`, value: i }, i % 3 ? {} : once())),
        many(4, (i) => leave(users[i]!, i % 2 ? second.addresses.production : app.address)),
      ])
      assertEach(writes, [undefined])
      const { body } = await avery.get(PATH, { id })
      assert.deepEqual(body.users, [avery.userId])
      assert.equal(Object.keys(body.data).length, 40)
      assert.equal(body.version, made.body.version + 44)
    }
    await assertNoTrouble(app)
  })

  await t.test('buckets that they create and share meanwhile stay for the others, or vanish', async () => {
    for (let round = 0; round < 8; round++) {
      const users = await many(3, () => join(app))
      const clients = users.flatMap(({ client }) => [client, through(client, second.addresses.production)])
      const storm = many(60, async (i) => {
        const client = clients[i % clients.length]!
        const id = `storm ${round} ${i % 7}`
        const headers = i % 4 ? {} : once()
        const share = i % 3 ? [] : [avery.userId]
        if (i % 3 === 0) return client.put(PATH, { id, data: 'x'.repeat(i * 100), users: share }, headers)
        if (i % 3 === 1) return client.post(PATH, { id, key: '', value: 'y'.repeat(i * 90) }, headers)
        return client.put(PATH, { id: `${id} ${i}` }, headers)
      })
      const gone = new Promise<void>((resolve) => setTimeout(resolve, round * 5)).then(() =>
        Promise.all(users.map((user) => leave(user))),
      )
      const [answers] = await Promise.all([storm, gone])
      assertEach(answers, [undefined, 4032, 4034, 4042, 4091])
      for (const user of users) assert.deepEqual(await leftOf(app, user), [])
    }
    await assertNoTrouble(app)
  })

  await t.test('nobody is given access after their removal', async () => {
    await many(6, (i) => avery.put(PATH, { id: `open ${i}` }))
    for (let round = 0; round < 8; round++) {
      const users = await many(4, () => join(app))
      const adding = many(48, async (i): Promise<Answer> => {
        const client: Client = i % 2 ? avery : elsewhere
        const { userId } = users[i % 4]!
        const id = `open ${i % 6}`
        if (i % 8 === 7) return client.put(PATH, { id: `given ${round} ${i}`, users: users.map((one) => one.userId) })
        return client.post(`${PATH}/user${i % 5 === 4 ? '/remove' : ''}`, { id, userId }, i % 3 ? {} : once())
      })
      const gone = new Promise<void>((resolve) => setTimeout(resolve, round * 5)).then(() =>
        Promise.all(users.map((user, i) => leave(user, i % 2 ? second.addresses.production : app.address))),
      )
      const [answers] = await Promise.all([adding, gone])
      assertEach(answers, [undefined, 4003, 4091])
      for (const user of users) assert.deepEqual(await leftOf(app, user), [])
    }
    await assertNoTrouble(app)
  })

  await t.test('many users are added and removed at once', async () => {
    await many(40, async (i) => {
      const answer = await app.nobody().put(PROFILE, { anonymous: true, clientId: 'gs-first', dateOfBirth: ADULT })
      const user = { refreshToken: answer.headers.get('refresh_token')! } as Anonymous
      await leave(user, i % 2 ? second.addresses.production : app.address)
    })
    assert.deepEqual(await app.sql('select id from people where anonymous'), [])
    await assertNoTrouble(app)
  })
})

test('D6: a removal and a concurrent operation never deadlock', async (t) => {
  const app = await testApp(t, SETTINGS)
  // With this timeout, PostgreSQL aborts no deadlocked transaction during the test, so a deadlock shows as requests
  // that get no response.
  await app.sql(`alter database ${app.connection.database} set deadlock_timeout = '10min'`)
  const platform = await app.startSecond()
  const address = platform.addresses.production
  const inApp = (name: string) => `app_id = (select id from apps where name = '${name}')`
  const areWaiting = async (count: number) => {
    const rows = await app.sql(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length === count
  }
  const hold = async (text: string) => {
    const client = new pg.Client(app.connection)
    client.on('error', () => {})
    await client.connect()
    await client.query(`begin; set local search_path to gs_production; ${text}`)
    return async () => {
      await client.query('commit')
      await client.end()
    }
  }

  await t.test('the person creates a bucket with the id of one that they were in', async () => {
    const [avery, blake] = [await app.as('avery'), await app.as('blake')]
    const user = await join(app)
    await user.client.put(PATH, { id: 'theirs alone' })
    const release = await hold(`update app_storage set blocks_used = blocks_used + 1 where ${inApp('first')}`)
    // The creation has found no bucket with this id, and now waits for the lock on the app's storage.
    const making = through(avery, address).put(PATH, { id: 'twin' })
    await until('the maker waits', () => areWaiting(1))
    const users = `'{${user.userId},${blake.userId}}'::text[]`
    await app.sql(
      `with bucket as (
         insert into buckets (app_id, id, users, public, data, version, blocks, created_at)
         select id, 'twin', ${users}, false, '{}', 1, 1, now() from apps where name = 'first' returning bucket_no
       ) insert into bucket_members (user_id, bucket_id, bucket_no, since_version)
         select u, 'twin', bucket_no, 1 from bucket, unnest(${users}) u`,
    )
    const leaving = new Client(address).post('/oauth/logout', { refresh_token: user.refreshToken })
    await until('both wait', () => areWaiting(2))
    await release()
    const [made, left] = await Promise.all([making, leaving])
    assertError(made, 409, 4091)
    assert.equal(left.status, 200, left.text)
    assert.deepEqual(await leftOf(app, user), [])
    assert.deepEqual((await blake.get(PATH, { id: 'twin' })).body.users, [blake.userId])
    await assertNoTrouble(app)
  })

  await t.test('two people who are in the same two apps are removed at once', async () => {
    const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
    const { db } = platform.environments.find(({ name }) => name === 'production')!
    // Create the app users in such an order that locking them by user id or by age would lock the two apps in opposite
    // orders for the two people.
    for (const [userId, name, person] of [
      ['1', 'first', 'casey'],
      ['2', 'second', 'casey'],
      ['3', 'second', 'drew'],
      ['4', 'first', 'drew'],
    ] as const) {
      await app.sql(
        `insert into app_users (user_id, app_id, person_id, consented_at)
         select '${userId}', a.id, p.id, now() from apps a, people p where a.name = '${name}' and p.handle_key = '${person}'`,
      )
      const made = await (await app.as(person, name)).put(PATH, { id: `of ${person}` })
      assert.deepEqual(made.body.users, [userId])
    }
    const remove = async (person: string) => {
      const [row] = await app.sql(`select id from people where handle_key = '${person}'`)
      return removePerson(db, who, { personId: Number(row?.id), reason: 'test', forget: FORGETTING })
    }
    const release = await hold(`select from buckets where id = 'of drew' and ${inApp('first')} for update`)
    const drew = remove('drew')
    await until('drew waits', () => areWaiting(1))
    let isCaseyGone = false
    const casey = remove('casey').finally(() => {
      isCaseyGone = true
    })
    await until('casey is gone, or waits too', async () => isCaseyGone || areWaiting(2))
    await release()
    assert.deepEqual(await Promise.all([drew, casey]), [true, true])
    await assertNoTrouble(app)
  })
})
