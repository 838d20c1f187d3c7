import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { auOf, blockOf } from '../../learning/packages/testing-cmi5.ts'
import { PATH as PROGRESS } from '../../learning/progress/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import type { Activity, Statement } from '../statements/model/statement.ts'
import { presentStatement } from '../statements/query/query.ts'
import { abandonSilent } from './reporting.ts'
import { Content, makePackageCourse, openPackageClass } from './testing.ts'

type SeenStatement = Statement & { readonly object: Activity }

const app = await sharedApp(UNLIMITED)
await openSchool(app)
const finley = await signInBrowser(app, 'finley')
const [avery, casey] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'casey')]

const LAUNCH = '/edu/v1/package/launch'
let courses = 0

/** Makes a course of a package, and a class of it in which Avery is a student and Casey the instructor. */
async function makeClass(
  items: string,
  lessons: Parameters<typeof makePackageCourse>[1]['lessons'],
  more: object = {},
) {
  const key = `c${++courses}`
  const packageId = await makePackageCourse(finley, { course: key, items, lessons })
  await openPackageClass(app, key)
  const launch = (lessonId: string, extra: object = {}, browser: TestBrowser = avery) =>
    call(browser, 'POST', LAUNCH, { lessonId, classId: key, ...extra })
  return {
    key,
    packageId,
    studentId: `avery-${key}`,
    launch,
    open: async (lessonId: string, extra: object = {}) => {
      const launched = await launch(lessonId, extra)
      assert.equal(launched.status, 200, launched.text)
      return new Content(app, launched.body.url).open()
    },
    read: async (lessonId: string) =>
      (await call(avery, 'GET', `/edu/v1/package/lesson?lessonId=${lessonId}&classId=${key}`)).body,
    progress: async (lessonId: string) => {
      const read = await call(avery, 'GET', `${PROGRESS}?lessonId=${lessonId}&classId=${key}`)
      const { pass, score, completed } = read.body ?? {}
      return read.status === 200 ? { pass, score, isCompleted: completed !== null } : undefined
    },
    ...more,
  }
}

/** Lists the statements of a registration, oldest first: the verb and the last part of the object's id. */
async function listStatements(registration: string) {
  const rows = await app.sql('select seq::float8, payload from statements order by seq')
  return rows
    .map((row) => presentStatement(row as { seq: number; payload: string }) as SeenStatement)
    .filter(({ context }) => context?.registration === registration)
}
const listVerbs = async (registration: string) =>
  (await listStatements(registration)).map(
    ({ verb, object }) => `${verb.id.split('/').at(-1)} ${object.id.split('/').at(-1)}`,
  )

const COURSE = blockOf('urn:b', {
  children: auOf('urn:b1', { attributes: 'moveOn="CompletedAndPassed" masteryScore="0.8"' }),
})
const one = (attributes: string) => auOf('urn:one', { attributes })

test('units that need nothing are passed at the first launch, and in a class that goes in order when they open', async () => {
  const free = (id: string) => auOf(`urn:${id}`)
  const items = free('1') + free('2') + auOf('urn:3', { attributes: 'moveOn="Passed"' }) + free('4') + free('5')
  const make = () =>
    makeClass(items, (lesson) => [0, 1, 2, 3, 4].map((item) => lesson(`c${courses}-${item + 1}`, item)))
  const passedOf = async ({ key, progress }: Awaited<ReturnType<typeof make>>) => {
    const seen = await Promise.all([1, 2, 3, 4, 5].map((n) => progress(`${key}-${n}`)))
    return seen.flatMap((one, i) => (one?.pass ? i + 1 : []))
  }
  const loose = await make()
  await loose.launch(`${loose.key}-3`)
  assert.deepEqual(await passedOf(loose), [1, 2, 4, 5])
  const events = await app.sql(
    `select count(*)::int as count from (select kind, payload from events union all select kind, payload from event_outbox) e where kind = 'attempt.completed' and payload->>'class' = (select id::text from classes where key = '${loose.key}')`,
  )
  assert.deepEqual(events, [{ count: 4 }])
  const ordered = await make()
  await app.sql(`update classes set is_sequential = true where key = '${ordered.key}'`)
  await ordered.launch(`${ordered.key}-1`)
  assert.deepEqual(await passedOf(ordered), [1, 2])
  const content = await ordered.open(`${ordered.key}-3`)
  for (const verb of ['initialized', 'passed'] as const) assert.equal((await content.tell(verb)).status, 200)
  assert.deepEqual(await passedOf(ordered), [1, 2, 3, 4, 5])
})

test('content that completes and passes its unit passes the lesson, its block and the course', async () => {
  const school = await makeClass(COURSE, (lesson) => [lesson('block', 0, { childLessons: [lesson('unit', 1)] })])
  const content = await school.open('unit')
  const { registration, activityId } = content.launch
  assert.deepEqual(content.data.contextTemplate.contextActivities, {
    grouping: [{ objectType: 'Activity', id: 'urn:b1' }],
  })
  const { contextTemplate: _, ...data } = content.data
  assert.deepEqual(data, {
    ...{ launchMode: 'Normal', launchMethod: 'AnyWindow', moveOn: 'CompletedAndPassed', masteryScore: 0.8 },
    returnURL: `http://files.content.localhost:${new URL(app.address).port}/return?lessonId=unit&classId=${school.key}`,
  })
  assert.equal((await content.tell('initialized')).status, 200)
  assert.deepEqual(await school.progress('unit'), { pass: false, score: null, isCompleted: false })
  assert.equal((await content.tell('passed', { result: { score: { scaled: 0.9 } } })).status, 200)
  assert.deepEqual(await school.progress('unit'), { pass: false, score: 90, isCompleted: false })
  assert.equal((await content.tell('completed')).status, 200)
  assert.deepEqual(await school.progress('unit'), { pass: true, score: 90, isCompleted: true })
  assert.deepEqual(await school.progress('block'), { pass: true, score: null, isCompleted: true })
  assert.equal((await content.tell('terminated')).status, 200)
  assert.deepEqual(await listVerbs(registration), [
    'launched unit',
    'initialized unit',
    'passed unit',
    'completed unit',
    'satisfied block',
    `satisfied ${school.packageId}`,
    'satisfied unit',
    'terminated unit',
  ])
  const statements = await listStatements(registration)
  const [launched, block, course] = [statements[0]!, statements[4]!, statements[5]!]
  assert.equal(launched.object.id, activityId)
  assert.equal(block.object.definition?.type, 'https://w3id.org/xapi/cmi5/activitytype/block')
  assert.deepEqual(block.context?.contextActivities?.grouping, [{ objectType: 'Activity', id: 'urn:b' }])
  assert.equal(course.object.definition?.type, 'https://w3id.org/xapi/cmi5/activitytype/course')
  assert.deepEqual(course.context?.contextActivities?.grouping, [
    { objectType: 'Activity', id: `urn:course:${school.key}` },
  ])
  const state = await school.read('unit')
  assert.deepEqual([state.satisfied, state.score, state.sessions.length], [true, 90, 1])
  assert.equal(state.sessions[0].endedBy, 'terminated')
  // The credential died with the session.
  assertError(await content.tell('terminated'), 403, 4032, /8\.1\.2\.0-2/)
  const links = await app.sql(
    `select distinct l.name as lesson from statement_links k join lessons s on s.id = k.lesson_id join lesson_versions l on l.lesson_id = s.id
      where l.name in ('unit', 'block') order by 1`,
  )
  assert.deepEqual(
    links.map(({ lesson }) => lesson),
    ['block', 'unit'],
  )
})

test('a unit that needs nothing is satisfied from the registration, before it is launched', async () => {
  const school = await makeClass(
    blockOf('urn:b', { children: auOf('urn:b1', { attributes: 'moveOn="NotApplicable"' }) }),
    (lesson) => [lesson('free', 1)],
  )
  const content = await school.open('free', { mode: 'Normal' })
  assert.deepEqual(await listVerbs(content.launch.registration), [
    `satisfied 0`,
    `satisfied ${school.packageId}`,
    'satisfied free',
    'launched free',
  ])
  assert.equal((await school.progress('free'))?.pass, true)
})

test('the fetch URL returns a credential once, and errors with the status 200', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('once', 0)])
  const content = new Content(app, (await school.launch('once')).body.url)
  const first = await content.fetch()
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(typeof first.body['auth-token'], 'string')
  const second = await content.fetch()
  assert.deepEqual([second.status, second.body['error-code']], [200, '1'])
  const { pathname } = new URL(content.launch.fetch)
  const wrong = await content.client.send('POST', `${pathname}?token=gs_lf_x`)
  assert.deepEqual([wrong.status, wrong.body['error-code']], [200, '2'])
  const crossed = await content.client.send('POST', `${pathname}?token=x`, {
    headers: { origin: 'https://content.example' },
  })
  assert.equal(crossed.headers.get('access-control-allow-origin'), '*')
  const forged = await content.client.send('GET', '/xapi/statements', {
    headers: {
      authorization: `Basic ${Buffer.from('launch:gs_lt_x').toString('base64')}`,
      'x-experience-api-version': '1.0.3',
    },
  })
  assert.equal(forged.status, 401)
})

test('the gate refuses statements by the requirement that they break, with 403', async () => {
  const school = await makeClass(one('moveOn="CompletedAndPassed" masteryScore="0.5"'), (lesson) => [lesson('gate', 0)])
  const launched = await school.launch('gate')
  const early = new Content(app, launched.body.url)
  await early.fetch()
  early.data = (await early.state('GET', 'LMS.LaunchData')).body
  assertError(await early.tell('initialized'), 403, 4032, /11\.0\.0\.0-3/)
  const content = await school.open('gate')
  // The launch has ended the first session.
  assertError(await early.tell('initialized'), 403, 4032, /8\.1\.2\.0-2/)
  assertError(await content.tell('completed'), 403, 4032, /9\.3\.0\.0-4/)
  assertError(await content.say(content.allow('urn:looked')), 403, 4032, /9\.3\.0\.0-4/)
  const start = content.make('initialized')
  assert.equal((await content.say(start)).status, 200)
  assert.equal((await content.say(start)).status, 200, 'a statement that is sent again passes')
  const make = content.make.bind(content)
  const passed = (more: object) => make('passed', { result: { score: { scaled: 0.9 }, ...more } })
  const context = (more: object) => ({ ...make('completed').context, ...more })
  const wrong: [object, RegExp][] = [
    [make('initialized'), /9\.3\.0\.0-2/],
    [make('completed', { id: undefined }), /9\.1\.0\.0-1/],
    [make('completed', { timestamp: undefined }), /9\.7\.0\.0-1/],
    [make('completed', { timestamp: '2026-01-01T10:00:00+02:00' }), /9\.7\.0\.0-2/],
    [make('completed', { actor: { mbox: 'mailto:x@example.org' } }), /8\.1\.3\.0-3/],
    [make('completed', { context: context({ registration: start.id }) }), /9\.6\.1\.0-1/],
    [make('completed', { context: context({ extensions: {} }) }), /9\.6\.3\.1-4/],
    [make('completed', { context: context({ contextActivities: {} }) }), /10\.2\.1\.0-6/],
    [make('completed', { object: { id: 'urn:other' } }), /8\.1\.5\.0-6/],
    [make('completed', { result: { completion: false } }), /9\.5\.3\.0-1/],
    [make('completed', { result: { success: true } }), /9\.5\.2\.0-3/],
    [make('completed', { result: { duration: undefined } }), /9\.5\.4\.1-2/],
    [make('completed', { result: { score: { scaled: 1 } } }), /9\.5\.1\.0-2/],
    [passed({ score: { scaled: 0.4 } }), /9\.3\.4\.0-2/],
    [passed({ score: { raw: 4 } }), /9\.5\.1\.0-3/],
    [make('failed', { result: { score: { scaled: 0.5 } } }), /9\.3\.5\.0-2/],
    [passed({ success: false }), /9\.5\.2\.0-1/],
    [make('waived'), /9\.3\.0\.0-1/],
    [make('launched'), /9\.3\.0\.0-1/],
    [
      content.allow('http://adlnet.gov/expapi/verbs/voided', { object: { objectType: 'StatementRef', id: start.id } }),
      /6\.3\.0\.0-1/,
    ],
  ]
  for (const [statement, rule] of wrong) assertError(await content.say(statement), 403, 4032, rule)
  assertError(await content.say(make('completed'), make('completed')), 403, 4032, /9\.3\.0\.0-2/)
  // Nothing of these was stored, and what cmi5 allows is.
  assert.equal((await content.say(content.allow('urn:looked'))).status, 200)
  assert.deepEqual(
    (await listVerbs(content.launch.registration)).slice(-2),
    ['initialized gate', 'looked x'].map((x) => x.replace('looked', 'urn:looked')),
  )
  assert.equal((await content.say(passed({}), make('completed'))).status, 200)
  assertError(await content.say(make('failed')), 403, 4032, /9\.3\.0\.0-3/)
  const again = await school.open('gate', { mode: 'Normal' })
  await again.tell('initialized')
  assertError(await again.tell('completed'), 403, 4032, /9\.3\.0\.0-6/)
  assertError(await again.tell('passed'), 403, 4032, /9\.3\.0\.0-7/)
  assertError(await again.tell('failed'), 403, 4032, /9\.3\.0\.0-8/)
})

test('the launch modes Browse and Review record no result', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('modes', 0)])
  for (const [mode, rule] of [
    ['Browse', /10\.2\.2\.0-2/],
    ['Review', /10\.2\.2\.0-3/],
  ] as const) {
    const content = await school.open('modes', { mode })
    assert.equal(content.data.launchMode, mode)
    assert.equal((await content.tell('initialized')).status, 200)
    assertError(await content.tell('passed'), 403, 4032, rule)
    assert.equal((await content.tell('terminated')).status, 200)
  }
  assert.equal(await school.progress('modes'), undefined)
})

test('a new launch abandons the open session, with its duration', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('twice', 0)])
  const first = await school.open('twice')
  await first.tell('initialized')
  const second = await school.open('twice')
  const statements = await listStatements(second.launch.registration)
  assert.deepEqual(
    statements.map(({ verb }) => verb.id.split('/').at(-1)),
    ['launched', 'initialized', 'abandoned', 'launched'],
  )
  assert.match(statements[2]?.result?.duration ?? '', /^PT\d+\.\d\dS$/)
  assertError(await first.tell('terminated'), 403, 4032, /abandoned/)
  // The attempt goes on.
  await second.tell('initialized')
  await second.tell('failed', { result: { score: { scaled: 0.2 } } })
  await second.tell('terminated')
  assert.deepEqual(await school.progress('twice'), { pass: false, score: 20, isCompleted: true })
  const third = await school.open('twice')
  await third.tell('initialized')
  await third.tell('passed')
  assert.deepEqual(await school.progress('twice'), { pass: true, score: null, isCompleted: true })
})

test('a session that has failed uses up its attempt, so the last one is not launched again', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('last', 0, { maxAttempts: 1 })])
  const content = await school.open('last')
  await content.tell('initialized')
  await content.tell('failed', { result: { score: { scaled: 0.1 } } })
  assertError(await school.launch('last'), 400, 4006, /All attempts are used/)
  // The open session can still end, and a review is possible.
  assert.equal((await content.tell('terminated')).status, 200)
  assert.deepEqual(await school.progress('last'), { pass: false, score: 10, isCompleted: true })
  assert.equal((await school.launch('last', { mode: 'Review' })).status, 200)
})

test('after the class has ended or the student has left it, content can only end its session', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('over', 0)])
  for (const [end, undo] of [
    [`update classes set ended_at = now() where key = '${school.key}'`, 'update classes set ended_at = null'],
    [
      `update enrolments set status = 'dropped' where key = '${school.studentId}'`,
      `update enrolments set status = 'active'`,
    ],
  ] as const) {
    const content = await school.open('over')
    await content.tell('initialized')
    await app.sql(end)
    for (const wrong of [[content.make('passed')], [content.make('passed'), content.make('terminated')]])
      assertError(
        await content.say(...wrong),
        403,
        4032,
        /class has ended or no longer teaches this, or the student has left/,
      )
    assert.equal((await content.tell('terminated')).status, 200)
    await app.sql(undo)
  }
  assert.equal((await school.read('over')).satisfied, false)
  assert.deepEqual(await school.progress('over'), { pass: false, score: null, isCompleted: false })
})

test('an instructor waives a unit with a reason, and ends a session', async () => {
  const school = await makeClass(
    auOf('urn:w1', { attributes: 'moveOn="Passed"' }) + auOf('urn:w2', { attributes: 'moveOn="Passed"' }),
    (lesson) => [lesson('w1', 0), lesson('w2', 1)],
  )
  const what = { lessonId: 'w1', classId: school.key, studentId: school.studentId }
  assertError(await call(avery, 'POST', '/edu/v1/package/waive', { ...what, reason: 'x' }), 403, 4032)
  assertError(await call(casey, 'POST', '/edu/v1/package/waive', { ...what, reason: ' ' }), 400, 4003)
  const waived = await call(casey, 'POST', '/edu/v1/package/waive', { ...what, reason: 'Holds a licence' })
  assert.equal(waived.status, 200, waived.text)
  assertError(await call(casey, 'POST', '/edu/v1/package/waive', { ...what, reason: 'x' }), 409, 4091)
  assert.deepEqual(await school.progress('w1'), { pass: true, score: null, isCompleted: true })
  const read = await school.read('w1')
  assert.deepEqual([read.waived, read.waiveReason, read.satisfied], [true, 'Holds a licence', true])
  const content = await school.open('w2')
  const statements = await listStatements(content.launch.registration)
  assert.deepEqual(
    statements.map(({ verb, object }) => `${verb.id.split('/').at(-1)} ${object.id.split('/').at(-1)}`),
    ['waived w1', 'satisfied w1', 'launched w2'],
  )
  assert.deepEqual(statements[0]?.result, {
    success: true,
    completion: true,
    extensions: { 'https://w3id.org/xapi/cmi5/result/extensions/reason': 'Holds a licence' },
  })
  await content.tell('initialized')
  const sessions = await call(casey, 'GET', `/edu/v1/package/sessions?classId=${school.key}`)
  assert.equal(sessions.status, 200, sessions.text)
  const [open] = sessions.body.docs
  assert.deepEqual([open.handle, open.lessonId, open.endedDate], ['@avery', 'w2', null])
  const { sessionId } = open
  assertError(await call(avery, 'POST', '/edu/v1/package/session/end', { sessionId }), 403, 4032)
  const ended = await call(casey, 'POST', '/edu/v1/package/session/end', { sessionId })
  assert.equal(ended.status, 200, ended.text)
  assertError(await content.tell('passed'), 403, 4032, /abandoned/)
})

test('a unit opens when the units that it requires are satisfied, and collateral credit waives others', async () => {
  const requires = '<requires xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd" idref="urn:r1"/>'
  const credit = '<collateralCredit xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd" idref="urn:r3"/>'
  const school = await makeClass(
    auOf('urn:r1', { attributes: 'moveOn="Passed"', after: credit }) +
      auOf('urn:r2', { attributes: 'moveOn="Passed"', after: requires }) +
      auOf('urn:r3', { attributes: 'moveOn="Passed"' }),
    (lesson) => [lesson('r1', 0), lesson('r2', 1), lesson('r3', 2)],
  )
  assertError(await school.launch('r2'), 400, 4006, /after you have passed Walkaround/)
  const content = await school.open('r1')
  await content.tell('initialized')
  await content.tell('passed')
  assert.equal((await school.launch('r2')).status, 200)
  assert.equal((await school.progress('r3'))?.pass, true)
  assert.equal((await school.read('r3')).waiveReason, 'Equivalent AU')
  const verbs = await listVerbs(content.launch.registration)
  assert.ok(verbs.includes('waived r3') && verbs.includes('satisfied r3'), verbs.join())
})

test('content uses only the documents of its own launch, and cannot change its launch data', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('docs', 0)])
  const content = await school.open('docs')
  assert.equal((await content.state('PUT', 'bookmark', { body: { page: 3 } })).status, 204)
  assert.deepEqual((await content.state('GET', 'bookmark')).body, { page: 3 })
  assertError(await content.state('PUT', 'LMS.LaunchData', { body: {} }), 403, 4032, /10\.2\.1\.0-5/)
  assertError(await content.state('DELETE', 'LMS.LaunchData'), 403, 4032, /10\.2\.1\.0-5/)
  assertError(await content.state('DELETE', undefined), 403, 4032, /10\.2\.1\.0-5/)
  const other = { agent: JSON.stringify({ account: { homePage: app.address, name: '@blake' } }) }
  assertError(await content.state('GET', 'bookmark', { query: other }), 403, 4032, /8\.1\.3\.0-3/)
  assertError(await content.state('GET', 'bookmark', { query: { activityId: 'urn:x' } }), 403, 4032, /8\.1\.5\.0-6/)
  assertError(await content.preferences('GET', { query: other }), 403, 4032, /8\.1\.3\.0-3/)
  assertError(await content.preferences('DELETE'), 403, 4032)
  assertError(
    await content.preferences('POST', { body: { languagePreference: '?', audioPreference: 'on' } }),
    403,
    4032,
    /11\.1\.0\.0-1/,
  )
  assertError(await content.preferences('POST', { body: { languagePreference: 'en' } }), 403, 4032, /11\.0\.0\.0-5/)
  const preferred = { languagePreference: 'en-GB,de', audioPreference: 'off' }
  assert.equal((await content.preferences('POST', { body: preferred })).status, 204)
  const next = await school.open('docs')
  assert.deepEqual((await next.preferences()).body, preferred)
  assert.deepEqual((await next.state('GET', 'bookmark')).body, { page: 3 })
  const agents = await next.send('GET', 'agents', { query: other })
  assertError(agents, 403, 4032, /8\.1\.3\.0-3/)
  const lrs = await next.client.send('GET', '/lrs/v1/figures', { headers: { authorization: `Basic ${next.token}` } })
  assert.ok([401, 403, 404].includes(lrs.status), String(lrs.status))
})

test('somebody who may use a package previews it, which records no result', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('seen', 0)])
  const what = { packageId: school.packageId, item: 0 }
  assertError(await call(avery, 'POST', '/edu/v1/package/preview', what), 403, 4032)
  const launched = await call(finley, 'POST', '/edu/v1/package/preview', what)
  assert.equal(launched.status, 200, launched.text)
  assert.equal(launched.body.mode, 'Browse')
  const content = await new Content(app, launched.body.url).open()
  assert.equal((await content.tell('initialized')).status, 200)
  assert.equal((await content.tell('terminated')).status, 200)
  assert.equal((await school.launch('seen', {}, casey)).status, 403)
})

test('two launches at once leave one session open', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('race', 0)])
  const launched = await Promise.all(Array.from({ length: 5 }, () => school.launch('race')))
  assert.deepEqual(
    launched.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  const rows = await app.sql(
    `select count(*)::int as all, count(*) filter (where h.ended_at is null)::int as open, count(distinct r.id)::int as registrations
       from registrations r join launches h on h.registration_id = r.id join packages k on k.id = r.package_id where k.key = '${school.packageId}'`,
  )
  assert.deepEqual(rows, [{ all: 5, open: 1, registrations: 1 }])
})

test('a session whose content is silent ends as abandoned, after PACKAGE_SESSION_MINUTES', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('silent', 0)])
  const content = await school.open('silent')
  await content.tell('initialized')
  const [environment] = [app.environment()]
  const ago = (minutes: number) =>
    app.sql(`update launches set last_at = now() - interval '${minutes} minutes' where ended_at is null`)
  await ago(700)
  await abandonSilent(environment)
  assert.equal((await school.read('silent')).sessions[0].endedDate, null)
  await ago(721)
  await abandonSilent(environment)
  const { sessions } = await school.read('silent')
  assert.equal(sessions[0].endedBy, 'abandoned')
  assert.equal((await listVerbs(content.launch.registration)).at(-1), 'abandoned silent')
  assertError(await content.tell('passed'), 403, 4032, /abandoned/)
})

test('a lesson that an instructor resets can be taken again, under a new registration', async () => {
  const school = await makeClass(
    auOf('urn:s1', { attributes: 'moveOn="Passed"' }) + auOf('urn:s2', { attributes: 'moveOn="Passed"' }),
    (lesson) => [lesson('s1', 0), lesson('s2', 1)],
  )
  const first = await school.open('s1')
  await first.tell('initialized')
  await first.tell('passed')
  await first.tell('terminated')
  const what = { lessonId: 's1', classId: school.key, studentId: school.studentId, reason: 'Again, please' }
  const reset = await call(casey, 'POST', `${PROGRESS}/reset`, what)
  assert.equal(reset.status, 200, reset.text)
  await until('the registration restarts', async () => !(await school.read('s1')).satisfied)
  const second = await school.open('s1')
  assert.notEqual(second.launch.registration, first.launch.registration)
  assert.equal(second.data.launchMode, 'Normal')
  await second.tell('initialized')
  assert.deepEqual(await school.progress('s1'), { pass: false, score: null, isCompleted: false })
  assert.equal((await second.tell('passed')).status, 200)
  assert.equal((await school.progress('s1'))?.pass, true)
})

test('of the same statement that is sent twice at once, one is stored', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('double', 0)])
  const content = await school.open('double')
  await content.tell('initialized')
  const passed = content.make('passed')
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => content.say(passed)),
    ...Array.from({ length: 4 }, () => content.tell('passed')),
  ])
  const statuses = answers.map(({ status }) => status)
  assert.ok(
    statuses.every((status) => status === 200 || status === 403),
    statuses.join(),
  )
  const verbs = (await listVerbs(content.launch.registration)).filter((verb) => verb === 'passed double')
  assert.equal(verbs.length, 1)
  assert.ok([1, 4].includes(statuses.filter((status) => status === 200).length), statuses.join())
})

test('the score of content is the score of the objectives of the lesson', async () => {
  const school = await makeClass(one('moveOn="Passed"'), (lesson) => [lesson('goal', 0)], {})
  await app.sql(`
    insert into objectives (key, course_id) select 'aim-${school.key}', id from courses where key = '${school.key}';
    insert into objective_versions (version_id, objective_id, position, name, description, lessons)
    select c.version_id, b.id, 0, 'Aim', '', array[(select id from lessons where key = 'goal')] from classes c, objectives b where c.key = '${school.key}' and b.key = 'aim-${school.key}'`)
  const content = await school.open('goal')
  await content.tell('initialized')
  await content.tell('passed', { result: { score: { scaled: 0.75 } } })
  const rows = await app.sql(
    `select s.score from objective_scores s join objectives b on b.id = s.objective_id where b.key = 'aim-${school.key}'`,
  )
  assert.deepEqual(rows, [{ score: 75 }])
})
