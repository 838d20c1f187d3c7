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
      '  courses       1 created, 0 updated, 0 unchanged',
      '  classes       2 created, 0 updated, 0 unchanged',
      '  credentials   1 created, 0 updated, 0 unchanged',
      '  badges        2 created, 0 updated, 0 unchanged',
      '  plans         1 created, 0 updated, 0 unchanged',
    ].join('\n')
    assert.equal(dry!.out, `sandbox:\n${counts}\nThis was a dry run: nothing was written.\n`)
    assert.equal(first!.out, `production:\n${counts}\nsandbox:\n${counts}\n`)
    assert.equal(again!.out.match(/ 0 created, 0 updated, (2|209|3|1) unchanged/g)?.length, 8, again!.out)
    // Production alone, unless it says otherwise.
    assert.match(again!.out, /^production:\n/)
    assert.deepEqual([refused!.code, refused!.out], [1, ''])
    assert.match(
      refused!.err,
      /^Nothing was imported, the file has 3 mistakes:\n {2}people\[1\]\.handle: must be .*\n {2}apps\[0\]\.key: is missing\n {2}apps\[0\]\.name: is missing\n$/,
    )
    assert.ok(people!.out.includes('@avery') && !people!.out.includes('@fine'))
  } finally {
    await drop()
  }
})

const ON_A_TERMINAL = ['--import', 'data:text/javascript,process.stderr.isTTY=true', MAIN]

test('import says on a terminal how far it is, and elsewhere nothing but the result', async (t) => {
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

test('import says of many passwords that they work already and are hashed later', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const write = (name: string, count: number) => {
    const people = Array.from({ length: count }, (_, i) => ({ handle: `@s${i}`, password: `password ${i}` }))
    writeFileSync(join(place, name), JSON.stringify({ people }))
    return join(place, name)
  }
  const [few, many] = [write('few.json', 2), write('many-passwords.json', 203)]
  const runs = [
    ['import', few],
    ['import', many, '--dry-run'],
    ['import', many],
    ['import', many],
  ]
  const [first, dry, sealed, again] = await runAll(runs.map((args) => ({ args, settings })))
  const sentence = 'The 201 new passwords work already; the platform hashes them while it runs.\n'
  assert.match(sealed!.out, /people +201 created, 0 updated, 2 unchanged/)
  assert.ok(sealed!.out.endsWith(`\n${sentence}`), sealed!.out)
  assert.match(again!.out, /people +0 created, 0 updated, 203 unchanged/)
  for (const { out, err } of [first!, dry!, again!]) assert.ok(!out.includes('hashes them') && err === '', out + err)
})

test('an import whose process is killed half way is finished by the platform', async (t) => {
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
