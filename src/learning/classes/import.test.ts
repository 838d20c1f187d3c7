import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importContent } from '../../kernel/imports/imports.ts'
import { all, refused, run, who } from '../../kernel/imports/testing.ts'
import { size } from '../../operations/testing/sizes.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { openSchool } from '../courses/testing.ts'
import { statuses } from './testing-roster.ts'

const STUDENTS = size(10_000)

test(`${STUDENTS} students of a class come by an import file, in parts, and again without a change`, async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(
    `insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, ${STUDENTS}) n`,
  )
  const students = Array.from({ length: STUDENTS }, (_, i) =>
    i % 2 === 0 ? `@S${i + 1}` : { handle: `s${i + 1}`, id: `student-${i + 1}` },
  )
  const content = { classes: [{ key: 'alpha', course: 'course', name: 'Alpha', students }] }
  const steps: number[] = []
  const take = async (): Promise<{ ms: number; report: unknown }> => {
    const startedAt = performance.now()
    const { production } = await importContent([app.environment()], who(), {
      content,
      onProgress: (done) => steps.push(done),
    })
    return { ms: Math.round(performance.now() - startedAt), report: production!.classes }
  }
  const first = await take()
  t.diagnostic(`first: ${first.ms} ms, again: ${(await take()).ms} ms`)
  assert.deepEqual(first.report, all(0, 1, 0))
  assert.ok(new Set(steps).size > STUDENTS / 500, `${new Set(steps).size} parts`)
  assertWithin(first.ms, 30_000)
  const rows = await app.sql(
    `select count(*)::int as n, count(*) filter (where e.key like 'student-%')::int as named from enrolments e join classes c on c.id = e.class_id where c.key = 'alpha'`,
  )
  assert.deepEqual(rows, [{ n: STUDENTS + 2, named: STUDENTS / 2 }])
  assert.deepEqual((await take()).report, all(0, 0, 1))
})

test('an import adds students and removes none; suspended or dropped ones stay so', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(`update enrolments set status = 'suspended' where key = 'avery-alpha';
    update enrolments set status = 'dropped', has_left = true where key = 'blake-alpha'`)
  const alpha = (students: unknown[]) => ({ classes: [{ key: 'alpha', course: 'course', name: 'Alpha', students }] })
  await run(app, alpha(['@avery', '@blake', { handle: '@drew', id: 'drew-alpha' }]))
  assert.deepEqual(await statuses(app), { avery: 'suspended', blake: 'dropped', drew: 'active' })
  await run(app, alpha([]))
  assert.equal(Object.keys(await statuses(app)).length, 3)
  const [mistake] = await refused(run(app, alpha([{ handle: '@ellis', id: 'blake-bravo' }])))
  assert.match(mistake!, /classes\[0\]\.students\[0\]\.id: must be unique: it is @blake in bravo/)
})
