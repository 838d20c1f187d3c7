import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { signInBrowser } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import type { Permission } from '../../extensions/plugins/schema.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { signedIn } from '../../identity/passkeys/testing.ts'
import { SEARCH_VERSION } from '../../identity/people/search-keys.ts'
import { until } from '../../kernel/database/test-database.ts'
import { isFile, isWholeBody } from '../../kernel/http/input/fields.ts'
import { isWrite, type Operation } from '../../kernel/http/operation.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { who } from '../../kernel/imports/testing.ts'
import type { Role } from '../../kernel/roles.ts'
import { MAY } from '../../learning/classes/roles.ts'
import { makeSchool } from '../../learning/courses/testing.ts'
import { SCOPES, type Scope } from '../../records/credentials/scopes.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import type { TestBrowser } from '../testing/browser.ts'
import { type AppName, Client, type Person, sharedApp, type TestApp, testApp } from '../testing/testing.ts'
import { Stage } from './testing-examples.ts'
import type { Scene } from './testing-scene.ts'
import { type ReceivedResponse, send, translate } from './testing-sending.ts'

const NOT_AUTHORIZED = 4016

/** For each credential, the operations that accept it, by the name of their `who`. */
const ADMITTED: Record<string, readonly string[]> = {
  nothing: ['anyone', 'visitor'],
  cookie: ['anyone', 'visitor', 'person', 'member', 'record store'],
  token: ['anyone', 'visitor', 'app user', 'member', 'record store'],
  'token of an anonymous user': ['anyone', 'visitor', 'app user'],
  'token of the sandbox': ['anyone', 'visitor'],
  'credentials of a plugin': ['anyone', 'visitor', 'plugin'],
  'credentials of an inactive plugin': ['anyone', 'visitor'],
  'credentials of a suspended plugin': ['anyone', 'visitor'],
  'credentials of a plugin in the sandbox': ['anyone', 'visitor'],
  'a wrong secret': ['anyone', 'visitor'],
}
/**
 * Error codes for credentials that are missing or wrong, or that belong to the other environment or an anonymous user.
 */
const UNADMITTED = [4011, 4012, 4013, 4014, NOT_AUTHORIZED, 4034, 4035]

test('each operation admits the callers that it declares, and no others', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, RATE_ANONYMOUS_BURST: '100000' }, { withSandbox: true })
  const { basic } = await registerTestPlugin(app, { kind: 'ai', key: 'ai' })
  const inactive = await registerTestPlugin(app, { kind: 'ai', key: 'inactive', isActive: false })
  const suspended = await registerTestPlugin(app, { kind: 'ai', key: 'suspended' })
  const elsewhere = await registerTestPlugin(app, { kind: 'ai', key: 'elsewhere' }, 'sandbox')
  await app.sql(`update apps set status = 'suspended' where name = 'suspended'`)
  const bearer = ({ token }: Client) => ({ authorization: `Bearer ${token}` })
  const credentials: Record<string, () => Promise<Record<string, string>>> = {
    nothing: async () => ({}),
    cookie: async () => ({ cookie: await cookieOf(app, 'drew') }),
    token: async () => bearer(await app.as('drew')),
    'token of an anonymous user': async () => bearer((await join(app)).client),
    'token of the sandbox': async () => bearer(await app.as('drew', 'first', 'sandbox')),
    'credentials of a plugin': async () => ({ authorization: basic }),
    'credentials of an inactive plugin': async () => ({ authorization: inactive.basic }),
    'credentials of a suspended plugin': async () => ({ authorization: suspended.basic }),
    'credentials of a plugin in the sandbox': async () => ({ authorization: elsewhere.basic }),
    'a wrong secret': async () => ({ authorization: `Basic ${btoa('gs-ai:gs_cs_wrong')}` }),
  }
  const sendEmpty = async ({ method, path }: Operation, headers: Record<string, string>) => {
    const response = await fetch(`${app.address}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method,
      headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
    })
    await response.body?.cancel()
    return Number(response.headers.get('errorcode'))
  }
  for (const operation of operations)
    for (const [credential, admitted] of Object.entries(ADMITTED)) {
      const code = await sendEmpty(operation, await credentials[credential]!())
      const isForAnyone = ['anyone', 'visitor'].includes(operation.who.name)
      // An operation for anyone may still require credentials in its input.
      const isAdmitted = !UNADMITTED.includes(code) || (isForAnyone && operation.errors.includes('notAuthorized'))
      const isExpected = admitted.includes(operation.who.name) && !(credential.includes('anonymous') && code === 4035)
      assert.equal(isAdmitted, isExpected, `${operation.name} with ${credential}: ${code}`)
    }
})

test('each operation checks the permissions, scopes and sign-in that it declares', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set anonymous = handle_key = 'finley', administrator = handle_key = 'ellis'`)
  // The example of `leaveClass` needs a class of which Drew is a student.
  const { people: _, classes, ...content } = makeSchool()
  const alpha = { ...classes[0], key: 'class-alpha', students: [{ handle: '@drew', id: 'student-drew' }] }
  await importContent([app.environment()], who(), { content: { ...content, classes: [alpha] } })
  const plugin = async (what: { key: string; permissions?: Permission[]; ungranted?: Permission[] }) => {
    const { basic } = await registerTestPlugin(app, { kind: 'ai', ...what })
    return new Client(app.address, basic)
  }
  const old = await cookieOf(app, 'casey')
  app.advance(11 * 60_000)
  const [drew, recent] = [await app.as('drew'), await cookieOf(app, 'drew')]
  const token = (client: Client) => ({ client, headers: {} })
  const browser = (cookie: string) => ({ client: app.nobody(), headers: { cookie } })
  const granted = async (name: Permission) => ({
    lacks: token(await plugin({ key: `no-${name}`, ungranted: [name] })),
    holds: token(await plugin({ key: `only-${name}`, permissions: [name] })),
    code: 4014,
  })
  /**
   * Creates, for a need such as `scope state or all`, a record store key with the first of these scopes and a key with
   * none of them.
   */
  const scoped = async (name: string) => {
    const scopes = name.replace(/^scope /, '').split(' or ') as Scope[]
    const others = SCOPES.filter((one) => one !== 'all' && !scopes.includes(one))
    const [lacks, holds] = [
      await makeTestKey(app, { scopes: others }),
      await makeTestKey(app, { scopes: [scopes[0]!] }),
    ]
    return { lacks: token(lacks.client), holds: token(holds.client), code: 4032 }
  }
  /** For each need: a caller who does not meet it, the expected error code, and a caller who meets it. */
  const cases: Record<string, { lacks: ReturnType<typeof token>; holds: ReturnType<typeof token>; code: number }> = {
    'an account': { lacks: token(await app.as('finley')), holds: token(drew), code: 4035 },
    'a sign-in within the last 10 minutes': { lacks: browser(old), holds: browser(recent), code: 4016 },
    'the platform’s own pages': { lacks: token(drew), holds: browser(recent), code: 4032 },
    administrator: { lacks: browser(recent), holds: browser(await cookieOf(app, 'ellis')), code: 4032 },
    'permission user-records': await granted('user-records'),
    'permission badges': await granted('badges'),
    'permission skills': await granted('skills'),
  }
  for (const operation of operations)
    for (const need of operation.needs ?? []) {
      const { lacks, holds, code } = cases[need.name] ?? (await scoped(need.name))
      const { name } = operation
      const userId = 'userId' in operation.input.properties ? (await app.as('casey')).userId : undefined
      const sendAs = ({ client, headers }: ReturnType<typeof token>) =>
        sendExample(operation, client, headers, { userId })
      assert.equal(await sendAs(lacks), code, name)
      assert.notEqual(await sendAs(holds), code, name)
    }
})

/** Sends the example and returns the error code, or undefined. A stream does not end, so only its beginning is read. */
async function sendExample(
  { method, path, from, input, example = {} }: Operation,
  client: Client,
  headers: Record<string, string>,
  more: object,
): Promise<number | undefined> {
  const fields = Object.entries({ ...example.request, ...more }).filter(([, value]) => value !== undefined)
  const file = isWholeBody(from) ? fields.find(([field]) => isFile(input.properties[field])) : undefined
  const isInQuery = from === 'query' || file !== undefined
  const inQuery = isInQuery ? fields.filter((field) => field !== file) : []
  const query = new URLSearchParams(inQuery.map(([field, value]): [string, string] => [field, String(value)]))
  const body = JSON.stringify(file ? file[1] : Object.fromEntries(fields))
  const { token } = client
  const response = await fetch(`${client.address}${path}?${query}`, {
    method,
    headers: {
      ...(token ? { authorization: token.startsWith('Basic ') ? token : `Bearer ${token}` } : {}),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...example.headers,
      ...headers,
    },
    ...(method === 'GET' ? {} : { body }),
  })
  await response.body?.cancel()
  return Number(response.headers.get('errorcode')) || undefined
}

async function cookieOf(app: TestApp, person: Person): Promise<string> {
  const { cookies } = await signInBrowser(app, person)
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** The callers, and the roles that each of them has in the data of the examples. */
const CAST: Readonly<Record<string, readonly Role[]>> = {
  avery: ['student', 'actor', 'author', 'bucketMember', 'member'],
  blake: ['classmate', 'bucketMember'],
  casey: ['instructor'],
  gale: ['observer'],
  quinn: ['otherInstructor'],
  finley: ['owner', 'member'],
  kit: ['developer', 'member'],
  robin: ['organisationInstructor', 'courseAuthor', 'member', 'pluginMember'],
  jules: ['member', 'pluginMember'],
  ellis: ['administrator'],
  sasha: ['appOwner'],
  indigo: ['formerStudent'],
  // Hollis is a stranger, and Morgan owns another organisation.
  hollis: [],
  morgan: [],
}
const NEWCOMERS = ['gale', 'quinn', 'finley', 'kit', 'robin', 'jules', 'hollis', 'indigo', 'morgan', 'sasha']

interface Sender {
  readonly browser: TestBrowser
  /** The person as a user of the demo app. */
  readonly user: Client
  /** The person as a user of the plugin that serves ATO requests. */
  readonly pluginUser: Client
}
const senders = new Map<string, Sender>()
/** Credentials of a plugin that was given another organisation. */
let otherPlugin: string

async function addPeople(app: TestApp): Promise<void> {
  // With the current version, the job that renews search keys leaves these rows unchanged between two snapshots.
  const rows = NEWCOMERS.map((name) => `('@${name}', '${name}', ${SEARCH_VERSION}, now())`)
  await app.sql(
    `insert into people (handle, handle_key, search_version, created_at) values ${rows.join()};
     insert into organisations (key, name, created_at) values ('elsewhere', 'Elsewhere', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('finley', 'owner'), ('kit', 'developer'), ('robin', 'instructor'), ('jules', 'member')) r(name, role)
       join people p on p.handle_key = r.name, organisations o where o.key in ('sandhills', 'northwind');
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'owner' from organisations o, people p where o.key = 'elsewhere' and p.handle_key = 'morgan'`,
  )
  otherPlugin = (await registerTestPlugin(app, { kind: 'ai', key: 'other', organisations: ['elsewhere'] })).basic
  for (const name of Object.keys(CAST)) {
    const browser = app.visitor()
    for (const [cookie, value] of (await signedIn(app, name as Person)).cookies) browser.cookies.set(cookie, value)
    const [user, pluginUser] = [
      await app.as(name as Person, 'Demo app' as AppName),
      await app.as(name as Person, 'demo-ato' as AppName),
    ]
    senders.set(name, { browser, user, pluginUser })
  }
}

/** Adds a second class of each course, and people with other roles in the first class. */
async function addRoles(app: TestApp): Promise<void> {
  const courses = await app.sql(`select key from courses where key in ('course-preflight', 'course-first-solo')`)
  const classes = courses.map(({ key }) => ({
    key: `other-${key}`,
    course: key,
    name: 'Other',
    instructors: ['@quinn'],
  }))
  await importContent([app.environment()], who(), { content: { classes } })
  await app.sql(
    `insert into class_staff (class_id, person_id, role)
     select c.id, p.id, 'observer' from classes c, people p
      where c.key in ('class-alpha', 'class-charlie') and p.handle_key = 'gale';
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'student-indigo-' || c.key, c.id, p.id, 'dropped', now(), now() from classes c, people p
      where c.key in ('class-alpha', 'class-charlie') and p.handle_key = 'indigo'`,
  )
}

/**
 * Returns the roles that allow the operation; undefined if every admitted caller may call it. One role is enough. Notes
 * are for everybody, but the example is about a student. Students launch lessons for themselves, so a classmate may
 * too.
 */
const rolesOf = ({ name, roles, needs = [] }: Operation): readonly Role[] | undefined => {
  if (name === 'createNote') return MAY.record
  if (name === 'launchPackageLesson') return ['student', 'classmate']
  return needs.some((need) => need.name === 'administrator') ? ['administrator'] : roles
}

/** The role that the sender of an example has through the object of that example, by operation. */
const OWN_ROLES: readonly [RegExp, Role][] = [
  [/ForChild$|Child/, 'parent'],
  [/^(accept|decline)Friend/, 'requested'],
  [/^cancelFriend/, 'requester'],
  [/^removeFriend/, 'friend'],
  [/^(findCandidates|readPlannerSearch|savePlan)$/, 'searcher'],
  [/^(change|read|share|unshare|remove)Plan$/, 'planOwner'],
  [/^startPlannerSearch$/, 'organisationInstructor'],
  [/^leaveClass$/, 'student'],
  [/^delete(File|Package)$|^(store|read|finish|delete)Package(Part|Upload)$/, 'uploader'],
  [/^(accept|decline)Invitation$/, 'invited'],
]
const senderOf = ({ example }: Operation): string => example?.as ?? 'avery'
const rolesHeldBy = (operation: Operation, name: string): readonly Role[] => {
  const own = name === senderOf(operation) ? OWN_ROLES.find(([pattern]) => pattern.test(operation.name)) : undefined
  return own ? [...CAST[name]!, own[1]] : CAST[name]!
}

/** True for operations that people call in production. Plugins, keys and the sandbox have separate tests. */
const isInProduction = ({ who, example }: Operation): boolean =>
  ['person', 'app user', 'member'].includes(who.name) && example?.environment === undefined

/**
 * Error codes that count as a refusal: forbidden, not found, invalid value, missing permission, not authorized, no such
 * app.
 */
const REFUSALS = [4032, 4042, 4003, 4014, 4016, 4041]

const isEmpty = (body: unknown): boolean => {
  const list = Array.isArray(body) ? body : (body as { docs?: unknown[] } | undefined)?.docs
  return list?.length === 0
}

const outcomeOf = ({ status, text, headers }: ReceivedResponse): 'done' | 'nothing' | number => {
  if (status >= 300) return Number(headers.get('errorcode'))
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return isJson && isEmpty(JSON.parse(text)) ? 'nothing' : 'done'
}

/** Fields for examples that are otherwise about the sender's own classes, or another class than most. */
const ABOUT: Readonly<Record<string, object>> = {
  listAwaiting: { classId: 'class-alpha' },
  readAssessmentProgress: { studentId: 'student-avery-charlie' },
}

const sendAs = (operation: Operation, scene: Scene, name: string, more: object = {}): Promise<ReceivedResponse> => {
  const { browser, user, pluginUser } = senders.get(name)!
  // All requests are about the student Avery, whoever sends them.
  const student = 'studentId' in operation.input.properties ? { studentId: 'student-avery' } : {}
  const request = {
    ...student,
    ...translate(operation.example?.request ?? {}, scene),
    ...ABOUT[operation.name],
    ...scene.request,
    ...more,
  }
  const isReport = operation.name.startsWith('reportAto')
  const sender = { ...scene, browser, user: isReport ? pluginUser : user }
  return send(operation, request, operation.example?.headers ?? {}, sender)
}

const app = await sharedApp({ ...UNLIMITED, SIGN_UP: 'on' }, { withSandbox: true })
const stage = await Stage.open(app, { addPeople, addRoles })
const NAMES = Object.keys(CAST)

/**
 * Sets the stage, and makes Sasha the owner of all apps and Robin the author of all courses, including those that the
 * preparation has created.
 */
async function setStage(operation: Operation): Promise<Scene> {
  const scene = await stage.set(operation)
  await app.sql(
    `update apps set owner_id = p.id from people p where p.handle_key = 'sasha';
     update courses set author_id = p.id from people p where p.handle_key = 'robin';
     update organisations set course_authors = 'instructors'`,
  )
  const waiting = `select from messages where sent_at is null and given_up_at is null`
  await until('the messages of the preparation are sent', async () => (await app.sql(waiting)).length === 0)
  return scene
}

const withRoles = operations.filter((one) => rolesOf(one) && isInProduction(one))

const isAllowed = (operation: Operation, name: string): boolean => {
  const roles = rolesOf(operation) ?? []
  return rolesHeldBy(operation, name).some((role) => roles.includes(role))
}

test('D1: each operation is for callers with a role that it declares; others are refused, and change nothing', async (t) => {
  for (const operation of withRoles)
    await t.test(operation.name, async () => {
      const outcomes: Record<string, unknown> = {}
      let scene = await setStage(operation)
      const withStatements = operation.area === 'xAPI'
      const before = await scene.snapshot.readWritten({ withStatements })
      for (const name of NAMES.filter((name) => !isAllowed(operation, name))) {
        const outcome = outcomeOf(await sendAs(operation, scene, name))
        outcomes[name] = outcome === 'nothing' || REFUSALS.includes(Number(outcome)) ? 'refused' : outcome
      }
      assert.deepEqual(
        await scene.snapshot.readWritten({ withStatements }),
        before,
        'a refused caller has changed something',
      )
      for (const name of NAMES.filter((name) => isAllowed(operation, name))) {
        const outcome = outcomeOf(await sendAs(operation, scene, name))
        // A live list, such as the log of requests, can be empty at first.
        outcomes[name] = operation.example?.isLive && outcome === 'nothing' ? 'done' : outcome
        if (isWrite(operation)) scene = await setStage(operation)
      }
      // Some examples return a list that is empty for everybody.
      const done = outcomes[senderOf(operation)] === 'nothing' ? 'nothing' : 'done'
      const expected = NAMES.map((name) => [name, isAllowed(operation, name) ? done : 'refused'])
      assert.deepEqual(outcomes, Object.fromEntries(expected))
    })
})

test('D1: an operation that declares no roles refuses nobody whom it admits', async (t) => {
  for (const operation of operations.filter((one) => !rolesOf(one) && isInProduction(one)))
    await t.test(operation.name, async () => {
      const scene = await setStage(operation)
      assert.notEqual(outcomeOf(await sendAs(operation, scene, 'hollis')), 4032)
    })
})

test('D1: a plugin reaches nothing of organisations that it was not given', async (t) => {
  for (const operation of operations.filter(({ who }) => who.name === 'plugin'))
    await t.test(operation.name, async () => {
      assert.deepEqual(operation.roles, ['plugin'])
      const scene = await setStage(operation)
      const request = { ...translate(operation.example?.request ?? {}, scene), ...scene.request }
      const sendWith = async (basic: string) =>
        outcomeOf(await send(operation, request, operation.example?.headers ?? {}, { ...scene, basic }))
      assert.ok(['nothing', 4042].includes(await sendWith(otherPlugin)))
      assert.equal(await sendWith(scene.basic), 'done')
    })
})

const LEARNING = [
  'Courses and classes',
  'Lessons and progress',
  'Evaluations',
  'Notes',
  'Announcements',
  'Quizzes',
  'xAPI',
  'Badges',
  'Sign-in providers',
]

/** Ids that do not exist, by input field. */
const INVENTED: Readonly<Record<string, unknown>> = {
  organisation: 'nowhere',
  classId: 'nowhere',
  studentId: 'nobody',
  courseId: 'nothing',
  noteId: 'nothing',
  evaluationId: 'nothing',
  announcementId: 'no-such-announcement',
  badgeId: 'nothing',
  invitationId: 'nothing',
  domain: 'nowhere.example',
  handle: '@nobody',
  roster: 'handle\n@nobody\n',
}

/** Callers who must not learn that the class and its students exist. */
const OUTSIDERS = ['blake', 'quinn', 'kit', 'robin', 'jules', 'indigo', 'hollis', 'morgan']

test('D1: a refused caller gets the same answer about what exists and about what does not', async (t) => {
  for (const operation of withRoles.filter(({ area }) => LEARNING.includes(area)))
    await t.test(operation.name, async () => {
      const scene = await setStage(operation)
      const { properties } = operation.input
      const sent = { ...operation.example?.request, ...('studentId' in properties ? { studentId: '' } : {}) }
      const invented = Object.fromEntries(Object.entries(INVENTED).filter(([field]) => field in sent))
      for (const name of OUTSIDERS.filter((name) => !isAllowed(operation, name))) {
        const real = await sendAs(operation, scene, name)
        const unknown = await sendAs(operation, scene, name, invented)
        assert.deepEqual([unknown.status, unknown.text], [real.status, real.text], name)
      }
    })
})

/** For each permission that the platform reports about a class or an organisation, the operations that it allows. */
const PERMITTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  readClass: {
    manage: ['changeClass', 'endClass', 'setClassStaff', 'removeClassStaff'],
    changeRoster: ['enrolStudent', 'dropStudent', 'suspendStudent', 'importRoster'],
    setLocks: ['setLock', 'clearLock', 'setDates', 'clearDates'],
    grade: ['gradeAttempt', 'grantAttempts', 'resetLesson'],
    evaluate: ['recordEvaluations'],
    announce: ['createAnnouncement'],
    launch: ['launchLesson'],
    leave: ['leaveClass'],
  },
  readOrganisation: {
    manage: ['renameOrganisation', 'setOrganisationMember', 'removeOrganisationMember'],
    leave: ['leaveOrganisation'],
    createCourses: ['saveCourse', 'duplicateCourse'],
  },
}
const named = (name: string): Operation => operations.find((one) => one.name === name)!

test('a class and an organisation tell the caller what the roles of operations allow', async (t) => {
  for (const [reader, permissions] of Object.entries(PERMITTED))
    await t.test(reader, async () => {
      const scene = await setStage(named(reader))
      for (const name of NAMES.filter((name) => isAllowed(named(reader), name))) {
        const { may } = JSON.parse((await sendAs(named(reader), scene, name)).text)
        for (const [permission, allows] of Object.entries(permissions))
          for (const allowed of allows) {
            const roles = rolesOf(named(allowed))!
            const isExpected = CAST[name]!.some((role) => roles.includes(role))
            assert.equal(may[permission], isExpected, `${name}: ${permission}, ${allowed}`)
          }
      }
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

/** True for operations that change learning data, except xAPI statements, which refuse unknown fields. */
const isWriteOfLearning = ({ area, from }: Operation): boolean =>
  LEARNING.includes(area) && area !== 'xAPI' && ['body', 'either'].includes(from)

/** Replaces ids, codes, times and numbers of shares, because they differ from one request to the next. */
const masked = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/[\w-]{22,}/g, 'an id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'a time')
    .replaceAll(/\b[A-Z]{4}-[A-Z]{4}\b/g, 'a code')
    .replaceAll(/(share_no\W+)\d+/g, '$1a share')

test('D2: fields that an operation does not know change nothing', async (t) => {
  app.holdClock()
  for (const operation of withRoles.filter(isWriteOfLearning))
    await t.test(operation.name, async () => {
      const known = Object.keys(operation.input.properties)
      const smuggled = Object.fromEntries(Object.entries(SMUGGLED).filter(([field]) => !known.includes(field)))
      const caller = NAMES.find((name) => isAllowed(operation, name))!
      const results: unknown[] = []
      for (const more of [{}, smuggled]) {
        const scene = await setStage(operation)
        const { status, text } = await sendAs(operation, scene, caller, more)
        results.push([status, masked(text), masked(await scene.snapshot.readWritten())])
      }
      assert.deepEqual(results[1], results[0])
    })
})
