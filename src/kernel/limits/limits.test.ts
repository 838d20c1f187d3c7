import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { RateLimiter } from '../bounds/rate-limiter.ts'
import { until } from '../database/test-database.ts'
import { sharedLimits } from './limits.ts'

const LIST = '/app/v1/bucket/list'
const PROCESSES = 3

/** Starts two more platforms on the database of the first, and waits until all know of each other. */
async function startFleet(app: TestApp): Promise<string[]> {
  const others = [await app.startSecond(), await app.startSecond()]
  const environments = [app.platform, ...others].map(({ environments }) => environments[0]!)
  await until('all know of each other', () =>
    environments.every(({ get }) => get(sharedLimits).processes === PROCESSES),
  )
  return [app.address, ...others.map(({ addresses }) => addresses.production)]
}

/** Collects the messages about limits that the platforms of a test send. */
async function overhear(
  t: { after(end: () => Promise<void>): void },
  app: TestApp,
): Promise<Record<string, unknown>[]> {
  const heard: Record<string, unknown>[] = []
  const client = new pg.Client(app.connection)
  await client.connect()
  t.after(() => client.end())
  client.on('notification', ({ payload }) => {
    const message = JSON.parse(payload!)
    if (message.topic === 'limits') heard.push(message)
  })
  await client.query('listen gs_production')
  return heard
}

/** Counts the tokens of a limit that the messages report. */
const countTold = (heard: readonly Record<string, unknown>[], limit: string): number =>
  heard
    .flatMap(({ uses = [] }) => uses as [string, string, number][])
    .filter(([limiter]) => limiter === limit)
    .reduce((sum, [, , times]) => sum + times, 0)

test('what other processes admitted is taken from a bucket, and too much is paid back', () => {
  const told: unknown[] = []
  const fleet = { processes: 3, tell: (...use: unknown[]) => void told.push(use) }
  const limiter = new RateLimiter('test', 1, 24, fleet)
  for (let i = 0; i < 24; i++) assert.equal(limiter.take('a', 0).isAllowed, true)
  assert.deepEqual(told, Array(24).fill(['test', 'a', 1]), 'a twenty-fourth of the burst is told at once')
  limiter.takeElsewhere('a', 0, 24)
  limiter.takeElsewhere('a', 0, 24)
  assert.deepEqual(limiter.take('a', 0), { isAllowed: false, remaining: 0, waitSeconds: 49 })
  limiter.takeElsewhere('a', 0, 1_000)
  assert.equal(limiter.take('a', 0).waitSeconds, 49, 'more than the others can have admitted is not taken')
  assert.equal(limiter.take('a', 48_999).isAllowed, false)
  assert.equal(limiter.take('a', 49_000).isAllowed, true)
  assert.equal(limiter.take('b', 0).isAllowed, true)

  told.length = 0
  limiter.giveBack('b')
  assert.deepEqual(told, [['test', 'b', -1]])
  limiter.takeElsewhere('b', 0, -5)
  assert.equal(limiter.take('b', 0).remaining, 23, 'a bucket never holds more than a burst')
})

test('a caller who uses little of a limit is not mentioned, and no share of it is hidden for long', () => {
  const told: number[] = []
  const fleet = { processes: 2, tell: (_name: string, _key: string, count: number) => void told.push(count) }
  // An eighth of the limit, divided among two processes: 10 tokens, and 1 per second.
  const limiter = new RateLimiter('test', 16, 160, fleet)
  for (let second = 0; second < 1_000; second++) limiter.take('modest', second * 1000)
  assert.deepEqual(told, [])
  for (let second = 0; second < 1_000; second++) limiter.take('busy', second * 1000, 8)
  const sum = told.reduce((sum, count) => sum + count, 0)
  assert.ok(sum >= 8_000 - 1_000 - 10 && sum <= 8_000, `${sum} of 8,000 were told`)
})

test('three processes together admit what one may, and at most an eighth more', async (t) => {
  const [burst, stepSeconds, steps] = [120, 20, 12]
  const app = await testApp(t, { RATE_TOKEN_PER_SECOND: '1', RATE_TOKEN_BURST: String(burst) })
  app.holdClock()
  const addresses = await startFleet(app)
  const heard = await overhear(t, app)
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  let admitted = 0
  const sendUntilRefused = async (address: string) => {
    const client = new Client(address, avery.token)
    while ((await client.get(LIST)).status === 200) admitted++
  }
  for (let step = 0; step <= steps; step++) {
    if (step > 0) app.advance(stepSeconds * 1000)
    await Promise.all(addresses.map(sendUntilRefused))
    for (const address of addresses) {
      const { status } = await new Client(address, blake.token).get(LIST)
      assert.equal(status, 200, 'another caller is not concerned')
    }
    // Twenty seconds pass between two steps, so the others have been told all but an eighth.
    const untold = (burst + step * stepSeconds) / 8
    await until('the others were told', () => countTold(heard, 'token') >= admitted - untold)
  }
  const limit = burst + steps * stepSeconds
  // Reports of the last step may be on their way. All else that was admitted too much has been paid back.
  const onTheirWay = (PROCESSES - 1) * stepSeconds
  assert.ok(admitted >= limit * 0.9 && admitted <= limit * (1 + 1 / 8) + onTheirWay, `${admitted} instead of ${limit}`)
})

test('wrong join codes are counted on all processes, and those that passed at the same moment are paid back', async (t) => {
  const tries = 6
  const app = await testApp(t, { RATE_JOIN_PER_HOUR: String(tries) })
  app.holdClock()
  const addresses = await startFleet(app)
  const heard = await overhear(t, app)
  const { token } = await app.as('avery')
  const guess = async (address: string) => {
    const { status } = await new Client(address, token).post('/edu/v1/class/join', { joinCode: 'WRONGCODE' })
    assert.ok(status === 404 || status === 429, String(status))
    return status === 404
  }
  const count = (guesses: boolean[]) => guesses.filter((isAdmitted) => isAdmitted).length
  const countGuesses = () => countTold(heard, 'join')

  // One after the other: each process knows what the others have admitted.
  let admitted = 0
  for (const address of [...addresses, ...addresses, ...addresses]) {
    if (await guess(address)) admitted++
    await until('the others were told', () => countGuesses() === admitted)
  }
  assert.equal(admitted, tries)

  // All at once: each process may admit its whole limit before it hears of the others, but not more in the long run.
  app.advance(2 * 3_600_000)
  const crowd = addresses.flatMap((address) => Array.from({ length: 2 * tries }, () => address))
  const atOnce = count(await Promise.all(crowd.map(guess)))
  assert.ok(atOnce >= tries && atOnce <= PROCESSES * tries, `${atOnce} were admitted at once`)
  await until('the others were told', () => countGuesses() === tries + atOnce)
  let later = 0
  for (let hour = 1; hour <= PROCESSES; hour++) {
    app.advance(3_600_000)
    for (let i = 0; i < 2 * tries; i++) {
      if (await guess(addresses[i % PROCESSES]!)) later++
      await until('the others were told', () => countGuesses() === tries + atOnce + later)
    }
  }
  assert.equal(atOnce + later, tries + PROCESSES * tries, 'the burst, and what three hours refill')
})

test('a process that is alone tells nobody anything', async (t) => {
  const app = await testApp(t, { RATE_TOKEN_PER_SECOND: '1', RATE_TOKEN_BURST: '8' })
  const heard = await overhear(t, app)
  const avery = await app.as('avery')
  for (let i = 0; i < 20; i++) await avery.get(LIST)
  await avery.post('/edu/v1/class/join', { joinCode: 'WRONGCODE' })
  const second = await app.startSecond()
  await until('the second one is heard', () => heard.some(({ isNew }) => isNew))
  assert.deepEqual(
    heard.find(({ uses }) => uses),
    undefined,
  )
  const other = new Client(second.addresses.production, avery.token)
  assert.equal((await other.get(LIST)).status, 200, 'a process that starts knows nothing of what was taken before')
})
