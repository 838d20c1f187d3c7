import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { assertStandings, type Browsing, browse, listEvents, PATH as PROGRESS } from '../progress/testing.ts'

const PATH = '/edu/v1/evaluation'
const LESSONS = [
  { id: 'brief', name: 'Brief', kind: 'page', text: 'Read.' },
  { id: 'ride', name: 'Check ride', kind: 'instructor-led', threshold: 70 },
  { id: 'oral', name: 'Oral exam', kind: 'instructor-led' },
  { id: 'locked', name: 'Second ride', kind: 'instructor-led', prerequisites: ['brief'] },
]
const RUBRIC = [
  { id: 'landing', name: 'Landing', objective: 'safety', points: 10 },
  { id: 'radio', name: 'Radio', objective: 'safety', points: 30 },
  { id: 'manners', name: 'Manners' },
]

const app = await sharedApp(UNLIMITED)
const students = Array.from({ length: 12 }, (_, i) => ({ handle: `@pupil-${i}`, id: `pupil-${i}` }))
await app.sql(
  `insert into people (handle, handle_key, created_at) select '@pupil-' || i, 'pupil-' || i, now() from generate_series(0, 11) i`,
)
await openSchool(app, {
  lessons: LESSONS,
  alpha: {
    sequential: false,
    students: [
      { handle: '@avery', id: 'avery-alpha' },
      { handle: '@blake', id: 'blake-alpha' },
      { handle: '@drew', id: 'drew-alpha' },
      ...students,
    ],
    instructors: ['@casey', '@drew'],
  },
})
const owner = await signInBrowser(app, 'finley')
await call(owner, 'PUT', '/edu/v1/course', {
  courseId: 'course',
  name: 'Course',
  lessons: LESSONS.map((lesson) => (lesson.id === 'ride' ? { ...lesson, rubric: RUBRIC } : lesson)),
  objectives: [{ id: 'safety', name: 'Safety', lessons: ['ride'] }],
})
const published = await call(owner, 'POST', '/edu/v1/course/publish', { courseId: 'course' })
assert.equal(published.status, 200, published.text)
await app.sql(`update classes c set version_id = k.version_id from courses k where k.id = c.course_id`)
const [avery, blake, casey, drew, ellis, finley] = await Promise.all(
  (['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const).map((name) => browse(app, name)),
)
const as = { avery: avery!, blake: blake!, casey: casey!, drew: drew!, ellis: ellis!, finley: finley! }

let day = 0
/** Makes an evaluation at a time of its own, because attempts must not overlap. */
const evaluation = (studentId: string, more: object = {}) => {
  day++
  const startTime = new Date(Date.parse('2026-01-01T09:00:00Z') + day * 86_400_000).toISOString()
  const endTime = new Date(Date.parse(startTime) + 3_600_000).toISOString()
  return { evaluationId: randomUUID(), studentId, score: 80, pass: true, startTime, endTime, ...more }
}
const record = (who: Browsing, evaluations: readonly object[], more: object = {}) =>
  who.post(PATH, { classId: 'alpha', lessonId: 'ride', evaluations, ...more })
const recordOne = async (studentId: string, more: object = {}, lessonId = 'ride') => {
  const answer = await record(as.casey, [evaluation(studentId, more)], { lessonId })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.evaluations[0]
}
const countAttempts = async (student: string): Promise<number> =>
  (
    await app.sql(
      `select count(*)::int as n from attempts t join enrolments e on e.id = t.enrolment_id where e.key = '${student}'`,
    )
  )[0]!.n as number

test('an instructor records an evaluation, which is an attempt with its statements and objective scores', async () => {
  const given = evaluation('avery-alpha', {
    score: undefined,
    pass: undefined,
    criteria: [
      { id: 'landing', points: 10 },
      { id: 'radio', points: 15 },
    ],
    remarks: ' Steady approach. ',
  })
  const before = (await listEvents(app, '%')).length
  const { status, body } = await record(as.casey, [given])
  assert.equal(status, 200)
  const { evaluation: stored } = body.evaluations[0]
  const { recorded, changed, lessonResultId, ...rest } = stored
  assert.deepEqual(rest, {
    evaluationId: given.evaluationId,
    version: 1,
    classId: 'alpha',
    studentId: 'avery-alpha',
    handle: '@avery',
    name: stored.name,
    lessonId: 'ride',
    lessonName: 'Check ride',
    criteria: [
      { id: 'landing', name: 'Landing', objective: 'safety', maxPoints: 10, points: 10 },
      { id: 'radio', name: 'Radio', objective: 'safety', maxPoints: 30, points: 15 },
      { id: 'manners', name: 'Manners', objective: null, maxPoints: 100, points: null },
    ],
    score: 62.5,
    pass: false,
    remarks: 'Steady approach.',
    startTime: given.startTime,
    endTime: given.endTime,
    recordedBy: stored.recordedBy,
    acknowledged: null,
    comment: '',
    counts: true,
  })
  assert.ok(recorded === changed && stored.recordedBy)
  assert.deepEqual(
    (await listEvents(app, '%')).slice(before).map(({ kind }) => kind),
    ['attempt.completed', 'objective.scored'],
  )
  const attempt = await as.avery.get(PROGRESS, { lessonId: 'ride', classId: 'alpha' })
  assert.deepEqual(
    [attempt.body.lessonResultId, attempt.body.score, attempt.body.started, attempt.body.completed],
    [lessonResultId, 62.5, given.startTime, given.endTime],
  )
  const results = await as.avery.get('/edu/v1/class/result', { classId: 'alpha' })
  const ride = results.body.lessons.find(({ lessonId }: { lessonId: string }) => lessonId === 'ride')
  assert.deepEqual([ride.result, ride.explanation], ['FAIL', 'Not passed. You scored 62.5.'])
  assert.equal(results.body.objectives[0].score, 62.5)
  await assertStandings(app)
})

test('the instructor decides about pass and fail, whatever the score', async () => {
  const failed = await recordOne('pupil-0', { score: 95, pass: false })
  assert.deepEqual([failed.evaluation.pass, failed.evaluation.score], [false, 95])
  const passed = await recordOne('pupil-1', { score: 60, pass: true })
  const rows = await app.sql(
    `select result from attempts where key in ('${failed.evaluation.lessonResultId}', '${passed.evaluation.lessonResultId}') order by id`,
  )
  assert.deepEqual(
    rows.map(({ result }) => result),
    ['FAIL', 'PASS'],
  )
})

test('sending the same id again changes nothing and returns what is stored', async () => {
  const given = evaluation('pupil-2')
  const answers = await Promise.all(Array.from({ length: 6 }, () => record(as.casey, [given])))
  const again = await record(as.casey, [{ ...given, score: 10, remarks: 'Other' }])
  for (const { body } of [...answers, again])
    assert.deepEqual(body.evaluations[0].evaluation, answers[0]!.body.evaluations[0].evaluation, body)
  assert.equal(await countAttempts('pupil-2'), 1)
  const other = await record(as.casey, [{ ...evaluation('pupil-3'), evaluationId: given.evaluationId }])
  assert.equal(other.body.evaluations[0].code, 4091)
  assert.equal(await countAttempts('pupil-3'), 0)
})

test('several students are recorded at once, and one mistake does not lose the others', async () => {
  const given = [
    evaluation('pupil-4'),
    evaluation('nobody'),
    evaluation('pupil-5', { criteria: [{ id: 'landing', points: 11 }] }),
    evaluation('pupil-5', { criteria: [{ id: 'nothing', points: 1 }] }),
    evaluation('pupil-5', { startTime: 'yesterday' }),
    evaluation('pupil-5', { startTime: '2999-01-01T00:00:00Z', endTime: undefined }),
    evaluation('pupil-5', { endTime: '2020-01-01T00:00:00Z' }),
    evaluation('blake-bravo'),
    evaluation('pupil-6'),
  ]
  const { status, body } = await record(as.casey, given)
  assert.equal(status, 200)
  assert.deepEqual(
    body.evaluations.map(({ studentId, code }: { studentId: string; code: number | null }) => [studentId, code]),
    given.map(({ studentId }, i) => [studentId, [null, 4032, 4003, 4003, 4003, 4003, 4003, 4032, null][i]]),
  )
  assert.equal(await countAttempts('pupil-5'), 0)
})

test('a lesson must be instructor-led, open to the student, and of the class', async () => {
  const codes = async (lessonId: string, more: object = {}) =>
    (await record(as.casey, [evaluation('pupil-7', more)], { lessonId })).body.evaluations[0].code
  assert.equal(await codes('brief'), 4003)
  assert.equal(await codes('locked'), 4006)
  assert.equal(await codes('nothing'), 4042)
  assert.equal(await codes('oral', { pass: undefined }), 4001)
  assert.equal(await codes('oral', { score: undefined }), null)
  assert.equal(await codes('ride', { score: undefined, pass: undefined }), 4001)
})

test('a clock that is a little ahead is accepted', async () => {
  const { evaluation: stored } = await recordOne('pupil-7', {
    startTime: new Date(Date.now() + 60_000).toISOString(),
    endTime: undefined,
  })
  assert.ok(Date.parse(stored.endTime) <= Date.now())
})

test('two instructors who record the same ride at once: one is recorded, and the other is told of the overlap', async () => {
  const [one, two] = [evaluation('pupil-8'), evaluation('pupil-8')]
  const same = { startTime: one.startTime, endTime: one.endTime }
  const answers = await Promise.all([record(as.casey, [one]), record(as.drew, [{ ...two, ...same }])])
  assert.deepEqual(answers.map(({ body }) => body.evaluations[0].code).sort(), [4003, null])
  assert.equal(await countAttempts('pupil-8'), 1)
})

test('an attempt that is open is completed by the evaluation', async () => {
  const what = { lessonId: 'ride', classId: 'alpha', studentId: 'pupil-9' }
  const started = await as.casey.post(`${PROGRESS}/start`, what)
  assert.equal(started.status, 200, started.text)
  const { evaluation: stored } = await recordOne('pupil-9')
  assert.equal(stored.lessonResultId, started.body.lessonResultId)
  assert.equal(stored.startTime, started.body.started)
  assert.equal(await countAttempts('pupil-9'), 1)
  await assertStandings(app)
})

test('who may record, change, read and acknowledge', async () => {
  const { evaluation: stored } = await recordOne('blake-alpha')
  const { evaluationId } = stored
  const status = async (act: (who: Browsing) => Promise<{ status: number }>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(as).map(async ([name, who]) => [name, (await act(who)).status])),
    )
  assert.deepEqual(await status((who) => who.get(PATH, { evaluationId })), {
    avery: 404,
    blake: 200,
    casey: 200,
    drew: 200,
    ellis: 200,
    finley: 200,
  })
  assert.deepEqual(await status((who) => record(who, [evaluation('nobody')])), {
    avery: 403,
    blake: 403,
    casey: 200,
    drew: 200,
    ellis: 403,
    finley: 403,
  })
  assert.deepEqual(await status((who) => who.post(`${PATH}/change`, { evaluationId, score: 71, reason: 'Checked.' })), {
    avery: 404,
    blake: 403,
    casey: 200,
    drew: 200,
    ellis: 403,
    finley: 200,
  })
  assert.deepEqual(await status((who) => who.post(`${PATH}/acknowledge`, { evaluationId, version: 4 })), {
    avery: 404,
    blake: 200,
    casey: 403,
    drew: 403,
    ellis: 403,
    finley: 403,
  })
  const list = (who: Browsing, query: Record<string, string> = { classId: 'alpha' }) => who.get(`${PATH}/list`, query)
  for (const who of [as.casey, as.ellis, as.finley]) assert.ok((await list(who)).body.total > 5)
  const own = await list(as.blake)
  assert.deepEqual([own.body.total, own.body.docs[0].evaluationId], [1, evaluationId])
  assert.equal((await list(as.blake, {})).body.total, 1)
  for (const classId of ['bravo', 'nowhere']) assert.equal((await list(as.avery, { classId })).body.total, 0)
  assertError(await list(as.avery, { studentId: 'blake-alpha' }), 400, 4001)
  assert.equal((await list(as.avery, { classId: 'alpha', studentId: 'blake-alpha' })).body.total, 0)
  assert.equal((await list(as.casey, { classId: 'alpha', studentId: 'blake-alpha' })).body.total, 1)
})

test('instructors who are students of the class cannot evaluate themselves', async () => {
  const { body } = await record(as.drew, [evaluation('drew-alpha')])
  assert.equal(body.evaluations[0].code, 4032)
})

test('a change needs a reason, is logged with what was before, and has to be acknowledged again', async () => {
  const { evaluation: stored } = await recordOne('avery-alpha', { criteria: [{ id: 'landing', points: 5 }] })
  const { evaluationId } = stored
  const acknowledge = (version: number) =>
    as.avery.post(`${PATH}/acknowledge`, { evaluationId, version, comment: 'Ok' })
  const first = await acknowledge(1)
  assert.deepEqual([first.status, first.body.comment, first.body.acknowledged !== null], [200, 'Ok', true])
  assert.deepEqual((await acknowledge(1)).body, first.body)
  assertError(await as.casey.post(`${PATH}/change`, { evaluationId, score: 90 }), 400, 4001)
  assertError(await as.casey.post(`${PATH}/change`, { evaluationId, score: 90, reason: ' ' }), 400, 4001)
  const before = (await listEvents(app, '%')).length
  const changed = await as.casey.post(`${PATH}/change`, {
    evaluationId,
    criteria: [{ id: 'landing', points: 9 }],
    remarks: 'Better than I thought',
    reason: 'Video seen',
  })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    [changed.body.version, changed.body.score, changed.body.pass, changed.body.acknowledged, changed.body.comment],
    [2, 90, true, null, ''],
  )
  assert.deepEqual(
    (await listEvents(app, '%')).slice(before).map(({ kind }) => kind),
    ['attempt.graded', 'objective.scored'],
  )
  assertError(await acknowledge(1), 409, 4091)
  const log = await as.avery.get(`${PROGRESS}/changes`, { lessonId: 'ride', classId: 'alpha' })
  const [, grade] = log.body
  assert.deepEqual([grade.change, grade.reason, grade.before.score, grade.after.score], ['grade', 'Video seen', 80, 90])
  assert.deepEqual(grade.before.criteria[0], { id: 'landing', points: 5 })
  const remarks = await as.casey.post(`${PATH}/change`, { evaluationId, remarks: 'Shorter', reason: 'Tidied up' })
  assert.deepEqual([remarks.body.version, remarks.body.score, remarks.body.remarks], [3, 90, 'Shorter'])
  await assertStandings(app)
})

test('students list what they have not acknowledged', async () => {
  const pending = async () =>
    (await as.avery.get(`${PATH}/list`, { acknowledged: 'false' })).body.docs.map(
      ({ evaluationId }: { evaluationId: string }) => evaluationId,
    )
  const { evaluation: stored } = await recordOne('avery-alpha')
  assert.ok((await pending()).includes(stored.evaluationId))
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      as.avery.post(`${PATH}/acknowledge`, { evaluationId: stored.evaluationId, version: 1 }),
    ),
  )
  for (const { status } of answers) assert.equal(status, 200)
  assert.ok(!(await pending()).includes(stored.evaluationId))
})

test('a closed class takes no new evaluations, but mistakes can still be corrected', async () => {
  const { evaluation: stored } = await recordOne('pupil-10')
  await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
  const refused = await recordOne('pupil-10')
  assert.equal(refused.code, 4006)
  const changed = await as.casey.post(`${PATH}/change`, {
    evaluationId: stored.evaluationId,
    pass: false,
    reason: 'Wrong student',
  })
  assert.deepEqual([changed.status, changed.body.pass], [200, false])
  await app.sql(`update classes set ended_at = null where key = 'alpha'`)
})

test('an evaluation of a lesson that was reset no longer counts', async () => {
  const { evaluation: stored } = await recordOne('pupil-11')
  const reset = await as.casey.post(`${PROGRESS}/reset`, { lessonId: 'ride', studentId: 'pupil-11', reason: 'Again' })
  assert.equal(reset.status, 200, reset.text)
  const read = await as.casey.get(PATH, { evaluationId: stored.evaluationId })
  assert.equal(read.body.counts, false)
})
