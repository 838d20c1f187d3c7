import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { closeIdleBackends, listIdleBackends, reuseBackends } from './backends.ts'
import { giveBack, takeDatabase, withClient } from './databases.ts'

const pidOf = async (client: pg.Client): Promise<number> =>
  (await client.query('select pg_backend_pid() as pid')).rows[0].pid

test('the next client gets the same backend, with nothing left of the session before', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  await listIdleBackends(connection.database!)
  closeIdleBackends(connection.database!)
  const reusing = reuseBackends(connection)
  const first = await withClient(reusing, async (client) => {
    await client.query(`set application_name = 'first'; listen channel; select pg_advisory_lock(1)`)
    await client.query({ name: 'prepared', text: 'select 1' })
    return pidOf(client)
  })
  assert.deepEqual(await listIdleBackends(connection.database!), [first])
  await withClient(reusing, async (client) => {
    assert.equal(await pidOf(client), first)
    const { rows } = await client.query(
      `select current_setting('application_name') as name, (select count(*)::int from pg_prepared_statements) as prepared,
              (select count(*)::int from pg_listening_channels()) as channels,
              (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`,
    )
    assert.deepEqual(rows, [{ name: '', prepared: 0, channels: 0, locks: 0 }])
  })
})

test('a backend inside a transaction, and one that was terminated, are not used again', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  const reusing = reuseBackends(connection)
  const open = await withClient(reusing, async (client) => {
    await client.query('begin')
    return pidOf(client)
  })
  assert.ok(!(await listIdleBackends(connection.database!)).includes(open))
  const other = await withClient(reusing, pidOf)
  await listIdleBackends(connection.database!)
  await withClient(connection, (client) => client.query(`select pg_terminate_backend(${other}, 5000)`))
  assert.notEqual(await withClient(reusing, pidOf), other)
})
