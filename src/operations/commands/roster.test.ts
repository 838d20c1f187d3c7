import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownDatabase, place, runAll } from './testing.ts'

const SCHOOL = {
  organisations: [{ key: 'school', name: 'School' }],
  courses: [{ key: 'course', organisation: 'school', name: 'Course', lessons: [{ id: 'lesson', name: 'Lesson' }] }],
  classes: [{ key: 'class-alpha', course: 'course', name: 'Alpha', students: ['@blake'] }],
}

const fileOf = (name: string, text: string): string => {
  const path = join(place, name)
  writeFileSync(path, text)
  return path
}

test('roster adds students to a class, reports what it refuses, and can be repeated', async () => {
  const { settings, drop } = await ownDatabase()
  const good = fileOf('good.csv', '\ufeffhandle,action\r\n@drew,\r\n"@blake",suspend\r\n')
  const mixed = fileOf('mixed.csv', 'handle,studentId\n@ellis,student-ellis\n@nobody.here,\n')
  const broken = fileOf('broken.csv', 'handle,phone\n@casey,555\n')
  const school = fileOf('school.json', JSON.stringify(SCHOOL))
  const line = (...args: string[]) => ({ args, settings })
  const [, dry, first, again, sandbox, nothing, partly, wrong, unknown, missing] = await runAll([
    line('import', school, '--environment', 'both'),
    line('roster', 'class-alpha', good, '--dry-run'),
    line('roster', 'class-alpha', good),
    line('roster', 'class-alpha', good),
    line('roster', 'class-alpha', good, '--environment', 'sandbox'),
    line('roster', 'class-alpha', mixed, '--all-or-nothing'),
    line('roster', 'class-alpha', mixed),
    line('roster', 'class-alpha', broken),
    line('roster', 'class-nowhere', good),
    line('roster', 'class-alpha', join(place, 'none.csv')),
  ])
  const added = '1 added, 0 dropped, 1 suspended, 0 reinstated, 0 unchanged, 0 refused'
  assert.deepEqual([dry!.code, dry!.out], [0, `This was a dry run: ${added}\n`])
  assert.deepEqual([first!.code, first!.out, first!.err], [0, `${added}\n`, ''])
  assert.deepEqual(
    [again!.code, again!.out],
    [0, '0 added, 0 dropped, 0 suspended, 0 reinstated, 2 unchanged, 0 refused\n'],
  )
  assert.deepEqual([sandbox!.code, sandbox!.out], [0, `${added}\n`])
  const refused = '1 added, 0 dropped, 0 suspended, 0 reinstated, 0 unchanged, 1 refused'
  const reason = 'row 3, @nobody.here: there is no account with this handle\n'
  assert.deepEqual([nothing!.code, nothing!.out], [1, `${reason}Nothing was written: ${refused}\n`])
  assert.deepEqual([partly!.code, partly!.out, partly!.err], [1, `${reason}${refused}\n`, '1 of 2 rows have errors\n'])
  assert.equal(wrong!.code, 1)
  assert.match(wrong!.err, /^Unknown column phone; its first line names the columns/)
  assert.deepEqual([unknown!.code, unknown!.err], [1, 'There is no class class-nowhere\n'])
  assert.match(missing!.err, /cannot be read \(ENOENT\)/)
  await drop()
})

test('roster is refused while less disk space is free than the reserve; a dry run is not (D13)', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const file = fileOf('low.csv', 'handle\n@drew\n')
  const school = fileOf('low.json', JSON.stringify(SCHOOL))
  const low = { ...settings, DISK_PATH: place, DISK_RESERVE_BYTES: String(2 ** 52) }
  const [, dry, refused] = await runAll([
    { args: ['import', school], settings },
    { args: ['roster', 'class-alpha', file, '--dry-run'], settings: low },
    { args: ['roster', 'class-alpha', file], settings: low },
  ])
  assert.match(dry!.out, /1 added/)
  assert.deepEqual([refused!.code, refused!.out], [1, ''])
  assert.match(refused!.err, /^The disk of the database is almost full: production keeps 4503599627370496 bytes free/)
})
