import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../buckets/testing.ts'
import { assertError, testApp } from '../testing.ts'
import {
  act,
  actByHandle,
  browserOf,
  expectDone,
  forgetAll,
  makePeople,
  NOBODY,
  openSearch,
  PATH,
  see,
} from './testing.ts'

test('nobody holds more than a bounded number of friends, requests and blocks', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'casey'])
  await makePeople(app, 'crowd', 5001)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const own = (name: string) => `(select id from people where handle_key = '${name}')`
  const crowd = (most: number) => `from people where handle_key like 'crowd%' order by people.id limit ${most}`

  await t.test('500 open requests', async () => {
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at, is_quiet) select ${own('avery')}, id, now(), id % 2 = 0 ${crowd(500)}`,
    )
    assertError(await act(avery, 'request', blake), 400, 4006, /cancel some first/)
    assertError(await actByHandle(await browserOf(app, 'avery'), 'request', 'blake'), 400, 4006)
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'cancel', 'crowd1'))
    await expectDone(act(avery, 'request', blake))
    assert.equal((await avery.get(`${PATH}/requests`)).body.sent.length, 500)
  })

  await t.test('5,000 friends, all of them listed, on either side', async () => {
    await forgetAll(app)
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
       select case when id % 2 = 0 then id else ${own('avery')} end, case when id % 2 = 0 then ${own('avery')} else id end, now(), now()
       ${crowd(5000)}`,
    )
    const { body } = await avery.get(PATH)
    assert.equal(body.length, 5000)
    const names = body.map((entry: { firstName: string }) => entry.firstName)
    assert.deepEqual(names, [...names].sort())
    await expectDone(act(blake, 'request', avery))
    assertError(await act(avery, 'accept', blake), 400, 4006, /remove one first/)
    await expectDone(act(avery, 'request', casey))
    assertError(await act(casey, 'accept', avery), 400, 4006, /They have 5000 friends/)
    assertError(await act(casey, 'request', avery), 400, 4006)
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'remove', 'crowd1'))
    await expectDone(act(avery, 'accept', blake))
  })

  await t.test('5,000 unanswered requests; those that come after are not heard until there is room', async () => {
    await forgetAll(app)
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at) select id, ${own('avery')}, now() ${crowd(5000)}`,
    )
    await expectDone(act(blake, 'request', avery))
    assert.equal((await avery.get(`${PATH}/requests`)).body.received.length, 5000)
    assert.deepEqual(await see(blake), { ...NOBODY, sent: ['avery'] })
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'decline', 'crowd1'))
    await expectDone(act(blake, 'request', avery))
    assert.ok((await see(avery)).received.includes('blake'))
  })

  await t.test('5,000 blocks', async () => {
    await forgetAll(app)
    await app.sql(
      `insert into blocks (blocker_id, blocked_id, created_at) select ${own('avery')}, id, now() ${crowd(5000)}`,
    )
    assertError(await act(avery, 'block', blake), 400, 4006, /unblock some first/)
    assert.equal((await avery.get(`${PATH}/blocked`)).body.length, 5000)
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'unblock', 'crowd1'))
    await expectDone(act(avery, 'block', blake))
  })
})
