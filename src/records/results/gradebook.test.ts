import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { lesson, openSchool } from '../../learning/courses/testing.ts'
import { type Browsing, browse, CLASS, complete, PATH } from '../../learning/progress/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'

const ALPHA = { classId: 'alpha' }
const NOTHING_STARTED = {
  started: [],
  results: [],
  scores: [],
  attempts: [],
  timeOnTask: [],
  waiting: [],
  late: [],
  overdue: [],
  passed: 0,
  meanScore: null,
}

test('the gradebook of a class', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [lesson('one', { name: 'One', childLessons: [lesson('step')] }), lesson('two', { name: '=2+2, "two"' })],
    alpha: { sequential: false },
  })
  app.holdClock()
  await app.sql(
    `update people set first_name = 'Åsa', last_name = 'Zorn' where handle_key = 'avery';
     update people set first_name = '=HYPERLINK("x")', last_name = 'moreau;=1+1' where handle_key = 'blake'`,
  )
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  await complete(avery, { ...ALPHA, lessonId: 'one' }, { pass: true, score: -5 })
  await avery.post(`${PATH}/start`, { ...ALPHA, lessonId: 'two' })
  app.advance(90_500)

  const lessons = [
    { lessonId: 'one', parentId: null, name: 'One', kind: 'app', due: null },
    { lessonId: 'step', parentId: 'one', name: 'step', kind: 'app', due: null },
    { lessonId: 'two', parentId: null, name: '=2+2, "two"', kind: 'app', due: null },
  ]
  const blake = {
    studentId: 'blake-alpha',
    handle: '@blake',
    name: '=HYPERLINK("x") moreau;=1+1',
    status: 'active',
    ...NOTHING_STARTED,
  }
  const zorn = {
    studentId: 'avery-alpha',
    handle: '@avery',
    name: 'Åsa Zorn',
    status: 'active',
    started: [0, 2],
    results: ['PASS', 'IN PROGRESS'],
    scores: [-5, null],
    attempts: [1, 1],
    timeOnTask: [0, 90],
    waiting: [],
    late: [],
    overdue: [],
    passed: 1,
    meanScore: -5,
  }

  await t.test('has a page of students by name, each with the lessons that they have started', async () => {
    const read = async (query = {}) => (await casey.get(`${CLASS}/gradebook`, { ...ALPHA, ...query })).body
    assert.deepEqual(await read(), { ...ALPHA, lessons, docs: [blake, zorn], total: 2, limit: 10, page: 1, pages: 1 })
    assert.deepEqual(await read({ limit: '1', page: '2' }), {
      ...ALPHA,
      lessons,
      docs: [zorn],
      total: 2,
      limit: 1,
      page: 2,
      pages: 2,
    })
    const found = async (search: string) =>
      (await read({ search })).docs.map(({ studentId }: { studentId: string }) => studentId)
    assert.deepEqual(await found('zorn asa'), ['avery-alpha'])
    assert.deepEqual(await found(' @BLA '), ['blake-alpha'])
    assert.deepEqual([await found('%'), await found('o_n'), await found('\\')], [[], [], []])
    assert.deepEqual(await found(' '), ['blake-alpha', 'avery-alpha'])
    const sorted = async (sort: string, lessonId?: string) =>
      (await read({ sort, lessonId })).docs.map(({ handle }: { handle: string }) => handle)
    assert.deepEqual(await sorted('-name'), ['@avery', '@blake'])
    assert.deepEqual(await sorted('result', 'one'), ['@blake', '@avery'])
    assert.deepEqual(await sorted('-result', 'two'), ['@avery', '@blake'])
    for (const wrong of [{ sort: 'result' }, { sort: '-result', lessonId: 'none' }])
      assertError(await casey.get(`${CLASS}/gradebook`, { ...ALPHA, ...wrong }), 400, 4003, /lessonId/)
    const students = async (search: string) => {
      const { body } = await casey.get(`${CLASS}/student/list`, { ...ALPHA, search })
      return [body.total, ...body.docs.map(({ studentId }: { studentId: string }) => studentId)]
    }
    assert.deepEqual(await students('Åsa'), [1, 'avery-alpha'])
    assert.deepEqual(await students('a'), [2, 'avery-alpha', 'blake-alpha'])
    assertError(await casey.get(`${CLASS}/gradebook`, { ...ALPHA, limit: '101' }), 400, 4003)
    assertError(await casey.get(`${CLASS}/gradebook`), 400, 4001)
  })

  await t.test('is available as CSV in which no cell is a formula', async () => {
    // Read the response as bytes, because decoding it as text would drop the byte order mark.
    const { cookies } = await signInBrowser(app, 'casey')
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const address = `${app.address}${CLASS}/gradebook/csv?classId=alpha`
    // A HEAD request or an aborted download must free its place for further downloads.
    for (let i = 0; i < 3; i++) {
      assert.equal((await fetch(address, { method: 'HEAD', headers: { cookie } })).status, 200)
      await (await fetch(address, { headers: { cookie } })).body?.cancel()
    }
    const answer = await fetch(address, { headers: { cookie } })
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="gradebook-alpha-[\d-]{10}\.csv"$/,
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
    const lines = bytes.toString().slice(1).split('\r\n')
    const none = 'NOT STARTED,,0,0,'
    const perLesson = ['One', 'step', `'=2+2, ""two""`].flatMap((name) =>
      ['result', 'score', 'attempts', 'seconds', 'late'].map((of) => `"${name}: ${of}"`),
    )
    assert.deepEqual(lines, [
      `"Student ID","Handle","First name","Last name","Status",${perLesson.join()}`,
      `"blake-alpha","blake","'=HYPERLINK(""x"")","moreau;=1+1","active",${none},${none},${none}`,
      `"avery-alpha","avery","Åsa","Zorn","active",PASS,-5,1,0,,${none},IN PROGRESS,,1,90,`,
      '',
    ])
  })

  await t.test('is for staff and managers, not for students or apps (D1)', async () => {
    const codes = async (who: Browsing) => {
      const answers = [await who.get(`${CLASS}/gradebook`, ALPHA), await who.get(`${CLASS}/gradebook/csv`, ALPHA)]
      return answers.map(({ status, body }) => (status === 200 ? 200 : body.error_code))
    }
    for (const person of ['casey', 'ellis', 'finley'] as const)
      assert.deepEqual(await codes(await browse(app, person)), [200, 200], person)
    for (const person of ['avery', 'blake', 'drew'] as const)
      assert.deepEqual(await codes(await browse(app, person)), [4032, 4032], person)
    await app.sql(`update people set administrator = true where handle_key = 'drew'`)
    assert.deepEqual(await codes(await browse(app, 'drew')), [200, 200])
    const inApp = await app.as('casey')
    for (const path of ['gradebook', 'gradebook/csv']) {
      assertError(await inApp.get(`${CLASS}/${path}`, ALPHA), 401, 4016)
      assert.deepEqual(
        (await casey.get(`${CLASS}/${path}`, { classId: 'nowhere' })).body,
        (await casey.get(`${CLASS}/${path}`, { classId: 'bravo' })).body,
      )
    }
  })

  await t.test('is in the audit log when it is downloaded, and not when it is only looked at or refused', async () => {
    await app.sql(`delete from audit_entries where action = 'gradebook.downloaded'`)
    await casey.get(`${CLASS}/gradebook`, ALPHA)
    await casey.get(`${CLASS}/gradebook/csv`, { classId: 'bravo' })
    const drew = await browse(app, 'drew')
    const list = async () => (await drew.get('/admin/v1/audit', { action: 'gradebook.downloaded' })).body.docs
    assert.deepEqual(await list(), [])
    assert.equal((await casey.get(`${CLASS}/gradebook/csv`, ALPHA)).status, 200)
    const [{ person, by, detail, address }, ...more] = await list()
    assert.deepEqual([person, by, detail, address], ['@casey', '@casey', { class: 'alpha' }, '127.0.0.1'])
    assert.deepEqual(more, [])
  })

  await t.test('leaves out students who were dropped', async () => {
    await app.sql(`update enrolments set status = 'dropped' where key = 'blake-alpha'`)
    assert.deepEqual((await casey.get(`${CLASS}/gradebook`, ALPHA)).body.docs, [zorn])
  })

  await t.test('leaves out lessons that were reset', async () => {
    await casey.post(`${PATH}/reset`, { lessonId: 'one', studentId: 'avery-alpha', reason: 'Again.' })
    const standings = await app.sql('select result from standings order by lesson_id')
    assert.deepEqual(standings, [{ result: 'NOT STARTED' }, { result: 'IN PROGRESS' }])
    const [avery] = (await casey.get(`${CLASS}/gradebook`, ALPHA)).body.docs
    assert.deepEqual([avery.started, avery.results, avery.attempts], [[2], ['IN PROGRESS'], [1]])
  })
})

test('a gradebook is filtered by state, sorted by totals, and has averages over the whole class', async (t) => {
  const app = await testApp(t)
  await openSchool(app, {
    lessons: [
      { id: 'essay', name: 'Essay', instructorGraded: true },
      { id: 'flight', name: 'Flight' },
      { id: 'drill', name: 'Drill' },
    ],
    alpha: {
      sequential: false,
      students: ['avery', 'blake', 'drew'].map((name) => ({ handle: `@${name}`, id: `${name}-alpha` })),
      attempts: [
        { id: 'a1', handle: '@avery', lesson: 'essay', started: '2026-01-01T08:00Z', completed: '2026-01-01T09:00Z' },
        {
          ...{ id: 'a2', handle: '@avery', lesson: 'flight', started: '2026-01-02T08:00Z' },
          ...{ completed: '2026-01-02T09:00Z', pass: true, score: 90 },
        },
        {
          ...{ id: 'b1', handle: '@blake', lesson: 'flight', started: '2026-01-01T08:00Z' },
          ...{ completed: '2026-01-01T09:00Z', pass: false, score: 45 },
        },
        { id: 'b2', handle: '@blake', lesson: 'drill', started: '2026-01-03T08:00Z' },
        {
          ...{ id: 'd1', handle: '@drew', lesson: 'flight', started: '2026-01-01T08:00Z' },
          ...{ completed: '2026-01-01T09:00Z', pass: true, score: 100 },
        },
      ],
    },
  })
  const casey = await browse(app, 'casey')
  const find = async (query: Record<string, string>) => {
    const { status, body, text } = await casey.get(`${CLASS}/gradebook`, { ...ALPHA, ...query })
    assert.equal(status, 200, text)
    assert.equal(body.total, body.docs.length)
    return body.docs.map(({ handle }: { handle: string }) => handle.slice(1)).sort()
  }
  const table: [query: Record<string, string>, found: string[]][] = [
    [{ state: 'waiting' }, ['avery']],
    [{ state: 'failed' }, ['blake']],
    [{ state: 'passed' }, ['avery', 'drew']],
    [{ state: 'in progress' }, ['blake']],
    [{ state: 'incomplete' }, []],
    [{ state: 'not started' }, ['avery', 'blake', 'drew']],
    [{ state: 'not started', stateLessonId: 'essay' }, ['blake', 'drew']],
    [{ state: 'not started', stateLessonId: 'flight' }, []],
    [{ state: 'passed', stateLessonId: 'drill' }, []],
    [{ state: 'passed', search: 'drew' }, ['drew']],
  ]
  for (const [query, found] of table) assert.deepEqual(await find(query), found, JSON.stringify(query))
  assertError(await casey.get(`${CLASS}/gradebook`, { ...ALPHA, state: 'tired' }), 400, 4003)
  assertError(await casey.get(`${CLASS}/gradebook`, { ...ALPHA, state: 'passed', stateLessonId: 'x' }), 400, 4003)

  const sorted = async (sort: string) =>
    (await casey.get(`${CLASS}/gradebook`, { ...ALPHA, sort, limit: '2' })).body.docs.map(
      ({ handle, passed, meanScore }: Record<string, unknown>) => [handle, passed, meanScore],
    )
  assert.deepEqual(await sorted('-mean'), [
    ['@drew', 1, 100],
    ['@avery', 1, 90],
  ])
  assert.deepEqual((await sorted('passed'))[0], ['@blake', 0, 45])

  await casey.post(`${CLASS}/student/drop`, { studentId: 'drew-alpha' })
  const averages = await casey.get(`${CLASS}/gradebook/averages`, ALPHA)
  assert.deepEqual(averages.body, {
    classId: 'alpha',
    students: 2,
    lessons: [
      { lessonId: 'essay', name: 'Essay', started: 1, passed: 0, waiting: 1, meanScore: null },
      { lessonId: 'flight', name: 'Flight', started: 2, passed: 1, waiting: 0, meanScore: 67.5 },
      { lessonId: 'drill', name: 'Drill', started: 1, passed: 0, waiting: 0, meanScore: null },
    ],
  })
  assertError(await (await browse(app, 'avery')).get(`${CLASS}/gradebook/averages`, ALPHA), 403, 4032)
})
