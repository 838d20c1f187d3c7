import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { until } from '../../kernel/database/test-database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { settleSlots } from './sampling.ts'
import { loadCast } from './testing.ts'

const DRAWS = size(100_000)
const AT_ONCE = 25
const UNLIMITED = {
  RATE_SEARCH_PER_SECOND: '1000000',
  RATE_SEARCH_BURST: '1000000',
  RATE_TOKEN_PER_SECOND: '1000000',
  RATE_TOKEN_BURST: '1000000',
}

/** Requests many random samples concurrently, and counts how often each handle was drawn. */
async function count(client: Client): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  let left = DRAWS / AT_ONCE
  const work = async () => {
    while (left-- > 0) {
      const { body } = await client.get(`/user/v1/search/random?count=${AT_ONCE}`)
      assert.equal(
        new Set(body.map((one: { handle: string }) => one.handle)).size,
        AT_ONCE,
        'nobody comes twice in one draw',
      )
      for (const { handle } of body) times.set(handle, (times.get(handle) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return times
}

/**
 * Returns how many standard deviations chi-squared is from its value for equal chances (Wilson and Hilferty's
 * approximation).
 */
function deviation(times: Map<string, number>, people: number): { chiSquared: number; sigmas: number } {
  const expected = DRAWS / people
  const drawn = [...times.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  const chiSquared = drawn + (people - times.size) * expected
  const freedom = people - 1
  const sigmas = (Math.cbrt(chiSquared / freedom) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom))
  return { chiSquared, sigmas }
}

async function townOf(t: TestContext, people: number): Promise<{ app: TestApp; avery: Client }> {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  await app.sql(`update people set public_search = false`)
  await loadCast(app.connection, { people, clientId: 'gs-first' })
  return { app, avery }
}

function assertEven(t: TestContext, times: Map<string, number>, people: number): void {
  const { chiSquared, sigmas } = deviation(times, people)
  t.diagnostic(
    `chi-squared ${chiSquared.toFixed(0)} with ${people - 1} degrees of freedom: ${sigmas.toFixed(2)} standard deviations`,
  )
  // By chance, one run in a million exceeds this limit. Within one sample nobody is drawn twice, so with few people the
  // deviation is lower.
  assert.ok(sigmas < 4.9, `${sigmas}`)
  assert.ok(sigmas > (people < 100 ? -12 : -4.9), `${sigmas}: too even to be random`)
}

const found = (app: TestApp, isFound: boolean, which: string) =>
  app.sql(
    `update people set public_search = ${isFound} where id in (select person_id from app_users where user_id like 'cast-%') and ${which}`,
  )

for (const people of [1000, 90]) {
  test(`random users are drawn with equal chances: chi-squared over ${DRAWS.toLocaleString('en')} draws of ${people}`, async (t) => {
    const { avery } = await townOf(t, people)
    assertEven(t, await count(avery), people)
  })
}

test('the chances are also equal while people come and go, before they have slots', async (t) => {
  const { app, avery } = await townOf(t, 1000)
  await found(app, false, 'id % 10 < 3')
  await settleSlots(app.environment().db, app.environment().stopping)
  // Hold the lock that a process takes while it assigns slots, as if that process never finished.
  const busy = new pg.Client(app.connection)
  await busy.connect()
  await busy.query(`select pg_advisory_lock(hashtextextended('settle_draws gs_production', 0))`)
  await found(app, true, 'id % 20 < 3')
  await found(app, false, 'id % 5 = 4')
  const counts = () =>
    app.sql(
      `select count(*)::int as people, count(*) filter (where place is null)::int as fresh, (select count(*)::int from draw_holes) as holes
         from findable_users`,
    )
  assert.deepEqual(await counts(), [{ people: 650, fresh: 150, holes: 200 }])
  assertEven(t, await count(avery), 650)
  assert.deepEqual(await counts(), [{ people: 650, fresh: 150, holes: 200 }])
  await busy.end()
})

test('slots are numbered without gaps, one per person who can be found, even if several processes assign them', async (t) => {
  const { app } = await townOf(t, 300)
  const second = await app.startSecond()
  const settle = (environment: Environment) => settleSlots(environment.db, environment.stopping)
  for (let round = 0; round < 30; round++) {
    await Promise.all([
      found(app, round % 2 === 0, `id % 7 = ${round % 7}`),
      settle(app.environment()),
      found(app, round % 3 === 0, `id % 11 = ${round % 11}`),
      settle(second.environments[0]!),
    ])
    // Both platforms also assign slots regularly on their own, but only one process at a time.
    await until('everybody has a place', async () => {
      await settle(app.environment())
      const wrong = await app.sql(`
        select place, person_id from findable_users f
         where place is null or place < 1 or place > (select count(*) from findable_users e where e.app_id = f.app_id)
        union all
        select place, null from draw_holes`)
      return wrong.length === 0
    })
  }
})

test('thousands who join a new app at once get slots within seconds', async (t) => {
  const app = await testApp(t)
  await loadCast(app.connection, { people: 50, clientId: 'gs-second' })
  await app.sql(`
    with made as (
      insert into people (handle, handle_key, public_search, created_at, search_keys)
      select '@many' || n, 'many' || n, true, now(), array['0many' || n] from generate_series(1, 9000) n returning id
    ) insert into app_users (user_id, app_id, person_id, consented_at, allowed_at)
      select 'many-' || made.id, a.id, made.id, now(), now() from made, apps a where a.client_id = 'gs-first'`)
  const startedAt = performance.now()
  await until('everybody has a place', async () => {
    await settleSlots(app.environment().db, app.environment().stopping)
    const [row] = await app.sql(`select count(*)::int as count from findable_users where place is null`)
    return row?.count === 0
  })
  const seconds = (performance.now() - startedAt) / 1000
  t.diagnostic(`9,000 places in ${seconds.toFixed(2)} s`)
  assert.ok(seconds < 5, `${seconds}`)
})

test('a caller who has blocked nearly everybody is shown all the others', async (t) => {
  const { app, avery } = await townOf(t, 222)
  await app.sql(`
    insert into blocks (blocker_id, blocked_id, created_at)
    select a.id, f.person_id, now() from people a, findable_users f where a.handle_key = 'avery' and f.place > 11`)
  const sizes = new Map<number, number[]>()
  for (const wanted of [1, 5, 11, 25]) {
    const draws = Array.from({ length: 20 }, () => avery.get(`/user/v1/search/random?count=${wanted}`))
    sizes.set(wanted, [...new Set((await Promise.all(draws)).map(({ body }) => body.length))])
  }
  assert.deepEqual(Object.fromEntries(sizes), { 1: [1], 5: [5], 11: [11], 25: [11] })
})

test('an app with few users shows all of them, and somebody new at once', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set public_search = true`)
  const avery = await app.as('avery')
  const draw = async () =>
    (await avery.get('/user/v1/search/random?count=25')).body.map((one: { handle: string }) => one.handle)
  assert.deepEqual(await draw(), ['@avery'])
  for (const person of ['blake', 'casey', 'drew'] as const) {
    await app.as(person)
    assert.ok((await draw()).includes(`@${person}`))
    if (person === 'casey') await settleSlots(app.environment().db, app.environment().stopping)
  }
  assert.deepEqual((await draw()).sort(), ['@avery', '@blake', '@casey', '@drew'])
  await app.sql(`update people set public_search = false where handle_key = 'blake'`)
  assert.deepEqual((await draw()).sort(), ['@avery', '@casey', '@drew'])
})
