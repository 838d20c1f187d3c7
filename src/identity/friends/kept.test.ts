import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { disablePerson } from '../people/people.ts'
import { exportFriends, exportRequests } from './lists.ts'
import {
  act,
  actByHandle,
  befriend,
  browserOf,
  EVERYBODY,
  NOBODY,
  OWN_PATH,
  openSearch,
  see,
  seeOwn,
} from './testing.ts'

test('a person can download what is kept about them, without decisions of others about them', async (t) => {
  const app = await testApp(t)
  await openSearch(app, EVERYBODY)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const [drew, ellis, finley] = [await app.as('drew'), await app.as('ellis'), await app.as('finley')]
  await befriend(avery, blake)
  await act(casey, 'request', avery)
  await act(avery, 'request', drew)
  await act(drew, 'decline', avery)
  await act(ellis, 'request', avery)
  await act(avery, 'decline', ellis)
  await act(avery, 'block', finley)
  for (const handle of ['nobody-at-all', '@Jordan']) await actByHandle(await browserOf(app, 'avery'), 'block', handle)
  await act(avery, 'block', { userId: 'nobody-at-all' })
  const [row] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  const kept = await exportFriends(app.environment().db, Number(row?.id))
  const named = Object.fromEntries(
    Object.entries(kept).map(([name, list]) => [
      name,
      list.map((one) => ('handle' in one ? one.handle : one.userId)).sort(),
    ]),
  )
  assert.deepEqual(named, {
    friends: ['@blake'],
    sent: ['@drew'],
    blocked: ['@finley'],
    // Blocked names are exported as the person typed them, whether or not such people exist.
    blockedNames: ['@jordan', '@nobody-at-all', 'nobody-at-all'],
  })
  assert.deepEqual(JSON.parse(JSON.stringify(kept)), kept)
  assert.deepEqual(Object.keys(kept.friends[0]!), ['handle', 'since'])
  const requests = await Array.fromAsync(exportRequests(app.environment().db, Number(row?.id)))
  assert.deepEqual(
    requests.map((one) => [one.handle, Object.keys(one)[1]]),
    [
      ['@casey', 'requestedDate'],
      ['@ellis', 'unheardRequestDate'],
      ['@ellis', 'declinedDate'],
    ],
  )
  assert.equal((await app.visitor().get(OWN_PATH)).status, 401)
})

test('a download includes relations to disabled people, which lists do not show', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  await openSearch(app, EVERYBODY)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const [drew, ellis, finley] = [await app.as('drew'), await app.as('ellis'), await app.as('finley')]
  await befriend(avery, blake)
  await act(avery, 'request', casey)
  await act(drew, 'request', avery)
  await act(ellis, 'request', avery)
  await act(avery, 'decline', ellis)
  await act(finley, 'request', avery)
  await act(avery, 'block', finley)
  for (const handle of EVERYBODY.slice(1))
    await disablePerson(
      db,
      { at: new Date(), requestId: 'test', address: 'test' },
      { handle, isDisabled: true },
      FORGETTING,
    )
  const [row] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  const kept = async () => {
    const { friends, sent, blocked } = await exportFriends(db, Number(row?.id))
    const requests = await Array.fromAsync(exportRequests(db, Number(row?.id)))
    return [
      ...[friends, sent, blocked].map((list) => list.map(({ handle }) => handle)),
      ...['requestedDate', 'unheardRequestDate', 'declinedDate'].map((date) =>
        requests.filter((one) => date in one).map(({ handle }) => handle),
      ),
    ]
  }
  const all = [['@blake'], ['@casey'], ['@finley'], ['@drew'], ['@ellis', '@finley'], ['@ellis']]
  assert.deepEqual(await kept(), all)
  assert.deepEqual(await see(avery), NOBODY)
  assert.deepEqual(await seeOwn(await browserOf(app, 'avery')), { ...NOBODY, blocked: ['finley'] })
  // After 31 days the decline has expired, but the hidden request still exists.
  app.advance(31 * 24 * 60 * 60_000)
  await tidy(app.environment())
  assert.deepEqual(await kept(), [...all.slice(0, -1), []])
})

test('a download has all requests to a person, however many there are', async (t) => {
  const app = await testApp(t)
  const [row] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  await app.sql(`
    with crowd as (
      insert into people (handle, handle_key, created_at) select '@crowd-' || n, 'crowd-' || n, now() from generate_series(1, 2500) n
      returning id, handle
    ), asked as (
      insert into friendships (asker_id, asked_id, requested_at) select id, ${row?.id}, now() from crowd
    )
    insert into declines (asker_id, decliner_id, declined_at) select id, ${row?.id}, now() from crowd`)
  const requests = await Array.fromAsync(exportRequests(app.environment().db, Number(row?.id)))
  const waiting = requests.filter((one) => 'requestedDate' in one)
  assert.equal(requests.length, 5000)
  assert.equal(new Set(waiting.map(({ handle }) => handle)).size, 2500)
})
