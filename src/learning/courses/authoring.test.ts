import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { REDIRECT_URI, registerApp } from '../../apps/oauth/testing.ts'
import { refused, run } from '../../kernel/imports/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from './testing.ts'

const PATH = '/edu/v1/course'

// Finley owns the school, Ellis is an administrator, Casey is an instructor, and Avery is a student. Drew owns another
// school.
const app = await sharedApp(UNLIMITED, { withSandbox: true })
await openSchool(app)
await registerApp(app, { key: 'quiz' })
await registerApp(app, { key: 'open', isPublic: true })
const OTHER_SCHOOL = `insert into organisations (key, name, created_at) values ('other', 'Other', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`
await app.sql(`update people set administrator = true where handle = '@ellis'; ${OTHER_SCHOOL}`)
const finley = await signInBrowser(app, 'finley')
const [avery, casey] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'casey')]
const [drew, ellis] = [await signInBrowser(app, 'drew'), await signInBrowser(app, 'ellis')]

const save = (browser: TestBrowser, course: object) =>
  call(browser, 'PUT', PATH, { name: 'Night', lessons: [], organisation: 'school', ...course })
const act = (browser: TestBrowser, verb: string, courseId: string) =>
  call(browser, 'POST', `${PATH}/${verb}`, { courseId })
const readDocument = async (courseId: string, version?: number) =>
  (await call(finley, 'GET', `${PATH}/document?courseId=${courseId}${version ? `&version=${version}` : ''}`)).body
const lessonsOf = (names: readonly string[]) => names.map((id) => ({ id, name: id }))
const createClass = (classId: string, courseId: string) =>
  call(finley, 'PUT', '/edu/v1/class', { classId, courseId, name: classId })
const actionsAbout = async (courseId: string) =>
  (await app.sql(`select action from audit_entries where detail->>'course' = '${courseId}' order by id`)).map(
    ({ action }) => action,
  )

test('a course begins as a draft, which nobody reads but those who manage it', async () => {
  const course = {
    courseId: 'night',
    name: ' Night rating ',
    description: '',
    lessons: [
      { id: 'lights', name: 'Lights', app: 'gs-quiz', launchUri: `${REDIRECT_URI}?part=1`, passCode: true },
      { id: 'landing', name: 'Landing', threshold: 70, prerequisites: ['lights'], public: false },
    ],
    objectives: [{ id: 'sight', name: 'Sight', lessons: ['lights'] }],
  }
  const made = await save(finley, course)
  assert.equal(made.status, 200, made.text)
  const { app: _app, ...lights } = course.lessons[0]!
  assert.deepEqual(made.body, {
    courseId: 'night',
    organisation: 'school',
    version: null,
    may: { createClasses: true },
    draft: true,
    name: 'Night rating',
    lessons: [
      { ...lights, app: 'quiz' },
      { id: 'landing', name: 'Landing', threshold: 70, prerequisites: ['lights'] },
    ],
    objectives: course.objectives,
  })
  assert.deepEqual(await readDocument('night'), made.body)
  for (const browser of [finley, ellis, casey])
    assertError(await call(browser, 'GET', `${PATH}?courseId=night`), 404, 4042)
  assertError(await createClass('early', 'night'), 400, 4006, /[Pp]ublish/)
  const { body } = await call(finley, 'GET', `${PATH}/managed?organisation=school`)
  assert.deepEqual(
    body.docs.map(({ courseId, version, draft, classes }: Record<string, unknown>) => [
      courseId,
      version,
      draft,
      classes,
    ]),
    [
      ['course', 1, false, 2],
      ['night', null, true, 0],
    ],
  )
  assert.equal((await save(finley, { courseId: 'night', organisation: undefined, name: 'Night' })).body.name, 'Night')
  assert.match((await save(finley, {})).body.courseId, /^[\w-]{22}$/)
  assert.deepEqual(await actionsAbout('night'), ['course.created', 'course.drafted'])
})

test('a published version does not change, a class stays on its version while a new one is published, a new class takes the new one', async () => {
  await save(finley, { courseId: 'kept', name: 'First', lessons: lessonsOf(['kept-a', 'kept-b']) })
  assert.deepEqual((await act(finley, 'publish', 'kept')).body.version, 1)
  const lines = 'select * from course_versions v join lesson_versions l on l.version_id = v.id'
  const versionOne = () =>
    app.sql(
      `${lines} where v.number = 1 and v.course_id = (select id from courses where key = 'kept') order by l.lesson_id`,
    )
  const before = await versionOne()
  assert.equal(before.length, 2)
  await createClass('old-class', 'kept')
  await save(finley, { courseId: 'kept', name: 'Second', lessons: lessonsOf(['kept-b', 'kept-c']) })
  assert.equal((await readDocument('kept')).name, 'Second')
  assert.equal((await readDocument('kept', 1)).name, 'First')
  const published = await act(ellis, 'publish', 'kept')
  assert.deepEqual(
    { ...published.body, publishedDate: '' },
    { courseId: 'kept', version: 2, name: 'Second', publishedDate: '', classes: 0 },
  )
  await createClass('new-class', 'kept')
  const versionOf = async (classId: string) =>
    (await call(finley, 'GET', `/edu/v1/class?classId=${classId}`)).body.course.version
  assert.deepEqual([await versionOf('old-class'), await versionOf('new-class')], [1, 2])
  assert.deepEqual(await versionOne(), before)
  assert.deepEqual(
    (await readDocument('kept', 1)).lessons.map(({ id }: { id: string }) => id),
    ['kept-a', 'kept-b'],
  )
  const [first, newest] = [await readDocument('kept', 1), await readDocument('kept')]
  assert.deepEqual([first.version, first.name, newest.version, newest.name], [1, 'First', 2, 'Second'])
  const { body: versions } = await call(finley, 'GET', `${PATH}/versions?courseId=kept`)
  assert.deepEqual(
    versions.docs.map(({ version, name, classes }: Record<string, unknown>) => [version, name, classes]),
    [
      [2, 'Second', 1],
      [1, 'First', 1],
    ],
  )
  // A lesson has one row in `lessons`, which all versions of the course share.
  assert.equal((await app.sql(`select from lessons where key like 'kept-%'`)).length, 3)
  assertError(await call(finley, 'GET', `${PATH}/document?courseId=kept&version=3`), 404, 4042)
})

test('there is nothing to publish without a draft, nor with an unchanged one', async () => {
  assertError(await act(finley, 'publish', 'course'), 400, 4006, /no draft/)
  const { version: _version, draft: _draft, ...document } = await readDocument('course')
  assert.equal((await call(finley, 'PUT', PATH, { ...document, description: '' })).status, 200)
  assertError(await act(finley, 'publish', 'course'), 400, 4006, /same as version 1/)
  assert.deepEqual((await act(finley, 'draft/discard', 'course')).body, { success: true })
  assertError(await act(finley, 'draft/discard', 'course'), 400, 4006, /no draft/)
  await save(finley, { courseId: 'never' })
  assertError(await act(finley, 'draft/discard', 'never'), 400, 4006, /delete the course/)
})

test('two who publish at once make one version', async () => {
  for (let round = 1; round <= 5; round++) {
    await save(finley, { courseId: 'raced', name: `Round ${round}`, lessons: lessonsOf(['raced-a', `raced-${round}`]) })
    const answers = await Promise.all([act(finley, 'publish', 'raced'), act(ellis, 'publish', 'raced')])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    assertError(answers.find(({ status }) => status === 400)!, 400, 4006)
    assert.equal(answers.find(({ status }) => status === 200)!.body.version, round)
  }
  const mixed = await app.sql(
    `select v.number, count(*)::int as lessons from course_versions v join lesson_versions l on l.version_id = v.id
       join courses k on k.id = v.course_id where k.key = 'raced' group by 1 order by 1`,
  )
  assert.deepEqual(
    mixed,
    [1, 2, 3, 4, 5].map((number) => ({ number, lessons: 2 })),
  )
})

test('two courses that publish the same lesson at once: one of them has it', async () => {
  for (const courseId of ['twin-a', 'twin-b']) await save(finley, { courseId, lessons: lessonsOf(['twin-lesson']) })
  const answers = await Promise.all([act(finley, 'publish', 'twin-a'), act(finley, 'publish', 'twin-b')])
  const late = answers.find(({ status }) => status !== 200)!
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.ok([400, 409].includes(late.status), late.text)
  assert.equal((await app.sql(`select from lessons where key = 'twin-lesson'`)).length, 1)
})

test('mistakes are refused with their place, and nothing is kept of them', async () => {
  const refusals: [course: object, code: number, words: RegExp][] = [
    [
      {
        lessons: [
          { id: 'm', name: 'm' },
          { id: 'm', name: 'm' },
        ],
      },
      4003,
      /lessons must have unique ids: m/,
    ],
    [{ lessons: [{ id: 'm', name: 'm', prerequisites: ['n'] }] }, 4003, /prerequisites of m/],
    [
      { lessons: [{ id: 'm', name: 'm', prerequisites: ['n'] }, ...lessonsOf(['l', 'n'])] },
      4003,
      /after their prerequisites: n must come before m/,
    ],
    [
      {
        lessons: [
          { id: 'm', name: 'm', prerequisites: ['step'] },
          { id: 'n', name: 'n', childLessons: lessonsOf(['step']) },
        ],
      },
      4003,
      /step must come before m/,
    ],
    [
      {
        lessons: [
          {
            id: 'm',
            name: 'm',
            prerequisites: ['two'],
            childLessons: [{ id: 'one', name: 'one', prerequisites: ['m'] }, ...lessonsOf(['two'])],
          },
        ],
      },
      4003,
      /not depend on each other if a class is sequential/,
    ],
    [{ lessons: [{ id: 'm' }] }, 4001, /lessons\.0\.name is missing/],
    [{ lessons: [{ id: 'm', name: 'm', threshold: 'high' }] }, 4005, /lessons\.0\.threshold/],
    [{ lessons: [{ id: 'a b', name: 'm' }] }, 4003, /lessons\.0\.id/],
    [{ lessons: lessonsOf(['walkaround']) }, 4003, /walkaround belongs to another course/],
    [{ lessons: [], objectives: [{ id: 'safety', name: 'x', lessons: [] }] }, 4003, /safety belongs/],
    [
      { lessons: [], objectives: [{ id: 'o', name: 'x', lessons: ['m'] }] },
      4003,
      /objectives must refer only to lessons/,
    ],
    [{ lessons: [{ id: 'm', name: 'm', app: 'nowhere' }] }, 4003, /m refers to nowhere/],
    [{ lessons: [{ id: 'm', name: 'm', launchUri: REDIRECT_URI }] }, 4003, /set the app/],
    [{ lessons: [{ id: 'm', name: 'm', app: 'quiz', launchUri: 'https://evil.example/x' }] }, 4003, /redirect URI/],
    [{ lessons: [{ id: 'm', name: 'm', app: 'quiz', launchUri: `${REDIRECT_URI}?code=1` }] }, 4003, /not have code/],
    ...[
      'code=1',
      'STATE=1',
      'error[]=1',
      'iss=',
      'access_token=x',
      'classId=bravo',
      ' studentid=x',
      'lessonId=',
      'courseId=x',
    ].map((text): [object, number, RegExp] => [
      { lessons: [{ id: 'm', name: 'm', app: 'quiz', launchUri: REDIRECT_URI, launchParameters: ['a=1', text] }] },
      4003,
      /m must not have .*the platform sets it/,
    ]),
    [
      { lessons: [{ id: 'm', name: 'm', app: 'quiz', launchUri: `${REDIRECT_URI}?a=1&classId=x` }] },
      4003,
      /not have classId/,
    ],
    [
      { lessons: [{ id: 'm', name: 'm', app: 'open', launchUri: REDIRECT_URI, passCode: true }] },
      4003,
      /open is a public client/,
    ],
    [{ name: ' ' }, 4001, /name/],
    [{ courseId: 'no id' }, 4003, /courseId must be/],
    [{ organisation: undefined, courseId: undefined }, 4001, /organisation/],
  ]
  for (const [course, code, words] of refusals)
    assertError(await save(finley, { courseId: 'wrong', ...course }), 400, code, words)
  assert.deepEqual(await app.sql(`select from courses where key = 'wrong'`), [])
  // A draft may reuse the lesson ids of its own course. The rules also apply to child lessons.
  assert.equal((await save(finley, { courseId: 'course', lessons: lessonsOf(['walkaround']) })).status, 200)
  const child = { id: 'm', name: 'm', childLessons: [{ id: 'n', name: 'n', app: 'nowhere' }] }
  assertError(await save(finley, { courseId: 'course', lessons: [child] }), 400, 4003, /n refers to nowhere/)
  await act(finley, 'draft/discard', 'course')
  // A parent may require its own child lesson, and a child lesson may require a later lesson: all can still be passed
  // in some order.
  const steps = [
    {
      id: 'm',
      name: 'm',
      prerequisites: ['one'],
      childLessons: [...lessonsOf(['one']), { id: 'two', name: 'two', prerequisites: ['n'] }],
    },
    { id: 'n', name: 'n' },
  ]
  assert.equal((await save(finley, { courseId: 'in-order', lessons: steps })).status, 200)
})

test('a draft that has become invalid is not published', async () => {
  await registerApp(app, { key: 'passing' })
  await save(finley, { courseId: 'stale', lessons: [{ id: 'stale-a', name: 'A', app: 'passing' }] })
  await app.sql(`delete from apps where client_id = 'gs-passing'`)
  assertError(await act(finley, 'publish', 'stale'), 400, 4003, /refers to passing/)
  assert.equal((await readDocument('stale')).version, null)
  await registerApp(app, { key: 'turning' })
  const turning = { id: 'stale-a', name: 'A', app: 'turning', launchUri: REDIRECT_URI, passCode: true }
  assert.equal((await save(finley, { courseId: 'stale', lessons: [turning] })).status, 200)
  await app.sql(`update apps set public_client = true where client_id = 'gs-turning'`)
  assertError(await act(finley, 'publish', 'stale'), 400, 4003, /turning is a public client/)
})

test('an import file with lessons that could never be opened or passed is refused', async () => {
  const mistakesOf = (lessons: object[], more: object = {}) =>
    refused(run(app, { ...more, courses: [{ key: 'filed', organisation: 'school', name: 'Filed', lessons }] }))
  const opened = { id: 'filed-a', name: 'A', app: 'quiz', launchUri: REDIRECT_URI }
  assert.match((await mistakesOf([{ ...opened, launchParameters: ['code=1'] }]))[0]!, /filed-a must not have code/)
  assert.match((await mistakesOf([{ ...opened, launchUri: `${REDIRECT_URI}?state=1` }]))[0]!, /not have state/)
  // An app counts as public if it is registered as public in the environment, or declared as public in the file itself.
  const passing = (name: string) => ({ ...opened, app: name, passCode: true })
  await registerApp(app, { key: 'open', isPublic: true }, 'sandbox')
  for (const name of ['open', 'gs-open', 'opened']) {
    const apps = [{ key: 'opened', name: 'Opened', public: true, redirectUris: [REDIRECT_URI] }]
    const words = `must be false: ${name} is a public client, and has no secret to redeem a code with`
    const parent = { id: 'filed-p', name: 'P', childLessons: [passing(name)] }
    assert.deepEqual(await mistakesOf([parent], { apps }), [`courses[0].lessons[0].childLessons[0].passCode: ${words}`])
  }
  const [late] = await mistakesOf([{ ...opened, prerequisites: ['filed-b'] }, ...lessonsOf(['filed-b'])])
  assert.match(late!, /courses\[0\]\.lessons: must come after their prerequisites: filed-b must come before filed-a/)
})

test('smuggled fields are not stored (D2)', async () => {
  const smuggled = { owner: 'drew', appId: 1, version: 7, draft: false, version_id: 1, courseVersions: [] }
  const more = { locked: false, lessonId: 'x', lessonResultId: 'x', pass: true, courseId: 'other', app_id: 1 }
  const made = await save(finley, {
    courseId: 'plain',
    ...smuggled,
    lessons: [{ id: 'plain-a', name: 'A', ...more, childLessons: [{ id: 'plain-b', name: 'B', ...more }] }],
    objectives: [{ id: 'plain-o', name: 'O', lessons: [], ...more }],
  })
  assert.equal(made.status, 200, made.text)
  const [row] = await app.sql(`select draft::text from courses where key = 'plain'`)
  assert.deepEqual(JSON.parse(String(row!.draft)), {
    name: 'Night',
    lessons: [{ id: 'plain-a', name: 'A', childLessons: [{ id: 'plain-b', name: 'B' }] }],
    objectives: [{ id: 'plain-o', name: 'O', lessons: [] }],
  })
  assert.deepEqual([made.body.version, made.body.draft, made.body.organisation], [null, true, 'school'])
})

test('owners of the organisation and administrators manage its courses; for others they do not exist (D1)', async () => {
  const asks = (browser: TestBrowser, courseId: string) => [
    save(browser, { courseId, organisation: undefined }),
    act(browser, 'publish', courseId),
    act(browser, 'draft/discard', courseId),
    act(browser, 'remove', courseId),
    call(browser, 'GET', `${PATH}/document?courseId=${courseId}`),
    call(browser, 'GET', `${PATH}/versions?courseId=${courseId}`),
  ]
  for (const browser of [avery, casey, drew]) {
    const [theirs, nobodys] = [await Promise.all(asks(browser, 'course')), await Promise.all(asks(browser, 'none'))]
    for (const [i, answer] of theirs.entries()) {
      assertError(answer, 403, 4032, /or you do not manage it/)
      assert.equal(answer.text, nobodys[i]!.text)
    }
    assertError(await save(browser, { courseId: 'course' }), 403, 4032)
    assertError(await save(browser, { courseId: 'mine' }), 403, 4032)
    const { body } = await call(browser, 'GET', `${PATH}/managed?organisation=school`)
    assert.deepEqual(body.docs, [])
  }
  // The owner of another organisation learns only that the id is taken.
  assertError(await save(drew, { courseId: 'course', organisation: 'other' }), 409, 4091)
  assert.equal((await save(drew, { courseId: 'theirs', organisation: 'other' })).status, 200)
  assertError(await save(finley, { courseId: 'theirs', organisation: undefined }), 403, 4032)
  assertError(await save(ellis, { courseId: 'theirs', organisation: 'school' }), 400, 4003, /must stay other/)
  assert.equal((await call(ellis, 'GET', `${PATH}/document?courseId=theirs`)).status, 200)
  assert.equal((await save(ellis, { courseId: 'by-ellis', organisation: 'other' })).status, 200)
  // A token of an app cannot be used to manage courses, even if its user may manage them.
  const token = await app.as('finley')
  assertError(await token.put(PATH, { courseId: 'mine', organisation: 'school', name: 'x', lessons: [] }), 401, 4016)
  assertError(await token.get(`${PATH}/document`, { courseId: 'course' }), 401, 4016)
  const sandbox = await signInBrowser(app, 'finley', 'sandbox')
  await app.sql(`delete from organisation_members`, 'sandbox')
  assertError(await act(sandbox, 'publish', 'course'), 403, 4032)
})

test('that an id of another organisation is taken is told a few times an hour, and no more', async (t) => {
  const limited = await testApp(t, { RATE_JOIN_PER_HOUR: '1' })
  await openSchool(limited)
  await limited.sql(OTHER_SCHOOL)
  limited.holdClock()
  const owner = await signInBrowser(limited, 'drew')
  const write = (course: object) => save(owner, { organisation: 'other', ...course })
  const create = (classId: string) => call(owner, 'PUT', '/edu/v1/class', { classId, courseId: 'own', name: 'A class' })
  // Free ids, mistakes and the caller's own course do not count.
  for (let i = 0; i < 15; i++)
    assert.equal((await write({ courseId: 'own', lessons: lessonsOf(['mine']) })).status, 200)
  for (let i = 0; i < 15; i++) assertError(await write({ courseId: 'no id' }), 400, 4003)
  assert.equal((await act(owner, 'publish', 'own')).status, 200)
  for (let i = 0; i < 3; i++) {
    assertError(await write({ courseId: 'course' }), 409, 4091)
    assertError(await write({ courseId: 'own', lessons: lessonsOf(['walkaround']) }), 400, 4003)
    assertError(await create('alpha'), 409, 4091)
  }
  assertError(await create('alpha'), 409, 4091)
  for (const answer of [await create('alpha'), await create('free'), await write({ courseId: 'course' })])
    assertError(answer, 429, 4291)
  limited.advance(3_600_000)
  assert.equal((await create('free')).status, 200)
})

test('of ten parallel creations of one course, one creates it, and the others replace its draft', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => save(i % 2 ? finley : ellis, { courseId: 'same', name: `Course ${i}` })),
  )
  for (const { status, text } of answers) assert.ok([200, 409].includes(status), text)
  assert.equal((await app.sql(`select from courses where key = 'same'`)).length, 1)
  assert.equal((await actionsAbout('same')).filter((action) => action === 'course.created').length, 1)
})

test('a course that no class takes can be removed, one that a class takes stays', async () => {
  await save(finley, { courseId: 'gone', lessons: lessonsOf(['gone-a']) })
  await act(finley, 'publish', 'gone')
  assert.deepEqual((await act(finley, 'remove', 'gone')).body, { success: true })
  assertError(await act(finley, 'remove', 'gone'), 403, 4032)
  assert.deepEqual(await app.sql(`select from lessons where key = 'gone-a'`), [])
  assertError(await act(finley, 'remove', 'course'), 400, 4006, /has classes/)
  assert.deepEqual((await actionsAbout('gone')).at(-1), 'course.removed')
})

test('a course that is removed while a class is created of it never leaves a class without a course', async () => {
  for (let round = 0; round < 5; round++) {
    const courseId = `race-${round}`
    await save(finley, { courseId, lessons: lessonsOf([`${courseId}-a`]) })
    await act(finley, 'publish', courseId)
    const [removed, made] = await Promise.all([
      act(finley, 'remove', courseId),
      createClass(`${courseId}-class`, courseId),
    ])
    assert.deepEqual([removed.status, made.status].sort(), removed.status === 200 ? [200, 403] : [200, 400])
  }
})
