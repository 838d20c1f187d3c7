import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { withClient } from '../../operations/testing/databases.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { retentionUpkeep } from '../statements/retention/retention.ts'
import * as statementStore from '../statements/storing/store.ts'
import { storeStatements } from '../statements/storing/storing.ts'
import { activity, make, PATH, refer, type StatementWithId, save } from './testing.ts'

const RETENTION = `${PATH}/retention`
const many = (count: number, more: Partial<StatementWithId> = {}) => Array.from({ length: count }, () => make(more))
const quoted = (all: readonly StatementWithId[]) => all.map(({ id }) => `'${id}'`).join()

test('retention', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const environment = app.environment()
  const { db } = environment
  const { client } = await makeTestKey(app)
  const second = await app.startSecond({ XAPI_RETENTION_DAYS: '100' })
  const elsewhere = second.environments.find(({ name }) => name === 'production')!
  const [{ id: avery } = {}] = await app.sql(`select id from people where handle = '@avery'`)
  const attach = (text: string) => {
    const bytes = Buffer.from(text)
    return { sha2: createHash('sha256').update(bytes).digest('hex'), bytes }
  }
  /**
   * Stores statements on a given day, with links and attachments. Call it with ascending days: the store's clock never
   * goes back.
   */
  const fill = async (day: string, all: readonly StatementWithId[], contents: readonly string[] = []) => {
    const made = all.map((statement, i) => ({
      statement,
      links: { person: Number(avery) },
      contents: contents[i] === undefined ? [] : [attach(contents[i])],
    }))
    await storeStatements({ at: new Date(day), senderKey: 'test' }, made, environment)
  }
  const [rest, january, february, march, today] = [many(3), many(20), many(20), many(20), many(5)]
  march.push(refer(february[0]!.id), refer(march[0]!.id))
  await fill('2024-06-01T12:00:00Z', rest)
  await db.first(statementStore.makeMonths, { now: new Date('2025-01-15T00:00:00Z') })
  await fill('2025-01-31T23:59:59Z', january, ['only january', 'january and today'])
  await fill('2025-02-01T00:00:00Z', february, ['only february'])
  await fill('2025-03-10T00:00:00Z', march.slice(0, 10), ['only march'])
  await fill('2025-03-20T00:00:00Z', march.slice(10))
  await save(environment, today)
  await fill(environment.clock().toISOString(), many(1), ['january and today'])
  assert.equal((await client.get(`${PATH}/count`)).body.count, 71)

  await t.test('a dry run reports how much would be deleted, and changes nothing', async () => {
    const before = '2025-03-15T00:00:00Z'
    const { status, body } = await client.post(RETENTION, { before, dryRun: true })
    assert.deepEqual([status, body], [200, { statements: 53, attachments: 3, months: 2, done: false }])
    assert.equal((await client.get(`${PATH}/count`)).body.count, 71)
    assert.deepEqual(await app.sql(`select from audit_entries where action = 'statements.removed'`), [])
  })

  await t.test('it requires a key with all scopes, or an administrator with a recent sign-in', async () => {
    const what = { before: '2025-01-01', dryRun: true }
    const reader = await makeTestKey(app, { scopes: ['statements/read', 'statements/write', 'profile'] })
    assertError(await reader.client.post(RETENTION, what), 403, 4032, /all/)
    assertError(await (await app.as('avery')).post(RETENTION, what), 403, 4032)
    assertError(await client.post(RETENTION, { before: '2999-01-01', dryRun: true }), 400, 4003, /in the past/)
    assertError(await client.post(RETENTION, { before: '2999-01-01' }), 400, 4003, /in the past/)
    assertError(await client.post(RETENTION, { dryRun: true }), 400, 4001)
    assertError(await client.post(RETENTION, { ...what, days: 3 }), 400, 4003, /days/)
    await app.sql(`update people set administrator = true where handle = '@ellis'`)
    const ellis = await signInBrowser(app, 'ellis')
    assert.deepEqual((await call(ellis, 'POST', RETENTION, what)).body.statements, 3)
    await app.sql(`update browsers set created_at = created_at - interval '11 minutes'`)
    assertError(await call(ellis, 'POST', RETENTION, what), 401, 4016, /Sign in again/)
  })

  await t.test('older statements are deleted with their links and attachments; later ones stay', async () => {
    const kept: StatementWithId[] = []
    let isOver = false
    const write = async (i: number) => {
      while (!isOver || kept.length < 40) {
        const one = make()
        kept.push(one)
        await save(i % 2 ? elsewhere : environment, [one])
      }
    }
    const writers = Array.from({ length: 4 }, (_, i) => write(i))
    const { body } = await client.post(RETENTION, { before: '2025-03-15T00:00:00Z' })
    isOver = true
    await Promise.all(writers)
    assert.deepEqual(body, { statements: 53, attachments: 3, months: 2, done: true })
    const gone = [...rest, ...january, ...february, ...march.slice(0, 10)]
    const left = [...march.slice(10), ...today, ...kept]
    const there = await app.sql(
      `select statement_id from statement_ids join statements using (seq, statement_id) where statement_id in (${quoted([...gone, ...left])})`,
    )
    assert.equal(there.length, left.length)
    const upTo = Date.parse('2025-03-15T00:00:00Z') * 1000
    for (const table of [
      'statements',
      'statement_refs',
      'statement_ids',
      'statement_links',
      'statement_facts',
      'statement_attachments',
    ])
      assert.deepEqual(
        await app.sql(`select count(*)::int as old from ${table} where seq < ${upTo}`),
        [{ old: 0 }],
        table,
      )
    assert.deepEqual(await app.sql(`select count(*)::int as files from attachments`), [{ files: 1 }])
    const parts = await app.sql(
      `select relname from pg_class where relnamespace = current_schema()::regnamespace and relname ~ '_2025_0[123]$' order by 1`,
    )
    assert.deepEqual(
      parts.map(({ relname }) => relname),
      ['statement_facts_2025_03', 'statement_ids_2025_03', 'statement_refs_2025_03', 'statements_2025_03'],
    )
    assert.equal((await client.get(`${PATH}/count`)).body.count, left.length + 1)
    // After a statement is removed, a statement with the same id can be stored again.
    await save(environment, [january[0]!, february[0]!])
    assert.equal((await client.get(`${PATH}/count`)).body.count, left.length + 3)
    const audited = await app.sql(`select detail from audit_entries where action = 'statements.removed'`)
    assert.equal(audited.length, 1)
    assert.match(JSON.stringify(audited[0]), /2025-03-15T00:00:00.000Z.*53|53.*2025-03-15/)
    assert.deepEqual((await client.post(RETENTION, { before: '2025-03-15T00:00:00Z' })).body, {
      ...{ statements: 0, attachments: 0, months: 0, done: true },
    })
  })

  await t.test('a partition that is being read is emptied instead of dropped, without waiting', async () => {
    await withClient(app.connection, async (reader) => {
      await reader.query(`set search_path to ${schemaOf('production')}`)
      await reader.query('begin')
      await reader.query('select count(*) from statements_2025_03')
      const { body } = await client.post(RETENTION, { before: '2025-05-01T00:00:00Z' })
      assert.deepEqual(body, { statements: 12, attachments: 0, months: 0, done: true })
      await reader.query('rollback')
    })
    assert.deepEqual(await app.sql('select count(*)::int as left from statements_2025_03'), [{ left: 0 }])
    const { body } = await client.post(RETENTION, { before: '2025-05-01T00:00:00Z' })
    assert.deepEqual([body.statements, body.months], [0, 1])
  })

  await t.test('XAPI_RETENTION_DAYS deletes continuously; without it nothing is deleted', async () => {
    const object = activity()
    await save(environment, many(3, { object }))
    const count = async () => (await client.get(`${PATH}/count`, { activity: object.id })).body.count
    app.advance(99 * 86_400_000)
    await retentionUpkeep.run(elsewhere)
    assert.equal(await count(), 3)
    app.advance(2 * 86_400_000)
    await retentionUpkeep.run(environment)
    assert.equal(await count(), 3)
    await retentionUpkeep.run(elsewhere)
    assert.equal(await count(), 0)
  })
})
