import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../errors.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'
import {
  backUp,
  createDatabase,
  createFilledDatabase,
  MIGRATIONS,
  nameFile,
  prepareIn,
  readContents,
  refusal,
  restoreTo,
  run,
  SCHEMAS,
  server,
  whole,
} from './test-backup.ts'

test('a schema that was migrated and never used counts as empty', async () => {
  const target = await createDatabase()
  for (const schema of SCHEMAS) await prepareIn(target)(schema, 2)
  await restoreTo(target, whole)
  const { rows } = await run(target, 'select sum(balance)::int as sum from accounts', 'gs_production')
  assert.deepEqual(rows, [{ sum: 200 }])
})

describe('a database in use', () => {
  const uses: [name: string, use: (connection: pg.ClientConfig) => Promise<unknown>, pattern: RegExp][] = [
    [
      'with a row of its own',
      async (connection) => {
        await prepareIn(connection)('gs_sandbox', 3)
        await run(connection, 'insert into accounts values (9, 9)', 'gs_sandbox')
      },
      /already has rows in gs_sandbox.accounts/,
    ],
    [
      'with a changed row of a migration',
      async (connection) => {
        await prepareIn(connection)('gs_production', 3)
        await run(connection, `update settings set value = 'mine' where name = 'greeting'`, 'gs_production')
      },
      /already has rows in gs_production.settings/,
    ],
    [
      'with tables of somebody else',
      (connection) => run(connection, 'create schema gs_sandbox; create table gs_sandbox.theirs (id int)'),
      /already has a schema gs_sandbox with tables of its own/,
    ],
  ]
  for (const [name, use, pattern] of uses) {
    test(`is never overwritten: ${name}`, async () => {
      const target = await createDatabase()
      await use(target)
      const contents = await readContents(target)
      await assert.rejects(restoreTo(target, whole), refusal(pattern))
      assert.deepEqual(await readContents(target), contents)
    })
  }

  test('is never overwritten by the second of two restores at the same time', async () => {
    const source = await createFilledDatabase()
    const file = await backUp(source)
    const target = await createDatabase()
    const outcomes = await Promise.allSettled([restoreTo(target, file), restoreTo(target, file)])
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(failed.length, 1)
    // The refused restore found the tables of the other one, either still empty or already filled.
    refusal(/already has (rows|a schema)/)(failed[0]!.reason)
    assert.deepEqual(await readContents(target), await readContents(source))
  })

  test('is never overwritten if somebody writes while the restore prepares', async () => {
    const target = await createDatabase()
    const prepare = async (schema: string, migration: number) => {
      await prepareIn(target)(schema, migration)
      await run(target, 'insert into accounts values (9, 9)', schema)
    }
    await assert.rejects(restoreTo(target, whole, prepare), refusal(/already has rows in gs_production.accounts/))
    const { rows } = await run(target, 'select id, balance from accounts', 'gs_production')
    assert.deepEqual(rows, [{ id: 9, balance: 9 }])
  })
})

describe('a restore that fails', () => {
  const spoil = (target: pg.ClientConfig) => async (schema: string, migration: number) => {
    await prepareIn(target)(schema, migration)
    // With this check constraint, everything can be loaded except the accounts of the second schema.
    if (schema === 'gs_sandbox') await run(target, 'alter table accounts add check (id < 3)', schema)
  }

  test('leaves an empty database as it was', async () => {
    const target = await createDatabase()
    await assert.rejects(
      restoreTo(target, whole, spoil(target)),
      refusal(/does not fit into gs_sandbox.accounts .*violates check/),
    )
    assert.deepEqual(await readContents(target), {})
    await restoreTo(target, whole)
  })

  test('leaves a migrated database as it was', async () => {
    const target = await createDatabase()
    for (const schema of SCHEMAS) await prepareIn(target)(schema, MIGRATIONS.length)
    const contents = await readContents(target)
    await assert.rejects(restoreTo(target, whole, spoil(target)), refusal(/does not fit into gs_sandbox.accounts/))
    assert.deepEqual(await readContents(target), contents)
    const { rows } = await run(
      target,
      'insert into parents (child_count) values (0) returning id::int',
      'gs_production',
    )
    assert.deepEqual(rows, [{ id: 1 }])
  })

  test('leaves nothing behind if the preparation itself fails', async () => {
    const target = await createDatabase()
    const prepare = async (schema: string) => {
      await prepareIn(target)(schema, 2)
      if (schema === 'gs_sandbox') throw new StartupError('no such migration')
    }
    await assert.rejects(restoreTo(target, whole, prepare), refusal(/no such migration/))
    assert.deepEqual(await readContents(target), {})
  })
})

test('a backup made by other migrations is refused', async () => {
  const source = await createFilledDatabase()
  const target = await createDatabase()
  const file = await backUp(source)
  const prepareLess = (schema: string) => prepareIn(target)(schema, 2)
  await assert.rejects(
    restoreTo(target, file, prepareLess),
    refusal(/created at migration 3, and this platform has only 2/),
  )
  assert.deepEqual(await readContents(target), {})

  await run(source, `update gs_sandbox.migrations set checksum = 'another' where number = 2`)
  const changed = await backUp(source)
  await assert.rejects(restoreTo(target, changed), refusal(/gs_sandbox was created by other migrations/))

  await run(source, 'delete from gs_production.migrations where number = 3')
  const older = await backUp(source)
  for (const schema of SCHEMAS) await prepareIn(target)(schema, 3)
  await assert.rejects(restoreTo(target, older), refusal(/gs_production is already at migration 3.*created at 2/))
})

test('a backup with a schema that the platform does not have is refused', async () => {
  const source = await createFilledDatabase()
  const file = await backUp(source)
  const target = await createDatabase()
  await assert.rejects(
    restore({ connection: target, schemas: ['gs_production'], file, prepare: prepareIn(target) }),
    refusal(/has a schema gs_sandbox, which this platform does not have/),
  )
  assert.deepEqual(await readContents(target), {})
  await assert.rejects(
    backup({ connection: source, schemas: ['gs_production', 'gs_other'], file: nameFile() }),
    refusal(/has no schema gs_other/),
  )
})

test('a connection lost on the way leaves no file, and a restored database unchanged', async () => {
  const source = await createFilledDatabase()
  await run(
    source,
    'insert into everything (id, label) select 100 + n, repeat(md5(n::text), 100) from generate_series(1, 5000) n',
    'gs_production',
  )
  const killer = new pg.Client(server)
  await killer.connect()
  try {
    const file = nameFile()
    let isCut: Promise<unknown> | undefined
    const progress = (_done: number, _total: number, label: string) => {
      if (label === 'gs_production.everything') isCut ??= killConnections(killer, source, 'true')
    }
    await assert.rejects(backup({ connection: source, schemas: SCHEMAS, file, progress }))
    await isCut
    await assert.rejects(stat(file), { code: 'ENOENT' })

    const target = await createDatabase()
    const prepare = async (schema: string, migration: number) => {
      await prepareIn(target)(schema, migration)
      if (schema === 'gs_sandbox') await run(target, 'alter table rights add check (pg_sleep(60) is not null)', schema)
    }
    let isOver = false
    const outcome = assert.rejects(restoreTo(target, whole, prepare)).finally(() => {
      isOver = true
    })
    let killed = 0
    while (!isOver && killed === 0) {
      await setTimeout(20)
      killed = await killConnections(killer, target, `wait_event = 'PgSleep'`)
    }
    await outcome
    assert.equal(killed, 1)
    assert.deepEqual(await readContents(target), {})
  } finally {
    await killer.end()
  }
})

async function killConnections(killer: pg.Client, { database }: pg.ClientConfig, condition: string): Promise<number> {
  const { rows } = await killer.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and ${condition}`,
    [database],
  )
  return rows.length
}
