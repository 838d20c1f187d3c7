import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { settleTwice, titlesOf } from '../../identity/notifications/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Person, testApp } from '../../operations/testing/testing.ts'
import { openClasses } from '../classes/testing-roster.ts'
import { tellDue } from './due.ts'

const LESSONS = [
  { id: 'walkaround', name: 'Walkaround', app: 'first', threshold: 80, maxAttempts: 1 },
  {
    id: 'checklist',
    name: 'Checklist',
    app: 'first',
    childLessons: [
      { id: 'interior', name: 'Interior', app: 'first' },
      { id: 'exterior', name: 'Exterior', app: 'first' },
    ],
  },
  { id: 'ride', name: 'Check ride', kind: 'instructor-led', threshold: 70 },
]
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

test('students are notified of what others do', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { enrol, change, transfer, post, put, send } = await openClasses(app, {
    lessons: LESSONS,
    alpha: { sequential: false },
  })
  /** Checks that a person has got exactly these notifications since the last check. */
  const seen = new Map<string, number>()
  const assertNew = async (person: Person, ...titles: string[]) => {
    await settleTwice(app)
    const all = await titlesOf(app, person)
    assert.deepEqual(all.slice(seen.get(person) ?? 0), titles)
    seen.set(person, all.length)
  }
  const ok = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    assert.equal(status, 200, text)
  }
  const learn = { lessonId: 'walkaround', classId: 'alpha' }

  await t.test('enrolled by somebody else, and not by themselves or by an import', async () => {
    await assertNew('avery')
    await ok(enrol('casey', '@drew'))
    await assertNew('drew', 'You are enrolled in Alpha')
    const finley = await app.as('finley')
    await ok(finley.post('/edu/v1/class/join', { joinCode: 'CODE-ALPHA' }))
    await assertNew('finley')
    const [row] = await app.sql(`select kind, text, link, scope from notifications`)
    const [found] = await app.sql(`select id::int as id from classes where key = 'alpha'`)
    assert.deepEqual(row, {
      kind: 'assigned',
      text: '@casey enrolled you in the class Alpha.',
      link: '/dashboard/classes/alpha',
      scope: `class:${found!.id}`,
    })
  })

  await t.test('enrolled by a roster', async () => {
    const count = size(1000)
    await app.sql(`
      insert into people (handle, handle_key, created_at) select '@pupil-' || i, 'pupil-' || i, now() from generate_series(1, ${count}) i;
      insert into organisation_members (organisation_id, person_id, role)
      select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle like '@pupil-%'`)
    const rows = Array.from({ length: count }, (_, i) => `@pupil-${i + 1},add`)
    const answer = await send('casey', `handle,action\n${rows.join('\n')}\n`, { write: 'true' })
    assert.equal(answer.status, 200, answer.text)
    await settleTwice(app)
    const [told] = await app.sql(
      `select count(*)::int as n from notifications n join people p on p.id = n.person_id where p.handle like '@pupil-%'`,
    )
    assert.equal(told!.n, count)
  })

  await t.test('graded, and graded again', async () => {
    const avery = await app.as('avery')
    await ok(avery.post('/edu/v1/lesson/progress/start', learn))
    await ok(avery.post('/edu/v1/lesson/progress', { ...learn, complete: true, pass: true, score: 90 }))
    await assertNew('avery')
    const grade = { lessonId: 'walkaround', studentId: 'avery-alpha', score: 60, pass: false, reason: 'Tyres.' }
    await ok(post('casey', '/edu/v1/lesson/progress/grade', grade))
    await ok(post('casey', '/edu/v1/lesson/progress/grade', { ...grade, score: 87, pass: true }))
    await assertNew('avery', 'Walkaround graded: not passed, 60', 'Walkaround graded: passed, 87')
  })

  await t.test('evaluated', async () => {
    const evaluation = {
      evaluationId: randomUUID(),
      studentId: 'avery-alpha',
      pass: true,
      score: 87,
      startTime: '2026-01-01T09:00:00Z',
      endTime: '2026-01-01T10:00:00Z',
    }
    await ok(post('casey', '/edu/v1/evaluation', { classId: 'alpha', lessonId: 'ride', evaluations: [evaluation] }))
    await assertNew('avery', 'Check ride graded: passed, 87')
  })

  await t.test('given another attempt, or a lesson that they have not completed', async () => {
    const extra = { lessonId: 'walkaround', studentId: 'avery-alpha', reason: 'The simulator froze.' }
    await ok(post('casey', '/edu/v1/lesson/progress/extra', extra))
    await assertNew('avery', 'Another attempt at Walkaround')
    await ok(put('casey', '/edu/v1/class/lock', { classId: 'alpha', lessonId: 'walkaround', locked: true }))
    await ok(put('casey', '/edu/v1/class/lock', { classId: 'alpha', lessonId: 'walkaround', locked: false }))
    await assertNew('blake', 'Walkaround is unlocked')
    await assertNew('avery')
    const lock = { classId: 'alpha', lessonId: 'interior', studentId: 'avery-alpha', locked: false }
    await ok(put('casey', '/edu/v1/class/lock', lock))
    await assertNew('avery', 'Interior is unlocked')
    await assertNew('blake')
  })

  await t.test('written about in a note, but not when they write it', async () => {
    const note = { text: 'Found the pitot cover.', studentId: 'avery-alpha', lessonId: 'walkaround' }
    await ok(put('casey', '/edu/v1/note', note))
    await ok(put('avery', '/edu/v1/note', note))
    await assertNew('avery', 'New note from @casey')
    await assertNew('casey')
  })

  await t.test('and no longer once they have left, were suspended or moved', async () => {
    await ok(change('casey', 'suspend', 'avery-alpha'))
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    seen.set('avery', 0)
    await ok(put('casey', '/edu/v1/note', { text: 'Late.', studentId: 'blake-alpha', lessonId: 'walkaround' }))
    await assertNew('blake', 'New note from @casey')
    await ok(post('blake', '/edu/v1/class/leave', { classId: 'alpha' }))
    assert.deepEqual(await titlesOf(app, 'blake'), [])
    await settleTwice(app)
    assert.deepEqual(await titlesOf(app, 'blake'), [])
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    await ok(change('casey', 'reinstate', 'avery-alpha'))
    await settleTwice(app)
    assert.ok((await titlesOf(app, 'avery')).includes('You are enrolled in Alpha'))
    const [drew] = await app.sql(
      `select e.key from enrolments e join people p on p.id = e.person_id where p.handle_key = 'drew'`,
    )
    await app.sql(`delete from class_staff where person_id = (select id from people where handle_key = 'drew')`)
    await ok(transfer('finley', String(drew!.key), 'bravo'))
    await settleTwice(app)
    assert.deepEqual(await titlesOf(app, 'drew'), ['You are enrolled in Bravo'])
  })
})

test('students are notified of lessons that a grade unlocks, once', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { post } = await openClasses(app, { lessons: LESSONS, alpha: { sequential: true } })
  const avery = await app.as('avery')
  const learn = { lessonId: 'walkaround', classId: 'alpha' }
  await avery.post('/edu/v1/lesson/progress/start', learn)
  await avery.post('/edu/v1/lesson/progress', { ...learn, complete: true, pass: false, score: 60 })
  for (const [score, pass] of [
    [70, false],
    [87, true],
    [50, false],
    [90, true],
  ]) {
    const grade = { lessonId: 'walkaround', studentId: 'avery-alpha', score, pass, reason: 'Tyres.' }
    assert.equal((await post('casey', '/edu/v1/lesson/progress/grade', grade)).status, 200)
    await settleTwice(app)
  }
  const titles = await titlesOf(app, 'avery')
  assert.deepEqual(
    titles.filter((title) => title.endsWith('is unlocked')),
    ['Checklist is unlocked'],
  )
  assert.equal(titles.indexOf('Checklist is unlocked'), 2, titles.join())
})

test('students are notified of dates', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openClasses(app, { lessons: LESSONS, alpha: { sequential: false } })
  app.holdClock()
  await app.sql(`update organisations set time_zone = 'Europe/Berlin' where key = 'school'`)
  // The test runs the job itself, so the platform must not run it in between.
  const postpone = (to: string) => app.sql(`update jobs set run_at = ${to} where kind = 'progress.due'`)
  await postpone(`'2030-01-01'`)
  const { clock } = app.environment()
  // Noon in Berlin, so that "today" and "tomorrow" do not depend on the time at which the test runs.
  app.advance(Date.parse('2027-01-13T11:00:00Z') - clock().getTime())
  let since = clock()
  /** Runs the job as if it had not run since the last call, and again, because it may be repeated. */
  const run = async (ms = 0) => {
    app.advance(ms)
    const before = since
    since = clock()
    for (const _ of [1, 2]) await tellDue(app.environment(), before, since)
  }
  const iso = (ms: number) => new Date(clock().getTime() + ms).toISOString()
  const setDate = (lesson: string | null, dates: { due?: string; opens?: string }, student: string | null = null) =>
    app.sql(`
      insert into lesson_dates (class_id, lesson_id, enrolment_id, opens_at, due_at, set_at)
      select c.id, (select id from lessons where key = '${lesson}'), (select id from enrolments where key = '${student}'),
             ${dates.opens ? `'${dates.opens}'::timestamptz` : 'null'}, ${dates.due ? `'${dates.due}'::timestamptz` : 'null'}, '${iso(0)}'
        from classes c where c.key = 'alpha'
      on conflict (class_id, lesson_id, enrolment_id) do update set due_at = excluded.due_at, opens_at = excluded.opens_at, set_at = excluded.set_at`)
  const clear = () => app.sql('delete from notifications; delete from lesson_dates')
  /** Stores Avery's standing in a lesson. */
  const stand = (lesson: string, state: string, attempts: number) =>
    app.sql(`
      insert into standings (enrolment_id, lesson_id, state, result, attempts, changed_at)
      select e.id, l.id, '${state}', 'PASS', ${attempts}, now() from enrolments e, lessons l where e.key = 'avery-alpha' and l.key = '${lesson}'
      on conflict (enrolment_id, lesson_id) do update set state = excluded.state, attempts = excluded.attempts`)

  await t.test('a day before a lesson is due, and when it is overdue, once each', async () => {
    await setDate('walkaround', { due: '2027-01-15T13:00:00Z' })
    await run(DAY_MS)
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    await run(2 * HOUR_MS)
    assert.deepEqual(await titlesOf(app, 'avery'), ['Walkaround is due tomorrow at 14:00'])
    await run(HOUR_MS)
    await run(DAY_MS)
    assert.deepEqual(await titlesOf(app, 'blake'), ['Walkaround is due tomorrow at 14:00', 'Walkaround is overdue'])
    await run(DAY_MS)
    assert.equal((await titlesOf(app, 'avery')).length, 2)
    assert.deepEqual(await titlesOf(app, 'casey'), [])
  })

  await t.test('again when the date moves later, and for a student with a date of their own', async () => {
    await clear()
    await setDate('walkaround', { due: iso(HOUR_MS) })
    await setDate('walkaround', { due: iso(10 * DAY_MS) }, 'blake-alpha')
    await run()
    await setDate('walkaround', { due: iso(2 * HOUR_MS) })
    await run()
    assert.equal((await titlesOf(app, 'avery')).length, 2)
    assert.deepEqual(await titlesOf(app, 'blake'), [])
  })

  await t.test('but a date in the past does not flood, and completed lessons are left out', async () => {
    await clear()
    await setDate('walkaround', { due: iso(-8 * DAY_MS) })
    await setDate('ride', { due: iso(-6 * DAY_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'avery'), ['Check ride is overdue'])
    await clear()
    await setDate('ride', { due: iso(HOUR_MS) })
    await stand('ride', 'completed', 1)
    await run()
    // The same holds while another attempt is open.
    await stand('ride', 'in progress', 2)
    await setDate('ride', { due: iso(HOUR_MS + 60_000) })
    await run()
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    assert.match((await titlesOf(app, 'blake')).join(), /^(Check ride is due \w+ at \d\d:\d\d,?){2}$/)
  })

  await t.test('once for a lesson with its parts, and once for a whole class', async () => {
    await clear()
    await setDate('checklist', { due: iso(HOUR_MS) })
    await run()
    assert.match((await titlesOf(app, 'avery')).join(), /^Checklist is due \w+ at \d\d:\d\d$/)
    await clear()
    await setDate(null, { due: iso(-HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'blake'), ['3 lessons of Alpha are overdue'])
    assert.deepEqual(await titlesOf(app, 'avery'), ['2 lessons of Alpha are overdue'])
  })

  await t.test('once if a lesson is due at the same time as its parent lesson or its class', async () => {
    await clear()
    for (const lesson of [null, 'checklist', 'interior']) await setDate(lesson, { due: iso(-HOUR_MS) })
    await setDate('checklist', { due: iso(-HOUR_MS) }, 'blake-alpha')
    await run()
    assert.deepEqual(await titlesOf(app, 'blake'), ['3 lessons of Alpha are overdue'])
    await clear()
    for (const lesson of ['checklist', 'interior']) await setDate(lesson, { due: iso(-HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'blake'), ['Checklist is overdue'])
  })

  await t.test('of a lesson whose parts are completed, but not the lesson itself', async () => {
    await clear()
    for (const lesson of ['interior', 'exterior']) await stand(lesson, 'completed', 1)
    await setDate('checklist', { due: iso(-HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'avery'), ['Checklist is overdue'])
  })

  await t.test('when a lesson opens by its date', async () => {
    await clear()
    await setDate('walkaround', { opens: iso(HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    await run(HOUR_MS)
    assert.deepEqual(await titlesOf(app, 'avery'), ['Walkaround is open'])
  })

  await t.test('but not students who were dropped, or of a class that has ended', async () => {
    await clear()
    await app.sql(`update enrolments set status = 'dropped' where key = 'avery-alpha'`)
    await setDate('walkaround', { due: iso(HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'avery'), [])
    assert.equal((await titlesOf(app, 'blake')).length, 1)
    await clear()
    await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
    await setDate('walkaround', { due: iso(HOUR_MS) })
    await run()
    assert.deepEqual(await titlesOf(app, 'blake'), [])
  })

  await t.test('by a job that runs every minute', async () => {
    await app.sql(`update classes set ended_at = null where key = 'alpha'`)
    await setDate('walkaround', { due: iso(HOUR_MS) })
    const isTold = async () => (await titlesOf(app, 'blake')).length === 1
    await postpone('now()')
    app.advance(61_000)
    await until('the job ran', isTold)
  })
})
