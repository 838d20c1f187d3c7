import assert from 'node:assert/strict'
import { test } from 'node:test'
import { through, UNLIMITED } from '../../apps/buckets/testing.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { isLong } from '../../operations/testing/sizes.ts'
import { type Answer, type Client, type Person, testApp } from '../../operations/testing/testing.ts'
import { removePerson } from '../people/removal.ts'
import {
  act,
  assertNothingContradicts,
  befriend,
  forgetAll,
  makePeople,
  NOBODY,
  openSearch,
  see,
  VERBS,
} from './testing.ts'

/** How often each race is repeated. The rounds alternate between variants of the race. */
const ROUNDS = isLong ? 12 : 6
const NAMES: readonly Person[] = ['avery', 'blake', 'casey', 'drew']
const codes = (answers: readonly Answer[]): number[] =>
  answers.map(({ status, body }) => body?.error_code ?? status).sort((a, b) => a - b)

test('D6: parallel actions between two people are serialised', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, POOL_SIZE: '10' })
  await openSearch(app, NAMES)
  const second = await app.startSecond()
  const elsewhere = (client: Client) => through(client, second.addresses.production)
  const [avery, blake, casey, drew] = [
    await app.as('avery'),
    await app.as('blake'),
    await app.as('casey'),
    await app.as('drew'),
  ]
  const rows = async () => Number((await app.sql('select count(*)::int as n from friendships'))[0]?.n)
  const rounds = async (work: (round: number) => Promise<void>) => {
    for (let round = 0; round < ROUNDS; round++) {
      await forgetAll(app)
      await work(round)
      await assertNothingContradicts(app)
    }
  }

  await t.test('two requests that cross become one friendship', () =>
    rounds(async () => {
      const answers = await Promise.all([
        act(avery, 'request', blake),
        act(elsewhere(blake), 'request', avery),
        act(elsewhere(avery), 'request', blake),
        act(blake, 'request', avery),
      ])
      assert.deepEqual(codes(answers), [200, 200, 200, 200])
      assert.equal(await rows(), 1)
      assert.deepEqual(await see(avery), { ...NOBODY, friends: ['blake'] })
      assert.deepEqual(await see(blake), { ...NOBODY, friends: ['avery'] })
    }),
  )

  await t.test('twenty parallel requests to one person are one', () =>
    rounds(async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => act(i % 2 ? avery : elsewhere(avery), 'request', blake)),
      )
      assert.deepEqual(new Set(codes(answers)), new Set([200]))
      assert.equal(await rows(), 1)
      assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
    }),
  )

  await t.test('accepted and blocked: blocked', () =>
    rounds(async (round) => {
      await act(avery, 'request', blake)
      const [blocker, blocked] = round % 2 ? [avery, blake] : [blake, avery]
      const [block, accept] = await Promise.all([
        act(elsewhere(blocker), 'block', blocked),
        act(blake, 'accept', avery),
      ])
      assert.equal(block.status, 200)
      assert.ok([200, 4042].includes(codes([accept])[0]!))
      for (const client of [avery, blake]) assert.deepEqual((await see(client)).friends, [])
      assert.equal((await see(blocker)).blocked.length, 1)
    }),
  )

  await t.test('asked and blocked: the blocker sees nothing of it', () =>
    rounds(async () => {
      const [request, block] = await Promise.all([act(elsewhere(avery), 'request', blake), act(blake, 'block', avery)])
      assert.equal(block.status, 200)
      assert.ok([200, 4042].includes(codes([request])[0]!), request.text)
      assert.deepEqual(await see(blake), { ...NOBODY, blocked: ['avery'] })
      // If avery's request came before the block, it stays unanswered; if it came after, avery cannot find blake.
      assert.deepEqual(await see(avery), request.status === 200 ? { ...NOBODY, sent: ['blake'] } : NOBODY)
    }),
  )

  await t.test('both block each other: both are blocked, and each ends only their own block', () =>
    rounds(async (round) => {
      const isRequest = round % 3 === 1
      if (isRequest) await act(avery, 'request', blake)
      else if (round % 3 === 2) await befriend(avery, blake)
      const answers = await Promise.all([act(elsewhere(avery), 'block', blake), act(blake, 'block', avery)])
      assert.deepEqual(codes(answers), [200, 200])
      const cannotFind = async () =>
        codes([
          await avery.get('/user/v1/profile', { id: blake.userId }),
          await blake.get('/user/v1/profile', { id: avery.userId }),
        ])
      assert.deepEqual(await app.sql('select count(*)::int as n from blocks'), [{ n: 2 }])
      // To the person whose block came second, the other is already hidden, so that block is listed only if the second
      // blocker had sent a request.
      const listed = [(await see(avery)).blocked.length, (await see(blake)).blocked.length]
      assert.ok(listed.includes(1), String(listed))
      if (isRequest) assert.equal(listed[0], 1)
      const [first, other] = round % 2 ? [avery, blake] : [blake, avery]
      await act(first, 'unblock', other)
      assert.deepEqual(await cannotFind(), [4042, 4042], 'the other block holds')
      await act(other, 'unblock', first)
      assert.deepEqual(await cannotFind(), [200, 200])
    }),
  )

  await t.test('of accepting, declining and cancelling at once, one wins', () =>
    rounds(async () => {
      await act(avery, 'request', blake)
      const [accept, decline, cancel] = await Promise.all([
        act(blake, 'accept', avery),
        act(elsewhere(blake), 'decline', avery),
        act(elsewhere(avery), 'cancel', blake),
      ])
      const isAccepted = accept.status === 200
      assert.equal(isAccepted ? 1 : 0, (await see(avery)).friends.length)
      assert.deepEqual((await see(avery)).friends.length, (await see(blake)).friends.length)
      if (isAccepted) assert.deepEqual(codes([decline, cancel]), [4042, 4042])
      // A declined request still looks open to its sender, who may cancel it.
      else assert.equal(cancel.status, 200)
      assert.equal(await rows(), isAccepted ? 1 : 0)
    }),
  )

  await t.test('both end the friendship at once: it ends once', () =>
    rounds(async () => {
      await befriend(avery, blake)
      const answers = await Promise.all([act(elsewhere(avery), 'remove', blake), act(blake, 'remove', avery)])
      assert.deepEqual(codes(answers), [200, 4042])
      assert.equal(await rows(), 0)
    }),
  )

  await t.test('whatever four people do to each other, both sides agree afterwards', () =>
    rounds(async (round) => {
      const clients = [avery, blake, casey, drew]
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, i) => {
          const me = (i * 7 + round) % 4
          const client = clients[me]!
          const other = clients[(me + 1 + (i % 3)) % 4]!
          const verb = i % 2 ? 'request' : VERBS[(i * 5 + round) % VERBS.length]!
          return act(i % 5 < 2 ? elsewhere(client) : client, verb, other)
        }),
      )
      for (const code of codes(answers)) assert.ok([200, 4006, 4042].includes(code), String(code))
      const views = await Promise.all(clients.map(see))
      for (const [i, view] of views.entries())
        for (const [j, other] of views.entries()) {
          assert.equal(view.friends.includes(NAMES[j]!), other.friends.includes(NAMES[i]!))
          if (view.received.includes(NAMES[j]!)) assert.ok(other.sent.includes(NAMES[i]!))
        }
    }),
  )
})

test('D6: the limit of friends is never exceeded', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, POOL_SIZE: '10' })
  await openSearch(app, NAMES)
  const second = await app.startSecond()
  await makePeople(app, 'crowd', 999)
  await app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select c.id, a.id, now(), now() from people a, people c where a.handle_key = 'avery' and c.handle_key like 'crowd%'`,
  )
  const avery = await app.as('avery')
  const others = await Promise.all((['blake', 'casey', 'drew'] as const).map((name) => app.as(name)))
  for (const other of others) await act(other, 'request', avery)
  const answers = await Promise.all(
    others.map((other, i) => act(i % 2 ? avery : through(avery, second.addresses.production), 'accept', other)),
  )
  assert.deepEqual(codes(answers), [200, 4006, 4006])
  assert.equal((await see(avery)).friends.length, 1000)
  await assertNothingContradicts(app)
})

test('D6: nothing is left of a person who is deleted while others ask, accept and block', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, POOL_SIZE: '10' })
  await openSearch(app, NAMES)
  const second = await app.startSecond()
  const clients = await Promise.all(NAMES.map((name) => app.as(name)))
  const { db, clock } = app.environment()
  for (let round = 0; round < ROUNDS; round++) {
    await forgetAll(app)
    await makePeople(app, `goer${round}-`, 2)
    const goers = await app.sql(
      `select p.id::int as id, u.user_id from people p join app_users u on u.person_id = p.id where p.handle_key like 'goer${round}-%'`,
    )
    // Send requests from both people to be removed, so that there are requests to accept.
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at)
       select g.id, p.id, now() from people g, people p where g.handle_key like 'goer${round}-%' and p.handle_key in ('avery', 'blake')`,
    )
    const storm = Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const client = clients[i % 4]!
        const userId = String(goers[(i >> 2) % 2]!.user_id)
        const verb = VERBS[(i + round) % VERBS.length]!
        return act(i % 3 ? client : through(client, second.addresses.production), verb, { userId })
      }),
    )
    const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
    const gone = new Promise<void>((resolve) => setTimeout(resolve, round * 4)).then(() =>
      Promise.all(
        goers.map(({ id }) => removePerson(db, who, { personId: Number(id), reason: 'test', forget: FORGETTING })),
      ),
    )
    const [answers, removed] = await Promise.all([storm, gone])
    assert.deepEqual(removed, [true, true])
    for (const code of codes(answers)) assert.ok([200, 4006, 4042].includes(code), String(code))
    for (const client of clients) assert.deepEqual(await see(client), NOBODY)
    const left = await app.sql(
      `select asker_id from friendships union all select blocker_id from blocks union all select asker_id from declines`,
    )
    assert.deepEqual(left, [])
    await assertNothingContradicts(app)
  }
})
