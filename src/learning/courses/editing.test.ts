import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { REDIRECT_URI, registerApp } from '../../apps/oauth/testing.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { findFreePort } from '../../operations/testing/ports.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { openSchool } from './testing.ts'

const PATH = '/edu/v1/course'

// Finley owns the school, and Casey and Drew are its instructors. Ellis is an administrator, Blake owns another school,
// and Avery is only a student.
const app = await sharedApp(UNLIMITED)
await openSchool(app)
await registerApp(app, { key: 'quiz' })
await registerApp(app, { key: 'open', isPublic: true })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   insert into organisations (key, name, created_at) values ('other', 'Other', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, r.role from (values ('@blake', 'other', 'owner'), ('@casey', 'school', 'instructor'), ('@drew', 'school', 'instructor')) r(handle, key, role)
     join people p on p.handle = r.handle join organisations o on o.key = r.key`,
)
const [finley, casey, drew, ellis, blake, avery] = await Promise.all(
  (['finley', 'casey', 'drew', 'ellis', 'blake', 'avery'] as const).map((name) => signInBrowser(app, name)),
)

const save = (browser: TestBrowser | undefined, course: object) =>
  call(browser!, 'PUT', PATH, { name: 'Night', lessons: [], organisation: 'school', ...course })
const post = (browser: TestBrowser | undefined, path: string, what: object) =>
  call(browser!, 'POST', `${PATH}/${path}`, what)
const get = (browser: TestBrowser | undefined, path: string, query: Record<string, string>) =>
  call(browser!, 'GET', `${PATH}/${path}?${new URLSearchParams(query)}`)
const letInstructors = (courseAuthors: string, browser = finley) =>
  call(browser!, 'POST', '/edu/v1/organisation/course-authors', { organisation: 'school', courseAuthors })
const auditOf = async (action: string) =>
  (await app.sql(`select detail from audit_entries where action = '${action}' order by id`)).map(({ detail }) => detail)

test('all mistakes of a course are returned at once, each with its place and a sentence for the author', async () => {
  const answer = await save(finley, {
    courseId: 'faulty',
    lessons: [
      { id: 'f-1', name: 'Weather', kind: 'page' },
      {
        id: 'f-2',
        name: 'Ride',
        app: 'quiz',
        launchUri: 'https://elsewhere.example/?lessonId=1',
        launchParameters: ['level=1', 'code=2'],
        childLessons: [{ id: 'f-3', name: 'Step', app: 'open', passCode: true, launchUri: REDIRECT_URI }],
      },
      { id: 'walkaround', name: 'Taken', prerequisites: ['gone'] },
      { id: 'f-4', name: 'Early', prerequisites: ['f-5'] },
      { id: 'f-5', name: 'Late' },
    ],
    objectives: [{ id: 'f-6', name: 'Safety', lessons: ['gone'] }],
  })
  assertError(answer, 400, 4003, /^lessons must set text of f-1/)
  const found = answer.body.faults.map((one: { pointer: string; message: string }) => [one.pointer, one.message])
  assert.deepEqual(found, [
    ['/lessons/0/text', 'Write the text of the page.'],
    ['/lessons/1/launchUri', 'Remove lessonId from the query. Groundschool adds it itself.'],
    ['/lessons/1/launchParameters/1', 'Choose another name. Groundschool adds code itself.'],
    ['/lessons/2/prerequisites', 'A prerequisite is no longer in the course.'],
    ['/lessons/3/prerequisites', 'Move this lesson after its prerequisite, Late.'],
    ['/objectives/0/lessons', 'A lesson of this objective is no longer in the course.'],
    ['/lessons/2/id', 'The id walkaround belongs to another course. Duplicate the lesson to get a new one.'],
    ['/lessons/1/launchUri', 'This is not one of the app’s redirect URIs. Choose one from the list.'],
    ['/lessons/1/childLessons/0/passCode', 'This app can’t sign students in: it is a public client and has no secret.'],
  ])
})

const COURSE = {
  courseId: 'origin',
  name: 'Origin',
  lessons: [
    { id: 'o-1', name: 'First', childLessons: [{ id: 'o-2', name: 'Step' }] },
    {
      id: 'o-3',
      name: 'Ride',
      kind: 'instructor-led',
      prerequisites: ['o-1', 'o-2'],
      rubric: [{ id: 'landing', name: 'Landing', objective: 'o-4' }],
    },
  ],
  objectives: [{ id: 'o-4', name: 'Safety', lessons: ['o-3'] }],
}

test('a copy of a course has new ids, and refers only to its own lessons and objectives', async () => {
  assert.equal((await save(finley, COURSE)).status, 200)
  const made = await post(finley, 'duplicate', { courseId: 'origin', newCourseId: 'copy' })
  assert.equal(made.status, 200, made.text)
  const { lessons, objectives, name, draft, version, organisation } = made.body
  assert.deepEqual([name, draft, version, organisation], ['Copy of Origin', true, null, 'school'])
  const [first, ride] = lessons
  const ids = [first.id, first.childLessons[0].id, ride.id, objectives[0].id]
  for (const id of ids) assert.match(id, /^[\w-]{22}$/)
  assert.deepEqual(ride.prerequisites, ids.slice(0, 2))
  assert.deepEqual(ride.rubric, [{ id: 'landing', name: 'Landing', objective: objectives[0].id }])
  assert.deepEqual(objectives[0].lessons, [ride.id])
  assert.equal((await post(finley, 'publish', { courseId: 'origin' })).status, 200)
  assert.equal((await post(finley, 'publish', { courseId: 'copy' })).status, 200)
  assert.deepEqual(await auditOf('course.duplicated'), [
    { course: 'copy', before: 'origin', organisation: 'school', self: true },
  ])
  assertError(await post(finley, 'duplicate', { courseId: 'origin', newCourseId: 'copy' }), 409, 4091)
  assertError(await post(finley, 'duplicate', { courseId: 'origin', organisation: 'other' }), 403, 4032)
  for (const browser of [blake, casey, avery])
    assertError(await post(browser, 'duplicate', { courseId: 'origin' }), 403, 4032)
  const elsewhere = await post(ellis, 'duplicate', { courseId: 'origin', organisation: 'other', name: 'Ours' })
  assert.deepEqual([elsewhere.body.organisation, elsewhere.body.name], ['other', 'Ours'])
})

test('a course with a quiz or files is copied only within its organisation', async () => {
  const lessons = [{ id: 'bound', name: 'Chart', kind: 'page', text: 'See ![](file:abc).' }]
  assert.equal((await save(finley, { courseId: 'bound', lessons })).status, 200)
  assertError(await post(ellis, 'duplicate', { courseId: 'bound', organisation: 'other' }), 400, 4006, /Chart/)
  assert.equal((await post(ellis, 'duplicate', { courseId: 'bound' })).status, 200)
})

test('owners decide whether instructors create courses, and instructors edit only their own', async () => {
  assertError(await save(casey, { courseId: 'hers' }), 403, 4032, /ask one of its owners/)
  for (const browser of [casey, blake, avery]) assertError(await letInstructors('instructors', browser), 403, 4032)
  const before = (await call(casey!, 'GET', '/account/v1/here')).body.person?.may.createCourse
  const allowed = await letInstructors('instructors')
  assert.deepEqual([allowed.status, allowed.body.courseAuthors], [200, 'instructors'])
  await letInstructors('instructors')
  assert.deepEqual(await auditOf('organisation.course-authors'), [
    { organisation: 'school', before: 'owners', after: 'instructors', self: true },
  ])
  const after = (await call(casey!, 'GET', '/account/v1/here')).body.person?.may.createCourse
  assert.deepEqual([before, after], [false, true])
  const own = await call(casey!, 'GET', '/edu/v1/organisation/list?role=courseAuthor')
  assert.deepEqual(
    own.body.docs.map((one: { organisation: string }) => one.organisation),
    ['school'],
  )

  const lessons = [{ id: 'hers-1', name: 'One' }]
  const made = await save(casey, { courseId: 'hers', lessons })
  assert.deepEqual([made.status, made.body.may], [200, { createClasses: true }], made.text)
  assert.equal((await save(casey, { courseId: 'hers', organisation: undefined, lessons })).status, 200)
  assert.equal((await post(casey, 'publish', { courseId: 'hers' })).body.version, 1)
  assert.equal((await post(casey, 'duplicate', { courseId: 'hers', newCourseId: 'hers-2' })).status, 200)
  const managed = async (browser: TestBrowser | undefined) =>
    (await get(browser, 'managed', { limit: '100' })).body.docs.map(({ courseId }: { courseId: string }) => courseId)
  assert.deepEqual((await managed(casey)).sort(), ['hers', 'hers-2'])
  assert.deepEqual(await managed(drew), [])
  assert.ok((await managed(finley)).includes('hers'))

  // Others' courses stay closed, and so do classes of them.
  const open = (browser: TestBrowser | undefined, courseId: string) =>
    call(browser!, 'PUT', '/edu/v1/class', { courseId, name: 'Hers' })
  for (const [browser, courseId] of [
    [drew, 'hers'],
    [casey, 'course'],
  ] as const) {
    assertError(await get(browser, 'document', { courseId }), 403, 4032)
    assertError(await save(browser, { courseId, organisation: undefined }), 403, 4032)
    assertError(await save(browser, { courseId }), 409, 4091)
    assertError(await post(browser, 'remove', { courseId }), 403, 4032)
    assertError(await open(browser, courseId), 403, 4032)
  }
  const taught = (await open(casey, 'hers')).body
  assert.deepEqual(
    [taught.role, taught.may.manage, taught.staff.map(({ handle, role }: Record<string, string>) => [handle, role])],
    ['instructor', false, [['@casey', 'instructor']]],
  )
  const owned = (await open(finley, 'hers')).body
  assert.deepEqual([owned.role, owned.staff], ['manager', []])
  assert.equal((await post(casey, 'remove', { courseId: 'hers-2' })).status, 200)

  await letInstructors('owners')
  assertError(await get(casey, 'document', { courseId: 'hers' }), 403, 4032)
  assert.deepEqual(await managed(casey), [])
  assertError(await open(casey, 'hers'), 403, 4032)
  assert.equal((await get(finley, 'document', { courseId: 'hers' })).status, 200)
})

test('members learn who owns their organisation, and others do not', async () => {
  const owners = (browser: TestBrowser | undefined) =>
    call(browser!, 'GET', '/edu/v1/organisation/owners?organisation=school')
  const read = await owners(casey)
  assert.deepEqual(
    read.body.docs.map((one: { handle: string }) => one.handle),
    ['@finley'],
  )
  assert.deepEqual(Object.keys(read.body.docs[0]), ['handle', 'firstName', 'lastName'])
  for (const browser of [blake, avery]) assertError(await owners(browser), 403, 4032)
})

test('authors find the apps that can deliver lessons, and the URLs of each', async () => {
  await save(finley, { courseId: 'launching' })
  await app.sql(
    `update apps set organisation_id = o.id from organisations o where o.key = 'other' and client_id = 'gs-open'`,
  )
  await registerApp(app, { key: 'waiting' })
  await app.sql(`update apps set status = 'pending' where client_id = 'gs-waiting'`)
  const list = async (query: string) =>
    (await get(finley, 'apps', { courseId: 'launching', query })).body.docs.map((one: { app: string }) => one.app)
  assert.deepEqual(await list('quiz'), ['quiz'])
  assert.deepEqual(await list('waiting'), [])
  const quiz = await get(finley, 'app', { courseId: 'launching', app: 'gs-quiz' })
  assert.deepEqual(
    [quiz.body.app, quiz.body.publicClient, quiz.body.status, quiz.body.redirectUris],
    ['quiz', false, 'approved', [REDIRECT_URI]],
  )
  assert.equal((await get(finley, 'app', { courseId: 'launching', app: 'open' })).body.publicClient, true)
  assertError(await get(finley, 'app', { courseId: 'launching', app: 'waiting' }), 404, 4042)
  // The school sees its own app before it is approved.
  await app.sql(
    `update apps set organisation_id = o.id from organisations o where o.key = 'school' and client_id = 'gs-waiting'`,
  )
  assert.deepEqual(await list('waiting'), ['waiting'])
  assertError(await get(casey, 'apps', { courseId: 'launching' }), 403, 4032)
})

interface Check {
  readonly check: string
  readonly result: string
  readonly message: string
}

test('a test launch says what is wrong, and asks the app only at its own URLs', async (t) => {
  let status = 200
  const receiver = await openReceiver(t, (response) => response.writeHead(status, { location: '/login' }).end('hello'))
  const uri = `${receiver.address}/lesson`
  await save(finley, { courseId: 'launching' })
  await registerApp(app, { key: 'live', redirectUris: [uri] })
  const run = async (what: object) => {
    const answer = await post(finley, 'lesson/test', { courseId: 'launching', app: 'live', ...what })
    assert.equal(answer.status, 200, answer.text)
    return (answer.body.checks as Check[]).map(({ check, result }) => `${check}: ${result}`)
  }
  assert.deepEqual(await run({ launchUri: `${uri}?part=1`, passCode: true, launchParameters: ['level=two words'] }), [
    'app: ok',
    'launchUri: ok',
    'launchParameters: ok',
    'passCode: ok',
    'consent: note',
    'response: ok',
  ])
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/lesson?part=1&level=two%20words'],
  )
  for (const [answered, result] of [
    [302, 'ok'],
    [403, 'note'],
    [404, 'problem'],
    [500, 'problem'],
  ] as const) {
    status = answered
    assert.equal((await run({ launchUri: uri })).at(-1), `response: ${result}`, String(answered))
  }
  const asked = receiver.received.length
  assert.deepEqual(await run({ launchUri: `${receiver.address}/other` }), [
    'app: ok',
    'launchUri: problem',
    'passCode: note',
  ])
  assert.ok((await run({ launchUri: uri, launchParameters: ['code=1'] })).includes('launchParameters: problem'))
  assert.deepEqual(await run({}), ['app: ok', 'launchUri: note'])
  assert.deepEqual(await run({ app: 'nothing' }), ['app: problem'])
  const open = await run({ app: 'open', launchUri: REDIRECT_URI, passCode: true })
  assert.ok(open.includes('passCode: problem'))
  await app.sql(`update apps set status = 'suspended' where client_id = 'gs-live'`)
  assert.deepEqual(await run({ launchUri: uri }), ['app: problem'])
  assert.equal(receiver.received.length, asked)
  assertError(await post(casey, 'lesson/test', { courseId: 'launching', app: 'live' }), 403, 4032)
})

test('an author opens the app as themselves, and allows it first if it signs them in', async () => {
  await save(finley, { courseId: 'launching' })
  const settings = {
    courseId: 'launching',
    lessonId: 'lights',
    app: 'quiz',
    launchUri: `${REDIRECT_URI}?part=1`,
    launchParameters: ['level=2'],
  }
  const plain = await post(finley, 'lesson/launch', settings)
  assert.equal(plain.body.uri, `${REDIRECT_URI}?part=1&level=2&lessonId=lights&courseId=launching`)
  assertError(await post(finley, 'lesson/launch', { ...settings, passCode: true }), 401, 4019)
  const allowed = await post(finley, 'lesson/launch', { ...settings, passCode: true, allow: true })
  assert.match(allowed.body.uri, /[?&]code=/)
  assertError(await post(finley, 'lesson/launch', { ...settings, launchParameters: ['code=1'] }), 400, 4003)
  assertError(await post(finley, 'lesson/launch', { ...settings, launchUri: 'https://elsewhere.example/' }), 400, 4003)
  assertError(await post(casey, 'lesson/launch', settings), 403, 4032)
})

test('a test launch calls an address of this computer or a private network unchecked, not broken', async () => {
  const port = await findFreePort()
  const uris = [`http://localhost:${port}/demo/callback`, 'https://10.0.0.7/callback', 'https://tower.local/callback']
  await save(finley, { courseId: 'local' })
  await registerApp(app, { key: 'local', redirectUris: uris })
  const messages = []
  for (const launchUri of uris) {
    const { body } = await post(finley, 'lesson/test', { courseId: 'local', app: 'local', launchUri })
    const { result, message } = (body.checks as Check[]).at(-1)!
    assert.equal(result, 'note', launchUri)
    messages.push(message)
  }
  assert.match(messages[0]!, /computer on which it is opened.*only on the computer on which the app runs/)
  for (const message of messages.slice(1)) assert.match(message, /private network.*from the same network/)
})
