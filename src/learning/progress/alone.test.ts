import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { type Answer, assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'
import { assertStandings, browse } from './testing.ts'

const PATH = '/edu/v1/lesson/progress'
const WALK = { lessonId: 'walkaround' }
const ALPHA = { ...WALK, classId: 'alpha' }
const NAMED = { ...WALK, studentId: 'avery-alpha' }

interface Attempt {
  readonly lessonResultId: string
  readonly started: string
  readonly completed: string | null
}

const overlaps = (one: Attempt, other: Attempt): boolean =>
  one.started < (other.completed ?? '9') && other.started < (one.completed ?? '9')

test('a start and a report at once, however the student is named, leave one attempt after the other', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const second = await app.startSecond()
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const elsewhere = new Client(second.addresses.production, avery.token)
  for (let round = 0; round < 15; round++) {
    const startTime = () => new Date().toISOString()
    const answers = await Promise.all([
      avery.post(`${PATH}/start`, ALPHA),
      avery.post(PATH, { ...NAMED, startTime: startTime() }),
      elsewhere.post(`${PATH}/start`, NAMED),
      elsewhere.post(PATH, { ...ALPHA, startTime: startTime() }),
      casey.post(PATH, { ...NAMED, startTime: startTime() }),
    ])
    assert.ok(answers.every(({ status }) => status < 500))
    const { body: latest } = await avery.get(PATH, ALPHA)
    const { body: history } = (await avery.get(`${PATH}/history`, ALPHA)) as Answer & { body: Attempt[] }
    const open = history.filter((one: Attempt) => one.completed === null)
    assert.ok(open.length <= 1)
    // If an attempt is open, it must be the latest, because only the latest can be completed.
    if (open.length === 1) assert.equal(latest.lessonResultId, open[0]!.lessonResultId)
    for (const [i, one] of history.entries())
      for (const other of history.slice(i + 1)) assert.ok(!overlaps(one, other), JSON.stringify([one, other]))
    if (open.length === 1) assert.equal((await avery.post(PATH, { ...ALPHA, complete: true })).status, 200)
  }
  assert.equal((await avery.post(`${PATH}/start`, ALPHA)).status, 200)
  await assertStandings(app)
})

test('parallel reports do not exceed the limit of attempts', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app, { lessons: [lesson('walkaround', { maxAttempts: 2 })] })
  const avery = await app.as('avery')
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => {
      const times = { startTime: `2001-01-0${i + 1}T10:00:00Z`, endTime: `2001-01-0${i + 1}T11:00:00Z` }
      return avery.post(PATH, { ...(i % 2 ? ALPHA : NAMED), ...times })
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 2)
  assert.equal((await avery.get(`${PATH}/history`, ALPHA)).body.length, 2)
})

test('a start that waited for the student is refused if it is no longer allowed', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const avery = await app.as('avery')
  const client = new pg.Client(app.connection)
  await client.connect()
  t.after(() => client.end())
  const cases = [
    ["update enrolments set status = 'suspended' where key = 'avery-alpha'", 403, 4032],
    ["update classes set ended_at = now() where key = 'alpha'", 400, 4006],
    [
      `insert into lesson_locks (class_id, lesson_id, is_locked, set_by, set_at)
       select c.id, l.id, true, e.person_id, now() from classes c join enrolments e on e.class_id = c.id and e.key = 'avery-alpha', lessons l
        where c.key = 'alpha' and l.key = 'walkaround'`,
      400,
      4006,
    ],
  ] as const
  for (const [change, status, code] of cases) {
    await client.query(
      "begin; set local search_path to gs_production; select from enrolments where key = 'avery-alpha' for update",
    )
    const start = avery.post(`${PATH}/start`, ALPHA)
    await until('the start waits', async () => {
      const { rowCount } = await client.query("select from pg_stat_activity where wait_event_type = 'Lock'")
      return rowCount! > 0
    })
    await client.query(`${change}; commit`)
    assertError(await start, status, code)
    await app.sql(
      "update enrolments set status = 'active'; update classes set ended_at = null; delete from lesson_locks",
    )
  }
  assert.equal((await avery.post(`${PATH}/start`, ALPHA)).status, 200)
})

test('implausible times are refused', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  assertError(await avery.post(PATH, { ...ALPHA, startTime: '1/1/0001 12:00:00 AM' }), 400, 4003, /1970/)
  const day = { startTime: '05/04/2020', endTime: '05/04/2020' }
  assert.equal((await avery.post(PATH, { ...ALPHA, ...day })).status, 200)
  assertError(await avery.post(PATH, { ...ALPHA, ...day }), 400, 4003, /overlap/)
})

test('changes by instructors are logged, with the state before', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const changes = async () =>
    ((await casey.get(`${PATH}/changes`, NAMED)).body as { change: string; before: unknown; after: unknown }[]).map(
      ({ change, before, after }) => [change, before, after],
    )
  await avery.post(`${PATH}/start`, ALPHA)
  await avery.post(PATH, { ...ALPHA, score: 20 })
  await avery.post(`${PATH}/objective`, { ...ALPHA, objectiveId: 'safety', score: 10 })
  assert.deepEqual(await changes(), [])
  await casey.post(PATH, { ...NAMED, score: 90, pass: true, complete: true })
  await casey.post(`${PATH}/objective`, { ...NAMED, objectiveId: 'safety', score: 33 })
  await casey.post(`${PATH}/objective`, { ...NAMED, objectiveId: 'safety', score: 33 })
  assert.deepEqual(await changes(), [
    ['objective', { objectiveId: 'safety', score: 10 }, { objectiveId: 'safety', score: 33 }],
    ['grade', { pass: false, score: 20, result: 'IN PROGRESS' }, { pass: true, score: 90, result: 'PASS' }],
  ])
  assertError(
    await avery.post(`${PATH}/objective`, { ...ALPHA, objectiveId: 'safety', score: 100 }),
    403,
    4032,
    /An instructor has scored this objective/,
  )
  await casey.post(PATH, { ...NAMED, startTime: '2020-01-01T10:00:00Z', endTime: '2020-01-01T11:00:00Z', pass: true })
  assert.equal((await changes()).length, 3)
})

test('a reset voids the scores of objectives, and the history keeps them', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, casey, teacher] = [await app.as('avery'), await app.as('casey'), await browse(app, 'casey')]
  const score = async (who: Client, points: number) => {
    const answer = await who.post(`${PATH}/objective`, { ...NAMED, objectiveId: 'safety', score: points })
    assert.equal(answer.status, 200, answer.text)
  }
  const reset = async () => {
    await avery.post(PATH, { ...ALPHA, complete: true })
    assert.equal((await teacher.post(`${PATH}/reset`, { ...NAMED, reason: 'Anew.' })).status, 200)
  }
  const counts = async () => (await avery.get('/edu/v1/class/result', { classId: 'alpha' })).body.objectives[0].score
  await avery.post(`${PATH}/start`, ALPHA)
  await score(casey, 33)
  assert.equal(await counts(), 33)
  await reset()
  assert.equal(await counts(), null)
  const { docs } = (await avery.get('/edu/v1/class/timeline', { classId: 'alpha' })).body
  const told = docs.map(({ kind, data }: { kind: string; data: { score?: number } }) => [kind, data.score])
  assert.deepEqual(told[0], ['reset', undefined])
  assert.ok(told.some(([kind, points]: [string, number?]) => kind === 'objective' && points === 33))
  // After a reset, the score by the instructor no longer prevents the student from setting one.
  await avery.post(`${PATH}/start`, ALPHA)
  await score(avery, 60)
  assert.equal(await counts(), 60)
  await reset()
  await avery.post(`${PATH}/start`, ALPHA)
  await score(casey, 70)
  const changes = (await casey.get(`${PATH}/changes`, NAMED)).body as { before: { objectives?: object } }[]
  assert.deepEqual(
    changes.map(({ before }) => before.objectives ?? before),
    [
      { objectiveId: 'safety', score: null },
      [{ objectiveId: 'safety', score: 60 }],
      [{ objectiveId: 'safety', score: 33 }],
      { objectiveId: 'safety', score: null },
    ],
  )
})

test('a student scores no objective of a lesson that an instructor grades', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(
    `update lesson_versions v set instructor_graded = true from lessons l where l.id = v.lesson_id and l.key = 'walkaround'`,
  )
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  await avery.post(`${PATH}/start`, ALPHA)
  assertError(await avery.post(`${PATH}/objective`, { ...ALPHA, objectiveId: 'safety', score: 100 }), 403, 4032)
  assert.equal((await casey.post(`${PATH}/objective`, { ...NAMED, objectiveId: 'safety', score: 50 })).status, 200)
})

test('time on task stops with the class, and when a student is suspended', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  await avery.post(`${PATH}/start`, ALPHA)
  const times = async () => {
    const { body } = await casey.get('/edu/v1/class/result', { classId: 'alpha', studentId: 'avery-alpha' })
    return body.lessons[0].timeOnTask
  }
  app.advance(60_000)
  assert.equal(await times(), 60)
  const stop = app.environment().clock().toISOString()
  await app.sql(`update enrolments set status = 'suspended', changed_at = '${stop}' where key = 'avery-alpha'`)
  app.advance(60_000)
  assert.equal(await times(), 60)
  await app.sql(`update enrolments set status = 'active'; update classes set ended_at = '${stop}'`)
  assert.equal(await times(), 60)
})
