import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { itemOf } from '../../learning/packages/testing-scorm.ts'
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
async function makeClass(version: TestedVersion, ids: readonly string[] = ['sco'], inside = '') {
  const key = `s${++packages}`
  const items = ids.map((id) => itemOf(`${id}-${key}`, inside)).join('')
  await makeScormClass(app, finley, { key, version, ids, items })
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

const MASTERY = '<adlcp:masteryscore>80</adlcp:masteryscore>'

test('content that calls an item completed, and then failed, has failed it', async () => {
  for (const version of ['1.2', '2004 4th Edition'] as const) {
    const school = await makeClass(version)
    const player = await school.open('sco')
    const [completed, failed] =
      version === '1.2'
        ? [{ core: { lesson_status: 'completed' } }, { core: { lesson_status: 'failed', score: { raw: '47' } } }]
        : [
            { completion_status: 'completed' },
            { completion_status: 'completed', success_status: 'failed', score: { scaled: '0.47' } },
          ]
    await player.commit(0, completed)
    assert.deepEqual(await school.progress('sco'), { pass: false, score: null, isCompleted: false })
    await player.commit(0, failed)
    await player.commit(0, failed, { finished: true, ended: true, exit: 'normal' })
    assert.deepEqual(await school.progress('sco'), { pass: false, score: 47, isCompleted: true })
    const again = await school.open('sco')
    assert.equal((await again.session()).mode, 'normal')
    await again.commit(0, completed, { finished: true, ended: true, exit: 'normal' })
    assert.equal((await school.progress('sco'))?.pass, true)
  }
})

test('with a passing score, an item that was completed without a score is not passed until its content ends it', async () => {
  const school = await makeClass('1.2', ['sco'], MASTERY)
  const player = await school.open('sco')
  const completed = { core: { lesson_status: 'completed' } }
  await player.commit(0, completed, { finished: true, ended: true, exit: 'suspend' })
  assert.deepEqual(await school.progress('sco'), { pass: false, score: null, isCompleted: false })
  const again = await school.open('sco')
  await again.commit(0, completed, { finished: true, ended: true, exit: 'normal' })
  assert.equal((await school.progress('sco'))?.pass, true)
})

const end = (sessionId: string) => call(casey, 'POST', '/edu/v1/package/session/end', { sessionId })

test('an instructor ends a session whose player shows an item that is no lesson of the class', async () => {
  const key = `s${++packages}`
  const items = itemOf(`a-${key}`) + itemOf(`b-${key}`)
  await makeScormClass(app, finley, { key, version: '1.2', items, ids: ['a'] })
  const launched = await call(avery, 'POST', '/edu/v1/package/launch', { lessonId: `a-${key}`, classId: key })
  const player = await Player.open(launched.body)
  await player.commit(1, { core: { lesson_status: 'incomplete' } })
  const ended = await end(launched.body.sessionId)
  assert.equal(ended.status, 200, ended.text)
  assertError(await player.send(1, {}), 403, 4032, /was ended/)
})

test('a session that ends without its content is judged by what the content has said last', async () => {
  for (const [status, expected] of [
    ['completed', { pass: true, score: null, isCompleted: true }],
    ['failed', { pass: false, score: null, isCompleted: true }],
    ['incomplete', { pass: false, score: null, isCompleted: false }],
  ] as const) {
    const school = await makeClass('1.2')
    const player = await school.open('sco')
    await player.commit(0, { core: { lesson_status: status } })
    assert.equal((await school.progress('sco'))?.isCompleted, false)
    const { body } = await call(casey, 'GET', `/edu/v1/package/sessions?classId=${school.key}`)
    const ended = await end(body.docs[0].sessionId)
    assert.equal(ended.status, 200, ended.text)
    assert.deepEqual(await school.progress('sco'), expected, status)
  }
})

test('a reset forgets what the item has saved', async () => {
  const school = await makeClass('2004 4th Edition', ['first', 'second'])
  const player = await school.open('first')
  const cmi = { completion_status: 'completed', success_status: 'passed', suspend_data: 'abc' }
  await player.commit(1, cmi, { finished: true, exit: 'suspend' })
  await player.commit(0, cmi, { finished: true, exit: 'suspend', shared: { sequencing: 'x' } })
  const answer = await call(casey, 'POST', `${PROGRESS}/reset`, {
    ...{ lessonId: `first-${school.key}`, classId: school.key },
    ...{ studentId: `avery-${school.key}`, reason: 'Again, please' },
  })
  assert.equal(answer.status, 200, answer.text)
  await until('the registration restarts', async () => {
    const { body } = await school.launch('first')
    return body.mode === 'Normal'
  })
  const again = await school.open('first')
  const { states, shared } = await again.session()
  assert.deepEqual(Object.keys(states), ['1'])
  assert.equal(shared, null)
  await again.commit(0, { completion_status: 'incomplete' })
  assert.deepEqual(await school.progress('first'), { pass: false, score: null, isCompleted: false })
})

test('a lesson that is waived while it is locked counts as passed, and opens the next one', async () => {
  const school = await makeClass('1.2', ['one', 'two', 'three'])
  await app.sql(`update classes set is_sequential = true where key = '${school.key}'`)
  assertError(await school.launch('three'), 400, 4006)
  const waived = await call(casey, 'POST', '/edu/v1/package/waive', {
    ...{ lessonId: `two-${school.key}`, classId: school.key, studentId: `avery-${school.key}`, reason: 'Licence' },
  })
  assert.equal(waived.status, 200, waived.text)
  assert.equal((await school.progress('two'))?.pass, true)
  const player = await school.open('one')
  await player.commit(0, { core: { lesson_status: 'passed' } }, { finished: true, ended: true })
  assert.equal((await school.launch('three')).status, 200)
})

test('a group is passed without the units that are no lessons of the class', async () => {
  const key = `s${++packages}`
  const items = itemOf(`group-${key}`, itemOf(`a-${key}`) + itemOf(`b-${key}`), '')
  const group = { ids: ['group', 'a'], positions: [0, 1], isNested: true }
  await makeScormClass(app, finley, { key, version: '1.2', items, ...group })
  const launched = await call(avery, 'POST', '/edu/v1/package/launch', { lessonId: `a-${key}`, classId: key })
  assert.equal(launched.status, 200, launched.text)
  const player = await Player.open(launched.body)
  await player.commit(1, { core: { lesson_status: 'passed' } }, { finished: true, ended: true })
  const { body } = await call(avery, 'GET', `${PROGRESS}?lessonId=group-${key}&classId=${key}`)
  assert.equal(body.pass, true, JSON.stringify(body))
})

test('a package of forty items opens although each of them has saved the most that it can', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `sco-${i}`)
  const school = await makeClass('1.2', ids)
  const player = await school.open('sco-0')
  const cmi = { core: { lesson_status: 'incomplete' }, suspend_data: 'x'.repeat(64_000) }
  for (const item of ids.keys()) await player.commit(item, cmi, { finished: true, exit: 'suspend' })
  const { states, items } = await (await school.open('sco-0')).session()
  assert.deepEqual([Object.keys(states).length, items.length, states[39].cmi], [40, 40, cmi])
})

test('nothing is saved any more once the class of the student has other lessons', async () => {
  const school = await makeClass('1.2')
  const player = await school.open('sco')
  await player.commit(0, { core: { lesson_status: 'incomplete' } })
  const other = await makeClass('1.2')
  await app.sql(`
    delete from enrolments where key = 'avery-${other.key}';
    update enrolments set class_id = (select id from classes where key = '${other.key}') where key = 'avery-${school.key}'`)
  assertError(await player.send(0, { core: { lesson_status: 'passed' } }), 403, 4032, /no longer teaches this/)
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
