import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { isLong } from '../../operations/testing/sizes.ts'
import { type Answer, assertError, type Client, type Person, testApp } from '../../operations/testing/testing.ts'
import {
  act,
  actByHandle,
  assertNothingContradicts,
  browserOf,
  expectDone,
  forgetAll,
  makePeople,
  NOBODY,
  OWN_PATH,
  openSearch,
  PATH,
  see,
  VERBS,
} from './testing.ts'

/*
 * Avery blocks Blake, while Casey only turns public search off. Whatever Blake does must get the same response for
 * both. The names Avery and Casey have the same length, so that the lengths of responses do not differ either.
 */
type OtherClient = Client & { readonly name: Person }
type ApplyVerb = (verb: (typeof VERBS)[number]) => Promise<unknown>

/**
 * The relation before the block: `make` creates it; `end` is the verb with which Casey ends it, so that the result
 * looks like that of a block.
 */
const BEFORE: Record<
  string,
  { make(blake: ApplyVerb, other: ApplyVerb): Promise<unknown>; end?: (typeof VERBS)[number] }
> = {
  nothing: { make: async () => undefined },
  'Blake had asked': { make: (blake) => blake('request') },
  'Blake had asked and was declined': { make: (blake, other) => blake('request').then(() => other('decline')) },
  'Blake was declined and had cancelled': {
    make: async (blake, other) => {
      await blake('request')
      await other('decline')
      await blake('cancel')
    },
  },
  'Blake was asked': { make: (_, other) => other('request'), end: 'cancel' },
  'Blake was asked and had declined': {
    make: (blake, other) => other('request').then(() => blake('decline')),
    end: 'cancel',
  },
  'they were friends': { make: (blake, other) => other('request').then(() => blake('accept')), end: 'remove' },
  'Blake had asked and cancelled': { make: (blake) => blake('request').then(() => blake('cancel')) },
  'Blake had blocked them': { make: (blake, other) => other('request').then(() => blake('block')), end: 'cancel' },
  'Blake had blocked them for nothing': { make: (blake) => blake('block') },
}

test('D1: a blocked person cannot tell a block from public search that was turned off', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, RATE_SEARCH_PER_SECOND: '1000000', RATE_SEARCH_BURST: '1000000' })
  const blake = await app.as('blake')
  const browser = await browserOf(app, 'blake')
  const avery: OtherClient = Object.assign(await app.as('avery'), { name: 'avery' as const })
  const casey: OtherClient = Object.assign(await app.as('casey'), { name: 'casey' as const })
  const doors: Record<string, (verb: (typeof VERBS)[number], other: OtherClient) => Promise<Answer>> = {
    userId: (verb, other) => act(blake, verb, other),
    handle: (verb, other) => actByHandle(browser, verb, other.name),
  }

  const look = (other: OtherClient) =>
    Promise.all([
      blake.get('/user/v1/profile', { id: other.userId }),
      blake.get(PATH),
      blake.get(`${PATH}/requests`),
      blake.get(`${PATH}/blocked`),
      call(browser, 'GET', OWN_PATH),
    ])
  const search = (other: OtherClient) =>
    Promise.all([
      blake.get('/user/v1/search', { term: other.name }),
      blake.get('/user/v1/search/random', { count: 10 }),
    ])

  /** Avery blocks Blake; Casey ends the relation and turns public search off. */
  const leave = async (other: OtherClient, before: (typeof BEFORE)[string]) => {
    if (other === avery) return expectDone(act(avery, 'block', blake))
    if (before.end) await expectDone(act(casey, before.end, blake))
    await openSearch(app, ['casey'], false)
  }
  const start = async (other: OtherClient, before: (typeof BEFORE)[string], { isStill = false } = {}) => {
    await forgetAll(app)
    await openSearch(app, ['avery', 'casey'], false)
    await openSearch(app, ['blake', other.name])
    await before.make(
      async (verb) => expectDone(act(blake, verb, other)),
      async (verb) => expectDone(act(other, verb, blake)),
    )
    if (!isStill) await leave(other, before)
  }

  await t.test('while they can be found, every answer shows them', async () => {
    await forgetAll(app)
    for (const other of [avery, casey]) {
      await openSearch(app, [other.name])
      const [profile] = await look(other)
      const [found, drawn] = await search(other)
      assert.equal(profile.body.userId, other.userId)
      assert.equal(found.body.total, 1)
      assert.ok(drawn.text.includes(other.userId))
    }
  })

  let turn = 0
  for (const [name, before] of Object.entries(BEFORE)) {
    for (const [door, go] of Object.entries(doors)) {
      const goElse = doors[door === 'handle' ? 'userId' : 'handle']!
      await t.test(`${name}: every verb by ${door}, and what comes after it`, async () => {
        for (const first of VERBS) {
          // Testing all cases takes half a minute, so the short run tests every third.
          if (!isLong && turn++ % 3 > 0) continue
          const told: unknown[][] = []
          for (const other of [avery, casey]) {
            await start(other, before)
            // Apply the verb twice, to check that a refused request leaves nothing behind.
            const answers = [await go(first, other), ...(await look(other)), await go(first, other)]
            // The following verbs alternate between the app and the platform's pages.
            for (const [i, verb] of VERBS.entries()) answers.push(await (i % 2 ? go : goElse)(verb, other))
            answers.push(...(await look(other)), ...(first === 'request' ? await search(other) : []))
            told.push(answers.map((answer) => withoutNames(answer, other)))
          }
          for (const [i, answer] of told[0]!.entries()) assert.deepEqual(answer, told[1]![i], `${first}, answer ${i}`)
        }
      })
    }
  }

  await t.test('a new request is refused in apps and on pages, and the blocker does not see it', async () => {
    await start(avery, BEFORE.nothing!)
    for (const go of Object.values(doors))
      assertError(await go('request', avery), 404, 4042, /no such user, or they cannot be found/)
    assert.deepEqual(await see(blake), NOBODY)
    assert.deepEqual(await see(avery), { ...NOBODY, blocked: ['blake'] })
  })

  await t.test(
    'nor by what the lists still tell of them: the id and the handle, and nothing that they change',
    async () => {
      const name = (person: Person, first: string) =>
        app.sql(
          `update people set first_name = '${first}', last_name = 'Reed', country = 'DE', picture_version = picture_version + 1
          where handle_key = '${person}'`,
        )
      for (const list of ['sent', 'blocked'] as const) {
        for (const other of [avery, casey]) {
          await name(other.name, 'Before')
          const known = async () => {
            const [, , requests, blocked, own] = await look(other)
            const [inApp, inBrowser] =
              list === 'sent' ? [requests.body.sent, own.body.sent] : [blocked.body, own.body.blocked]
            return [inApp[0], inBrowser[0]]
          }
          const before = BEFORE[list === 'sent' ? 'Blake had asked' : 'Blake had blocked them']!
          await start(other, before, { isStill: true })
          const [seen, seenOwn] = await known()
          assert.deepEqual([seen.firstName, seen.country, seenOwn.firstName], ['Before', 'DE', 'Before'])
          await leave(other, before)
          await name(other.name, 'After')
          const [left, leftOwn] = await known()
          const { requestedDate } = seen
          assert.deepEqual(left, {
            userId: other.userId,
            handle: `@${other.name}`,
            ...(list === 'sent' ? { requestedDate } : {}),
          })
          assert.deepEqual(leftOwn, { handle: `@${other.name}`, firstName: '', lastName: '' })
          // Avery and Casey are listed in full again once Blake can find them again.
          if (other === avery) await expectDone(act(avery, 'unblock', blake))
          else await openSearch(app, ['casey'])
          assert.deepEqual(
            (await known()).map(({ firstName }) => firstName),
            ['After', 'After'],
          )
        }
      }
      // A friend, and a person who has sent a request, are shown in full even with public search off.
      await forgetAll(app)
      await openSearch(app, ['avery', 'casey'])
      await expectDone(act(casey, 'request', blake))
      await expectDone(act(blake, 'request', avery))
      await openSearch(app, ['avery', 'casey'], false)
      await expectDone(act(avery, 'accept', blake))
      const [, friends, requests, , own] = await look(avery)
      for (const entry of [friends.body[0], requests.body.received[0], own.body.friends[0], own.body.received[0]])
        assert.equal(entry.firstName, 'After')
    },
  )

  await t.test('nor by the limit of open requests', async () => {
    await makePeople(app, 'crowd', 500)
    for (const other of [avery, casey]) {
      await start(other, BEFORE.nothing!)
      await app.sql(
        `insert into friendships (asker_id, asked_id, requested_at)
         select b.id, c.id, now() from people b, people c where b.handle_key = 'blake' and c.handle_key like 'crowd%'`,
      )
      for (const go of Object.values(doors)) assertError(await go('request', other), 404, 4042)
    }
  })
  await assertNothingContradicts(app)
})

/** Reduces a response to its status, text and headers, without names, ids and times. */
function withoutNames({ status, text, headers }: Answer, other: OtherClient): unknown {
  assert.ok([200, 400, 404].includes(status), text)
  const plain = text
    .replaceAll(other.userId, 'THEIR-ID')
    .replaceAll(other.name, 'THEIR-NAME')
    .replace(/"requestedDate":"[^"]+"/g, '"requestedDate":"THEN"')
  const told = ['errorcode', 'errordescription', 'cache-control', 'content-type'].map((name) => headers.get(name))
  return { status, plain, told, names: [...headers.keys()].sort() }
}
