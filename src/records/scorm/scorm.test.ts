import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { PATH as PROGRESS } from '../../learning/progress/testing.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import type { Activity, Statement } from '../statements/model/statement.ts'
import { presentStatement } from '../statements/query/query.ts'
import { exportScorm } from './scorm.ts'
import { makeScormClass, type TestedVersion } from './testing.ts'

type SeenStatement = Statement & { readonly object: Activity }

const app = await sharedApp(UNLIMITED)
await openSchool(app)
const [finley, avery] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'avery')]
const casey = await signInBrowser(app, 'casey')
let packages = 0

/** Makes a course of a SCORM package, and a class of it in which Avery is a student. */
async function makeClass(version: TestedVersion, ids: readonly string[] = ['sco']) {
  const key = `s${++packages}`
  await makeScormClass(app, finley, { key, version, ids })
  const launch = (id: string, more: object = {}) =>
    call(avery, 'POST', '/edu/v1/package/launch', { lessonId: `${id}-${key}`, classId: key, ...more })
  return {
    key,
    launch,
    open: async (id: string, more: object = {}) => {
      const launched = await launch(id, more)
      assert.equal(launched.status, 200, launched.text)
      return Player.open(launched.body)
    },
    progress: async (id: string) => {
      const { body, status } = await call(avery, 'GET', `${PROGRESS}?lessonId=${id}-${key}&classId=${key}`)
      return status === 200 ? { pass: body.pass, score: body.score, isCompleted: body.completed !== null } : undefined
    },
  }
}

class Player {
  readonly client: Client
  readonly registration: string
  readonly sequence: Record<number, number> = {}

  constructor(token: string, registration: string) {
    this.client = new Client(app.address, `Basic ${token}`)
    this.registration = registration
  }

  static async open({ url, registration }: { url: string; registration: string }): Promise<Player> {
    assert.match(new URL(url).pathname, /^\/player\/[\w.-]+\/$/)
    const { pathname, search } = new URL(readLaunchUrl(url))
    const fetched = await new Client(app.address).send('POST', `${pathname}${search}`)
    return new Player(fetched.body['auth-token'], registration)
  }

  session = async () => (await this.client.get('/scorm/v1/session')).body
  send = (item: number, cmi: object, more: object = {}) => {
    this.sequence[item] = (this.sequence[item] ?? 0) + 1
    return this.client.post('/scorm/v1/commit', { item, sequence: this.sequence[item], cmi, ...more })
  }
  commit = async (item: number, cmi: object, more: object = {}) => {
    const answer = await this.send(item, cmi, more)
    assert.equal(answer.status, 200, answer.text)
  }

  async verbs(): Promise<string[]> {
    const rows = await app.sql('select seq::float8, payload from statements order by seq')
    return rows
      .map((row) => presentStatement(row as { seq: number; payload: string }) as SeenStatement)
      .filter(({ context }) => context?.registration === this.registration)
      .map(({ verb, object }) => `${verb.id.split('/').at(-1)} ${object.id.split('/').at(-1)}`)
  }
}
const readLaunchUrl = (url: string) => new URL(url).searchParams.get('fetch')!

test('an item of SCORM 1.2 is saved, resumed exactly and passed', async () => {
  const school = await makeClass('1.2')
  const first = await school.open('sco')
  const session = await first.session()
  assert.deepEqual(
    [session.standard, session.mode, session.credit, session.item, session.learner.id],
    ['scorm12', 'normal', 'credit', 0, '@avery'],
  )
  const suspended = {
    core: { lesson_status: 'incomplete', lesson_location: 'page-3', score: { raw: '40', min: '0', max: '100' } },
    suspend_data: 'x'.repeat(64_000),
    interactions: { 0: { id: 'q1', type: 'choice', student_response: 'a', result: 'wrong', latency: '00:00:05' } },
  }
  await first.commit(0, suspended, { exit: 'suspend', finished: true, ended: true, sessionSeconds: 62.5 })
  assert.deepEqual(await school.progress('sco'), { pass: false, score: 40, isCompleted: false })
  assertError(await first.send(0, {}), 403, 4032, /This session has ended/)
  const second = await school.open('sco')
  const { states } = await second.session()
  assert.deepEqual(states[0].cmi, suspended)
  assert.equal(states[0].entry, 'resume')
  const passed = { ...suspended, core: { lesson_status: 'passed', score: { raw: 90, min: 0, max: 100 } } }
  await second.commit(0, passed)
  assert.deepEqual(await school.progress('sco'), { pass: true, score: 90, isCompleted: true })
  await second.commit(0, passed, { exit: 'normal', finished: true, sessionSeconds: 10 })
  const names = (await second.verbs()).map((verb) => verb.split(' ')[0])
  assert.deepEqual(names, [
    ...['initialized', 'responded', 'suspended', 'resumed', 'completed', 'passed'],
    ...['satisfied', 'satisfied', 'terminated'],
  ])
  // Afterwards it opens for review, which saves nothing.
  const third = await school.open('sco')
  const review = await third.session()
  assert.deepEqual([review.mode, review.credit], ['review', 'no-credit'])
  await third.commit(0, { core: { lesson_status: 'failed' } }, { finished: true })
  assert.deepEqual(await school.progress('sco'), { pass: true, score: 90, isCompleted: true })
})

test('an item of SCORM 2004 that is completed but failed is not passed', async () => {
  const school = await makeClass('2004 4th Edition')
  const first = await school.open('sco')
  await first.commit(0, { completion_status: 'incomplete', progress_measure: '0.5' })
  const failed = { completion_status: 'completed', success_status: 'failed', score: { scaled: '0.3' } }
  await first.commit(0, failed, { finished: true, exit: 'normal', sessionSeconds: 5 })
  assert.deepEqual(await school.progress('sco'), { pass: false, score: 30, isCompleted: true })
  const second = await school.open('sco')
  assert.equal((await second.session()).states[0].entry, 'ab-initio')
  await second.commit(0, { completion_status: 'completed', success_status: 'passed', score: { scaled: '0.8' } })
  assert.deepEqual(await school.progress('sco'), { pass: true, score: 80, isCompleted: true })
})

test('a commit that is sent again or late changes nothing, and a part changes only what it has', async () => {
  const school = await makeClass('2004 4th Edition')
  const player = await school.open('sco')
  await player.commit(0, { location: '1', suspend_data: 'abc' })
  await player.commit(0, { location: '2' }, { partial: true })
  const late = await player.client.post('/scorm/v1/commit', { item: 0, sequence: 1, cmi: { location: 'late' } })
  assert.equal(late.status, 200)
  const again = await school.open('sco')
  assert.deepEqual((await again.session()).states[0].cmi, { location: '2', suspend_data: 'abc' })
})

test('interactions and objectives become statements once, and again when they change', async () => {
  const school = await makeClass('2004 4th Edition')
  const player = await school.open('sco')
  const cmi = (response: string, success: string) => ({
    interactions: [
      {
        id: 'urn:q/1',
        type: 'choice',
        learner_response: response,
        result: 'correct',
        latency: 'PT4S',
        correct_responses: { 0: { pattern: 'a[,]b' } },
      },
      { id: 'open', type: 'choice' },
    ],
    objectives: [{ id: 'aim', success_status: success, score: { scaled: '0.5' } }, { id: 'unknown' }],
  })
  await player.commit(0, cmi('a', 'failed'))
  await player.commit(0, cmi('a', 'failed'))
  await player.commit(0, cmi('b', 'passed'))
  assert.deepEqual(
    (await player.verbs()).map((verb) => verb.replace(/sco-s\d+/, 'sco')),
    ['initialized sco', 'responded urn%3Aq%2F1', 'failed aim', 'responded urn%3Aq%2F1', 'passed aim'],
  )
})

test('a package of several items keeps its session, and each item has its lesson', async () => {
  const school = await makeClass('1.2', ['a', 'b'])
  const player = await school.open('a')
  await player.commit(0, { core: { lesson_status: 'completed' } }, { finished: true, exit: 'normal' })
  await player.commit(
    1,
    { core: { lesson_status: 'failed', score: { raw: '10' } } },
    { finished: true, shared: { x: 1 } },
  )
  assert.equal((await school.progress('a'))?.pass, true)
  assert.deepEqual(await school.progress('b'), { pass: false, score: 10, isCompleted: true })
  const next = await school.open('b')
  const session = await next.session()
  assert.deepEqual([session.item, session.shared, session.items.length], [1, { x: 1 }, 2])
  await next.commit(1, { core: { lesson_status: 'passed' } }, { finished: true, ended: true })
  assert.equal((await school.progress('b'))?.pass, true)
  assertError(await next.send(1, {}), 403, 4032)
})

test('a score whose bounds are too far apart, or a progress beyond 1, counts as none', async () => {
  const school = await makeClass('2004 4th Edition')
  const player = await school.open('sco')
  await player.commit(0, { score: { raw: '1e308', min: '-1e308', max: '1e308' }, progress_measure: '1e308' })
  assert.deepEqual(await school.progress('sco'), { pass: false, score: null, isCompleted: false })
  const seen = await call(casey, 'GET', `/edu/v1/package/sessions?classId=${school.key}`)
  assert.deepEqual([seen.status, seen.body.docs[0].score, seen.body.docs[0].progress], [200, null, null], seen.text)
})

test('an item that fails says nothing about the others of its session, and the list of sessions shows it', async () => {
  const school = await makeClass('1.2', ['first', 'second'])
  const player = await school.open('first')
  await player.commit(0, { core: { lesson_status: 'incomplete' } }, { finished: true, exit: 'suspend' })
  await player.commit(1, { core: { lesson_status: 'failed', score: { raw: 40 } } }, { finished: true })
  for (const query of ['', `&lessonId=first-${school.key}`, `&lessonId=second-${school.key}`]) {
    const { body } = await call(casey, 'GET', `/edu/v1/package/sessions?classId=${school.key}${query}`)
    assert.deepEqual(
      body.docs.map(({ lessonId, score }: { lessonId: string; score: number }) => [lessonId, score]),
      [[`second-${school.key}`, 40]],
    )
  }
  assert.equal((await school.launch('first')).status, 200)
  assert.deepEqual(await school.progress('first'), { pass: false, score: null, isCompleted: false })
  assert.deepEqual(await school.progress('second'), { pass: false, score: 40, isCompleted: true })
})

test('what packages have saved about a person is in the download of their data', async () => {
  const school = await makeClass('2004 4th Edition', ['first', 'second'])
  const player = await school.open('first')
  await player.commit(0, { location: 'page-1' }, { shared: { objectives: {} } })
  await player.commit(1, { location: 'page-2' })
  const [row] = await app.sql(`select id::int as id from people where handle = '@avery'`)
  const found = []
  for await (const one of exportScorm(app.environment().db, Number(row!.id)))
    if ((one as { registration: string }).registration === player.registration) found.push(one)
  const data = (found as { item: number; data: object }[]).map(({ item, data }) => [item, data])
  assert.deepEqual(data, [
    [-1, { objectives: {} }],
    [0, { location: 'page-1' }],
    [1, { location: 'page-2' }],
  ])
})

test('only the player with a credential of a SCORM launch saves', async () => {
  const school = await makeClass('1.2')
  const player = await school.open('sco')
  assert.equal((await (await app.as('avery')).get('/scorm/v1/session')).status, 401)
  assert.equal((await new Client(app.address).get('/scorm/v1/session')).status, 401)
  const statements = await player.client.send('GET', '/xapi/statements', {
    headers: { 'x-experience-api-version': '2.0.0' },
  })
  assertError(statements, 403, 4032)
  assertError(await player.send(7, {}), 400, 4003)
  const large = await player.send(0, { suspend_data: 'x'.repeat(2_000_000) })
  assert.equal(large.status, 413)
})
