import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Db, openDatabase } from '../../../kernel/database/database.ts'
import { listMigrations, migrate } from '../../../kernel/database/migrate.ts'
import { createTestDatabase, runSql } from '../../../kernel/database/test-database.ts'
import { schemaOf } from '../../../kernel/environment.ts'
import { testApp } from '../../../operations/testing/testing.ts'
import { numberOf } from '../model/times.ts'
import { findStatement } from '../query/query.ts'
import * as statementStore from '../storing/store.ts'
import { storeInTransaction, storeStatements } from '../storing/storing.ts'
import { removeOlder } from './retention.ts'

const make = (id: string = randomUUID()) => ({
  id,
  actor: { mbox: 'mailto:ada@example.org' },
  verb: { id: 'https://example.org/verbs/flew' },
  object: { id: 'https://example.org/sorties/one' },
})
const senderAt = (at: string) => ({ at: new Date(at), senderKey: 'test' })
const operatorAt = (at: string) => ({ at: new Date(at), requestId: 'test', address: 'test' })

test('the ids of a month are dropped with it, without deleting a row, and may be stored again', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const { db } = environment
  const months = ['2025-01', '2025-02', '2025-03', '2025-04']
  const made = months.map(() => [make(), make(), make()])
  await db.first(statementStore.makeMonths, { now: new Date('2025-01-15') })
  await db.first(statementStore.makeMonths, { now: new Date('2025-02-15') })
  for (const [i, month] of months.entries())
    await storeStatements(
      senderAt(`${month}-10T00:00:00Z`),
      made[i]!.map((statement) => ({ statement })),
      environment,
    )
  await app.sql(`
    create function refuse_delete() returns trigger language plpgsql as $$ begin raise 'deleted row by row'; end $$;
    create trigger refuse_delete before delete on statement_ids for each row execute function refuse_delete()`)
  const removed = await removeOlder(db, operatorAt('2025-04-20T00:00:00Z'), {
    before: new Date('2025-03-01T00:00:00Z'),
  })
  assert.deepEqual(removed, { statements: 6, attachments: 0, months: 2, isDone: true })
  const parts = await app.sql(
    `select relname from pg_class where relnamespace = current_schema()::regnamespace and relname ~ '^statement_ids_20\\d\\d_\\d\\d$' order by 1`,
  )
  assert.deepEqual(
    parts.map(({ relname }) => relname).filter((name) => /2025/.test(String(name))),
    ['statement_ids_2025_03', 'statement_ids_2025_04'],
  )
  await assert.rejects(app.sql(`delete from statement_ids where statement_id = '${made[2]![0]!.id}'`), /row by row/)
  const [again] = made[0]!
  assert.equal(await findStatement(db, again!.id), undefined)
  const changed = { ...again!, object: { id: 'https://example.org/sorties/other' } }
  await storeStatements(senderAt('2025-04-20T00:00:00Z'), [{ statement: changed }], environment)
  assert.ok(await findStatement(db, again!.id))
})

test('an id that is sent again months later is the same statement, or a conflict', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const { db } = environment
  const [old, fresh] = [make(), make()]
  const conflicting = { ...old, object: { id: 'https://example.org/sorties/other' } }
  const store = (...all: ReturnType<typeof make>[]) =>
    storeStatements(
      { at: environment.clock(), senderKey: 'test' },
      all.map((statement) => ({ statement })),
      environment,
    )
  const inTransaction = (statement: ReturnType<typeof make>) =>
    db.transaction((tx) => storeInTransaction(tx, { at: environment.clock(), senderKey: 'test' }, [{ statement }]))
  await store(old)
  for (let month = 0; month < 3; month++) {
    app.advance(31 * 86_400_000)
    await db.first(statementStore.makeMonths, { now: environment.clock() })
  }
  assert.deepEqual((await store(fresh, old)).ids, [fresh.id, old.id])
  assert.deepEqual((await inTransaction(old)).ids, [old.id])
  await assert.rejects(store(make(), conflicting), { code: 4091 })
  await assert.rejects(inTransaction(conflicting), { code: 4091 })
  const rows = await app.sql('select tableoid as part, statement_id from statement_ids order by seq')
  assert.deepEqual(
    rows.map(({ statement_id }) => statement_id),
    [old.id, fresh.id],
  )
  assert.notEqual(rows[0]!.part, rows[1]!.part)
})

test('writers of two processes who race for ids at the end of a month store each of them once', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const elsewhere = (await app.startSecond()).environments.find(({ name }) => name === 'production')!
  const all: string[] = []
  for (let round = 0; round < 12; round++) {
    const end = Date.UTC(2031, round)
    await environment.db.first(statementStore.makeMonths, { now: new Date(end - 1) })
    const racing = [make(), make(), make()]
    all.push(...racing.map(({ id }) => id))
    // The clock of the first process is still in the month that ends.
    const writers = racing.flatMap((statement) => [
      storeStatements({ at: new Date(end - 1), senderKey: 'test' }, [{ statement }], environment),
      storeStatements({ at: new Date(end + 1), senderKey: 'test' }, [{ statement }], elsewhere),
    ])
    await Promise.all(writers)
  }
  const rows = await app.sql('select statement_id from statement_ids order by seq')
  assert.deepEqual(rows.map(({ statement_id }) => String(statement_id)).toSorted(), all.toSorted())
})

const openStore = (connection: Parameters<typeof openDatabase>[0]['connection'], schema: string) =>
  openDatabase({
    ...{ connection, schema, poolSize: 4, readConnections: 1, statementTimeoutMs: 60_000 },
    onProblem: () => {},
  })

const storeOne = (db: Db, at: string, statement = make()) =>
  db.transaction(async (tx) => {
    await storeInTransaction(tx, senderAt(at), [{ statement }])
    return statement
  })

test('an upgrade keeps the ids that are stored, while others are stored, and retention removes them later', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const schema = schemaOf('production')
  const before = (await listMigrations()).findIndex(({ name }) => name === 'ids_by_month')
  await migrate(connection, schema, undefined, before)
  const sql = (text: string) => runSql(connection, `set search_path = ${schema}; ${text}`)
  const db = await openStore(connection, schema)
  t.after(() => db.close())
  const monthOf = (offset: number) => {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString()
  }
  for (const offset of [-3, 0]) await db.first(statementStore.makeMonths, { now: new Date(monthOf(offset)) })
  const [first, second] = [await storeOne(db, monthOf(-3)), await storeOne(db, monthOf(-2))]

  // The last part of the migration fails, and is repeated.
  await sql('create table statement_ids_rest ()')
  await assert.rejects(migrate(connection, schema), /0076_ids_by_month .* "statement_ids_rest" already exists/)
  await storeOne(db, monthOf(0))
  await sql('drop table statement_ids_rest')
  let isOver = false
  const stored: ReturnType<typeof make>[] = []
  const writers = Array.from({ length: 3 }, async () => {
    while (!isOver || stored.length < 10) stored.push(await storeOne(db, monthOf(0)))
  })
  await migrate(connection, schema)
  isOver = true
  await Promise.all(writers)

  const parts = async () =>
    (
      await sql(`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'statement_ids'::regclass order by 1`)
    ).map(({ name }) => name)
  const partOf = (offset: number) => `statement_ids_${monthOf(offset).slice(0, 7).replace('-', '_')}`
  assert.deepEqual(await parts(), [partOf(2), 'statement_ids_old', 'statement_ids_rest'])
  const [{ ids, statements } = {}] = await sql(
    'select (select count(*)::int from statement_ids_old) as ids, (select count(*)::int from statements) as statements',
  )
  assert.deepEqual([ids, statements], [stored.length + 3, stored.length + 3])
  await storeOne(db, monthOf(2), first)
  const conflicting = { ...first, object: { id: 'https://example.org/sorties/other' } }
  await assert.rejects(storeOne(db, monthOf(2), conflicting), { code: 4091 })
  for (const { id } of [first, second, ...stored]) assert.ok(await findStatement(db, id))

  // A month in the old partition: its ids are deleted, and the month of statements is dropped.
  const remove = (offset: number) => removeOlder(db, operatorAt(monthOf(5)), { before: new Date(monthOf(offset)) })
  assert.deepEqual(await remove(-2), { statements: 1, attachments: 0, months: 1, isDone: true })
  assert.deepEqual(
    await sql(`select statement_id from statement_ids where seq < ${numberOf(new Date(monthOf(-2)))}`),
    [],
  )
  await storeOne(db, monthOf(2), conflicting)
  assert.deepEqual(
    await sql(`select tableoid::regclass::text as part from statement_ids where statement_id = '${first.id}'`),
    [{ part: partOf(2) }],
  )
  assert.deepEqual(await db.first(statementStore.makeMonths, { now: new Date(monthOf(2)) }), { made: 2 })

  assert.equal((await remove(2)).statements, stored.length + 2)
  assert.deepEqual(await parts(), [partOf(2), partOf(3), partOf(4), 'statement_ids_rest'])
  assert.ok(await findStatement(db, first.id))
})
