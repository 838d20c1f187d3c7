import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSql } from '../../kernel/database/test-database.ts'
import { giveBack, takeDatabase } from './databases.ts'

const people = `insert into gs_production.people (handle, handle_key, created_at)
  select '@more' || n, 'more' || n, now() from generate_series(1, 100) n returning id`

test('a database that was used is as new for the next test', async () => {
  const first = await takeDatabase()
  const [made] = await runSql(first, people)
  await runSql(
    first,
    `update gs_sandbox.people set handle = '@changed'; delete from gs_production.app_storage; delete from gs_production.apps`,
  )
  await giveBack(first)
  const next = await takeDatabase()
  for (const schema of ['gs_production', 'gs_sandbox']) {
    const handles = await runSql(next, `select handle from ${schema}.people order by id`)
    const names = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley']
    assert.deepEqual(
      handles.map(({ handle }) => handle),
      names.map((name) => `@${name}`),
    )
    assert.equal((await runSql(next, `select from ${schema}.apps`)).length, 2)
  }
  assert.deepEqual((await runSql(next, people))[0], made, 'numbers are given from the same one on')
  await giveBack(next)
})

test('a database whose tables were changed, or that has grown, is given to nobody', async () => {
  for (const change of [
    'alter table gs_production.people add column shoe_size int',
    `insert into gs_production.attachments (sha2, content) select 'x', string_agg(md5(n::text), '')::bytea from generate_series(1, 700000) n`,
  ]) {
    const changed = await takeDatabase()
    await runSql(changed, change)
    await giveBack(changed)
    const next = await takeDatabase()
    assert.notEqual(next.database, changed.database)
    await giveBack(next)
  }
})
