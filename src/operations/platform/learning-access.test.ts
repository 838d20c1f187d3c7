import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { REDIRECT_URI } from '../../apps/oauth/testing.ts'
import { signedIn } from '../../identity/passkeys/testing.ts'
import { isWrite, type Operation } from '../../kernel/http/operation.ts'
import { run } from '../../kernel/imports/testing.ts'
import { lesson, openSchool } from '../../learning/courses/testing.ts'
import type { Person } from '../testing/testing.ts'
import { sharedApp, type TestApp } from '../testing/testing.ts'

const AREAS = ['Courses and classes', 'Lessons and progress', 'Notes']

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
  'removed student',
  'owner elsewhere',
  'same person in another app',
  'anonymous user',
  'other environment',
  'nobody',
] as const
type CallerName = (typeof CALLERS)[number]
/** Those who call in production with an account of their own. */
const ACCOUNTS = CALLERS.slice(0, -3)
const PEOPLE: Partial<Record<CallerName, string>> = {
  student: 'avery',
  classmate: 'blake',
  instructor: 'casey',
  'instructor of another class': 'drew',
  observer: 'ellis',
  owner: 'finley',
  administrator: 'gale',
  stranger: 'hollis',
  'removed student': 'indigo',
  // A mere member of the school.
  'owner elsewhere': 'jules',
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
const inside = { student: 'yes', 'same person in another app': 'yes', ...staff } as const
const READS = only(4032, inside)
const WRITES = only(4032, { student: 'yes', instructor: 'yes' })
/** Everybody who has to do with the course. */
const OF_COURSE = only(4042, { ...inside, classmate: 'yes', 'instructor of another class': 'yes' })
const everybody = (outcome: (name: CallerName) => Outcome): Partial<Row> =>
  Object.fromEntries(ACCOUNTS.map((name) => [name, outcome(name)]))
const lists = (counts: Partial<Record<CallerName, number>>): Row =>
  only(
    0,
    everybody((name) => `sees ${counts[name] ?? 0}`),
  )
const COOKIE_ONLY = { 'same person in another app': 4016, 'anonymous user': 4016, 'other environment': 4016 } as const

/** Instructors and owners, on the platform's own pages. */
const GRADES = only(4032, { instructor: 'yes', owner: 'yes', ...COOKIE_ONLY })
/** Owners of the organisation and administrators, on the platform's own pages. */
const MANAGES = only(4032, { owner: 'yes', administrator: 'yes', ...COOKIE_ONLY })
const CHANGES_STUDENTS: Row = { ...MANAGES, instructor: 'yes' }
/** The same, for an operation that lists something. */
const counting = (row: Row, count: number): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, outcome]) => [name, outcome === 'yes' ? `sees ${count}` : outcome]),
  ) as Row

type Scene = 'nothing' | 'started' | 'paused' | 'idle' | 'completed' | 'note' | keyof typeof PREPARED

const DRAFT = `'{"name": "Course", "lessons": []}'`
/** What was done in a class or a course before. */
const PREPARED = {
  draft: `update courses set draft = ${DRAFT}, draft_at = '2025-09-01'`,
  'unused course': `insert into courses (key, organisation_id, draft, draft_at, created_at) select 'unused', id, ${DRAFT}, '2025-09-01', '2025-09-01' from organisations where key = 'school'`,
  'ended class': `update classes set ended_at = '2025-09-01'`,
  'suspended student': `update enrolments set status = 'suspended' where key = 'avery-alpha'`,
  'locked lesson': `insert into lesson_locks (class_id, lesson_id, enrolment_id, is_locked, set_at)
    select e.class_id, l.id, e.id, true, '2025-09-01' from enrolments e, lessons l where e.key = 'avery-alpha' and l.key = 'walkaround'`,
}

/** Who may what, for every operation of these areas, and what is sent where not the samples: one that is not here fails the test. Behind a name there may be what is special. */
const TABLE: Readonly<Record<string, readonly [Scene, Row, Record<string, unknown>?]>> = {
  createOrganisation: ['nothing', { ...MANAGES, owner: 4032 }, { organisation: 'new' }],
  renameOrganisation: ['nothing', MANAGES],
  // Who owns another is a member of this one.
  readOrganisation: ['nothing', { ...MANAGES, 'owner elsewhere': 'yes' }],
  listOrganisations: [
    'nothing',
    { ...lists({ owner: 1, administrator: 2, 'owner elsewhere': 2 }), ...COOKIE_ONLY },
    { role: undefined },
  ],
  listOrganisationMembers: ['nothing', counting(MANAGES, 2)],
  setOrganisationMember: ['nothing', MANAGES, { role: 'member' }],
  removeOrganisationMember: ['nothing', MANAGES, { handle: '@jules' }],
  saveCourse: ['nothing', MANAGES],
  'saveCourse without an organisation': ['nothing', MANAGES, { organisation: undefined }],
  // Whoever chooses an id has to be told that it is taken.
  'saveCourse for another organisation': [
    'nothing',
    { ...MANAGES, owner: 4032, administrator: 4003, 'owner elsewhere': 4091 },
    { organisation: 'elsewhere' },
  ],
  readCourseDocument: ['draft', MANAGES],
  publishCourse: ['draft', MANAGES],
  listCourseVersions: ['nothing', counting(MANAGES, 1)],
  discardCourseDraft: ['draft', MANAGES],
  removeCourse: ['unused course', MANAGES, { courseId: 'unused' }],
  listManagedCourses: ['draft', { ...lists({ owner: 1, administrator: 1 }), ...COOKIE_ONLY }],
  createClass: ['nothing', MANAGES, { classId: 'new', joinCode: 'CODE-NEW' }],
  changeClass: ['nothing', MANAGES],
  endClass: ['nothing', MANAGES],
  reopenClass: ['ended class', MANAGES],
  readClass: ['nothing', only(4032, { student: 'yes', classmate: 'yes', ...staff, ...COOKIE_ONLY })],
  listManagedClasses: ['nothing', { ...lists({ owner: 3, administrator: 3 }), ...COOKIE_ONLY }],
  setClassStaff: ['nothing', MANAGES],
  removeClassStaff: ['nothing', MANAGES, { handle: '@ellis' }],
  listStudents: ['nothing', counting(only(4032, staff), 3), { studentId: undefined }],
  enrolStudent: ['nothing', CHANGES_STUDENTS],
  dropStudent: ['nothing', CHANGES_STUDENTS],
  suspendStudent: ['nothing', CHANGES_STUDENTS],
  reinstateStudent: ['suspended student', CHANGES_STUDENTS],
  // The instructor teaches in one class only.
  listTransferTargets: ['nothing', { ...counting(MANAGES, 2), instructor: 'sees 0' }],
  // Nobody here teaches in both classes.
  transferStudent: ['nothing', MANAGES, { classId: 'charlie' }],
  joinClass: [
    'nothing',
    only(0, { ...everybody(() => 'yes'), instructor: 4006, observer: 4006, 'removed student': 4032 }),
  ],
  leaveClass: [
    'nothing',
    only(4032, { student: 'yes', classmate: 'yes', 'removed student': 'yes', 'same person in another app': 'yes' }),
  ],
  importRoster: ['nothing', CHANGES_STUDENTS],
  listLocks: ['nothing', counting(only(4032, { ...staff, ...COOKIE_ONLY }), 0)],
  setLock: ['nothing', CHANGES_STUDENTS],
  'setLock for all': ['nothing', CHANGES_STUDENTS, { studentId: undefined }],
  clearLock: ['locked lesson', CHANGES_STUDENTS],
  readLesson: ['nothing', { ...READS, classmate: 'yes' }],
  listLessonsOfCourse: ['nothing', counting(OF_COURSE, 3)],
  listLessonsOfApp: [
    'nothing',
    {
      ...lists({ student: 3, classmate: 3, instructor: 3, observer: 3 }),
      'instructor of another class': 4032,
      stranger: 4032,
      'removed student': 4032,
      'owner elsewhere': 4032,
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
  listObjectives: ['nothing', counting(OF_COURSE, 1)],
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
  listAttempts: ['started', counting(READS, 1)],
  readLocks: ['nothing', counting(READS, 3)],
  readLockReason: ['nothing', READS],
  readResults: ['started', READS],
  readTimeline: ['started', counting(READS, 2)],
  readGradebook: ['started', counting(only(4032, { ...staff, ...COOKIE_ONLY }), 2)],
  exportGradebook: ['started', only(4032, { ...staff, ...COOKIE_ONLY })],
  gradeAttempt: ['completed', GRADES],
  grantAttempts: ['started', GRADES],
  resetLesson: ['completed', GRADES],
  listGradeChanges: ['started', counting(READS, 0)],
  listAwaiting: ['nothing', counting(GRADES, 0)],
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
  pass: true,
  count: 1,
  reason: 'Asked for it.',
  organisation: 'school',
  name: 'Another name',
  lessons: [lesson('walkaround')],
  handle: '@hollis',
  role: 'observer',
  joinCode: 'CODE-ALPHA',
  locked: true,
  roster: 'handle,action\n@avery,suspend\n@hollis,add\n',
}

const asked = operations.filter(({ area }) => AREAS.includes(area))

interface Case {
  readonly title: string
  readonly operation: Operation
  readonly scene: Scene
  readonly expected: Row
  /** What is sent. */
  readonly what: Readonly<Record<string, unknown>>
}
const cases: readonly Case[] = Object.entries(TABLE).flatMap(([title, [scene, expected, more]]) => {
  const operation = asked.find(({ name }) => name === title.split(' ')[0])
  return operation ? [{ title, operation, scene, expected, what: { ...SAMPLES, ...more } }] : []
})

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

/** What these areas write. */
const TABLES = [
  'organisations',
  'organisation_members',
  'courses',
  'course_versions',
  'lessons',
  'lesson_versions',
  'objectives',
  'objective_versions',
  'classes',
  'class_staff',
  'enrolments',
  'lesson_locks',
  'attempts',
  'standings',
  'objective_scores',
  'grade_changes',
  'notes',
]
const eachTable = (write: (table: string) => string, between = ';') => TABLES.map(write).join(between)

async function openScene(app: TestApp) {
  await run(app, {
    organisations: [{ key: 'elsewhere', name: 'Elsewhere' }],
    people: [{ handle: '@gale', administrator: true }, { handle: '@hollis' }, { handle: '@indigo' }],
  })
  await openSchool(app, { alpha: { joinCode: SAMPLES.joinCode } })
  await run(app, {
    people: [{ handle: '@jules', organisations: { elsewhere: 'owner', school: 'member' } }],
    classes: [{ key: 'charlie', course: 'course', name: 'Charlie' }],
  })
  await app.sql(
    `insert into app_redirect_uris (app_id, uri) select id, '${REDIRECT_URI}' from apps where name = 'first';
     update lesson_versions set launch_uri = '${REDIRECT_URI}', max_attempts = 3 where lesson_id = (select id from lessons where key = 'walkaround');
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'indigo-alpha', c.id, p.id, 'dropped', now(), now() from classes c, people p where c.key = 'alpha' and p.handle_key = 'indigo';
     ${eachTable((table) => `create table first_${table} as table ${table}`)}`,
  )
  // Moments and numbers are the same each time, so that what is written can be compared.
  app.holdClock()
  const restore = `set local session_replication_role = replica;
    ${eachTable((table) => `delete from ${table}; insert into ${table} overriding system value table first_${table}`)};
    select setval(oid, 1000) from pg_class
     where relkind = 'S' and relnamespace = current_schema()::regnamespace and relname in (${eachTable((table) => `'${table}_id_seq'`, ',')})`
  const senders = await openSenders(app)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  const act = async (verb: string, more: object = {}) => {
    const answer = await avery.post(`/edu/v1/lesson/progress${verb}`, { lessonId: 'walkaround', ...more })
    assert.equal(answer.status, 200, answer.text)
  }

  /** As if nothing had happened but this. What is sent then. */
  const set = async ({ scene, what }: Case): Promise<Readonly<Record<string, unknown>>> => {
    await app.sql(scene in PREPARED ? `${restore}; ${PREPARED[scene as keyof typeof PREPARED]}` : restore)
    if (scene === 'nothing' || scene in PREPARED) return what
    if (scene === 'note') {
      const note = { text: 'x', studentId: 'avery-alpha', lessonId: 'walkaround' }
      return { ...what, noteId: (await casey.put('/edu/v1/note', note)).body.noteId }
    }
    await act('/start')
    if (scene === 'paused') await act('/pause')
    if (scene === 'completed') await act('', { complete: true })
    if (scene === 'idle') await act('/idle')
    return what
  }

  /** All that is kept, in whatever order, but for ids that nobody can foresee. */
  const readAll = async () => {
    const rows = await app.sql(
      eachTable((table) => `select '${table} ' || to_jsonb(t)::text as row from ${table} t`, ' union all '),
    )
    return rows.map(({ row }) => masked(row)).sort()
  }
  return { senders, set, readAll }
}

const masked = (body: unknown): string => JSON.stringify(body).replaceAll(/[\w-]{22,}/g, 'an id')

async function send(operation: Operation, sender: Sender, what: Readonly<Record<string, unknown>>, more: object = {}) {
  const { method, path, input, from, who, output } = operation
  const given = Object.keys(input.properties).filter((name) => what[name] !== undefined)
  const { roster, ...fields } = { ...Object.fromEntries(given.map((name) => [name, what[name]])), ...more }
  const isInQuery = from === 'query' || from === 'csv'
  const query = isInQuery ? `?${new URLSearchParams(fields as Record<string, string>)}` : ''
  const body = isInQuery ? roster : JSON.stringify(fields)
  const response = await fetch(`${sender.address}${path}${query}`, {
    method,
    headers: {
      ...(who.name === 'person' ? sender.cookie : sender.token),
      ...(body === undefined ? {} : { 'content-type': isInQuery ? 'text/csv' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body as string }),
  })
  if (output.kind !== 'json' && response.status === 200) {
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

const app = await sharedApp(UNLIMITED, { withSandbox: true })
const { senders, set, readAll } = await openScene(app)

test('every operation of learning is in the table of who may what', () => {
  const named = new Set(Object.keys(TABLE).map((title) => title.split(' ')[0]))
  assert.deepEqual([...named].sort(), asked.map(({ name }) => name).sort())
})

test('who may what in learning: every operation, for everybody, and whoever is refused changes nothing (D1)', async (t) => {
  for (const one of cases)
    await t.test(one.title, async () => {
      const { operation, expected } = one
      const refused = CALLERS.filter((name) => typeof expected[name] === 'number')
      const outcomes: Partial<Record<CallerName, Outcome>> = {}
      let what = await set(one)
      const before = await readAll()
      for (const name of refused) outcomes[name] = outcomeOf(await send(operation, senders[name], what))
      assert.deepEqual(await readAll(), before)
      for (const name of CALLERS.filter((name) => !refused.includes(name))) {
        outcomes[name] = outcomeOf(await send(operation, senders[name], what))
        if (isWrite(operation)) what = await set(one)
      }
      assert.deepEqual(outcomes, expected)
    })
})

/** Operations that each permission of a class and of an organisation stands for. */
const PERMITTED = {
  readClass: {
    manage: ['changeClass', 'endClass', 'setClassStaff', 'removeClassStaff'],
    changeRoster: ['enrolStudent', 'dropStudent', 'suspendStudent', 'importRoster'],
    setLocks: ['setLock', 'setLock for all', 'clearLock'],
    grade: ['gradeAttempt', 'grantAttempts', 'resetLesson'],
    launch: ['launchLesson'],
    keepNotes: ['removeNote'],
  },
  readOrganisation: { manage: ['renameOrganisation', 'setOrganisationMember', 'removeOrganisationMember'] },
}

test('what a class and an organisation say that the caller may do is what the table lets them do', async (t) => {
  for (const [reader, permissions] of Object.entries(PERMITTED))
    await t.test(reader, async () => {
      const one = cases.find(({ title }) => title === reader)!
      const what = await set(one)
      for (const name of CALLERS.filter((name) => one.expected[name] === 'yes')) {
        const { may } = (await send(one.operation, senders[name], what)).body as { may: Record<string, boolean> }
        for (const [permission, titles] of Object.entries(permissions))
          for (const title of titles)
            assert.equal(may[permission], TABLE[title]![1][name] === 'yes', `${name}: ${permission}, ${title}`)
      }
    })
})

const INVENTED: Readonly<Record<string, unknown>> = {
  organisation: 'nowhere',
  classId: 'nowhere',
  studentId: 'nobody',
  courseId: 'nothing',
  noteId: 'nothing',
  handle: '@nobody',
  roster: 'handle\n@nobody\n',
}
const OUTSIDERS = [
  'classmate',
  'instructor of another class',
  'stranger',
  'removed student',
  'owner elsewhere',
] as const

test('whoever is refused is told the same about what does not exist (D1)', async (t) => {
  const { studentId, noteId } = INVENTED
  for (const one of cases)
    await t.test(one.title, async () => {
      const { operation, expected } = one
      const what = await set(one)
      const invented = Object.fromEntries(Object.entries(INVENTED).filter(([name]) => what[name] !== undefined))
      for (const name of OUTSIDERS.filter((name) => typeof expected[name] === 'number' && expected[name] !== 4091)) {
        const real = await send(operation, senders[name], what)
        assert.deepEqual(await send(operation, senders[name], { ...what, ...invented }), real, name)
      }
      const { properties } = operation.input
      if (!('noteId' in properties || ('studentId' in properties && what.studentId))) return
      // Students and notes of others, in a class of one's own.
      const drew = senders['instructor of another class']
      const own = { ...what, classId: 'bravo' }
      assert.deepEqual(await send(operation, drew, { ...own, studentId, noteId }), await send(operation, drew, own))
    })
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
  role: 'owner',
  status: 'dropped',
  ended: true,
  version: 7,
  draft: true,
  personId: 1,
  administrator: true,
}

test('what is smuggled into a body of learning changes nothing (D2)', async (t) => {
  for (const one of cases.filter(({ title, operation }) => title === operation.name && operation.from !== 'query'))
    await t.test(one.title, async () => {
      const { operation, expected } = one
      const known = Object.keys(operation.input.properties)
      const smuggled = Object.fromEntries(Object.entries(SMUGGLED).filter(([name]) => !known.includes(name)))
      const within = known.includes('lessons') ? { lessons: [{ ...lesson('walkaround'), ...smuggled }] } : {}
      const allowed = CALLERS.filter((name) => expected[name] === 'yes')
      assert.ok(allowed.length > 0)
      for (const name of allowed) {
        const plain = await send(operation, senders[name], await set(one))
        const kept = await readAll()
        const answer = await send(operation, senders[name], await set(one), { ...smuggled, ...within })
        assert.deepEqual([answer.status, masked(answer.body)], [200, masked(plain.body)], name)
        assert.deepEqual(await readAll(), kept, name)
      }
    })
})
