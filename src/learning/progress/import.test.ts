import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, refused, run } from '../../kernel/imports/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { lesson, makeSchool } from '../courses/testing.ts'

const PATH = '/edu/v1/lesson/progress'
const at = (day: number, hour: number) =>
  `2025-09-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`
const attempt = (id: string, more: object = {}) => ({
  id,
  handle: '@avery',
  lesson: 'walkaround',
  started: at(1, 8),
  completed: at(1, 9),
  ...more,
})
const note = (id: string, more: object = {}) => ({ id, author: '@casey', text: id, created: at(1, 8), ...more })
const school = (attempts: readonly unknown[], notes: readonly unknown[] = []) =>
  makeSchool({ alpha: { attempts, notes } })
const inAlpha = (more: object) => ({ classes: [{ ...makeSchool().classes[0], ...more }] })

test('attempts and notes come with the class of a file, once, and count like any other', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const file = school(
    [
      attempt('first', { pass: false, answers: [{ q: '\0' }] }),
      attempt('again', {
        started: at(2, 8),
        completed: at(2, 10),
        pass: true,
        score: 90,
        objectives: { safety: 75 },
      }),
      attempt('points', { handle: 'BLAKE', lesson: 'checklist', pass: true, score: 79 }),
      attempt('open', { handle: '@blake', lesson: 'interior', completed: undefined }),
    ],
    [
      note('about', { handle: '@avery', lesson: 'walkaround', created: at(2, 8) }),
      note('earlier', { author: '@avery', handle: '@avery', created: at(1, 7) }),
      note('of-all'),
    ],
  )
  await run(app, file)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]

  await t.test('they read as if they had been reported', async () => {
    const { body } = await avery.get(`${PATH}/history`, { lessonId: 'walkaround' })
    const first = { lessonId: 'walkaround', lessonResultId: body[1].lessonResultId }
    const { reported, ...again } = body[0]
    const start = new Date(at(2, 8)).toISOString()
    const end = new Date(at(2, 10)).toISOString()
    assert.deepEqual((await avery.get(`${PATH}/history`, first)).body[0].answers, [{ q: '\0' }])
    assert.deepEqual([reported.via, reported.byName, reported.app, reported.afterTheFact], ['import', null, null, true])
    assert.deepEqual(again, {
      studentId: 'avery-alpha',
      lessonId: 'walkaround',
      lessonResultId: 'again',
      pass: true,
      score: 90,
      answers: null,
      started: start,
      completed: end,
      progressIntervals: [{ start, end }],
      idleIntervals: [],
      due: null,
      late: false,
    })
    const standings = await app.sql(
      `select t.key, s.attempts, s.state, s.result, s.is_passed, s.active_ms::int from standings s join attempts t on t.id = s.attempt_id order by 1`,
    )
    assert.deepEqual(standings, [
      { key: 'again', attempts: 2, state: 'completed', result: 'PASS', is_passed: true, active_ms: 3 * 3_600_000 },
      { key: 'open', attempts: 1, state: 'paused', result: 'IN PROGRESS', is_passed: false, active_ms: 0 },
      { key: 'points', attempts: 1, state: 'completed', result: 'INCOMPLETE', is_passed: false, active_ms: 3_600_000 },
    ])
    assert.deepEqual(await app.sql('select score from objective_scores'), [{ score: 75 }])
  })
  await t.test('one that is open can be resumed, and what was passed unlocks', async () => {
    assert.equal((await blake.post(`${PATH}/resume`, { lessonId: 'interior', classId: 'alpha' })).status, 200)
    assert.equal((await avery.post(`${PATH}/start`, { lessonId: 'checklist' })).status, 200)
  })
  await t.test('notes are the newest first, with the ids that belong to them', async () => {
    const { body } = await casey.get('/edu/v1/note/list', { classId: 'alpha' })
    assert.deepEqual(
      body.map(({ noteId }: { noteId: string }) => noteId),
      ['about', 'of-all', 'earlier'],
    )
    const { lessonId, studentId, courseId, userId } = body[0]
    assert.deepEqual([lessonId, studentId, courseId, userId], ['walkaround', 'avery-alpha', 'course', avery.userId])
  })
  await t.test('they emit no events', async () => {
    const rows = await app.sql(`select from events union all select from event_outbox`, 'sandbox')
    assert.equal(rows.length, 0)
  })
  await t.test('the same file again changes nothing, even if a student has continued meanwhile', async () => {
    assert.deepEqual((await run(app, file)).production!.classes, all(0, 0, 2))
    const more = school([attempt('first', { score: 1 }), attempt('new', { started: at(3, 8), completed: at(3, 9) })])
    assert.deepEqual((await run(app, more)).production!.classes, all(0, 1, 1))
    const rows = await app.sql(`select key, score from attempts where key in ('first', 'new') order by 1`)
    assert.deepEqual(rows, [
      { key: 'first', score: null },
      { key: 'new', score: null },
    ])
  })
  await t.test("after a reset, an earlier attempt's score of an objective counts", async () => {
    const older = (id: string, hour: number) =>
      inAlpha({ attempts: [attempt(id, { started: at(1, hour), completed: at(1, hour), objectives: { safety: 40 } })] })
    await run(app, older('older', 12))
    assert.deepEqual(await app.sql('select score from objective_scores'), [{ score: 75 }])
    await app.sql(`update attempts set reset_at = now() where key = 'again'`)
    await run(app, older('oldest', 11))
    assert.deepEqual(await app.sql('select score from objective_scores'), [{ score: 40 }])
  })
})

test('mistakes in attempts and notes are named with their place, before and after the class exists', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const future = '2090-01-01T00:00:00Z'
  const wrong = school(
    [
      attempt('one', { handle: '@drew' }),
      attempt('two', { lesson: 'none', objectives: {} }),
      attempt('three', { objectives: { other: 1 }, started: at(3, 8), completed: at(3, 9) }),
    ],
    [note('one', { handle: '@drew' }), note('two', { lesson: 'none' }), note('three', { author: '@gone' })],
  )
  const expected = [
    'classes[0].attempts[0].handle: must be a student of the class',
    'classes[0].attempts[1].lesson: must be a lesson of the class',
    'classes[0].attempts[2].objectives: must be objectives of the lesson, not other',
    'classes[0].notes[0].handle: must be a student of the class',
    'classes[0].notes[1].lesson: must be a lesson of the class',
  ]
  const withoutAuthor = { ...wrong, classes: wrong.classes.map((one) => ({ ...one, notes: undefined })) }
  assert.deepEqual(await refused(run(app, wrong)), [
    'classes[0].notes[2].author: refers to no person in this file or in production',
    'classes[0].notes[2].author: refers to no person in this file or in sandbox',
  ])
  delete (withoutAuthor.classes[1] as { notes?: unknown }).notes
  ;(withoutAuthor.classes[0] as { notes?: unknown }).notes = [
    note('one', { handle: '@drew' }),
    note('two', { lesson: 'none' }),
  ]
  assert.deepEqual(await refused(run(app, withoutAuthor)), expected)
  await run(app, makeSchool())
  assert.deepEqual(await refused(run(app, withoutAuthor)), expected)

  const shapes = inAlpha({
    attempts: [
      { id: 'x' },
      attempt('a', { started: '2025-09-01' }),
      attempt('b', { started: future, completed: undefined }),
      attempt('c', { completed: at(1, 7) }),
      attempt('d'),
      attempt('d', { started: at(1, 8), completed: undefined }),
      attempt('e', { shoeSize: 44 }),
    ],
    notes: [note('n', { text: '' }), note('m', { created: future }), note('m')],
  })
  const mistakes = await refused(run(app, shapes))
  for (const [place, words] of [
    ['attempts[0]', /must have required properties/],
    ['attempts[1].started', /pattern/],
    ['attempts[2].started', /past/],
    ['attempts[3].completed', /not be before started/],
    ['attempts[5].id', /twice/],
    ['attempts[5]', /overlap/],
    ['attempts[6]', /additional/],
    ['notes[0].text', /fewer|least|1/],
    ['notes[1].created', /past/],
    ['notes[2].id', /twice/],
  ] as const)
    assert.ok(
      mistakes.some((one) => one.startsWith(`classes[0].${place}: `) && words.test(one)),
      `${place}: ${mistakes.join('\n')}`,
    )

  await t.test('foreign ids, and attempts that overlap existing ones', async () => {
    await run(app, inAlpha({ attempts: [attempt('mine')], notes: [note('mine')] }))
    const others = {
      classes: [
        {
          ...makeSchool().classes[0],
          attempts: [
            attempt('mine', { handle: '@blake' }),
            attempt('late', { started: at(1, 8), completed: at(1, 10) }),
          ],
        },
        { ...makeSchool().classes[1], notes: [note('mine')] },
      ],
    }
    assert.deepEqual(await refused(run(app, others)), [
      'classes[0].attempts[0].id: must be unique: it is an attempt of another student, or at another lesson',
      'classes[0].attempts[1]: must not overlap another attempt at the lesson',
      'classes[1].notes[0].id: must be unique: it is the id of a note about something else',
    ])
  })
})

test('a class that exists stays on its version: attempts name lessons of that', async (t) => {
  const app = await testApp(t)
  await run(app, makeSchool())
  const file = makeSchool({
    lessons: [lesson('walkaround'), lesson('newcomer')],
    alpha: { attempts: [attempt('x', { lesson: 'newcomer' })] },
  })
  assert.deepEqual(await refused(run(app, file)), ['classes[0].attempts[0].lesson: must be a lesson of the class'])
  const charlie = { key: 'charlie', course: 'course', name: 'Charlie', students: ['@avery'] }
  await run(app, { ...file, classes: [{ ...charlie, attempts: [attempt('x', { lesson: 'newcomer' })] }] })
  assert.equal((await app.sql('select from attempts')).length, 1)
})

test('hundreds of attempts are written in parts', async (t) => {
  const app = await testApp(t)
  const many = Array.from({ length: 1000 }, (_, i) =>
    attempt(`a${i}`, {
      started: new Date(Date.UTC(2020, 0, 1) + i * 3_600_000).toISOString(),
      completed: new Date(Date.UTC(2020, 0, 1) + i * 3_600_000 + 60_000).toISOString(),
      pass: i === 500,
    }),
  )
  await run(app, school(many))
  const [standing] = await app.sql('select attempts, is_passed, result, active_ms::int from standings')
  assert.deepEqual(standing, { attempts: 1000, is_passed: true, result: 'FAIL', active_ms: 60_000_000 })
})
