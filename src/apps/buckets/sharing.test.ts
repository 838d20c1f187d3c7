import assert from 'node:assert/strict'
import { test } from 'node:test'
import { yearsAgo } from '../../identity/families/testing.ts'
import { act, befriend, expectDone, openSearch } from '../../identity/friends/testing.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { type Answer, assertError, type Client, type Person, testApp } from '../../operations/testing/testing.ts'
import { join } from '../anonymous/testing.ts'
import { assertStorageAddsUp, ok, openStream, PATH, UNLIMITED } from './testing.ts'

test('D10: people who block or are blocked, and children of strangers, look like an invented id', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  const everybody: readonly Person[] = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley']
  await openSearch(app, everybody)
  const born = (person: Person, day: string | null) =>
    app.sql(`update people set date_of_birth = ${day ? `'${day}'` : 'null'} where handle_key = '${person}'`)
  const look = () => app.sql('select id, users, version from buckets order by id')
  ok(await avery.put(PATH, { id: 'mine' }))

  /** Asserts that every way to add this user is refused like an unknown id, and changes nothing. */
  const assertRefused = async (client: Client, userId: string): Promise<void> => {
    ok(await client.put(PATH, { id: `of ${client.userId}` }))
    const before = await look()
    const ways: ((id: string) => Promise<Answer>)[] = [
      (id) => client.put(PATH, { id: 'new', users: [id] }),
      (id) => client.put(PATH, { id: 'new', users: id }),
      (id) => client.post(`${PATH}/user`, { id: `of ${client.userId}`, userId: id }),
    ]
    const invented = 'iNvEnTeDiNvEnTeDiNvEnT'
    for (const way of ways) {
      const [refused, unknown] = [await way(userId), await way(invented)]
      assertError(refused, 400, 4003, /^Not users of this app: /)
      assert.deepEqual([refused.status, refused.text.replace(userId, invented)], [unknown.status, unknown.text])
      const names = (answer: Answer) => [...answer.headers.keys()].sort()
      assert.deepEqual(names(refused), names(unknown))
    }
    assert.deepEqual(await look(), before)
    ok(await client.delete(PATH, { id: `of ${client.userId}` }))
  }
  let count = 0
  const assertTaken = async (client: Client, userId: string): Promise<void> => {
    const made = ok(await client.put(PATH, { id: `taken ${++count}`, users: [userId] }))
    assert.deepEqual(made.body.users, [client.userId, userId])
    ok(await client.put(PATH, { id: `added ${count}` }))
    const added = ok(await client.post(`${PATH}/user`, { id: `added ${count}`, userId }))
    assert.deepEqual(added.body.users, [client.userId, userId])
  }

  await t.test('a person who has blocked the caller, and one whom the caller has blocked', async () => {
    const [blake, casey] = [await app.as('blake'), await app.as('casey')]
    for (const other of [blake, casey]) await assertTaken(avery, other.userId)
    await expectDone(act(blake, 'block', avery))
    await expectDone(act(avery, 'block', casey))
    for (const other of [blake, casey]) {
      await assertRefused(avery, other.userId)
      await assertRefused(other, avery.userId)
    }
    // The error names only the refused ids.
    const drew = await app.as('drew')
    const answer = await avery.put(PATH, { id: 'new', users: [drew.userId, blake.userId, 'nobody', casey.userId] })
    assertError(answer, 400, 4003, new RegExp(`: ${blake.userId}, nobody, ${casey.userId}$`))
    // Blake stays a member of an earlier bucket, and adding blake to it again changes nothing.
    const again = ok(await avery.post(`${PATH}/user`, { id: 'taken 1', userId: blake.userId }))
    assert.deepEqual(again.body.users, [avery.userId, blake.userId])
    await expectDone(act(avery, 'unblock', casey))
    await assertTaken(avery, casey.userId)
  })

  await t.test('a hidden person is accepted: the caller got the id from the app', async () => {
    const drew = await app.as('drew')
    await openSearch(app, ['drew'], false)
    await assertTaken(avery, drew.userId)
  })

  await t.test('a child is accepted from friends, parents and siblings, and from nobody else', async () => {
    const [drew, ellis, finley] = [await app.as('drew'), await app.as('ellis'), await app.as('finley')]
    await befriend(avery, ellis)
    await born('ellis', yearsAgo(12))
    await assertTaken(avery, ellis.userId)
    await assertRefused(drew, ellis.userId)
    await assertRefused(finley, ellis.userId)
    await app.sql(
      `insert into guardians (child_id, parent_id, created_at)
       select c.id, p.id, now() from people c, people p where c.handle_key in ('ellis', 'finley') and p.handle_key = 'drew'`,
    )
    await born('finley', yearsAgo(7))
    await assertTaken(drew, ellis.userId)
    await assertTaken(finley, ellis.userId)
    await assertTaken(ellis, finley.userId)
    await assertRefused(avery, finley.userId)
    // An open friend request does not permit sharing.
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at)
       select a.id, b.id, now() from people a, people b where a.handle_key = 'avery' and b.handle_key = 'finley'`,
    )
    await assertRefused(avery, finley.userId)
    // The restriction applies until the day before the 13th birthday.
    await born('finley', yearsAgo(13, 1))
    await assertRefused(avery, finley.userId)
    await born('finley', yearsAgo(13))
    await assertTaken(avery, finley.userId)
  })

  await t.test('an anonymous user is accepted, an anonymous child is not', async () => {
    const adult = await join(app)
    const child = await join(app, { dateOfBirth: yearsAgo(8) })
    await assertTaken(avery, adult.userId)
    await assertTaken(adult.client, avery.userId)
    await assertRefused(avery, child.userId)
    await assertRefused(adult.client, child.userId)
    await assertTaken(child.client, avery.userId)
  })

  await t.test('a person who has withdrawn or is disabled', async () => {
    const drew = await app.as('drew')
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${drew.userId}'`)
    await assertRefused(avery, drew.userId)
    await app.sql(`update app_users set withdrawn_at = null where user_id = '${drew.userId}'`)
    await app.sql(`update people set disabled_at = now() where handle_key = 'drew'`)
    await assertRefused(avery, drew.userId)
  })
  await assertStorageAddsUp(app)
})

test('D10: nobody can bring two people with a block between them into one bucket', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'casey', 'drew', 'ellis'])
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const [drew, ellis] = [await app.as('drew'), await app.as('ellis')]
  const guest = (await join(app)).client
  const invented = 'iNvEnTeDiNvEnTeDiNvEnT'
  const make = (client: Client, ...users: string[]) => client.put(PATH, { id: 'new', users })
  const add = (client: Client, id: string, userId: string) => client.post(`${PATH}/user`, { id, userId })
  /**
   * Asserts that the request is refused like the same request with an unknown id instead of `named`, and that no bucket
   * is created.
   */
  const assertRefused = async (client: Client, users: readonly string[], named: string): Promise<void> => {
    const refused = await make(client, ...users)
    const unknown = await make(client, ...users.map((id) => (id === named ? invented : id)))
    assertError(refused, 400, 4003, new RegExp(`^Not users of this app: ${named}$`))
    assert.deepEqual(refused.text, unknown.text.replace(invented, named))
    assertError(await client.get(PATH, { id: 'new' }), 404, 4042)
  }
  const assertTaken = async (client: Client, ...users: string[]): Promise<void> => {
    assert.deepEqual(ok(await make(client, ...users)).body.users, [client.userId, ...users])
    ok(await client.delete(PATH, { id: 'new' }))
  }
  ok(await avery.put(PATH, { id: 'before', users: [blake.userId, casey.userId] }))
  await assertTaken(guest, blake.userId, casey.userId)
  await expectDone(act(blake, 'block', casey))

  await t.test('when it is made: the later one in the list is named, whoever blocked whom', async () => {
    for (const client of [guest, avery]) {
      await assertRefused(client, [blake.userId, casey.userId], casey.userId)
      await assertRefused(client, [casey.userId, drew.userId, blake.userId, ellis.userId], blake.userId)
      await assertTaken(client, blake.userId, drew.userId)
      await assertTaken(client, casey.userId, drew.userId)
    }
  })

  await t.test('when somebody is added to it', async () => {
    for (const [inside, outside] of [
      [blake, casey],
      [casey, blake],
    ] as const) {
      const made = ok(await make(guest, drew.userId, inside.userId))
      for (const client of [guest, drew]) {
        const [refused, unknown] = [await add(client, 'new', outside.userId), await add(client, 'new', invented)]
        assertError(refused, 400, 4003, /^Not users of this app: /)
        assert.deepEqual(refused.text, unknown.text.replace(invented, outside.userId))
      }
      assert.deepEqual((await guest.get(PATH, { id: 'new' })).body, made.body)
      ok(await guest.post(`${PATH}/user/remove`, { id: 'new', userId: inside.userId }))
      ok(await add(guest, 'new', outside.userId))
      ok(await guest.delete(PATH, { id: 'new' }))
    }
  })

  await t.test('a member who has withdrawn is still one', async () => {
    ok(await make(guest, blake.userId))
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${blake.userId}'`)
    assertError(await add(guest, 'new', casey.userId), 400, 4003)
    await app.sql(`update app_users set withdrawn_at = null where user_id = '${blake.userId}'`)
    ok(await guest.delete(PATH, { id: 'new' }))
  })

  await t.test('people the caller cannot share with do not keep others out: that would reveal them', async () => {
    await expectDone(act(drew, 'block', guest))
    await expectDone(act(drew, 'block', ellis))
    await assertRefused(guest, [drew.userId, ellis.userId], drew.userId)
    await assertTaken(avery, drew.userId)
    await assertRefused(avery, [drew.userId, ellis.userId], ellis.userId)
  })

  await t.test('a member stays, may add others, and may leave', async () => {
    assert.equal(ok(await casey.get(PATH, { id: 'before' })).body.users.length, 3)
    assert.equal(ok(await add(casey, 'before', guest.userId)).body.users.length, 4)
    ok(await casey.post(`${PATH}/user/remove`, { id: 'before', userId: casey.userId }))
    assertError(await add(avery, 'before', casey.userId), 400, 4003)
  })

  await t.test('among a thousand users, and no longer once the block has ended', async () => {
    await app.sql(
      `insert into people (handle, handle_key, created_at) select '@crowd' || n, 'crowd' || n, now() from generate_series(1, 997) n;
       insert into app_users (user_id, app_id, person_id, consented_at)
       select 'crowd' || p.id, a.id, p.id, now() from people p, apps a where p.handle like '@crowd%' and a.name = 'first'`,
    )
    const crowd = (await app.sql(`select user_id from app_users where user_id like 'crowd%'`)).map((row) =>
      String(row.user_id),
    )
    await assertRefused(avery, [casey.userId, ...crowd, blake.userId], blake.userId)
    ok(await make(avery, casey.userId, ...crowd))
    assertError(await add(avery, 'new', blake.userId), 400, 4003, new RegExp(`: ${blake.userId}$`))
    await expectDone(act(blake, 'unblock', casey))
    assert.equal(ok(await add(avery, 'new', blake.userId)).body.users.length, 1000)
    ok(await avery.delete(PATH, { id: 'new' }))
    await assertTaken(avery, casey.userId, ...crowd, blake.userId)
  })
})

test('D10: people in a class with a child may share with it, while both are active and the class goes on', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set date_of_birth = '${yearsAgo(9)}' where handle_key = 'blake'`)
  const blake = await app.as('blake')
  const clients = {
    student: await app.as('avery'),
    instructor: await app.as('casey'),
    observer: await app.as('ellis'),
    elsewhere: await app.as('drew'),
    owner: await app.as('finley'),
  }
  /** Returns the callers who may share with Blake, a child who is a student of the class alpha but not of bravo. */
  const look = async (): Promise<string[]> => {
    const able: string[] = []
    for (const [name, client] of Object.entries(clients)) {
      const made = await client.put(PATH, { id: name, users: [blake.userId] })
      if (made.status === 200) {
        able.push(name)
        ok(await client.delete(PATH, { id: name }))
      } else assertError(made, 400, 4003, new RegExp(`^Not users of this app: ${blake.userId}$`))
    }
    return able
  }
  assert.deepEqual(await look(), [])
  await openSchool(app, { bravo: { students: [{ handle: '@avery', id: 'avery-bravo' }] } })
  assert.deepEqual(await look(), ['student', 'instructor', 'observer'])

  const setStatus = (id: string, status: string) =>
    app.sql(`update enrolments set status = '${status}' where key = '${id}'`)
  for (const status of ['suspended', 'dropped']) {
    await setStatus('avery-alpha', status)
    assert.deepEqual(await look(), ['instructor', 'observer'], `the student is ${status}`)
    await setStatus('avery-alpha', 'active')
    await setStatus('blake-alpha', status)
    assert.deepEqual(await look(), [], `the child is ${status}`)
    await setStatus('blake-alpha', 'active')
  }
  await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
  assert.deepEqual(await look(), [])
  await app.sql(`update classes set ended_at = null where key = 'alpha'`)
  assert.deepEqual(await look(), ['student', 'instructor', 'observer'])
})

test('where an app shares its public buckets all its users set values in them, and do nothing else', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const [avery, blake, elsewhere] = [await app.as('avery'), await app.as('blake'), await app.as('avery', 'second')]
  const guest = (await join(app)).client
  const share = (isShared: boolean) => app.sql(`update apps set shared_buckets = ${isShared} where name = 'first'`)
  const set = (client: Client, id: string, headers = {}) => client.post(PATH, { id, key: 'k', value: 1 }, headers)
  ok(await avery.put(PATH, { id: 'common', public: true, data: {} }))
  ok(await avery.put(PATH, { id: 'own', data: {} }))
  for (const client of [blake, guest]) assertError(await set(client, 'common'), 403, 4032)

  await share(true)
  let version = 1
  for (const client of [blake, guest]) {
    const written = ok(await set(client, 'common'))
    assert.deepEqual([written.body.users, written.body.version], [[avery.userId], ++version])
    const repeated = ok(await set(client, 'common', { 'idempotency-key': `shared-${client.userId}` }))
    assert.equal(repeated.body.version, ++version)
    assertError(await set(client, 'common', { 'if-match': '"1"' }), 409, 4091)
    // The growth is charged to the creator.
    const large = { id: 'common', key: client.userId, value: 'x'.repeat(3000) }
    assert.equal(ok(await client.post(PATH, large)).body.version, ++version)
  }
  const payers = await app.sql(`select user_id from user_storage where blocks_used > 0`)
  assert.deepEqual(payers, [{ user_id: avery.userId }])
  const { body: before } = await avery.get(PATH, { id: 'common' })
  for (const client of [blake, guest]) {
    assertError(await set(client, 'own'), 403, 4032)
    assertError(await client.delete(PATH, { id: 'common' }), 403, 4032)
    assertError(await client.post(`${PATH}/user`, { id: 'common', userId: client.userId }), 403, 4032)
    assertError(await client.post(`${PATH}/user/remove`, { id: 'common', userId: avery.userId }), 403, 4032)
    const stream = await openStream(client, { id: 'common' })
    assert.equal(stream.response.status, 403)
    await stream.close()
    assert.deepEqual((await client.get(`${PATH}/list`)).body, [])
  }
  assertError(await set(elsewhere, 'common'), 404, 4042)
  assertError(await set(blake, 'nothing'), 404, 4042)
  assert.deepEqual((await avery.get(PATH, { id: 'common' })).body, before)

  await share(false)
  assertError(await set(blake, 'common'), 403, 4032)
  ok(await set(avery, 'common'))
  await assertStorageAddsUp(app)
})
