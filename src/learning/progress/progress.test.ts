import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Client, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'
import { type AttemptState, type LessonVerb, STATES, TRANSITIONS } from './rules.ts'

const PATH = '/edu/v1/lesson/progress'
const MINUTE_MS = 60_000
const ALPHA = { lessonId: 'walkaround', classId: 'alpha' }

const act = (who: Client, verb: string, what: object = ALPHA) => who.post(`${PATH}/${verb}`, what)
const update = (who: Client, what: object) => who.post(PATH, { ...ALPHA, ...what })

test('one attempt from its start to its end', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  const avery = await app.as('avery')
  const time = () => app.environment().clock().toISOString()

  assertError(await avery.get(PATH, ALPHA), 404, 4042, /^User has not started that lesson yet\.$/)
  assert.deepEqual((await avery.get(`${PATH}/history`, ALPHA)).body, [])
  const begun = time()
  const started = await act(avery, 'start')
  assert.equal(started.status, 200)
  const { lessonResultId } = started.body
  const record = {
    studentId: 'avery-alpha',
    lessonId: 'walkaround',
    lessonResultId,
    pass: false,
    score: null,
    answers: null,
    started: begun,
    completed: null,
    progressIntervals: [{ start: begun, end: null as string | null }],
    idleIntervals: [] as object[],
  }
  assert.deepEqual(started.body, record)
  assertError(
    await act(avery, 'start'),
    409,
    4091,
    /^User has already started that lesson; the earlier session must be completed first\.$/,
  )

  app.advance(MINUTE_MS)
  const left = time()
  record.idleIntervals = [{ start: left, end: null }]
  assert.deepEqual((await act(avery, 'idle')).body, record)
  app.advance(MINUTE_MS)
  record.idleIntervals = [{ start: left, end: time() }]
  assert.deepEqual((await act(avery, 'active')).body, record)
  app.advance(MINUTE_MS)
  record.progressIntervals = [{ start: begun, end: time() }]
  assert.deepEqual((await act(avery, 'pause')).body, record)
  app.advance(MINUTE_MS)
  const resumed = time()
  record.progressIntervals.push({ start: resumed, end: null })
  assert.deepEqual((await act(avery, 'resume')).body, record)
  assert.deepEqual((await avery.get(PATH, ALPHA)).body, record)

  app.advance(MINUTE_MS)
  const scored = { ...record, score: 0, answers: [{ q: 1 }] }
  assert.deepEqual((await update(avery, { score: 0, answers: [{ q: 1 }] })).body, scored)
  const done = time()
  const completed = {
    ...scored,
    pass: true,
    completed: done,
    progressIntervals: [record.progressIntervals[0], { start: resumed, end: done }],
  }
  assert.deepEqual((await update(avery, { pass: true, complete: true })).body, completed)
  const [standing] = await app.sql('select state, result, attempts, active_ms::int, is_passed from standings')
  // Five minutes in total, of which one was idle and one was paused.
  assert.deepEqual(standing, {
    state: 'completed',
    result: 'PASS',
    attempts: 1,
    active_ms: 3 * MINUTE_MS,
    is_passed: true,
  })

  const again = await act(avery, 'start')
  assert.notEqual(again.body.lessonResultId, lessonResultId)
  const reported = {
    via: 'app',
    app: 'first',
    byId: avery.userId,
    byName: '@avery',
    at: done,
    afterTheFact: false,
    beforeEnrolment: false,
  }
  assert.deepEqual((await avery.get(`${PATH}/history`, ALPHA)).body, [
    { ...again.body, due: null, late: false, reported },
    { ...completed, answers: null, due: null, late: false, reported },
  ])
  assert.equal((await avery.get(PATH, ALPHA)).body.lessonResultId, again.body.lessonResultId)
})

test('every operation in every state does what the table says', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  /** The operations that put a lesson into each state. */
  const ways: Record<AttemptState, readonly string[]> = {
    none: [],
    'in progress': ['start'],
    paused: ['start', 'pause'],
    idle: ['start', 'idle'],
    completed: ['start', 'complete'],
  }
  const startTime = '2020-05-04T10:00:00.000Z'
  const bodies: Partial<Record<LessonVerb, object>> = {
    update: { score: 1 },
    complete: { complete: true },
    report: { startTime, endTime: '2020-05-04T11:00:00.000Z', complete: false },
  }
  const perform = (verb: LessonVerb) => (bodies[verb] ? update(avery, bodies[verb]) : act(avery, verb))
  const findState = async () =>
    (await app.sql('select state from attempts order by started_at desc limit 1'))[0]?.state ?? 'none'

  for (const state of STATES)
    for (const verb of Object.keys(TRANSITIONS) as LessonVerb[])
      await t.test(`${verb} when ${state}: ${TRANSITIONS[verb][state]}`, async () => {
        await app.sql('delete from standings; delete from attempts; delete from event_outbox; delete from events')
        for (const step of ways[state]) assert.equal((await perform(step as LessonVerb)).status, 200)
        assert.equal(await findState(), state)
        const before = state === 'none' ? undefined : (await avery.get(PATH, ALPHA)).body
        const answer = await perform(verb)
        const outcome = TRANSITIONS[verb][state]
        if (outcome === 'not started') assertError(answer, 404, 4042)
        else if (outcome === 'already started') assertError(answer, 409, 4091)
        else if (outcome === 'out of turn') assertError(answer, 400, 4006)
        else if (outcome === 'same') assert.deepEqual([answer.status, answer.body], [200, before])
        else assert.equal(answer.status, 200, answer.text)
        if (answer.status === 200 && outcome !== 'same' && verb !== 'report') assert.equal(await findState(), outcome)
        if (answer.status !== 200 && before) assert.deepEqual((await avery.get(PATH, ALPHA)).body, before)
        if (verb === 'report' && (state === 'none' || state === 'completed'))
          assert.equal(answer.body.started, startTime)
      })
})

test('ten starts at once make one attempt and nine conflicts, again and again', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const other = Object.assign(Object.create(Object.getPrototypeOf(avery)), avery, {
    address: second.addresses.production,
  }) as Client
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? avery : other).send('POST', `${PATH}/start`, { body: ALPHA })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
    assert.equal((await update(avery, { complete: true })).status, 200)
  }
  assert.equal((await avery.get(`${PATH}/history`, ALPHA)).body.length, 10)
})

test('fifty writers on one attempt lose nothing (D6)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  await act(avery, 'start')
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => act(avery, i % 2 ? 'idle' : 'active')))
  assert.ok(answers.every(({ status }) => status === 200))
  const { idleIntervals } = (await avery.get(PATH, ALPHA)).body as { idleIntervals: { end: string | null }[] }
  const [count] = await app.sql(
    `select count(*)::int from (select kind from events union all select kind from event_outbox) e where kind = 'attempt.idle'`,
  )
  assert.equal(count?.count, idleIntervals.length)
  assert.ok(idleIntervals.slice(0, -1).every(({ end }) => end !== null))
})

test('an attempt that is reported afterwards', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  const avery = await app.as('avery')
  const whole = { startTime: '5/4/2020 3:14:15 PM', endTime: '2020-05-04T16:00:00Z', score: 90, pass: true }

  await t.test('is a whole one, with one interval', async () => {
    const { body } = await update(avery, whole)
    assert.deepEqual(
      [body.started, body.completed, body.score, body.pass],
      ['2020-05-04T15:14:15.000Z', '2020-05-04T16:00:00.000Z', 90, true],
    )
    assert.deepEqual(body.progressIntervals, [{ start: body.started, end: body.completed }])
  })
  await t.test('overlaps no other, and does not lie in the future', async () => {
    assertError(await update(avery, whole), 400, 4003, /overlap/)
    assertError(await update(avery, { startTime: '2020-05-04T15:59:00Z' }), 400, 4003, /overlap/)
    const future = new Date(app.environment().clock().getTime() + MINUTE_MS).toISOString()
    assertError(await update(avery, { startTime: future }), 400, 4003, /startTime must not be in the future/)
    assertError(await update(avery, { startTime: '2021-01-01', endTime: future }), 400, 4003, /endTime/)
    assertError(await update(avery, { startTime: '2021-01-02', endTime: '2021-01-01' }), 400, 4003, /before/)
  })
  await t.test('is not the latest where it is older, and two at once do not overlap', async () => {
    const later = await update(avery, { startTime: '2022-01-01T10:00:00Z', endTime: '2022-01-01T11:00:00Z' })
    const earlier = await update(avery, { startTime: '2021-01-01T10:00:00Z', endTime: '2021-01-01T11:00:00Z' })
    assert.equal(earlier.status, 200)
    assert.equal((await avery.get(PATH, ALPHA)).body.lessonResultId, later.body.lessonResultId)
    const same = { startTime: '2023-01-01T10:00:00Z', endTime: '2023-01-01T11:00:00Z' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => update(avery, same)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)])
  })
  await t.test('an open attempt keeps the time of the server, and may end a little earlier', async () => {
    const { body } = await act(avery, 'start')
    app.advance(10 * MINUTE_MS)
    const updated = await update(avery, { startTime: '2020-01-01', score: 5 })
    assert.equal(updated.body.started, body.started)
    assertError(await update(avery, { endTime: '2020-01-01' }), 400, 4003, /endTime must not be before/)
    app.advance(10 * MINUTE_MS)
    const endTime = new Date(app.environment().clock().getTime() - MINUTE_MS).toISOString()
    assert.equal((await update(avery, { endTime })).body.completed, endTime)
  })
})

test('what old clients send', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  const nothing = { classId: null, studentId: '' }
  assert.equal((await act(avery, 'start', { lessonId: 'walkaround', ...nothing })).body.studentId, 'avery-alpha')
  for (const verb of ['pause', 'resume', 'idle', 'active']) {
    const answer = await avery.send('POST', `${PATH}/${verb}?lessonId=walkaround&classId=nil`, {
      raw: '',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 200, verb)
  }
  for (const [answers, kept] of [
    [null, null],
    ['', null],
    ['one', ['one']],
    ['[1, "two"]', [1, 'two']],
    [null, [1, 'two']],
    [[{ a: 1 }], [{ a: 1 }]],
  ])
    assert.deepEqual((await update(avery, { answers })).body.answers, kept)
  assert.equal((await update(avery, { score: '87.5', pass: 'TRUE' })).body.score, 87.5)
  assert.equal((await update(avery, { score: null, pass: null })).body.score, 87.5)
  const smuggled = {
    started: '2000-01-01',
    completed: '2000-01-01',
    lessonResultId: 'mine',
    userId: 'x',
    trainer: true,
  }
  const { body } = await update(avery, smuggled)
  assert.notEqual(body.lessonResultId, 'mine')
  assert.equal(body.completed, null)
  assertError(
    await avery.send('POST', `${PATH}?lessonId=walkaround&score=100`, { body: {} }),
    400,
    4000,
    /score must be in the body/,
  )
})

test('lessons are locked until what comes before is passed', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  const locks = async (who: Client, classId: string) =>
    ((await who.get(`${PATH}/lock`, { classId })).body as { lessonId: string; locked: boolean }[])
      .filter(({ locked }) => locked)
      .map(({ lessonId }) => lessonId)
  assert.deepEqual(await locks(avery, 'alpha'), ['checklist', 'checkride'])
  assert.deepEqual(await locks(blake, 'bravo'), [])
  const entry = (name: string, childLessons: object[] = []) => ({ lessonId: name, name, locked: true, childLessons })
  const { body: entries } = await avery.get(`${PATH}/lock`, { classId: 'alpha' })
  assert.deepEqual(entries[1], entry('checklist', [entry('interior'), entry('exterior')]))
  const checklist = { lessonId: 'checklist', classId: 'alpha' }
  assertError(await act(avery, 'start', checklist), 400, 4006, /locked/)
  assertError(await update(avery, { ...checklist, startTime: '2020-01-01', pass: true, score: 100 }), 400, 4006)
  assert.equal((await avery.get('/edu/v1/lesson', checklist)).body.locked, true)
  await act(avery, 'start')
  await update(avery, { complete: true, pass: false })
  assert.deepEqual(await locks(avery, 'alpha'), ['checklist', 'checkride'])
  await act(avery, 'start')
  await update(avery, { complete: true, pass: true })
  assert.deepEqual(await locks(avery, 'alpha'), ['checkride'])
  // After a lesson was passed, another attempt at it does not lock later lessons again.
  await act(avery, 'start')
  assert.deepEqual(await locks(avery, 'alpha'), ['checkride'])
  assert.equal((await act(avery, 'start', checklist)).status, 200)
  await update(avery, { ...checklist, complete: true, pass: true, score: 79 })
  assert.deepEqual(await locks(avery, 'alpha'), ['checkride'])
  await act(avery, 'start', checklist)
  await update(avery, { ...checklist, complete: true, pass: true, score: 80 })
  assert.deepEqual(await locks(avery, 'alpha'), [])
})

test('attempts can be limited, and prerequisites hold in every class', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [lesson('walkaround', { maxAttempts: 2 }), lesson('after', { prerequisites: ['walkaround'] })],
    alpha: { sequential: false },
  })
  const avery = await app.as('avery')
  assertError(await act(avery, 'start', { lessonId: 'after' }), 400, 4006, /locked/)
  for (let i = 0; i < 2; i++) {
    assert.equal((await act(avery, 'start')).status, 200)
    await update(avery, { complete: true, pass: i === 1 })
  }
  assertError(await act(avery, 'start'), 400, 4006, /All 2 attempts are used/)
  assert.equal((await act(avery, 'start', { lessonId: 'after' })).status, 200)
})

test('scores of objectives', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const score = (who: Client, what: object) => who.post(`${PATH}/objective`, { lessonId: 'walkaround', ...what })
  const safety = { objectiveId: 'safety', score: 75 }
  assertError(await score(avery, safety), 404, 4042, /has not started/)
  await act(avery, 'start')
  assert.deepEqual((await score(avery, safety)).body, {
    objectiveId: 'safety',
    lessonId: 'walkaround',
    studentId: 'avery-alpha',
    score: 75,
  })
  assert.equal((await score(casey, { ...safety, studentId: 'avery-alpha', score: 0 })).body.score, 0)
  const scores = async (who: Client) =>
    (await who.get('/edu/v1/course/objectives', { courseId: 'course' })).body.map(
      ({ lessonScores }: { lessonScores: object[] }) => lessonScores,
    )
  const [walkaround, checkride] = [{ lessonId: 'walkaround' }, { lessonId: 'checkride', score: null }]
  assert.deepEqual(await scores(avery), [[{ ...walkaround, score: 0 }, checkride]])
  assert.deepEqual(await scores(casey), [[{ ...walkaround, score: null }, checkride]])
  const { objectives } = (await avery.get('/edu/v1/class/result', { classId: 'alpha' })).body
  assert.deepEqual(objectives[0].lessonScores, [{ ...walkaround, score: 0 }, checkride])
  assertError(await score(casey, safety), 400, 4001, /studentId/)
  assertError(await score(casey, { ...safety, studentId: 'blake-bravo' }), 403, 4032)
  assertError(await score(avery, { ...safety, objectiveId: 'other' }), 400, 4003)
  for (const wrong of [-1, 101, 'many']) assert.equal((await score(avery, { ...safety, score: wrong })).status, 400)
  assertError(await score(avery, { objectiveId: 'safety' }), 400, 4001)
})

test('who may record and read progress (D1)', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const named = { ...ALPHA, studentId: 'avery-alpha' }
  const people = {
    avery: await app.as('avery'),
    blake: await app.as('blake'),
    casey: await app.as('casey'),
    ellis: await app.as('ellis'),
    drew: await app.as('drew'),
    finley: await app.as('finley'),
    elsewhere: await app.as('avery', 'second'),
  }
  await act(people.avery, 'start')
  const statuses = async (who: Client) => {
    const reads = [
      await who.get(PATH, named),
      await who.get(`${PATH}/history`, named),
      await who.get(`${PATH}/lock`, { classId: 'alpha', studentId: 'avery-alpha' }),
    ]
    const writes = [
      await act(who, 'pause', named),
      await act(who, 'resume', named),
      await act(who, 'idle', named),
      await act(who, 'active', named),
      await update(who, { ...named, score: 1 }),
      await who.post(`${PATH}/objective`, { ...named, objectiveId: 'safety', score: 1 }),
    ]
    const codes = (answers: typeof reads) => [
      ...new Set(answers.map(({ status, body }) => (status === 200 ? 200 : body.error_code))),
    ]
    return [codes(reads), codes(writes)]
  }
  const yes = [200]
  const no = [4032]
  assert.deepEqual(await statuses(people.avery), [yes, yes])
  assert.deepEqual(await statuses(people.casey), [yes, yes])
  assert.deepEqual(await statuses(people.ellis), [yes, no])
  assert.deepEqual(await statuses(people.finley), [yes, no])
  assert.deepEqual(await statuses(people.blake), [no, no])
  assert.deepEqual(await statuses(people.drew), [no, no])
  // Through an app that does not deliver the lesson, Avery may read but not write.
  assert.deepEqual(await statuses(people.elsewhere), [yes, no])

  await t.test('an unknown student and class look like those of others', async () => {
    for (const what of [
      { ...ALPHA, studentId: 'nobody' },
      { ...ALPHA, studentId: 'blake-bravo' },
      { lessonId: 'walkaround', classId: 'nowhere' },
      { lessonId: 'walkaround', classId: 'bravo' },
    ])
      assertError(await people.avery.get(PATH, what), 403, 4032)
  })
  await t.test('an unknown lesson is not found; one of another class does not fit', async () => {
    assertError(await people.avery.get(PATH, { lessonId: 'none' }), 404, 4042)
    assertError(await people.avery.get(PATH, { lessonId: 'none', classId: 'alpha' }), 404, 4042)
    assertError(await people.drew.get(PATH, { lessonId: 'walkaround' }), 400, 4001, /studentId/)
    assertError(await people.finley.post(`${PATH}/start`, { lessonId: 'walkaround' }), 403, 4032)
    assertError(await people.casey.post(`${PATH}/start`, { ...named, classId: 'bravo' }), 400, 4003)
  })
  await t.test('an anonymous user and nobody are refused', async () => {
    assertError(await app.nobody().get(PATH, named), 401, 4016)
  })
  await t.test('a suspended or dropped student records nothing', async () => {
    await app.sql(`update enrolments set status = 'suspended' where key = 'avery-alpha'`)
    assertError(await act(people.avery, 'pause'), 403, 4032, /suspended/)
    assert.equal((await people.avery.get(PATH, ALPHA)).status, 200)
    await app.sql(`update enrolments set status = 'dropped' where key = 'avery-alpha'`)
    assertError(await act(people.avery, 'pause', named), 403, 4032, /no longer/)
    assertError(await act(people.avery, 'pause'), 403, 4032)
  })
})
