import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { backup } from './backup.ts'
import { restore } from './restore.ts'
import {
  backUp,
  createDatabase,
  createFilledDatabase,
  directory,
  nameFile,
  prepareIn,
  readContents,
  refusal,
  restoreTo,
  run,
  SCHEMAS,
} from './test-backup.ts'

test('a restored database has the same rows in every table, and its sequences continue', async () => {
  const source = await createFilledDatabase()
  const target = await createDatabase()
  const file = nameFile()
  const made = await backup({ connection: source, schemas: SCHEMAS, file })
  const restored = await restoreTo(target, file)

  const contents = await readContents(source)
  assert.deepEqual(await readContents(target), contents)
  assert.equal(contents['gs_production.everything']?.length, 5)
  assert.deepEqual(contents['gs_production.settings'], ['(greeting,"good morning")'])
  assert.equal(contents['gs_sandbox.journal']?.length, 3)

  const listed = Object.entries(contents).filter(([name]) => !/migrations|visits_|^gs_[a-z]+$/.test(name))
  const rows = listed.reduce((sum, [, list]) => sum + list.length, 0)
  const { size, mode } = await stat(file)
  assert.deepEqual(made, { tables: listed.length, rows, bytes: size })
  assert.deepEqual(restored, made)
  assert.equal(mode & 0o777, 0o600)
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.endsWith('.part')),
    [],
  )

  const next = async (text: string) => Object.values((await run(target, text, 'gs_sandbox')).rows[0]).map(Number)
  assert.deepEqual(await next('insert into parents (child_count) values (0) returning id'), [6])
  assert.deepEqual(await next('insert into children (parent_id) values (6) returning id'), [11])
  assert.deepEqual(await next(`select nextval('tickets')`), [42])
  await run(target, 'insert into accounts values (4, 0)', 'gs_sandbox')
  assert.deepEqual(await next('select count(*) from journal'), [4], 'triggers work again')
})

test('a backup taken while others write is a consistent snapshot', async () => {
  const source = await createFilledDatabase()
  // This table is so large that the tables before and after it are read at noticeably different times.
  await run(
    source,
    `insert into everything (id, label) select 100 + n, repeat(md5(n::text), 30) from generate_series(1, 5000) n`,
    'gs_production',
  )
  let isOver = false
  let writes = 0
  const write = async () => {
    const client = new pg.Client(source)
    await client.connect()
    while (!isOver) {
      // A backup reads parents before children, and production before sandbox. So if it were not a snapshot of one
      // moment, these rows would not match.
      await client.query(`
        begin;
        update gs_production.accounts set balance = balance - 1 where id = 1;
        update gs_production.accounts set balance = balance + 1 where id = 2;
        with parent as (insert into gs_production.parents (child_count) values (2) returning id)
          insert into gs_sandbox."Odd ""names""" select id from parent;
        insert into gs_production.children (parent_id) select currval('gs_production.parents_id_seq') from generate_series(1, 2);
        update gs_sandbox.accounts set balance = balance - 1 where id = 1;
        update gs_sandbox.accounts set balance = balance + 1 where id = 2;
        commit`)
      writes += 1
    }
    await client.end()
  }
  const writers = [write(), write(), write()]
  const files: string[] = []
  const writesDuring: number[] = []
  try {
    for (let round = 0; round < 3; round += 1) {
      const before = writes
      files.push(await backUp(source))
      writesDuring.push(writes - before)
    }
  } finally {
    isOver = true
    await Promise.all(writers)
  }
  assert.ok(
    writesDuring.every((count) => count > 0),
    `writers wrote during each backup: ${writesDuring}`,
  )

  for (const file of files) {
    const target = await createDatabase()
    await restoreTo(target, file)
    const { rows } = await run(
      target,
      `select (select sum(balance)::int from gs_production.accounts) as production_sum,
              (select sum(balance)::int from gs_sandbox.accounts) as sandbox_sum,
              (select count(*)::int from gs_production.parents p
                where child_count <> (select count(*) from gs_production.children c where c.parent_id = p.id)) as wrong_parents,
              (select count(*)::int from gs_production.parents) - 5
                - (select count(*)::int from gs_sandbox."Odd ""names""" where "a column" > 5) as lost_in_sandbox,
              (select p.balance = s.balance from gs_production.accounts p join gs_sandbox.accounts s using (id) where id = 1) as is_same`,
    )
    assert.deepEqual(rows, [
      { production_sum: 200, sandbox_sum: 200, wrong_parents: 0, lost_in_sandbox: 0, is_same: true },
    ])
  }
})

test('a backup is refused if tables refer to each other in a circle', async () => {
  const source = await createFilledDatabase()
  await run(source, 'alter table parents add favourite bigint references children (id)', 'gs_production')
  const file = nameFile()
  await assert.rejects(
    backup({ connection: source, schemas: SCHEMAS, file }),
    refusal(/in a circle.*children.*parents/),
  )
  await assert.rejects(stat(file), { code: 'ENOENT' })
})

test('a file that exists is not overwritten, even one that appears while the backup runs', async () => {
  const source = await createFilledDatabase()
  const file = nameFile()
  await writeFile(file, 'precious')
  await assert.rejects(backup({ connection: source, schemas: SCHEMAS, file }), refusal(/already exists/))
  await rm(file)

  let appeared: Promise<void> | undefined
  const progress = () => {
    appeared ??= writeFile(file, 'precious')
  }
  await assert.rejects(backup({ connection: source, schemas: SCHEMAS, file, progress }), refusal(/already exists/))
  await appeared
  assert.equal(await readFile(file, 'utf8'), 'precious')

  const nowhere = join(directory, 'missing', 'file')
  await assert.rejects(
    backup({ connection: source, schemas: SCHEMAS, file: nowhere }),
    refusal(/directory does not exist/),
  )
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.endsWith('.part')),
    [],
  )
})

test('progress never goes back and ends at its total, and memory does not grow with the tables', async () => {
  const source = await createFilledDatabase()
  await run(
    source,
    `insert into everything (id, bytes)
       select 100 + n, (select string_agg(sha512((n * 100 + i)::text::bytea), '') from generate_series(1, 16) i)
         from generate_series(1, 10000) n`,
    'gs_production',
  )
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const usedBytes = () => {
    collectGarbage()
    // Two collections are needed: the second starts after the buffers that the first one found have been released.
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }

  const watch = () => {
    // Memory of earlier tests may be released late, so the lowest value seen is the baseline.
    let base = usedBytes()
    const seen = { calls: 0, samples: 0, share: 0, most: 0 }
    const progress = (done: number, total: number, label: string) => {
      if (label === 'checking the file') return
      assert.ok(done / total >= seen.share && done <= total, `${done} of ${total} after ${seen.share}`)
      seen.share = done / total
      seen.calls += 1
      if (seen.calls % 8 !== 0) return
      seen.samples += 1
      const used = usedBytes()
      base = Math.min(base, used)
      seen.most = Math.max(seen.most, used - base)
    }
    return { seen, progress }
  }
  const file = nameFile()
  // The backup is encrypted, because that includes every step of an unencrypted backup.
  const passphrase = 'long enough for anybody'
  const making = watch()
  await backup({ connection: source, schemas: SCHEMAS, file, passphrase, progress: making.progress })
  const target = await createDatabase()
  const loading = watch()
  await restore({
    connection: target,
    schemas: SCHEMAS,
    file,
    askPassphrase: async () => passphrase,
    prepare: prepareIn(target),
    progress: loading.progress,
  })

  const text = await run(source, 'select sum(length(bytes) * 2)::int as bytes from everything', 'gs_production')
  assert.ok(text.rows[0].bytes > 20_000_000)
  for (const { seen } of [making, loading]) {
    assert.ok(seen.samples > 10 && seen.most < 6_000_000, `${seen.most} bytes more than before`)
  }
  assert.equal(making.seen.share, 1)
  assert.ok(loading.seen.share > 0.99)
})
