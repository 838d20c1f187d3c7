import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { exportAudit } from '../../kernel/audit/audit.ts'
import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { type Answer, assertError, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { yearsAgo } from '../families/testing.ts'
import { actOnHandle, actOnUser } from './acts.ts'
import { exportFriends } from './lists.ts'
import {
  act,
  actByHandle,
  befriend,
  browserOf,
  expectDone,
  forgetAll,
  makePeople,
  NOBODY,
  openSearch,
  PATH,
  see,
  seeOwn,
  VERBS,
} from './testing.ts'

const profile = (client: Client, other: { userId: string }): Promise<Answer> =>
  client.get('/user/v1/profile', { id: other.userId })

const idOf = async (app: TestApp, name: string): Promise<number> =>
  Number((await app.sql(`select id::int from people where handle_key = '${name}'`))[0]?.id)

test('a caller who knows an id or a handle can block it, whatever the other person does', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const [victim, other] = [await app.as('avery'), await app.as('blake')]
  const [browser, others] = [await browserOf(app, 'avery'), await browserOf(app, 'blake')]
  const withdraw = (value: string) =>
    app.sql(`update app_users set withdrawn_at = ${value} where user_id = '${other.userId}'`)
  const hide = () => openSearch(app, ['blake'], false)
  /**
   * `before` sets up the history of the two people. `isListed`: whether the block then appears in the blocker's list,
   * which it does only if the other person is visible or the two have had a relation.
   */
  const cases: Record<
    string,
    { before(): Promise<unknown>; isListed: boolean | string; after?: () => Promise<unknown> }
  > = {
    'who can be found': { before: async () => undefined, isListed: true },
    'who is hidden': { before: hide, isListed: false },
    'who has blocked first': { before: () => expectDone(act(other, 'block', victim)), isListed: false },
    'who is a friend and hidden': { before: () => befriend(other, victim).then(hide), isListed: true },
    'who was a friend and is hidden': {
      before: async () => {
        await befriend(other, victim)
        await hide()
        await expectDone(act(victim, 'remove', other))
      },
      isListed: false,
    },
    'who has asked and is hidden': { before: () => act(other, 'request', victim).then(hide), isListed: true },
    'who was asked and is hidden': { before: () => act(victim, 'request', other).then(hide), isListed: true },
    'who was declined and is hidden': {
      before: async () => {
        await hide()
        await expectDone(act(other, 'request', victim))
        await expectDone(act(victim, 'decline', other))
      },
      isListed: true,
    },
    'who was declined, has cancelled and is hidden': {
      before: async () => {
        await hide()
        await expectDone(act(other, 'request', victim))
        await expectDone(act(victim, 'decline', other))
        await expectDone(act(other, 'cancel', victim))
      },
      isListed: true,
    },
    // The other person is no longer visible in the app, but can still be found by handle on the platform's pages.
    'who has left the app, and comes back': {
      before: () => withdraw('now()'),
      isListed: 'handle',
      after: () => withdraw('null'),
    },
  }
  const doors: Record<string, (verb: 'block' | 'unblock') => Promise<Answer>> = {
    userId: (verb) => act(victim, verb, other),
    handle: (verb) => actByHandle(browser, verb, '@Blake'),
  }
  for (const [name, { before, isListed, after }] of Object.entries(cases)) {
    for (const [door, go] of Object.entries(doors)) {
      await t.test(`${name}, by ${door}`, async () => {
        await forgetAll(app)
        await openSearch(app, ['avery', 'blake'])
        await before()
        await expectDone(go('block'))
        await expectDone(go('block'))
        await after?.()
        const view = { ...NOBODY, blocked: isListed === true || isListed === door ? ['blake'] : [] }
        assert.deepEqual([await seeOwn(browser), await see(victim)], [view, view])
        await expectDone(act(other, 'unblock', victim))
        assertError(await profile(other, victim), 404, 4042)
        assert.equal((await other.get('/user/v1/search', { term: 'avery' })).body.total, 0)
        await act(other, 'cancel', victim)
        for (const answer of [await act(other, 'request', victim), await actByHandle(others, 'request', 'avery')])
          assertError(answer, 404, 4042)
        await openSearch(app, ['blake'])
        assertError(await profile(victim, other), 404, 4042)
        await expectDone(go('unblock'))
        assert.equal((await profile(other, victim)).status, 200)
        assert.deepEqual(await seeOwn(browser), NOBODY)
      })
    }
  }
})

test('a block does not reveal whether a person exists', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake'])
  await app.sql(`update people set date_of_birth = '${yearsAgo(8)}' where handle_key = 'casey'`)
  const avery = await app.as('avery')
  const browser = await browserOf(app, 'avery')
  const hidden: readonly Client[] = [await app.as('casey'), await app.as('drew'), (await join(app)).client]
  const doors = [
    ...hidden.map(({ userId }) => ({ go: (verb: (typeof VERBS)[number]) => act(avery, verb, { userId }) })),
    ...['casey', '@drew'].map((handle) => ({
      go: (verb: (typeof VERBS)[number]) => actByHandle(browser, verb, handle),
    })),
  ]
  const nobody = [
    { go: (verb: (typeof VERBS)[number]) => act(avery, verb, { userId: 'nobody-at-all' }) },
    { go: (verb: (typeof VERBS)[number]) => actByHandle(browser, verb, 'nobody-at-all') },
  ]

  await t.test('not in any answer or list, before, during and after it', async () => {
    const told: string[] = []
    for (const { go } of [...doors, ...nobody]) {
      await forgetAll(app)
      const answers: string[] = []
      for (const verb of ['block', ...VERBS, 'block', 'block', 'request', 'unblock', 'unblock', 'request'] as const) {
        const { status, text, headers } = await go(verb)
        answers.push(`${status} ${text} ${[...headers.keys()].sort()}`)
        assert.deepEqual([await see(avery), await seeOwn(browser)], [NOBODY, NOBODY], verb)
      }
      told.push(answers.join('\n'))
    }
    assert.equal(new Set(told).size, 1)
  })

  await t.test('nor by the limit', async () => {
    await makePeople(app, 'crowd', 999)
    for (const { go } of [...doors, ...nobody]) {
      await forgetAll(app)
      await app.sql(
        `insert into blocks (blocker_id, blocked_id, created_at)
         select a.id, c.id, now() from people a, people c where a.handle_key = 'avery' and c.handle_key like 'crowd%'`,
      )
      const another = () => act(avery, 'block', { userId: 'somebody-else' })
      await expectDone(go('block'))
      assertError(await another(), 400, 4006, /unblock some first/)
      assertError(await act(avery, 'block', await app.as('blake')), 400, 4006)
      await expectDone(go('block'))
      await expectDone(go('unblock'))
      await expectDone(another())
      assertError(await go('block'), 400, 4006)
      await expectDone(go('unblock'))
      await expectDone(act(avery, 'unblock', { userId: 'somebody-else' }))
      await expectDone(go('block'))
    }
  })

  await t.test('two names of one hidden person count as two, like two unknown names', async () => {
    const [casey] = hidden
    for (const names of [
      [() => act(avery, 'block', casey!), () => actByHandle(browser, 'block', 'casey')],
      nobody.map(
        ({ go }) =>
          () =>
            go('block'),
      ),
    ]) {
      await forgetAll(app)
      await app.sql(
        `insert into blocks (blocker_id, blocked_id, created_at)
         select a.id, c.id, now() from people a, people c where a.handle_key = 'avery' and c.handle_key like 'crowd%'`,
      )
      await expectDone(names[0]!())
      assertError(await names[1]!(), 400, 4006)
    }
  })

  await t.test(
    'each name of one hidden person ends with itself, as those of nobody do, and the block with the last',
    async () => {
      const casey = hidden[0]!
      const blocks = () =>
        app.sql(`select from blocks where blocker_id = (select id from people where handle_key = 'avery')`)
      const names = async () =>
        (await exportFriends(app.environment().db, await idOf(app, 'avery'))).blockedNames
          .map((one) => ('handle' in one ? 'handle' : 'userId'))
          .sort()
      for (const [userId, handle, isSomebody] of [
        [casey.userId, 'casey', true],
        ['nobody-at-all', 'nobody-at-all', false],
      ] as const) {
        await forgetAll(app)
        const held = isSomebody ? 1 : 0
        const assertHeld = async (expected: readonly string[]) =>
          assert.deepEqual([await names(), (await blocks()).length], [expected, expected.length > 0 ? held : 0])
        await expectDone(act(avery, 'block', { userId }))
        await assertHeld(['userId'])
        // Unblocking one name must keep the block of the other name; ending both would reveal that they belong to one
        // person.
        await expectDone(actByHandle(browser, 'unblock', handle))
        await assertHeld(['userId'])
        await expectDone(actByHandle(browser, 'block', handle))
        await assertHeld(['handle', 'userId'])
        await expectDone(act(avery, 'unblock', { userId }))
        await assertHeld(['handle'])
        await expectDone(actByHandle(browser, 'unblock', handle))
        await assertHeld([])
      }
    },
  )

  await t.test('blocking a person who is visible now replaces earlier blocks of their names', async () => {
    await forgetAll(app)
    const drew = hidden[1]!
    const kept = async () => (await exportFriends(app.environment().db, await idOf(app, 'avery'))).blockedNames
    await expectDone(act(avery, 'block', drew))
    await expectDone(actByHandle(browser, 'block', 'drew'))
    assert.equal((await kept()).length, 2)
    await openSearch(app, ['drew'])
    await expectDone(actByHandle(browser, 'block', 'drew'))
    assert.deepEqual(await kept(), [])
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['drew'] })
    await expectDone(actByHandle(browser, 'unblock', 'drew'))
    assert.equal((await profile(avery, drew)).status, 200)
    await openSearch(app, ['drew'], false)
  })

  await t.test('a blocked name stays as it was given when its owner is deleted', async () => {
    await forgetAll(app)
    const gone = (await join(app)).client
    await expectDone(act(avery, 'block', gone))
    const kept = async () => (await exportFriends(app.environment().db, await idOf(app, 'avery'))).blockedNames
    const before = await kept()
    await app.sql(`delete from people where id = (select person_id from app_users where user_id = '${gone.userId}')`)
    assert.deepEqual(await kept(), before)
    await expectDone(act(avery, 'unblock', gone))
    assert.deepEqual(await kept(), [])
  })

  await t.test('a person who can be found again, and is blocked again, is listed from then on', async () => {
    await forgetAll(app)
    const drew = hidden[1]!
    await expectDone(act(avery, 'block', drew))
    await openSearch(app, ['drew'])
    assert.deepEqual(await see(avery), NOBODY)
    assertError(await act(avery, 'request', drew), 404, 4042)
    await expectDone(act(avery, 'block', drew))
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['drew'] })
    assertError(await act(avery, 'request', drew), 400, 4006)
    await openSearch(app, ['drew'], false)
  })
})

/** Wraps a database, recording the names of the statements that it runs. */
function record<D extends Db>(db: D, names: string[]): D {
  const note = (name: string) => void names.push(name)
  return {
    ...db,
    all: (statement, params) => {
      note(statement.name)
      return db.all(statement, params)
    },
    first: (statement, params) => {
      note(statement.name)
      return db.first(statement, params)
    },
    transaction: (work) => {
      note('transaction')
      return db.transaction((tx) => work(record(tx, names)))
    },
  }
}

test('the work is the same for a hidden person and an unknown one, so that timing reveals nothing', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'ellis', 'finley'])
  await app.sql(`update people set date_of_birth = '${yearsAgo(8)}' where handle_key = 'casey'`)
  const clients = {
    avery: await app.as('avery'),
    casey: await app.as('casey'),
    drew: await app.as('drew'),
    blake: await app.as('blake'),
  }
  const { db, clock } = app.environment()
  const [avery] = await app.sql(
    `select u.person_id::int as "personId", u.app_id::int as "appId" from app_users u where user_id = '${clients.avery.userId}'`,
  )
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1', ...avery } as AppUser & PersonCaller
  const watch = async (work: (db: Db) => Promise<void>): Promise<string[]> => {
    const names: string[] = []
    await work(record(db, names)).catch(() => undefined)
    return names
  }
  // In this order: a child, a person who is hidden, a person who has blocked the caller, and an unknown handle.
  const names = ['casey', 'drew', 'blake', 'nobody-at-all'] as const
  for (const verb of VERBS) {
    await t.test(verb, async () => {
      const did: string[][] = []
      for (const name of names) {
        await forgetAll(app)
        await expectDone(act(clients.blake, 'block', clients.avery))
        did.push(
          await watch((watched) =>
            actOnHandle(watched, who, { verb, personId: who.personId, handle: name, by: 'person' }),
          ),
        )
      }
      assert.ok(did[0]!.length > 0)
      for (const one of did) assert.deepEqual(one, did[0])
      const byId: string[][] = []
      for (const name of names) {
        await forgetAll(app)
        await expectDone(act(clients.blake, 'block', clients.avery))
        const userId = name === 'nobody-at-all' ? name : clients[name].userId
        byId.push(await watch((watched) => actOnUser(watched, who, { verb, userId })))
      }
      for (const one of byId) assert.deepEqual(one, byId[0])
    })
  }

  await t.test('and for a person who has declined and one who has not', async () => {
    const { avery, blake } = clients
    await openSearch(app, ['avery'])
    for (const again of [false, true]) {
      const did: string[][] = []
      for (const isDeclined of [false, true]) {
        await forgetAll(app)
        await expectDone(act(avery, 'request', blake))
        if (isDeclined) await expectDone(act(blake, 'decline', avery))
        if (!again) await expectDone(act(avery, 'cancel', blake))
        did.push(await watch((watched) => actOnUser(watched, who, { verb: 'request', userId: blake.userId })))
        did.push(await watch((watched) => actOnUser(watched, who, { verb: 'cancel', userId: blake.userId })))
      }
      assert.deepEqual(did.slice(0, 2), did.slice(2))
    }
  })
})

test('guessing many handles is limited', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['blake', 'ellis'])
  const browser = await browserOf(app, 'avery')
  const ask = (handle: string) => actByHandle(browser, 'request', handle)
  /** Returns the subjects of the lockouts in the person's data export, which contains no person ids. */
  const lockouts = async (): Promise<unknown[]> => {
    const entries = await Array.fromAsync(exportAudit(app.environment().db, await idOf(app, 'avery')))
    return entries.filter(({ action }) => action === 'lockout.began').map(({ detail }) => detail.subject)
  }

  await t.test(
    'sixty in an hour, hidden or not there at all; then waits begin, for everything that is asked',
    async () => {
      for (let i = 0; i < 60; i++) assertError(await ask(i % 3 ? `nobody-${i}` : 'drew'), 404, 4042)
      assert.deepEqual(await lockouts(), ['asked'])
      for (const handle of ['nobody-60', 'drew', 'blake']) {
        const answer = await ask(handle)
        assertError(answer, 429, 4291, /cannot be found/)
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      }
      // Verbs that reveal nothing about a handle still work, and other callers are not affected.
      await expectDone(actByHandle(browser, 'block', 'drew'))
      await expectDone(actByHandle(await browserOf(app, 'ellis'), 'request', 'blake'))
      app.advance(2000)
      await expectDone(ask('blake'))
      assertError(await ask('nobody-61'), 404, 4042)
      assertError(await ask('nobody-62'), 429, 4291)
      app.advance(3_600_001)
      assertError(await ask('nobody-63'), 404, 4042)
    },
  )

  await t.test(
    'nor blocks many whom they do not see; whoever is seen, or known by an id, is blocked at once',
    async () => {
      await forgetAll(app)
      for (let i = 0; i < 60; i++) await expectDone(actByHandle(browser, 'block', i % 2 ? 'nobody' : 'drew'))
      for (const handle of ['nobody', 'drew']) assertError(await actByHandle(browser, 'block', handle), 429, 4291)
      assert.deepEqual(new Set(await lockouts()), new Set(['asked', 'blocked']))
      await expectDone(actByHandle(browser, 'block', 'blake'))
      await expectDone(act(await app.as('avery'), 'block', await app.as('finley')))
      await expectDone(actByHandle(browser, 'unblock', 'drew'))
      await expectDone(ask('ellis'))
      app.advance(2000)
      await expectDone(actByHandle(browser, 'block', 'drew'))
      app.advance(3_600_001)
    },
  )

  await t.test('handles that are found do not count', async () => {
    await forgetAll(app)
    for (let i = 0; i < 70; i++) {
      await expectDone(ask('blake'))
      await expectDone(actByHandle(browser, 'cancel', 'blake'))
    }
  })

  await t.test('parallel guesses are counted too', async () => {
    await forgetAll(app)
    const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => ask(`nobody-${i}`)))
    assert.equal(answers.filter(({ status }) => status === 404).length, 60)
    assert.equal(answers.filter(({ status }) => status === 429).length, 60)
  })

  await t.test('guesses for a child count against the parent', async () => {
    await forgetAll(app)
    await app.sql(
      `update people set date_of_birth = '${yearsAgo(8)}' where handle_key = 'casey';
       insert into guardians (child_id, parent_id, created_at)
       values (${await idOf(app, 'casey')}, ${await idOf(app, 'avery')}, now())`,
    )
    const forChild = (friend: string) =>
      call(browser, 'POST', '/account/v1/children/friends/request', { handle: 'casey', friend })
    for (let i = 0; i < 60; i++) assertError(await (i % 2 ? ask('drew') : forChild('drew')), 404, 4042)
    assertError(await forChild('nobody'), 429, 4291)
    assertError(await ask('nobody'), 429, 4291)
  })
})

test('an app that requests lists endlessly is refused, and no other app', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await makePeople(app, 'friend', 1000)
  const [here, elsewhere, other] = [await app.as('avery'), await app.as('avery', 'second'), await app.as('blake')]
  const ids = { avery: await idOf(app, 'avery'), casey: await idOf(app, 'casey') }
  await app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select a.id, p.id, now(), now() from people a, people p where a.handle_key in ('avery', 'casey') and p.handle_key like 'friend%';
     update people set date_of_birth = '${yearsAgo(8)}' where handle_key = 'casey';
     insert into guardians (child_id, parent_id, created_at) values (${ids.casey}, ${ids.avery}, now())`,
  )
  const child = await app.as('casey')
  const browser = await browserOf(app, 'avery')
  let isOver = false
  const refused: Record<string, number> = { avery: 0, casey: 0 }
  const flood = (name: string, client: Client) =>
    Promise.all(
      Array.from({ length: 30 }, async () => {
        while (!isOver) {
          const { status } = await client.get(PATH)
          if (status === 429) refused[name]!++
          else assert.equal(status, 200)
        }
      }),
    )
  const floods = [flood('avery', here), flood('casey', child)]
  try {
    const looks: Record<string, () => Promise<{ status: number; text: string }>> = {
      'another app of the same person': () => elsewhere.get(PATH),
      'the requests, in another app': () => elsewhere.get(`${PATH}/requests`),
      'the person in their own browser': () => call(browser, 'GET', '/account/v1/friends'),
      "the parent's list of the child's friends": () =>
        call(browser, 'GET', '/account/v1/children/friends?handle=casey'),
      "the parent's list of children": () => call(browser, 'GET', '/account/v1/children'),
      'somebody else': () => other.get(PATH),
    }
    for (let round = 0; round < 4; round++)
      for (const [name, look] of Object.entries(looks)) {
        const { status, text } = await look()
        assert.equal(status, 200, `${name}: ${text.slice(0, 200)}`)
      }
    assert.ok(refused.avery! > 0 && refused.casey! > 0, JSON.stringify(refused))
  } finally {
    isOver = true
    await Promise.all(floods)
  }
})
