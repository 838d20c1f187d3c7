import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import type { Database } from './database.ts'
import { markWithinBytes, PAGE_BYTES, shortened, withinBytes } from './page-bytes.ts'
import { c, list, read } from './statement.ts'
import { createAccounts, QUOTED } from './test-accounts.ts'
import { runSql, until } from './test-database.ts'

const { connection, open } = await createAccounts('test of lists')

const sleep = list('lists.sleep', {
  params: { seconds: c.float8 },
  row: { slept: c.text },
  text: 'select pg_sleep(:seconds)::text as slept',
})
const readOne = read('lists.read', { params: { n: c.int4 }, row: { n: c.int4 }, text: 'select :n as n' })

/** Measures how long the work takes while one caller waits for forty lists. */
async function duringForty(db: Database, work: () => Promise<unknown>): Promise<number> {
  const greedy = db.as('greedy')
  const all = Array.from({ length: 40 }, () => greedy.all(sleep, { seconds: 0.05 }))
  await until('one runs', () => db.figures().listsRunning === 1)
  const start = Date.now()
  await work()
  const took = Date.now() - start
  assert.ok(db.figures().listsWaiting > 20, 'the others still wait')
  await Promise.all(all)
  return took
}

test('D11: lists of one caller wait for each other, those of others do not', async () => {
  const db = await open()
  const took = await duringForty(db, () => db.as('other').all(sleep, { seconds: 0 }))
  assertWithin(took, 500)
  assert.deepEqual([db.figures().listsRunning, db.figures().listsWaiting], [0, 0])
})

test('D11: reads do not wait for lists', async () => {
  const db = await open()
  const took = await duringForty(db, () => Promise.all(Array.from({ length: 100 }, (_, n) => db.first(readOne, { n }))))
  assertWithin(took, 500)
})

test('a caller with too many waiting lists is refused, and nobody else', async () => {
  const db = await open()
  const greedy = db.as('greedy')
  const all = Array.from({ length: 600 }, () => greedy.all(sleep, { seconds: 0.001 }))
  const outcomes = Promise.allSettled(all)
  assert.equal((await db.as('other').all(sleep, { seconds: 0 })).length, 1)
  const refused = (await outcomes).filter((one) => one.status === 'rejected')
  assert.ok(refused.length > 0)
  for (const { reason } of refused) assert.equal(reason.kind, 'tooManyRequests')
})

const rows = `select n, payload from ${QUOTED}.large where n > :after order by n limit 100`
const size = { size: 'octet_length(r.payload)', order: 'r.n' }

test('a page ends with the row at which it reaches its size, and the next goes on from there', async () => {
  await runSql(
    connection,
    `create table ${QUOTED}.large as select n, repeat('x', 300000) as payload from generate_series(1, 20) n`,
  )
  const listLarge = list('lists.large', {
    params: { after: c.int8 },
    row: { n: c.int4, payload: c.text, found: c.int8 },
    text: `select n, payload, found from ${withinBytes(rows, size)} w order by n`,
  })
  const db = await open()
  const pages: number[][] = []
  for (let after = 0; pages.length < 20; ) {
    const page = await db.all(listLarge, { after })
    if (page.length === 0) break
    assert.equal(page[0]!.found, 20 - after)
    pages.push(page.map(({ n }) => n))
    after = page.at(-1)!.n
  }
  const perPage = Math.ceil(PAGE_BYTES / 300_000)
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  assert.equal(pages[0]!.length, perPage)
  await runSql(connection, `insert into ${QUOTED}.large values (100, repeat('x', 3000000)), (101, 'x')`)
  assert.deepEqual(
    (await db.all(listLarge, { after: 99 })).map(({ n }) => n),
    [100],
    'a page has at least one row',
  )
})

test('a numbered page keeps all rows, and shortens the texts after its size', async () => {
  const listMarked = list('lists.marked', {
    params: { after: c.int8 },
    row: { n: c.int4, payload: c.text },
    text: `select w.n, ${shortened('w', 'payload')} from ${markWithinBytes(rows, size)} w order by n`,
  })
  const db = await open()
  const found = await db.all(listMarked, { after: 0 })
  const perPage = Math.ceil(PAGE_BYTES / 300_000)
  const expected = found.map(({ n }, i) => (n === 101 ? 1 : i < perPage ? 300_000 : 501))
  assert.deepEqual(
    found.map(({ payload }) => payload.length),
    expected,
  )
})
