import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removePerson } from '../../identity/people/removal.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { createTestDatabase, runSql, until } from '../../kernel/database/test-database.ts'
import { forgetting } from '../../kernel/forget.ts'
import { assertError, Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { join, PROFILE } from '../anonymous/testing.ts'
import { assertStorageAddsUp, ok, openStream, PATH, registerApp, through, UNLIMITED } from './testing.ts'
import { bucketWatch } from './watch.ts'

/** In an app with 100 blocks, a user may use 10, and all anonymous users together 20. */
const SETTINGS = { ...UNLIMITED, RATE_ANONYMOUS_BURST: '1000', STORAGE_ANONYMOUS_PERCENT: '20' }
const kib = (n: number): string => 'x'.repeat(n * 1024 - 2)
const OWN_SHARE = /^The creator of this bucket has used up their share/
const ANONYMOUS_SHARE = /^The anonymous users of this app have used up their shared storage/

const usedBy = async (app: TestApp, { userId }: { userId: string }): Promise<number> =>
  Number((await app.sql(`select blocks_used::int as n from user_storage where user_id = '${userId}'`))[0]?.n ?? 0)
const usedByAnonymous = async (app: TestApp): Promise<number> =>
  Number((await app.sql(`select sum(anonymous_blocks) as n from app_storage`))[0]?.n)
const statusesOf = (answers: readonly { status: number }[]): number[] => answers.map(({ status }) => status).sort()

test("D9: one anonymous user, or two hundred, have a share of an app's storage, and others are served", async (t) => {
  const app = await testApp(t, SETTINGS)
  const name = await registerApp(app, 'shared', 100)
  const joinHere = () => join(app, { clientId: 'gs-shared' })
  const [avery, blake] = [await app.as('avery', name), await app.as('blake', name)]

  const { client: one } = await joinHere()
  for (let i = 0; i < 5; i++) ok(await one.put(PATH, { id: `one ${i}`, data: kib(2) }))
  assertError(await one.put(PATH, { id: 'one more' }), 400, 4007, OWN_SHARE)
  const before = ok(await one.get(PATH, { id: 'one 0' })).body
  assertError(await one.post(PATH, { id: 'one 0', key: '', value: kib(3) }), 400, 4007, OWN_SHARE)
  assert.deepEqual((await one.get(PATH, { id: 'one 0' })).body, before)
  assertError(await one.get(PATH, { id: 'one more' }), 404, 4042)

  const crowd = await Promise.all(Array.from({ length: 200 }, joinHere))
  const answers = await Promise.all(crowd.map(({ client }, i) => client.put(PATH, { id: `crowd ${i}` })))
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 190)
  for (const answer of refused) assertError(answer, 400, 4007, ANONYMOUS_SHARE)
  assert.equal(await usedByAnonymous(app), 20)

  // Other users can still use their own share, but no more than that.
  for (const client of [avery, blake]) ok(await client.put(PATH, { id: client.userId, data: kib(10) }))
  assertError(await avery.put(PATH, { id: 'more' }), 400, 4007, OWN_SHARE)
  // Shrinking a bucket makes its storage available immediately.
  ok(await one.post(PATH, { id: 'one 0', key: '', value: kib(1) }))
  ok(await crowd[0]!.client.put(PATH, { id: 'in its place' }))
  assertError(await one.put(PATH, { id: 'one more' }), 400, 4007, ANONYMOUS_SHARE)
  await assertStorageAddsUp(app)
})

test('by default a user has a tenth of the storage of an app, and so have all anonymous users together', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const name = await registerApp(app, 'tenths', 25)
  const avery = await app.as('avery', name)
  const anonymous = (await join(app, { clientId: 'gs-tenths' })).client
  const other = (await join(app, { clientId: 'gs-tenths' })).client
  // A tenth of 25 blocks is 2.5, which is rounded up to 3.
  for (const client of [avery, anonymous]) {
    assertError(await client.put(PATH, { id: client.userId, data: kib(4) }), 400, 4007)
    ok(await client.put(PATH, { id: client.userId, data: kib(3) }))
  }
  assertError(await other.put(PATH, { id: 'a' }), 400, 4007, ANONYMOUS_SHARE)
  assertError(await avery.put(PATH, { id: 'a' }), 400, 4007, OWN_SHARE)
  ok(await (await app.as('blake', name)).put(PATH, { id: 'a' }))
})

test('D6: a share is never exceeded, by 50 writers of one user or of all anonymous users', async (t) => {
  const app = await testApp(t, SETTINGS)
  const second = await app.startSecond()
  const name = await registerApp(app, 'raced', 100)
  const avery = await app.as('avery', name)
  const blake = await app.as('blake', name)
  const anonymous = await Promise.all(Array.from({ length: 5 }, () => join(app, { clientId: 'gs-raced' })))
  const at = (client: Client, i: number) => (i % 2 ? through(client, second.addresses.production) : client)
  const many = <T>(work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(i)))

  const made = await many((i) => at(avery, i).put(PATH, { id: `b${i}` }))
  assert.deepEqual(statusesOf(made), [...Array(10).fill(200), ...Array(40).fill(400)])
  const ids = made.flatMap(({ status, body }) => (status === 200 ? [body.id] : []))
  for (const id of ids.slice(1)) ok(await avery.delete(PATH, { id }))
  assert.equal(await usedBy(app, avery), 1)

  // Members can use up the creator's share, but not exceed it.
  ok(await avery.post(`${PATH}/user`, { id: ids[0], userId: blake.userId }))
  const grown = await many((i) => at(i % 3 ? blake : avery, i).post(PATH, { id: ids[0], key: `k${i}`, value: kib(1) }))
  for (const { status, body } of grown) assert.ok(status === 200 || body.error_code === 4007)
  assert.equal(await usedBy(app, avery), 10)
  assert.equal(await usedBy(app, blake), 0)

  const together = await many((i) => at(anonymous[i % 5]!.client, i).put(PATH, { id: `anonymous ${i}` }))
  assert.deepEqual(statusesOf(together), [...Array(20).fill(200), ...Array(30).fill(400)])
  assert.equal(await usedByAnonymous(app), 20)
  await assertStorageAddsUp(app)
})

test('who pays for a bucket', async (t) => {
  const app = await testApp(t, SETTINGS)
  const name = await registerApp(app, 'paid', 100)
  const [avery, blake, casey] = [
    await app.as('avery', name),
    await app.as('blake', name),
    await app.as('casey', name),
  ] as const
  const used = () => Promise.all([avery, blake, casey].map((client) => usedBy(app, client)))
  const set = (client: Client, id: string, blocks: number) => client.post(PATH, { id, key: '', value: kib(blocks) })
  const remove = (client: Client, id: string, { userId }: { userId: string }, headers = {}) =>
    client.post(`${PATH}/user/remove`, { id, userId }, headers)
  const clear = () =>
    app.sql(
      `delete from buckets; delete from bucket_changes; update app_storage set blocks_used = 0, anonymous_blocks = 0; update user_storage set blocks_used = 0`,
    )

  await t.test('the creator does, whoever writes to it', async () => {
    ok(await avery.put(PATH, { id: 'a', users: [blake.userId], data: kib(6) }))
    ok(await set(blake, 'a', 8))
    assert.deepEqual(await used(), [8, 0, 0])
    assertError(await set(blake, 'a', 11), 400, 4007, OWN_SHARE)
    ok(await set(blake, 'a', 3))
    assert.deepEqual(await used(), [3, 0, 0])
    ok(await blake.delete(PATH, { id: 'a' }))
    assert.deepEqual(await used(), [0, 0, 0])
  })

  await t.test('a member who removes the creator does from then on, and needs the room', async () => {
    ok(await avery.put(PATH, { id: 'a', users: [blake.userId, casey.userId], data: kib(6) }))
    ok(await blake.put(PATH, { id: 'b', data: kib(5) }))
    const { body } = await avery.get(PATH, { id: 'a' })
    for (const headers of [{}, { 'idempotency-key': 'take-over-1' }])
      assertError(await remove(blake, 'a', avery, headers), 400, 4007, OWN_SHARE)
    assert.deepEqual((await avery.get(PATH, { id: 'a' })).body, body)
    // Removing a member who is not charged for the bucket changes no charges.
    ok(await remove(blake, 'a', casey))
    assert.deepEqual(await used(), [6, 5, 0])
    ok(await set(blake, 'b', 4))
    ok(await remove(blake, 'a', avery))
    assert.deepEqual(await used(), [0, 10, 0])
    await assertStorageAddsUp(app)
    await clear()
  })

  await t.test('a creator who leaves does until it grows; then the member who makes it grow', async () => {
    for (const headers of [{}, { 'idempotency-key': 'take-over-2' }]) {
      ok(await avery.put(PATH, { id: 'a', users: [blake.userId], data: kib(3) }))
      ok(await remove(avery, 'a', avery))
      ok(await set(blake, 'a', 2))
      assert.deepEqual(await used(), [2, 0, 0])
      ok(await blake.post(PATH, { id: 'a', key: '', value: kib(4) }, headers))
      assert.deepEqual(await used(), [0, 4, 0])
      await assertStorageAddsUp(app)
      ok(await blake.delete(PATH, { id: 'a' }))
    }
    ok(await blake.put(PATH, { id: 'b', data: kib(7) }))
    ok(await avery.put(PATH, { id: 'a', users: [blake.userId], data: kib(3) }))
    ok(await remove(avery, 'a', avery))
    assertError(await set(blake, 'a', 4), 400, 4007, OWN_SHARE)
    assert.deepEqual(await used(), [3, 7, 0])
    await assertStorageAddsUp(app)
    await clear()
  })

  await t.test('if many grow a bucket without a payer at once, one of them pays for all of it', async () => {
    ok(await avery.put(PATH, { id: 'a', users: [blake.userId, casey.userId], data: {} }))
    ok(await remove(avery, 'a', avery))
    const grown = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? blake : casey).post(
          PATH,
          { id: 'a', key: `k${i}`, value: 'x'.repeat(450) },
          i % 3 ? {} : { 'idempotency-key': `grow-orphan-${i}` },
        ),
      ),
    )
    assert.deepEqual([...new Set(statusesOf(grown))], [200])
    assert.deepEqual((await used()).sort(), [0, 0, 9])
    await assertStorageAddsUp(app)
    await clear()
  })

  await t.test('the bucket of a deleted anonymous creator stays in the share of all anonymous users', async () => {
    const guest = await join(app, { clientId: 'gs-paid' })
    ok(await guest.client.put(PATH, { id: 'a', users: [blake.userId], data: kib(5) }))
    ok(await guest.client.put(PATH, { id: 'alone', data: kib(5) }))
    assert.equal(await usedByAnonymous(app), 10)
    ok(await app.nobody().post('/oauth/logout', { refresh_token: guest.refreshToken }))
    await until('only the shared one is left', async () => (await usedByAnonymous(app)) === 5)
    await assertStorageAddsUp(app)
    assert.deepEqual(await used(), [0, 0, 0])
    // If a member shrinks the bucket, it stays charged to the anonymous share; if they grow it, it is charged to them.
    ok(await set(blake, 'a', 4))
    assert.deepEqual([await usedByAnonymous(app), await usedBy(app, blake)], [4, 0])
    ok(await set(blake, 'a', 6))
    assert.deepEqual([await usedByAnonymous(app), await usedBy(app, blake)], [0, 6])
    await assertStorageAddsUp(app)
    await clear()
  })

  await t.test('the bucket of a deleted creator counts for the app alone, and has nothing of the person', async () => {
    ok(await casey.put(PATH, { id: 'a', users: [blake.userId], data: kib(5) }))
    ok(await casey.put(PATH, { id: 'left', users: [blake.userId], data: kib(2) }))
    ok(await remove(casey, 'left', casey))
    const [person] = await app.sql(`select person_id::int as id from app_users where user_id = '${casey.userId}'`)
    const { db, get } = app.environment()
    const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
    assert.ok(await removePerson(db, who, { personId: Number(person?.id), reason: 'test', forget: get(forgetting) }))
    assert.deepEqual(await app.sql(`select from user_storage where user_id = '${casey.userId}'`), [])
    await assertStorageAddsUp(app)
    for (const id of ['a', 'left']) ok(await set(blake, id, 1))
    assert.equal(await usedBy(app, blake), 0)
    ok(await set(blake, 'a', 6))
    assert.equal(await usedBy(app, blake), 6)
    for (const id of ['a', 'left']) ok(await blake.delete(PATH, { id }))
    await assertStorageAddsUp(app)
    assert.deepEqual(await app.sql(`select sum(blocks_used)::int as n from app_storage`), [{ n: 0 }])
  })
})

test('D9: two hundred anonymous users of one network share its streams, and others are served', async (t) => {
  // Limits: 20 streams for the anonymous users of one network, 30 for all anonymous users, 100 in total.
  const app = await testApp(t, {
    ...UNLIMITED,
    RATE_ANONYMOUS_BURST: '1000',
    STREAM_LIMIT: '100',
    STREAM_NETWORK_PERCENT: '20',
    STREAM_ANONYMOUS_PERCENT: '30',
    TRUST_PROXY: '127.0.0.1',
  })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const guest = async (address: string): Promise<Client> => {
    const body = { anonymous: true, clientId: 'gs-first', dateOfBirth: '1990-01-31' }
    const answer = ok(await app.nobody().put(PROFILE, body, from(address)))
    const client = new Client(app.address, answer.headers.get('access_token')!, answer.body.userId)
    ok(await client.put(PATH, { id: client.userId }))
    return client
  }
  const watch = (client: Client, address: string) => openStream(client, { id: client.userId }, from(address))
  const openAll = async (count: number, address: (i: number) => string) => {
    const guests = await Promise.all(Array.from({ length: count }, (_, i) => guest(address(i))))
    const streams = await Promise.all(guests.map((client, i) => watch(client, address(i))))
    t.after(() => Promise.all(streams.map((stream) => stream.close())))
    const refused = streams.filter(({ response }) => response.status !== 200)
    const words = await Promise.all(
      refused.map(async ({ response }) => [
        response.status,
        ((await response.json()) as { error_description: string }).error_description,
      ]),
    )
    return { guests, words, open: streams.filter(({ response }) => response.status === 200) }
  }
  // Use many addresses of one IPv6 network: they must all count as the same network, because a network has almost
  // unlimited addresses.
  const crowd = await openAll(200, (i) => (i % 2 ? '2001:db8::1' : `2001:db8::${i.toString(16)}:1`))
  assert.equal(crowd.open.length, 20)
  assert.deepEqual(
    crowd.words,
    Array(180).fill([429, 'The anonymous users of one network can have at most 20 open streams']),
  )
  const elsewhere = await openAll(15, () => '192.0.2.7')
  assert.equal(elsewhere.open.length, 10)
  assert.deepEqual(elsewhere.words, Array(5).fill([429, 'All anonymous users can have at most 30 open streams']))

  // People with an account can open the remaining streams, even from the same network.
  const avery = await app.as('avery')
  ok(await avery.put(PATH, { id: avery.userId }))
  const streams = await Promise.all(Array.from({ length: 50 }, () => watch(avery, '2001:db8::1')))
  assert.deepEqual([...new Set(streams.map(({ response }) => response.status))], [200])
  assert.equal((await streams[0]!.next()).event, 'ready')
  await Promise.all(streams.map((stream) => stream.close()))

  // After a stream is closed, another can be opened.
  await crowd.open[0]!.close()
  await until('it is free', () => app.environment().get(bucketWatch).size === 29)
  const again = await watch(crowd.guests[7]!, '2001:db8::1')
  assert.equal(again.response.status, 200)
  await again.close()
})

test('buckets from before shares existed are charged to the first of their users', async () => {
  const { connection, drop } = await createTestDatabase()
  try {
    await migrate(connection, 'gs_production', undefined, 23)
    const run = (text: string) => runSql(connection, `set search_path to gs_production; ${text}`)
    await run(
      `insert into people (handle, handle_key, anonymous, created_at) values ('@a', 'a', false, now()), ('@b', 'b', true, now()), ('@c', 'c', false, now());
       insert into apps (client_id, name, status, created_at) values ('gs-x', 'x', 'approved', now()), ('gs-y', 'y', 'approved', now());
       insert into app_storage (app_id, blocks_limit, blocks_used) select id, 100, 10 from apps;
       insert into app_users (user_id, app_id, person_id, consented_at) select p.handle_key || a.name, a.id, p.id, now() from people p, apps a;
       insert into buckets (app_id, id, users, public, data, version, blocks, created_at)
       select a.id, b.id, array(select u || a.name from unnest(b.users) u), false, '{}', 1, b.blocks, now()
         from apps a, (values ('1', '{a,b}'::text[], 4), ('2', '{b,a}', 2), ('3', '{b}', 1), ('4', '{a}', 3)) b (id, users, blocks)`,
    )
    await migrate(connection, 'gs_production')
    const rows = await run(
      `select b.id, s.user_id, s.blocks_used::int, b.by_anonymous, o.anonymous_blocks::int
         from buckets b join user_storage s using (payer_no) join app_storage o using (app_id) order by s.user_id, b.id`,
    )
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['1', 'ax', 7, false, 3],
        ['4', 'ax', 7, false, 3],
        ['1', 'ay', 7, false, 3],
        ['4', 'ay', 7, false, 3],
        ['2', 'bx', 3, true, 3],
        ['3', 'bx', 3, true, 3],
        ['2', 'by', 3, true, 3],
        ['3', 'by', 3, true, 3],
      ],
    )
    assert.deepEqual(await run('select count(*)::int as n from user_storage'), [{ n: 4 }])
  } finally {
    await drop()
  }
})
