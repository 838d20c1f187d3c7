import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { until } from '../../kernel/database/test-database.ts'
import { launch, MAIN, ownDatabase, place, run, runAll, runOne, startIn } from './testing.ts'

const DEMO = fileURLToPath(new URL('../../../demo/demo.json', import.meta.url))

test('import reports what it does, and what is wrong', async () => {
  const { settings, drop } = await ownDatabase()
  const file = join(place, 'mistakes.json')
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@fine' }, { handle: 'not fine' }], apps: [{}] }))
  const lines = [
    ['import', DEMO, '--dry-run', '--environment', 'sandbox'],
    ['import', DEMO, '--environment', 'both'],
    ['import', DEMO],
    ['import', file],
    ['user', 'list'],
  ]
  try {
    const [dry, first, again, refused, people] = await runAll(lines.map((args) => ({ args, settings })))
    const counts = [
      '  organisations 2 created, 0 updated, 0 unchanged',
      '  people        204 created, 5 updated, 0 unchanged',
      '  apps          3 created, 0 updated, 0 unchanged',
      '  files         2 created, 0 updated, 0 unchanged',
      '  questions     9 created, 0 updated, 0 unchanged',
      '  courses       2 created, 0 updated, 0 unchanged',
      '  classes       4 created, 0 updated, 0 unchanged',
      '  credentials   1 created, 0 updated, 0 unchanged',
      '  badges        2 created, 0 updated, 0 unchanged',
      '  plans         1 created, 0 updated, 0 unchanged',
    ].join('\n')
    assert.equal(dry!.out, `sandbox:\n${counts}\nThis was a dry run: nothing was written.\n`)
    assert.equal(first!.out, `production:\n${counts}\nsandbox:\n${counts}\n`)
    assert.equal(again!.out.match(/ 0 created, 0 updated, (2|209|3|1) unchanged/g)?.length, 8, again!.out)
    // By default, the file is imported into production only.
    assert.match(again!.out, /^production:\n/)
    assert.deepEqual([refused!.code, refused!.out], [1, ''])
    assert.match(
      refused!.err,
      /^Nothing was imported, because the file has 3 errors:\n {2}people\[1\]\.handle: must be .*\n {2}apps\[0\]\.key: is missing\n {2}apps\[0\]\.name: is missing\n$/,
    )
    assert.ok(people!.out.includes('@avery') && !people!.out.includes('@fine'))
  } finally {
    await drop()
  }
})

test('import is refused while less disk space is free than the reserve (D13)', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const file = join(place, 'one.json')
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@one' }] }))
  const low = { ...settings, DISK_PATH: place, DISK_RESERVE_BYTES: String(2 ** 52), SANDBOX_DISK_RESERVE_BYTES: '0' }
  const refused = await run(['import', file], low)
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^The disk of the database is almost full: production keeps 4503599627370496 bytes free/)
  for (const more of [['--dry-run'], ['--environment', 'sandbox']])
    assert.match((await run(['import', file, ...more], low)).out, /people +1 created/)
})

const ON_A_TERMINAL = ['--import', 'data:text/javascript,process.stderr.isTTY=true', MAIN]

test('import shows progress on a terminal, and elsewhere only the result', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const file = join(place, 'many.json')
  writeFileSync(file, JSON.stringify({ people: Array.from({ length: 500 }, (_, i) => ({ handle: `@m${i}` })) }))
  const seen = await run(['import', file], settings, '', ON_A_TERMINAL)
  assert.equal(seen.code, 0, seen.err)
  assert.match(seen.err, /\r[█░]{24} +\d+ % {2}[\w ,]+: \d+ of \d+/)
  const again = await runOne(['import', file], settings)
  assert.deepEqual([again.code, again.err], [0, ''])
  assert.match(again.out, /people +0 created, 0 updated, 500 unchanged/)
})

test('passwords are hashed during the import, with a bar on a terminal, and not again', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const client = new pg.Client(settings.DATABASE_URL)
  const file = join(place, 'passwords.json')
  const people = Array.from({ length: 5 }, (_, i) => ({ handle: `@p${i}`, password: `password ${i}` }))
  writeFileSync(file, JSON.stringify({ people }))
  const seen = await run(['import', file], settings, '', ON_A_TERMINAL)
  assert.equal(seen.code, 0, seen.err)
  assert.match(seen.err, /\r[█░]{24} +\d+ % {2}hashing passwords: \d of 5/)
  await client.connect()
  t.after(() => client.end())
  const hashes = async () =>
    (
      await client.query(
        `select password_hash from gs_production.people where handle_key like 'p_' order by handle_key`,
      )
    ).rows
  const stored = await hashes()
  for (const { password_hash } of stored) assert.match(password_hash, /^\$argon2id\$/)
  assert.match((await runOne(['import', file], settings)).out, /people +0 created, 0 updated, 5 unchanged/)
  assert.deepEqual(await hashes(), stored)
})

test('import --send-links mails a link to people without a password, once, and an import without it mails nobody', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const client = new pg.Client(settings.DATABASE_URL)
  const file = join(place, 'links.json')
  const people = [
    { handle: '@mail', email: 'mail@example.org' },
    { handle: '@has', email: 'has@example.org', password: 'a password' },
    { handle: '@silent' },
  ]
  writeFileSync(file, JSON.stringify({ people }))
  const off = { ...settings, MESSAGES: 'off' }
  const [refused, plain, dry, sent, again] = await runAll([
    { args: ['import', file, '--send-links'], settings: off },
    { args: ['import', file], settings },
    { args: ['import', file, '--send-links', '--dry-run'], settings },
    { args: ['import', file, '--send-links'], settings },
    { args: ['import', file, '--send-links'], settings },
  ])
  assert.deepEqual([refused!.code, refused!.out], [1, ''])
  assert.match(refused!.err, /E-mail is off: create links with/)
  assert.match(plain!.out, /people +3 created/)
  for (const { out } of [plain!, dry!]) assert.doesNotMatch(out, /password links sent/)
  assert.match(sent!.out, /\nproduction: password links sent: 1; each works for 7 days\n$/)
  assert.match(again!.out, /\nproduction: password links sent: 0;/)
  await client.connect()
  t.after(() => client.end())
  const { rows } = await client.query('select kind, recipient from gs_production.messages')
  assert.deepEqual(rows, [{ kind: 'invitation', recipient: 'mail@example.org' }])
})

test('the platform finishes an import whose process was killed half way', async (t) => {
  const { settings, drop } = await ownDatabase()
  const client = new pg.Client(settings.DATABASE_URL)
  await client.connect()
  t.after(async () => {
    await client.end()
    await drop()
  })
  const file = join(place, 'crowd.json')
  const people = Array.from({ length: 600 }, (_, i) => ({ handle: `@c${i}` }))
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@avery', lastName: 'Renamed' }, ...people] }))
  const arrived = async () =>
    (await client.query(`select count(*)::int as people from gs_production.people where handle ~ '^@c[0-9]+$'`)).rows[0]
      .people

  await client.query('begin')
  await client.query(`select from gs_production.people where handle = '@avery' for update`)
  const { child, ended } = launch(['import', file], settings)
  await until(
    'the import is decided, and waits',
    async () => (await client.query('select from gs_production.import_parts')).rows.length === 4,
    60_000,
  )
  child.kill('SIGKILL')
  await ended
  await client.query('rollback')
  assert.equal(await arrived(), 0)

  const platform = await startIn(join(place, 'finisher'), settings)
  await until('everybody is there', async () => (await arrived()) === 600, 60_000)
  platform.child.kill('SIGTERM')
  await platform.ended
})
