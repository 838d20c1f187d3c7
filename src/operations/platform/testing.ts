import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { operations, pages } from '../../app.ts'
import { assertStorageAddsUp, PATH, UNLIMITED } from '../../apps/buckets/testing.ts'
import {
  exchange,
  obtainCode,
  PASSWORD,
  pkcePair,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
} from '../../apps/oauth/testing.ts'
import { signInToPlugin } from '../../extensions/ato/testing.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { signedIn } from '../../identity/passkeys/testing.ts'
import { coverId, pictureId } from '../../identity/pictures/pictures.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import { VOIDED } from '../../records/statements/model/statement.ts'
import { fuzzOperation, fuzzPage } from '../testing/fuzz.ts'
import { FUZZ_BOUNDARY, type Samples } from '../testing/fuzz-requests.ts'
import { isLong, size } from '../testing/sizes.ts'
import { Client, type TestApp, testApp } from '../testing/testing.ts'

/** Requests per operation. There are 290 operations, so `npm test` runs only a twentieth of the long suite. */
const RUNS = isLong ? 200 : 10
/** Requests per page. Pages are slower than operations and have fewer fields. */
const PAGE_RUNS = size(80)

/** The API areas that each test file covers. The files run in parallel. */
const AREAS = {
  account: ['Sign-in', 'Account', 'Notifications'],
  people: ['Profile', 'User search', 'Friends', 'Families', 'Pictures'],
  apps: ['Buckets', 'Apps', 'Administration', 'Sign-in providers'],
  learning: [
    'Lessons and progress',
    'Courses and classes',
    'Notes',
    'Announcements',
    'Files',
    'Packages',
    'xAPI',
    'Record store',
    'Evaluations',
    'Quizzes',
    'Dates',
    'Calendar',
  ],
  plugins: ['Plugins', 'ATO', 'AI plugins', 'Badges', 'Mission planner'],
}

const BUCKETS = ['fuzz-a', 'fuzz-b', 'fuzz-c', 'fuzz-public']
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/**
 * Opens browsers for two people, who sign in again whenever a request has signed them out, and one anonymous browser.
 */
async function openBrowsers(app: TestApp) {
  const [drew, ellis, nobody] = [app.visitor(), app.visitor(), app.visitor()]
  const signIn = async () => {
    // Clears failed sign-ins: otherwise later requests would be blocked before they reach the operation.
    await app.sql('delete from sign_in_failures')
    for (const [browser, person] of [
      [drew, 'drew'],
      [ellis, 'ellis'],
    ] as const) {
      // A person whose account was deleted by a request is created again.
      await app.sql(
        `insert into people (handle, handle_key, created_at) values ('@${person}', '${person}', now()) on conflict do nothing`,
      )
      await app.givePassword(person)
      browser.cookies.clear()
      for (const [name, value] of (await signedIn(app, person)).cookies) browser.cookies.set(name, value)
    }
  }
  await signIn()
  return { browsers: [drew, drew, ellis, nobody], signIn }
}

/**
 * Creates sample credentials of an app that Drew owns. Without them, every request would already fail because of its
 * client ID.
 */
async function signInSamples(app: TestApp, { clientId, secret }: RegisteredApp): Promise<Samples> {
  const { verifier, challenge } = pkcePair()
  const own = { client_id: clientId, client_secret: secret }
  const obtain = async () => (await obtainCode(app, { clientId, challenge, person: 'drew' })).code
  const grant = { grant_type: 'authorization_code', code: await obtain(), code_verifier: verifier, ...own }
  const { body: tokens } = await exchange(app, grant)
  const { body: device } = await exchange(app, own, 'form', { path: '/oauth/v2/device/authorize' })
  const [session] = await app.sql('select id from sessions order by created_at desc limit 1')
  return {
    grant_type: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    client_id: [clientId],
    clientId: [clientId, 'gs-first'],
    client_secret: [secret],
    code: [grant.code, await obtain(), await obtain()],
    code_verifier: [verifier],
    redirect_uri: [REDIRECT_URI],
    launchUri: [REDIRECT_URI],
    refresh_token: [tokens.refresh_token],
    token: [tokens.access_token, tokens.refresh_token],
    device_code: [device.device_code],
    user_code: [device.user_code],
    response_type: ['code', 'implicit'],
    code_challenge: [challenge],
    code_challenge_method: ['S256'],
    prompt: ['login', 'consent', 'none'],
    decision: ['allow', 'deny'],
    next: ['/account', '/device?user_code=x', '//evil.example.org', '/\\evil.example.org'],
    done: ['signed-out', 'link-asked'],
    handle: ['@drew', 'drew', '@ellis', '@fuzz-child'],
    friend: ['@ellis', '@casey'],
    password: [PASSWORD],
    newPassword: ['a-new-groundschool'],
    new_password: ['a-new-groundschool'],
    again: ['a-new-groundschool'],
    sessionId: [session!.id],
    anonymous: [true, 'true'],
    dateOfBirth: ['2001-05-01', '05/01/2015', new Date(Date.now() - 2000 * 86_400_000).toISOString()],
    deviceToken: ['fuzz-device'],
  }
}

/** Makes sure that Drew has a child, even if an earlier request has deleted the child. */
const haveChild = (app: TestApp) =>
  app.sql(
    `insert into people (handle, handle_key, date_of_birth, created_at)
     values ('@fuzz-child', 'fuzz-child', now() - interval '7 years', now()) on conflict do nothing;
     insert into guardians (child_id, parent_id, created_at)
     select c.id, p.id, now() from people c, people p where c.handle = '@fuzz-child' and p.handle = '@drew' on conflict do nothing`,
  )

const learningSamples: Samples = {
  organisation: ['school'],
  role: ['owner', 'instructor', 'observer'],
  lessons: [[{ id: 'walkaround', name: 'Walkaround', app: 'first' }], []],
  version: [1],
  newJoinCode: [true, false],
  courseId: ['course'],
  lessonId: ['walkaround', 'checklist', 'interior'],
  classId: ['alpha', 'bravo'],
  studentId: ['avery-alpha', 'blake-alpha', 'blake-bravo'],
  objectiveId: ['safety'],
  joinCode: ['CODE-ALPHA', 'wrong'],
  roster: [
    'handle,action,studentId\r\n@avery,suspend,\r\n"@drew",add,fuzz-drew\r\n',
    'handle\n@casey\n\n@nobody\n',
    'handle,action\n@blake,drop,x\n=cmd(),add\n"@el""lis",reinstate',
  ],
  reason: ['Looked again.'],
  before: ['2020-05-04T10:00:00Z'],
  score: [0, 100, '50'],
  startTime: ['2020-05-04T10:00:00Z', '5/4/2021 3:14:15 PM'],
  endTime: ['2020-05-04T11:00:00Z', '2021-05-04T16:00:00Z'],
}

/** Returns sample statements in both formats. */
const statementSamples = ({ url }: { url: string }, { userId }: Client): Samples => ({
  id: ['0b9d1e52-6f0e-4a3c-9a57-3c1f2f9d8e40'],
  actor: [{ account: { homePage: url, name: '@avery' } }, userId],
  verb: [{ id: 'http://adlnet.gov/expapi/verbs/answered' }, 'Perfect Sequence'],
  object: [
    { id: `${url}/xapi/objects/lesson`, extensions: { [`${url}/xapi/api-id/lesson`]: 'walkaround' } },
    { lessonId: 'walkaround', safety: true },
    '{"lessonId": "walkaround"}',
  ],
  context: [{ extensions: { [`${url}/xapi/api-id/student`]: 'avery-alpha' } }],
  result: [{ score: { scaled: 0.5 } }],
  verbId: ['https://example.org/verbs/fuzz'],
})

const credentialSamples = (keys: readonly { readonly key: string }[]): Samples => ({
  key: keys.map(({ key }) => key),
  scopes: [['all'], 'state,define', []],
  authority: [{ mbox: 'mailto:fuzz@example.org' }, {}],
  expiresDate: ['2100-01-01', '2020-01-01'],
})

/** Returns sample documents of the record store, for record store credentials and for app users. */
const documentSamples = ({ url }: { url: string }): Samples => ({
  agent: [{ mbox: 'mailto:fuzz@example.org' }, { account: { homePage: url, name: '@avery' } }],
  activityId: ['https://example.org/fuzz'],
  registration: ['0b9d1e52-6f0e-4a3c-9a57-3c1f2f9d8e40'],
  stateId: ['fuzz'],
  profileId: ['fuzz'],
  since: ['2020-05-04T10:00:00Z'],
  document: ['{"a":1}', '{"b":[2]}', '[]', 'text'],
})

/** Returns sample statements and queries for the record store. */
function recordSamples({ url }: { url: string }): Samples {
  const id = '0b9d1e52-6f0e-4a3c-9a57-3c1f2f9d8e41'
  const verb = 'http://adlnet.gov/expapi/verbs/answered'
  const object = { id: 'https://example.org/fuzz', definition: { name: { en: 'Fuzz' } } }
  const one = { actor: { account: { homePage: url, name: '@avery' } }, verb: { id: verb }, object }
  const voiding = { ...one, verb: { id: VOIDED }, object: { objectType: 'StatementRef', id } }
  const display = { en: 'x' }
  const usageType = 'https://example.org/x'
  const sha2 = hash('sha256', 'x')
  const attached = { ...one, attachments: [{ usageType, display, contentType: 'text/plain', length: 1, sha2 }] }
  const head = `--${FUZZ_BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(attached)}\r\n--${FUZZ_BOUNDARY}\r\n`
  const part = (content: string) =>
    `Content-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${sha2}\r\n\r\n${content}\r\n--${FUZZ_BOUNDARY}--\r\n`
  return {
    body: [
      ...[
        one,
        { ...one, id },
        [one, { ...one, id }],
        voiding,
        [],
        { ...one, version: '1.0.0' },
        { ...one, colour: 1 },
      ].map((some) => JSON.stringify(some)),
      ...[head + part('x'), head + part('y'), head, `${head}\r\n--`],
    ],
    statementId: [id],
    voidedStatementId: [id],
    verb: [verb],
    activity: [object.id],
    until: ['2100-05-04T10:00:00Z'],
    format: ['ids', 'exact', 'canonical'],
    by: ['verb', 'agent', 'day', 'activity'],
  }
}

const pluginSamples: Samples = {
  clientId: ['gs-fuzz-ai', 'gs-fuzz-ato'],
  kind: ['ai', 'ato'],
  permissions: [['ato'], ['badges', 'skills'], []],
  addresses: [{ request: 'http://127.0.0.1:9/request' }, { candidates: null }],
  userId: ['fuzz-avery', 'fuzz-blake'],
  orgIds: ['school', 'school,school', ['school']],
  badgeId: ['fuzz-badge', 'own-badge'],
  name: ['Fuzz'],
  type: ['course'],
  image: ['https://badges.example.org/a.png', 'an-image'],
  issuerName: ['School'],
  issuedOn: ['2020-05-04T10:00:00Z'],
  versionId: ['1'],
  info: [{ a: 1 }, null, 'text'],
  engines: [['gs-fuzz-ai'], 'gs-fuzz-ai', ['gs-fuzz-ai', 'gs-fuzz-ato']],
  organisations: [['school']],
  text: ['A night search'],
  searchId: ['fuzz-search'],
  capabilityIds: [['1.1'], '1.1'],
  planId: ['fuzz-plan'],
  people: [['@avery'], '@avery,@blake', []],
}

const atoSamples: Samples = {
  clientId: ['gs-first'],
  pluginClientId: ['gs-fuzz-ato'],
  packageId: ['fuzz-package', 'fuzz-empty'],
  distributionId: ['fuzz-distribution'],
  requestId: ['fuzz-request'],
  status: ['not-started', 'in-progress', 'under-review', 'completed'],
  complete: [true, 'false'],
  uri: ['https://example.org/x'],
  type: ['info', 'error'],
}

/**
 * Makes sure that there is a package with a distribution and a request, of an app that Ellis administers, and an empty
 * package.
 */
const haveRequest = (app: TestApp) =>
  app.sql(
    `delete from ato_packages;
     insert into ato_packages (key, app_id, name, created_at) select k, id, 'Package', now() from apps, (values ('fuzz-package'), ('fuzz-empty')) v(k) where name = 'first';
     insert into ato_distributions (key, package_id, name, uri, added_at) select 'fuzz-distribution', id, 'One', 'https://example.org/', now() from ato_packages where key = 'fuzz-package';
     insert into ato_requests (key, package_id, plugin_id, plugin_client_id, plugin_name, started_at, changed_at) select 'fuzz-request', k.id, p.id, 'x', 'x', now(), now()
       from ato_packages k, plugins p join apps a on a.id = p.app_id where k.key = 'fuzz-package' and a.client_id = 'gs-fuzz-ato'`,
  )

/** A valid response to both searches of the planner. */
const ENGINE_ANSWER = JSON.stringify({
  capabilities: [{ id: 'a', name: 'A', description: '' }],
  candidates: [{ userId: 'fuzz-avery', score: 1, reasons: [] }],
})

/** Recreates a plugin of each kind. The plugins belong to the school, which Ellis administers. */
async function havePlugins(app: TestApp, engine: string): Promise<Client[]> {
  await app.sql(`delete from apps where client_id in ('gs-fuzz-ai', 'gs-fuzz-ato')`)
  const kinds = ['ai', 'ato'] as const
  const addresses = { ai: {}, ato: { request: 'http://127.0.0.1:9/request' } }
  const made = await Promise.all(
    kinds.map((kind) => registerTestPlugin(app, { kind, key: `fuzz-${kind}`, addresses: addresses[kind] })),
  )
  const pluginId = made[0]!.pluginId
  // Adds users of the AI plugin, and a badge for the course.
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle in ('@avery', '@blake') on conflict do nothing;
     insert into plugin_users (user_id, plugin_id, person_id)
     select 'fuzz-' || p.handle_key, ${pluginId}, p.id from people p where p.handle in ('@avery', '@blake');
     insert into badges (key, course_id, name, description, type, image, issuer_name, criteria, created_at, changed_at)
     select 'fuzz-badge', id, 'A badge', '', '', '', '', '', now(), now() from courses where key = 'course' on conflict do nothing;
     insert into plugin_addresses (plugin_id, purpose, uri) values (${pluginId}, 'capabilities', '${engine}'), (${pluginId}, 'candidates', '${engine}');
     delete from planner_searches; delete from plans;
     insert into planner_searches (key, person_id, text, organisations, engines, capabilities, created_at)
     select 'fuzz-search', p.id, 'A search', array[o.id], json_build_array(json_build_object('pluginId', ${pluginId}, 'clientId', 'gs-fuzz-ai', 'name', 'Fuzz',
            'status', 'answered', 'problem', null)), '[[{"id":"a","name":"A","description":""}]]', now() from people p, organisations o where p.handle = '@ellis' and o.key = 'school';
     insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
     select 'fuzz-plan', p.id, 'A plan', '', '', array[o.id], now(), now() from people p, organisations o where p.handle = '@ellis' and o.key = 'school';
     insert into planner_candidates (search_id, person_id, score, sources) select s.id, p.id, 1, '[]' from planner_searches s, people p where p.handle = '@avery';
     insert into plan_people (plan_id, person_id, score, sources) select n.id, p.id, 1, '[]' from plans n, people p where p.handle = '@avery'`,
  )
  return made.map(({ basic }) => new Client(app.address, basic))
}

const bucketSamples = (avery: Client, blake: Client): Samples => ({
  id: [...BUCKETS, ...[avery, blake].flatMap(({ userId }) => [pictureId(userId, 0), coverId(userId, 0)])],
  userId: [avery.userId, blake.userId],
  users: [[blake.userId], `${avery.userId},${blake.userId}`, []],
  key: ['', 'a', 'a.b', 'list.0', 'list.1.x'],
})

function assertForeseen(app: TestApp): void {
  const lines = app.log().split('\n')
  assert.deepEqual(
    lines.filter((line) => line.includes('unhandled error')),
    [],
  )
}

async function openFuzz(t: TestContext) {
  const app = await testApp(t, { ...UNLIMITED, RATE_PLANNER_PER_MINUTE: '1000000' })
  // Makes people findable, so that requests about them reach the operation.
  await app.sql(`update people set public_search = true, administrator = handle = '@ellis'`)
  const registered = await registerApp(app, { key: 'fuzz', isDeviceEnabled: true })
  await openSchool(app, { alpha: { joinCode: 'CODE-ALPHA' } })
  return { app, ...(await openBrowsers(app)), makeSamples: () => signInSamples(app, registered) }
}

/** Defines the tests that fuzz the operations of some areas (M5). */
export function fuzzOperations(file: keyof typeof AREAS): void {
  test(`any request to an operation (${file}) gets a response that it declares`, async (t) => {
    const known = new Set(Object.values(AREAS).flat())
    assert.deepEqual(new Set(operations.map(({ area }) => area)).symmetricDifference(known), new Set())
    const { app, browsers, signIn, makeSamples } = await openFuzz(t)
    let samples = await makeSamples()
    const engine = await openReceiver(t, (response) => response.end(ENGINE_ANSWER))
    for (const operation of operations.filter(({ area }) => AREAS[file].includes(area))) {
      await t.test(`${operation.method} ${operation.path}`, async () => {
        const { who, area } = operation
        // Creates new tokens, because requests to the previous operation may have ended sessions.
        if (area === 'Sign-in') samples = await makeSamples()
        const [avery, blake] = [await app.as('avery'), await app.as('blake')]
        const data = { a: { b: 1 }, list: [1, {}] }
        const prepare = async () => {
          if (area === 'Families') await haveChild(app)
          if (area === 'ATO') await haveRequest(app)
          if (who.name === 'person' || who.name === 'visitor') return signIn()
          for (const id of BUCKETS)
            await avery.put(PATH, { id, public: id === 'fuzz-public', users: [blake.userId], data })
        }
        const isOfPlugins = AREAS.plugins.includes(area)
        const callers = isOfPlugins ? await havePlugins(app, engine.address) : []
        const users = [avery, avery, avery, avery, blake, blake]
        // Ellis is signed in to the plugin that serves the ATO request.
        const reporters = area === 'ATO' ? Array(6).fill(await signInToPlugin(app, 'ellis', 'fuzz-ato')) : []
        const keys = who.name === 'record store' || area === 'Record store' ? [await makeTestKey(app)] : []
        const senders = keys.flatMap(({ client }) => Array<Client>(users.length).fill(client))
        const clients = [...reporters, ...senders, ...(who.name === 'plugin' ? callers : users), app.nobody()]
        const all = {
          ...samples,
          ...learningSamples,
          ...bucketSamples(avery, blake),
          ...(isOfPlugins ? pluginSamples : {}),
          ...(area === 'ATO' ? atoSamples : {}),
          ...(area === 'Record store' ? credentialSamples(keys) : {}),
          ...(area === 'Record store' ? documentSamples(app.environment()) : {}),
          ...(area === 'Record store' ? recordSamples(app.environment()) : {}),
          ...(area === 'xAPI' ? statementSamples(app.environment(), avery) : {}),
        }
        await fuzzOperation(operation, { clients, browsers, samples: all, runs: RUNS, prepare })
      })
    }
    assertForeseen(app)
    assert.equal((await app.nobody().get('/healthz')).status, 200)
    await assertStorageAddsUp(app)
  })
}

/** Defines the test that fuzzes all pages (M5). */
export function fuzzPages(): void {
  test('any request to a page gets a page or a redirect', async (t) => {
    const { app, browsers, signIn, makeSamples } = await openFuzz(t)
    const samples = await makeSamples()
    for (const page of pages) {
      await t.test(`${page.method} ${page.path}`, async () => {
        await fuzzPage(page, app.environment(), { browsers, samples, runs: PAGE_RUNS, prepare: signIn })
      })
    }
    assertForeseen(app)
  })
}
