import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { backup } from '../database/backup.ts'
import { hasCode, type Tx } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { restore } from '../database/restore.ts'
import { c, write } from '../database/statement.ts'
import { createTestDatabase, runSql, until } from '../database/test-database.ts'
import type { Environment } from '../environment.ts'
import { type Consumer, startConsumers } from './consumers.ts'
import { defineEvents, type EventOf, eventFigures, listEventKinds, payload } from './events.ts'
import { dropOldEvents } from './retention.ts'

const testEvents = defineEvents({
  'lesson.started': payload<{ n: number }>(),
  'lesson.ended': payload<{ n: number; score: number }>(),
})
type TestEvent = EventOf<typeof testEvents>
type TestConsumer = Consumer<Environment, TestEvent>

const DAY_MS = 24 * 60 * 60_000

const emit = (app: TestApp, tx: Tx, n: number, subject = 'student:1') =>
  testEvents.emit(tx, { kind: 'lesson.started', subject, payload: { n }, at: app.environment().clock() })
const emitAlone = (app: TestApp, n: number, subject?: string) =>
  app.environment().db.transaction((tx) => emit(app, tx, n, subject))

const insertEffect = write('events-test.effect', {
  params: { n: c.int8, by: c.text },
  row: { n: c.int8 },
  text: 'insert into effects (n, by) values (:n, :by) returning n',
})
const die = write('events-test.die', {
  params: {},
  row: { died: c.text },
  text: 'select pg_terminate_backend(pg_backend_pid())::text as died',
})
const lockStudent = write('events-test.lock', {
  params: { name: c.text },
  row: { handle_key: c.text },
  text: 'select handle_key from people where handle_key = :name for update',
})
const touchAnything = write('events-test.touch', {
  params: {},
  row: { xid: c.text },
  text: 'select pg_current_xact_id()::text as xid',
})

function startIn(
  t: TestContext,
  environment: Environment,
  consumer: Partial<TestConsumer> & Pick<TestConsumer, 'handle'>,
) {
  const consumers = startConsumers(environment, [
    { name: 'test', kinds: testEvents.kinds, start: 'beginning', ...consumer },
  ])
  t.after(() => consumers.stop())
  return consumers
}

/** Collects the events that a consumer in this process handles, except those of failed transactions. */
function collect(): { events: TestEvent[]; handle: TestConsumer['handle']; ns(): number[] } {
  const events: TestEvent[] = []
  return {
    events,
    handle: async (tx, some) => tx.afterCommit(() => events.push(...some)),
    ns: () => events.map(({ payload: { n } }) => n),
  }
}
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test('all events of rooms are declared once, in one table', () => {
  assert.deepEqual(testEvents.kinds, ['lesson.started', 'lesson.ended'])
  assert.ok(listEventKinds().includes('lesson.ended'))
  assert.throws(
    () => defineEvents({ 'lesson.ended': payload<{ n: number }>() }),
    /two events of the kind 'lesson.ended'/,
  )
  assert.throws(() => defineEvents({ lesson: payload<{ n: number }>() }), /is not like attempt.completed/)
})

test('an event reaches its consumer complete, and never if its transaction was rolled back', async (t) => {
  const app = await testApp(t)
  const { db, clock } = app.environment()
  app.holdClock()
  const seen = collect()
  startIn(t, app.environment(), { handle: seen.handle, kinds: ['lesson.ended'] })
  // @ts-expect-error Events can only be emitted in a transaction, so `Db` is not accepted.
  void (() => emit(app, db, 1))
  const undone = db.transaction(async (tx) => {
    await emit(app, tx, 1)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  await emitAlone(app, 2)
  const ended = { kind: 'lesson.ended', subject: 'student:7', payload: { n: 3, score: 0.5 }, at: clock() } as const
  await db.transaction((tx) => testEvents.emit(tx, { ...ended, payload: { n: 4, score: 1 } }, ended))
  await until('both came', () => seen.events.length === 2)
  const [first, second] = seen.events
  assert.deepEqual(second, { id: second!.id, ...ended })
  assert.deepEqual(first!.payload, { n: 4, score: 1 })
  assert.ok(first!.id < second!.id)
  assert.deepEqual(await app.sql('select from event_outbox'), [])
  assert.equal((await app.sql('select from events')).length, 3)
})

test('an event of a slow transaction is not lost, though later ones were read before it', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const seen = collect()
  startIn(t, app.environment(), { handle: seen.handle })
  await db.transaction(async (slow) => {
    await emit(app, slow, 1, 'student:1')
    for (const n of [2, 3]) {
      await emitAlone(app, n, 'student:2')
      await until(`${n} was read`, () => seen.ns().includes(n))
    }
  })
  await until('the slow one came', () => seen.ns().includes(1))
  await sleep(1500)
  assert.deepEqual(seen.ns(), [2, 3, 1])
})

test('events of one subject are read in the order of their changes, whichever transaction began first', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const seen = collect()
  startIn(t, app.environment(), { handle: seen.handle })
  await db.transaction(async (late) => {
    // `late` begins first, but locks the student only after the other transaction has committed.
    await late.first(touchAnything, {})
    await db.transaction(async (tx) => {
      await tx.first(lockStudent, { name: 'avery' })
      await emit(app, tx, 1, 'avery')
    })
    await late.first(lockStudent, { name: 'avery' })
    await emit(app, late, 2, 'avery')
  })
  await until('both came', () => seen.events.length === 2)
  assert.deepEqual(seen.ns(), [1, 2])
})

test('events emitted in parallel all arrive once, in order for each subject, though two processes read them', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  const { db } = app.environment()
  const seen = collect()
  for (const environment of [app.environment(), second.environments[0]!])
    startIn(t, environment, { handle: seen.handle, most: 7 })
  const told: number[] = []
  const emitNext = async (i: number) => {
    const student = i % 2 === 0 ? 'avery' : 'blake'
    await db.transaction(async (tx) => {
      await tx.first(lockStudent, { name: student })
      await emit(app, tx, i, student)
      // The student's row is locked until the commit, so this records the order of the changes.
      told.push(i)
      await sleep(Math.random() * 5)
    })
  }
  for (let round = 0; round < 10; round++) await Promise.all(numbers(10).map((i) => emitNext(round * 10 + i)))
  await until('all came', () => seen.events.length >= 100, 10_000)
  await sleep(300)
  assert.equal(seen.events.length, 100)
  for (const student of ['avery', 'blake']) {
    const own = seen.events.filter(({ subject }) => subject === student)
    const parity = student === 'avery' ? 0 : 1
    assert.deepEqual(
      own.map(({ payload: { n } }) => n),
      told.filter((n) => n % 2 === parity),
    )
  }
})

test('a process that dies after handling events, but before its position moved, has handled nothing', async (t) => {
  const app = await testApp(t)
  await app.sql('create table effects (n bigint, by text)')
  let tries = 0
  startIn(t, app.environment(), {
    handle: async (tx, events) => {
      for (const { payload } of events) await tx.first(insertEffect, { n: payload.n, by: 'test' })
      if (++tries <= 2) await tx.first(die, {})
    },
  })
  for (const n of numbers(3)) await emitAlone(app, n)
  await until('they are taken in', async () => (await app.sql('select from effects')).length >= 3, 10_000)
  await sleep(1200)
  assert.ok(tries >= 3)
  assert.deepEqual(
    (await app.sql('select n::int as n from effects order by n')).map(({ n }) => n),
    [0, 1, 2],
  )
})

test('a failing event keeps its place while it is retried, and is finally skipped visibly', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  const { db, clock } = app.environment()
  const seen = collect()
  let [tries, isBroken] = [0, true]
  startIn(t, app.environment(), {
    tries: 3,
    handle: async (tx, events, context) => {
      for (const { payload } of events) {
        if (payload.n !== 2) continue
        if (events.length === 1) tries++
        if (isBroken) throw new Error('cannot be taken in')
      }
      await seen.handle(tx, events, context)
    },
  })
  await db.transaction(async (tx) => {
    for (const n of numbers(5)) await emit(app, tx, n)
  })
  for (const [i, wantedMs] of [1000, 2000].entries()) {
    await until(`try ${i + 1} failed`, async () => {
      const [row] = await app.sql(`select attempts from event_consumers where name = 'test'`)
      return row?.attempts === i + 1
    })
    assert.deepEqual(seen.ns(), [0, 1])
    const { consumers } = await eventFigures(db, clock())
    assert.deepEqual(
      consumers.find(({ name }) => name === 'test'),
      { name: 'test', seconds: (i * 1300) / 1000, unread: 3, attempts: i + 1, failed: 0 },
    )
    app.advance(i === 0 ? 1300 : wantedMs * 1.3)
  }
  await until('the others go on', () => seen.events.length === 4)
  assert.deepEqual(seen.ns(), [0, 1, 3, 4])
  assert.equal(tries, 3)
  const { consumers, unpublishedSeconds } = await eventFigures(db, clock())
  assert.deepEqual(
    [unpublishedSeconds, consumers.find(({ name }) => name === 'test')],
    [0, { name: 'test', seconds: 0, unread: 0, attempts: 0, failed: 1 }],
  )
  assert.match(app.log(), /"level":"warn".*"attempts":2,"problem":"cannot be taken in","msg":"handling an event failed/)
  assert.match(
    app.log(),
    /"level":"error".*"attempts":3,"problem":"cannot be taken in","msg":"event skipped after too many tries"/,
  )
  const [failure] = await app.sql('select consumer, kind, subject, payload, problem from event_failures')
  assert.deepEqual(failure, {
    consumer: 'test',
    kind: 'lesson.started',
    subject: 'student:1',
    payload: { n: 2 },
    problem: 'cannot be taken in',
  })
  isBroken = false
})

for (const [what, tries] of [
  ['last', 1],
  ['first', 3],
] as const)
  test(`a reader that fails its ${what} try after another has taken the event changes nothing`, async (t) => {
    const app = await testApp(t)
    const { db, ...rest } = app.environment()
    const [failed, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // The database of the failing reader: after the failure, its work waits until the other reader has the event.
    let isFailed = false
    const afterTaken = async () => isFailed && (await taken.promise)
    const slow: typeof db = {
      ...db,
      transaction: async (work) => afterTaken().then(() => db.transaction(work)),
      first: async (statement, params) => afterTaken().then(() => db.first(statement, params)),
    }
    const failing = startIn(
      t,
      { ...rest, db: slow },
      {
        tries,
        handle: async () => {
          isFailed = true
          failed.resolve()
          throw new Error('too late')
        },
      },
    )
    await emitAlone(app, 1)
    await failed.promise
    const seen = collect()
    startIn(t, app.environment(), { handle: seen.handle })
    await until('the other has taken it', () => seen.events.length === 1)
    taken.resolve()
    await failing.stop()
    assert.deepEqual(
      await app.sql(`select position::int as position, attempts, problem from event_consumers where name = 'test'`),
      [{ position: seen.events[0]!.id, attempts: 0, problem: null }],
    )
    assert.deepEqual(await app.sql('select from event_failures'), [])
    assert.doesNotMatch(app.log(), /too late/)
  })

test('a new consumer starts at the end or at the beginning, as declared, and later resumes where it was', async (t) => {
  const app = await testApp(t)
  for (const n of numbers(3)) await emitAlone(app, n)
  await until('they are published', async () => (await app.sql('select from events')).length === 3)
  const [all, later] = [collect(), collect()]
  startIn(t, app.environment(), { name: 'all', handle: all.handle })
  const first = startIn(t, app.environment(), { name: 'later', start: 'end', handle: later.handle })
  await until(
    'both are there',
    async () => (await app.sql(`select from event_consumers where name in ('all', 'later')`)).length === 2,
  )
  await emitAlone(app, 3)
  await until('it came', () => later.events.length === 1 && all.events.length === 4)
  await first.stop()
  await emitAlone(app, 4)
  startIn(t, app.environment(), { name: 'later', start: 'end', handle: later.handle })
  await until('it goes on where it was', () => later.events.length === 2 && all.events.length === 5)
  assert.deepEqual([all.ns(), later.ns()], [numbers(5), [3, 4]])
})

test('a consumer of rare kinds skips the others', async (t) => {
  const app = await testApp(t)
  const { db, clock } = app.environment()
  await db.transaction(async (tx) => {
    for (const n of numbers(1200))
      if (n % 300 !== 0) await emit(app, tx, n)
      else await testEvents.emit(tx, { kind: 'lesson.ended', subject: 's', payload: { n, score: 1 }, at: clock() })
  })
  const seen = collect()
  startIn(t, app.environment(), { handle: seen.handle, kinds: ['lesson.ended'], most: 1 })
  await until('all came', () => seen.events.length === 4)
  assert.deepEqual(seen.ns(), [0, 300, 600, 900])
  await until('nothing is left to look at', async () => {
    const { consumers } = await eventFigures(db, clock())
    return consumers.find(({ name }) => name === 'test')?.unread === 0
  })
})

/**
 * Drops old events. Retries while readers hold a lock, as the platform's own task does, because readers are slow on a
 * busy machine.
 */
const dropInTime = (environment: Environment) =>
  until('old events are dropped', () =>
    dropOldEvents(environment).then(
      () => true,
      (error) => (hasCode(error, '55P03') ? false : Promise.reject(error)),
    ),
  )

test('events are kept for thirty days and deleted by week, and unread ones are reported', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const count = async () => (await app.sql('select from events')).length
  const stopped = startIn(t, environment, { handle: async () => {} })
  await until(
    'it is there',
    async () => (await app.sql(`select from event_consumers where name = 'test'`)).length === 1,
  )
  await stopped.stop()
  for (const n of numbers(10)) {
    await emitAlone(app, n)
    await until('it is published', async () => (await app.sql('select from event_outbox')).length === 0)
    app.advance(7 * DAY_MS)
    await dropInTime(environment)
    assert.equal(await count(), Math.min(n + 1, 4), 'those of 7, 14, 21 and 28 days')
  }
  assert.match(
    app.log(),
    /"level":"error".*"consumer":"test".*expired events were deleted before a consumer had read them/,
  )
  app.advance(40 * DAY_MS)
  await dropInTime(environment)
  assert.equal(await count(), 0)
  await emitAlone(app, 99)
  await until('and it goes on', async () => (await count()) === 1)
})

test('retention and readers do not wait for each other', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  await emitAlone(app, 1)
  await until('it is published', async () => (await app.sql('select from events')).length === 1)
  await environment.db.transaction(async (tx) => {
    await tx.first(readAll, {})
    // Advance the clock only now: otherwise the platform's own clean-up could drop the events first.
    app.advance(60 * DAY_MS)
    await assert.rejects(dropOldEvents(environment), { code: '55P03' })
  })
  await dropInTime(environment)
  assert.equal((await app.sql('select from events')).length, 0)
})

const readAll = write('events-test.readAll', {
  params: {},
  row: { n: c.int8 },
  text: 'select count(*) as n from events',
})

test('a restored platform continues with the events, positions and numbers of its backup', async (t) => {
  const app = await testApp(t)
  const seen = collect()
  const consumers = startIn(t, app.environment(), { handle: seen.handle })
  for (const n of numbers(3)) await emitAlone(app, n)
  await until('all came', () => seen.events.length === 3)
  await consumers.stop()
  const folder = mkdtempSync(join(tmpdir(), 'groundschool-events-'))
  const fresh = await createTestDatabase()
  t.after(async () => {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  })
  const [file, schemas] = [join(folder, 'backup'), ['gs_production', 'gs_sandbox']]
  await backup({ connection: app.connection, schemas, file })
  const prepare = async (schema: string, upTo: number) =>
    void (await migrate(fresh.connection, schema, undefined, upTo))
  await restore({ connection: fresh.connection, schemas, file, prepare })
  const ask = (text: string) => runSql(fresh.connection, `set search_path to gs_production; ${text}`)
  const last = seen.events.at(-1)!.id
  assert.deepEqual(await ask(`select position::int as position from event_consumers where name = 'test'`), [
    { position: last },
  ])
  assert.deepEqual(await ask(`select nextval('event_ids')::int as id, (select count(*)::int from events) as n`), [
    { id: last + 1, n: 3 },
  ])
})

test('an event is read within 100 ms of its commit', async (t) => {
  const app = await testApp(t)
  const seen = collect()
  startIn(t, app.environment(), { handle: seen.handle })
  const times: number[] = []
  for (const n of numbers(8)) {
    await sleep(n * 30)
    await emitAlone(app, n)
    const committedMs = performance.now()
    await until('it is read', () => seen.events.length > n)
    times.push(performance.now() - committedMs)
  }
  // Use the median, because other tests keep the machine busy.
  times.sort((a, b) => a - b)
  assert.ok(times[3]! < 150, `${times.map(Math.round)} ms`)
})
