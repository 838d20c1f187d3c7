import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText, run, who } from '../../kernel/imports/testing.ts'
import { testApp } from '../testing/testing.ts'
import { currentDemo, removeDemo } from './demo.ts'
import { moveDemo } from './moving.ts'

const NO_KEYS = { apps: [], organisations: [], courses: [], classes: [], credentials: [] }
const demo = () => JSON.parse(readText('demo/demo.json'))

test('the demo moves by whole days, its last day to now, and nothing that happened into the future', () => {
  const file = {
    madeAt: '2025-09-12T16:00:00Z',
    people: [{ dateOfBirth: '2001-03-14', text: 'on 2025-09-12T16:00:00Z' }],
    classes: [
      {
        attempts: [{ started: '2025-09-10T08:00:00Z' }, { started: '2025-09-12T15:36:00Z' }],
        due: '2025-09-14T17:00:00Z',
      },
    ],
  }
  assert.deepEqual(moveDemo(file, new Date('2026-11-18T09:10:00Z')), {
    people: [{ dateOfBirth: '2001-03-14', text: 'on 2025-09-12T16:00:00Z' }],
    classes: [
      {
        attempts: [{ started: '2026-11-16T08:00:00.000Z' }, { started: '2026-11-18T08:46:00.000Z' }],
        due: '2026-11-20T17:00:00.000Z',
      },
    ],
  })
})

test('the demo has something to grade, somebody working, something overdue, due this week, late and to acknowledge', async (t) => {
  const app = await testApp(t)
  await run(app, await currentDemo([app.environment()], who(), demo()))
  const attempts = await app.sql(
    `select p.handle, l.key as lesson, t.state, t.awaits_grade, t.started_at > now() - interval '1 hour' as recent, t.completed_at > d.due_at as late
       from attempts t join enrolments e on e.id = t.enrolment_id join people p on p.id = e.person_id join classes c on c.id = e.class_id
       join lessons l on l.id = t.lesson_id, dates_of(e.id, c.id, l.id, null) d where c.key = 'class-charlie' order by t.started_at, t.id`,
  )
  const listOf = (is: (row: (typeof attempts)[number]) => unknown) =>
    attempts.filter(is).map(({ handle, lesson }) => `${handle} ${lesson}`)
  assert.deepEqual(
    listOf(({ state, recent }) => state === 'in progress' && recent),
    ['@wyatt.fraser lesson-circuits'],
  )
  assert.deepEqual(listOf(({ awaits_grade }) => awaits_grade).sort(), [
    '@hailey.mackinnon lesson-emergencies',
    '@hailey.mackinnon lesson-flight-log',
    '@lena.schroder lesson-flight-log',
  ])
  assert.ok(listOf(({ late }) => late).includes('@lena.schroder lesson-air-law'))
  const [dates] = await app.sql(
    `select count(*) filter (where due_at < now()) > 0 as past, count(*) filter (where due_at between now() and now() + interval '7 days') > 0 as week
       from lesson_dates where lesson_id is not null`,
  )
  assert.deepEqual(dates, { past: true, week: true })
  const waiting = await app.sql(
    `select p.handle from evaluations v join enrolments e on e.id = v.enrolment_id join people p on p.id = e.person_id where v.acknowledged_at is null order by 1`,
  )
  assert.deepEqual(waiting, [{ handle: '@akosua.boateng' }, { handle: '@avery' }])
})

test('a demo that is imported again keeps the times of its first import until it is removed', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const at = (days: number) => ({ ...who(), at: new Date(Date.now() + days * 24 * 60 * 60_000) })
  const first = await currentDemo([environment], at(0), demo())
  assert.deepEqual(await currentDemo([environment], at(20), demo()), first)
  await removeDemo(environment, who(), { keys: NO_KEYS })
  assert.notDeepEqual(await currentDemo([environment], at(20), demo()), first)
})
