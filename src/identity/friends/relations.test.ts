import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from '../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { type Answer, assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { blockPerson, unblockPerson } from './blocks.ts'
import { acceptRequest, declineRequest, requestFriend } from './friends.ts'
import {
  act,
  actByHandle,
  befriend,
  browserOf,
  EVERYBODY,
  expectDone,
  forgetAll,
  NOBODY,
  openSearch,
  PATH,
  see,
  VERBS,
} from './testing.ts'

const OK = 200
const MISSING = 4042
const STATUS: Record<number, number> = {
  200: 200,
  4003: 400,
  4004: 400,
  4006: 400,
  4016: 401,
  4034: 403,
  4035: 403,
  4042: 404,
}

type Outcomes = Record<(typeof VERBS)[number] | 'lists', number>
const all = (outcome: number): Outcomes => ({
  request: outcome,
  accept: outcome,
  decline: outcome,
  cancel: outcome,
  remove: outcome,
  block: outcome,
  unblock: outcome,
  lists: outcome,
})
/** Blocking and unblocking respond in the same way for every target, so the response reveals nothing. */
const UNKNOWN: Outcomes = { ...all(MISSING), block: OK, unblock: OK, lists: OK }
const STRANGER: Outcomes = { ...UNKNOWN, request: OK }

/** The outcome of each verb that these callers apply to avery, who has public search on. */
const MATRIX: Record<string, Outcomes> = {
  'a friend': { ...STRANGER, accept: OK, remove: OK },
  'a stranger': STRANGER,
  'somebody who has asked': { ...STRANGER, cancel: OK },
  'somebody who was asked': { ...STRANGER, accept: OK, decline: OK },
  // To a person whom avery has blocked, avery looks like somebody with public search off.
  'somebody who was blocked': UNKNOWN,
  'somebody who has blocked them': { ...STRANGER, request: 4006 },
  'a friend in another app': UNKNOWN,
  'a friend of the same name in the sandbox': UNKNOWN,
  "a friend with the sandbox's token": all(4034),
  'an anonymous user': { ...all(4035), lists: OK },
  'avery themselves': { ...all(4003), lists: OK },
  'somebody without a token': all(4016),
}

test('D1: every verb, by every kind of caller, on a person who can be found and on one who cannot', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const avery = await app.as('avery')
  const friend = await app.as('blake')
  const sandbox = await app.as('blake', 'first', 'sandbox')
  const callers: Record<string, Client> = {
    'a friend': friend,
    'a stranger': await app.as('casey'),
    'somebody who has asked': await app.as('drew'),
    'somebody who was asked': await app.as('ellis'),
    'somebody who was blocked': await app.as('finley'),
    'somebody who has blocked them': await app.as('casey'),
    'a friend in another app': await app.as('blake', 'second'),
    'a friend of the same name in the sandbox': sandbox,
    "a friend with the sandbox's token": new Client(app.address, sandbox.token),
    'an anonymous user': (await join(app)).client,
    'avery themselves': avery,
    'somebody without a token': app.nobody(),
  }
  const prepare = (name: string) =>
    app.sql(
      `delete from friendships; delete from declines; delete from blocks;
       create or replace temporary view known as select id, handle_key as name from people;
       insert into friendships (asker_id, asked_id, requested_at, accepted_at)
       select asker.id, asked.id, now(), case when 'blake' in (asker.name, asked.name) then now() end
         from (values ('avery', 'blake'), ('drew', 'avery'), ('avery', 'ellis')) t(asker, asked)
         join known asker on asker.name = t.asker join known asked on asked.name = t.asked;
       insert into blocks (blocker_id, blocked_id, created_at)
       select blocker.id, blocked.id, now() from known blocker join known blocked
         on (blocker.name, blocked.name) in (('avery', 'finley')${name === 'somebody who has blocked them' ? ", ('casey', 'avery')" : ''})`,
    )
  for (const [name, outcomes] of Object.entries(MATRIX)) {
    await t.test(name, async () => {
      const client = callers[name]!
      for (const isOpen of [true, false]) {
        await openSearch(app, ['avery'], isOpen)
        for (const verb of VERBS) {
          await prepare(name)
          // A stranger cannot send a request to a person with public search off.
          const isHidden = !isOpen && verb === 'request' && outcomes === STRANGER
          const expected = isHidden ? MISSING : outcomes[verb]
          const before = await see(avery)
          const answer = await act(client, verb, avery)
          assertOutcome(answer, expected, `${verb}, ${isOpen ? 'open' : 'hidden'}`)
          if (expected !== OK) assert.deepEqual(await see(avery), before, `${verb} was refused and changed something`)
          if (expected !== MISSING && !(expected === OK && (verb === 'block' || verb === 'unblock'))) continue
          const unknown = await act(client, verb, { userId: 'nobody-at-all' })
          assert.equal(answer.text, unknown.text, 'the answer tells nothing about whether there is such a user')
        }
      }
      for (const path of [PATH, `${PATH}/requests`, `${PATH}/blocked`])
        assertOutcome(await client.get(path), outcomes.lists, path)
    })
  }
})

function assertOutcome(answer: Answer, expected: number, about: string): void {
  const { status, body, text } = answer
  assert.deepEqual([status, body?.error_code ?? OK], [STATUS[expected], expected], `${about}: ${text}`)
}

test('nobody befriends anonymous users', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const { client } = await join(app)
  await app.sql('update people set public_search = true')
  const unknown = await act(avery, 'request', { userId: 'nobody' })
  assertError(unknown, 404, 4042)
  assert.equal((await act(avery, 'request', client)).text, unknown.text, 'to others they are nobody')
  assertError(await act(client, 'request', avery), 403, 4035, /sign in/)
  assertError(await act(client, 'request', { userId: 'nobody' }), 403, 4035)
  assert.deepEqual(await see(client), NOBODY)
  await expectDone(act(avery, 'block', client))
  assert.deepEqual(await see(avery), NOBODY)
  assertError(await client.get('/user/v1/profile', { id: avery.userId }), 404, 4042)
})

test('an id of one app means nothing in another, where the same friend has another', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  await openSearch(app, EVERYBODY)
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  const elsewhere = await app.as('avery', 'second')
  await befriend(avery, blake)
  assert.deepEqual(await see(elsewhere), NOBODY)
  const ASKING = VERBS.filter((verb) => verb !== 'block' && verb !== 'unblock')
  for (const verb of ASKING) assertError(await act(elsewhere, verb, blake), 404, 4042)
  const blakeElsewhere = await app.as('blake', 'second')
  const [[here], [there]] = [(await avery.get(PATH)).body, (await elsewhere.get(PATH)).body]
  assert.deepEqual([here.userId, there.userId], [blake.userId, blakeElsewhere.userId])
  assert.notEqual(here.userId, there.userId)
  assert.ok(!JSON.stringify(there).includes(blake.userId))
  for (const verb of ASKING) assertError(await act(avery, verb, blakeElsewhere), 404, 4042)
  // The user id of another app is unknown in this app, so this only blocks a name.
  await expectDone(act(avery, 'block', blakeElsewhere))
  assert.deepEqual(await see(avery), { ...NOBODY, friends: ['blake'] })
  // Friendships belong to the person, so ending a friendship in one app ends it in all apps.
  await expectDone(act(elsewhere, 'remove', blakeElsewhere))
  assert.deepEqual(await see(avery), NOBODY)
  await app.as('avery', 'first', 'sandbox').then(async (client) => assert.deepEqual(await see(client), NOBODY))
})

test('D2: only the other person is read from a body', async (t) => {
  const app = await testApp(t)
  await openSearch(app, EVERYBODY)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const smuggled = {
    personId: 2,
    otherId: 3,
    by: 'parent',
    owner: casey.userId,
    accepted: true,
    acceptedDate: '2020-01-01',
    accepted_at: '2020-01-01',
    requestedDate: '2020-01-01',
    requested_by: blake.userId,
    asker_id: 2,
    is_quiet: true,
    users: [casey.userId],
    appId: 2,
    trainer: true,
  }
  assert.equal((await avery.post(`${PATH}/request`, { ...smuggled, userId: blake.userId })).status, 200)
  assert.deepEqual(await see(avery), { ...NOBODY, sent: ['blake'] })
  assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
  assert.deepEqual(await see(casey), NOBODY)
  const { body } = await blake.get(`${PATH}/requests`)
  assert.ok(body.received[0].requestedDate > '2026')
  const accepted = await avery.post(`${PATH}/accept`, { ...smuggled, userId: blake.userId })
  assertError(accepted, 404, 4042)
  await app.sql(`update people set date_of_birth = current_date - 3650 where handle_key = 'blake'`)
  assertError(await blake.post(`${PATH}/accept`, { ...smuggled, userId: avery.userId }), 400, 4004)
  assertError(await avery.post(`${PATH}/request`, { ...smuggled }), 400, 4001, /userId/)
  assertError(await avery.post(`${PATH}/request`, { userId: [blake.userId] }), 400, 4005)
  assertError(await avery.send('POST', `${PATH}/request`, { query: { userId: blake.userId } }), 400, 4001)
})

test('a parent decides about the friends of a child', async (t) => {
  const app = await testApp(t)
  await openSearch(app, EVERYBODY)
  await app.sql(`update people set date_of_birth = current_date - 3650 where handle_key = 'casey'`)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const { db, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const idOf = async (name: string) =>
    Number((await app.sql(`select id::int from people where handle_key = '${name}'`))[0]?.id)
  const [averyId, caseyId, blakeId] = [await idOf('avery'), await idOf('casey'), await idOf('blake')]

  await t.test('a child neither asks nor accepts by itself, in an app or out of it', async () => {
    await expectDone(act(avery, 'request', casey))
    const browser = await browserOf(app, 'casey')
    for (const other of ['avery', 'blake', 'nobody-at-all']) {
      assertError(await actByHandle(browser, 'accept', other), 400, 4004, /parent accepts friend requests/)
      assertError(await actByHandle(browser, 'request', other), 400, 4004, /parent sends friend requests/)
    }
    assertError(await act(casey, 'accept', avery), 400, 4004)
    assertError(await act(casey, 'request', avery), 400, 4004)
    assertError(await act(casey, 'request', { userId: 'nobody-at-all' }), 400, 4004)
    assert.deepEqual(await see(casey), { ...NOBODY, received: ['avery'] })
  })

  await t.test('its parent does both', async () => {
    await acceptRequest(db, who, { personId: caseyId, otherId: averyId, by: 'parent' })
    assert.deepEqual(await see(casey), { ...NOBODY, friends: ['avery'] })
    await requestFriend(db, who, { personId: caseyId, otherId: blakeId, by: 'parent' })
    assert.deepEqual(await see(await app.as('blake')), { ...NOBODY, received: ['casey'] })
    assert.deepEqual((await see(avery)).friends, ['casey'])
  })

  await t.test('a child cancels, removes and blocks by itself, and a parent sees it', async () => {
    await expectDone(act(casey, 'cancel', await app.as('blake')))
    await expectDone(act(casey, 'remove', avery))
    await expectDone(act(avery, 'request', casey))
    await expectDone(act(casey, 'block', avery))
    assert.deepEqual(await see(casey), { ...NOBODY, blocked: ['avery'] })
  })

  await t.test(
    'a child neither ends a block nor declines, in an app or out of it: a parent may have decided',
    async () => {
      await forgetAll(app)
      await expectDone(act(avery, 'request', casey))
      const browser = await browserOf(app, 'casey')
      await blockPerson(db, who, { personId: caseyId, otherId: blakeId, by: 'parent' })
      for (const other of ['avery', 'blake', 'nobody-at-all']) {
        assertError(await actByHandle(browser, 'unblock', other), 400, 4004, /parent unblocks users/)
        assertError(await actByHandle(browser, 'decline', other), 400, 4004, /parent declines friend requests/)
      }
      for (const other of [avery, await app.as('blake'), { userId: 'nobody-at-all' }])
        for (const verb of ['unblock', 'decline'] as const) assertError(await act(casey, verb, other), 400, 4004)
      assert.deepEqual(await see(casey), { ...NOBODY, received: ['avery'], blocked: ['blake'] })
      assertError(await (await app.as('blake')).get('/user/v1/profile', { id: casey.userId }), 404, 4042)
      await declineRequest(db, who, { personId: caseyId, otherId: averyId, by: 'parent' })
      await unblockPerson(db, who, { personId: caseyId, otherId: blakeId, by: 'parent' })
      assert.deepEqual(await see(casey), NOBODY)
    },
  )

  await t.test('on the thirteenth birthday it decides itself', async () => {
    const birthday = new Date(clock())
    const born = `${birthday.getUTCFullYear() - 13}-${birthday.toISOString().slice(5, 10)}`
    const bornLater = new Date(`${born}T00:00:00Z`)
    bornLater.setUTCDate(bornLater.getUTCDate() + 1)
    await forgetAll(app)
    for (const [day, code] of [
      [bornLater.toISOString().slice(0, 10), 4004],
      [born, undefined],
    ] as const) {
      await app.sql(`update people set date_of_birth = '${day}' where handle_key = 'casey'`)
      assert.equal((await act(casey, 'request', avery)).body.error_code, code)
    }
  })
})
