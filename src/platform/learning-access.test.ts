import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from '../anonymous/testing.ts'
import { operations } from '../app.ts'
import { UNLIMITED } from '../buckets/testing.ts'
import { openSchool } from '../courses/testing.ts'
import type { Operation } from '../http/operation.ts'
import { run } from '../imports/testing.ts'
import { REDIRECT_URI } from '../oauth/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import type { Person } from '../testing/testing.ts'
import { type TestApp, testApp } from '../testing/testing.ts'

const AREAS = ['Lessons and progress', 'Notes']

/** All requests are about Avery, who is a student of the class alpha. */
const CALLERS = [
  'student',
  'classmate',
  'instructor',
  'instructor of another class',
  'observer',
  'owner',
  'administrator',
  'stranger',
  'same person in another app',
  'anonymous user',
  'other environment',
  'nobody',
] as const
type CallerName = (typeof CALLERS)[number]
const PEOPLE: Partial<Record<CallerName, string>> = {
  student: 'avery',
  classmate: 'blake',
  instructor: 'casey',
  'instructor of another class': 'drew',
  observer: 'ellis',
  owner: 'finley',
  administrator: 'gale',
  stranger: 'hollis',
}

/** `yes`, how many entries of a list they see, or the code of the refusal. */
type Outcome = 'yes' | `sees ${number}` | number
type Row = Readonly<Record<CallerName, Outcome>>

/** Deny by default: whoever is not named is refused. */
const only = (code: number, allowed: Partial<Row>): Row => ({
  ...(Object.fromEntries(CALLERS.map((name) => [name, code])) as Row),
  'anonymous user': 4035,
  'other environment': 4034,
  nobody: 4016,
  ...allowed,
})
const staff = { instructor: 'yes', observer: 'yes', owner: 'yes', administrator: 'yes' } as const
const READS = only(4032, { student: 'yes', 'same person in another app': 'yes', ...staff })
const WRITES = only(4032, { student: 'yes', instructor: 'yes' })
/** Everybody who has to do with the course. */
const OF_COURSE = only(4042, {
  ...READS,
  classmate: 'yes',
  'instructor of another class': 'yes',
  stranger: 4042,
})
const lists = (counts: Partial<Record<CallerName, number>>): Row =>
  only(0, {
    ...(Object.fromEntries(CALLERS.slice(0, 9).map((name) => [name, `sees ${counts[name] ?? 0}`])) as Partial<Row>),
  })
const COOKIE_ONLY = { 'same person in another app': 4016, 'anonymous user': 4016, 'other environment': 4016 } as const

type Scene = 'nothing' | 'started' | 'paused' | 'idle' | 'note'

/** Who may what, for every operation of these areas: one that is not here fails the test. */
const TABLE: Readonly<Record<string, readonly [Scene, Row]>> = {
  readLesson: ['nothing', { ...READS, classmate: 'yes' }],
  listLessonsOfCourse: [
    'nothing',
    { ...only(4042, Object.fromEntries(CALLERS.slice(0, 9).map((name) => [name, 'sees 3']))), stranger: 4042 },
  ],
  listLessonsOfApp: [
    'nothing',
    {
      ...lists({ student: 3, classmate: 3, instructor: 3, observer: 3 }),
      'instructor of another class': 4032,
      stranger: 4032,
    },
  ],
  readCourse: ['nothing', OF_COURSE],
  listCourses: [
    'nothing',
    lists({
      student: 1,
      classmate: 1,
      instructor: 1,
      'instructor of another class': 1,
      observer: 1,
      owner: 1,
      'same person in another app': 1,
    }),
  ],
  listObjectives: [
    'nothing',
    { ...only(4042, Object.fromEntries(CALLERS.slice(0, 9).map((name) => [name, 'sees 1']))), stranger: 4042 },
  ],
  listClasses: [
    'nothing',
    lists({
      student: 1,
      classmate: 2,
      instructor: 1,
      'instructor of another class': 1,
      observer: 1,
      'same person in another app': 1,
    }),
  ],
  readProgress: ['started', READS],
  listAttempts: [
    'started',
    Object.fromEntries(
      Object.entries(READS).map(([name, outcome]) => [name, outcome === 'yes' ? 'sees 1' : outcome]),
    ) as Row,
  ],
  readLocks: [
    'nothing',
    Object.fromEntries(
      Object.entries(READS).map(([name, outcome]) => [name, outcome === 'yes' ? 'sees 3' : outcome]),
    ) as Row,
  ],
  startLesson: ['nothing', WRITES],
  pauseLesson: ['started', WRITES],
  resumeLesson: ['paused', WRITES],
  idleLesson: ['started', WRITES],
  activateLesson: ['idle', WRITES],
  updateProgress: ['started', WRITES],
  scoreObjective: ['started', WRITES],
  watchClass: ['nothing', only(4032, staff)],
  launchLesson: ['nothing', only(4032, { student: 'yes', classmate: 'yes', instructor: 'yes', ...COOKIE_ONLY })],
  listNotes: ['note', lists({ student: 1, instructor: 1, 'same person in another app': 1 })],
  readNote: ['note', only(4042, { student: 'yes', instructor: 'yes', 'same person in another app': 'yes' })],
  createNote: ['nothing', only(4003, { student: 'yes', instructor: 'yes', 'same person in another app': 'yes' })],
  removeNote: ['note', only(4042, { student: 4032, instructor: 'yes', 'same person in another app': 4032 })],
}

/** What is sent, by the name of the field: the declaration says which of them an operation takes. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  lessonId: 'walkaround',
  classId: 'alpha',
  studentId: 'avery-alpha',
  courseId: 'course',
  objectiveId: 'safety',
  score: 50,
  text: 'Looks twice.',
}

const asked = operations.filter(({ area }) => AREAS.includes(area))

interface Sender {
  readonly address: string
  readonly token: Record<string, string>
  readonly cookie: Record<string, string>
}

async function openSenders(app: TestApp): Promise<Record<CallerName, Sender>> {
  const cookieOf = async (person: Person, environment?: 'sandbox') => ({
    cookie: [...(await signedIn(app, person, environment)).cookies].map((pair) => pair.join('=')).join('; '),
  })
  const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })
  const people = await Promise.all(
    Object.entries(PEOPLE).map(async ([name, handle]) => {
      const token = bearer((await app.as(handle as Person)).token)
      return [name, { address: app.address, token, cookie: await cookieOf(handle as Person) }]
    }),
  )
  const noCookie = { address: app.address, cookie: {} }
  const elsewhere = bearer((await app.as('avery', 'second')).token)
  const anonymous = bearer((await join(app)).client.token)
  const sandbox = bearer((await app.as('avery', 'first', 'sandbox')).token)
  return {
    ...Object.fromEntries(people),
    // An operation for the platform's own pages is sent the token all the same.
    'same person in another app': { address: app.address, token: elsewhere, cookie: elsewhere },
    'anonymous user': { address: app.address, token: anonymous, cookie: anonymous },
    'other environment': { address: app.address, token: sandbox, cookie: await cookieOf('avery', 'sandbox') },
    nobody: { ...noCookie, token: {} },
  }
}

async function openScene(app: TestApp) {
  await run(app, { people: [{ handle: '@gale', administrator: true }, { handle: '@hollis' }] })
  await openSchool(app)
  await app.sql(
    `insert into app_redirect_uris (app_id, uri) select id, '${REDIRECT_URI}' from apps where name = 'first';
     update lesson_versions set launch_uri = '${REDIRECT_URI}' where lesson_id = (select id from lessons where key = 'walkaround')`,
  )
  const senders = await openSenders(app)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const act = (verb: string) => avery.post(`/edu/v1/lesson/progress/${verb}`, { lessonId: 'walkaround' })

  /** As if nothing had happened but this. */
  const set = async (scene: Scene): Promise<Record<string, unknown>> => {
    await app.sql('delete from standings; delete from objective_scores; delete from attempts; delete from notes')
    if (scene === 'note') {
      const what = { text: 'x', studentId: 'avery-alpha', lessonId: 'walkaround' }
      return { ...SAMPLES, noteId: (await casey.put('/edu/v1/note', what)).body.noteId }
    }
    if (scene !== 'nothing') assert.equal((await act('start')).status, 200)
    if (scene === 'paused') assert.equal((await act('pause')).status, 200)
    if (scene === 'idle') assert.equal((await act('idle')).status, 200)
    return SAMPLES
  }
  return { senders, set }
}

async function send(operation: Operation, sender: Sender, samples: Record<string, unknown>, more: object = {}) {
  const { method, path, input, from, who, output } = operation
  const given = Object.keys(input.properties).filter((name) => name in samples)
  const fields = { ...Object.fromEntries(given.map((name) => [name, samples[name]])), ...more }
  const isInQuery = from === 'query'
  const query = isInQuery ? `?${new URLSearchParams(fields as Record<string, string>)}` : ''
  const response = await fetch(`${sender.address}${path}${query}`, {
    method,
    headers: {
      ...(who.name === 'person' ? sender.cookie : sender.token),
      ...(isInQuery ? {} : { 'content-type': 'application/json' }),
    },
    ...(isInQuery ? {} : { body: JSON.stringify(fields) }),
  })
  if (output.kind === 'events' && response.status === 200) {
    await response.body?.cancel()
    return { status: 200, body: {} }
  }
  return { status: response.status, body: await response.json() }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
function outcomeOf({ status, body }: { status: number; body: any }): Outcome {
  if (status !== 200) return body.error_code
  const list = Array.isArray(body) ? body : body.docs
  return list ? `sees ${list.length}` : 'yes'
}

test('every operation of learning is in the table of who may what', () => {
  assert.deepEqual(asked.map(({ name }) => name).sort(), Object.keys(TABLE).sort())
})

test('who may what in learning: every operation, for everybody (D1)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { senders, set } = await openScene(app)
  for (const operation of asked)
    await t.test(operation.name, async () => {
      const [scene, expected] = TABLE[operation.name]!
      const outcomes: Partial<Record<CallerName, Outcome>> = {}
      for (const name of CALLERS) outcomes[name] = outcomeOf(await send(operation, senders[name], await set(scene)))
      assert.deepEqual(outcomes, expected)
    })
})

const INVENTED: Readonly<Record<string, unknown>> = {
  classId: 'nowhere',
  studentId: 'nobody',
  courseId: 'nothing',
  noteId: 'nothing',
}

test('whoever is refused is told the same about what does not exist (D1)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { senders, set } = await openScene(app)
  for (const operation of asked) {
    const [scene, expected] = TABLE[operation.name]!
    const refused = (['classmate', 'instructor of another class', 'stranger'] as const).filter(
      (name) => typeof expected[name] === 'number',
    )
    for (const name of refused)
      await t.test(`${operation.name} for the ${name}`, async () => {
        const samples = await set(scene)
        const real = await send(operation, senders[name], samples)
        assert.deepEqual(await send(operation, senders[name], { ...samples, ...INVENTED }), real)
      })
  }
})

const SMUGGLED: Readonly<Record<string, unknown>> = {
  users: ['x'],
  owner: true,
  appId: 1,
  pass: true,
  trainer: true,
  userId: 'x',
  lessonResultId: 'mine',
  started: '2000-01-01T00:00:00Z',
  completed: '2000-01-01T00:00:00Z',
}

test('what is smuggled into a body of learning changes nothing (D2)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { senders, set } = await openScene(app)
  app.holdClock()
  /** Everything that is kept, but for ids that are new each time. */
  const readAll = async () => {
    const tables = ['attempts', 'standings', 'objective_scores', 'notes', 'enrolments', 'class_staff', 'lesson_locks']
    const rows = tables.map((table) =>
      app.sql(`select to_jsonb(t) - 'id' - 'key' - 'attempt_id' as row from ${table} t order by 1`),
    )
    return Promise.all(rows)
  }
  const masked = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll(/[\w-]{22,}/g, 'an id'))
  for (const operation of asked.filter(({ from }) => from !== 'query'))
    await t.test(operation.name, async () => {
      const [scene, expected] = TABLE[operation.name]!
      const smuggled = Object.fromEntries(
        Object.entries(SMUGGLED).filter(([name]) => !(name in operation.input.properties)),
      )
      const allowed = CALLERS.filter((name) => expected[name] === 'yes')
      assert.ok(allowed.length > 0)
      for (const name of allowed) {
        const plain = await send(operation, senders[name], await set(scene))
        const kept = await readAll()
        const samples = await set(scene)
        const answer = await send(operation, senders[name], samples, smuggled)
        assert.deepEqual([answer.status, masked(answer.body)], [200, masked(plain.body)], name)
        assert.deepEqual(await readAll(), kept, name)
      }
    })
})
