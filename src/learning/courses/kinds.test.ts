import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { registerApp } from '../../apps/oauth/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { browse, complete, PATH as PROGRESS } from '../progress/testing.ts'
import { openSchool } from './testing.ts'

const COURSE = '/edu/v1/course'
const LESSONS = [
  { id: 'brief', name: 'Brief', kind: 'page', text: '# Weather\n\nLook at the sky.' },
  {
    id: 'ride',
    name: 'Ride',
    kind: 'instructor-led',
    threshold: 70,
    rubric: [{ id: 'landing', name: 'Landing', objective: 'safety', points: 10 }],
  },
  { id: 'drill', name: 'Drill', kind: 'activity' },
]

const app = await sharedApp(UNLIMITED)
await openSchool(app, {
  lessons: LESSONS.map((lesson) => ({ ...lesson, rubric: undefined })),
  alpha: { sequential: true },
  bravo: { instructors: ['@casey'] },
})
await registerApp(app, { key: 'quiz' })
const [finley, avery, casey, blake] = await Promise.all([
  signInBrowser(app, 'finley'),
  browse(app, 'avery'),
  browse(app, 'casey'),
  browse(app, 'blake'),
])
const save = (lessons: readonly object[], more: object = {}) =>
  call(finley, 'PUT', COURSE, { courseId: 'kinds', organisation: 'school', name: 'Kinds', lessons, ...more })
const own = (lesson: object & { id: string }) => ({ ...lesson, id: `new-${lesson.id}` })

test('a lesson has the content of its kind, and no other', async () => {
  const wrong: [lesson: object, must: RegExp][] = [
    [{ kind: 'page' }, /set text of one/],
    [{ kind: 'file' }, /set file of one/],
    [{ kind: 'quiz' }, /set quiz of one/],
    [{ kind: 'app' }, /set app of one/],
    [{ kind: 'activity', text: 'x' }, /not set text of one/],
    [{ kind: 'page', text: 'x', app: 'quiz' }, /not set app of one/],
    [{ text: 'x' }, /set kind of one/],
    [{ kind: 'instructor-led', rubric: [{ id: 'a', name: 'A', objective: 'none' }] }, /objectives of the course/],
    [{ kind: 'instructor-led', rubric: [1, 2].map(() => ({ id: 'a', name: 'A' })) }, /a appears twice/],
    [{ kind: 'quiz', quiz: { parts: [{}] } }, /either questions or a tag/],
    [{ kind: 'quiz', quiz: { parts: [{ questions: ['a'], tag: 'b' }] } }, /either questions or a tag/],
    [{ kind: 'quiz', quiz: { parts: [{ questions: ['a'], draw: 2 }] } }, /not draw more questions/],
  ]
  for (const [lesson, must] of wrong) {
    const answer = await save([{ id: 'one', name: 'One', ...lesson }])
    assertError(answer, 400, 4003)
    assert.match(answer.body.error_description, must)
  }
})

test('a criterion refers only to an objective that lists its lesson, and the fault names its field', async () => {
  const rubric = [{ id: 'landing', name: 'Landing', objective: 'safety' }]
  const lessons = [
    { id: 'talk', name: 'Talk' },
    { id: 'check', name: 'Check', kind: 'instructor-led', rubric },
  ]
  const objectives = [{ id: 'safety', name: 'Safety', lessons: ['talk'] }]
  const { status, body } = await save(lessons, { courseId: 'objectives', objectives })
  assert.equal(status, 400)
  assert.deepEqual(
    body.faults.map(({ pointer, message }: { pointer: string; message: string }) => [pointer, message]),
    [['/lessons/1/rubric/0/objective', 'Add this lesson to the objective Safety, or choose another one for Landing.']],
  )
})

test('managers preview the lessons of a draft as students will see them', async () => {
  const lessons = LESSONS.map((lesson) => ({ ...lesson, id: `new-${lesson.id}`, objective: undefined }))
  const saved = await save(lessons, { objectives: [{ id: 'new-safety', name: 'Safety', lessons: ['new-ride'] }] })
  assertError(saved, 400, 4003)
  const fixed = lessons.map((lesson) =>
    lesson.rubric
      ? { ...lesson, rubric: [{ ...lesson.rubric[0]!, objective: 'new-safety' }] }
      : own({ ...lesson, id: lesson.id.slice(4) }),
  )
  const made = await save(fixed, { objectives: [{ id: 'new-safety', name: 'Safety', lessons: ['new-ride'] }] })
  assert.equal(made.status, 200, made.text)
  const preview = (lessonId: string, browser = finley) =>
    call(browser, 'GET', `${COURSE}/lesson?courseId=kinds&lessonId=${lessonId}`)
  assert.deepEqual((await preview('new-brief')).body, {
    lessonId: 'new-brief',
    courseId: 'kinds',
    organisation: 'school',
    name: 'Brief',
    description: '',
    kind: 'page',
    threshold: null,
    text: '# Weather\n\nLook at the sky.',
  })
  assert.deepEqual((await preview('new-ride')).body.rubric, [
    { id: 'landing', name: 'Landing', objective: 'new-safety', points: 10 },
  ])
  assertError(await preview('nothing'), 404, 4042)
  assertError(await preview('new-brief', await signInBrowser(app, 'casey')), 403, 4032)
})

test('students read the content of lessons that are open, staff of all, and others of none', async () => {
  const read = (who: typeof avery, lessonId: string, classId = 'alpha') =>
    who.get('/edu/v1/lesson/content', { lessonId, classId })
  const found = await read(avery, 'brief')
  assert.deepEqual([found.status, found.body.kind, found.body.text], [200, 'page', LESSONS[0]!.text])
  assertError(await read(avery, 'ride'), 400, 4006)
  assert.equal((await read(casey, 'ride')).body.kind, 'instructor-led')
  assertError(await read(avery, 'brief', 'bravo'), 403, 4032)
  assertError(await (await browse(app, 'drew')).get('/edu/v1/lesson/content', { lessonId: 'brief' }), 404, 4042)
  await casey.post('/edu/v1/class/student/suspend', { studentId: 'avery-alpha' })
  assertError(await read(avery, 'brief'), 403, 4032, /You are suspended from this class/)
  await casey.post('/edu/v1/class/student/reinstate', { studentId: 'avery-alpha' })
  assert.equal((await read(avery, 'brief')).status, 200)
})

test('a page is passed when it is completed, and students report no other result of it', async () => {
  const what = { lessonId: 'brief', classId: 'alpha' }
  await complete(avery, what, {})
  const read = await avery.get(PROGRESS, what)
  assert.equal(read.body.pass, true)
  assert.equal((await blake.post(`${PROGRESS}/start`, what)).status, 200)
  assertError(await blake.post(PROGRESS, { ...what, score: 100, complete: true }), 403, 4032)
})

test('an instructor-led lesson is recorded by the instructor, and not started by students', async () => {
  const what = { lessonId: 'ride', classId: 'alpha' }
  assertError(await avery.post(`${PROGRESS}/start`, what), 403, 4032)
  const [startTime, endTime] = ['2026-01-05T09:00:00.000Z', '2026-01-05T10:30:00.000Z']
  const done = await casey.post(PROGRESS, {
    ...what,
    studentId: 'avery-alpha',
    score: 82,
    pass: true,
    startTime,
    endTime,
  })
  assert.deepEqual([done.status, done.body.pass, done.body.score], [200, true, 82], done.text)
})

test('results and the gradebook say of which kind each lesson is', async () => {
  const kinds = LESSONS.map(({ kind }) => kind)
  const results = await avery.get('/edu/v1/class/result', { classId: 'alpha' })
  assert.deepEqual(
    results.body.lessons.map(({ kind }: { kind: string }) => kind),
    kinds,
  )
  const gradebook = await casey.get('/edu/v1/class/gradebook', { classId: 'alpha' })
  assert.deepEqual(
    gradebook.body.lessons.map(({ kind }: { kind: string }) => kind),
    kinds,
  )
})
