import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isLong } from '../../operations/testing/sizes.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { type Database, type DatabaseOptions, hasCode } from './database.ts'
import { c, read, report } from './statement.ts'
import { createAccounts, isNotReady, pause, QUOTED } from './test-accounts.ts'
import { runSql, until } from './test-database.ts'

const NAME = 'test of reports'
const { connection, open, openOverWire, newAccount, balance, addAmount } = await createAccounts(NAME)

const numbers = report('reports.numbers', {
  params: { upTo: c.int4 },
  row: { n: c.int4, label: c.text },
  text: "select n, 'row ' || n as label from generate_series(1, :upTo) n",
})
const sleep = report('reports.sleep', {
  params: { seconds: c.float8 },
  row: { slept: c.text },
  text: 'select pg_sleep(:seconds)::text as slept',
})
const sleepByRow = report('reports.sleep-by-row', {
  params: { seconds: c.float8 },
  row: { n: c.int4 },
  text: 'select n from generate_series(1, 1000) n, lateral (select pg_sleep(:seconds * n / n)) slept',
})
const divide = report('reports.divide', {
  params: { by: c.int4 },
  row: { result: c.int4 },
  text: 'select 1000 / (:by - n) as result from generate_series(1, 1000) n',
})
const sumAmounts = report('reports.sum', {
  params: {},
  row: { sum: c.int8 },
  text: 'select coalesce(sum(amount), 0)::int8 as sum from accounts',
})
const listAmounts = report('reports.amounts', {
  params: { id: c.int8 },
  row: { amount: c.int8 },
  text: 'select amount from accounts where id = :id',
})

const openWith = (reports: NonNullable<DatabaseOptions['reports']>) => open({ reports })
const isIdle = (db: Database) => db.figures().reportsRunning === 0
const countReportConnections = async (): Promise<number> => {
  const [row] = await runSql(
    connection,
    `select count(*)::int as n from pg_stat_activity where application_name = '${NAME}' and query like '%pg_backend_pid%'`,
  )
  return Number(row?.n)
}

before(() =>
  runSql(
    connection,
    `create table ${QUOTED}.courses as select n as id, n % 100 as kind from generate_series(1, 20000) n;
     create table ${QUOTED}.results as select n as id, 1 + n % 20000 as course from generate_series(1, 20000) n;
     create index on ${QUOTED}.courses (id);
     analyze ${QUOTED}.courses, ${QUOTED}.results`,
  ),
)

test('a report uses the ordinary planner with hash joins, a read does not', async () => {
  const db = await open()
  const declaration = {
    params: {},
    row: { 'QUERY PLAN': c.text },
    text: 'explain (costs off) select count(*) from results r join courses c on c.id = r.course where c.kind > 10',
  }
  const planOf = async (rows: Promise<{ 'QUERY PLAN': string }[]>) =>
    (await rows).map((row) => row['QUERY PLAN']).join('\n')
  assert.match(await planOf(db.all(report('reports.plan', declaration), {})), /Hash Join/)
  assert.doesNotMatch(await planOf(db.all(read('reports.plan-of-read', declaration), {})), /Hash Join/)
})

test('a report returns its rows, and cannot write', async () => {
  const db = await open()
  assert.deepEqual(await db.all(numbers, { upTo: 2 }), [
    { n: 1, label: 'row 1' },
    { n: 2, label: 'row 2' },
  ])
  assert.deepEqual(await db.first(numbers, { upTo: 2 }), { n: 1, label: 'row 1' })
  assert.equal(await db.first(numbers, { upTo: 0 }), undefined)
  const sly = report('reports.sly', {
    params: {},
    row: { amount: c.int8 },
    text: 'update accounts set amount = 100 returning amount',
  })
  await assert.rejects(db.all(sly, {}), (error) => isNotReady(error) && hasCode(error.cause, '25006'))
})

test('connections for reports are opened on demand and closed when idle', async () => {
  const db = await openWith({ idleMs: 1_000 })
  const pid = report('reports.pid', { params: {}, row: { pid: c.int8 }, text: 'select pg_backend_pid()::int8 as pid' })
  await db.all(addAmount, { id: 0, by: 0 })
  assert.equal(await countReportConnections(), 0)
  const [first, second] = [await db.first(pid, {}), await db.first(pid, {})]
  assert.deepEqual(first, second)
  assert.equal(await countReportConnections(), 1)
  await until('the idle connection is closed', async () => (await countReportConnections()) === 0)
})

test('a report over its own time limit says so, and the next one runs', async () => {
  const db = await openWith({ timeoutMs: 200 })
  const isOverLimit = (error: unknown) => {
    assert.ok(isNotReady(error))
    assert.match((error as Error).message, /^This report took longer than 0\.2 s; request less at once$/)
    return true
  }
  await assert.rejects(db.all(sleep, { seconds: 3 }), isOverLimit)
  await assert.rejects(Array.fromAsync(db.stream(sleep, { seconds: 3 })), isOverLimit)
  assert.equal((await db.all(numbers, { upTo: 3 })).length, 3)
  assert.ok(isIdle(db))
})

test('a report may take longer than other statements', async () => {
  const db = await open({ statementTimeoutMs: 100 })
  assert.equal((await db.all(sleep, { seconds: 0.4 })).length, 1)
})

test('excess reports are told when to retry, while streams and reads are served', async () => {
  const db = await openWith({ connections: 2, waiting: 1 })
  const id = await newAccount()
  const running = db.all(sleep, { seconds: 1 })
  const waiting = db.all(sleep, { seconds: 0 })
  await until('one runs and one waits', () => db.figures().reportsWaiting === 1)
  assert.equal(db.figures().reportsRunning, 1)
  await assert.rejects(db.all(sleep, { seconds: 0 }), { kind: 'notReady', status: 503, retryAfterSeconds: 5 })
  assert.equal((await Array.fromAsync(db.stream(numbers, { upTo: 3 }))).length, 3)
  const start = Date.now()
  for (let i = 0; i < 10; i++) assert.equal(await balance(db, id), 0)
  assertWithin(Date.now() - start, 500)
  await Promise.all([running, waiting])
  assert.deepEqual([db.figures().reportsRunning, db.figures().reportsWaiting], [0, 0])
})

test('a report that waits too long for its turn is told to retry', async () => {
  const db = await openWith({ connections: 1, waitMs: 100 })
  const running = db.all(sleep, { seconds: 0.5 })
  await assert.rejects(db.all(sleep, { seconds: 0 }), { kind: 'notReady', retryAfterSeconds: 5 })
  await running
})

/** Enough rows that holding all of them in memory would take 90 MB (45 MB for the smaller number). */
const MANY_ROWS = isLong ? 1_000_000 : 500_000

test(`${MANY_ROWS} rows are streamed with little memory`, async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const db = await open()
  const usedMb = () => {
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  const startMb = usedMb()
  let most = 0
  let rows = 0
  let sum = 0
  for await (const { n } of db.stream(numbers, { upTo: MANY_ROWS })) {
    rows++
    sum += n
    if (rows % 100_000 === 0) most = Math.max(most, usedMb() - startMb)
  }
  assert.deepEqual([rows, sum], [MANY_ROWS, (MANY_ROWS * (MANY_ROWS + 1)) / 2])
  assert.ok(most < (isLong ? 30 : 20), `${most} MB`)
  assert.ok(isIdle(db))
})

test('rows are fetched as they are read, and an error among them comes in its place', async () => {
  const db = await open()
  let rows = 0
  const readAll = async () => {
    for await (const _row of db.stream(divide, { by: 700 })) rows++
  }
  await assert.rejects(readAll, (error) => hasCode(error, '22012'))
  // Three batches are complete: of 8, 64 and 500 rows.
  assert.equal(rows, 572)
  assert.ok(isIdle(db))
  assert.equal((await Array.fromAsync(db.stream(divide, { by: 2000 }))).length, 1000)
})

test('a stream returns all rows, also at the edges of a batch', async () => {
  const db = await open()
  for (const upTo of [0, 1, 7, 8, 9, 71, 72, 73, 571, 572, 573, 1000])
    assert.equal((await Array.fromAsync(db.stream(numbers, { upTo }))).length, upTo)
})

test('D11: a stream of large rows has about 1 MiB of them in memory at a time', async () => {
  const db = await open()
  const large = report('reports.large', {
    params: { by: c.int4 },
    row: { payload: c.text, result: c.int4 },
    text: `select repeat('x', 250000) as payload, 1000 / (:by - n) as result from generate_series(1, 1000) n`,
  })
  let rows = 0
  const readAll = async () => {
    for await (const _row of db.stream(large, { by: 31 })) rows++
  }
  await assert.rejects(readAll, (error) => hasCode(error, '22012'))
  // The first batch has 8 rows, the others 4. The error came with the batch of row 31.
  assert.equal(rows, 28)
})

test('reports of one caller wait for each other, and not for long behind those of another', async () => {
  const db = await openWith({ connections: 3 })
  const [greedy, other] = [db.as('greedy'), db.as('other')]
  const all = Array.from({ length: 6 }, () => greedy.all(sleep, { seconds: 0.3 }))
  await until('one runs', () => db.figures().reportsRunning === 1)
  const start = Date.now()
  await other.all(sleep, { seconds: 0 })
  assert.ok(Date.now() - start < 300, 'another caller has a connection at once')
  assert.equal(db.figures().reportsRunning, 1)
  await Promise.all(all)
  const many = await Promise.allSettled(Array.from({ length: 60 }, () => greedy.all(sleep, { seconds: 0.01 })))
  const refused = many.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 9)
  for (const { reason } of refused) assert.equal(reason.kind, 'tooManyRequests')
})

test('a stream is a consistent snapshot', async () => {
  const db = await open()
  const id = await newAccount()
  const all = report('reports.moment', {
    params: { id: c.int8 },
    row: { amount: c.int8 },
    text: 'select amount from accounts, generate_series(1, 2000) where id = :id',
  })
  const amounts = new Set<number>()
  for await (const { amount } of db.stream(all, { id })) {
    if (amounts.size === 0) await db.all(addAmount, { id, by: 7 })
    amounts.add(amount)
  }
  assert.deepEqual([...amounts], [0])
  assert.equal(await balance(db, id), 7)
})

test('a reader that breaks off or fails releases its connection', async () => {
  const db = await openWith({ connections: 1 })
  for (let i = 0; i < 3; i++) {
    for await (const { n } of db.stream(numbers, { upTo: 1_000_000 })) if (n === 700) break
    assert.ok(isIdle(db))
  }
  await assert.rejects(async () => {
    for await (const _row of db.stream(numbers, { upTo: 1_000_000 })) throw new Error('of the consumer')
  }, /of the consumer/)
  assert.equal((await db.all(numbers, { upTo: 3 })).length, 3)
})

test('a reader that pauses too long loses its stream and is told so', async () => {
  const db = await openWith({ connections: 1, unreadMs: 200 })
  const rows = db.stream(numbers, { upTo: 1_000_000 })
  assert.equal((await rows.next()).value?.n, 1)
  await until('the connection is given back', () => isIdle(db))
  assert.equal((await db.all(numbers, { upTo: 3 })).length, 3)
  await assert.rejects(rows.next(), (error) => {
    assert.match((error as Error).message, /^This stream was not read for 0\.2 s$/)
    return isNotReady(error)
  })
  assert.deepEqual(await rows.next(), { done: true, value: undefined })
})

test('a slow database does not count against the reader', async () => {
  const db = await openWith({ unreadMs: 100 })
  assert.equal((await Array.fromAsync(db.stream(sleep, { seconds: 0.5 }))).length, 1)
})

test('a stream over its overall time limit ends, whoever is slow', async () => {
  const db = await openWith({ connections: 1, streamTimeoutMs: 300 })
  const isOverLimit = (error: unknown) => {
    assert.match((error as Error).message, /^This stream took longer than 0\.3 s$/)
    return isNotReady(error)
  }
  const start = Date.now()
  await assert.rejects(Array.fromAsync(db.stream(sleepByRow, { seconds: 0.01 })), isOverLimit)
  assertWithin(Date.now() - start, 3_000)
  await assert.rejects(async () => {
    for await (const _row of db.stream(numbers, { upTo: 1_000_000 })) await pause(20)
  }, isOverLimit)
  assert.ok(isIdle(db))
  assert.equal((await db.all(numbers, { upTo: 3 })).length, 3)
})

test('losing the database fails the stream, not the process, and the next stream works', async () => {
  const { db, wire } = await openOverWire()
  const idle = db.stream(numbers, { upTo: 1_000_000 })
  await idle.next()
  const fetching = assert.rejects(Array.fromAsync(db.stream(sleepByRow, { seconds: 0.01 })), isNotReady)
  const running = pause(100).then(() => assert.rejects(db.all(sleep, { seconds: 3 }), isNotReady))
  await pause(300)
  wire.cut()
  await Promise.all([fetching, running])
  await assert.rejects(async () => {
    for await (const _row of idle);
  }, isNotReady)
  assert.ok(isIdle(db))
  await assert.rejects(Array.fromAsync(db.stream(numbers, { upTo: 3 })), isNotReady)
  wire.mend()
  await until('the database is available again', () => db.isAvailable())
  assert.equal((await Array.fromAsync(db.stream(numbers, { upTo: 3 }))).length, 3)
})

test('inside a transaction reports and streams see its changes, and end with it', async () => {
  const db = await open()
  const id = await newAccount()
  const kept = await db.transaction(async (tx) => {
    assert.deepEqual(await Array.fromAsync(tx.stream(listAmounts, { id })), [{ amount: 0 }])
    await tx.all(addAmount, { id, by: 1_000_000 })
    assert.ok((await tx.first(sumAmounts, {}))!.sum >= 1_000_000)
    assert.deepEqual(await Array.fromAsync(tx.stream(listAmounts, { id })), [{ amount: 1_000_000 }])
    assert.ok(isIdle(db))
    const rows = tx.stream(numbers, { upTo: 1000 })
    await rows.next()
    return rows
  })
  await assert.rejects(Array.fromAsync(kept), /'reports.numbers' came after its transaction/)
  assert.equal(await balance(db, id), 1_000_000)
})

test('closing does not wait for an unread stream, and refuses waiting ones', async () => {
  const db = await openWith({ connections: 1 })
  const rows = db.stream(numbers, { upTo: 1_000_000 })
  await rows.next()
  const waiting = assert.rejects(db.all(numbers, { upTo: 1 }), isNotReady)
  await until('one waits', () => db.figures().reportsWaiting === 1)
  const start = Date.now()
  await db.close()
  await waiting
  assertWithin(Date.now() - start, 4_000)
  await assert.rejects(Array.fromAsync(rows), isNotReady)
  await assert.rejects(db.all(numbers, { upTo: 1 }), isNotReady)
})
