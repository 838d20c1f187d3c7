import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { makeDemo } from '../../../demo/make-demo.ts'
import { operations } from '../../app.ts'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { obtainCode, registerApp } from '../../apps/oauth/testing.ts'
import { ask, signInToPlugin } from '../../extensions/ato/testing.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { yearsAgo } from '../../identity/families/testing.ts'
import type { FriendVerb } from '../../identity/friends/schema.ts'
import { actByHandle, expectDone } from '../../identity/friends/testing.ts'
import {
  Authenticator,
  call as callPasskey,
  expectDone as expectAnswer,
  PROOF,
  register,
} from '../../identity/passkeys/testing.ts'
import { makeResetLink } from '../../identity/people/resets.ts'
import { SEARCH_VERSION, searchKeys } from '../../identity/people/search-keys.ts'
import { plain } from '../../identity/pictures/testing.ts'
import { filesOrigin } from '../../kernel/content-hosts.ts'
import { until } from '../../kernel/database/test-database.ts'
import { service } from '../../kernel/environment.ts'
import { ownPages } from '../../kernel/http/callers/needs.ts'
import { isFile, isWholeBody, namesInPath } from '../../kernel/http/input/fields.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { who } from '../../kernel/imports/testing.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { textResolver } from '../../kernel/outbound/resolver.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import {
  ACCESS_TOKEN,
  ATO_DISTRIBUTION_ID,
  ATO_PACKAGE_ID,
  ATO_REQUEST_ID,
  BADGE_ID,
  BASE_URL,
  BIRTH,
  BROWSER_ID,
  CALENDAR_SECRET,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE,
  CODE_VERIFIER,
  CONTENT_URL,
  DELIVERY_ID,
  FETCH_TOKEN,
  FILE_ID,
  INVITATION_ID,
  REQUEST_ID as LOGGED_ID,
  MOMENT,
  NOTE_ID,
  ORGANISATION_CODE,
  PACKAGE_ID,
  PACKAGE_UPLOAD_ID,
  PASSKEY_ID,
  PASSWORD,
  PLAN_ID,
  PLUGIN_USER_ID,
  PROVIDER_ISSUER,
  QUESTION_ID,
  QUIZ_ATTEMPT_ID,
  REDIRECT_URI,
  REFRESH_TOKEN,
  RESET_CODE,
  SEARCH_ID,
  SESSION_ID,
  SIGN_UP_CODE,
  STORE_KEY,
  STORE_KEY_NAME,
  TESTER,
  USER_IDS,
} from '../../kernel/samples.ts'
import { hashToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { upload } from '../../learning/content/testing.ts'
import { makeScorm, uploadPackage } from '../../learning/packages/testing.ts'
import { manifestOf } from '../../learning/packages/testing-scorm.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import type { TestBrowser } from '../testing/browser.ts'
import { Client, type Person, type TestApp } from '../testing/testing.ts'
import { Snapshot } from './testing-snapshot.ts'

/** The senders, credentials and data with which an example is sent. */
export interface Scene {
  readonly app: TestApp
  /**
   * The sender of the example as a user of the demo app: Avery, unless the example names another person. For reports
   * about an ATO request, the sender is signed in to the plugin instead.
   */
  user: Client
  /** The browser in which the sender is signed in. */
  browser: TestBrowser
  /** A browser in which nobody is signed in. */
  readonly visitor: TestBrowser
  /** Authorization header of the AI plugin in the demo data. */
  readonly basic: string
  /** Authorization header with a record store credential that has all scopes. */
  readonly storeKey: string
  /** Authorization header of content that was launched; empty unless the preparation has launched some. */
  launchKey: string
  /** The real value that replaces each sample value. */
  readonly real: Record<string, string>
  /** Input fields that samples cannot represent, because an authenticator signs a different challenge each time. */
  request: Record<string, unknown>
  /** The data before the preparation for this operation. */
  readonly snapshot: Snapshot
}

/** Returns the request of an operation's example. */
const requestOf = (name: string): Readonly<Record<string, unknown>> =>
  operations.find((operation) => operation.name === name)?.example?.request ?? {}

/** User-Agent headers with which the demo people sign in. */
const DEVICES = {
  app: { 'user-agent': 'DemoApp/1.0 (Android 16)' },
  browser: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
}

const PEOPLE = [
  { handle: 'avery', firstName: 'Avery', lastName: 'Lindqvist', country: 'SE', born: '2001-03-14' },
  { handle: 'blake', firstName: 'Blake', lastName: 'Moreau', country: 'FR', born: '1999-11-02' },
  { handle: 'casey', firstName: 'Casey', lastName: 'Okafor', country: 'NG', born: '1984-07-21' },
  { handle: 'drew', firstName: 'Drew', lastName: 'Castellanos', country: 'MX', born: '1990-01-30' },
  { handle: 'ellis', firstName: 'Ellis', lastName: 'Haverford', country: 'GB', born: '1978-05-09' },
  { handle: 'leo.marchand', firstName: 'Léo', lastName: 'Marchand', country: 'FR', born: yearsAgo(6) },
  { handle: 'noa.okafor', firstName: 'Noa', lastName: 'Okafor', country: 'NG', born: '2018-03-02' },
  { handle: 'sam.okafor', firstName: 'Sam', lastName: 'Okafor', country: 'NG', born: '2020-11-20' },
]

/**
 * Registers the app and the plugins of the demo data. Returns the app's client secret and the credentials of the AI
 * plugin.
 */
async function registerDemoApp(app: TestApp): Promise<Pick<Scene, 'basic' | 'storeKey'> & { secret: string }> {
  const { secret } = await registerApp(app, {
    key: 'demo-app',
    name: 'Demo app',
    redirectUris: [REDIRECT_URI],
    isBasicEnabled: true,
    isDeviceEnabled: true,
    isPkceRequired: false,
  })
  await app.sql(
    `insert into organisations (key, name, created_at) values ('sandhills', 'Sandhills Aviation School', now()), ('northwind', 'Northwind Training', now());
     update apps set organisation_id = o.id from organisations o where o.key = 'northwind' and client_id = '${CLIENT_ID}'`,
  )
  const organisations = ['northwind', 'sandhills']
  const ai = await registerTestPlugin(app, { kind: 'ai', key: 'demo-ai', organisations })
  const addresses = { request: 'http://localhost:4102/request' }
  await registerTestPlugin(app, { kind: 'ato', key: 'demo-ato', organisations, addresses })
  const store = await makeTestKey(app, { name: STORE_KEY_NAME })
  return { secret, basic: ai.basic, storeKey: store.basic }
}

/** Replaces the people that every test database has with those of the demo data. */
async function insertPeople(app: TestApp): Promise<void> {
  const rows = PEOPLE.map(({ handle, firstName, lastName, country, born }) => {
    const keys = searchKeys({ handle, firstName, lastName }).join()
    return `('@${handle}', '${handle}', '${firstName}', '${lastName}', '${handle}@example.org', '${country}', '${born}', true, '{${keys}}', ${SEARCH_VERSION}, now())`
  })
  const users = Object.entries(USER_IDS).map(([name, userId]) => `('${name}', '${userId}')`)
  await app.sql('delete from people; delete from retired_handles')
  await app.sql(
    `insert into people (handle, handle_key, first_name, last_name, email, country, date_of_birth, public_search, search_keys, search_version, created_at) values ${rows.join()};
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'student' from organisations o, people p where o.key = 'sandhills' and p.handle = '@avery';
     update people set administrator = true where handle = '@ellis';
     insert into app_users (user_id, app_id, person_id, consented_at)
     select u.user_id, a.id, p.id, now() from (values ${users.join()}) u (handle, user_id), people p, apps a
      where p.handle_key = u.handle and a.client_id = '${CLIENT_ID}'`,
  )
}

async function signIn(app: TestApp, handle: Person): Promise<TestBrowser> {
  const browser = app.visitor()
  const answer = await call(browser, 'POST', '/account/v1/signin', { handle, password: PASSWORD }, DEVICES.browser)
  assert.equal(answer.status, 200, answer.text)
  return browser
}

type DemoApp = Awaited<ReturnType<typeof registerDemoApp>>

const doNothing = async (_app: TestApp): Promise<void> => {}

const SENDERS = ['avery', 'blake', 'casey', 'ellis'] as const

/** Provides the demo data. Each example is sent to freshly restored data, as if no request had been sent before. */
export class Stage {
  readonly #app: TestApp
  readonly #demo: DemoApp
  readonly #senders = new Map<string, { tokens: Headers; cookies: ReadonlyMap<string, string> }>()
  readonly #addRoles: typeof doNothing
  #base!: Snapshot
  /** The snapshot that was taken or restored last. */
  #latest!: Snapshot
  /** Snapshots, keyed by the names of the ADDITIONS that they contain. */
  readonly #snapshots = new Map<string, Snapshot>()

  private constructor(app: TestApp, demo: DemoApp, addRoles: typeof doNothing) {
    this.#app = app
    this.#demo = demo
    this.#addRoles = addRoles
  }

  /** Creates a stage. A test can add people to the demo data, and roles to the data of each area. */
  static async open(app: TestApp, { addPeople = doNothing, addRoles = doNothing } = {}): Promise<Stage> {
    const stage = new Stage(app, await registerDemoApp(app), addRoles)
    await insertPeople(app)
    await addPeople(app)
    for (const person of SENDERS) {
      await app.givePassword(person)
      const authorization = `Basic ${Buffer.from(`@${person}:${PASSWORD}`).toString('base64')}`
      const headers = { authorization, clientid: CLIENT_ID, ...DEVICES.app }
      const { headers: tokens } = await app.nobody().get('/auth/basic', {}, headers)
      stage.#senders.set(person, { tokens, cookies: (await signIn(app, person)).cookies })
    }
    stage.#base = stage.#latest = await Snapshot.take(app)
    return stage
  }

  /** Restores the data, and adds what the example of this operation needs. */
  async set(operation: Operation): Promise<Scene> {
    const snapshot = await this.#restore(operation)
    const { tokens, cookies } = this.#senders.get(operation.example?.as ?? 'avery')!
    const app = this.#app
    const browser = app.visitor()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const [accessToken, refreshToken] = [tokens.get('access_token')!, tokens.get('refresh_token')!]
    const scene: Scene = {
      app,
      user: new Client(app.address, accessToken),
      browser,
      visitor: app.visitor(),
      basic: this.#demo.basic,
      storeKey: this.#demo.storeKey,
      launchKey: '',
      real: {
        [BASE_URL]: app.environment().url,
        [CONTENT_URL]: filesOrigin(app.environment().contentUrl!),
        [CLIENT_SECRET]: this.#demo.secret,
        [ACCESS_TOKEN]: accessToken,
        [REFRESH_TOKEN]: refreshToken,
        [BIRTH]: yearsAgo(7),
      },
      request: {},
      snapshot,
    }
    const { name, example = {} } = operation
    if (name in PREPARATIONS) await PREPARATIONS[name]!(scene)
    // An operation with a preparation needs no `after`: the preparation does the same.
    else await sendFirst(example.after, scene)
    return scene
  }

  async #restore({ name, area }: Operation): Promise<Snapshot> {
    const additions = ADDITIONS.filter(({ isFor }) => isFor(area, name))
    const key = additions.map((one) => one.name).join(' ')
    const known = this.#snapshots.get(key)
    await (known ?? this.#base).restore(this.#latest)
    if (known === undefined) {
      for (const { add } of additions) await add(this.#app)
      await this.#addRoles(this.#app)
      this.#snapshots.set(key, await Snapshot.take(this.#app))
    }
    this.#latest = this.#snapshots.get(key)!
    return this.#latest
  }
}

/** Areas whose examples need the demo course and class. */
const LEARNING: readonly string[] = [
  'Lessons and progress',
  'Courses and classes',
  'Dates',
  'Evaluations',
  'Notes',
  'Announcements',
  'Files',
  'Packages',
  'Quizzes',
  'xAPI',
  'AI plugins',
  'Badges',
]
const LAUNCH_URI = 'http://localhost:4000/demo/callback'
/** The demo data with the address of the examples. The first question of the quiz has the id of the examples. */
const demo: ReturnType<typeof makeDemo> = JSON.parse(
  JSON.stringify(makeDemo()).replaceAll(LAUNCH_URI, REDIRECT_URI).replaceAll('question-engine-failure', QUESTION_ID),
)
/** Returns a class without its history, with Casey, Avery and Blake. */
const emptyClass = (wanted: string) => {
  const { key, course, name, joinCode, students } = demo.classes.find((one) => one.key === wanted)!
  return { key, course, name, joinCode, instructors: ['@casey'], students: students.slice(0, 2) }
}
const preflight = {
  courses: demo.courses.slice(0, 1),
  classes: [{ ...emptyClass('class-alpha'), sequential: true }],
}
const firstSolo = {
  files: demo.files.map(({ author: _author, ...file }) => file),
  questions: demo.questions,
  courses: demo.courses.slice(1),
  classes: [emptyClass('class-charlie')],
}

/** Adds children of Casey and Drew as users of the app. */
const addChildren = (app: TestApp) =>
  app.sql(
    `update people set public_search = false, email = null where handle in ('@noa.okafor', '@sam.okafor');
     insert into guardians (child_id, parent_id, created_at)
     select c.id, p.id, now() from people c, people p where c.last_name = 'Okafor' and c.handle <> '@casey' and p.handle in ('@casey', '@drew');
     insert into app_users (user_id, app_id, person_id, consented_at)
     select case p.first_name when 'Noa' then 'i4NfS0xJpU7gEc2AyT9vOw' else 'k6PhU2zLrW9iGe4CaV1xQy' end, a.id, p.id, now()
       from people p, apps a where p.handle in ('@noa.okafor', '@sam.okafor') and a.client_id = '${CLIENT_ID}'`,
  )

type Prepare = (scene: Scene) => Promise<unknown>

/** Data that all examples of an area need. */
const ADDITIONS: readonly {
  readonly name: string
  isFor(area: string, name: string): boolean
  add(app: TestApp): Promise<unknown>
}[] = [
  { name: 'children', isFor: (area) => area === 'Families', add: (app) => addChildren(app) },
  {
    name: 'school',
    isFor: (area) => LEARNING.includes(area),
    add: (app) => importContent([app.environment()], who(), { content: preflight }),
  },
  {
    name: 'known to the AI plugin',
    isFor: (area, name) => area === 'AI plugins' || area === PLANNER || name === 'listOwnBadges',
    add: (app) => introduceAvery(app),
  },
  { name: 'engine', isFor: (area) => area === PLANNER, add: (app) => openEngine(app) },
  {
    name: 'first solo',
    isFor: (area) => area === 'Quizzes' || area === 'Evaluations',
    add: (app) => importContent([app.environment()], who(), { content: firstSolo }),
  },
  { name: 'quiz', isFor: (area) => area === 'Quizzes', add: (app) => startQuiz(app) },
  {
    name: 'lessons of packages',
    isFor: (area, name) => area === 'Packages' && /Lesson$|PackageSession|Scorm|Launch/.test(name),
    add: (app) => addPackageLessons(app),
  },
]

/** Adds a lesson of a cmi5 package and one of a SCORM package to the course of Avery's class. */
async function addPackageLessons(app: TestApp): Promise<void> {
  const casey = await signIn(app, 'casey')
  const { file } = requestOf('uploadPackage') as { file: string }
  const packages = [
    { lesson: 'lesson-fuel', archive: file },
    { lesson: 'lesson-weather', archive: makeScorm(manifestOf({ version: '1.2' })) },
  ]
  await app.sql(`update classes set is_sequential = false where key = 'class-alpha'`)
  for (const { lesson, archive } of packages) {
    const { status, text, body } = await uploadPackage(casey, archive, { organisation: 'sandhills', name: lesson })
    assert.equal(status, 200, text)
    await app.sql(
      `insert into lessons (key, course_id) select '${lesson}', course_id from classes where key = 'class-alpha';
       insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public,
         launch_parameters, passes_code, prerequisites, earlier, kind, package_id, package_item)
       select c.version_id, l.id, (select max(position) + 1 from lesson_versions v where v.version_id = c.version_id), 'Fuel planning', '',
              false, false, false, '{}', false, '{}', '{}', 'package', p.id, 0
         from classes c, lessons l, packages p where c.key = 'class-alpha' and l.key = '${lesson}' and p.key = '${body.packageId}'`,
    )
  }
}

/** Starts a quiz of Avery, under the id of the examples. */
const startQuiz = async (app: TestApp) => {
  const request = requestOf('startQuiz')
  const { status, text } = await call(await signIn(app, 'avery'), 'POST', '/edu/v1/quiz/start', request)
  assert.equal(status, 200, text)
  await app.sql(`update attempts set key = '${QUIZ_ATTEMPT_ID}'`)
}
const submitQuiz: Prepare = async ({ app, browser }) => {
  await app.sql(
    `update quiz_answers set response = (case position when 1 then '0' else '"7700"' end)::json, saved_at = now()`,
  )
  const { status, text } = await call(browser, 'POST', '/edu/v1/quiz/submit', { lessonResultId: QUIZ_ATTEMPT_ID })
  assert.equal(status, 200, text)
}

const addLaptop: Prepare = async (scene) => {
  const authenticator = new Authenticator(scene.app.environment().url)
  const passkey = await register(scene.browser, authenticator, 'Laptop')
  scene.real[PASSKEY_ID] = passkey.passkeyId
  return authenticator
}

/** Inserts a friend request from one person to another; with `isAccepted` they become friends. */
const tie = (app: TestApp, asker: string, asked: string, isAccepted = false) =>
  app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select a.id, b.id, now(), ${isAccepted ? 'now()' : 'null'} from people a, people b where a.handle = '@${asker}' and b.handle = '@${asked}'`,
  )

/** Inserts the friend request or the friendship that must exist before the verb can be applied. */
const beforeVerb = (app: TestApp, verb: FriendVerb, asker: string, asked: string): Promise<unknown> =>
  tie(app, asker, asked, verb === 'remove')

const FRIEND_VERBS: Readonly<Record<string, FriendVerb>> = {
  acceptFriend: 'accept',
  declineFriend: 'decline',
  cancelFriendRequest: 'cancel',
  removeFriend: 'remove',
}
const verbPreparations = Object.fromEntries(
  Object.entries(FRIEND_VERBS).flatMap(([name, verb]): [string, Prepare][] => [
    [name, async ({ app }) => beforeVerb(app, verb, 'avery', 'casey')],
    [`${name}ByHandle`, async ({ app }) => beforeVerb(app, verb, 'casey', 'ellis')],
    [`${name}ForChild`, async ({ app }) => beforeVerb(app, verb, 'noa.okafor', 'sam.okafor')],
  ]),
)

const seeFriends: Prepare = async ({ app, browser }) => {
  await tie(app, 'blake', 'avery', true)
  await tie(app, 'casey', 'avery')
  await tie(app, 'avery', 'drew')
  await expectDone(actByHandle(browser, 'block', '@ellis'))
}

const writeNote: Prepare = async ({ user, real }) => {
  const { body } = await user.put('/edu/v1/note', {
    text: 'Found the bent pitot cover without a hint.',
    studentId: 'student-avery',
    lessonId: 'lesson-walkaround',
  })
  real[NOTE_ID] = body.noteId
}

const announce: Prepare = async ({ app }) => {
  const casey = await signIn(app, 'casey')
  const { status } = await call(casey, 'PUT', '/edu/v1/announcement', requestOf('createAnnouncement'))
  assert.equal(status, 200)
  const isDone = async () => (await app.sql(`select from jobs where kind = 'announcement'`)).length === 0
  await until('it is distributed', isDone)
}

const uploadText: Prepare = async ({ browser, real }) => {
  const { body } = await upload(browser, 'fuel.csv', 'tail,litres\r\nN123AB,140\r\n', { organisation: 'sandhills' })
  real[FILE_ID] = body.fileId
}

const storePackage: Prepare = async ({ browser, real }) => {
  const { file, ...query } = requestOf('uploadPackage') as Record<string, string>
  const seen = await browser.send(`/edu/v1/package?${new URLSearchParams(query)}`, { method: 'POST', body: file! })
  assert.equal(seen.status, 200, seen.text)
  real[PACKAGE_ID] = JSON.parse(seen.text).packageId
}

const beginUpload: Prepare = async ({ browser, real }) => {
  const { body } = await call(browser, 'POST', '/edu/v1/package/upload', requestOf('createPackageUpload'))
  real[PACKAGE_UPLOAD_ID] = body.uploadId
}
const sendWholeUpload: Prepare = async (scene) => {
  await beginUpload(scene)
  const { part } = requestOf('storePackagePart') as { part: string }
  const query = new URLSearchParams({ uploadId: scene.real[PACKAGE_UPLOAD_ID]!, offset: '0' })
  const seen = await scene.browser.send(`/edu/v1/package/upload/part?${query}`, { method: 'PUT', body: part })
  assert.equal(seen.status, 200, seen.text)
}

const launchLesson = async ({ app, real }: Scene, lessonId: string): Promise<void> => {
  const what = { lessonId, classId: 'class-alpha' }
  const { status, text, body } = await call(await signIn(app, 'avery'), 'POST', '/edu/v1/package/launch', what)
  assert.equal(status, 200, text)
  real[SESSION_ID] = body.sessionId
  real[FETCH_TOKEN] = new URL(new URL(body.url).searchParams.get('fetch')!).searchParams.get('token')!
}
const launchFuel: Prepare = (scene) => launchLesson(scene, 'lesson-fuel')
const openPlayer: Prepare = async (scene) => {
  await launchLesson(scene, 'lesson-weather')
  const token = encodeURIComponent(scene.real[FETCH_TOKEN]!)
  const { body } = await call(scene.visitor, 'POST', `/cmi5/v1/fetch?token=${token}`)
  scene.launchKey = `Basic ${body['auth-token']}`
}

/** Reports a completed walkaround of Avery. It is sent by the scene's user, Avery or Casey. */
async function reportWalkaround({ user }: Scene, what: object): Promise<void> {
  const student = { lessonId: 'lesson-walkaround', studentId: 'student-avery' }
  const times = { startTime: '2020-05-01T11:30:00Z', endTime: '2020-05-01T12:00:00Z' }
  const { status, text } = await user.post('/edu/v1/lesson/progress', { ...student, ...times, ...what })
  assert.equal(status, 200, text)
}
const doWalkaround: Prepare = (scene) => reportWalkaround(scene, { pass: true, score: 92 })

const makePackage: Prepare = async ({ browser, real }) => {
  const request = requestOf('addAtoPackage')
  real[ATO_PACKAGE_ID] = (await ask(browser, 'PUT', '/package', request)).packageId
}
const makeDistribution: Prepare = async ({ browser, real }) => {
  const request = requestOf('addAtoDistribution')
  const made = await ask(browser, 'PUT', '/distribution', { ...request, packageId: real[ATO_PACKAGE_ID] })
  real[ATO_DISTRIBUTION_ID] = made.distributions[0].id
}
const makeFullPackage: Prepare = async (scene) => {
  await makePackage(scene)
  await makeDistribution(scene)
}
const startRequest: Prepare = async (scene) => {
  await makePackage(scene)
  const request = requestOf('startAtoRequest')
  const { browser, real } = scene
  real[ATO_REQUEST_ID] = (
    await ask(browser, 'PUT', '/request', { ...request, packageId: real[ATO_PACKAGE_ID] })
  ).requestId
}
const startAndSignIn: Prepare = async (scene) => {
  await startRequest(scene)
  scene.user = await signInToPlugin(scene.app, 'ellis', 'demo-ato')
}

/** Makes Avery a user of the AI plugin, and gives Avery some skills. */
const introduceAvery = (app: TestApp) =>
  app.sql(
    `insert into plugin_users (user_id, plugin_id, person_id)
     select '${PLUGIN_USER_ID}', g.id, p.id from people p, plugins g join apps a on a.id = g.app_id where p.handle = '@avery' and a.client_id = 'gs-demo-ai';
     insert into skills (person_id, hobbies, skills, afsc, education, changed_at)
     select id, '{gliding}', '{radio navigation}', '11F3', '{"BSc Aeronautics, Lund"}', now() from people where handle = '@avery'`,
  )

const badge = {
  name: 'Preflight',
  image: 'https://badges.example.org/preflight.png',
  description: 'Knows every step before the first solo.',
  criteria: 'All lessons passed.',
}
const makeBadge: Prepare = async ({ browser, real }) => {
  const { body } = await call(browser, 'PUT', '/edu/v1/badge', { ...badge, courseId: 'course-preflight' })
  real[BADGE_ID] = body.badgeId
}

const PLANNER = 'Mission planner'
/** The response of the AI plugin's fake server to both searches. */
const ENGINE_ANSWER = JSON.stringify({
  capabilities: [
    { id: 'night', name: 'Night flying', description: 'Flies by instruments in the dark' },
    { id: 'patterns', name: 'Search patterns', description: 'Knows expanding squares and creeping lines' },
  ],
  candidates: [{ userId: PLUGIN_USER_ID, score: 0.92, reasons: ['Passed the checkride at night'] }],
})
const demoEngine = service(
  () => {
    const ends: (() => unknown)[] = []
    const receiver = openReceiver({ after: (end) => ends.push(end) }, (response) => response.end(ENGINE_ANSWER))
    return { receiver, ends }
  },
  ({ ends }) => {
    for (const end of ends) end()
  },
)

/** Makes Casey an instructor, and directs the demo AI plugin to a fake server that responds. */
const openEngine = async (app: TestApp) => {
  const { address } = await app.environment().get(demoEngine).receiver
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'instructor' from organisations o, people p where o.key = 'sandhills' and p.handle = '@casey';
     insert into plugin_addresses (plugin_id, purpose, uri)
     select g.id, d.purpose, '${address}' from plugins g join apps a on a.id = g.app_id, (values ('capabilities'), ('candidates')) d(purpose)
      where a.client_id = 'gs-demo-ai' on conflict do nothing`,
  )
}

const planned = async (scene: Scene, method: 'PUT' | 'POST', path: string, body: object) => {
  const answer = await call(scene.browser, method, `/planner/v1${path}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const startSearch: Prepare = async (scene) => {
  const mission = { text: 'Night search over water, two aircraft', engines: ['gs-demo-ai'] }
  scene.real[SEARCH_ID] = (await planned(scene, 'PUT', '/search', mission)).searchId
}
const searchPeople: Prepare = async (scene) => {
  await startSearch(scene)
  const what = { searchId: scene.real[SEARCH_ID], capabilityIds: ['1.1', '1.2'], limit: 5 }
  await planned(scene, 'POST', '/search/candidates', what)
}
const savePlan: Prepare = async (scene) => {
  await searchPeople(scene)
  const plan = { name: 'Night search', searchId: scene.real[SEARCH_ID] }
  scene.real[PLAN_ID] = (await planned(scene, 'PUT', '/plan', plan)).planId
}

/** Connects Ellis to the provider of their organisation. */
const connectEllis: Prepare = async (scene) => {
  await connectProvider(scene)
  await addMember('@ellis', 'member')(scene)
  await scene.app.sql(
    `update providers set mode = 'allowed';
     insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select v.organisation_id, v.issuer, 'ellis', p.id, now(), now() from providers v, people p where p.handle = '@ellis'`,
  )
}

/** A server that describes itself as an OpenID provider. */
const demoProvider = service(
  () => {
    const ends: (() => unknown)[] = []
    const receiver = openReceiver({ after: (end) => ends.push(end) }, (response, _received, { headers }) => {
      const issuer = `http://${headers.host}`
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
        }),
      )
    })
    return { receiver, ends }
  },
  ({ ends }) => {
    for (const end of ends) end()
  },
)
const openProvider: Prepare = async ({ app, real }) => {
  real[PROVIDER_ISSUER] = (await app.environment().get(demoProvider).receiver).address
}
const connectProvider: Prepare = async (scene) => {
  await openProvider(scene)
  const request = { ...requestOf('setProvider'), issuer: scene.real[PROVIDER_ISSUER] }
  const { status, text } = await call(scene.browser, 'POST', '/edu/v1/organisation/provider', request)
  assert.equal(status, 200, text)
}
const addDomain: Prepare = async ({ app, browser }) => {
  const { body } = await call(browser, 'POST', '/edu/v1/organisation/provider/domain', requestOf('addProviderDomain'))
  app.environment().provide(textResolver, async () => [body.domains[0].value])
}

const setLesson = ({ app }: Scene, lesson: string, what: string) =>
  app.sql(`update lesson_versions v set ${what} from lessons l where l.id = v.lesson_id and l.key = '${lesson}'`)

const evaluateFlight: Prepare = async ({ app }) => {
  const casey = await signIn(app, 'casey')
  const { body } = await call(casey, 'POST', '/edu/v1/evaluation', requestOf('recordEvaluations'))
  assert.equal(body.evaluations[0].error, null)
}

/** Inserts a delivery that the demo plugin has refused. */
const failDelivery: Prepare = ({ app }) =>
  app.sql(
    `delete from deliveries; delete from delivery_attempts;
     insert into deliveries (plugin_id, id, slot, subject, purpose, webhook_id, body, position, state, attempts, problem, created_at, settled_at)
     select p.id, 1, 0, 'request:1', 'request', '${DELIVERY_ID}', '{"requestId":"weather-2026","status":"not-started"}', 1, 'failed', 1,
            'It answered 410', '${MOMENT}', '${MOMENT}' from plugins p join apps a on a.id = p.app_id where a.client_id = 'gs-demo-ato';
     insert into delivery_attempts (plugin_id, delivery_id, slot, number, at, uri, took_ms, status, answer, problem)
     select plugin_id, id, slot, 1, '${MOMENT}', 'https://helper.example.org/request', 42, 410, 'Gone', problem from deliveries`,
  )

/** Marks a person as a demo person, as the import does. */
const markDemo = (app: TestApp, handle: string) =>
  app.sql(
    `delete from installation where name like 'demo-person-%';
     insert into installation (name, value) select 'demo-person-' || id, 'test' from people where handle = '${handle}'`,
  )

/** Creates a record store credential, and deletes all others except the one with which examples are sent. */
const makeStoreKey: Prepare = async ({ app, browser, real }) => {
  await app.sql(`delete from credentials where name <> '${STORE_KEY_NAME}'`)
  const request = requestOf('makeCredential')
  real[STORE_KEY] = (await call(browser, 'PUT', '/lrs/v1/credentials', request)).body.key
}

/** Makes Ellis an administrator of the sandbox, and signs in there. */
const goToSandbox: Prepare = async (scene) => {
  await scene.app.sql(`update people set administrator = true where handle = '@ellis'`, 'sandbox')
  scene.browser = await signInBrowser(scene.app, 'ellis', 'sandbox')
}

/** Lets Casey change an app of their own that Ellis had approved. */
const changeApprovedApp: Prepare = async ({ app, browser }) => {
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'developer' from organisations o, people p where o.key = 'northwind' and p.handle = '@casey'`,
  )
  const casey = await signIn(app, 'casey')
  const request = requestOf('registerApp')
  const { clientId } = (await call(casey, 'PUT', '/app/v1/app', request)).body
  await call(browser, 'POST', '/app/v1/app/status', { clientId, status: 'approved' })
  const changed = await call(casey, 'POST', '/app/v1/app', { clientId, name: 'Flight log' })
  assert.equal(changed.status, 200, changed.text)
}

const addSecondClass = ({ app }: Scene) =>
  importContent([app.environment()], who(), {
    content: { classes: demo.classes.slice(1, 2).map((one) => ({ ...one, instructors: [], students: [] })) },
  })

/** Makes somebody a member of Sandhills. */
const addMember =
  (handle: string, role: string): Prepare =>
  ({ app }) =>
    app.sql(
      `insert into organisation_members (organisation_id, person_id, role)
       select o.id, p.id, '${role}' from organisations o, people p where o.key = 'sandhills' and p.handle = '${handle}'`,
    )

/** Inserts an invitation of Casey: to Sandhills or, with a class, to that class. It was sent two days ago. */
const invite =
  (handle: string, role: string, classId?: string): Prepare =>
  ({ app }) =>
    app.sql(
      `insert into invitations (key, organisation_id, class_id, role, handle, handle_key, person_id, inviter_id, sent_at, expires_at)
       select '${INVITATION_ID}', o.id, (select id from classes where key = '${classId ?? ''}'), '${role}', p.handle, p.handle_key, p.id, w.id,
              now() - interval '2 days', now() + interval '12 days'
         from organisations o, people p, people w where o.key = 'sandhills' and p.handle = '${handle}' and w.handle = '@casey'`,
    )
const inviteEllis = invite('@ellis', 'instructor')
const inviteDrew = invite('@drew', 'student', 'class-alpha')
const inviteAddress: Prepare = async (world) => {
  await inviteDrew(world)
  await world.app.sql(
    `update invitations set handle = 'noor@example.org', handle_key = 'noor@example.org', person_id = null`,
  )
}

const sendSignUp = async ({ app, real }: Parameters<Prepare>[0], organisation: string): Promise<void> => {
  real[SIGN_UP_CODE] = mintToken('sign-up', 'production')
  await app.sql(
    `delete from sign_ups; insert into sign_ups (code_hash, email, created_at, expires_at, organisation_id, organisation_code)
     select '\\x${hashToken(real[SIGN_UP_CODE]).toString('hex')}', 'robin@example.org', now(), now() + interval '1 hour', o.id, '${ORGANISATION_CODE}'
       from (select ${organisation}::bigint as id) o`,
  )
}
const openSandhills: Prepare = ({ app }) =>
  app.sql(`update organisations set sign_up_code = '${ORGANISATION_CODE}' where key = 'sandhills'`)

const makeLink = async ({ app, real }: Parameters<Prepare>[0], handle: string): Promise<void> => {
  const { db, get, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const link = await makeResetLink(db, who, { handle }, get(messagePolicy))
  real[RESET_CODE] = new URL(link).searchParams.get('code')!
}
/** Makes the link of an account that nobody has set up. */
const linkOfNew: Prepare = async (scene) => {
  await scene.app.sql(
    `delete from people where handle = '@noor';
     insert into people (handle, handle_key, first_name, last_name, created_at, search_version, unclaimed)
     values ('@noor', 'noor', 'Noor', 'Haddad', now(), ${SEARCH_VERSION}, true)`,
  )
  await makeLink(scene, '@noor')
}

const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  readHere: async ({ app, real }) => {
    real['http://localhost:4001'] = app.environment('sandbox').url
    await markDemo(app, '@avery')
  },
  readCalendarFile: async ({ app, real }) => {
    real[CALENDAR_SECRET] = mintToken('calendar', 'production')
    await app.sql(
      `insert into calendar_feeds (person_id, token_hash, created_at)
       select id, '\\x${hashToken(real[CALENDAR_SECRET]).toString('hex')}', now() from people where handle = '@avery'
       on conflict (person_id) do update set token_hash = excluded.token_hash`,
    )
  },
  readProvider: connectProvider,
  setProvider: openProvider,
  setProviderMode: async (scene) => {
    await connectProvider(scene)
    await scene.app.sql('update providers set tested_version = version, tested_at = now()')
  },
  removeProvider: connectProvider,
  proveProviderDomain: addDomain,
  removeProviderDomain: addDomain,
  listProviderFailures: ({ app }) =>
    app.sql(
      `insert into provider_failures (organisation_id, at, reference, problem, claim, found, expected)
       select id, now(), 'KXWNRTBD', 'The ID token had already expired: check the clock of the provider', 'exp',
              '${MOMENT}', 'after ${MOMENT}' from organisations where key = 'sandhills'`,
    ),
  listConnections: connectEllis,
  removeConnection: connectEllis,
  unlinkProviderIdentity: async (scene) => {
    await connectProvider(scene)
    await addMember('@drew', 'member')(scene)
    await scene.app.sql(
      `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
       select v.organisation_id, v.issuer, 'drew', p.id, now(), now() from providers v, people p where p.handle = '@drew'`,
    )
  },
  signInAsDemo: ({ app }) => markDemo(app, '@casey'),
  signUp: (scene) => sendSignUp(scene, 'null'),
  askToJoin: openSandhills,
  joinOrganisation: openSandhills,
  joinWithLink: async (scene) => {
    await openSandhills(scene)
    await sendSignUp(scene, `(select id from organisations where key = 'sandhills')`)
  },
  makeTestPeople: goToSandbox,
  listTestPeople: goToSandbox,
  resetTestPeople: goToSandbox,
  signInAsTestPerson: async (scene) => {
    await goToSandbox(scene)
    const { body } = await call(scene.browser, 'PUT', '/sandbox/v1/people', {})
    scene.real[TESTER] = body.docs[0].handle
  },
  // Makes Avery the only person who has allowed and used the app.
  listAppUsers: ({ app }) =>
    app.sql(
      `update app_users set allowed_at = case when user_id = '${USER_IDS.avery}' then now() end;
       insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
       select gen_random_uuid(), app_id, person_id, user_id, 'code', now(), now(), now() from app_users where user_id = '${USER_IDS.avery}'`,
    ),
  listAudit: async ({ app, real }) => {
    const [entry] = await app.sql(
      `select request_id from audit_entries where action = 'sign-in.password' order by id desc limit 1`,
    )
    real[LOGGED_ID] = String(entry?.request_id)
  },
  listChangedApps: changeApprovedApp,
  markAppLookedAt: async (scene) => {
    await changeApprovedApp(scene)
    const { body } = await call(scene.browser, 'GET', '/app/v1/app/changed')
    scene.request = { changedDate: body.docs[0].changedDate }
  },
  reportAtoStatus: startAndSignIn,
  reportAtoAlert: startAndSignIn,
  readAtoPackage: makeFullPackage,
  listAtoPackages: makePackage,
  removeAtoPackage: makePackage,
  addAtoDistribution: makePackage,
  removeAtoDistribution: makeFullPackage,
  startAtoRequest: makePackage,
  readAtoRequest: async (scene) => {
    await startRequest(scene)
    await makeDistribution(scene)
  },
  listAtoRequests: startRequest,
  cancelAtoRequest: startRequest,
  openAtoRequest: startAndSignIn,
  discardCourseDraft: async ({ browser }) => {
    const request = requestOf('saveCourse')
    await call(browser, 'PUT', '/edu/v1/course', request)
    await call(browser, 'POST', '/edu/v1/course/publish', { courseId: request.courseId })
    await call(browser, 'PUT', '/edu/v1/course', request)
  },
  listOrganisationMembers: addMember('@drew', 'instructor'),
  removeOrganisationMember: addMember('@drew', 'instructor'),
  // Another owner lets every member leave, including the first owner.
  leaveOrganisation: async (scene) => {
    await scene.app.sql(
      `insert into people (handle, handle_key, search_version, created_at) values ('@deputy', 'deputy', ${SEARCH_VERSION}, now())`,
    )
    await addMember('@deputy', 'owner')(scene)
  },
  removeClassStaff: async (scene) => {
    await sendFirst('createClass', scene)
    await scene.app.sql(
      `insert into class_staff (class_id, person_id, role)
       select c.id, p.id, 'instructor' from classes c, people p where c.key = 'class-delta' and p.handle = '@casey'`,
    )
  },
  listInvitations: inviteEllis,
  acceptInvitation: inviteEllis,
  declineInvitation: inviteEllis,
  listSentInvitations: inviteDrew,
  resendInvitation: inviteDrew,
  withdrawInvitation: inviteDrew,
  correctInvitation: inviteAddress,
  transferStudent: addSecondClass,
  listTransferTargets: addSecondClass,
  readRecords: doWalkaround,
  findCandidates: startSearch,
  readPlannerSearch: searchPeople,
  listPlannerSearches: startSearch,
  savePlan: searchPeople,
  changePlan: savePlan,
  readPlan: savePlan,
  listPlans: savePlan,
  sharePlan: savePlan,
  unsharePlan: savePlan,
  removePlan: savePlan,
  listObjectiveBadges: ({ app, basic }) =>
    new Client(app.address, basic).post('/plugin/v2/ai/badge', {
      ...badge,
      name: 'Safety first',
      objectiveId: 'objective-safety',
    }),
  changeBadge: makeBadge,
  removeBadge: makeBadge,
  listBadges: makeBadge,
  listCredentials: makeStoreKey,
  changeCredential: makeStoreKey,
  revokeCredential: makeStoreKey,
  addCredentialSecret: makeStoreKey,
  dropOldCredentialSecret: makeStoreKey,
  listDeliveries: failDelivery,
  readDelivery: failDelivery,
  replayDeliveries: failDelivery,
  gradeQuizAnswer: submitQuiz,
  readQuizResults: submitQuiz,
  readNote: writeNote,
  deleteFile: uploadText,
  addCoursePackage: async (scene) => {
    // Ellis is the author of the course, and the author of the package is another person.
    await storePackage(scene)
    await call(scene.browser, 'PUT', '/edu/v1/course', requestOf('saveCourse'))
  },
  readPackage: storePackage,
  listPackageItems: storePackage,
  deletePackage: storePackage,
  previewPackageItem: storePackage,
  readPackageLesson: launchFuel,
  listPackageSessions: launchFuel,
  endPackageSession: launchFuel,
  fetchLaunchCredential: launchFuel,
  readScormSession: openPlayer,
  commitScorm: openPlayer,
  storePackagePart: beginUpload,
  readPackageUpload: beginUpload,
  finishPackageUpload: sendWholeUpload,
  deletePackageUpload: beginUpload,
  removeNote: writeNote,
  listAnnouncements: announce,
  readAnnouncement: announce,
  deleteAnnouncement: async (scene) => {
    await announce(scene)
    // Avery is the author of all examples.
    await scene.app.sql(`update announcements set author_id = p.id from people p where p.handle = '@avery'`)
  },
  readEvaluation: evaluateFlight,
  listEvaluations: evaluateFlight,
  changeEvaluation: evaluateFlight,
  acknowledgeEvaluation: evaluateFlight,
  gradeAttempt: doWalkaround,
  resetLesson: doWalkaround,
  listGradeChanges: async (scene) => {
    await doWalkaround(scene)
    await call(scene.browser, 'POST', '/edu/v1/lesson/progress/grade', requestOf('gradeAttempt'))
  },
  readResults: doWalkaround,
  readGradebook: doWalkaround,
  readGradebookAverages: doWalkaround,
  exportGradebook: doWalkaround,
  readTimeline: doWalkaround,
  listAwaiting: async (scene) => {
    await setLesson(scene, 'lesson-walkaround', 'instructor_graded = true')
    await reportWalkaround(scene, {})
  },
  grantAttempts: (scene) => setLesson(scene, 'lesson-checkride', 'max_attempts = 3'),
  ...verbPreparations,
  requestTokens: async ({ app, real }) => {
    real[CODE] = (await obtainCode(app, { clientId: CLIENT_ID, redirectUri: REDIRECT_URI })).code
  },
  requestStandardTokens: async ({ app, real }) => {
    const challenge = hash('sha256', CODE_VERIFIER, 'base64url')
    const asked = { clientId: CLIENT_ID, redirectUri: REDIRECT_URI, path: '/oauth/v2/signin', challenge }
    real[CODE] = (await obtainCode(app, asked)).code
  },
  endBrowser: async ({ app, browser, real }) => {
    await signIn(app, 'avery')
    const { body } = await call(browser, 'GET', '/account/v1/browsers')
    real[BROWSER_ID] = body.find((one: { isCurrent: boolean }) => !one.isCurrent).browserId
  },
  endSession: async ({ browser, real }) => {
    const { body } = await call(browser, 'GET', '/account/v1/apps')
    real[SESSION_ID] = body[0].sessions[0].sessionId
  },
  resetPassword: (scene) => makeLink(scene, '@avery'),
  startFirstPasskey: linkOfNew,
  addFirstPasskey: async (scene) => {
    await linkOfNew(scene)
    const code = scene.real[RESET_CODE]!
    const options = await expectAnswer(callPasskey(scene.visitor, '/link/options', { code }))
    scene.request = { response: new Authenticator(scene.app.environment().url).create(options) }
  },
  listPasskeys: addLaptop,
  endEverythingElse: addLaptop,
  renamePasskey: addLaptop,
  removePasskey: addLaptop,
  addPasskey: async (scene) => {
    const options = await expectAnswer(callPasskey(scene.browser, '/options', PROOF))
    scene.request = { response: new Authenticator(scene.app.environment().url).create(options) }
  },
  signInWithPasskey: async (scene) => {
    const authenticator = (await addLaptop(scene)) as Authenticator
    const options = await expectAnswer(callPasskey(scene.visitor, '/signin/options'))
    scene.request = { response: authenticator.get(options) }
  },
  sampleUsers: ({ app }) => app.sql(`update people set public_search = false where handle <> '@blake'`),
  listKids: ({ app }) => addChildren(app),
  listFriends: seeFriends,
  readFriendRequests: seeFriends,
  readOwnFriends: seeFriends,
  readKnownPicture: seeFriends,
  readChildFriends: ({ app }) => tie(app, 'noa.okafor', 'sam.okafor', true),
}

/** Sends the examples that an example depends on, recursively. */
async function sendFirst(name: string | undefined, scene: Scene): Promise<void> {
  const first = operations.find((operation) => operation.name === name)
  if (!first) return
  await sendFirst(first.example?.after, scene)
  await send(first, translate({ ...first.example?.request }, scene), first.example?.headers ?? {}, scene)
}

/** Replaces sample values with real values. */
export const translate = <T>(value: T, { real }: Scene): T =>
  JSON.parse(Object.entries(real).reduce((text, [sample, one]) => text.replaceAll(sample, one), JSON.stringify(value)))

export interface ReceivedResponse {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const TYPES: Partial<Record<Operation['from'], string>> = { image: 'image/png', csv: 'text/csv' }

/** Sends an example with the credentials of the required kind of caller. */
export async function send(
  operation: Operation,
  request: Record<string, unknown>,
  exampleHeaders: Readonly<Record<string, string>>,
  { app, user, browser, visitor, basic, storeKey, launchKey }: Scene,
): Promise<ReceivedResponse> {
  const { method, from, output, who } = operation
  const isInPages = who.name === 'person' || operation.needs?.some(({ name }) => name === ownPages.name)
  const inPath = namesInPath(operation.path)
  const path = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(request[name]))),
    operation.path,
  )
  const isBody = (name: string) => isWholeBody(from) && isFile(operation.input.properties[name])
  const file = Object.entries(request).find(([name]) => isBody(name))?.[1]
  const fields = Object.entries(request).filter(([name]) => !inPath.includes(name) && !isBody(name))
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]))
  const isInQuery = from === 'query' || from === 'csv' || from === 'raw' || from === 'stream'
  const headers = {
    ...((['app user', 'member'].includes(who.name) && !isInPages) ||
    operation.requestHeaders?.Authorization?.startsWith('Bearer')
      ? { authorization: `Bearer ${user.token}` }
      : {}),
    ...(who.name === 'plugin' ? { authorization: basic } : {}),
    ...(who.name === 'record store' ? { authorization: storeKey } : {}),
    ...(who.name === 'content' ? { authorization: launchKey } : {}),
    ...(from === 'query' ? {} : { 'content-type': TYPES[from] ?? 'application/json' }),
    ...Object.fromEntries(Object.entries(exampleHeaders).map(([name, value]) => [name.toLowerCase(), value])),
  }
  const body =
    from === 'image' ? await plain().png().toBuffer() : (fileText(file) ?? JSON.stringify(Object.fromEntries(fields)))
  const address = isInQuery && query.size > 0 ? `${path}?${query}` : path
  const init = { method, headers, ...(from === 'query' ? {} : { body: body as string }) }
  if (output.kind === 'events') {
    const cookie = [...(isInPages ? browser : visitor).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return glance(new URL(address, app.address), { ...init, headers: { ...headers, ...(cookie && { cookie }) } })
  }
  return (isInPages ? browser : visitor).send(address, init)
}

const fileText = (file: unknown) => (file === undefined || typeof file === 'string' ? file : JSON.stringify(file))

/** Reads only the start of a stream, because a stream does not end. */
async function glance(url: URL, init: RequestInit): Promise<ReceivedResponse> {
  const response = await fetch(url, init)
  await response.body?.cancel()
  return { status: response.status, text: '', headers: response.headers }
}
