import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type * as kit from 'groundschool-sdk'
import { startExample } from '../../../examples/testing.ts'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { signInAndAllow } from '../../apps/oauth/testing.ts'
import type { DistributionsDocument, RequestDocument } from '../../extensions/ato/events.ts'
import { ATO, ask, setUpSchool } from '../../extensions/ato/testing.ts'
import type { Assertion, Badge } from '../../extensions/badges/schema.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import type { LearningRecord, OtherSkills } from '../../extensions/records/schema.ts'
import { until } from '../../kernel/database/test-database.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { complete } from '../../learning/progress/testing.ts'
import { TestBrowser } from '../testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { findFreePort } from '../testing/ports.ts'
import { type Person, type TestApp, testApp } from '../testing/testing.ts'

/** Lets the compiler compare the SDK's types, which are written by hand, with the platform's own types. */
const expects =
  <Declared>() =>
  <Sent extends Declared>(_sent?: Sent) => {}
expects<Omit<kit.StartDocument, 'status'>>()<Omit<RequestDocument, 'status'>>()
expects<kit.DistributionChange>()<DistributionsDocument>()
expects<kit.RecordOfUser>()<LearningRecord>()
expects<kit.OtherSkills>()<OtherSkills>()
expects<kit.Badge>()<Badge>()
expects<kit.Assertion>()<Assertion>()

/** Registers the ATO example plugin and runs it in a separate process. */
async function runHelper(app: TestApp, t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gs-ato-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const port = String(await findFreePort())
  const address = `http://localhost:${port}`
  const { clientId, secret } = await registerTestPlugin(app, {
    kind: 'ato',
    key: 'helper',
    organisations: ['agency'],
    addresses: { request: `${address}/request`, distributions: `${address}/distributions` },
    redirectUris: [`${address}/callback`],
  })
  const settings = {
    PLATFORM_URL: app.address,
    CLIENT_ID: clientId,
    CLIENT_SECRET: secret,
    PORT: port,
    DATA_FILE: join(folder, 'requests.json'),
  }
  return { clientId, start: () => startExample(t, 'ato-plugin', settings) }
}

test('the ATO example gets a request, survives a kill, serves only authorised people, and sees every event in order', async (t) => {
  const app = await testApp(t)
  await setUpSchool(app, [
    ['school', 'drew', 'developer'],
    ['agency', 'casey', 'developer'],
  ])
  const { clientId, start } = await runHelper(app, t)
  let helper = await start()
  const drew = await signInBrowser(app, 'drew')
  const { packageId } = await ask(drew, 'PUT', '/package', { clientId: 'gs-first', name: 'Preflight <kit>' })
  const { requestId } = await ask(drew, 'PUT', '/request', { packageId, pluginClientId: clientId })
  const opened = await helper.wrote(/request started: Preflight <kit> of first, distributions: 0; open (\S+) \[(\S+)\]/)

  // Changes made while the example is not running are delivered when it runs again, in one message with the newest
  // state.
  await helper.stop('SIGKILL')
  const uri = 'https://downloads.example.org/1'
  await ask(drew, 'PUT', '/distribution', { packageId, name: 'Windows', version: '1.0', uri })
  await ask(drew, 'PUT', '/distribution', { packageId, name: 'Headset', version: '1.1', uri })
  helper = await start()
  app.advance(10_000)
  await helper.wrote(/distributions changed: request \S+ has Windows 1\.0, Headset 1\.1 \[\S+\]/)

  // Replaying an old delivery does not revert anything.
  const again = { clientId, deliveryId: opened[2] }
  const casey = await signInBrowser(app, 'casey')
  assert.equal((await call(casey, 'POST', '/plugin/v1/delivery/replay', again)).status, 200)
  await helper.wrote(/request started \(sent again\)/)

  // A new browser is sent to the platform, where the person signs in and allows the plugin, and back to the plugin's
  // page.
  const visitor = new TestBrowser(helper.address)
  const signIn = async (person: Person) => {
    const { location } = await new TestBrowser(helper.address).send(opened[1]!)
    return signInAndAllow(app, new TestBrowser(app.address), { address: location!, person })
  }
  assert.match((await visitor.send('/callback?error=access_denied&error_description=No+%3Ci%3E')).text, /No &lt;i&gt;/)
  const stranger = await visitor.send((await signIn('avery')).href)
  assert.deepEqual([stranger.status, stranger.headers.get('set-cookie')], [403, null])
  const back = await signIn('drew')
  assert.equal(back.searchParams.get('state'), requestId)
  const address = (await visitor.send(back.href)).location!
  // Using an authorization code twice ends its session, so the user has to sign in again.
  assert.match((await visitor.send(back.href)).text, /Not signed in/)
  const ended = await visitor.submit(await visitor.send(address), { status: 'in-progress' }, `${address}/status`)
  assert.match(ended.location!, /\/oauth\/signin\?/)
  await visitor.send((await signIn('drew')).href)
  const page = await visitor.send(address)
  assert.match(page.text, /<h1>Preflight &lt;kit&gt;<\/h1>.*Headset/s)
  assert.match((await visitor.send('/requests/another')).location!, /\/oauth\/signin\?/, 'signed in for one request')
  const forged = await visitor.submit(page, { key: 'wrong', status: 'in-progress' }, `${address}/status`)
  assert.equal(forged.status, 403)
  const act = async (action: string, fields: Record<string, string>) =>
    visitor.follow(await visitor.submit(await visitor.send(address), fields, `${address}/${action}`))
  assert.match((await act('status', { status: 'completed' })).text, /role="alert".*not-started can become in-progress/)
  // By then the example's access token has expired, and the example has to get a new one.
  app.advance(25 * 3_600_000)
  for (const status of ['in-progress', 'action-required', 'in-progress', 'under-review', 'completed'])
    assert.match((await act('status', { status })).text, new RegExp(`role="status"[^>]*>Status changed to ${status}`))
  assert.match((await act('alert', { type: 'success', title: 'Done', text: 'All good.' })).text, /Alert “Done” sent/)

  await t.test('everybody can use its page', { skip: noChromium }, async (t) => {
    const browser = await openChromium(t, { javaScriptEnabled: false })
    const problems = collectProblems(browser)
    await browser.goto((await signIn('drew')).href)
    await assertUsable(browser, 'the page of a request')
    assert.deepEqual(problems, [])
  })
  assert.equal(await helper.stop(), 0)

  const { status, timeline } = (
    await call(await signInBrowser(app, 'drew'), 'GET', `${ATO}/request?requestId=${requestId}`)
  ).body
  assert.equal(status, 'completed')
  assert.deepEqual(
    timeline.map((entry: { kind: string; status: string | null }) => entry.status ?? entry.kind),
    [
      'not-started',
      'distribution-added',
      'distribution-added',
      'in-progress',
      'action-required',
      'in-progress',
      'under-review',
      'completed',
      'alert',
    ],
  )
})

/** Registers the AI example plugin for the school and runs it. */
async function runEngine(app: TestApp, t: TestContext, key: string, permissions: readonly string[]) {
  const port = String(await findFreePort())
  const address = `http://localhost:${port}`
  const addresses = { capabilities: `${address}/capabilities`, candidates: `${address}/candidates` }
  const plugin = await registerTestPlugin(app, { kind: 'ai', key, addresses, permissions })
  const engine = await startExample(t, 'ai-plugin', {
    PLATFORM_URL: app.address,
    CLIENT_ID: plugin.clientId,
    CLIENT_SECRET: plugin.secret,
    PORT: port,
    CACHE_SECONDS: '600',
  })
  return { ...plugin, engine }
}

test('a search with two engines finds people by passed lessons, badges and skills, and gives reasons', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p
      where o.key = 'school' and p.handle in ('@avery', '@blake', '@drew') on conflict do nothing;
     with made as (insert into people (handle, handle_key, search_keys, search_version, created_at)
       select '@other' || n, 'other' || n, '{}', 1, now() from generate_series(1, 200) n returning id)
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, made.id, 'member' from organisations o, made where o.key = 'school'`,
  )
  const [finley, drew] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'drew')]
  assert.equal((await call(drew, 'PUT', '/account/v1/skills', { skills: ['Walkaround inspections'] })).status, 200)
  const avery = await app.as('avery')
  for (const [lessonId, score] of [
    ['walkaround', 90],
    ['interior', 100],
  ] as const)
    await complete(avery, { lessonId, classId: 'alpha' }, { score, pass: true })
  const needed = ['user-records', 'mission-planner']
  const engines = [await runEngine(app, t, 'one', [...needed, 'badges']), await runEngine(app, t, 'two', needed)]

  const badge = { courseId: 'course', name: 'Walkaround expert', description: 'Looks at everything.' }
  const asEngine = (path: string, body?: object) =>
    app.nobody().send(body ? 'POST' : 'GET', `/plugin/v2/ai/${path}`, {
      headers: { authorization: engines[0]!.basic },
      ...(body ? { body } : {}),
    })
  const { badgeId } = (await asEngine('badge', badge)).body
  const records: { userId: string; skills: string[]; courses: object[] }[] = (await asEngine('record-data?limit=100'))
    .body
  const blakes = records.find(({ courses, skills }) => courses.length > 0 && skills.length === 0 && !isAvery(courses))!
  const given = { userId: blakes.userId, badgeId, name: badge.name, type: 'course', image: 'https://example.org/b.png' }
  const made = await asEngine('badge/assertion', { ...given, issuedOn: '2026-01-01', issuerName: 'School' })
  assert.equal(made.status, 200, made.text)

  const found = await call(finley, 'PUT', '/planner/v1/search', {
    text: 'Somebody who can inspect an aircraft in a walkaround, and took the course',
    engines: engines.map(({ clientId }) => clientId),
  })
  assert.equal(found.status, 200, found.text)
  const told = found.body.engines.map(({ capabilities }: { capabilities: kit.Capability[] }) =>
    capabilities.map(({ name, description }) => `${name}: ${description}`),
  )
  // The second plugin may not read badges, so it knows only the name of the badge.
  const [inspections, course, expert] = [
    'Walkaround inspections: Skill, named by 1 of 204 people.',
    'Course: Course, completed by 0 of 204 people.',
    'Badge, held by 1 of 204 people.',
  ]
  assert.deepEqual(told, [
    [inspections, course, `Walkaround expert: Looks at everything. ${expert}`],
    [inspections, course, `Walkaround expert: ${expert}`],
  ])
  const { searchId } = found.body
  const capabilityIds = ['1.1', '1.2', '1.3', '2.1', '2.2', '2.3']
  const { candidates } = (
    await call(finley, 'POST', '/planner/v1/search/candidates', { searchId, capabilityIds, limit: 10 })
  ).body
  const ranked = candidates.map(({ handle, sources }: { handle: string; sources: { reasons: string[] }[] }) => [
    handle,
    sources.length,
    sources[0]!.reasons[0],
  ])
  assert.deepEqual(ranked, [
    ['@drew', 2, 'Lists the skill Walkaround inspections.'],
    ['@blake', 2, 'According to gs-one, holds the badge Walkaround expert.'],
    ['@avery', 2, 'Passed 2 of 5 lessons of the course Course.'],
  ])
  for (const { engine } of engines) assert.match(engine.output(), /: 3 candidates for /)
  // Each of the two plugins reads once when it starts, and three pages for both of its searches together; one more read
  // was made by the test itself.
  assert.equal(app.log().match(/"operation":"readRecords"/g)?.length, 1 + 2 * (1 + 3))
})

test('examples report problems when they start: a refused secret, a port in use', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const { clientId, secret } = await registerTestPlugin(app, { kind: 'ai', key: 'engine' })
  const settings = { PLATFORM_URL: app.address, CLIENT_ID: clientId, PORT: String(await findFreePort()) }
  const wrong = await startExample(t, 'ai-plugin', { ...settings, CLIENT_SECRET: 'wrong' })
  await wrong.wrote(/Warning: .*401\/4011: .*Check CLIENT_ID and CLIENT_SECRET/)
  assert.equal((await fetch(wrong.address)).status, 404, 'it goes on')

  const other = fileURLToPath(new URL('../../../examples/ato-plugin/main.ts', import.meta.url))
  const env = { ...process.env, ...settings, CLIENT_SECRET: secret }
  const ended = await promisify(execFile)(process.execPath, [other], { env }).catch((error) => error)
  assert.equal(ended.code, 1)
  assert.match(ended.stderr, /^Port \d+ is taken\. [^\n]+\n$/)

  await wrong.stop()
  const right = await startExample(t, 'ai-plugin', { ...settings, CLIENT_SECRET: secret })
  await until('it has called', () => /"operation":"readRecords"[^\n]*"status":200/.test(app.log()))
  assert.doesNotMatch(right.output(), /Warning/)
})

const isAvery = (courses: object[]): boolean => (courses[0] as { lessonsPassed: number }).lessonsPassed > 0
