import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { exchange, obtainCode, REDIRECT_URI } from '../../apps/oauth/testing.ts'
import { run } from '../../kernel/imports/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, Client, type Person, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'

const SECRET = 'a-secret-of-the-quiz'
const quizApp = (key: string, more: object) => ({
  key,
  name: key,
  redirectUris: [REDIRECT_URI],
  pkce: false,
  secrets: [SECRET],
  ...more,
})
const launched = (id: string, more: object = {}) =>
  lesson(id, { app: 'quiz', launchUri: REDIRECT_URI, passCode: true, ...more })

test('a lesson is launched from the platform', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await run(app, { apps: [quizApp('quiz', {}), quizApp('open', { public: true, pkce: true, secrets: [] })] })
  await openSchool(app, {
    lessons: [
      launched('walkaround', {
        launchUri: `${REDIRECT_URI}?mode=vr`,
        launchParameters: ['scene=apron & ramp', 'x=a=b'],
      }),
      launched('checklist'),
      launched('bare', { prerequisites: [], launchUri: undefined, passCode: false }),
      { id: 'offline', name: 'offline' },
      launched('quiet', { passCode: false, launchParameters: ['scene=1'] }),
      launched('foreign', { launchUri: 'https://evil.example/callback', passCode: false }),
      launched('script', { launchUri: 'javascript:alert(1)', passCode: false }),
      launched('posing'),
      launched('open', { app: 'open', passCode: false }),
      launched('openly', { app: 'open', passCode: false }),
    ],
    alpha: { sequential: false },
    bravo: { sequential: true },
  })
  // The API refuses courses with these parameters, but old ones may be stored. Launching them must be safe, so write
  // them directly.
  await app.sql(
    `update lesson_versions v set launch_parameters = v.launch_parameters || t.more
       from lessons l, (values ('walkaround', 'studentId=somebody-else'), ('posing', 'code=mine')) t (key, more)
      where l.id = v.lesson_id and l.key = t.key;
     update lesson_versions v set passes_code = true from lessons l where l.id = v.lesson_id and l.key = 'open'`,
  )

  const launch = (browser: TestBrowser, lessonId: string, more: object = {}) =>
    call(browser, 'POST', '/edu/v1/lesson/launch', { lessonId, ...more })
  const allow = async (person: Person) =>
    (await obtainCode(app, { clientId: 'gs-quiz', person, browser: await signInBrowser(app, person) })).browser
  /**
   * Returns the query parameters of the launch URL without the code, and the handle of the user for whom the code was
   * issued.
   */
  const read = async (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['uri'])
    const uri = new URL(answer.body.uri)
    const fields = [...uri.searchParams]
    const code = uri.searchParams.get('code')
    if (code === null) return { fields, handle: undefined }
    const grant = { grant_type: 'authorization_code', code, client_id: 'gs-quiz', client_secret: SECRET }
    const tokens = await exchange(app, grant)
    assert.equal(tokens.status, 200, tokens.text)
    const { body } = await new Client(app.address, tokens.body.access_token).get('/user/v1/my/profile')
    return { fields: fields.filter(([name]) => name !== 'code'), handle: body.handle }
  }
  const [avery, blake, casey] = [await allow('avery'), await allow('blake'), await allow('casey')]
  const ids = (lessonId: string, classId: string) => [
    ['lessonId', lessonId],
    ['classId', classId],
    ['courseId', 'course'],
  ]

  await t.test("has the lesson's parameters, the platform's ids and a code for whoever asks", async () => {
    const seen = await read(await launch(avery, 'walkaround'))
    assert.deepEqual(seen, {
      fields: [
        ['mode', 'vr'],
        ['scene', 'apron & ramp'],
        ['x', 'a=b'],
        ...ids('walkaround', 'alpha'),
        ['studentId', 'avery-alpha'],
      ],
      handle: '@avery',
    })
    const answer = await launch(blake, 'walkaround', { classId: 'alpha', studentId: 'avery-alpha', userId: 'x' })
    const { fields, handle } = await read(answer)
    assert.deepEqual([new Map(fields as [string, string][]).get('studentId'), handle], ['blake-alpha', '@blake'])
    assert.notEqual((await launch(avery, 'walkaround')).body.uri, (await launch(avery, 'walkaround')).body.uri)
  })

  await t.test('has no code where the lesson passes none, also for a public app', async () => {
    for (const [name, more] of [
      ['quiet', [['scene', '1']]],
      ['openly', []],
    ] as const) {
      const { fields, handle } = await read(await launch(avery, name))
      assert.deepEqual(fields, [...more, ...ids(name, 'alpha'), ['studentId', 'avery-alpha']])
      assert.equal(handle, undefined)
    }
  })

  await t.test("an instructor gets a preview: no student's id, and a code of their own", async () => {
    assert.deepEqual(await read(await launch(casey, 'checklist', { classId: 'alpha' })), {
      fields: ids('checklist', 'alpha'),
      handle: '@casey',
    })
    assertError(await launch(casey, 'checklist', { classId: 'bravo' }), 403, 4032)
    assertError(await launch(casey, 'checklist'), 400, 4001, /classId/)
  })

  await t.test('is refused where it is locked, with the reason, and where there is no address', async () => {
    const locked = await launch(blake, 'checklist', { classId: 'bravo' })
    assertError(locked, 400, 4006, /^Locked until you pass walkaround$/)
    await app.sql(
      `insert into lesson_locks (class_id, lesson_id, is_locked, set_at) select c.id, l.id, true, now() from classes c, lessons l where c.key = 'alpha' and l.key = 'quiet'`,
    )
    assertError(await launch(avery, 'quiet'), 400, 4006, /^Locked by an instructor$/)
    assertError(await launch(avery, 'bare'), 400, 4006, /no launch URL/)
    assertError(await launch(avery, 'offline'), 400, 4006, /Your instructor will complete this lesson with you/)
  })

  await t.test('a lesson without an address of its own opens at that of its app', async () => {
    await app.sql(`update apps set launch_uri = '${REDIRECT_URI}?mode=all' where client_id = 'gs-quiz'`)
    const { fields } = await read(await launch(avery, 'bare'))
    assert.deepEqual(fields, [['mode', 'all'], ...ids('bare', 'alpha'), ['studentId', 'avery-alpha']])
    assert.ok((await read(await launch(avery, 'walkaround'))).fields.some(([, value]) => value === 'vr'))
    await app.sql(`update apps set launch_uri = 'https://gone.example/' where client_id = 'gs-quiz'`)
    assertError(await launch(avery, 'bare'), 400, 4003, /not registered/)
  })

  await t.test('O13: an address that is not registered, a public app and one without consent are refused', async () => {
    for (const name of ['foreign', 'script', 'posing']) assertError(await launch(avery, name), 400, 4003, /launchUri/)
    assertError(await launch(avery, 'open'), 400, 4006, /public client/)
    await app.sql(`delete from app_users where person_id = (select id from people where handle = '@blake')`)
    assertError(await launch(blake, 'walkaround', { classId: 'alpha' }), 401, 4019, /not allowed quiz yet/)
  })

  await t.test('a caller can allow the app with the launch, once and in the body only', async () => {
    const before = await app.sql(`select from audit_entries where action = 'consent.given'`)
    assertError(await call(blake, 'POST', '/edu/v1/lesson/launch?allow=true', { lessonId: 'walkaround' }), 400, 4000)
    for (let i = 0; i < 2; i++)
      assert.equal((await launch(blake, 'walkaround', { classId: 'alpha', allow: true })).status, 200)
    assert.equal((await launch(blake, 'walkaround', { classId: 'alpha' })).status, 200)
    const given = await app.sql(`select from audit_entries where action = 'consent.given'`)
    assert.equal(given.length, before.length + 1)
  })

  await t.test('strangers, observers, owners and former members of the class are refused', async () => {
    for (const person of ['drew', 'ellis', 'finley'] as const)
      assertError(await launch(await signInBrowser(app, person), 'walkaround', { classId: 'alpha' }), 403, 4032)
    assertError(await launch(avery, 'walkaround', { classId: 'bravo' }), 403, 4032)
    assertError(await launch(avery, 'none'), 404, 4042)
    assertError(await call(app.visitor(), 'POST', '/edu/v1/lesson/launch', { lessonId: 'walkaround' }), 401, 4016)
    const token = await app.as('avery')
    assertError(await token.post('/edu/v1/lesson/launch', { lessonId: 'walkaround' }), 401, 4016)
    await app.sql(`update enrolments set status = 'suspended' where key = 'avery-alpha'`)
    assertError(await launch(avery, 'walkaround'), 403, 4032, /suspended/)
    await app.sql(`update enrolments set status = 'active'; update classes set ended_at = now() where key = 'alpha'`)
    assertError(await launch(avery, 'walkaround'), 400, 4006, /is closed/)
  })
})
