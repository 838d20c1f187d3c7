import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { tidy } from '../../operations/platform/upkeep.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { c, write } from '../database/statement.ts'
import { until } from '../database/test-database.ts'
import type { Environment } from '../environment.ts'
import { enqueue, growing, HopelessError, type JobKind, jobFigures, type NewJob, topicOf } from './jobs.ts'
import { startJobs } from './runner.ts'
import { hear } from './wake.ts'

interface Work {
  readonly n: number
}
type Kind = JobKind<Environment, Work>
type Run = Kind['run']

const makeKind = (run: Run, more: Partial<Kind> = {}): Kind => ({
  name: 'test',
  atOnce: 20,
  leaseMs: 60_000,
  waits: growing(1000, 60_000),
  run,
  ...more,
})

/** Runs a kind of job in an environment until the test ends. */
function startIn(t: TestContext, environment: Environment, kind: Kind) {
  const jobs = startJobs(environment, [kind])
  t.after(() => jobs.stop())
  return jobs
}

const add = (app: TestApp, ...jobs: (Partial<NewJob<Work>> & { n: number })[]): Promise<void> => {
  const { db, clock } = app.environment()
  return db.transaction((tx) =>
    enqueue(tx, { name: 'test' }, ...jobs.map(({ n, ...more }) => ({ payload: { n }, at: clock(), ...more }))),
  )
}
const numbers = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }))
const list = (app: TestApp) =>
  app.sql(
    `select (payload->>'n')::int as n, attempts, token, is_leased, run_at, problem, given_up_at from jobs where kind = 'test' order by id`,
  )
const untilDone = (app: TestApp) => until('nothing is left', async () => (await list(app)).length === 0, 10_000)

/** Creates a promise that the test resolves by calling `open`. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

const insertEffect = write('jobs-test.effect', {
  params: { n: c.int8, by: c.text },
  row: { n: c.int8 },
  text: 'insert into effects (n, by) values (:n, :by) returning n',
})

test('two processes take different jobs, and each job runs once', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  const done: { n: number; by: string }[] = []
  const runBy =
    (by: string): Run =>
    async ({ payload: { n } }) => {
      await sleep(Math.random() * 10)
      done.push({ n, by })
      return undefined
    }
  startIn(t, app.environment(), makeKind(runBy('first')))
  startIn(t, second.environments[0]!, makeKind(runBy('second')))
  await Promise.all(Array.from({ length: 10 }, (_, i) => add(app, ...numbers(40).map(({ n }) => ({ n: i * 40 + n })))))
  await untilDone(app)
  assert.deepEqual(
    done.map(({ n }) => n).sort((a, b) => a - b),
    numbers(400).map(({ n }) => n),
  )
  assert.deepEqual([...new Set(done.map(({ by }) => by))].sort(), ['first', 'second'])
})

test('a job of a dead process is run by another one, and the first can no longer settle it', async (t) => {
  const app = await testApp(t, { STOP_SECONDS: '60' })
  const second = await app.startSecond()
  await app.sql('create table effects (n bigint, by text)')
  const { opened, open } = gate()
  const kindOf = (by: string, wait: Promise<void> | undefined) =>
    makeKind(async (job, { db }) => {
      await wait
      await db.transaction(async (tx) => {
        await tx.first(insertEffect, { n: job.payload.n, by })
        await job.complete(tx)
      })
      return undefined
    })
  const first = startIn(t, app.environment(), kindOf('first', opened))
  await add(app, { n: 1 })
  await until('it is taken', async () => (await list(app))[0]?.is_leased === true)
  const stopped = first.stop()
  startIn(t, second.environments[0]!, kindOf('second', undefined))
  await sleep(1500)
  assert.equal((await list(app))[0]?.token, 1, 'nobody else takes it while it is leased')
  app.advance(61_000)
  await untilDone(app)
  open()
  await stopped
  assert.deepEqual(await app.sql('select n::int as n, by from effects'), [{ n: 1, by: 'second' }])
})

test('a late worker cannot settle the attempt of another', async (t) => {
  const app = await testApp(t, { STOP_SECONDS: '60' })
  const second = await app.startSecond()
  const { opened, open } = gate()
  const late = startIn(
    t,
    app.environment(),
    makeKind(async () => {
      await opened
      return undefined
    }),
  )
  await add(app, { n: 1 })
  await until('it is taken', async () => (await list(app))[0]?.is_leased === true)
  const stopped = late.stop()
  startIn(
    t,
    second.environments[0]!,
    makeKind(async () => {
      throw new Error('not yet')
    }),
  )
  app.holdClock()
  app.advance(61_000)
  await until('it failed', async () => (await list(app))[0]?.problem === 'not yet')
  open()
  await stopped
  const [row] = await list(app)
  assert.deepEqual([row?.token, row?.attempts, row?.is_leased], [2, 2, false])
})

test('a job whose transaction fails after it was completed there is retried after its wait, and counts its tries', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  const { clock } = app.environment()
  await app.sql('create table effects (n bigint, by text)')
  startIn(
    t,
    app.environment(),
    makeKind(
      (job, { db }) =>
        db.transaction(async (tx) => {
          await tx.first(insertEffect, { n: job.payload.n, by: `try ${job.attempts}` })
          await job.complete(tx)
          if (job.attempts < 3) throw new Error('rolled back')
          return undefined
        }),
      { tries: 3 },
    ),
  )
  await add(app, { n: 1 })
  for (const [attempts, wantedMs] of [
    [1, 1000],
    [2, 2000],
  ] as const) {
    await until(`try ${attempts} failed`, async () => (await list(app))[0]?.attempts === attempts)
    await until('it waits', async () => (await list(app))[0]?.is_leased === false)
    const [row] = await list(app)
    assert.deepEqual([row?.problem, row?.given_up_at], ['rolled back', null])
    const waitMs = Number(row?.run_at) - clock().getTime()
    assert.ok(waitMs >= wantedMs * 0.75 && waitMs <= wantedMs * 1.25, `${waitMs} ms`)
    app.advance(waitMs)
  }
  await untilDone(app)
  assert.deepEqual(await app.sql('select n::int as n, by from effects'), [{ n: 1, by: 'try 3' }])
})

test('a job that takes longer than its lease keeps it as long as its process lives', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  let runs = 0
  const kind = makeKind(
    async ({ lost }) => {
      runs++
      await sleep(2500)
      assert.equal(lost.aborted, false)
      return undefined
    },
    { leaseMs: 900 },
  )
  startIn(t, app.environment(), kind)
  startIn(t, second.environments[0]!, kind)
  await add(app, { n: 1 })
  await until('it is taken', () => runs > 0)
  await untilDone(app)
  assert.equal(runs, 1)
})

test('a key waits once, and a job enqueued while it runs is run afterwards', async (t) => {
  const app = await testApp(t)
  const seen: number[] = []
  const { opened, open } = gate()
  await Promise.all(Array.from({ length: 10 }, (_, n) => add(app, { n, uniqueKey: 'one' }, { n, uniqueKey: 'one' })))
  assert.equal((await list(app)).length, 1)
  startIn(
    t,
    app.environment(),
    makeKind(async ({ payload: { n } }) => {
      seen.push(n)
      await opened
      return undefined
    }),
  )
  await until('it is under way', () => seen.length === 1)
  await add(app, { n: 99, uniqueKey: 'one', runAt: new Date(Date.now() + 60_000) })
  await add(app, { n: 98, uniqueKey: 'one' })
  await until('the other one is under way', () => seen.length === 2)
  assert.equal(seen[1], 99)
  open()
  await untilDone(app)
})

test('a job with a key is not taken before the transactions that rely on it have committed', async (t) => {
  const app = await testApp(t)
  const { db, clock } = app.environment()
  await add(app, { n: 1, uniqueKey: 'one' })
  let runs = 0
  await db.transaction(async (tx) => {
    await enqueue(tx, { name: 'test' }, { payload: { n: 2 }, at: clock(), uniqueKey: 'one' })
    startIn(
      t,
      app.environment(),
      makeKind(async () => {
        runs++
        return undefined
      }),
    )
    await sleep(1500)
    assert.equal(runs, 0)
  })
  await untilDone(app)
  assert.equal(runs, 1)
})

test('a failed job and one enqueued under the same key meanwhile become one', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  let runs = 0
  const { opened, open } = gate()
  startIn(
    t,
    app.environment(),
    makeKind(async () => {
      runs++
      await opened
      if (runs === 1) throw new Error('once')
      return undefined
    }),
  )
  await add(app, { n: 1, uniqueKey: 'one' })
  await until('it is under way', () => runs === 1)
  await add(app, { n: 2, uniqueKey: 'one', runAt: new Date(Date.now() + 60_000) })
  open()
  await until('it failed', async () => (await list(app)).some(({ problem }) => problem === 'once'))
  assert.deepEqual(
    (await list(app)).map(({ n, attempts }) => [n, attempts]),
    [[1, 1]],
  )
  await add(app, { n: 3, uniqueKey: 'one' })
  await sleep(300)
  assert.equal(runs, 1, 'the wait after a failure is kept')
  app.advance(2000)
  await untilDone(app)
  assert.equal(runs, 2)
})

test('a failing job is retried after growing waits, and finally given up visibly', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  const environment = app.environment()
  let told: unknown
  startIn(
    t,
    environment,
    makeKind(
      async ({ payload: { n } }) => {
        throw n === 1 ? new Error('broken') : new HopelessError('never')
      },
      {
        tries: 4,
        onGivenUp: async (_tx, { payload }, problem) => {
          told = [payload, problem]
          return { fields: { problem }, text: 'lost for good' }
        },
      },
    ),
  )
  await add(app, { n: 1 })
  for (const [i, wantedMs] of [1000, 2000, 4000].entries()) {
    await until(`try ${i + 1} failed`, async () => {
      const [row] = await list(app)
      return row?.attempts === i + 1 && !row.is_leased
    })
    const waitMs = Number((await list(app))[0]?.run_at) - environment.clock().getTime()
    assert.ok(waitMs >= wantedMs * 0.75 && waitMs <= wantedMs * 1.25, `${waitMs} ms`)
    const [figures] = (await jobFigures(environment.db, environment.clock())).filter(({ kind }) => kind === 'test')
    assert.deepEqual(figures, { kind: 'test', due: 0, waitingSeconds: 0, other: 1, givenUp: 0 })
    app.advance(waitMs)
  }
  await until('it is given up', async () => (await list(app))[0]?.given_up_at != null)
  assert.deepEqual(told, [{ n: 1 }, 'broken'])
  assert.match(app.log(), /"level":"error".*"problem":"broken","msg":"lost for good"/)
  await add(app, { n: 2 })
  await until('so is the hopeless one, at once', async () => (await list(app))[1]?.given_up_at != null)
  const figures = await jobFigures(environment.db, environment.clock())
  assert.equal(figures.find(({ kind }) => kind === 'test')?.givenUp, 2)
  await tidy(environment)
  assert.equal((await list(app)).length, 2)
  app.advance(31 * 24 * 60 * 60_000)
  await tidy(environment)
  assert.deepEqual(await list(app), [])
})

test('metrics show how many jobs are due and for how long, even without workers', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  await add(app, ...numbers(3))
  await add(app, { n: 3, runAt: new Date(app.environment().clock().getTime() + 60_000) })
  app.advance(5000)
  const { db, clock } = app.environment()
  const figures = await jobFigures(db, clock())
  assert.deepEqual(
    figures.find(({ kind }) => kind === 'test'),
    { kind: 'test', due: 3, waitingSeconds: 5, other: 1, givenUp: 0 },
  )
})

test('recurring work is done by one process at a time, and again when it is due', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  app.holdClock()
  let runs = 0
  const kind = makeKind(
    async () => {
      runs++
      return undefined
    },
    { everyMs: 60_000 },
  )
  const [first] = [app.environment(), second.environments[0]!].map((environment) => startIn(t, environment, kind))
  await until('it ran', () => runs === 1)
  await sleep(1500)
  assert.equal(runs, 1)
  app.advance(60_000)
  await until('it ran again', () => runs === 2)
  await first!.stop()
  app.advance(60_000)
  await until('the other process does it too', () => runs === 3)
  assert.equal((await list(app)).length, 1)
})

test('a job starts within 100 ms of its commit, in the same process or another one', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  for (const [where, environment, limitMs] of [
    ['here', app.environment(), 150],
    ['elsewhere', second.environments[0]!, 250],
  ] as const) {
    let startedMs = 0
    const jobs = startJobs(environment, [
      makeKind(async () => {
        startedMs = performance.now()
        return undefined
      }),
    ])
    // Listens to the topic, as a process that runs such jobs does.
    if (where === 'elsewhere')
      hear(app.environment().db, topicOf({ name: 'test' }), () => {}, app.environment().stopping)
    const times: number[] = []
    for (let n = 0; n < 8; n++) {
      await sleep(n * 30)
      startedMs = 0
      await add(app, { n })
      const committedMs = performance.now()
      await until('it started', () => startedMs > 0)
      times.push(startedMs - committedMs)
    }
    // Use the median, because other tests keep the machine busy.
    times.sort((a, b) => a - b)
    assert.ok(times[3]! < limitMs, `${where}: ${times.map(Math.round)} ms`)
    await jobs.stop()
  }
})

test('a stop waits for running jobs, but only up to its time limit', async (t) => {
  const app = await testApp(t, { STOP_SECONDS: '1' })
  let runs = 0
  const { opened, open } = gate()
  const jobs = startIn(
    t,
    app.environment(),
    makeKind(async ({ payload: { n } }) => {
      runs++
      await (n === 0 ? sleep(300) : opened)
      return undefined
    }),
  )
  await add(app, ...numbers(2))
  await until('both are under way', () => runs === 2)
  const startedMs = performance.now()
  await jobs.stop()
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs > 900, `${tookMs} ms`)
  assertWithin(tookMs, 2500)
  assert.deepEqual(
    (await list(app)).map(({ n, is_leased }) => [n, is_leased]),
    [[1, true]],
  )
  open()
})
