import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import {
  act,
  actByHandle,
  assertNothingContradicts,
  befriend,
  browserOf,
  EVERYBODY,
  expectDone,
  forgetAll,
  letDeclinesAge,
  NOBODY,
  OWN_PATH,
  openSearch,
  PATH,
  see,
  seeOwn,
  VERBS,
} from './testing.ts'

const ENTRY_FIELDS = [
  'userId',
  'handle',
  'firstName',
  'lastName',
  'userType',
  'accountType',
  'country',
  'profilePic',
  'coverPhoto',
  'anonymous',
]

test('friends ask, answer and part', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, EVERYBODY)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  t.beforeEach(() => forgetAll(app))

  await t.test('a request is seen by both, and once accepted both are friends', async () => {
    await expectDone(act(avery, 'request', blake))
    assert.deepEqual(await see(avery), { ...NOBODY, sent: ['blake'] })
    assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
    await expectDone(act(blake, 'accept', avery))
    assert.deepEqual(await see(avery), { ...NOBODY, friends: ['blake'] })
    assert.deepEqual(await see(blake), { ...NOBODY, friends: ['avery'] })
    assert.deepEqual(await see(casey), NOBODY)
  })

  await t.test('the list is a plain array with the declared fields, by name, and is not cached', async () => {
    await app.sql(
      `update people set first_name = 'Zoe', email = 'b@example.org', gender = 'x' where handle_key = 'blake'`,
    )
    await app.sql(`update people set first_name = 'adam' where handle_key = 'casey'`)
    await befriend(avery, blake)
    await befriend(avery, casey)
    const { body, headers } = await avery.get(PATH)
    assert.deepEqual(
      body.map(({ userId }: { userId: string }) => userId),
      [casey.userId, blake.userId],
    )
    for (const entry of body) assert.deepEqual(Object.keys(entry), ENTRY_FIELDS)
    assert.equal(headers.get('cache-control'), 'no-store')
    await act(await app.as('drew'), 'request', avery)
    const requests = await avery.get(`${PATH}/requests`)
    assert.equal(requests.headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(requests.body), ['received', 'sent'])
    assert.deepEqual(Object.keys(requests.body.received[0]), [...ENTRY_FIELDS, 'requestedDate'])
    assert.match(requests.body.received[0].requestedDate, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal((await avery.get(`${PATH}/blocked`)).headers.get('cache-control'), 'no-store')
  })

  await t.test('a repeated request has the same answer and no second row', async () => {
    for (let i = 0; i < 3; i++) await expectDone(act(avery, 'request', blake))
    const { body } = await avery.get(`${PATH}/requests`)
    assert.equal(body.sent.length, 1)
    await expectDone(act(blake, 'accept', avery))
    await expectDone(act(blake, 'accept', avery))
    await expectDone(act(avery, 'request', blake))
    assert.deepEqual(await see(blake), { ...NOBODY, friends: ['avery'] })
    assert.deepEqual(await app.sql('select count(*)::int as n from friendships'), [{ n: 1 }])
  })

  await t.test('two who ask each other are friends', async () => {
    await expectDone(act(avery, 'request', blake))
    await expectDone(act(blake, 'request', avery))
    for (const client of [avery, blake]) assert.equal((await see(client)).friends.length, 1)
  })

  await t.test('a person who has asked can be asked, even with public search off', async () => {
    await openSearch(app, ['avery'], false)
    assertError(await act(blake, 'request', avery), 404, 4042)
    await expectDone(act(avery, 'request', blake))
    await expectDone(act(blake, 'request', avery))
    assert.deepEqual(await see(avery), { ...NOBODY, friends: ['blake'] })
    await openSearch(app, ['avery'])
  })

  await t.test('a cancelled request is gone for both', async () => {
    await act(avery, 'request', blake)
    assertError(await act(blake, 'cancel', avery), 404, 4042, /no open friend request to/)
    await expectDone(act(avery, 'cancel', blake))
    for (const client of [avery, blake]) assert.deepEqual(await see(client), NOBODY)
    assertError(await act(blake, 'accept', avery), 404, 4042, /no friend request from/)
  })

  await t.test('either side ends a friendship, and both lose it', async () => {
    for (const [one, other] of [
      [avery, blake],
      [blake, avery],
    ] as const) {
      await befriend(avery, blake)
      await expectDone(act(one, 'remove', other))
      for (const client of [avery, blake]) assert.deepEqual(await see(client), NOBODY)
      assertError(await act(other, 'remove', one), 404, 4042, /no such friend/)
    }
  })

  await t.test('nobody answers their own request', async () => {
    await act(avery, 'request', blake)
    for (const verb of ['accept', 'decline'] as const) assertError(await act(avery, verb, blake), 404, 4042)
    assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
  })

  await t.test('a declined request looks unanswered to the sender, and new ones are hidden for 30 days', async () => {
    await act(avery, 'request', blake)
    const before = (await avery.get(`${PATH}/requests`)).body
    await expectDone(act(blake, 'decline', avery))
    assert.deepEqual(await see(blake), NOBODY)
    assertError(await act(blake, 'decline', avery), 404, 4042)
    assertError(await act(blake, 'accept', avery), 404, 4042)
    for (let i = 0; i < 2; i++) {
      assert.deepEqual((await avery.get(`${PATH}/requests`)).body, before)
      await expectDone(act(avery, 'request', blake))
    }
    // Cancelling the request and sending it again does not make it visible to the person who declined.
    await expectDone(act(avery, 'cancel', blake))
    assert.deepEqual(await see(avery), NOBODY)
    await letDeclinesAge(app, 29)
    await expectDone(act(avery, 'request', blake))
    assert.deepEqual(await see(avery), { ...NOBODY, sent: ['blake'] })
    assert.deepEqual(await see(blake), NOBODY)
    const asked = (await avery.get(`${PATH}/requests`)).body
    await letDeclinesAge(app, 1)
    assert.deepEqual(await see(blake), NOBODY)
    await expectDone(act(avery, 'request', blake))
    assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
    assert.deepEqual((await avery.get(`${PATH}/requests`)).body, asked, 'not even the date tells')
  })

  await t.test('a person who has declined may change their mind', async () => {
    await act(avery, 'request', blake)
    await act(blake, 'decline', avery)
    await expectDone(act(blake, 'request', avery))
    for (const client of [avery, blake]) assert.equal((await see(client)).friends.length, 1)
    // After a friendship the earlier decline no longer applies, so a later request is shown.
    await act(blake, 'remove', avery)
    await act(avery, 'request', blake)
    assert.deepEqual(await see(blake), { ...NOBODY, received: ['avery'] })
  })

  await t.test('nobody befriends or blocks themselves', async () => {
    for (const verb of VERBS) assertError(await act(avery, verb, avery), 400, 4003, /your own handle/)
  })

  await t.test('a person who leaves the app is left out until they come back', async () => {
    await befriend(avery, blake)
    await act(casey, 'request', avery)
    const withdraw = (value: string) =>
      app.sql(`update app_users set withdrawn_at = ${value} where user_id in ('${blake.userId}', '${casey.userId}')`)
    await withdraw('now()')
    assert.deepEqual(await see(avery), NOBODY)
    for (const verb of ['request', 'accept', 'decline', 'cancel', 'remove', 'unblock'] as const) {
      const answer = await act(avery, verb, blake)
      assert.equal(answer.status, verb === 'unblock' ? 200 : 404, answer.text)
    }
    assert.deepEqual((await seeOwn(await browserOf(app, 'avery'))).friends, ['blake'])
    await withdraw('null')
    assert.deepEqual(await see(avery), { ...NOBODY, friends: ['blake'], received: ['casey'] })
    await app.sql(`update people set disabled_at = now() where handle_key = 'blake'`)
    assert.deepEqual(await see(avery), { ...NOBODY, received: ['casey'] })
    assert.deepEqual(await seeOwn(await browserOf(app, 'avery')), { ...NOBODY, received: ['casey'] })
    await app.sql(`update people set disabled_at = null where handle_key = 'blake'`)
  })

  await t.test('friendships are not in the audit log', async () => {
    const count = () => app.sql('select count(*)::int as n from audit_entries')
    const before = await count()
    await befriend(avery, blake)
    await act(avery, 'block', blake)
    await act(avery, 'unblock', blake)
    assert.deepEqual(await count(), before)
  })
  await assertNothingContradicts(app)
})

/** Returns the response expected once the people asked can no longer be found: the sent requests have no names. */
const remembered = ({ received, sent }: { received: object[]; sent: Record<string, unknown>[] }) => ({
  received,
  sent: sent.map(({ userId, handle, requestedDate }) => ({ userId, handle, requestedDate })),
})

test('a block ends everything and reveals nothing', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, EVERYBODY)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const sent = async () => (await blake.get(`${PATH}/requests`)).body
  t.beforeEach(() => forgetAll(app))

  await t.test('friends are friends no more, on both sides; a second block changes nothing', async () => {
    await befriend(avery, blake)
    await expectDone(act(avery, 'block', blake))
    await expectDone(act(avery, 'block', blake))
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['blake'] })
    assert.deepEqual(await see(blake), NOBODY)
    await expectDone(act(avery, 'unblock', blake))
    assert.deepEqual(await see(avery), NOBODY)
    await expectDone(act(avery, 'unblock', blake))
  })

  await t.test("the blocker's own request is gone, as if cancelled", async () => {
    await act(avery, 'request', blake)
    await act(avery, 'block', blake)
    assert.deepEqual(await see(blake), NOBODY)
    assertError(await act(blake, 'accept', avery), 404, 4042)
    await act(avery, 'unblock', blake)
    assert.deepEqual(await see(avery), NOBODY)
  })

  await t.test('a request to the blocker stays what it was to the asker: not answered', async () => {
    await act(blake, 'request', avery)
    const before = remembered(await sent())
    await act(avery, 'block', blake)
    assert.deepEqual(await sent(), before)
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['blake'] })
    assertError(await act(avery, 'accept', blake), 404, 4042)
  })

  await t.test('a repeated request stays hidden, also after the block ends', async () => {
    await act(blake, 'request', avery)
    const before = await sent()
    await act(avery, 'block', blake)
    await expectDone(act(blake, 'request', avery))
    assert.deepEqual(await sent(), remembered(before))
    await act(avery, 'unblock', blake)
    assert.deepEqual(await see(avery), NOBODY)
    // After the block has ended, a new request is shown.
    await expectDone(act(blake, 'request', avery))
    assert.deepEqual(await see(avery), { ...NOBODY, received: ['blake'] })
    assert.deepEqual(await sent(), before)
  })

  await t.test('for a new request the blocker cannot be found, until the block ends', async () => {
    await act(avery, 'block', blake)
    const refused = await act(blake, 'request', avery)
    assertError(refused, 404, 4042, /cannot be found/)
    assert.equal(refused.text, (await act(blake, 'request', { userId: 'nobody-at-all' })).text)
    await openSearch(app, ['casey'], false)
    assert.equal(refused.text, (await act(blake, 'request', casey)).text)
    await openSearch(app, ['casey'])
    assert.deepEqual(await see(blake), NOBODY)
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['blake'] })
    await act(avery, 'unblock', blake)
    assert.deepEqual(await see(avery), NOBODY)
    await expectDone(act(blake, 'request', avery))
    assert.deepEqual(await see(avery), { ...NOBODY, received: ['blake'] })
  })

  await t.test('a cancelled request does not come back', async () => {
    await act(blake, 'request', avery)
    await act(avery, 'block', blake)
    await expectDone(act(blake, 'cancel', avery))
    assertError(await act(blake, 'request', avery), 404, 4042, /cannot be found/)
    assert.deepEqual(await see(blake), NOBODY)
  })

  await t.test('a blocked person must be unblocked before they can be asked', async () => {
    await act(avery, 'block', blake)
    assertError(await act(avery, 'request', blake), 400, 4006, /unblock them first/)
    await act(avery, 'unblock', blake)
    await expectDone(act(avery, 'request', blake))
  })

  await t.test('both may block each other, and each ends only their own block', async () => {
    for (const first of ['nothing', 'a request', 'a friendship']) {
      await forgetAll(app)
      if (first !== 'nothing') await expectDone(act(blake, 'request', avery))
      if (first === 'a friendship') await expectDone(act(avery, 'accept', blake))
      await expectDone(act(avery, 'block', blake))
      await expectDone(act(blake, 'block', avery))
      assert.deepEqual((await see(avery)).blocked, ['blake'])
      // To blake it looks as if avery had turned public search off, so blake's block is listed only if blake had sent a
      // request.
      assert.deepEqual((await see(blake)).blocked, first === 'a request' ? ['avery'] : [])
      await expectDone(act(avery, 'unblock', blake))
      assert.deepEqual(await see(avery), NOBODY)
      assertError(await avery.get('/user/v1/profile', { id: blake.userId }), 404, 4042)
      assertError(await act(avery, 'request', blake), 404, 4042, /cannot be found/)
      assert.deepEqual(await see(avery), NOBODY)
      await expectDone(act(blake, 'unblock', avery))
      assert.equal((await avery.get('/user/v1/profile', { id: blake.userId })).status, 200)
    }
  })
  await assertNothingContradicts(app)
})

test("on the platform's pages people are named by handle", async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'casey'])
  const [avery, blake] = [await browserOf(app, 'avery'), await browserOf(app, 'blake')]
  t.beforeEach(() => forgetAll(app))

  await t.test('the same verbs, over all apps, and nothing but handles and names', async () => {
    await expectDone(actByHandle(avery, 'request', '@Blake'))
    assert.deepEqual(await seeOwn(blake), { ...NOBODY, received: ['avery'] })
    await expectDone(actByHandle(blake, 'decline', 'avery'))
    await expectDone(actByHandle(avery, 'cancel', 'blake'))
    await expectDone(actByHandle(blake, 'request', 'avery'))
    await expectDone(actByHandle(avery, 'accept', 'blake'))
    const { body, headers } = await call(avery, 'GET', OWN_PATH)
    assert.deepEqual(body, {
      friends: [{ handle: '@blake', firstName: '', lastName: '' }],
      received: [],
      sent: [],
      blocked: [],
    })
    assert.equal(headers.get('cache-control'), 'no-store')
    // The friendship also exists in an app.
    const [inApp] = [await app.as('avery'), await app.as('blake')]
    assert.deepEqual(await see(inApp), { ...NOBODY, friends: ['blake'] })
    await expectDone(actByHandle(avery, 'remove', 'blake'))
    await expectDone(actByHandle(avery, 'block', 'blake'))
    assert.deepEqual(await seeOwn(avery), { ...NOBODY, blocked: ['blake'] })
    await expectDone(actByHandle(avery, 'unblock', 'blake'))
  })

  await t.test('a handle that nobody has and one that is hidden have the same answer', async () => {
    const anonymous = await join(app)
    await app.sql(`update people set disabled_at = now() where handle_key = 'casey'`)
    for (const verb of VERBS) {
      const unknown = await actByHandle(avery, verb, 'nobody-at-all')
      if (verb === 'block' || verb === 'unblock') assert.equal(unknown.status, 200)
      else assertError(unknown, 404, 4042)
      for (const handle of ['drew', '@casey', anonymous.answer.body.handle])
        assert.equal((await actByHandle(avery, verb, handle)).text, unknown.text, `${verb} ${handle}`)
      assert.deepEqual(await seeOwn(avery), NOBODY)
    }
    await app.sql(`update people set disabled_at = null where handle_key = 'casey'`)
  })

  await t.test('a person with a relation to the caller is listed when blocked, hidden or not', async () => {
    await expectDone(actByHandle(await browserOf(app, 'drew'), 'request', 'avery'))
    await expectDone(actByHandle(avery, 'block', 'drew'))
    await expectDone(actByHandle(avery, 'block', 'drew'))
    await app.sql(`update people set disabled_at = now() where handle_key = 'drew'`)
    assert.deepEqual(await seeOwn(avery), { ...NOBODY, blocked: ['drew'] })
    await expectDone(actByHandle(avery, 'unblock', 'drew'))
    assert.deepEqual(await seeOwn(avery), NOBODY)
    await app.sql(`update people set disabled_at = null where handle_key = 'drew'`)
  })

  await t.test('a disabled person is neither asked nor accepted, even if a request is open', async () => {
    await expectDone(actByHandle(await browserOf(app, 'drew'), 'request', 'avery'))
    await expectDone(actByHandle(avery, 'request', 'casey'))
    await app.sql(`update people set disabled_at = now() where handle_key in ('casey', 'drew')`)
    for (const verb of ['request', 'accept'] as const) {
      const unknown = await actByHandle(avery, verb, 'nobody-at-all')
      assertError(unknown, 404, 4042)
      for (const handle of ['casey', 'drew'])
        assert.equal((await actByHandle(avery, verb, handle)).text, unknown.text, `${verb} ${handle}`)
    }
    await app.sql(`update people set disabled_at = null where handle_key in ('casey', 'drew')`)
    assert.deepEqual(await seeOwn(avery), { ...NOBODY, sent: ['casey'], received: ['drew'] })
    await expectDone(actByHandle(avery, 'cancel', 'casey'))
    await expectDone(actByHandle(avery, 'decline', 'drew'))
  })

  await t.test('only for people who are signed in', async () => {
    const stranger = app.visitor()
    assertError(await call(stranger, 'GET', OWN_PATH), 401, 4016)
    for (const verb of VERBS) assertError(await actByHandle(stranger, verb, 'avery'), 401, 4016)
    assertError(await app.as('avery').then((client) => client.get(OWN_PATH)), 401, 4016)
  })
})
