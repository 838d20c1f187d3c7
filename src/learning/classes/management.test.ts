import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { refused, run } from '../../kernel/imports/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { joinSchool, openSchool } from '../courses/testing.ts'

const PATH = '/edu/v1/class'

// Finley owns the school, and Ellis is an administrator. Casey is the instructor of alpha, where Avery and Blake are
// students. Drew is the instructor of bravo, and owns another school.
const app = await sharedApp(UNLIMITED, { withSandbox: true })
await openSchool(app, { alpha: { observers: [] } })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   insert into people (handle, handle_key, first_name, created_at, disabled_at)
   values ('@gone', 'gone', 'Gone', now(), now()), ('@noor', 'noor', 'Noor', now(), null);
   insert into organisations (key, name, created_at) values ('other', 'Other', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`,
)
await joinSchool(app, `p.handle_key in ('casey', 'noor')`)
const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
const [casey, drew] = [await signInBrowser(app, 'casey'), await signInBrowser(app, 'drew')]
const [ellis, finley] = [await signInBrowser(app, 'ellis'), await signInBrowser(app, 'finley')]

const create = (browser: TestBrowser, fields: object = {}) =>
  call(browser, 'PUT', PATH, { courseId: 'course', name: 'Charlie', ...fields })
const change = (browser: TestBrowser, classId: string, fields: object = {}) =>
  call(browser, 'POST', PATH, { classId, ...fields })
const act = (browser: TestBrowser, verb: string, classId: string, fields: object = {}) =>
  call(browser, 'POST', `${PATH}/${verb}`, { classId, ...fields })
const read = (browser: TestBrowser, classId: string) => call(browser, 'GET', `${PATH}?classId=${classId}`)
const audited = async (action: string, classId: string) =>
  (
    await app.sql(
      `select detail from audit_entries where action = '${action}' and detail->>'class' = '${classId}' order by id`,
    )
  ).map(({ detail }) => detail as Record<string, unknown>)

const COURSE = {
  courseId: 'course',
  name: 'Course',
  description: '',
  profilePic: '',
  coverPhoto: '',
  public: false,
  organisation: 'school',
  version: 1,
}
const CASEY = { handle: '@casey', firstName: '', lastName: '', role: 'instructor' }

test('a class takes the newest version of a course, with a join code if requested', async () => {
  const made = await create(finley, { classId: 'charlie', sequential: true, newJoinCode: true })
  assert.match(made.body.joinCode, /^[B-Z]{4}-[B-Z]{4}$/)
  assert.deepEqual(made.body, {
    classId: 'charlie',
    groupId: 'charlie',
    name: 'Charlie',
    joinCode: made.body.joinCode,
    sequential: true,
    ended: false,
    createdDate: made.body.createdDate,
    course: COURSE,
    studentId: null,
    role: 'manager',
    may: {
      announce: true,
      manage: true,
      changeRoster: true,
      setLocks: true,
      grade: true,
      launch: false,
      evaluate: false,
      keepNotes: false,
      leave: false,
      writeOwnNotes: false,
    },
    staff: [],
    students: { active: 0, suspended: 0, dropped: 0 },
  })
  const plain = (await create(ellis)).body
  assert.match(plain.classId, /^[\w-]{22}$/)
  assert.deepEqual([plain.joinCode, plain.sequential], [null, false])
  assertError(await create(finley, { classId: 'charlie' }), 409, 4091, /this id/)
  assertError(await create(finley, { classId: 'no id' }), 400, 4003, /classId must be/)
  assertError(await create(finley, { name: ' ' }), 400, 4001, /name/)
  assertError(await create(finley, { joinCode: 'a b' }), 400, 4003, /joinCode must be/)
  assertError(await create(finley, { joinCode: 'ABCD', newJoinCode: true }), 400, 4003, /not both/)
  assert.deepEqual(await audited('class.created', 'charlie'), [{ class: 'charlie', course: 'course', self: true }])
})

test('fields that are left out stay, and the log has the old values, but no code', async () => {
  await create(finley, { classId: 'changing', joinCode: 'FIRST-CODE' })
  assert.equal((await change(finley, 'changing', { name: 'Delta' })).body.joinCode, 'FIRST-CODE')
  const second = (await change(ellis, 'changing', { newJoinCode: true })).body
  assert.match(second.joinCode, /^[B-Z]{4}-[B-Z]{4}$/)
  const third = (await change(finley, 'changing', { joinCode: '', sequential: true })).body
  assert.deepEqual([third.name, third.joinCode, third.sequential], ['Delta', null, true])
  assert.equal((await change(finley, 'changing', { name: 'Delta', sequential: 'true' })).status, 200)
  const entries = await audited('class.changed', 'changing')
  assert.deepEqual(
    entries.map(({ before, after }) => [JSON.parse(String(before)), JSON.parse(String(after))]),
    [
      [{ name: 'Charlie' }, { name: 'Delta' }],
      [{ joinCode: 'another' }, { joinCode: 'new' }],
      [
        { sequential: false, joinCode: 'another' },
        { sequential: true, joinCode: null },
      ],
    ],
  )
})

test('a join code belongs to one class, also where several want it at once', async () => {
  await create(finley, { classId: 'coded', joinCode: 'TAKEN-1' })
  assertError(await create(finley, { joinCode: 'TAKEN-1' }), 409, 4091, /join code/)
  assertError(await change(finley, 'charlie', { joinCode: 'TAKEN-1' }), 409, 4091, /join code/)
  assert.equal((await change(finley, 'coded', { joinCode: 'TAKEN-1' })).status, 200)
  const classes = await Promise.all(
    Array.from({ length: 6 }, async () => (await create(finley)).body.classId as string),
  )
  const answers = await Promise.all([
    ...classes.map((classId) => change(finley, classId, { joinCode: 'RACED-1' })),
    ...Array.from({ length: 4 }, () => create(ellis, { joinCode: 'RACED-1' })),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  assert.equal((await app.sql(`select from classes where join_code = 'RACED-1'`)).length, 1)
})

test('join codes are kept in upper case, also those of an import file, and compared without case', async () => {
  assert.equal((await create(finley, { classId: 'cased', joinCode: 'Mixed-Case' })).body.joinCode, 'MIXED-CASE')
  assertError(await create(finley, { joinCode: 'mixed-case' }), 409, 4091, /join code/)
  const file = (...codes: string[]) => ({
    classes: codes.map((joinCode, i) => ({ key: `filed-${i}`, course: 'course', name: 'Filed', joinCode })),
  })
  assert.match((await refused(run(app, file('mixed-CASE'))))[0]!, /joinCode: must be unique: it is the code of cased/)
  assert.match((await refused(run(app, file('twice', 'TWICE'))))[0]!, /classes\[1\]\.joinCode: must be unique/)
  await run(app, file('filed-code'))
  assert.deepEqual(await app.sql(`select join_code from classes where key = 'filed-0'`), [{ join_code: 'FILED-CODE' }])
  assert.equal((await run(app, file('Filed-Code'))).production!.classes!.unchanged, 1)
})

test('the join code is told to instructors and to those who manage the class, not to students and observers', async () => {
  const students = [{ handle: '@avery', id: 'avery-coded' }]
  const told = { key: 'told', course: 'course', name: 'Told', joinCode: 'TOLD-1', instructors: ['@casey'] }
  await run(app, { classes: [{ ...told, observers: ['@drew'], students }] })
  const codes = (browsers: readonly TestBrowser[]) =>
    Promise.all(browsers.map(async (browser) => (await read(browser, 'told')).body.joinCode))
  assert.deepEqual(await codes([casey, finley, ellis]), ['TOLD-1', 'TOLD-1', 'TOLD-1'])
  assert.deepEqual(await codes([avery, drew]), [null, null])
  const inList = async (browser: TestBrowser) =>
    (await call(browser, 'GET', `${PATH}/list?limit=100`)).body.docs.find(
      ({ classId }: { classId: string }) => classId === 'told',
    ).joinCode
  assert.deepEqual([await inList(casey), await inList(drew), await inList(avery)], ['TOLD-1', '', ''])
})

test('choosing codes of other classes counts as guessing, and is limited like joining with wrong ones', async (t) => {
  const limited = await testApp(t, { RATE_JOIN_PER_HOUR: '4' })
  await openSchool(limited, { alpha: { joinCode: 'CODE-ALPHA' } })
  limited.holdClock()
  const owner = await signInBrowser(limited, 'finley')
  const set = (joinCode: string, more: object = {}) => change(owner, 'bravo', { joinCode, ...more })
  // Codes that no class uses do not count as guesses, nor do requests that are refused for another reason.
  for (let i = 0; i < 6; i++) assert.equal((await set(`FREE-${i}`)).status, 200)
  for (let i = 0; i < 6; i++) assertError(await set('a b'), 400, 4003)
  assertError(await set('code-alpha'), 409, 4091)
  assertError(await set('CODE-ALPHA'), 409, 4091)
  assertError(await create(owner, { joinCode: 'CODE-ALPHA' }), 409, 4091)
  assertError(await call(owner, 'POST', `${PATH}/join`, { joinCode: 'NO-SUCH' }), 404, 4042)
  for (const answer of [await set('CODE-ALPHA'), await create(owner, { joinCode: 'FREE-9' })])
    assertError(answer, 429, 4291)
  assert.equal((await change(owner, 'bravo', { newJoinCode: true })).status, 200)
  limited.advance(3_600_000)
  assert.equal((await set('FREE-9')).status, 200)
})

test('a class ends and is reopened, and repeating either changes nothing', async () => {
  await create(finley, { classId: 'ending' })
  const ended = async (verb: string) => (await act(finley, verb, 'ending')).body.ended
  assert.deepEqual([await ended('end'), await ended('end')], [true, true])
  const [first] = await app.sql(`select ended_at from classes where key = 'ending'`)
  await act(ellis, 'end', 'ending')
  assert.deepEqual(await app.sql(`select ended_at from classes where key = 'ending'`), [first])
  assert.deepEqual([await ended('reopen'), await ended('reopen')], [false, false])
  assert.equal((await audited('class.ended', 'ending')).length, 1)
  assert.equal((await audited('class.reopened', 'ending')).length, 1)
  await act(finley, 'end', 'bravo')
  const start = { lessonId: 'walkaround', classId: 'bravo' }
  assertError(await (await app.as('blake')).post('/edu/v1/lesson/progress/start', start), 400, 4006, /is closed/)
  await act(finley, 'reopen', 'bravo')
  assert.equal((await (await app.as('blake')).post('/edu/v1/lesson/progress/start', start)).status, 200)
})

test('students read their class; its staff and its managers also read who teaches and how many learn (D1)', async () => {
  const student = (await read(avery, 'alpha')).body
  assert.deepEqual([student.role, student.studentId, student.course], ['student', 'avery-alpha', COURSE])
  assert.ok(!('staff' in student) && !('students' in student))
  await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
  for (const [browser, role] of [
    [casey, 'instructor'],
    [finley, 'manager'],
    [ellis, 'manager'],
  ] as const) {
    const { body } = await read(browser, 'alpha')
    assert.deepEqual(
      [body.role, body.studentId, body.staff, body.students],
      [role, null, [CASEY], { active: 1, suspended: 1, dropped: 0 }],
    )
  }
  await app.sql(`update enrolments set status = 'dropped' where key = 'blake-alpha'`)
  const refused = await read(drew, 'alpha')
  assertError(refused, 403, 4032, /or you are not in it/)
  for (const answer of [await read(drew, 'nowhere'), await read(blake, 'alpha'), await read(avery, 'bravo')])
    assert.equal(answer.text, refused.text)
  assertError(await (await app.as('casey')).get(PATH, { classId: 'alpha' }), 401, 4016)
  await app.sql(`update enrolments set status = 'active' where key = 'blake-alpha'`)
})

test('owners and administrators add instructors and observers, by handle', async () => {
  await create(finley, { classId: 'staffed' })
  const set = (handle: string, role: string) => act(finley, 'staff', 'staffed', { handle, role })
  assert.deepEqual((await set('Casey', 'instructor')).body, CASEY)
  assert.equal((await act(ellis, 'staff', 'staffed', { handle: '@noor', role: 'instructor' })).status, 200)
  assert.equal((await set('@noor', 'observer')).body.role, 'observer')
  assert.equal((await set('@noor', 'observer')).status, 200)
  assert.deepEqual(
    (await read(casey, 'staffed')).body.staff.map(({ handle, role }: Record<string, string>) => [handle, role]),
    [
      ['@casey', 'instructor'],
      ['@noor', 'observer'],
    ],
  )
  assert.equal((await set('@noor', 'student')).status, 400)
  assertError(await act(finley, 'staff', 'alpha', { handle: '@avery', role: 'instructor' }), 400, 4006, /student/)
  assert.deepEqual((await act(finley, 'staff/remove', 'staffed', { handle: '@casey' })).body, { success: true })
  assertError(await act(finley, 'staff/remove', 'staffed', { handle: '@casey' }), 404, 4042)
  assertError(await read(casey, 'staffed'), 403, 4032)
  const steps = (await audited('staff.set', 'staffed')).map(({ before, after }) => [before, after])
  assert.deepEqual(steps, [
    [null, 'instructor'],
    [null, 'instructor'],
    ['instructor', 'observer'],
  ])
  const [removed] = await audited('staff.removed', 'staffed')
  assert.deepEqual([removed!.before, removed!.after, typeof removed!.by], ['instructor', null, 'number'])
})

test('nobody else changes a class, not even its instructors; a foreign class is refused like an unknown one (D1)', async () => {
  const asks = (browser: TestBrowser, classId: string) => [
    change(browser, classId, { name: 'Taken over', newJoinCode: true }),
    act(browser, 'end', classId),
    act(browser, 'reopen', classId),
    act(browser, 'staff', classId, { handle: '@noor', role: 'instructor' }),
    act(browser, 'staff', classId, { handle: '@nobody', role: 'instructor' }),
    act(browser, 'staff/remove', classId, { handle: '@casey' }),
  ]
  const before = await app.sql(`select * from classes where key = 'alpha'`)
  for (const browser of [avery, blake, casey, drew]) {
    const [theirs, nobodys] = [await Promise.all(asks(browser, 'alpha')), await Promise.all(asks(browser, 'nowhere'))]
    for (const [i, answer] of theirs.entries()) {
      assertError(answer, 403, 4032, /or you do not manage it/)
      assert.equal(answer.text, nobodys[i]!.text)
    }
    const [made, nowhere] = [await create(browser), await create(browser, { courseId: 'nowhere' })]
    assertError(made, 403, 4032)
    assert.equal(made.text, nowhere.text)
    assert.deepEqual((await call(browser, 'GET', `${PATH}/managed?courseId=course`)).body.docs, [])
  }
  assert.deepEqual(await app.sql(`select * from classes where key = 'alpha'`), before)
  assert.deepEqual((await read(finley, 'alpha')).body.staff, [CASEY])
  const token = await app.as('finley')
  assertError(await token.put(PATH, { courseId: 'course', name: 'x' }), 401, 4016)
  assertError(await token.post(`${PATH}/end`, { classId: 'alpha' }), 401, 4016)
  const sandbox = await signInBrowser(app, 'ellis', 'sandbox')
  assertError(await act(sandbox, 'end', 'alpha'), 403, 4032)
})

test('smuggled fields are not stored (D2)', async () => {
  const smuggled = { version: 7, versionId: 7, course_id: 1, ended: true, ended_at: 'x', role: 'owner', userId: 'x' }
  const made = await create(finley, { classId: 'plain', ...smuggled, staff: [CASEY], students: { active: 5 } })
  assert.deepEqual([made.body.ended, made.body.course.version, made.body.staff], [false, 1, []])
  const changed = await change(finley, 'plain', { ...smuggled, courseId: 'other', course: { courseId: 'other' } })
  assert.deepEqual({ ...changed.body }, { ...made.body })
})

test('managers list their classes by organisation and course, the newest first', async () => {
  const list = async (browser: TestBrowser, query = '') => {
    const { body } = await call(browser, 'GET', `${PATH}/managed${query}`)
    return [body.docs.map(({ classId }: { classId: string }) => classId), body.total]
  }
  const [{ count }] = (await app.sql(`select count(*)::int from classes`)) as [{ count: number }]
  const [newest, total] = await list(finley, '?limit=1')
  assert.deepEqual([newest, total], [['plain'], count])
  assert.equal((await list(finley, '?organisation=school&courseId=course'))[1], count)
  assert.deepEqual(await list(finley, '?organisation=other'), [[], 0])
  assert.deepEqual(await list(finley, '?courseId=nowhere'), [[], 0])
  assert.equal((await list(ellis))[1], count)
  assert.deepEqual(await list(drew), [[], 0])
  await act(finley, 'end', 'plain')
  const [last] = await list(finley, `?limit=1&page=${count}`)
  assert.deepEqual(last, ['plain'])
})

test('a student may open lessons and write notes about themselves until they are suspended', async () => {
  const compare = async () => {
    const { may } = (await read(blake, 'alpha')).body
    const note = await call(blake, 'PUT', '/edu/v1/note', { studentId: 'blake-alpha', text: 'Mine.' })
    // The lesson has no launch URL, so a permitted launch fails too, but with an error other than 403.
    const launch = await call(blake, 'POST', '/edu/v1/lesson/launch', { classId: 'alpha', lessonId: 'walkaround' })
    assert.deepEqual([may.writeOwnNotes, may.launch], [note.status === 200, launch.status !== 403])
    assert.deepEqual([may.keepNotes, may.changeRoster, may.grade, may.manage], [false, false, false, false])
    return may.launch
  }
  assert.equal(await compare(), true)
  await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
  assert.equal(await compare(), false)
  await app.sql(`update enrolments set status = 'active' where key = 'blake-alpha'`)
})

test('a copy of a class has its settings and staff, and neither its students nor its join code', async () => {
  await create(finley, { classId: 'first-run', name: 'Run', sequential: true, newJoinCode: true })
  const { joinCode } = (await read(finley, 'first-run')).body
  await call(finley, 'POST', `${PATH}/staff`, { classId: 'first-run', handle: '@casey', role: 'instructor' })
  // Drew teaches the class without being a member of the school.
  await app.sql(
    `insert into class_staff (class_id, person_id, role) select c.id, p.id, 'observer' from classes c, people p where c.key = 'first-run' and p.handle = '@drew';
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'avery-run', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = 'first-run' and p.handle = '@avery'`,
  )
  await call(finley, 'PUT', '/edu/v1/course', { courseId: 'course', name: 'Course two', lessons: [] })
  await call(finley, 'POST', '/edu/v1/course/publish', { courseId: 'course' })
  const made = await act(finley, 'duplicate', 'first-run', { newClassId: 'second-run' })
  assert.equal(made.status, 200, made.text)
  const { name, sequential, staff, students, course } = made.body
  assert.deepEqual([name, sequential, staff, course.version], ['Copy of Run', true, [CASEY], 2])
  assert.deepEqual(students, { active: 0, suspended: 0, dropped: 0 })
  assert.match(made.body.joinCode, /^[B-Z]{4}-[B-Z]{4}$/)
  assert.notEqual(made.body.joinCode, joinCode)
  const invited = await app.sql(
    `select i.handle, i.role from invitations i join classes c on c.id = i.class_id where c.key = 'second-run'`,
  )
  assert.deepEqual(invited, [{ handle: '@drew', role: 'observer' }])
  const same = await act(finley, 'duplicate', 'first-run', { version: 'same', name: 'Third' })
  assert.deepEqual([same.body.name, same.body.course.version], ['Third', 1])
  assert.deepEqual(await audited('class.duplicated', 'second-run'), [
    { class: 'second-run', from: 'first-run', course: 'course', self: true },
  ])
  assertError(await act(finley, 'duplicate', 'first-run', { newClassId: 'second-run' }), 409, 4091)
  for (const browser of [casey, drew, avery, blake])
    assertError(await act(browser, 'duplicate', 'first-run'), 403, 4032)
})
