import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runSql } from '../../kernel/database/test-database.ts'
import { makePackage, makeScorm } from '../../learning/packages/testing.ts'
import { auOf, courseOf } from '../../learning/packages/testing-cmi5.ts'
import { manifestOf } from '../../learning/packages/testing-scorm.ts'
import { launch, ownDatabase, place, run, runAll } from './testing.ts'

const SCHOOL = { organisations: [{ key: 'school', name: 'School' }] }

const fileOf = (name: string, data: string | Buffer): string => {
  const path = join(place, name)
  writeFileSync(path, data)
  return path
}

test('package add stores a package, or says which requirements it violates', async () => {
  const { settings: own, drop } = await ownDatabase()
  const settings = { ...own, DATA_DIR: mkdtempSync(join(place, 'data-')) }
  const good = fileOf('good.zip', makePackage({ 'a.txt': 'text' }))
  const twice = courseOf(auOf('urn:a') + auOf('urn:a', { attributes: 'masteryScore="2"' }))
  const wrong = fileOf('wrong.xml', twice)
  const sloppy = fileOf('sloppy.zip', makeScorm(manifestOf({ version: null })))
  const line = (...args: string[]) => ({ args, settings })
  const add = (path: string, organisation = 'school') => line('package', 'add', path, '--organisation', organisation)
  const [, first, again, refused, nowhere, nobody, missing, tolerated] = await runAll([
    line('import', fileOf('package-school.json', JSON.stringify(SCHOOL))),
    add(good),
    add(good),
    add(wrong),
    add(good, 'none'),
    line('package', 'add', good),
    add(join(place, 'none.zip')),
    add(sloppy),
  ])
  assert.deepEqual([first!.code, first!.err], [0, ''])
  assert.match(first!.out, /^Stored Walkaround as \S{22}: 1 unit, 3 files\n$/)
  assert.equal(again!.out, first!.out)
  assert.equal(refused!.code, 1)
  assert.match(
    refused!.out,
    /URL of the AU in line 1 is relative.*\(cmi5 14\.2\.0\.0-1\)\n.*used before.*13\.1\.4\.0-1/s,
  )
  assert.match(refused!.err, /\(cmi5 14\.2\.0\.0-1\), and \d more faults/)
  assert.match(
    tolerated!.out,
    /^Tolerated: The manifest has no schemaversion\..*\nStored Walkaround as \S{22}: 1 unit, 2 files\n$/,
  )
  assert.match(nowhere!.err, /no organisation with the key none/)
  assert.match(nobody!.err, /--organisation is missing/)
  assert.match(missing!.err, /cannot be read \(ENOENT\)/)
  await drop()
})

test('a process that is killed while it stores a package leaves nothing that anybody sees', async () => {
  const { settings: own, drop } = await ownDatabase()
  const settings = { ...own, DATA_DIR: mkdtempSync(join(place, 'data-')) }
  await runAll([{ args: ['import', fileOf('package-school.json', JSON.stringify(SCHOOL))], settings }])
  const parts = Array.from({ length: 300 }, (_, i) => [`media/${i}.bin`, randomBytes(20_000)] as const)
  const path = fileOf('large.zip', makePackage(Object.fromEntries(parts)))
  const args = ['package', 'add', path, '--organisation', 'school']
  const { child, ended } = launch(args, settings)
  const stored = () => globSync('files/production/*/*', { cwd: settings.DATA_DIR }).length
  const deadlineMs = performance.now() + 60_000
  while (stored() === 0) {
    assert.equal(child.exitCode, null, 'it ended before it was killed')
    assert.ok(performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  child.kill('SIGKILL')
  await ended
  assert.ok(stored() > 0)
  const connection = { connectionString: own.DATABASE_URL! }
  const count = async (table: string) =>
    (await runSql(connection, `select count(*)::int as count from gs_production.${table}`))[0]!.count
  assert.deepEqual([await count('packages'), await count('package_files'), await count('file_storage')], [0, 0, 0])
  // What it has stored has no owner, so that upkeep deletes it.
  assert.ok(Number(await count('file_contents')) >= stored())
  const { code, out, err } = await run(args, settings)
  assert.equal(code, 0, err)
  assert.match(out, /^Stored Walkaround as \S{22}: 1 unit, 302 files\n$/)
  await drop()
})

test('a large package is stored in parts, and a command that was killed goes on where it stopped', async () => {
  const { settings: own, drop } = await ownDatabase()
  const settings = { ...own, DATA_DIR: mkdtempSync(join(place, 'data-')) }
  await runAll([{ args: ['import', fileOf('package-school.json', JSON.stringify(SCHOOL))], settings }])
  const archive = makePackage({ 'media/video.mp4': randomBytes(100 * 2 ** 20) })
  const args = ['package', 'add', fileOf('huge.zip', archive), '--organisation', 'school']
  const sql = (text: string) => runSql({ connectionString: own.DATABASE_URL! }, text)
  const parts = async () => Number((await sql('select count(*) from gs_production.package_upload_parts'))[0]!.count)
  const { child, ended } = launch(args, settings)
  const deadlineMs = performance.now() + 60_000
  while ((await parts()) === 0) {
    assert.equal(child.exitCode, null, 'it ended before it was killed')
    assert.ok(performance.now() < deadlineMs)
  }
  child.kill('SIGKILL')
  await ended
  assert.deepEqual(await sql('select from gs_production.packages'), [])
  const [before] = await sql('select key, received_bytes from gs_production.package_uploads')
  assert.ok(Number(before!.received_bytes) > 0)
  const { code, out, err } = await run(args, settings)
  assert.equal(code, 0, err)
  assert.match(out, /^Stored Walkaround as \S{22}: 1 unit, 3 files\n$/)
  const [after, ...others] = await sql('select key, reserved_bytes from gs_production.package_uploads')
  assert.deepEqual([after, others], [{ key: before!.key, reserved_bytes: '0' }, []])
  assert.equal(await parts(), 0)
  const [sums] = await sql(
    'select (select used_bytes from gs_production.file_storage) = (select stored_bytes from gs_production.packages) as are_equal',
  )
  assert.equal(sums!.are_equal, true)
  assert.equal((await run(args, settings)).out, out, 'a repeat finds the package')
  await drop()
})
