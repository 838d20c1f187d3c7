import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { PlatformError, StartupError } from '../errors.ts'
import { type Database, type DatabaseOptions, type Db, hasCode, openDatabase } from './database.ts'
import { float8, int8, read, text, write } from './statement.ts'
import { createTestDatabase, layWire, runSql, until, type Wire } from './test-database.ts'

const SCHEMA = 'data "base"'
const QUOTED = '"data ""base"""'

const readBalance = read('database.balance', {
  params: { id: int8 },
  row: { amount: int8 },
  text: 'select amount from accounts where id = :id',
})
const addAmount = write('database.add', {
  params: { id: int8, by: int8 },
  row: { amount: int8 },
  text: 'update accounts set amount = amount + :by where id = :id returning amount',
})
const insertAccount = write('database.insert', {
  params: { id: int8 },
  row: {},
  text: 'insert into accounts (id, amount) values (:id, 0)',
})
const sleepWriting = write('database.sleep', {
  params: { seconds: float8 },
  row: { slept: text },
  text: 'select pg_sleep(:seconds)::text as slept',
})
const sleepReading = read('database.sleep-reading', {
  params: { seconds: float8 },
  row: { slept: text },
  text: 'select pg_sleep(:seconds)::text as slept',
})
const settingsRow = { path: text, zone: text, timeout: text, idle: text, name: text }
const settingsText = `select current_setting('search_path') as path, current_setting('timezone') as zone,
  current_setting('statement_timeout') as timeout, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('application_name') as name`
const readSettings = read('database.settings', { params: {}, row: settingsRow, text: settingsText })
const writeSettings = write('database.settings-pool', { params: {}, row: settingsRow, text: settingsText })

const { connection, drop } = await createTestDatabase()
const opened: Database[] = []
const wires: Wire[] = []

const open = async (options: Partial<DatabaseOptions> = {}): Promise<Database> => {
  const db = await openDatabase({
    connection,
    schema: SCHEMA,
    poolSize: 4,
    readConnections: 1,
    statementTimeoutMs: 5_000,
    applicationName: 'test',
    onProblem: () => {},
    ...options,
  })
  opened.push(db)
  return db
}
const openOverWire = async (options: Partial<DatabaseOptions> = {}): Promise<{ db: Database; wire: Wire }> => {
  const wire = await layWire(connection)
  wires.push(wire)
  return { wire, db: await open({ ...options, connection: wire.connection }) }
}
const balance = async (db: Db, id: number) => (await db.first(readBalance, { id }))?.amount
const isNotReady = (error: unknown) => error instanceof PlatformError && error.kind === 'notReady'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

before(() =>
  runSql(
    connection,
    `create schema ${QUOTED}; create table ${QUOTED}.accounts (id int8 primary key, amount int8 not null)`,
  ),
)
afterEach(async () => {
  for (const wire of wires) wire.mend()
  await Promise.all(opened.splice(0).map((db) => db.close()))
  for (const wire of wires.splice(0)) wire.close()
})
after(drop)

let lastId = 0
const newAccount = async (): Promise<number> => {
  lastId++
  await runSql(connection, `insert into ${QUOTED}.accounts values (${lastId}, 0)`)
  return lastId
}

test('every connection sees its own schema only, in UTC and with its limits, whatever the connection string says', async () => {
  const { host, port, user, database } = connection
  const url = new URL(`postgres://${user}@localhost:${port}/${database}`)
  url.searchParams.set('host', host ?? '')
  url.searchParams.set('options', '-c search_path=public -c timezone=Asia/Tokyo')
  url.searchParams.set('application_name', 'other')
  const db = await open({ connection: { connectionString: url.href } })
  const expected = { path: QUOTED, zone: 'UTC', timeout: '5s', idle: '30s', name: 'test' }
  assert.deepEqual(await db.first(readSettings, {}), expected)
  assert.deepEqual(await db.first(writeSettings, {}), expected)
})

test('a committed transaction is seen by the next read, a failed one leaves nothing', async () => {
  const db = await open()
  const id = await newAccount()
  const told: string[] = []
  const result = await db.transaction(async (tx) => {
    tx.afterCommit(() => told.push('committed'))
    await tx.all(addAmount, { id, by: 5 })
    assert.equal(await balance(tx, id), 5)
    assert.equal(await balance(db, id), 0)
    assert.deepEqual(told, [])
    return 'result'
  })
  assert.equal(result, 'result')
  assert.equal(await balance(db, id), 5)
  assert.deepEqual(told, ['committed'])
  const failure = new Error('changed my mind')
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.afterCommit(() => told.push('never'))
      await tx.all(addAmount, { id, by: 5 })
      throw failure
    }),
    failure,
  )
  assert.equal(await balance(db, id), 5)
  assert.deepEqual(told, ['committed'])
  db.afterCommit(() => told.push('at once'))
  assert.deepEqual(told, ['committed', 'at once'])
  assert.equal(db.figures().poolIdle, db.figures().poolTotal)
})

test('a transaction inside another joins it', async () => {
  const db = await open()
  const id = await newAccount()
  const told: string[] = []
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.transaction(async (inner) => {
        inner.afterCommit(() => told.push('never'))
        await inner.all(addAmount, { id, by: 1 })
      })
      throw new Error('outer')
    }),
    /outer/,
  )
  assert.equal(await balance(db, id), 0)
  assert.deepEqual(told, [])
})

test('a transaction whose failed statement was overlooked does not pass for committed', async () => {
  const db = await open()
  const id = await newAccount()
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(addAmount, { id, by: 1 })
      await tx.all(insertAccount, { id }).catch(() => {})
    }),
    /was rolled back/,
  )
  assert.equal(await balance(db, id), 0)
})

test('where BEGIN fails, the first statement does not happen', async () => {
  const db = await open({ poolSize: 1 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  const forget = write('database.deallocate', { params: {}, row: {}, text: 'deallocate begin' })
  await db.all(forget, {})
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    (error) => hasCode(error, '26000'),
  )
  assert.equal(await balance(db, id), 1)
})

test('statements of a transaction that are sent together are answered each with its own', async () => {
  const db = await open()
  const id = await newAccount()
  const amounts = await db.transaction((tx) =>
    Promise.all([1, 10, 100].map(async (by) => (await tx.first(addAmount, { id, by }))?.amount)),
  )
  assert.deepEqual(amounts, [1, 11, 111])
  assert.equal(await balance(db, id), 111)
})

test('a declaration that does not fit is an error of ours, not of the database', async () => {
  const db = await open()
  const wrong = write('database.wrong', { params: {}, row: { missing: text }, text: "select 'x' as other" })
  await assert.rejects(db.first(wrong, {}), /gives no column 'missing'/)
})

test('a statement that slips out of its transaction is refused', async () => {
  const db = await open()
  const id = await newAccount()
  let kept: Db | undefined
  await db.transaction(async (tx) => {
    kept = tx
    await tx.all(addAmount, { id, by: 1 })
  })
  await assert.rejects(kept!.all(addAmount, { id, by: 1 }), /came after its transaction/)
  assert.equal(await balance(db, id), 1)
})

test('a hook that fails is reported and hurts nobody', async () => {
  const problems: string[] = []
  const db = await open({ onProblem: (error) => problems.push(error.message) })
  const id = await newAccount()
  await db.transaction(async (tx) => {
    tx.afterCommit(() => {
      throw new Error('hook')
    })
    tx.afterCommit(() => problems.push('second hook'))
    await tx.all(addAmount, { id, by: 1 })
  })
  assert.deepEqual(problems, ['hook', 'second hook'])
})

test('transactions that lock each other out are run again until both have happened', async () => {
  const db = await open()
  const [a, b] = [await newAccount(), await newAccount()]
  let tries = 0
  let told = 0
  const transfer = (from: number, to: number) =>
    db.transaction(async (tx) => {
      tries++
      tx.afterCommit(() => told++)
      await tx.all(addAmount, { id: from, by: -1 })
      await pause(50)
      await tx.all(addAmount, { id: to, by: 1 })
    })
  await Promise.all([transfer(a, b), transfer(b, a)])
  assert.ok(tries > 2, 'there was no deadlock')
  assert.equal(told, 2)
  assert.deepEqual([await balance(db, a), await balance(db, b)], [0, 0])
})

test('after three more tries a transaction that keeps failing gives up', async () => {
  const db = await open()
  const failAlways = write('database.serialization', {
    params: {},
    row: { done: text },
    text: "select set_config('x.x', 'y', true) as done from pg_catalog.generate_series(1, 1) where test_fail()",
  })
  await runSql(
    connection,
    `create function ${QUOTED}.test_fail() returns bool language plpgsql as
     $$ begin raise exception 'again' using errcode = '40001'; end $$`,
  )
  let tries = 0
  await assert.rejects(
    db.transaction(async (tx) => {
      tries++
      await tx.all(failAlways, {})
    }),
    (error) => hasCode(error, '40001'),
  )
  assert.equal(tries, 4)
})

test('a statement that breaks a rule keeps its code, loses the values it quotes, and keeps its connection', async () => {
  const db = await open({ poolSize: 1 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 0 })
  const [before] = await runSql(
    connection,
    "select array_agg(pid order by pid)::text as pids from pg_stat_activity where application_name = 'test'",
  )
  for (let i = 0; i < 3; i++) {
    await assert.rejects(db.all(insertAccount, { id }), (error: Error & { detail?: string }) => {
      assert.ok(hasCode(error, '23505') && !hasCode(error, '23503'))
      assert.equal(error.detail, undefined)
      return true
    })
  }
  const [afterwards] = await runSql(
    connection,
    "select array_agg(pid order by pid)::text as pids from pg_stat_activity where application_name = 'test'",
  )
  assert.deepEqual(afterwards, before)
})

test('the read lane cannot write', async () => {
  const db = await open()
  const id = await newAccount()
  const sly = read('database.sly', {
    params: { id: int8 },
    row: { amount: int8 },
    text: 'update accounts set amount = 100 where id = :id returning amount',
    gather: false,
  })
  await assert.rejects(db.all(sly, { id }), (error) => hasCode(error, '25006'))
  assert.equal(await balance(db, id), 0)
})

test('a call that waits for the pool longer than five seconds is told to come again', async () => {
  const db = await open({ poolSize: 1, statementTimeoutMs: 20_000 })
  const id = await newAccount()
  const busy = db.all(sleepWriting, { seconds: 5.6 })
  await pause(50)
  const start = Date.now()
  await assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  const waitedMs = Date.now() - start
  assert.ok(waitedMs > 4_500 && waitedMs < 5_500, `${waitedMs} ms`)
  await busy
  await db.all(addAmount, { id, by: 1 })
})

test('a statement over the time limit is told to come again, in both lanes and in a transaction', async () => {
  const db = await open({ statementTimeoutMs: 100 })
  const id = await newAccount()
  await assert.rejects(db.all(sleepWriting, { seconds: 2 }), isNotReady)
  await assert.rejects(db.all(sleepReading, { seconds: 2 }), isNotReady)
  await assert.rejects(Promise.all([1, 2].map((seconds) => db.all(sleepReading, { seconds }))), isNotReady)
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.all(addAmount, { id, by: 1 })
      await tx.all(sleepWriting, { seconds: 2 })
    }),
    isNotReady,
  )
  assert.equal(await balance(db, id), 0)
})

test('a lost database rejects at once what waits and what comes, and serves again by itself', async () => {
  const problems: string[] = []
  const { db, wire } = await openOverWire({ onProblem: (error) => problems.push(error.message) })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  const waiting = [
    db.all(sleepReading, { seconds: 3 }),
    db.all(sleepWriting, { seconds: 3 }),
    db.transaction((tx) => tx.all(sleepWriting, { seconds: 3 })),
  ]
  await pause(50)
  waiting.push(db.all(sleepReading, { seconds: 3 }))
  const start = Date.now()
  wire.cut()
  for (const outcome of await Promise.allSettled(waiting)) {
    assert.ok(outcome.status === 'rejected' && isNotReady(outcome.reason))
  }
  assert.equal(db.isAvailable(), false)
  await assert.rejects(db.first(readBalance, { id }), isNotReady)
  await assert.rejects(db.all(addAmount, { id, by: 1 }), isNotReady)
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    isNotReady,
  )
  assert.ok(Date.now() - start < 500, `${Date.now() - start} ms`)
  await pause(300)
  wire.mend()
  await until('the database is available again', () => db.isAvailable())
  assert.equal(await balance(db, id), 1)
  await db.all(addAmount, { id, by: 1 })
  assert.equal(await balance(db, id), 2)
  assert.ok(problems.length >= 2 && problems.length < 10, problems.join('; '))
})

test('a commit whose answer is lost is reported as not ready', async () => {
  const { db, wire } = await openOverWire()
  const id = await newAccount()
  let isTold = false
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.afterCommit(() => {
        isTold = true
      })
      await tx.all(addAmount, { id, by: 1 })
      wire.cut()
    }),
    isNotReady,
  )
  assert.equal(isTold, false)
})

test('a server that hangs is given up a little after the time limit, and found again', async () => {
  const { db, wire } = await openOverWire({ statementTimeoutMs: 200 })
  const id = await newAccount()
  await db.all(addAmount, { id, by: 1 })
  wire.stall()
  const start = Date.now()
  const outcomes = await Promise.allSettled([
    db.first(readBalance, { id }),
    db.all(addAmount, { id, by: 1 }),
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
  ])
  // The third had to open a connection of its own.
  assert.ok(Date.now() - start < 6_000, `${Date.now() - start} ms`)
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isNotReady(outcome.reason))
  assert.equal(db.isAvailable(), false)
  wire.mend()
  await until('the database is available again', () => db.isAvailable(), 10_000)
  assert.equal(typeof (await balance(db, id)), 'number')
  await db.all(addAmount, { id, by: 1 })
})

test('a terminated backend costs its own calls only', async () => {
  const db = await open({ readConnections: 2 })
  const id = await newAccount()
  const readPid = read('database.pid', { params: {}, row: { pid: int8 }, text: 'select pg_backend_pid()::int8 as pid' })
  const slow = assert.rejects(db.all(sleepReading, { seconds: 3 }), isNotReady)
  await pause(20)
  const other = (await db.first(readPid, {}))!.pid
  await runSql(
    connection,
    `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(%' and pid not in (${other}, pg_backend_pid())`,
  )
  await slow
  assert.equal(db.isAvailable(), true)
  assert.equal(await balance(db, id), 0)
})

test('closing waits for a transaction under way and refuses the next', async () => {
  const db = await open()
  const id = await newAccount()
  const work = db.transaction(async (tx) => {
    await tx.all(addAmount, { id, by: 1 })
    await pause(200)
    await tx.all(addAmount, { id, by: 1 })
  })
  await pause(50)
  const closed = db.close()
  await assert.rejects(
    db.transaction((tx) => tx.all(addAmount, { id, by: 1 })),
    isNotReady,
  )
  await work
  await closed
  opened.length = 0
  const [row] = await runSql(connection, `select amount::int from ${QUOTED}.accounts where id = ${id}`)
  assert.deepEqual(row, { amount: 2 })
})

test('a database that is not there is a sentence at the start', async () => {
  await assert.rejects(open({ connection: { ...connection, host: '/nowhere' } }), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /^The database cannot be reached: .*ENOENT/)
    return true
  })
})
