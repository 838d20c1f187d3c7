import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withdrawConsent } from '../../apps/apps/apps.ts'
import { blockPerson } from '../../identity/friends/blocks.ts'
import { requestFriend } from '../../identity/friends/friends.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { importContent } from './imports.ts'
import {
  all,
  countPeople,
  countStatements,
  friendships,
  idOf,
  refused,
  runPeople,
  untilSomebodyWaits,
  who,
} from './testing.ts'

const usersOf = (app: TestApp, name: string, environment: 'production' | 'sandbox' = 'production') =>
  app.sql(
    `select p.handle_key, u.user_id, u.allowed_at, u.withdrawn_at is not null as withdrawn
       from app_users u join apps a on a.id = u.app_id join people p on p.id = u.person_id
      where a.name = '${name}' order by 1`,
    environment,
  )

test('people become friends once, in both environments, whichever side lists the other', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const people = [
    { handle: '@noor', friends: ['@AVERY', 'blake', 'blake'] },
    { handle: '@blake', friends: ['@noor'] },
    { handle: '@avery' },
  ]
  assert.deepEqual(await countPeople(app, people), all(1, 1, 1))
  for (const environment of ['production', 'sandbox'] as const) {
    assert.deepEqual(await friendships(app, environment), [
      { one: 'avery', other: 'noor', accepted: true, quiet: false },
      { one: 'blake', other: 'noor', accepted: true, quiet: false },
    ])
  }
  assert.deepEqual(await countPeople(app, people), all(0, 0, 3))
  // A list of friends only adds friends; stored friends who are not in the list remain.
  assert.deepEqual(await countPeople(app, [{ handle: '@noor', friends: [] }]), all(0, 0, 1))
  assert.deepEqual(await countPeople(app, [{ handle: '@noor', friends: ['@casey'] }]), all(0, 1, 0))
  assert.equal((await friendships(app)).length, 3)
})

test('an import accepts a pending friend request, and never overrides a block', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const [avery, blake, casey] = await Promise.all(['avery', 'blake', 'casey'].map((handle) => idOf(app, handle)))
  await app.sql('update people set public_search = true')
  await requestFriend(db, who(), { personId: blake!, otherId: avery!, by: 'person' })
  await app.sql(`insert into declines values (${blake}, ${avery}, now())`)
  await blockPerson(db, who(), { personId: casey!, otherId: avery!, by: 'person' })
  const people = [{ handle: '@avery', friends: ['@blake', '@casey'] }]
  assert.deepEqual(await countPeople(app, people), all(0, 1, 0))
  assert.deepEqual(await friendships(app), [{ one: 'avery', other: 'blake', accepted: true, quiet: false }])
  assert.deepEqual(await app.sql('select * from declines'), [])
  assert.deepEqual(await countPeople(app, people), all(0, 0, 1))
})

test('a person who blocks at the same moment is not made a friend', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { db } = app.environment()
  const [avery, blake] = await Promise.all(['avery', 'blake'].map((handle) => idOf(app, handle)))
  await app.sql('update people set public_search = true')
  const importing = await db.transaction(async (tx) => {
    await blockPerson(tx, who(), { personId: blake!, otherId: avery!, by: 'person' })
    const result = runPeople(app, [{ handle: '@avery', friends: ['@blake'] }])
    await untilSomebodyWaits(app)
    return { result }
  })
  await importing.result
  assert.deepEqual(await friendships(app), [])
  assert.equal((await friendships(app, 'sandbox')).length, 1)
})

test('nobody exceeds the maximum number of friends', async (t) => {
  const app = await testApp(t)
  const crowd = Array.from({ length: 1001 }, (_, i) => ({ handle: `@c${i}`, friends: ['@avery'] }))
  assert.deepEqual(await refused(importContent([app.environment()], who(), { content: { people: crowd } })), [
    '@avery: would have more than 1000 friends',
  ])
  assert.deepEqual(await friendships(app), [])
  await importContent([app.environment()], who(), { content: { people: crowd.slice(1) } })
  assert.equal((await friendships(app)).length, 1000)
})

test('imported people are part of random samples at once', async (t) => {
  const app = await testApp(t)
  const crowd = Array.from({ length: 1500 }, (_, i) => ({ handle: `@crowd${i}`, publicSearch: true, apps: ['first'] }))
  await runPeople(app, crowd)
  const [row] = await app.sql(`select count(*)::int as found, count(place)::int as placed from findable_users`)
  assert.deepEqual(row, { found: 1500, placed: 1500 })
})

test('an import makes people users of apps; they can be found there, and are still asked for consent', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const apps = [{ key: 'logbook', name: 'Logbook' }]
  const people = [
    { handle: '@noor', firstName: 'Noor', publicSearch: true, apps: ['logbook', 'first', 'first'] },
    { handle: '@hidden', apps: ['logbook'] },
    { handle: '@avery', apps: ['logbook'] },
  ]
  assert.deepEqual(await countPeople(app, people, { apps }), all(2, 1, 0))
  for (const environment of ['production', 'sandbox'] as const) {
    const users = await usersOf(app, 'Logbook', environment)
    assert.deepEqual(
      users.map((user) => [user.handle_key, user.allowed_at]),
      [
        ['avery', null],
        ['hidden', null],
        ['noor', null],
      ],
    )
    for (const { user_id } of users) assert.match(String(user_id), /^[\w-]{22}$/)
    const found = await app.sql(
      `select p.handle_key, a.name from findable_users f join people p on p.id = f.person_id join apps a on a.id = f.app_id
        order by 2`,
      environment,
    )
    assert.deepEqual(found, [
      { handle_key: 'noor', name: 'Logbook' },
      { handle_key: 'noor', name: 'first' },
    ])
  }
  const before = await usersOf(app, 'Logbook')
  assert.deepEqual(await countPeople(app, people, { apps }), all(0, 0, 3))
  assert.deepEqual(await countPeople(app, [{ handle: '@noor', apps: [] }]), all(0, 0, 1))
  assert.deepEqual(await usersOf(app, 'Logbook'), before)
})

test('existing users of an app keep their ids, and those who have withdrawn stay withdrawn', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await app.as('blake')
  const { db } = app.environment()
  await withdrawConsent(db, who(), { clientId: 'gs-first', personId: await idOf(app, 'blake') })
  const before = await usersOf(app, 'first')
  const people = ['@avery', '@blake'].map((handle) => ({ handle, publicSearch: true, apps: ['first'] }))
  await runPeople(app, people)
  assert.deepEqual(await usersOf(app, 'first'), before)
  assert.equal((await avery.get('/app/v1/bucket/list')).status, 200)
  const found = await app.sql('select user_id from findable_users')
  assert.deepEqual(found, [{ user_id: avery.userId }])
  assert.deepEqual(await countPeople(app, people), all(0, 0, 2))
})

test('people can sign in to an app while a file with that app is imported', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  await app.sql('update people set public_search = true')
  const importing = await db.transaction(async (tx) => {
    await blockPerson(tx, who(), {
      personId: await idOf(app, 'casey'),
      otherId: await idOf(app, 'avery'),
      by: 'person',
    })
    const result = runPeople(app, [{ handle: '@avery', lastName: 'Berg', apps: ['first'] }], {
      apps: [{ key: 'first', name: 'first' }],
    })
    await untilSomebodyWaits(app)
    assert.equal((await (await app.as('blake')).get('/app/v1/bucket/list')).status, 200)
    return { result }
  })
  assert.deepEqual((await importing.result).production!.people, all(0, 1, 0))
})

test('thousands of people become users and friends in a few statements', async (t) => {
  const app = await testApp(t)
  const people = Array.from({ length: 3000 }, (_, i) => ({
    handle: `@p${i}`,
    publicSearch: true,
    apps: ['first'],
    friends: [`@p${(i + 1) % 3000}`],
  }))
  const { target, counted } = countStatements(app.environment())
  await importContent([target], who(), { content: { people } })
  // There are 15 parts for people and 23 parts for their ties.
  assert.ok(counted() > 38 && counted() < 15 * 10 + 23 * 12, `${counted()} statements`)
  assert.equal((await friendships(app)).length, 3000)
  const [found] = await app.sql('select count(*)::int as users from findable_users')
  assert.equal(found!.users, 3000)
})
