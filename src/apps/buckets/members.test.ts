import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Client, testApp } from '../../operations/testing/testing.ts'
import { assertStorageAddsUp, ok, PATH, version } from './testing.ts'

test('buckets keep their contract', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const casey = await app.as('casey')
  const stranger = await app.as('drew', 'second')

  await t.test('users are an array or text with commas, the creator is added, once', async () => {
    const both = [avery.userId, blake.userId]
    const forms: [unknown, string[]][] = [
      [undefined, [avery.userId]],
      [null, [avery.userId]],
      ['', [avery.userId]],
      ['nil', [avery.userId]],
      [[], [avery.userId]],
      [[blake.userId], both],
      [[blake.userId, avery.userId, blake.userId], both],
      [blake.userId, both],
      [` ${blake.userId} , ${casey.userId},`, [...both, casey.userId]],
    ]
    for (const [i, [users, expected]] of forms.entries()) {
      const answer = ok(await avery.put(PATH, { id: `users-${i}`, users }))
      assert.deepEqual(answer.body.users, expected)
      assert.equal(answer.body.public, false)
      assert.deepEqual(answer.body.data, {})
    }
  })

  await t.test('unknown userIds are refused and named, and nothing is made', async () => {
    for (const users of [['nobody'], `${blake.userId},nobody`, [stranger.userId], [blake.userId, stranger.userId]])
      assertError(await avery.put(PATH, { id: 'ghosts', users }), 400, 4003, /^Not users of this app: /)
    assertError(await avery.put(PATH, { id: 'ghosts', users: [1] }), 400, 4005)
    assertError(await avery.put(PATH, { id: 'ghosts', users: { a: 1 } }), 400, 4005)
    assertError(await avery.get(PATH, { id: 'ghosts' }), 404, 4042)
    await avery.put(PATH, { id: 'alone' })
    for (const userId of ['nobody', stranger.userId])
      assertError(await avery.post(`${PATH}/user`, { id: 'alone', userId }), 400, 4003, /Not users of this app/)
    assert.equal(await version(avery, 'alone'), 1)
  })

  await t.test('members add and remove users; doing it again changes nothing', async () => {
    const { version: first } = ok(await avery.put(PATH, { id: 'people' })).body
    const add = (who: Client, userId: string) => who.post(`${PATH}/user`, { id: 'people', userId })
    const remove = (who: Client, userId: string) => who.post(`${PATH}/user/remove`, { id: 'people', userId })
    assertError(await add(blake, blake.userId), 403, 4032)
    assert.equal(ok(await add(avery, blake.userId)).body.version, first + 1)
    assert.equal(ok(await add(avery, blake.userId)).body.version, first + 1)
    assert.deepEqual(ok(await add(blake, casey.userId)).body.users, [avery.userId, blake.userId, casey.userId])
    assert.equal(ok(await remove(casey, 'somebody who is not in it')).body.version, first + 2)
    assert.deepEqual(ok(await remove(blake, avery.userId)).body.users, [blake.userId, casey.userId])
    assertError(await avery.get(PATH, { id: 'people' }), 403, 4032)
    assertError(await remove(avery, casey.userId), 403, 4032)
    assert.deepEqual(ok(await remove(casey, casey.userId)).body.users, [blake.userId])
    assertError(await remove(casey, casey.userId), 403, 4032)
    assert.equal(await version(blake, 'people'), first + 4)
  })

  await t.test('the last member cannot be removed', async () => {
    const made = ok(await avery.put(PATH, { id: 'last' }))
    assertError(await avery.post(`${PATH}/user/remove`, { id: 'last', userId: avery.userId }), 400, 4006)
    assert.deepEqual((await avery.get(PATH, { id: 'last' })).body, made.body)
  })

  await t.test('a bucket has at most 1000 users', async () => {
    await app.sql(
      `insert into people (handle, handle_key, created_at) select '@crowd' || n, 'crowd' || n, now() from generate_series(1, 1000) n;
       insert into app_users (user_id, app_id, person_id, consented_at)
         select 'crowd-' || p.id, a.id, p.id, now() from people p, apps a where p.handle like '@crowd%' and a.name = 'first'`,
    )
    const crowd = (await app.sql(`select user_id from app_users where user_id like 'crowd-%' order by 1`)).map((row) =>
      String(row.user_id),
    )
    assertError(await avery.put(PATH, { id: 'crowded', users: crowd }), 400, 4003, /1000 members/)
    assertError(await avery.put(PATH, { id: 'crowded', users: [...crowd, 'x'] }), 400, 4003)
    const made = ok(await avery.put(PATH, { id: 'crowded', users: crowd.slice(1).join() }))
    assert.equal(made.body.users.length, 1000)
    const add = (userId: string | undefined) => avery.post(`${PATH}/user`, { id: 'crowded', userId })
    assertError(await add(crowd[0]), 400, 4003, /1000 members/)
    assert.deepEqual(ok(await add(crowd[1])).body, made.body)
    ok(await avery.post(`${PATH}/user/remove`, { id: 'crowded', userId: crowd[1] }))
    assert.equal(ok(await add(crowd[0])).body.version, made.body.version + 2)
  })

  await assertStorageAddsUp(app)
})
