import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertError, type Client, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'
import { type Browsing, browse, CLASS, complete, PATH } from './testing.ts'

const WALK = { lessonId: 'walkaround', classId: 'alpha' }
const AVERY = { lessonId: 'walkaround', studentId: 'avery-alpha' }
const OFFLINE = { id: 'offline', name: 'offline' }
const ATTENDING = ['pause', 'resume', 'idle', 'active'] as const
const WHOLE = { startTime: '2020-01-01T10:00:00Z', endTime: '2020-01-01T11:00:00Z' }
/** The reports that only the app of a lesson sends for a student. */
const RESULTS = [{ pass: true }, { pass: false }, { score: 100 }, { answers: [1] }, { ...WHOLE, pass: true }, WHOLE]

interface HistoryEntry {
  readonly lessonResultId: string
  readonly answers: unknown
  readonly reported: Record<string, unknown>
}

const historyOf = async (who: Client | Browsing, query: Record<string, string>): Promise<HistoryEntry[]> => {
  const { status, body, text } = await who.get(`${PATH}/history`, query)
  assert.equal(status, 200, text)
  return body
}

test('a student’s browser session starts and attends a lesson of an app, and reports no result of it (D12)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, inApp] = [await browse(app, 'avery'), await app.as('avery')]
  assert.equal((await avery.post(`${PATH}/start`, WALK)).status, 200)
  for (const verb of ATTENDING) assert.equal((await avery.post(`${PATH}/${verb}`, WALK)).status, 200, verb)
  const { body: before } = await avery.get(PATH, WALK)
  for (const report of [...RESULTS, { complete: true }, { endTime: new Date().toISOString() }, {}])
    assertError(await avery.post(PATH, { ...WALK, ...report }), 403, 4032, /delivered by first, and only first reports/)
  assertError(await avery.post(`${PATH}/objective`, { ...WALK, objectiveId: 'safety', score: 100 }), 403, 4032, /first/)
  assert.deepEqual((await avery.get(PATH, WALK)).body, before)
  assert.equal((await inApp.post(PATH, { ...WALK, complete: true, pass: true })).status, 200)
  assertError(await avery.post(PATH, { ...WALK, ...WHOLE, pass: true }), 403, 4032)
  assert.equal((await historyOf(avery, WALK)).length, 1)
})

test('an app writes nothing about a lesson of another app, neither for students nor for instructors (D12)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const own = await app.as('avery')
  const callers = [
    [await app.as('avery', 'second'), WALK],
    [await app.as('casey', 'second'), AVERY],
  ] as const
  const refuseAll = async () => {
    for (const [who, named] of callers) {
      for (const verb of ['start', ...ATTENDING])
        assertError(await who.post(`${PATH}/${verb}`, named), 403, 4032, /Another app delivers this lesson/)
      for (const report of [...RESULTS, { complete: true }])
        assertError(await who.post(PATH, { ...named, ...report }), 403, 4032, /Another app/)
      const score = { ...named, objectiveId: 'safety', score: 100 }
      assertError(await who.post(`${PATH}/objective`, score), 403, 4032, /Another app/)
      assertError(await who.post(`${PATH}/grade`, { ...AVERY, pass: true, reason: 'x' }), 401, 4016)
    }
  }
  await refuseAll()
  assertError(await own.get(PATH, WALK), 404, 4042)
  await own.post(`${PATH}/start`, WALK)
  await refuseAll()
  const casey = await app.as('casey')
  assert.equal((await casey.post(PATH, { ...AVERY, complete: true, pass: true })).status, 200)
  await refuseAll()
  assert.equal((await own.get(PATH, WALK)).body.pass, true)
})

test('a lesson that no app delivers is written on the platform’s pages and by no app (D12)', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: [OFFLINE], alpha: { sequential: false } })
  const [offline, named] = [
    { lessonId: 'offline', classId: 'alpha' },
    { lessonId: 'offline', studentId: 'avery-alpha' },
  ]
  for (const [who, what] of [
    [await app.as('avery'), offline],
    [await app.as('casey'), named],
  ] as const) {
    for (const verb of ['start', ...ATTENDING])
      assertError(await who.post(`${PATH}/${verb}`, what), 403, 4032, /No app delivers this lesson/)
    for (const report of [...RESULTS, { complete: true }])
      assertError(await who.post(PATH, { ...what, ...report }), 403, 4032, /No app/)
  }
  const [avery, casey] = [await browse(app, 'avery'), await browse(app, 'casey')]
  assert.equal((await avery.post(`${PATH}/start`, offline)).status, 200)
  for (const verb of ATTENDING) assert.equal((await avery.post(`${PATH}/${verb}`, offline)).status, 200, verb)
  for (const report of RESULTS)
    assertError(await avery.post(PATH, { ...offline, ...report, complete: true }), 403, 4032, /Your instructor records/)
  const ended = await avery.post(PATH, { ...offline, complete: true })
  assert.deepEqual([ended.status, ended.body.pass, ended.body.score], [200, false, null])
  assert.equal((await casey.post(`${PATH}/grade`, { ...named, pass: true, reason: 'Seen.' })).body.pass, true)
  await casey.post(`${PATH}/start`, named)
  const recorded = await casey.post(PATH, { ...named, pass: true, score: 90, complete: true })
  assert.deepEqual([recorded.status, recorded.body.pass, recorded.body.score], [200, true, 90])
  assert.deepEqual(
    (await historyOf(avery, offline)).map(({ reported }) => [reported.via, reported.byName, reported.app]),
    [
      ['instructor', '@casey', null],
      ['instructor', '@casey', null],
    ],
  )
})

test('statements change no result, through whatever app they come (D12)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, elsewhere] = [await app.as('avery'), await app.as('avery', 'second')]
  const { body: started } = await avery.post(`${PATH}/start`, WALK)
  for (const who of [avery, elsewhere]) {
    const object = { lessonId: 'walkaround', lessonResultId: started.lessonResultId, success: true, score: 100 }
    const sent = await who.post('/edu/v1/xapi/statement', { actor: who.userId, verb: 'passed', object })
    assert.equal(sent.status, 200, sent.text)
  }
  assert.deepEqual((await avery.get(PATH, WALK)).body, started)
})

test('every attempt shows by whom, when and through what it was reported (D12)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  await app.sql(
    `update people set first_name = 'Casey', last_name = 'Instructor' where handle_key = 'casey';
     update enrolments set enrolled_at = '2021-01-01'`,
  )
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const [page, desk] = [await browse(app, 'avery'), await browse(app, 'casey')]
  const time = () => app.environment().clock().toISOString()
  const tick = () => app.advance(60_000)
  const latest = async (who: Client | Browsing = page) => (await historyOf(who, AVERY))[0]!.reported
  const marks = { afterTheFact: false, beforeEnrolment: false }
  const byAvery = { byId: null, byName: '@avery', ...marks }
  const byCasey = { byId: null, byName: 'Casey Instructor', ...marks }

  await t.test('a start in the browser, and what the app reports after it', async () => {
    const started = time()
    await page.post(`${PATH}/start`, WALK)
    assert.deepEqual(await latest(), { via: 'page', app: null, at: started, ...byAvery })
    tick()
    const updated = time()
    await avery.post(PATH, { ...WALK, score: 50 })
    tick()
    // Pausing reports nothing, so the last report stays.
    await page.post(`${PATH}/pause`, WALK)
    assert.deepEqual(await latest(), { via: 'app', app: 'first', at: updated, ...byAvery })
    const ended = time()
    await avery.post(PATH, { ...WALK, pass: true, complete: true })
    assert.deepEqual(await latest(), { via: 'app', app: 'first', at: ended, ...byAvery })
  })
  await t.test('apps know people by their own ids, and read the name of no other app', async () => {
    assert.equal((await latest(avery)).byId, avery.userId)
    const elsewhere = await latest(await app.as('avery', 'second'))
    assert.deepEqual([elsewhere.via, elsewhere.app], ['app', null])
    assert.notEqual(elsewhere.byId, avery.userId)
  })
  await t.test('an instructor, in the pages and through the app', async () => {
    tick()
    await desk.post(`${PATH}/grade`, { ...AVERY, score: 60, reason: 'Seen it.' })
    assert.deepEqual(await latest(), { via: 'instructor', app: null, at: time(), ...byCasey })
    tick()
    await complete(casey, AVERY, { pass: true })
    assert.deepEqual(await latest(), { via: 'instructor', app: 'first', at: time(), ...byCasey })
  })
  await t.test(
    'attempts that were entered after the fact, and that began before the enrolment, are marked',
    async () => {
      const report = async (year: number) => {
        const times = { startTime: `${year}-03-01T10:00:00Z`, endTime: `${year}-03-01T11:00:00Z` }
        const { body } = await avery.post(PATH, { ...WALK, ...times, pass: true })
        return (await historyOf(page, { ...AVERY, lessonResultId: body.lessonResultId }))[0]!.reported
      }
      const reported = { via: 'app', app: 'first', at: time(), ...byAvery, afterTheFact: true }
      assert.deepEqual(await report(2022), reported)
      assert.deepEqual(await report(2020), { ...reported, beforeEnrolment: true })
    },
  )
  await t.test('the timeline shows it too, at the end of an attempt or at the start of an open one', async () => {
    await page.post(`${PATH}/start`, WALK)
    interface Entry {
      readonly kind: string
      readonly byName: string | null
      readonly data: { readonly reported?: Record<string, unknown> }
    }
    const { docs } = (await desk.get(`${CLASS}/timeline`, { studentId: 'avery-alpha' })).body as { docs: Entry[] }
    const told = docs
      .filter(({ kind }) => kind === 'started' || kind === 'completed')
      .map(({ kind, byName, data: { reported } }) => [
        kind,
        byName,
        ...(reported ? [reported.via, reported.app, reported.afterTheFact, reported.beforeEnrolment] : []),
      ])
    assert.deepEqual(told, [
      ['started', '@avery', 'page', null, false, false],
      ['completed', 'Casey Instructor', 'instructor', 'first', false, false],
      ['started', null],
      ['completed', 'Casey Instructor', 'instructor', null, false, false],
      ['started', null],
      ['completed', '@avery', 'app', 'first', true, false],
      ['started', null],
      ['completed', '@avery', 'app', 'first', true, true],
      ['started', null],
    ])
    assert.equal(docs.find(({ kind }) => kind === 'started')!.data.reported!.at, time())
  })
  await t.test('attempts from before this was recorded get what the log of events knows', async () => {
    const sql = readFileSync(new URL('../../../migrations/0055_reports.sql', import.meta.url), 'utf8')
    const derive = sql.slice(sql.indexOf('with reports'), sql.indexOf('-- The scores'))
    const known = async () =>
      app.sql('select id, reported_via, reported_by, reported_app_id, reported_at from attempts order by id')
    const before = await known()
    await app.sql('update attempts set reported_via = null, reported_by = null, reported_app_id = null')
    await app.sql(derive)
    assert.deepEqual(await known(), before)
    await app.sql(
      'update attempts set reported_via = null, reported_by = null, reported_app_id = null, reported_at = null',
    )
    assert.deepEqual(await latest(), { via: null, app: null, at: null, byId: null, byName: null, ...marks })
  })
})

test('the history of attempts comes in pages, newest first, with the answers of one attempt alone', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: [lesson('walkaround')] })
  const avery = await app.as('avery')
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    const hours = { startTime: `2022-01-01T1${i}:00:00Z`, endTime: `2022-01-01T1${i}:30:00Z` }
    ids.unshift((await avery.post(PATH, { ...WALK, ...hours, answers: [`${i}`] })).body.lessonResultId)
  }
  const read = async (query: object) => (await avery.get(`${PATH}/history`, { ...WALK, ...query })).body
  const idsIn = (docs: HistoryEntry[]) => docs.map(({ lessonResultId }) => lessonResultId)
  const { docs, ...page } = await read({ limit: '2', page: '2' })
  assert.deepEqual([idsIn(docs), page], [ids.slice(2, 4), { total: 5, limit: 2, page: 2, pages: 3 }])
  assert.deepEqual((await read({ page: '1' })).limit, 10)
  assert.deepEqual((await read({ limit: '100' })).docs.length, 5)
  assertError(await avery.get(`${PATH}/history`, { ...WALK, limit: '101' }), 400, 4003, /limit/)
  const bare = await read({})
  assert.deepEqual(idsIn(bare), ids)
  for (const { answers } of [...docs, ...bare]) assert.equal(answers, null)
  const [one, ...others] = await read({ lessonResultId: ids[1] })
  assert.deepEqual([one.lessonResultId, one.answers, others], [ids[1], ['3'], []])
  assert.deepEqual((await read({ lessonResultId: ids[1], limit: '1' })).docs, [one])
  assert.deepEqual(await read({ lessonResultId: 'none' }), [])

  await t.test('a client that asks for no page gets the newest hundred', async () => {
    await app.sql(
      `insert into attempts (key, enrolment_id, lesson_id, state, pass, started_at, completed_at, progress_intervals, idle_intervals, active_ms, changed_at, result)
       select 'old-' || n, t.enrolment_id, t.lesson_id, 'completed', false, t.started_at - n * interval '1 day', t.started_at - n * interval '1 day', '[]', '[]', 0, now(), 'FAIL'
         from (select * from attempts order by id limit 1) t, generate_series(1, 120) n`,
    )
    const newest = await read({})
    assert.deepEqual([newest.length, ...idsIn(newest).slice(0, 6)], [100, ...ids, 'old-1'])
    assert.equal((await read({ limit: '100', page: '2' })).docs.length, 25)
  })
  await t.test('answers survive changes that say nothing about them', async () => {
    await avery.post(`${PATH}/start`, WALK)
    await avery.post(PATH, { ...WALK, answers: ['kept'] })
    for (const verb of ['pause', 'pause', 'resume'])
      assert.deepEqual((await avery.post(`${PATH}/${verb}`, WALK)).body.answers, ['kept'], verb)
    assert.deepEqual((await avery.post(PATH, { ...WALK, score: 1, complete: true })).body.answers, ['kept'])
    assert.deepEqual((await avery.get(PATH, WALK)).body.answers, ['kept'])
  })
})

test('old clients send local time without a zone', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  const avery = await app.as('avery')
  const ago = (minutes: number) =>
    new Date(Math.floor(app.environment().clock().getTime() / 1000) * 1000 - minutes * 60_000)
  /** Writes a time as .NET does in a culture of the United States. */
  const local = (moment: Date, zoneHours: number) => {
    const there = new Date(moment.getTime() + zoneHours * 3_600_000)
    const [date, clock] = [
      `${there.getUTCMonth() + 1}/${there.getUTCDate()}/${there.getUTCFullYear()}`,
      there.getUTCHours(),
    ]
    const [, minutes] = there.toISOString().slice(11, 19).split(/:(.*)/s)
    return `${date} ${clock % 12 || 12}:${minutes}\u202f${clock < 12 ? 'AM' : 'PM'}`
  }
  await t.test('a quiz that has just ended is stored as just ended, wherever the student is', async () => {
    for (const zone of [12, 5.5, 5.75, -7, -10]) {
      app.advance(600_000)
      const [start, end] = [ago(10), ago(1)]
      const times = { startTime: local(start, zone), endTime: local(end, zone) }
      const { status, body, text } = await avery.post(PATH, { ...WALK, ...times, pass: true })
      assert.equal(status, 200, text)
      assert.deepEqual([body.started, body.completed], [start.toISOString(), end.toISOString()], `${zone}`)
    }
  })
  await t.test('an open attempt can be ended by a client whose clock is fast', async () => {
    await avery.post(`${PATH}/start`, WALK)
    app.advance(60_000)
    const fast = local(new Date(app.environment().clock().getTime() + 5000), -7)
    const ended = await avery.post(PATH, { ...WALK, pass: true, endTime: fast })
    assert.equal(ended.status, 200, ended.text)
    assert.ok(ended.body.completed >= ended.body.started)
  })
  await t.test('a time with a zone is taken as it is', async () => {
    const times = { startTime: '2020-05-04T10:00:00+05:45', endTime: '2020-05-04T05:00:00Z' }
    const { body } = await avery.post(PATH, { ...WALK, ...times })
    assert.deepEqual([body.started, body.completed], ['2020-05-04T04:15:00.000Z', '2020-05-04T05:00:00.000Z'])
  })
})
