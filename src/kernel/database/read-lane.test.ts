import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Database, hasCode, openDatabase } from './database.ts'
import { c, nullable, read } from './statement.ts'
import { createTestDatabase, runSql } from './test-database.ts'

const SCHEMA = 'lane'
const ROWS = 100_000

const findItem = read('lane.find', {
  params: { app: c.int8, id: c.text },
  row: { id: c.text, data: c.json },
  text: 'select id, data from items where app_id = :app and id = :id',
})
const listItems = read('lane.list', {
  params: { app: c.int8, limit: c.int4 },
  row: { id: c.text },
  text: 'select id from items where app_id = :app order by id desc limit :limit',
})
const divide = read('lane.divide', {
  params: { by: c.int4 },
  row: { result: c.int4 },
  text: 'select 100 / :by as result',
})
const sleep = read('lane.sleep', {
  params: { seconds: c.float8 },
  row: { slept: c.text },
  text: 'select pg_sleep(:seconds)::text as slept',
})
const countByIds = read('lane.count', {
  params: { app: c.int8, ids: c.textArray },
  row: { count: c.int8 },
  text: 'select count(*) as count from items where app_id = :app and id = any(:ids)',
})

const { connection, drop } = await createTestDatabase()
let db: Database

const open = (readConnections: number) =>
  openDatabase({
    connection,
    schema: SCHEMA,
    poolSize: 2,
    readConnections,
    statementTimeoutMs: 5_000,
    onProblem: (error) => assert.fail(error),
  })

before(async () => {
  await runSql(
    connection,
    `create schema ${SCHEMA};
     create table ${SCHEMA}.items (app_id int8, id text, data json not null, primary key (app_id, id))`,
  )
  db = await open(1)
})
after(async () => {
  await db.close()
  await drop()
})

const statementsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const { readStatements } = db.figures()
  await work()
  return db.figures().readStatements - readStatements
}
const ids = (count: number) => Array.from({ length: count }, (_, i) => `id${i}`)

test('plans use the index even if the table was empty and analysed when they were made', async () => {
  const readScans = read('lane.scans', {
    params: {},
    row: { seq_scan: c.int8, idx_scan: c.int8 },
    text: "select seq_scan, idx_scan from pg_stat_user_tables where relname = 'items' and schemaname = current_schema()",
  })
  const flushStatistics = read('lane.flush', {
    params: {},
    row: { done: c.text },
    text: 'select pg_stat_force_next_flush()::text as done',
  })
  const scans = async () => {
    await db.first(flushStatistics, {})
    return (await db.first(readScans, {}))!
  }
  await runSql(connection, `analyze ${SCHEMA}.items`)
  await Promise.all(ids(20).map((id) => db.first(findItem, { app: 1, id })))
  await db.first(findItem, { app: 1, id: 'id1' })
  await runSql(
    connection,
    `insert into ${SCHEMA}.items select i % 100, 'id' || i / 100, json_build_object('n', i) from generate_series(0, ${ROWS - 1}) i`,
  )
  const start = await scans()
  for (let round = 0; round < 10; round++) await Promise.all(ids(64).map((id) => db.first(findItem, { app: 1, id })))
  for (let round = 0; round < 10; round++) await db.first(findItem, { app: 1, id: `id${round}` })
  const end = await scans()
  assert.equal(end.seq_scan - start.seq_scan, 0)
  assert.equal(end.idx_scan - start.idx_scan, 650)
})

test('calls made in the same tick are answered by one statement, each with its own row', async () => {
  const wanted = ['id0', 'id7', 'none', 'id7', 'id3']
  let found: unknown[] = []
  const statements = await statementsDuring(async () => {
    found = await Promise.all(wanted.map((id) => db.first(findItem, { app: 2, id })))
  })
  assert.equal(statements, 1)
  assert.deepEqual(found, [
    { id: 'id0', data: '{"n" : 2}' },
    { id: 'id7', data: '{"n" : 702}' },
    undefined,
    { id: 'id7', data: '{"n" : 702}' },
    { id: 'id3', data: '{"n" : 302}' },
  ])
})

test('calls that arrive while the connection is busy are gathered', async () => {
  // This takes much longer than the arrival of thirty calls, even on a busy machine.
  const busy = db.first(sleep, { seconds: 0.6 })
  await new Promise((resolve) => setTimeout(resolve, 50))
  const statements = await statementsDuring(async () => {
    const calls = []
    for (const id of ids(30)) {
      calls.push(db.first(findItem, { app: 1, id }))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    assert.equal(db.figures().readsQueued, 30)
    assert.deepEqual(
      (await Promise.all(calls)).map((row) => row?.id),
      ids(30),
    )
  })
  await busy
  assert.equal(statements, 1)
})

test('one statement answers at most 32 calls', async () => {
  const statements = await statementsDuring(() =>
    Promise.all(ids(300).map(async (id) => assert.equal((await db.first(findItem, { app: 5, id }))?.id, id))),
  )
  assert.equal(statements, 10)
})

test('the rows of each call keep the order of its statement', async () => {
  const [few, none, many, again] = await Promise.all([
    db.all(listItems, { app: 3, limit: 2 }),
    db.all(listItems, { app: 1234, limit: 2 }),
    db.all(listItems, { app: 4, limit: 500 }),
    db.all(listItems, { app: 3, limit: 1 }),
  ])
  assert.deepEqual(few, [{ id: 'id999' }, { id: 'id998' }])
  assert.deepEqual(none, [])
  assert.deepEqual(again, [{ id: 'id999' }])
  assert.equal(many.length, 500)
  assert.deepEqual(
    many,
    many.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
  )
})

test('a call that fails does not fail those gathered with it', async () => {
  const outcomes = await Promise.allSettled([1, 0, 5, 0, 10].map((by) => db.first(divide, { by })))
  assert.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value?.result : hasCode(outcome.reason, '22012'),
    ),
    [100, true, 20, true, 10],
  )
  const texts = await Promise.allSettled(['id1', 'nul\0', 'id2'].map((id) => db.first(findItem, { app: 1, id })))
  assert.deepEqual(
    texts.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a value that cannot be sent fails only its own call', async () => {
  const echo = read('lane.date', {
    params: { at: c.timestamptz },
    row: { at: c.timestamptz },
    text: 'select :at as at',
  })
  const outcomes = await Promise.allSettled([0, Number.NaN, 5].map((ms) => db.first(echo, { at: new Date(ms) })))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('invalid bytes fail only their own call, and every other gets its own answer', async () => {
  const echo = read('lane.bytes', {
    params: { of: c.bytea },
    row: { of: c.bytea },
    text: 'select :of as of',
    gather: false,
  })
  const outcomes = await Promise.allSettled(
    [Buffer.from('a'), { length: 1 } as Buffer, Buffer.from('b')].map((of) => db.first(echo, { of })),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === 'fulfilled' && String(outcome.value?.of)),
    ['a', false, 'b'],
  )
})

test('a statement that the server has forgotten, or whose columns have changed, fails once and then works', async () => {
  const forget = read('lane.forget', { params: {}, row: {}, text: 'deallocate all' })
  const pick = read('lane.pick', {
    params: { id: c.int8 },
    row: { name: c.text },
    text: 'select * from picks where id = :id',
  })
  await runSql(connection, `create table ${SCHEMA}.picks as select 1::int8 as id, 'one' as name`)
  const ask = () => db.first(pick, { id: 1 })
  const askTogether = () => Promise.all([ask(), ask()])
  const found = { name: 'one' }
  assert.deepEqual([await ask(), ...(await askTogether())], [found, found, found])
  await db.all(forget, {})
  await assert.rejects(ask(), (error) => hasCode(error, '26000'))
  assert.deepEqual([await ask(), ...(await askTogether())], [found, found, found])
  await runSql(
    connection,
    `alter table ${SCHEMA}.picks drop column id, add column more int, add column id int8 default 1`,
  )
  await assert.rejects(ask(), (error) => hasCode(error, '0A000'))
  assert.deepEqual([await ask(), ...(await askTogether())], [found, found, found])
})

test('a row that cannot be read fails only its own call, alone and gathered', async () => {
  const list = read('lane.unreadable', {
    params: { list: c.text },
    row: { list: c.textArray },
    text: "select string_to_array(:list, ',', 'null') as list",
  })
  const outcomes = await Promise.allSettled(['a,b', 'a,null', 'c'].map((value) => db.first(list, { list: value })))
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.list : outcome.reason.message)),
    [['a', 'b'], 'A text array holds a NULL, which its declaration does not allow', ['c']],
  )
  await assert.rejects(db.first(list, { list: 'null' }), /holds a NULL/)
})

test('statements that cannot be gathered are sent one by one', async () => {
  const alone = read('lane.alone', {
    params: { id: c.text },
    row: { id: c.text },
    text: 'select :id as id',
    gather: false,
  })
  const statements = await statementsDuring(async () => {
    const rows = await Promise.all([
      db.first(countByIds, { app: 1, ids: ['id1', 'id2', 'no'] }),
      db.first(countByIds, { app: 1, ids: [] }),
      db.first(alone, { id: 'a' }),
      db.first(alone, { id: 'b' }),
    ])
    assert.deepEqual(rows, [{ count: 2 }, { count: 0 }, { id: 'a' }, { id: 'b' }])
  })
  assert.equal(statements, 3)
})

test('with two connections a slow read does not hold up the others', async () => {
  const two = await open(2)
  const slow = two.first(sleep, { seconds: 0.5 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  const start = Date.now()
  assert.equal((await two.first(findItem, { app: 1, id: 'id1' }))?.id, 'id1')
  assert.ok(Date.now() - start < 300)
  await slow
  await two.close()
})

test('calls made before closing are answered, later ones refused', async () => {
  const closing = await open(1)
  const asked = ids(5).map((id) => closing.first(findItem, { app: 1, id }))
  const closed = closing.close()
  await assert.rejects(closing.first(findItem, { app: 1, id: 'id1' }), { kind: 'notReady' })
  assert.deepEqual(
    (await Promise.all(asked)).map((row) => row?.id),
    ids(5),
  )
  await closed
})

const scalars = {
  int8: nullable(c.int8),
  int4: nullable(c.int4),
  float8: nullable(c.float8),
  text: nullable(c.text),
  uuid: nullable(c.uuid),
  json: nullable(c.json),
  bool: nullable(c.bool),
  timestamptz: nullable(c.timestamptz),
  bytea: nullable(c.bytea),
}
const echoScalars = read('lane.scalars', {
  params: scalars,
  row: scalars,
  text: `select :int8 as int8, :int4 as int4, :float8 as float8, :text as text, :uuid as uuid, :json as json,
    :bool as bool, :timestamptz as timestamptz, :bytea as bytea`,
})
const echoArrays = read('lane.arrays', {
  params: { texts: c.textArray, numbers: c.int8Array },
  row: { texts: c.textArray, numbers: c.int8Array },
  text: 'select :texts as texts, :numbers as numbers',
})

const storable = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const scalarValues = fc.record(
  {
    int8: orNull(fc.maxSafeInteger()),
    int4: orNull(fc.integer()),
    float8: orNull(fc.double().map((value) => value + 0)), // not -0, which JavaScript writes as 0
    text: orNull(storable),
    uuid: orNull(fc.uuid()),
    json: orNull(fc.json().filter((value) => !value.includes('\\u0000'))),
    bool: orNull(fc.boolean()),
    timestamptz: orNull(
      fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    ),
    bytea: orNull(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  },
  { noNullPrototype: true },
)

/** Plain words, and text that has a special meaning in an array literal. */
const elements = fc.oneof(
  storable,
  fc.constantFrom('', 'NULL', 'null', 'maria', '1=maia', '{}', ',', '"', '\\', ' a ', 'a b', 'Ж'),
)
const arrayValues = fc.record(
  { texts: fc.array(elements), numbers: fc.array(fc.maxSafeInteger()) },
  { noNullPrototype: true },
)

test('every value comes back as it was sent, alone and gathered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(scalarValues, { minLength: 1, maxLength: 5 }), async (calls) => {
      assert.deepEqual(await Promise.all(calls.map((call) => db.first(echoScalars, call))), calls)
    }),
    { numRuns: 200 },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(arrayValues, { minLength: 1, maxLength: 5 }), async (calls) => {
      assert.deepEqual(await Promise.all(calls.map((call) => db.first(echoArrays, call))), calls)
    }),
    { numRuns: 200 },
  )
})
