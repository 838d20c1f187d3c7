import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Client, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'
import { assertStandings, type Browsing, browse, CLASS, complete, listEvents, PATH } from './testing.ts'

const WALKAROUND = { lessonId: 'walkaround', classId: 'alpha' }
const AVERY = { ...WALKAROUND, studentId: 'avery-alpha' }
const GRADED = [lesson('walkaround', { instructorGraded: true, threshold: 80 }), lesson('after')]

const grade = (who: Browsing, what: object) => who.post(`${PATH}/grade`, { ...AVERY, ...what })
const isLocked = async (who: Client, lessonId: string): Promise<boolean> =>
  (await who.get('/edu/v1/lesson', { lessonId, classId: 'alpha' })).body.locked

test('a first grade: the attempt, the result, the locks, the event, and who said so', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: GRADED })
  app.holdClock()
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  assertError(await grade(casey, { pass: true }), 404, 4042, /has not started/)
  await avery.post(`${PATH}/start`, WALKAROUND)
  assertError(await grade(casey, { pass: true }), 400, 4006, /not completed/)
  // In an instructor-graded lesson, a score sent by the student is ignored.
  const { body } = await avery.post(PATH, { ...WALKAROUND, complete: true, pass: true, score: 100 })
  assert.deepEqual([body.pass, body.score], [false, null])
  assert.equal(await isLocked(avery, 'after'), true)

  assertError(await grade(casey, { reason: 'x' }), 400, 4001, /pass and score are missing/)
  const graded = await grade(casey, { score: 85 })
  assert.equal(graded.status, 200, graded.text)
  assert.deepEqual(graded.body, { ...body, pass: true, score: 85 })
  assert.deepEqual((await avery.get(PATH, WALKAROUND)).body, graded.body)
  assert.equal(await isLocked(avery, 'after'), false)
  await assertStandings(app)

  const [row] = await app.sql(
    `select id::int, enrolment_id::int, lesson_id::int, graded_at, graded_by::int from attempts`,
  )
  const [{ class_id, person_id, course_id } = {}] = await app.sql(
    `select e.class_id::int, e.person_id::int, c.course_id::int from enrolments e join classes c on c.id = e.class_id where e.key = 'avery-alpha'`,
  )
  const events = await listEvents(app, 'attempt.graded')
  assert.deepEqual(events, [
    {
      kind: 'attempt.graded',
      payload: {
        attempt: row!.id,
        enrolment: row!.enrolment_id,
        lesson: row!.lesson_id,
        class: class_id,
        course: course_id,
        person: person_id,
        app: null,
        by: row!.graded_by,
        state: 'completed',
        result: 'PASS',
        pass: true,
        score: 85,
        activeMs: 0,
      },
    },
  ])
  const change = {
    change: 'grade',
    lessonResultId: body.lessonResultId,
    before: { pass: false, score: null, result: 'INCOMPLETE' },
    after: { pass: true, score: 85, result: 'PASS' },
    reason: '',
    byId: null,
    byName: '@casey',
    changed: app.environment().clock().toISOString(),
  }
  assert.deepEqual((await casey.get(`${PATH}/changes`, AVERY)).body, [change])
  // Casey does not use the app through which Avery reads the changes, so Casey's name is hidden.
  assert.deepEqual((await avery.get(`${PATH}/changes`, WALKAROUND)).body, [{ ...change, byName: null }])

  await t.test('repeating a grade changes nothing, changing it needs a reason', async () => {
    assert.equal((await grade(casey, { pass: true, score: 85 })).status, 200)
    assertError(await grade(casey, { score: 90 }), 400, 4001, /reason/)
    assertError(await grade(casey, { score: 90, reason: '  ' }), 400, 4001, /reason/)
    assert.equal((await casey.get(`${PATH}/changes`, AVERY)).body.length, 1)
    assert.equal((await listEvents(app, 'attempt.graded')).length, 1)
  })
})

test('a grade that takes the pass away locks again; an older attempt counts too', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  const first = await complete(avery, WALKAROUND, { pass: true, score: 70 })
  const second = await complete(avery, WALKAROUND, { pass: false, score: 40 })
  assert.equal(await isLocked(avery, 'checklist'), false)
  const standing = async () =>
    (await app.sql('select result, score, best_score, is_passed from standings where attempt_id is not null'))[0]
  assert.deepEqual(await standing(), { result: 'FAIL', score: 40, best_score: 70, is_passed: true })

  const why = { reason: 'Looked at the recording.' }
  assert.equal((await grade(casey, { lessonResultId: first, pass: false, score: 30, ...why })).body.score, 30)
  assert.deepEqual(await standing(), { result: 'FAIL', score: 40, best_score: 40, is_passed: false })
  assert.equal(await isLocked(avery, 'checklist'), true)
  // Without a lessonResultId, the latest completed attempt is graded.
  assert.equal((await grade(casey, { pass: true, ...why })).body.lessonResultId, second)
  assert.deepEqual(await standing(), { result: 'PASS', score: 40, best_score: 40, is_passed: true })
  assert.equal(await isLocked(avery, 'checklist'), false)
  // The same is true while a newer attempt is open.
  await avery.post(`${PATH}/start`, WALKAROUND)
  assert.equal((await grade(casey, { pass: false, ...why })).body.lessonResultId, second)
  assert.deepEqual(await standing(), { result: 'IN PROGRESS', score: null, best_score: 40, is_passed: false })
  await assertStandings(app)

  await t.test('ids that do not belong together are refused', async () => {
    const checklist = { lessonId: 'checklist' }
    assertError(
      await grade(casey, { ...checklist, lessonResultId: first, pass: true, ...why }),
      400,
      4003,
      /lessonResultId/,
    )
    assertError(await grade(casey, { lessonResultId: 'none', pass: true, ...why }), 400, 4003, /lessonResultId/)
    assertError(await grade(casey, { classId: 'bravo', pass: true, ...why }), 400, 4003, /class/)
    assertError(await grade(casey, { lessonId: 'none', pass: true, ...why }), 404, 4042)
  })
  await t.test('smuggled fields are not stored (D2)', async () => {
    const smuggled = {
      started: '2000-01-01',
      completed: '2000-01-01',
      userId: 'x',
      trainer: true,
      gradedBy: 'x',
      result: 'PASS',
      answers: [1],
    }
    const { body } = await grade(casey, { lessonResultId: second, score: 50, ...why, ...smuggled })
    assert.ok(body.started > '2020' && body.completed > '2020')
    assert.deepEqual([body.pass, body.score, body.answers], [false, 50, null])
  })
})

test('grades, starts and endings at once: standings still match the attempts', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const other = Object.assign(Object.create(Object.getPrototypeOf(avery)), avery, {
    address: second.addresses.production,
  }) as Client
  const [casey, finley] = [await browse(app, 'casey'), await browse(app, 'finley')]
  const first = await complete(avery, WALKAROUND, { pass: true, score: 70 })
  for (let round = 0; round < 8; round++) {
    const graded = Array.from({ length: 6 }, (_, i) =>
      grade(i % 2 ? casey : finley, {
        lessonResultId: first,
        pass: i % 3 === 0,
        score: round * 10 + i,
        reason: `${round} ${i}`,
      }),
    )
    const done = other
      .post(`${PATH}/start`, WALKAROUND)
      .then(() => avery.post(PATH, { ...WALKAROUND, complete: true, score: round }))
    for (const answer of await Promise.all([...graded, done])) assert.equal(answer.status, 200, answer.text)
    await assertStandings(app)
  }
  // Each change records the previous grade, so consecutive changes must form a chain.
  const changes = (await casey.get(`${PATH}/changes`, AVERY)).body as { before: object; after: object }[]
  assert.equal(changes.length, (await listEvents(app, 'attempt.graded')).length)
  for (const [i, { before }] of changes.slice(0, -1).entries()) assert.deepEqual(before, changes[i + 1]!.after)
})

test('what waits for a grade, the oldest first', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: GRADED })
  app.holdClock()
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  const [casey, drew, finley] = [await browse(app, 'casey'), await browse(app, 'drew'), await browse(app, 'finley')]
  const waiting = async (who: Browsing, query = {}) => {
    const { body } = await who.get(`${CLASS}/grading`, query)
    return [body.total, body.docs.map((doc: { lessonResultId: string }) => doc.lessonResultId)]
  }
  assert.deepEqual(await waiting(casey), [0, []])
  const inBravo = await complete(blake, { ...WALKAROUND, classId: 'bravo' }, {})
  const attempts = []
  for (const who of [avery, blake, avery]) {
    app.advance(1000)
    attempts.push(await complete(who, WALKAROUND, {}))
  }
  // An attempt still awaits its grade after the student has made another one.
  assert.deepEqual(await waiting(casey), [3, attempts])
  assert.deepEqual(await waiting(casey, { limit: '2', page: '2' }), [3, [attempts[2]]])
  assert.deepEqual(await waiting(drew), [1, [inBravo]])
  // Owners are instructors of no class, so they must name the class to list its attempts.
  assert.deepEqual(await waiting(finley), [0, []])
  assert.deepEqual(await waiting(finley, { classId: 'alpha' }), [3, attempts])
  const [entry] = (await casey.get(`${CLASS}/grading`)).body.docs
  assert.deepEqual(entry, {
    classId: 'alpha',
    className: 'Alpha',
    studentId: 'avery-alpha',
    handle: '@avery',
    name: '@avery',
    lessonId: 'walkaround',
    lessonName: 'walkaround',
    kind: 'app',
    lessonResultId: attempts[0],
    completed: entry.completed,
    due: null,
    late: false,
  })
  await grade(casey, { lessonResultId: attempts[0], pass: false })
  assert.deepEqual(await waiting(casey), [2, attempts.slice(1)])
  await grade(casey, { pass: true, score: 90 })
  assert.deepEqual(await waiting(casey), [1, [attempts[1]]])
  assert.equal(await isLocked(avery, 'after'), false)
  await assertStandings(app)
  for (const classId of ['bravo', 'nowhere']) assertError(await casey.get(`${CLASS}/grading`, { classId }), 403, 4032)
  await app.sql(`update enrolments set status = 'dropped' where key = 'blake-alpha'`)
  assert.deepEqual(await waiting(casey), [0, []])
})

test('another attempt for one student', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [lesson('walkaround', { maxAttempts: 1 }), lesson('free', { maxAttempts: 1 }), lesson('endless')],
  })
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await browse(app, 'casey')]
  const grant = (what: object) => casey.post(`${PATH}/extra`, { ...AVERY, ...what })
  const why = { reason: 'The simulator froze.' }
  for (const who of [avery, blake]) {
    await complete(who, WALKAROUND, { pass: true })
    assertError(await who.post(`${PATH}/start`, WALKAROUND), 400, 4006, /The only attempt is used/)
  }
  assertError(await grant({}), 400, 4001, /reason/)
  assertError(await grant({ reason: ' ' }), 400, 4001, /reason/)
  const answer = { studentId: 'avery-alpha', lessonId: 'walkaround', attempts: 1, extraAttempts: 1, attemptsLeft: 1 }
  assert.deepEqual((await grant(why)).body, answer)
  assert.deepEqual((await grant({ ...why, count: 2 })).body, { ...answer, extraAttempts: 3, attemptsLeft: 3 })
  const left = async () => {
    const { body } = await avery.get('/edu/v1/class/result', { classId: 'alpha' })
    return body.lessons.map(({ attemptsLeft }: { attemptsLeft: number | null }) => attemptsLeft)
  }
  assert.deepEqual(await left(), [3, 1, null])
  assertError(await grant({ ...why, count: 101 }), 400, 4003)
  assert.equal((await avery.post(`${PATH}/start`, WALKAROUND)).status, 200)
  assertError(await blake.post(`${PATH}/start`, WALKAROUND), 400, 4006)
  // Extra attempts can be granted before the first attempt. The lesson still counts as not started.
  const free = { lessonId: 'free' }
  assert.deepEqual((await grant({ ...free, ...why })).body, { ...answer, ...free, attempts: 0, attemptsLeft: 2 })
  assertError(await avery.get(PATH, { ...WALKAROUND, ...free }), 404, 4042)
  assertError(await grant({ lessonId: 'endless', ...why }), 400, 4006, /no limit of attempts/)
  const changes = (await casey.get(`${PATH}/changes`, AVERY)).body
  assert.deepEqual(
    changes.map(({ change, before, after, reason, lessonResultId }: Record<string, unknown>) => [
      change,
      before,
      after,
      reason,
      lessonResultId,
    ]),
    [
      ['extra attempt', { extraAttempts: 1 }, { extraAttempts: 3 }, why.reason, null],
      ['extra attempt', { extraAttempts: 0 }, { extraAttempts: 1 }, why.reason, null],
    ],
  )
  assert.equal((await listEvents(app, 'attempt.granted')).length, 3)
  // Ten concurrent grants must add ten attempts.
  await Promise.all(Array.from({ length: 10 }, () => grant(why)))
  assert.equal((await grant(why)).body.extraAttempts, 14)
})

test('a student starts over: earlier attempts stay in the history but no longer count', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [lesson('walkaround', { maxAttempts: 2 }), lesson('after')],
  })
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  const reset = (what: object = {}) => casey.post(`${PATH}/reset`, { ...AVERY, reason: 'Wrong aircraft.', ...what })
  assertError(await reset(), 404, 4042, /has not started/)
  const first = await complete(avery, WALKAROUND, { pass: true, score: 90 })
  assert.equal(await isLocked(avery, 'after'), false)
  await avery.post(`${PATH}/start`, WALKAROUND)
  assertError(await reset(), 400, 4006, /complete it before/)
  await avery.post(PATH, { ...WALKAROUND, complete: true, pass: true })
  assertError(await reset({ reason: '' }), 400, 4001, /reason/)
  assert.deepEqual((await reset()).body, { success: true })
  assertError(await reset(), 404, 4042)

  assertError(await avery.get(PATH, WALKAROUND), 404, 4042, /has not started/)
  assert.equal(await isLocked(avery, 'after'), true)
  assert.equal((await avery.get(`${PATH}/history`, WALKAROUND)).body.length, 2)
  assertError(await grade(casey, { lessonResultId: first, pass: true, reason: 'x' }), 400, 4006, /reset/)
  assertError(await grade(casey, { pass: true, reason: 'x' }), 404, 4042)
  await assertStandings(app)
  const [change] = (await casey.get(`${PATH}/changes`, AVERY)).body
  assert.deepEqual(
    [change.change, change.before, change.after],
    [
      'reset',
      { attempts: 2, extraAttempts: 0, result: 'PASS', score: null, bestScore: 90, objectives: [] },
      { attempts: 0, extraAttempts: 0, result: 'NOT STARTED', score: null, bestScore: null, objectives: [] },
    ],
  )
  assert.equal((await listEvents(app, 'attempt.reset')).length, 1)
  // After the reset, the student again has both attempts that the lesson allows.
  await complete(avery, WALKAROUND, { pass: false, score: 10 })
  await complete(avery, WALKAROUND, { pass: false, score: 20 })
  assertError(await avery.post(`${PATH}/start`, WALKAROUND), 400, 4006, /All 2/)
  await assertStandings(app)
})

test('an attempt that is graded after a reset does not count what was reset', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: GRADED })
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  const standing = async () =>
    (await app.sql('select result, score, best_score, is_passed, awaits_grade from standings'))[0]
  await complete(avery, WALKAROUND, {})
  await grade(casey, { score: 95 })
  // This attempt is reset while it awaits its grade, so it awaits none afterwards.
  await complete(avery, WALKAROUND, {})
  assert.equal((await casey.post(`${PATH}/reset`, { ...AVERY, reason: 'Wrong aircraft.' })).status, 200)
  assert.equal((await casey.get(`${CLASS}/grading`)).body.total, 0)
  await complete(avery, WALKAROUND, {})
  assert.equal((await casey.get(`${CLASS}/grading`)).body.total, 1)
  await grade(casey, { score: 40 })
  const failed = { result: 'FAIL', score: 40, best_score: 40, is_passed: false, awaits_grade: false }
  assert.deepEqual(await standing(), failed)
  assert.equal(await isLocked(avery, 'after'), true)
  await grade(casey, { score: 30, reason: 'Counted again.' })
  assert.deepEqual(await standing(), { ...failed, score: 30, best_score: 30 })
  await assertStandings(app)
})

test('a reset and a start at once: one of them comes first', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  for (let round = 0; round < 8; round++) {
    await complete(avery, WALKAROUND, { pass: true, score: round })
    const [reset, started] = await Promise.all([
      casey.post(`${PATH}/reset`, { ...AVERY, reason: 'Again.' }),
      avery.post(`${PATH}/start`, WALKAROUND),
    ])
    assert.equal(started.status, 200, started.text)
    if (reset.status !== 200) assertError(reset, 400, 4006, /open/)
    await assertStandings(app)
    await avery.post(PATH, { ...WALKAROUND, complete: true })
  }
  await assertStandings(app)
})

test('who may grade, give attempts and reset, and who may read about it (D1)', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { lessons: [lesson('walkaround', { maxAttempts: 5, instructorGraded: true })] })
  const avery = await app.as('avery')
  const people = {
    avery: await browse(app, 'avery'),
    blake: await browse(app, 'blake'),
    casey: await browse(app, 'casey'),
    drew: await browse(app, 'drew'),
    ellis: await browse(app, 'ellis'),
    finley: await browse(app, 'finley'),
  }
  const codes = async (who: Browsing) => {
    await complete(avery, WALKAROUND, {})
    const reason = 'Because.'
    const answers = [
      await grade(who, { pass: true, reason }),
      await who.post(`${PATH}/extra`, { ...AVERY, reason }),
      await who.post(`${PATH}/reset`, { ...AVERY, reason }),
      await who.get(`${CLASS}/grading`, { classId: 'alpha' }),
      await who.get(`${PATH}/changes`, AVERY),
    ]
    if (answers[2]!.status !== 200) await people.casey.post(`${PATH}/reset`, { ...AVERY, reason })
    return answers.map(({ status, body }) => (status === 200 ? 200 : body.error_code))
  }
  assert.deepEqual(await codes(people.casey), [200, 200, 200, 200, 200])
  assert.deepEqual(await codes(people.finley), [200, 200, 200, 200, 200])
  assert.deepEqual(await codes(people.avery), [4032, 4032, 4032, 4032, 200])
  assert.deepEqual(await codes(people.ellis), [4032, 4032, 4032, 4032, 200])
  assert.deepEqual(await codes(people.blake), [4032, 4032, 4032, 4032, 4032])
  assert.deepEqual(await codes(people.drew), [4032, 4032, 4032, 4032, 4032])
  await app.sql(`update people set administrator = true where handle_key = 'drew'`)
  assert.deepEqual(await codes(people.drew), [4032, 4032, 4032, 4032, 200])

  await t.test('unknown students and classes look like those of others', async () => {
    const pass = { pass: true, reason: 'x' }
    for (const what of [{ studentId: 'nobody' }, { studentId: 'blake-bravo', classId: 'bravo' }])
      assert.deepEqual(
        (await grade(people.casey, { ...what, ...pass })).body,
        (await grade(people.blake, { ...AVERY, ...pass })).body,
      )
  })
  await t.test('neither apps nor anonymous callers can grade', async () => {
    const inApp = await app.as('casey')
    for (const path of ['grade', 'extra', 'reset']) {
      assertError(await inApp.post(`${PATH}/${path}`, { ...AVERY, pass: true, reason: 'x' }), 401, 4016)
      assertError(await app.nobody().post(`${PATH}/${path}`, { ...AVERY, pass: true, reason: 'x' }), 401, 4016)
    }
    assertError(await inApp.get(`${CLASS}/grading`), 401, 4016)
  })
  await t.test('those who were dropped can be graded, and record nothing any more', async () => {
    await complete(avery, WALKAROUND, {})
    await app.sql(`update enrolments set status = 'dropped' where key = 'avery-alpha'`)
    assert.equal((await grade(people.casey, { pass: true })).status, 200)
    assertError(await people.casey.post(`${PATH}/start`, AVERY), 403, 4032)
  })
})

test('nobody grades, resets or grants attempts to themselves, in any role (D1)', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [lesson('walkaround', { maxAttempts: 5, instructorGraded: true })],
    alpha: {
      students: [
        { handle: '@avery', id: 'avery-alpha' },
        { handle: '@finley', id: 'finley-alpha' },
      ],
    },
  })
  for (const person of ['avery', 'finley'] as const) await complete(await app.as(person), WALKAROUND, {})
  const [avery, finley, casey] = [await browse(app, 'avery'), await browse(app, 'finley'), await browse(app, 'casey')]
  for (const [who, students] of [
    [finley, ['avery-alpha']],
    [casey, ['avery-alpha', 'finley-alpha']],
  ] as const) {
    const { body } = await who.get('/edu/v1/class/grading', { classId: 'alpha' })
    assert.deepEqual(
      [body.docs.map(({ studentId }: { studentId: string }) => studentId), body.total],
      [students, students.length],
    )
  }
  for (const [sort, first] of [
    ['completed', 'avery-alpha'],
    ['-completed', 'finley-alpha'],
    ['-student', 'finley-alpha'],
  ] as const) {
    const { body } = await casey.get('/edu/v1/class/grading', { classId: 'alpha', sort })
    assert.equal(body.docs[0].studentId, first, sort)
  }
  assertError(await casey.get('/edu/v1/class/grading', { classId: 'alpha', sort: 'score' }), 400, 4003, /sort/)
  // Avery is dropped from the class and becomes an instructor of it.
  await app.sql(
    `update enrolments set status = 'dropped' where key = 'avery-alpha';
     insert into class_staff (class_id, person_id, role)
     select c.id, p.id, 'instructor' from classes c, people p where c.key = 'alpha' and p.handle_key = 'avery'`,
  )
  const FINLEY = { ...WALKAROUND, studentId: 'finley-alpha' }
  const more = { pass: true, reason: 'Because.' }
  for (const [who, own, other] of [
    [avery, AVERY, FINLEY],
    [finley, FINLEY, AVERY],
  ] as const)
    for (const path of ['grade', 'extra', 'reset']) {
      assertError(await who.post(`${PATH}/${path}`, { ...own, ...more }), 403, 4032, /not for themselves/)
      assert.equal((await who.post(`${PATH}/${path}`, { ...other, ...more })).status, 200, path)
    }
})

test('the best score is one of a completed attempt', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  await avery.post(`${PATH}/start`, WALKAROUND)
  await avery.post(PATH, { ...WALKAROUND, score: 90 })
  await avery.post(PATH, { ...WALKAROUND, score: 50, complete: true })
  await assertStandings(app)
})

test('a lesson that is started while another attempt at it is reported keeps its time running', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const avery = await app.as('avery')
  for (let i = 0; i < 8; i++) {
    const year = 2000 + i
    const report = { startTime: `${year}-01-01T10:00:00Z`, endTime: `${year}-01-01T11:00:00Z` }
    // Requests with and without the student's id wait in different queues, so these two run concurrently.
    const [started] = await Promise.all([
      avery.post(`${PATH}/start`, WALKAROUND),
      avery.post(PATH, { ...AVERY, ...report }),
    ])
    await assertStandings(app)
    assert.equal(started.status, 200)
    await avery.post(PATH, { ...WALKAROUND, complete: true })
  }
})
