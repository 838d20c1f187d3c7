import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../kernel/imports/testing.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { CODE, openClasses } from '../classes/testing-roster.ts'
import { makeSchool } from '../courses/testing.ts'

const DATES = '/edu/v1/class/dates'
const LESSON = '/edu/v1/lesson'

type Opened = Awaited<ReturnType<typeof openClasses>>
const setter =
  ({ put }: Opened) =>
  (...dates: object[]) =>
    put('casey', DATES, { classId: 'alpha', dates })
const faultsOf = ({ body }: { body: { faults?: { pointer: string; message: string }[] } }) =>
  body.faults?.map(({ pointer, message }) => `${pointer} ${message}`)

/** The dates that apply to a lesson, as the two SQL functions compute them. */
const effective = async (app: TestApp, student: string | null, lesson: string) => {
  const [row] = await app.sql(
    `select to_char(d.opens_at at time zone 'UTC', 'MM-DD') as opens, to_char(d.due_at at time zone 'UTC', 'MM-DD') as due,
            to_char(d.closes_at at time zone 'UTC', 'MM-DD') as closes
       from classes c join lesson_versions v on v.version_id = c.version_id join lessons l on l.id = v.lesson_id
       left join enrolments e on e.key = ${student === null ? 'null' : `'${student}'`},
       lateral dates_of(e.id, c.id, v.lesson_id, v.parent_id) d where c.key = 'alpha' and l.key = '${lesson}'`,
  )
  return [row!.opens, row!.due, row!.closes]
}

test('dates of a lesson win over those of its parent and of the class, and an override over all of them', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  const answer = await set(
    { opens: '2026-01-01T00:00Z', due: '2026-03-01T00:00Z', closes: '2026-12-01T00:00Z' },
    { lessonId: 'checklist', due: '2026-04-01T00:00Z' },
    { lessonId: 'interior', due: '2026-05-01T00:00Z' },
    { studentId: 'avery-alpha', due: '2026-06-01T00:00Z' },
    { lessonId: 'checklist', studentId: 'avery-alpha', due: '2026-07-01T00:00Z', opens: '2026-02-01T00:00Z' },
  )
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await effective(app, null, 'walkaround'), ['01-01', '03-01', '12-01'])
  assert.deepEqual(await effective(app, null, 'exterior'), ['01-01', '04-01', '12-01'])
  assert.deepEqual(await effective(app, null, 'interior'), ['01-01', '05-01', '12-01'])
  assert.deepEqual(await effective(app, 'avery-alpha', 'walkaround'), ['01-01', '06-01', '12-01'])
  assert.deepEqual(await effective(app, 'avery-alpha', 'interior'), ['02-01', '07-01', '12-01'])
  assert.deepEqual(await effective(app, 'blake-alpha', 'interior'), ['01-01', '05-01', '12-01'])

  const { body } = await opened.get('ellis', `${DATES}?classId=alpha`)
  assert.deepEqual(body, answer.body)
  assert.equal(body.timeZone, 'UTC')
  assert.deepEqual(
    body.dates.map(({ lessonId, studentId, due }: Record<string, string>) => [lessonId, studentId, due?.slice(0, 10)]),
    [
      [null, null, '2026-03-01'],
      ['checklist', null, '2026-04-01'],
      ['interior', null, '2026-05-01'],
      [null, 'avery-alpha', '2026-06-01'],
      ['checklist', 'avery-alpha', '2026-07-01'],
    ],
  )
  const own = await opened.get('casey', `${DATES}?classId=alpha&studentId=blake-alpha`)
  assert.equal(own.body.dates.length, 3)

  // Both functions must agree about everybody.
  const differing = await app.sql(
    `select d.* from classes c, lateral dates_in(c.id, c.version_id) d, lateral dates_of(d.enrolment_id, c.id, d.lesson_id, d.parent_id) o
      where (d.opens_at, d.due_at, d.closes_at) is distinct from (o.opens_at, o.due_at, o.closes_at)`,
  )
  assert.deepEqual(differing, [])
  assert.equal(
    (await app.sql(`select d.* from classes c, dates_in(c.id, c.version_id) d where c.key = 'alpha'`)).length,
    10,
  )

  // Fields that are left out stay, null and empty clear one, and a row without dates disappears.
  await set({ lessonId: 'checklist', studentId: 'avery-alpha', opens: '' })
  assert.deepEqual(await effective(app, 'avery-alpha', 'interior'), ['01-01', '07-01', '12-01'])
  await set({ lessonId: 'checklist', studentId: 'avery-alpha', due: null })
  const cleared = await opened.post('casey', `${DATES}/clear`, { classId: 'alpha', lessonId: 'interior' })
  assert.equal(cleared.body.dates.length, 3)
  assert.deepEqual(await effective(app, null, 'interior'), ['01-01', '04-01', '12-01'])
  const entries = await app.sql(
    `select a.detail->>'lesson' as lesson, p.handle_key as person from audit_entries a left join people p on p.id = a.person_id where a.action = 'class.dates-set' order by a.id`,
  )
  assert.equal(entries.length, 8)
  assert.deepEqual(entries[4], { lesson: 'checklist', person: 'avery' })
})

test('a date that puts opening, due and closing in the wrong order is refused at its field', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  const wrong = await set({ lessonId: 'walkaround', opens: '2026-02-01T09:00', due: '2026-02-01T09:00' })
  assertError(wrong, 400, 4003, /“walkaround” would be due before it opens/)
  assert.deepEqual(faultsOf(wrong), ['/dates/0/due “walkaround” would be due before it opens'])

  await set({ closes: '2026-06-01T00:00Z' }, { lessonId: 'interior', opens: '2026-05-01T00:00Z' })
  // Each of these is wrong only through what it inherits, or what others inherit from it.
  const cases: readonly [object[], string][] = [
    [[{ lessonId: 'walkaround', due: '2026-06-02T00:00Z' }], '/dates/0/due “walkaround” would close before it is due'],
    [[{ lessonId: 'checklist', due: '2026-04-01T00:00Z' }], '/dates/0/due “interior” would be due before it opens'],
    [[{ due: '2026-05-01T00:00Z' }], '/dates/0/due “interior” would be due before it opens'],
    [[{ closes: '2026-04-01T00:00Z' }], '/dates/0/closes “interior” would close before it opens'],
    [
      [
        { lessonId: 'walkaround', due: '2026-05-05T00:00Z' },
        { studentId: 'avery-alpha', opens: '2026-07-01T00:00Z' },
      ],
      '/dates/1/opens “interior” would close before it opens',
    ],
  ]
  for (const [dates, fault] of cases) {
    const answer = await set(...dates)
    assertError(answer, 400, 4003)
    assert.ok(faultsOf(answer)?.includes(fault), `${fault}: ${faultsOf(answer)}`)
  }
  // A change for everybody can be wrong for one student, whom the message names.
  assert.equal(
    (await set({ lessonId: 'walkaround', studentId: 'avery-alpha', opens: '2026-05-20T00:00Z' })).status,
    200,
  )
  const forAvery = await set({ lessonId: 'walkaround', due: '2026-05-10T00:00Z' })
  assert.match(faultsOf(forAvery)![0]!, /^\/dates\/0\/due “walkaround” would be due before it opens for @avery$/)
  assert.equal((await app.sql('select * from lesson_dates where due_at is not null')).length, 0)
  // Due at the moment when it closes is allowed.
  assert.equal((await set({ lessonId: 'checkride', due: '2026-06-01T00:00Z' })).status, 200)
})

test('a request with a mistake in one entry sets nothing and lists all mistakes', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  const answer = await set(
    { lessonId: 'walkaround', due: '2026-02-01T09:00' },
    { lessonId: 'none', due: '2026-02-01T09:00' },
    { lessonId: 'checkride', studentId: 'blake-bravo', due: '2026-02-01T09:00' },
    { lessonId: 'checkride', due: '1999-12-31T23:59', closes: '2201-01-01T00:00' },
    { lessonId: 'interior', due: 'soon', opens: '2026-02-30T10:00', closes: '2026-02-01' },
    { lessonId: 'walkaround', closes: '2026-02-01T09:00' },
  )
  assertError(answer, 400, 4003)
  assert.deepEqual(
    answer.body.faults.map(({ pointer }: { pointer: string }) => pointer),
    [
      '/dates/1/lessonId',
      '/dates/2/studentId',
      '/dates/3/due',
      '/dates/3/closes',
      '/dates/4/opens',
      '/dates/4/due',
      '/dates/4/closes',
      '/dates/5/lessonId',
    ],
  )
  assert.deepEqual(await app.sql('select * from lesson_dates'), [])
  assertError(await set(), 400, 4003)
  assertError(await set(...Array.from({ length: 501 }, () => ({ due: '2026-02-01T09:00' }))), 400, 4003)
  assertError(await set({ due: 5 }), 400, 4005)

  for (const person of ['avery', 'ellis', 'drew'] as const)
    assertError(await opened.put(person, DATES, { classId: 'alpha', dates: [{ due: null }] }), 403, 4032)
  assertError(await opened.get('avery', `${DATES}?classId=alpha`), 403, 4032)
  assert.equal(
    (await opened.put('casey', DATES, { classId: 'bravo', dates: [{ due: null }] })).text,
    (await opened.put('casey', DATES, { classId: 'nowhere', dates: [{ due: null }] })).text,
  )
  assert.equal(
    (await opened.put('finley', DATES, { classId: 'alpha', dates: [{ due: '2026-02-01T09:00' }] })).status,
    200,
  )
  await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
  assertError(await set({ due: '2026-03-01T09:00' }), 400, 4006, /closed/)
})

test('a time without an offset is read in the time zone of the organisation, also when the clocks change', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  const zone = (timeZone: string) =>
    opened.post('finley', '/edu/v1/organisation/time-zone', { organisation: 'school', timeZone })
  assertError(await zone('Europe/Nowhere'), 400, 4003, /IANA/)
  assertError(await zone('europe/berlin'), 400, 4003)
  assertError(
    await opened.post('casey', '/edu/v1/organisation/time-zone', { organisation: 'school', timeZone: 'UTC' }),
    403,
    4032,
  )
  assert.equal((await zone('Europe/Berlin')).body.timeZone, 'Europe/Berlin')
  const cases = [
    ['2026-11-20T09:00', '2026-11-20T08:00:00.000Z'],
    ['2026-07-20T09:00', '2026-07-20T07:00:00.000Z'],
    ['2026-07-20T09:00-05:00', '2026-07-20T14:00:00.000Z'],
    // 02:30 does not exist on the day on which summer time begins, and occurs twice on the day on which it ends.
    ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T01:30:00.000Z'],
  ] as const
  for (const [sent, stored] of cases) {
    const { body } = await set({ lessonId: 'walkaround', due: sent })
    assert.equal(body.dates[0].due, stored, sent)
    assert.equal(body.timeZone, 'Europe/Berlin')
  }
  await zone('America/New_York')
  const { body } = await opened.get('casey', `${DATES}?classId=alpha`)
  assert.equal(body.dates[0].due, cases.at(-1)![1])
  assert.equal(body.timeZone, 'America/New_York')
  assert.equal((await app.sql(`select * from audit_entries where action = 'organisation.time-zone'`)).length, 2)
})

test('a lesson that opens while a student starts it is started or refused, and never both', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  const avery = await app.as('avery')
  for (let round = 0; round < 5; round++) {
    const [started, answer] = await Promise.all([
      avery.post(`${LESSON}/progress/start`, { lessonId: 'walkaround', classId: 'alpha' }),
      set({ lessonId: 'walkaround', opens: '2199-01-01T00:00Z' }),
    ])
    assert.equal(answer.status, 200, answer.text)
    const attempts = await app.sql('select * from attempts')
    assert.equal(attempts.length, started.status === 200 ? 1 : 0)
    if (started.status !== 200) assertError(started, 400, 4006, /Opens on|locked/i)
    const again = await avery.post(`${LESSON}/progress/start`, { lessonId: 'walkaround', classId: 'alpha' })
    assert.notEqual(again.status, 200)
    await app.sql('delete from standings; delete from attempts; delete from lesson_dates')
  }
  // Ten instructors at once write one row, and the last one wins whole.
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      set({ lessonId: 'walkaround', opens: `2026-01-${10 + i}T00:00Z`, due: `2026-02-${10 + i}T00:00Z` }),
    ),
  )
  const rows = await app.sql(`select to_char(opens_at, 'DD') = to_char(due_at, 'DD') as fits from lesson_dates`)
  assert.deepEqual(rows, [{ fits: true }])
})

test('an override stays with its class when the student is transferred', async (t) => {
  const app = await testApp(t)
  const opened = await openClasses(app)
  const set = setter(opened)
  await set({ studentId: 'avery-alpha', due: '2026-02-01T00:00Z' }, { due: '2026-01-01T00:00Z' })
  assert.equal((await opened.transfer('finley', 'avery-alpha', 'bravo')).status, 200)
  const { body } = await opened.get('casey', `${DATES}?classId=alpha`)
  assert.equal(body.dates.length, 1)
  assert.deepEqual((await opened.get('drew', `${DATES}?classId=bravo`)).body.dates, [])
  assert.equal((await opened.transfer('finley', 'avery-alpha', 'alpha')).status, 200)
  assert.equal((await opened.get('casey', `${DATES}?classId=alpha`)).body.dates.length, 2)
})

test('dates of a class are imported, and a list in a file replaces those that are stored', async (t) => {
  const app = await testApp(t)
  const dates = [
    { opens: '2026-01-01T00:00Z', closes: '2026-12-01T00:00:00Z' },
    { lesson: 'walkaround', due: '2026-02-01T00:00Z' },
    { lesson: 'walkaround', handle: '@avery', due: '2026-03-01T00:00Z' },
  ]
  const { get } = await openClasses(app, { alpha: { dates } })
  const list = async () =>
    (await get('casey', `${DATES}?classId=alpha`)).body.dates.map(
      ({ lessonId, studentId, opens, due }: Record<string, string | null>) => [lessonId, studentId, opens ?? due],
    )
  assert.deepEqual(await list(), [
    [null, null, '2026-01-01T00:00:00.000Z'],
    ['walkaround', null, '2026-02-01T00:00:00.000Z'],
    ['walkaround', 'avery-alpha', '2026-03-01T00:00:00.000Z'],
  ])
  const [before] = await app.sql('select max(set_at)::text as at from lesson_dates')
  await run(app, { classes: [{ ...makeSchool().classes[0]!, joinCode: CODE, dates }] })
  assert.deepEqual(await app.sql('select max(set_at)::text as at from lesson_dates'), [before])
  await run(app, { classes: [{ ...makeSchool().classes[0]!, joinCode: CODE, dates: [dates[1]] }] })
  assert.deepEqual(await list(), [['walkaround', null, '2026-02-01T00:00:00.000Z']])

  const [early, late] = ['2026-02-01T00:00Z', '2026-03-01T00:00Z']
  for (const [wrong, words] of [
    [[{ lesson: 'none', due: early }], /dates\[0\]\.lesson: must be a lesson of the class/],
    [[{ handle: '@finley', due: early }], /dates\[0\]\.handle: must be a student of the class/],
    [[{ lesson: 'checkride', due: early, opens: late }], /dates\[0\]: must be due after it opens/],
    [[{ lesson: 'interior', due: '2026-02-01' }], /dates\[0\]/],
    [[{ lesson: 'exterior' }], /must have opens, due or closes/],
    // Through the class, the parent lesson, and both with a student's own dates.
    [[{ opens: late }, { lesson: 'walkaround', due: early }], /dates\[1\]: must be due after it opens/],
    [
      [
        { lesson: 'interior', due: late },
        { lesson: 'checklist', closes: early },
      ],
      /dates\[0\]: must be due no later/,
    ],
    [
      [
        { lesson: 'interior', due: late },
        { handle: '@avery', closes: early },
      ],
      /dates\[1\]: must be due no later/,
    ],
    [
      [
        { lesson: 'interior', due: late },
        { lesson: 'checklist', handle: '@avery', closes: early },
      ],
      /dates\[1\]: must be due no later/,
    ],
  ] as const)
    await assert.rejects(
      run(app, { classes: [{ ...makeSchool().classes[0]!, joinCode: CODE, dates: wrong }] }),
      words,
      JSON.stringify(wrong),
    )
})
