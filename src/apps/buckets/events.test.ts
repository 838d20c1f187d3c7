import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../kernel/database/test-database.ts'
import { endSession } from '../../kernel/sessions/sessions.ts'
import { assertError, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { setAppStatus } from '../apps/apps.ts'
import { openStream, PATH, type Stream, through, UNLIMITED } from './testing.ts'
import { bucketWatch } from './watch.ts'

const operator = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
const set = (client: Client, id: string, key: string, value: unknown) => client.post(PATH, { id, key, value })
const take = async (stream: Stream, count: number) => {
  const events = []
  for (let i = 0; i < count; i++) events.push(await stream.next())
  return events
}
const refusal = async ({ response }: Stream) => {
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers }
}
async function endSessionOf(app: TestApp, client: Client, index = 0): Promise<void> {
  const rows = await app.sql(`select id from sessions where user_id = '${client.userId}' order by created_at`)
  await endSession(app.environment().db, operator, { sessionId: String(rows[index]?.id), reason: 'test' })
}

test('the change stream', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const casey = await app.as('casey')
  const elsewhere = through(avery, second.addresses.production)

  await t.test('starts with ready and tells every change, in order, whichever process made it', async () => {
    await avery.put(PATH, { id: 'told', data: { list: [] } })
    const stream = await openStream(avery, { id: 'told' })
    assert.equal(stream.response.status, 200)
    assert.match(stream.response.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.equal(stream.response.headers.get('cache-control'), 'no-store')
    assert.ok(stream.response.headers.get('x-request-id'))
    assert.deepEqual(await stream.next(), { id: '1', event: 'ready', data: { id: 'told', version: 1 } })

    const tricky = 'a\nb\r\n\ndata: x\u2028"\\'
    await elsewhere.post(`${PATH}/user`, { id: 'told', userId: blake.userId })
    await set(blake, 'told', 'list.0', { a: [1, null] })
    await set(elsewhere, 'told', 'text', tricky)
    await set(avery, 'told', 'small', 'x'.repeat(2046))
    await set(avery, 'told', 'large', 'x'.repeat(2047))
    await set(avery, 'told', 'wide', 'é'.repeat(1024))
    await set(avery, 'told', '', null)
    await avery.post(`${PATH}/user/remove`, { id: 'told', userId: blake.userId })
    const events = await take(stream, 8)
    for (const { event, id, data } of events) {
      assert.deepEqual([event, id, data.id], ['change', String(data.version), 'told'])
      assert.match(data.changedDate, /^\d{4}-.*Z$/)
    }
    const shown = events.map(({ data: { id: _id, changedDate: _date, ...rest } }) => rest)
    assert.deepEqual(shown, [
      { version: 2, kind: 'users', userId: avery.userId, users: [avery.userId, blake.userId] },
      { version: 3, kind: 'set', key: 'list.0', userId: blake.userId, value: { a: [1, null] } },
      { version: 4, kind: 'set', key: 'text', userId: avery.userId, value: tricky },
      { version: 5, kind: 'set', key: 'small', userId: avery.userId, value: 'x'.repeat(2046) },
      { version: 6, kind: 'set', key: 'large', userId: avery.userId },
      { version: 7, kind: 'set', key: 'wide', userId: avery.userId },
      { version: 8, kind: 'set', key: '', userId: avery.userId, value: null },
      { version: 9, kind: 'users', userId: avery.userId, users: [avery.userId] },
    ])
    // Writes that change nothing or are refused cause no event.
    await avery.post(`${PATH}/user/remove`, { id: 'told', userId: blake.userId })
    await set(avery, 'told', 'a..b', 1)
    await set(blake, 'told', 'a', 1)
    await set(avery, 'told', 'b', 2)
    assert.equal((await stream.next()).data.key, 'b')
    await stream.close()
  })

  await t.test('a missed change comes after Last-Event-ID, each once and in order', async () => {
    const { version } = (await avery.put(PATH, { id: 'missed' })).body
    for (let i = 1; i <= 5; i++) await set(avery, 'missed', `k${i}`, i)
    for (const client of [avery, elsewhere]) {
      const stream = await openStream(client, { id: 'missed' }, { 'last-event-id': String(version + 2) })
      const { version: current } = (await avery.get(PATH, { id: 'missed' })).body
      const [ready, ...missed] = await take(stream, 1 + current - version - 2)
      assert.deepEqual(ready, { id: String(version + 2), event: 'ready', data: { id: 'missed', version: current } })
      assert.deepEqual(
        missed.map(({ event, id, data }) => [event, id, data.key, data.value]),
        missed.map((_, i) => ['change', String(version + 3 + i), `k${3 + i}`, 3 + i]),
      )
      await set(avery, 'missed', 'k6', 6)
      assert.equal((await stream.next()).data.version, current + 1)
      await stream.close()
    }
  })

  await t.test('256 missed changes are told; after more the whole bucket comes as reset', async () => {
    const { version: first } = (await avery.put(PATH, { id: 'long' })).body
    await Promise.all(Array.from({ length: 400 }, (_, i) => set(avery, 'long', `k${i}`, i)))
    const last = first + 400
    const stream = await openStream(avery, { id: 'long' }, { 'last-event-id': String(last - 256) })
    const [, ...missed] = await take(stream, 257)
    assert.deepEqual(
      missed.map((event) => event.data.version),
      Array.from({ length: 256 }, (_, i) => last - 255 + i),
    )
    await stream.close()

    const late = await openStream(avery, { id: 'long' }, { 'last-event-id': String(first) })
    const [ready, reset] = await take(late, 2)
    assert.equal(ready?.event, 'ready')
    const { body } = await avery.get(PATH, { id: 'long' })
    assert.deepEqual(reset, { id: String(last), event: 'reset', data: body })
    await set(avery, 'long', 'after', 1)
    const next = await late.next()
    assert.deepEqual([next.event, next.data.version], ['change', last + 1])
    await late.close()
  })

  await t.test('what happened before somebody became a member is not replayed to them', async () => {
    await avery.put(PATH, { id: 'joined' })
    await set(avery, 'joined', 'pin', 'secret')
    await set(avery, 'joined', '', { open: true })
    const { body } = await avery.post(`${PATH}/user`, { id: 'joined', userId: blake.userId })
    const stream = await openStream(blake, { id: 'joined' }, { 'last-event-id': String(body.version - 3) })
    const [, reset] = await take(stream, 2)
    assert.deepEqual([reset?.event, reset?.data.data], ['reset', { open: true }])
    await stream.close()
  })

  await t.test('old changes are trimmed, whatever kind of change has which version', async () => {
    const { version } = (await avery.put(PATH, { id: 'trimmed' })).body
    // Ensure that each version that is a multiple of 64 is a change of members.
    if (version % 2 === 1) await set(avery, 'trimmed', 'k', 0)
    for (let i = 0; i < 170; i++) {
      await set(avery, 'trimmed', 'k', i)
      await avery.post(`${PATH}/user${i % 2 ? '/remove' : ''}`, { id: 'trimmed', userId: blake.userId })
    }
    const [kept] = await app.sql(
      `select count(*)::int as n from bucket_changes join buckets using (bucket_no) where id = 'trimmed'`,
    )
    assert.ok(Number(kept?.n) >= 256 && Number(kept?.n) < 256 + 64, `${kept?.n} changes are kept`)
  })

  await t.test('a Last-Event-ID that this bucket never had gives reset, and garbage gives none', async () => {
    const first = (await avery.put(PATH, { id: 'namesake' })).body.version
    await set(avery, 'namesake', 'k', 1)
    await avery.delete(PATH, { id: 'namesake' })
    const { body } = await avery.put(PATH, { id: 'namesake', data: 'anew' })
    for (const id of [first, first + 1, body.version - 1, body.version + 1, 999_999_999_999_999, 0]) {
      const stream = await openStream(avery, { id: 'namesake' }, { 'last-event-id': String(id) })
      const [ready, reset] = await take(stream, 2)
      assert.deepEqual([ready?.event, ready?.id], ['ready', String(id)])
      assert.deepEqual(reset, { id: String(body.version), event: 'reset', data: body }, `after ${id}`)
      await stream.close()
    }
    const streams = []
    for (const id of ['', 'nil', '-1', '1.5', '1e3', 'x', '9'.repeat(16), String(body.version)]) {
      const stream = await openStream(avery, { id: 'namesake' }, { 'last-event-id': id })
      assert.equal((await stream.next()).id, String(body.version), id)
      streams.push(stream)
    }
    await set(avery, 'namesake', '', 'next')
    for (const stream of streams) {
      assert.deepEqual((await stream.next()).data.value, 'next')
      await stream.close()
    }
  })

  await t.test('a removed member is told so, and nothing after it', async () => {
    await avery.put(PATH, { id: 'leaving', users: [blake.userId, casey.userId] })
    const [leaving, staying] = await Promise.all([
      openStream(blake, { id: 'leaving' }),
      openStream(through(casey, second.addresses.production), { id: 'leaving' }),
    ])
    await Promise.all([leaving.next(), staying.next()])
    await avery.post(`${PATH}/user/remove`, { id: 'leaving', userId: blake.userId })
    await set(avery, 'leaving', 'secret', 'of those who stayed')
    assert.deepEqual(await leaving.next(), { id: undefined, event: 'removed', data: { id: 'leaving' } })
    await leaving.ended()
    assert.deepEqual(
      (await take(staying, 2)).map((event) => event.data.kind),
      ['users', 'set'],
    )
    assertError(await refusal(await openStream(blake, { id: 'leaving' })), 403, 4032)
    await staying.close()
  })

  await t.test('a deleted bucket ends its streams, on every process', async () => {
    await avery.put(PATH, { id: 'deleted' })
    const streams = await Promise.all([avery, elsewhere].map((client) => openStream(client, { id: 'deleted' })))
    for (const stream of streams) await stream.next()
    await avery.delete(PATH, { id: 'deleted' })
    await avery.put(PATH, { id: 'deleted', data: 'a namesake' })
    for (const stream of streams) {
      assert.deepEqual(await stream.next(), { id: undefined, event: 'deleted', data: { id: 'deleted' } })
      await stream.ended()
    }
  })

  await t.test('is for members: others are refused before it starts', async () => {
    await avery.put(PATH, { id: 'members' })
    await avery.put(PATH, { id: 'members, public', public: true })
    const cases: [Client, Record<string, string>, number, number][] = [
      [blake, { id: 'members' }, 403, 4032],
      [blake, { id: 'members, public' }, 403, 4032],
      [avery, { id: 'unknown' }, 404, 4042],
      [avery, {}, 400, 4001],
      [app.nobody(), { id: 'members' }, 401, 4016],
      [app.nobody(), { id: 'members', authorization: 'Bearer x' }, 403, 4034],
    ]
    for (const [client, query, status, code] of cases)
      assertError(await refusal(await openStream(client, query)), status, code)
    for (const authorization of [`Bearer ${avery.token}`, `${avery.token}`]) {
      const stream = await openStream(app.nobody(), { id: 'members', authorization })
      assert.equal((await stream.next()).event, 'ready')
      await stream.close()
    }
    assertError(await app.nobody().get(PATH, { id: 'members', authorization: `Bearer ${avery.token}` }), 401, 4016)
  })

  await t.test('ends within a second when the session does, on every process, and others go on', async () => {
    const phone = await app.as('drew')
    const tablet = await app.as('drew')
    await phone.put(PATH, { id: 'sessions' })
    const streams = await Promise.all([
      openStream(phone, { id: 'sessions' }),
      openStream(through(phone, second.addresses.production), { id: 'sessions' }),
    ])
    const other = await openStream(tablet, { id: 'sessions' })
    for (const stream of [...streams, other]) await stream.next()
    await endSessionOf(app, phone)
    for (const stream of streams) await stream.ended(1000)
    await set(tablet, 'sessions', 'k', 1)
    assert.equal((await other.next()).event, 'change')
    await other.close()
  })

  await t.test('ends when the token expires', async () => {
    const drew = await app.as('drew')
    await avery.put(PATH, { id: 'expiry', users: [drew.userId] })
    await app.sql(
      `update access_tokens set expires_at = now() + interval '1500 milliseconds' from sessions s
        where s.id = session_id and s.user_id = '${drew.userId}' and ended_at is null`,
    )
    const stream = await openStream(drew, { id: 'expiry' })
    await stream.next()
    await stream.ended(3000)
    assertError(await drew.get(PATH, { id: 'expiry' }), 401, 4010)
  })

  await t.test('a client that left before the stream opened leaves nothing behind', async () => {
    await avery.put(PATH, { id: 'left' })
    const watch = app.environment().get(bucketWatch)
    await until('earlier streams are gone', () => watch.size === 0)
    for (let i = 0; i < 40; i++) {
      const abort = new AbortController()
      const opening = fetch(`${avery.address}${PATH}/events?id=left`, {
        headers: { authorization: `Bearer ${avery.token}` },
        signal: abort.signal,
      }).catch(() => {})
      await sleep(i / 10)
      abort.abort()
      await opening
    }
    await until('all streams are gone', () => watch.size === 0)
  })

  await t.test('while others resume, a listener gets every change once and no reset', async () => {
    const { version } = (await avery.put(PATH, { id: 'busy' })).body
    const listener = await openStream(avery, { id: 'busy' })
    await listener.next()
    const writing = (async () => {
      for (let i = 0; i < 150; i++) await set(i % 2 ? avery : elsewhere, 'busy', 'k', i)
    })()
    const resuming = (async () => {
      for (let i = 0; i < 30; i++) {
        const stream = await openStream(avery, { id: 'busy' }, { 'last-event-id': String(version) })
        await take(stream, 2)
        await stream.close()
      }
    })()
    const events = await take(listener, 150)
    assert.deepEqual(
      events.map(({ event, id }) => `${event} ${id}`),
      events.map((_, i) => `change ${version + 1 + i}`),
    )
    await Promise.all([writing, resuming])
    await listener.close()
  })
})

test('200 streams on one bucket all get an event', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const people = await Promise.all((['avery', 'blake', 'casey', 'drew'] as const).map((person) => app.as(person)))
  const [avery] = people as [Client]
  await avery.put(PATH, { id: 'crowd', users: people.map((client) => client.userId) })
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, i) => openStream(people[i % people.length]!, { id: 'crowd' })),
  )
  await Promise.all(streams.map((stream) => stream.next()))
  assert.equal(app.environment().get(bucketWatch).size, 200)
  await set(avery, 'crowd', 'k', 'hello')
  const events = await Promise.all(streams.map((stream) => stream.next()))
  for (const event of events) assert.deepEqual([event.data.value, event.id], ['hello', '2'])
  await Promise.all(streams.map((stream) => stream.close()))
  await until('all streams are gone', () => app.environment().get(bucketWatch).size === 0)
})

test('a user has 50 streams at most, also when they are opened at once', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, STREAM_LIMIT: '60' })
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  await avery.put(PATH, { id: 'limit', users: [blake.userId] })
  const open = (client: Client, count: number) =>
    Promise.all(Array.from({ length: count }, () => openStream(client, { id: 'limit' })))
  const streams = await open(avery, 70)
  const refused = streams.filter((stream) => stream.response.status !== 200)
  assert.equal(refused.length, 20)
  for (const stream of refused) {
    const answer = await refusal(stream)
    assertError(answer, 429, 4291, /50 open streams/)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  // There is also a limit for the whole process, which is 60 in this test.
  const others = await open(blake, 15)
  assert.equal(others.filter((stream) => stream.response.status === 200).length, 10)
  await Promise.all([...streams, ...others].map((stream) => stream.close()))
  await until('all streams are gone', () => app.environment().get(bucketWatch).size === 0)
  const [again] = await open(avery, 1)
  assert.equal(again?.response.status, 200)
  await again?.close()
})

test('a platform that stops ends its streams promptly', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'stop' })
  const elsewhere = through(avery, second.addresses.production)
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(elsewhere, { id: 'stop' })))
  await Promise.all(streams.map((stream) => stream.next()))
  // Open a connection without sending a request, as browsers do in advance.
  const unused = connect(Number(new URL(elsewhere.address).port), '127.0.0.1')
  await once(unused, 'connect')
  const startedMs = performance.now()
  const stopping = second.stop()
  await Promise.all(streams.map((stream) => stream.ended(2000)))
  await stopping
  assertWithin(performance.now() - startedMs, 3000)
})

test('an app that is suspended has no streams any more', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const other = await app.as('avery', 'second')
  await avery.put(PATH, { id: 'suspended' })
  await other.put(PATH, { id: 'suspended' })
  const [stream, untouched] = await Promise.all([avery, other].map((client) => openStream(client, { id: 'suspended' })))
  await Promise.all([stream!.next(), untouched!.next()])
  await setAppStatus(app.environment().db, operator, { clientId: 'gs-first', status: 'suspended' })
  await stream!.ended(1000)
  await set(other, 'suspended', 'k', 1)
  assert.equal((await untouched!.next()).event, 'change')
  await untouched!.close()
})

test('a session that ended while no message could be heard has no streams any more', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  await avery.put(PATH, { id: 'unheard', users: [blake.userId] })
  const [ended, untouched] = await Promise.all([avery, blake].map((client) => openStream(client, { id: 'unheard' })))
  await Promise.all([ended!.next(), untouched!.next()])
  await app.sql(
    `update sessions set ended_at = now() where user_id = '${avery.userId}';
     select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and (query ilike 'listen%' or query = 'select 1')`,
  )
  await ended!.ended(5000)
  await set(blake, 'unheard', 'k', 1)
  assert.equal((await untouched!.next()).event, 'change')
  await untouched!.close()
})
