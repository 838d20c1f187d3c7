import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lesson, openSchool } from '../../learning/courses/testing.ts'
import { type Browsing, browse, CLASS, complete, PATH } from '../../learning/progress/testing.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'

const MINUTE_MS = 60_000
const ALPHA = { classId: 'alpha' }
const AVERY = { ...ALPHA, studentId: 'avery-alpha' }

interface LessonResult {
  readonly lessonId: string
  readonly [name: string]: unknown
}

const readLessons = async (who: Client | Browsing): Promise<Map<string, LessonResult>> => {
  const { status, body, text } = await who.get(`${CLASS}/result`, AVERY)
  assert.equal(status, 200, text)
  return new Map(body.lessons.map((one: LessonResult) => [one.lessonId, one]))
}

test('every lesson has a result, with a sentence that explains it', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [
      lesson('never'),
      lesson('running', { threshold: 10 }),
      lesson('passed'),
      lesson('failed'),
      lesson('scored'),
      lesson('points', { threshold: 80 }),
      lesson('few', { threshold: 80 }),
      lesson('torn', { threshold: 80 }),
      lesson('bare', { threshold: 80 }),
      lesson('graded', { instructorGraded: true }),
    ],
    alpha: { sequential: false },
  })
  app.holdClock()
  const avery = await app.as('avery')
  const started = app.environment().clock().toISOString()
  await avery.post(`${PATH}/start`, { ...ALPHA, lessonId: 'running' })
  app.advance(5 * MINUTE_MS)
  await avery.post(`${PATH}/idle`, { ...ALPHA, lessonId: 'running' })
  app.advance(MINUTE_MS)
  await avery.post(`${PATH}/active`, { ...ALPHA, lessonId: 'running' })
  const reports = {
    passed: { pass: true },
    failed: { pass: false },
    scored: { pass: false, score: 60 },
    points: { pass: true, score: 80 },
    few: { pass: false, score: 79 },
    torn: { pass: true, score: 79 },
    bare: { pass: true },
    graded: {},
  }
  for (const [lessonId, report] of Object.entries(reports)) await complete(avery, { ...ALPHA, lessonId }, report)
  app.advance(2 * MINUTE_MS + 999)

  const lessons = await readLessons(avery)
  assert.deepEqual(
    [...lessons.values()].map(({ lessonId, result, explanation }) => [lessonId, result, explanation]),
    [
      ['never', 'NOT STARTED', 'No attempts yet'],
      ['running', 'IN PROGRESS', 'Not finished yet'],
      ['passed', 'PASS', 'Passed'],
      ['failed', 'FAIL', 'Not passed'],
      ['scored', 'FAIL', 'Not passed. You scored 60.'],
      ['points', 'PASS', 'Passed with 80 points (80 required)'],
      ['few', 'FAIL', 'Not passed. You scored 79 (80 required).'],
      ['torn', 'INCOMPLETE', 'Not passed yet: the score is too low. You scored 79 (80 required).'],
      ['bare', 'INCOMPLETE', 'No score yet (80 required)'],
      ['graded', 'INCOMPLETE', 'An instructor will grade this attempt'],
    ],
  )
  const running = lessons.get('running')!
  assert.deepEqual(running, {
    lessonId: 'running',
    parentId: null,
    name: 'running',
    kind: 'app',
    result: 'IN PROGRESS',
    explanation: running.explanation,
    score: null,
    bestScore: null,
    passed: false,
    attempts: 1,
    attemptsLeft: null,
    awaitsGrade: false,
    // Five minutes of progress, then an idle minute that does not count, then two minutes that are still running.
    timeOnTask: 7 * 60,
    lessonResultId: running.lessonResultId,
    started,
    completed: null,
    locked: false,
    lockReason: null,
    lockedBy: null,
    opens: null,
    due: null,
    closes: null,
    late: false,
    overdue: false,
    statements: 0,
  })
  assert.deepEqual(
    [...lessons.values()].filter(({ awaitsGrade }) => awaitsGrade).map(({ lessonId }) => lessonId),
    ['graded'],
  )
  // The result and the score come from the latest attempt; the best score and `passed` are kept from earlier attempts.
  await complete(avery, { ...ALPHA, lessonId: 'points' }, { pass: false, score: 10 })
  const { result, score, bestScore, passed, attempts } = (await readLessons(avery)).get('points')!
  assert.deepEqual([result, score, bestScore, passed, attempts], ['FAIL', 10, 80, true, 2])
})

test('an objective has the scores reported for it, or else those of its lessons', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { alpha: { sequential: false } })
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  const safety = async () => {
    const { objectives } = (await avery.get(`${CLASS}/result`, ALPHA)).body
    assert.equal(objectives.length, 1)
    return objectives[0]
  }
  const of = (walkaround: [number | null, boolean], checkride: [number | null, boolean], score: number | null) => ({
    objectiveId: 'safety',
    name: 'Safety',
    score,
    lessons: [
      { lessonId: 'walkaround', score: walkaround[0], reported: walkaround[1] },
      { lessonId: 'checkride', score: checkride[0], reported: checkride[1] },
    ],
    lessonScores: [
      { lessonId: 'walkaround', score: walkaround[0] },
      { lessonId: 'checkride', score: checkride[0] },
    ],
  })
  assert.deepEqual(await safety(), of([null, false], [null, false], null))
  await complete(avery, { ...ALPHA, lessonId: 'walkaround' }, { pass: true, score: 60 })
  assert.deepEqual(await safety(), of([60, false], [null, false], 60))
  await complete(avery, { ...ALPHA, lessonId: 'checkride' }, { pass: true, score: 85 })
  assert.deepEqual(await safety(), of([60, false], [85, false], 72.5))
  await avery.post(`${PATH}/objective`, { ...ALPHA, lessonId: 'walkaround', objectiveId: 'safety', score: 0 })
  assert.deepEqual(await safety(), of([0, true], [85, false], 42.5))
  // A score reported for an objective no longer counts after its attempt was reset.
  await casey.post(`${PATH}/reset`, { ...AVERY, lessonId: 'walkaround', reason: 'Again.' })
  assert.deepEqual(await safety(), of([null, false], [85, false], 85))
})

test('a locked lesson gives the reason', async (t) => {
  const app = await testApp(t)
  const names = ['one', 'two', 'three', 'four', 'five']
  await openSchool(app, { lessons: names.map((id) => lesson(id, { name: id.toUpperCase() })) })
  const avery = await app.as('avery')
  const reason = async (lessonId: string) => (await avery.get(`${PATH}/lock/reason`, { ...ALPHA, lessonId })).body
  const free = { studentId: 'avery-alpha', locked: false, reason: null, missing: [] }
  const locked = { ...free, locked: true }
  assert.deepEqual(await reason('one'), { lessonId: 'one', ...free })
  assert.deepEqual(await reason('two'), {
    lessonId: 'two',
    ...locked,
    reason: 'Locked until you pass ONE',
    missing: ['one'],
  })
  assert.equal((await reason('five')).reason, 'Locked until you pass ONE, TWO, THREE and 1 more')
  await complete(avery, { ...ALPHA, lessonId: 'one' }, { pass: true })
  assert.deepEqual(await reason('two'), { lessonId: 'two', ...free })
  assert.deepEqual(await reason('three'), {
    lessonId: 'three',
    ...locked,
    reason: 'Locked until you pass TWO',
    missing: ['two'],
  })
  assert.equal((await reason('four')).reason, 'Locked until you pass TWO and THREE')
  assert.equal((await readLessons(avery)).get('four')!.lockReason, (await reason('four')).reason)
  const byHand = (lessonId: string, isLocked: boolean) =>
    app.sql(
      `insert into lesson_locks (class_id, lesson_id, is_locked, set_at) select c.id, l.id, ${isLocked}, now() from classes c, lessons l
        where c.key = 'alpha' and l.key = '${lessonId}'`,
    )
  await byHand('five', false)
  await byHand('one', true)
  assert.deepEqual(await reason('five'), { lessonId: 'five', ...free })
  assert.deepEqual(await reason('one'), { lessonId: 'one', ...locked, reason: 'Locked by an instructor' })
  assertError(await avery.post(`${PATH}/start`, { ...ALPHA, lessonId: 'one' }), 400, 4006, /lock\/reason/)
  assertError(await avery.get(`${PATH}/lock/reason`, { ...ALPHA, lessonId: 'none' }), 404, 4042)
})

test('only authorised callers read results, lock reasons and the timeline (D1)', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  await openSchool(app)
  const avery = await app.as('avery')
  await complete(avery, { ...ALPHA, lessonId: 'walkaround' }, { pass: true })
  const codes = async (who: Client | Browsing) => {
    const answers = [
      await who.get(`${CLASS}/result`, AVERY),
      await who.get(`${PATH}/lock/reason`, { ...AVERY, lessonId: 'checklist' }),
      await who.get(`${CLASS}/timeline`, { studentId: 'avery-alpha' }),
    ]
    const all = new Set(answers.map(({ status, body }) => (status === 200 ? 200 : body.error_code)))
    assert.equal(all.size, 1)
    return [...all][0]
  }
  for (const person of ['avery', 'casey', 'ellis', 'finley'] as const) {
    assert.equal(await codes(await app.as(person)), 200, person)
    assert.equal(await codes(await browse(app, person)), 200, person)
  }
  // Students may read their own results through any app, even one that delivers none of the lessons.
  assert.equal(await codes(await app.as('avery', 'second')), 200)
  for (const person of ['blake', 'drew'] as const) {
    assert.equal(await codes(await app.as(person)), 4032, person)
    assert.equal(await codes(await browse(app, person)), 4032, person)
  }
  assert.equal(await codes(app.nobody()), 4016)
  const { token } = await app.as('avery', 'first', 'sandbox')
  assert.equal(await codes(new Client(app.address, token)), 4034)
  await app.sql(`update people set anonymous = true where handle_key = 'drew'`)
  assert.equal(await codes(await app.as('drew')), 4035)
  await app.sql(`update people set anonymous = false, administrator = true where handle_key = 'drew'`)
  assert.equal(await codes(await app.as('drew')), 200)

  await t.test('the student must be named and belong to the class', async () => {
    const casey = await app.as('casey')
    assertError(await casey.get(`${CLASS}/result`, ALPHA), 400, 4001, /studentId/)
    assertError(await casey.get(`${CLASS}/timeline`, ALPHA), 400, 4001, /studentId/)
    assertError(await avery.get(`${CLASS}/timeline`), 400, 4001, /studentId/)
    assertError(await casey.get(`${CLASS}/result`, { ...AVERY, classId: 'bravo' }), 400, 4003)
    for (const studentId of ['nobody', 'blake-bravo'])
      assert.deepEqual(
        (await casey.get(`${CLASS}/result`, { ...ALPHA, studentId })).body,
        (await (await app.as('blake')).get(`${CLASS}/result`, AVERY)).body,
      )
  })
  await t.test('a dropped student reads their own results by id; a suspended one reads them as usual', async () => {
    await app.sql(`update enrolments set status = 'suspended' where key = 'avery-alpha'`)
    assert.equal((await avery.get(`${CLASS}/result`, ALPHA)).status, 200)
    await app.sql(`update enrolments set status = 'dropped' where key = 'avery-alpha'`)
    assertError(await avery.get(`${CLASS}/result`, ALPHA), 403, 4032)
    assert.equal((await avery.get(`${CLASS}/result`, AVERY)).status, 200)
  })
})

test('in a sequential class, steps wait for the steps before them and for prerequisites, and nothing waits for steps', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [
      lesson('one', { childLessons: [lesson('one-a'), lesson('one-b')] }),
      lesson('two', {
        prerequisites: ['one-a'],
        childLessons: [lesson('two-a'), lesson('two-b', { prerequisites: ['one-b'] })],
      }),
      lesson('three'),
      lesson('four'),
    ],
  })
  const avery = await app.as('avery')
  const missing = async (lessonId: string) =>
    (await avery.get(`${PATH}/lock/reason`, { ...ALPHA, lessonId })).body.missing
  const expected = {
    one: [],
    'one-a': [],
    'one-b': ['one-a'],
    two: ['one', 'one-a'],
    'two-a': ['one', 'one-a'],
    'two-b': ['one', 'one-a', 'one-b', 'two-a'],
    three: ['one', 'two'],
    four: ['one', 'two', 'three'],
  }
  for (const [id, lessons] of Object.entries(expected)) assert.deepEqual(await missing(id), lessons, id)
  const found = await readLessons(avery)
  assert.equal(found.get('two-b')!.lockReason, 'Locked until you pass one, one-a, one-b and 1 more')
})
