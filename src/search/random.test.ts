import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, testApp } from '../testing.ts'
import { loadCast } from './testing.ts'

const DRAWS = 100_000
const AT_ONCE = 25
const UNLIMITED = {
  RATE_SEARCH_PER_SECOND: '1000000',
  RATE_SEARCH_BURST: '1000000',
  RATE_TOKEN_PER_SECOND: '1000000',
  RATE_TOKEN_BURST: '1000000',
}

/** Draws by sixteen callers' worth of requests at once; how often each handle came. */
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

/** How many standard deviations chi-squared is away from what it is for equal chances (Wilson and Hilferty's approximation). */
function deviation(times: Map<string, number>, people: number): { chiSquared: number; sigmas: number } {
  const expected = DRAWS / people
  const drawn = [...times.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  const chiSquared = drawn + (people - times.size) * expected
  const freedom = people - 1
  const sigmas = (Math.cbrt(chiSquared / freedom) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom))
  return { chiSquared, sigmas }
}

for (const people of [1000, 90]) {
  test(`random users are drawn with equal chances: chi-squared over ${DRAWS.toLocaleString('en')} draws of ${people}`, async (t) => {
    const app = await testApp(t, UNLIMITED)
    const avery = await app.as('avery')
    await app.sql(`update people set public_search = false`)
    await loadCast(app.connection, { people, clientId: 'gs-first' })
    const { chiSquared, sigmas } = deviation(await count(avery), people)
    t.diagnostic(
      `chi-squared ${chiSquared.toFixed(0)} with ${people - 1} degrees of freedom: ${sigmas.toFixed(2)} standard deviations`,
    )
    // One run in a million is further off by chance. Who was drawn does not come again in the same 25, so less than nothing is no fault.
    assert.ok(sigmas < 4.9, `${sigmas}`)
    assert.ok(sigmas > (people < 100 ? -12 : -4.9), `${sigmas}: too even to be random`)
  })
}
