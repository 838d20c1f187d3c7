import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { type Answer, assertError, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import {
  act,
  actByHandle,
  browserOf,
  expectDone,
  forgetAll,
  makePeople,
  NOBODY,
  OWN_PATH,
  openSearch,
  PATH,
  see,
  seeOwn,
} from './testing.ts'

test('nobody holds more than a bounded number of friends, requests and blocks', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'casey'])
  await makePeople(app, 'crowd', 1001)
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

  await t.test('1,000 friends, all of them listed, on either side', async () => {
    await forgetAll(app)
    await app.sql(
      `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
       select case when id % 2 = 0 then id else ${own('avery')} end, case when id % 2 = 0 then ${own('avery')} else id end, now(), now()
       ${crowd(1000)}`,
    )
    const { body } = await avery.get(PATH)
    assert.equal(body.length, 1000)
    const names = body.map((entry: { firstName: string }) => entry.firstName)
    assert.deepEqual(names, [...names].sort())
    await expectDone(act(blake, 'request', avery))
    assertError(await act(avery, 'accept', blake), 400, 4006, /One of you already has 1000 friends/)
    await expectDone(act(avery, 'request', casey))
    assertError(await act(casey, 'accept', avery), 400, 4006, /One of you already has 1000 friends/)
    assertError(await act(casey, 'request', avery), 400, 4006)
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'remove', 'crowd1'))
    await expectDone(act(avery, 'accept', blake))
  })

  await t.test(
    '1,000 unanswered requests are shown; those that come after appear as soon as there is room',
    async () => {
      await forgetAll(app)
      await app.sql(
        `insert into friendships (asker_id, asked_id, requested_at) select id, ${own('avery')}, now() - interval '1 day' ${crowd(1000)}`,
      )
      await expectDone(act(blake, 'request', avery))
      await expectDone(act(casey, 'request', avery))
      const received = async () => (await see(avery)).received
      assert.equal((await received()).length, 1000)
      assert.ok(!(await received()).includes('blake'))
      assert.deepEqual(await see(blake), { ...NOBODY, sent: ['avery'] })
      const browser = await browserOf(app, 'avery')
      await expectDone(actByHandle(browser, 'decline', 'crowd1'))
      assert.ok((await received()).includes('blake'), 'the first of those who waited')
      assert.ok(!(await received()).includes('casey'))
      await expectDone(actByHandle(browser, 'accept', 'crowd2'))
      assert.ok((await received()).includes('casey'))
      assert.ok((await seeOwn(browser)).received.includes('casey'))
      await expectDone(act(avery, 'accept', casey))
      assert.deepEqual(await see(casey), { ...NOBODY, friends: ['avery'] })
    },
  )

  await t.test(
    'an app shows the first 1,000 requests of its own users, whoever has asked before from elsewhere',
    async () => {
      await forgetAll(app)
      await makePeople(app, 'own', 1001)
      await makePeople(app, 'far', 1001)
      await app.sql(
        // All requests have the same microsecond, so a page may end between two requests of equal time.
        `insert into friendships (asker_id, asked_id, requested_at)
       select id, ${own('avery')}, timestamptz '2026-01-01 00:00:00.123456Z' from people where handle_key like 'far%';
       update app_users set withdrawn_at = now() where person_id in (select id from people where handle_key like 'far%')
         and person_id % 2 = 0;
       delete from app_users where person_id in (select id from people where handle_key like 'far%') and person_id % 2 = 1;
       insert into friendships (asker_id, asked_id, requested_at)
       select id, ${own('avery')}, timestamptz '2026-01-02 00:00:00.123456Z' + substr(handle_key, 4)::int * interval '1 minute'
         from people where handle_key in ('own1', 'own2', 'own3');
       update people set disabled_at = now() where handle_key = 'own2'`,
      )
      const received = async () =>
        (await avery.get(`${PATH}/requests`)).body.received.map(({ handle }: { handle: string }) => handle)
      assert.deepEqual(await received(), ['@own3', '@own1'], 'the newest first')
      await expectDone(act(blake, 'request', avery))
      assert.deepEqual(await received(), ['@blake', '@own3', '@own1'])
      const browser = await browserOf(app, 'avery')
      assert.ok(!(await seeOwn(browser)).received.includes('blake'), 'over everything there are 1,000 earlier ones')
      await app.sql(
        `insert into friendships (asker_id, asked_id, requested_at) select id, ${own('avery')}, timestamptz '2026-01-03 00:00:00Z'
         from people where handle_key like 'own%' and handle_key not in ('own1', 'own2', 'own3')`,
      )
      const all = await received()
      assert.deepEqual([all.length, new Set(all).size, all.includes('@blake')], [1000, 1000, false])
      await expectDone(
        act(avery, 'decline', { userId: `own-${(await app.sql(`select ${own('own3')} as id`))[0]?.id}` }),
      )
      assert.ok((await received()).includes('@blake'))
    },
  )

  await t.test('1,000 blocks', async () => {
    await forgetAll(app)
    await app.sql(
      `insert into blocks (blocker_id, blocked_id, created_at) select ${own('avery')}, id, now() ${crowd(1000)}`,
    )
    assertError(await act(avery, 'block', blake), 400, 4006, /unblock some first/)
    assert.equal((await avery.get(`${PATH}/blocked`)).body.length, 1000)
    await expectDone(
      act(avery, 'block', {
        userId: `crowd-${(await app.sql(`select id from people where handle_key = 'crowd1'`))[0]?.id}`,
      }),
    )
    await expectDone(actByHandle(await browserOf(app, 'avery'), 'unblock', 'crowd1'))
    await expectDone(act(avery, 'block', blake))
  })
})

test('a person who requests long lists many times at once delays nobody else', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['avery', 'blake', 'casey'])
  await makePeople(app, 'friend', 1000)
  await makePeople(app, 'enemy', 1000)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  await app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select a.id, p.id, now(), now() from people a, people p where a.handle_key = 'avery' and p.handle_key like 'friend%';
     insert into blocks (blocker_id, blocked_id, created_at)
     select a.id, p.id, now() from people a, people p where a.handle_key = 'avery' and p.handle_key like 'enemy%'`,
  )
  const browser = await browserOf(app, 'avery')
  const lists: Record<string, () => Promise<Answer>> = {
    friends: () => avery.get(PATH),
    blocked: () => avery.get(`${PATH}/blocked`),
    'in the browser': () => call(browser, 'GET', OWN_PATH),
  }
  for (const [name, list] of Object.entries(lists)) {
    await t.test(name, async () => {
      const whole = await list()
      assert.equal(whole.status, 200)
      let isOver = false
      const askedAt = performance.now()
      let tookMs = 0
      const asked = Promise.all(Array.from({ length: 40 }, list)).finally(() => {
        isOver = true
        tookMs = performance.now() - askedAt
      })
      const waits: number[] = []
      while (!isOver) {
        const startedAt = performance.now()
        assert.equal((await casey.get('/user/v1/profile', { id: blake.userId })).status, 200)
        waits.push(performance.now() - startedAt)
      }
      // If the profile request were queued behind the lists, it would wait for all of them. On a busy machine
      // everything takes longer, so the limit depends on the time that the lists took.
      const longestMs = Math.max(500, tookMs / 4)
      assertWithin(Math.max(...waits), longestMs, 'the profile of somebody else')
      const answers = await asked
      for (const answer of answers) {
        if (answer.status === 200) assert.equal(answer.text, whole.text)
        else {
          assertError(answer, 429, 4291, /requests are waiting/)
          assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        }
      }
      const refused = answers.filter(({ status }) => status === 429).length
      assert.ok(refused > 0 && refused < 20, `${refused} were sent away`)
      assert.equal((await list()).status, 200)
    })
  }
})
