import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { run } from '../../kernel/imports/testing.ts'
import { assertError, type Client, type Person, testApp } from '../../operations/testing/testing.ts'
import { lesson } from '../courses/testing.ts'
import { audited, CODE, openClasses, STUDENT, statuses } from './testing-roster.ts'

const JOIN = '/edu/v1/class/join'
const LEAVE = '/edu/v1/class/leave'
const PROGRESS = '/edu/v1/lesson/progress'
const join = (who: Client, joinCode: string = CODE) => who.post(JOIN, { joinCode })

test('a student is enrolled, suspended, reinstated and dropped, and comes back as the same student', async (t) => {
  const app = await testApp(t)
  const { enrol, change } = await openClasses(app)
  const added = await enrol('casey', '@Drew')
  assert.equal(added.status, 200, added.text)
  const { studentId, enrolledDate, ...rest } = added.body
  assert.match(studentId, /^[\w-]{22}$/)
  assert.ok(Math.abs(Date.parse(enrolledDate) - Date.now()) < 60_000)
  assert.deepEqual(rest, { classId: 'alpha', handle: '@drew', name: '', status: 'active', userId: null })
  const expect = async (action: string, status: string) => {
    const answer = await change('casey', action, studentId)
    assert.deepEqual(answer.body, { ...added.body, status }, action)
  }
  const drew = await app.as('drew')
  const own = { lessonId: 'walkaround', classId: 'alpha' }
  const started = await drew.post(`${PROGRESS}/start`, own)
  assert.equal(started.body.studentId, studentId)

  await expect('suspend', 'suspended')
  await expect('suspend', 'suspended')
  assertError(await drew.post(`${PROGRESS}/pause`, own), 403, 4032, /suspended/)
  assertError(await enrol('casey', '@drew'), 409, 4091, /is suspended; reinstate them/)
  await expect('reinstate', 'active')
  await expect('drop', 'dropped')
  await expect('drop', 'dropped')
  assertError(await change('casey', 'suspend', studentId), 400, 4006, /was dropped/)
  assertError(await drew.get(PROGRESS, own), 403, 4032)
  assert.deepEqual((await enrol('casey', 'drew')).body, added.body)
  assert.deepEqual((await enrol('casey', 'drew')).body, added.body)
  assert.equal((await drew.get(PROGRESS, own)).body.lessonResultId, started.body.lessonResultId)
  await expect('drop', 'dropped')
  await expect('reinstate', 'active')

  const verbs = ['added', 'suspended', 'reinstated', 'dropped', 'added', 'dropped', 'reinstated']
  assert.deepEqual(
    await audited(app),
    verbs.map((verb) => `student.${verb} drew alpha by casey`),
  )
})

test('nobody can be enrolled in a class that has ended, nor under something that is not a handle', async (t) => {
  const app = await testApp(t)
  const { enrol, transfer } = await openClasses(app, { bravo: { ended: true } })
  assertError(
    await enrol('casey', 'no handle'),
    400,
    4003,
    /is neither a handle, such as @avery, nor an e-mail address/,
  )
  assertError(await enrol('drew', '@avery', 'bravo'), 400, 4006, /is closed/)
  await app.sql(`update people set administrator = true where handle_key = 'drew'`)
  assertError(await transfer('drew', 'avery-alpha', 'bravo'), 400, 4006, /is closed/)
})

test('D1: who changes who is in a class, and who reads it', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { enrol, change, get, transfer, post, put } = await openClasses(app)
  await app.sql(`update people set administrator = true where handle_key = 'ellis';
    delete from class_staff s using people p where p.id = s.person_id and p.handle_key = 'ellis'`)
  await app.sql(`insert into people (handle, handle_key, created_at) values ('@watcher', 'watcher', now());
    insert into class_staff (class_id, person_id, role) select c.id, p.id, 'observer' from classes c, people p where c.key = 'alpha' and p.handle_key = 'watcher'`)
  const codeOf = ({ status, body }: { status: number; body: { error_code?: number } }) =>
    status === 200 ? 200 : body.error_code
  const lock = { classId: 'alpha', lessonId: 'walkaround', locked: true }
  const tryAll = async (who: Person) => [
    codeOf(await get(who, `${STUDENT}/list?classId=alpha`)),
    ...new Set(
      [
        await enrol(who, '@finley'),
        await change(who, 'suspend', 'avery-alpha'),
        await change(who, 'reinstate', 'avery-alpha'),
        await change(who, 'drop', 'avery-alpha'),
        await change(who, 'reinstate', 'avery-alpha'),
        await put(who, '/edu/v1/class/lock', lock),
        await post(who, '/edu/v1/class/lock/clear', lock),
      ].map(codeOf),
    ),
  ]
  const [yes, no] = [200, 4032]
  assert.deepEqual(await tryAll('casey'), [yes, yes], 'an instructor of the class')
  assert.deepEqual(await tryAll('finley'), [yes, yes], 'an owner of the organisation')
  assert.deepEqual(await tryAll('ellis'), [yes, yes], 'an administrator')
  assert.deepEqual(await tryAll('avery'), [no, no], 'a student')
  assert.deepEqual(await tryAll('blake'), [no, no], 'another student')
  assert.deepEqual(await tryAll('drew'), [no, no], 'an instructor of another class')
  assert.deepEqual(await tryAll('watcher' as Person), [yes, no], 'an observer')

  await t.test('not a mere member of the organisation, nor a former instructor', async () => {
    const setRole = (role: string) =>
      app.sql(
        `update organisation_members m set role = '${role}' from people p where p.id = m.person_id and p.handle_key = 'finley'`,
      )
    await setRole('instructor')
    await app.sql('delete from class_staff')
    assert.deepEqual(await tryAll('finley'), [no, no])
    assert.deepEqual(await tryAll('casey'), [no, no])
    await setRole('owner')
    await app.sql(`insert into class_staff (class_id, person_id, role)
      select c.id, p.id, 'instructor' from classes c, people p where (c.key, p.handle_key) in (('alpha', 'casey'), ('bravo', 'drew'))`)
  })
  await t.test('an app may not, whoever its user is; it may only read', async () => {
    const casey = await app.as('casey')
    assertError(await casey.put(STUDENT, { classId: 'alpha', handle: '@finley' }), 401, 4016)
    assertError(await casey.post(`${STUDENT}/drop`, { studentId: 'avery-alpha' }), 401, 4016)
    assertError(await casey.put('/edu/v1/class/lock', lock), 401, 4016)
    assert.equal((await casey.get(`${STUDENT}/list`, { classId: 'alpha' })).status, 200)
    assertError(await (await app.as('avery')).get(`${STUDENT}/list`, { classId: 'alpha' }), 403, 4032)
    assertError(await app.nobody().get(`${STUDENT}/list`, { classId: 'alpha' }), 401, 4016)
    const elsewhere = await app.as('casey', 'first', 'sandbox')
    await app.sql('delete from class_staff', 'sandbox')
    assertError(await elsewhere.get(`${STUDENT}/list`, { classId: 'alpha' }), 403, 4032)
  })
  await t.test('an unknown class or student looks like one of others', async () => {
    const told = async (answer: Promise<{ text: string }>) => (await answer).text
    assert.equal(await told(enrol('drew', '@avery', 'alpha')), await told(enrol('drew', '@avery', 'nowhere')))
    assert.equal(await told(enrol('drew', '@nobody', 'alpha')), await told(enrol('drew', '@avery', 'nowhere')))
    assert.equal(await told(change('drew', 'drop', 'avery-alpha')), await told(change('drew', 'drop', 'nobody')))
    assert.equal(
      await told(get('drew', `${STUDENT}/list?classId=alpha`)),
      await told(get('drew', `${STUDENT}/list?classId=nowhere`)),
    )
    // An instructor of only one of the two classes cannot transfer students, in either direction.
    assertError(await transfer('casey', 'avery-alpha', 'bravo'), 403, 4032)
    assertError(await transfer('drew', 'avery-alpha', 'bravo'), 403, 4032)
    assertError(await transfer('casey', 'avery-alpha', 'nowhere'), 403, 4032)
  })
})

test('D2: smuggled fields of an enrolment are not stored', async (t) => {
  const app = await testApp(t)
  const { put, post } = await openClasses(app)
  const smuggled = {
    status: 'suspended',
    personId: 1,
    person_id: 1,
    key: 'mine',
    studentId: 'mine',
    enrolledDate: '2001-01-01',
    has_left: true,
    userId: 'x',
  }
  const { body } = await put('casey', STUDENT, { ...smuggled, classId: 'alpha', handle: '@drew' })
  assert.equal(body.status, 'active')
  assert.notEqual(body.studentId, 'mine')
  const drew = await app.as('finley')
  assert.equal((await drew.post(JOIN, { ...smuggled, joinCode: CODE, handle: '@ellis' })).body.status, 'active')
  await post('casey', `${STUDENT}/suspend`, {
    ...smuggled,
    status: 'dropped',
    studentId: 'avery-alpha',
    classId: 'bravo',
  })
  assert.deepEqual(await statuses(app), { avery: 'suspended', blake: 'active', drew: 'active', finley: 'active' })
  const rows = await app.sql(
    `select count(*)::int as odd from enrolments where key = 'mine' or enrolled_at < '2020-01-01' or has_left`,
  )
  assert.equal(rows[0]!.odd, 0)
})

test('a student goes to another class of the course with everything that was recorded', async (t) => {
  const app = await testApp(t)
  const { transfer, change, put } = await openClasses(app)
  await app.sql(`update people set administrator = true where handle_key = 'ellis'`)
  const avery = await app.as('avery')
  const { body: started } = await avery.post(`${PROGRESS}/start`, { lessonId: 'walkaround', classId: 'alpha' })
  await put('casey', '/edu/v1/class/lock', {
    classId: 'alpha',
    lessonId: 'checkride',
    studentId: 'avery-alpha',
    locked: true,
  })
  const moved = await transfer('finley', 'avery-alpha', 'bravo')
  assert.equal(moved.status, 200, moved.text)
  assert.deepEqual([moved.body.studentId, moved.body.classId, moved.body.status], ['avery-alpha', 'bravo', 'active'])
  const there = { lessonId: 'walkaround', classId: 'bravo' }
  assert.equal((await avery.get(PROGRESS, there)).body.lessonResultId, started.lessonResultId)
  assert.equal((await avery.post(`${PROGRESS}/pause`, there)).status, 200)
  assertError(await avery.get(PROGRESS, { lessonId: 'walkaround', classId: 'alpha' }), 403, 4032)
  assertError(await avery.post(`${PROGRESS}/start`, { lessonId: 'checkride', classId: 'bravo' }), 400, 4006, /locked/)
  assert.equal(
    (await app.as('drew').then((drew) => drew.get(PROGRESS, { ...there, studentId: 'avery-alpha' }))).status,
    200,
  )
  // The instructor of the old class may no longer change the student.
  assertError(await change('casey', 'drop', 'avery-alpha'), 403, 4032)
  assert.equal((await transfer('finley', 'avery-alpha', 'bravo')).status, 200)
  assert.deepEqual((await audited(app)).slice(1), ['student.transferred avery bravo by finley'])

  await t.test('not if they are, or were, in the other class', async () => {
    assertError(await transfer('finley', 'blake-alpha', 'bravo'), 409, 4091)
    await change('drew', 'drop', 'blake-bravo')
    assertError(await transfer('finley', 'blake-alpha', 'bravo'), 409, 4091)
  })
  await t.test('nor if they were dropped, nor to another course', async () => {
    await change('casey', 'drop', 'blake-alpha')
    assertError(await transfer('finley', 'blake-alpha', 'bravo'), 400, 4006, /reinstate/)
    await run(app, {
      courses: [{ key: 'other', organisation: 'school', name: 'Other', lessons: [lesson('taxi')] }],
      classes: [{ key: 'charlie', course: 'other', name: 'Charlie' }],
    })
    assertError(await transfer('finley', 'avery-alpha', 'charlie'), 400, 4003, /another course/)
  })
})

test('anybody with an account joins with the code, in an app or in a browser', async (t) => {
  const app = await testApp(t)
  const { post } = await openClasses(app)
  const drew = await app.as('drew', 'second')
  const first = await join(drew, ` ${CODE} `)
  assert.equal(first.status, 200, first.text)
  const { studentId, ...rest } = first.body
  assert.deepEqual(rest, { classId: 'alpha', name: 'Alpha', status: 'active' })
  assert.deepEqual((await join(drew)).body, first.body)
  assert.deepEqual((await post('drew', JOIN, { joinCode: CODE })).body, first.body)
  const { body: classes } = await drew.get('/edu/v1/class/list')
  assert.ok(classes.docs.some((one: { studentId: string }) => one.studentId === studentId))

  await t.test('leaves, and comes back as the same student', async () => {
    const leave = (classId: string) => post('drew', LEAVE, { classId })
    assert.deepEqual((await leave('alpha')).body, { success: true })
    assert.equal((await leave('alpha')).status, 200)
    assertError(await drew.get(`${PROGRESS}/lock`, { classId: 'alpha' }), 403, 4032)
    assert.deepEqual((await join(drew)).body, first.body)
    assertError(await leave('nowhere'), 403, 4032)
    assert.equal((await leave('bravo')).text, (await leave('nowhere')).text)
  })
  assert.deepEqual(await audited(app), [
    'student.joined drew alpha by drew',
    'student.left drew alpha by drew',
    'student.joined drew alpha by drew',
  ])
  await t.test('a child too: a class is no friendship', async () => {
    await app.sql(`update people set date_of_birth = now() - interval '8 years' where handle_key = 'finley'`)
    assert.equal((await join(await app.as('finley'))).status, 200)
  })
  await t.test('not an anonymous user', async () => {
    await app.sql(`update people set anonymous = true where handle_key = 'ellis'`)
    assertError(await join(await app.as('ellis')), 403, 4035)
  })
})

test('students whom an instructor dropped or suspended cannot rejoin with the code', async (t) => {
  const app = await testApp(t)
  const { change, post } = await openClasses(app)
  const leave = (person: Person) => post(person, LEAVE, { classId: 'alpha' })
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  await change('casey', 'drop', 'avery-alpha')
  assertError(await join(avery), 403, 4032, /dropped.*contact your instructor/)
  // A dropped student who then leaves still counts as dropped, not as having left.
  await leave('avery')
  assertError(await join(avery), 403, 4032)

  await change('casey', 'suspend', 'blake-alpha')
  assert.equal((await join(blake)).body.status, 'suspended')
  await leave('blake')
  assertError(await join(blake), 403, 4032)
  assert.deepEqual(await statuses(app), { avery: 'dropped', blake: 'dropped' })
  await change('casey', 'reinstate', 'blake-alpha')
  assert.equal((await join(blake)).body.status, 'active')

  await t.test('nor can those who have left and were then dropped', async () => {
    await leave('blake')
    await change('casey', 'drop', 'blake-alpha')
    assertError(await join(blake), 403, 4032)
  })
})

test('a wrong code and the code of a class that has ended look the same, and wrong ones are limited', async (t) => {
  const app = await testApp(t, { RATE_JOIN_PER_HOUR: '5' })
  await openClasses(app, { bravo: { joinCode: 'CODE-BRAVO', ended: true } })
  app.holdClock()
  const drew = await app.as('drew')
  // A join with a correct code does not count towards the limit.
  for (let i = 0; i < 20; i++) assert.equal((await join(drew)).status, 200)
  const wrong = await join(drew, 'CODE-NONE')
  assertError(wrong, 404, 4042)
  assert.equal((await join(drew, 'CODE-BRAVO')).text, wrong.text)
  assert.equal((await join(drew, ` ${CODE.toLowerCase()}`)).status, 200)
  for (const code of ['a', 'b', 'c']) assertError(await join(drew, code), 404, 4042)
  const refused = await join(drew, CODE)
  assertError(refused, 429, 4291)
  assert.ok(Number(refused.headers.get('retry-after')) > 60)
  // Other people can still join, until there were too many wrong codes from the same network.
  assert.equal((await join(await app.as('finley'))).status, 200)
  const people = await app.sql(
    `insert into people (handle, handle_key, created_at) select '@guess' || n, 'guess' || n, now() from generate_series(1, 24) n returning handle_key`,
  )
  const codes: number[] = []
  for (const { handle_key } of people) {
    const guesser = await app.as(handle_key as Person)
    for (let i = 0; i < 5; i++) codes.push((await join(guesser, `guess-${i}`)).status)
  }
  assert.deepEqual(codes, [...Array(95).fill(404), ...Array(25).fill(429)])
  app.advance(3_600_000)
  assert.equal((await join(await app.as('drew'))).status, 200)
})

test('students of a class come in pages, with the userId that the calling app knows', async (t) => {
  const app = await testApp(t)
  const { get, change } = await openClasses(app)
  await app.sql(
    `update people set first_name = 'Avery', last_name = 'Lindqvist' where handle_key = 'avery';
     insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, 28) n;
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'student-' || p.handle_key, c.id, p.id, 'active', now(), now() from people p, classes c where c.key = 'alpha' and p.handle_key ~ '^s\\d' order by p.id`,
  )
  const casey = await app.as('casey')
  const { userId } = await app.as('avery')
  const list = async (query: object = {}) => (await casey.get(`${STUDENT}/list`, { classId: 'alpha', ...query })).body
  const page = await list()
  assert.deepEqual({ ...page, docs: page.docs.length }, { docs: 10, total: 30, limit: 10, page: 1, pages: 3 })
  const { enrolledDate, ...first } = page.docs[0]
  assert.ok(Date.parse(enrolledDate))
  assert.deepEqual(first, {
    studentId: 'avery-alpha',
    classId: 'alpha',
    handle: '@avery',
    name: 'Avery Lindqvist',
    status: 'active',
    userId,
  })
  const all = [...page.docs, ...(await list({ page: 2 })).docs, ...(await list({ page: 3 })).docs]
  assert.equal(new Set(all.map(({ studentId }: { studentId: string }) => studentId)).size, 30)
  assert.deepEqual((await list({ page: 4 })).docs, [])
  await change('casey', 'drop', 'avery-alpha')
  assert.equal((await list({ status: 'dropped' })).docs[0].studentId, 'avery-alpha')
  assert.equal((await list({ status: 'active' })).total, 29)
  const sorted = async (sort: string, more = {}) =>
    (await list({ sort, limit: 2, ...more })).docs.map(({ handle }: { handle: string }) => handle)
  assert.deepEqual(await sorted('-enrolled'), ['@s28', '@s27'])
  assert.deepEqual(await sorted('name', { page: 15 }), ['@s9', '@avery'])
  assert.deepEqual(await sorted('-name', { search: 'a' }), ['@avery', '@blake'])
  assert.deepEqual((await sorted('-status', { page: 15 })).at(-1), '@blake')
  const { docs: one, total } = await list({ studentId: 'avery-alpha' })
  assert.deepEqual([one.map(({ handle }: { handle: string }) => handle), total], [['@avery'], 1])
  assert.equal((await list({ studentId: 'blake-bravo' })).total, 0)
  assertError(await casey.get(`${STUDENT}/list`, { classId: 'alpha', status: 'gone' }), 400, 4003)

  await t.test('an app gets no userId of people who do not use it, or no longer do', async () => {
    const elsewhere = await app.as('casey', 'second')
    const { body } = await elsewhere.get(`${STUDENT}/list`, { classId: 'alpha', limit: 1 })
    assert.equal(body.docs[0].userId, null)
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${userId}'`)
    assert.equal((await list()).docs[0].userId, null)
    assert.equal((await get('casey', `${STUDENT}/list?classId=alpha`)).body.docs[0].userId, null)
  })
})

test("a person's classes are in their download, and deleted with the account", async (t) => {
  const app = await testApp(t)
  const { change, browserOf } = await openClasses(app)
  await change('casey', 'drop', 'blake-alpha')
  const download = async (person: Person) => {
    const files = unzip(await readAll(await openExport(await browserOf(person))))
    return JSON.parse(files.get('classes.json')!.toString())
  }
  const [alpha, bravo] = await download('blake')
  assert.ok(Date.parse(alpha.enrolledDate) && Date.parse(bravo.enrolledDate))
  const place = { courseId: 'course', role: 'student' }
  assert.deepEqual(
    [alpha, bravo].map(({ enrolledDate: _, ...rest }) => rest),
    [
      { ...place, classId: 'alpha', name: 'Alpha', studentId: 'blake-alpha', status: 'dropped' },
      { ...place, classId: 'bravo', name: 'Bravo', studentId: 'blake-bravo', status: 'active' },
    ],
  )
  assert.deepEqual(await download('casey'), [
    { classId: 'alpha', name: 'Alpha', courseId: 'course', role: 'instructor' },
  ])
  await app.sql(`delete from people where handle_key = 'blake'`)
  assert.deepEqual(Object.keys(await statuses(app)), ['avery'])
})

test('nobody is both student and staff of a class', async (t) => {
  const app = await testApp(t)
  const { enrol, change, transfer, send, post } = await openClasses(app)
  assertError(await enrol('casey', '@ellis'), 400, 4006, /on the staff/)
  assertError(await join(await app.as('casey')), 400, 4006, /on the staff/)
  const { body } = await send('casey', 'handle\n@ellis')
  assert.equal(body.rows[0].reason, 'is on the staff of this class')
  // A former student who is now on the staff of the class cannot be reinstated in it or transferred to it.
  await change('casey', 'drop', 'avery-alpha')
  const setStaff = (handle: string, classId: string) =>
    post('finley', '/edu/v1/class/staff', { classId, handle, role: 'observer' })
  assert.equal((await setStaff('@avery', 'alpha')).status, 200)
  assertError(await change('casey', 'reinstate', 'avery-alpha'), 400, 4006, /on the staff/)
  assert.equal((await send('casey', 'handle,action\n@avery,reinstate')).body.counts.refused, 1)
  await enrol('drew', '@avery', 'bravo').then(({ body }) => change('drew', 'drop', body.studentId))
  await app.sql(`update enrolments e set status = 'active' from classes c where c.id = e.class_id and c.key = 'bravo'`)
  const [inBravo] = await app.sql(
    `select e.key from enrolments e join people p on p.id = e.person_id join classes c on c.id = e.class_id where c.key = 'bravo' and p.handle_key = 'avery'`,
  )
  await app.sql(`delete from enrolments where key = 'avery-alpha'`)
  assertError(await transfer('finley', String(inBravo!.key), 'alpha'), 400, 4006, /on the staff/)
  assert.deepEqual(await statuses(app), { blake: 'active' })

  await t.test('also where both happen at once', async () => {
    for (let round = 0; round < 10; round++) {
      await app.sql(`delete from enrolments e using people p where p.id = e.person_id and p.handle_key = 'drew';
        delete from class_staff s using people p, classes c where p.id = s.person_id and p.handle_key = 'drew' and c.id = s.class_id and c.key = 'alpha'`)
      const both = await Promise.all([enrol('casey', '@drew'), setStaff('@drew', 'alpha')])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
    }
  })
})
