import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { REDIRECT_URI } from '../../apps/oauth/testing.ts'
import { isWrite } from '../../kernel/http/operation.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { progressEvents } from './events.ts'

const PATH = '/edu/v1/lesson/progress'
const ALPHA = { lessonId: 'walkaround', classId: 'alpha' }
const STUDENT = { ...ALPHA, studentId: 'avery-alpha' }
const LESSON = ['by', 'class', 'course', 'enrolment', 'lesson', 'person']
const ATTEMPT = [
  'activeMs',
  'app',
  'attempt',
  'by',
  'class',
  'course',
  'enrolment',
  'lesson',
  'pass',
  'person',
  'result',
  'score',
  'state',
]
const OBJECTIVE = ['app', 'attempt', 'by', 'class', 'course', 'enrolment', 'lesson', 'objective', 'person', 'score']

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'attempt.granted': LESSON,
  'attempt.reset': LESSON,
  'objective.scored': OBJECTIVE,
}

/**
 * The events that each changing operation must emit; other modules depend on them. The operations run in the order
 * listed, so that each of them has an effect.
 */
const EMITTED: Readonly<Record<string, readonly [body: object, ...kinds: string[]]>> = {
  startLesson: [ALPHA, 'attempt.started'],
  pauseLesson: [ALPHA, 'attempt.paused'],
  resumeLesson: [ALPHA, 'attempt.resumed'],
  idleLesson: [ALPHA, 'attempt.idle'],
  activateLesson: [ALPHA, 'attempt.active'],
  scoreObjective: [{ ...ALPHA, objectiveId: 'safety', score: 75 }, 'objective.scored'],
  updateProgress: [{ ...ALPHA, score: 90 }, 'attempt.updated'],
  'updateProgress, completed': [{ ...ALPHA, pass: true, complete: true }, 'attempt.completed'],
  'updateProgress, afterwards': [
    { ...ALPHA, startTime: '2020-01-01T10:00:00Z', endTime: '2020-01-01T11:00:00Z' },
    'attempt.completed',
  ],
  gradeAttempt: [{ ...STUDENT, pass: true, score: 95, reason: 'Seen it.' }, 'attempt.graded'],
  grantAttempts: [{ ...STUDENT, count: 1, reason: 'Was ill.' }, 'attempt.granted'],
  resetLesson: [{ ...STUDENT, reason: 'Begins anew.' }, 'attempt.reset'],
  launchLesson: [ALPHA],
  createNote: [{ text: 'x', studentId: 'avery-alpha' }],
  removeNote: [{}],
}

test('each operation emits the events that are pinned here, with these fields', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  await app.sql(
    `insert into app_redirect_uris (app_id, uri) select id, '${REDIRECT_URI}' from apps where name = 'first';
     update lesson_versions set launch_uri = '${REDIRECT_URI}', max_attempts = 9`,
  )
  const avery = await app.as('avery')
  const [browser, ofStaff] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'casey')]
  const listed = operations.filter((one) => ['Lessons and progress', 'Notes'].includes(one.area) && isWrite(one))
  assert.deepEqual(
    listed.map(({ name }) => name).sort(),
    [...new Set(Object.keys(EMITTED).map((name) => name.split(',')[0]!))].sort(),
  )
  const read = async () =>
    (await app.sql(
      `select kind, subject, payload from (select 0 as n, id, kind, subject, payload from events union all
         select 1, id, kind, subject, payload from event_outbox) e order by n, id`,
    )) as { kind: string; subject: string; payload: Record<string, unknown> }[]
  let noteId: unknown
  for (const [name, [body, ...kinds]] of Object.entries(EMITTED))
    await t.test(name, async () => {
      const before = (await read()).length
      const { method, path, who } = listed.find((one) => one.name === name.split(',')[0])!
      const sent = name === 'removeNote' ? { noteId } : body
      const answer = await (who.name === 'person'
        ? call(body === ALPHA ? browser : ofStaff, method, path, sent)
        : avery.send(method, path, { body: sent }))
      assert.equal(answer.status, 200, answer.text)
      noteId = answer.body.noteId
      const events = (await read()).slice(before)
      assert.deepEqual(
        events.map(({ kind }) => kind),
        kinds,
      )
      for (const { kind, subject, payload } of events) {
        assert.ok((progressEvents.kinds as readonly string[]).includes(kind))
        assert.deepEqual(Object.keys(payload).sort(), FIELDS[kind] ?? ATTEMPT)
        assert.equal(subject, `student:${payload.enrolment}`)
      }
    })

  await t.test('what is repeated, and what is refused, emits nothing', async () => {
    await avery.post(`${PATH}/start`, ALPHA)
    await avery.post(`${PATH}/pause`, ALPHA)
    const before = (await read()).length
    for (const verb of ['pause', 'start', 'idle', 'active']) await avery.post(`${PATH}/${verb}`, ALPHA)
    await avery.post(PATH, { ...ALPHA, score: 'many' })
    await avery.post(`${PATH}/objective`, { ...ALPHA, objectiveId: 'none', score: 1 })
    assert.equal((await read()).length, before)
  })
})
