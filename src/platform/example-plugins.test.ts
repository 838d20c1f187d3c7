import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startExample } from '../../examples/testing.ts'
import { call, signInBrowser } from '../account/testing.ts'
import { ATO, ask, setUpSchool } from '../ato/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { signInAndAllow } from '../oauth/testing.ts'
import { registerTestPlugin, type TestPlugin } from '../plugins/testing.ts'
import { complete } from '../progress/testing.ts'
import { TestBrowser } from '../testing/browser.ts'
import { findFreePort } from '../testing/ports.ts'
import { type TestApp, testApp } from '../testing/testing.ts'

/** The ATO example, registered and running: a process of its own. */
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

test('the ATO example is sent a request, restarted, worked with, and has seen every event in order', async (t) => {
  const app = await testApp(t)
  await setUpSchool(app, [['school', 'drew', 'developer']])
  const { clientId, start } = await runHelper(app, t)
  let helper = await start()
  const drew = await signInBrowser(app, 'drew')
  const { packageId } = await ask(drew, 'PUT', '/package', { clientId: 'gs-first', name: 'Preflight kit' })
  const { requestId } = await ask(drew, 'PUT', '/request', { packageId, pluginClientId: clientId })
  const opened = await helper.wrote(/request started: Preflight kit of first, distributions: 0; open (\S+) \[\S+\]/)

  // What happens while it is away comes when it is back, the newest set alone.
  await helper.stop('SIGKILL')
  const uri = 'https://downloads.example.org/1'
  await ask(drew, 'PUT', '/distribution', { packageId, name: 'Windows', version: '1.0', uri })
  await ask(drew, 'PUT', '/distribution', { packageId, name: 'Headset', version: '1.1', uri })
  helper = await start()
  app.advance(10_000)
  await helper.wrote(/distributions changed: request \S+ has Windows 1\.0, Headset 1\.1 \[\S+\]/)

  // In a browser that has never been there: to the platform, sign in, allow, and back to the page.
  const visitor = new TestBrowser(helper.address)
  const platform = new TestBrowser(app.address)
  const { location } = await visitor.send(opened[1]!)
  const back = await signInAndAllow(app, platform, { address: location!, person: 'drew' })
  assert.equal(back.searchParams.get('state'), requestId)
  const address = (await visitor.send(back.href)).location!
  const act = async (action: string, fields: Record<string, string>) => {
    const page = await visitor.send(address)
    return visitor.follow(await visitor.submit(page, fields, `${address}/${action}`))
  }
  for (const status of ['in-progress', 'action-required', 'in-progress', 'under-review', 'completed'])
    assert.match((await act('status', { status })).text, new RegExp(`The status is ${status} now`))
  assert.match((await act('alert', { type: 'success', title: 'Done', text: 'All good.' })).text, /was sent/)

  const { status, timeline } = (await call(drew, 'GET', `${ATO}/request?requestId=${requestId}`)).body
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

/** The AI example, registered as an engine of the school and running. */
async function runEngine(app: TestApp, t: TestContext, key: string): Promise<TestPlugin> {
  const port = String(await findFreePort())
  const address = `http://localhost:${port}`
  const addresses = { capabilities: `${address}/capabilities`, candidates: `${address}/candidates` }
  const plugin = await registerTestPlugin(app, { kind: 'ai', key, addresses })
  await startExample(t, 'ai-plugin', {
    PLATFORM_URL: app.address,
    CLIENT_ID: plugin.clientId,
    CLIENT_SECRET: plugin.secret,
    PORT: port,
  })
  return plugin
}

test('a search with two engines finds people by what they passed, hold and name, and says why', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p
      where o.key = 'school' and p.handle in ('@avery', '@blake', '@drew') on conflict do nothing`,
  )
  const [finley, drew] = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'drew')]
  assert.equal((await call(drew, 'PUT', '/account/v1/skills', { skills: ['Walkaround inspections'] })).status, 200)
  const avery = await app.as('avery')
  for (const [lessonId, score] of [
    ['walkaround', 90],
    ['interior', 100],
  ] as const)
    await complete(avery, { lessonId, classId: 'alpha' }, { score, pass: true })
  const engines = await Promise.all(['one', 'two'].map((key) => runEngine(app, t, key)))

  const badge = { courseId: 'course', name: 'Walkaround expert', description: 'Looks at everything.' }
  const asEngine = (path: string, body?: object) =>
    app.nobody().send(body ? 'POST' : 'GET', `/plugin/v2/ai/${path}`, {
      headers: { authorization: engines[0]!.basic },
      ...(body ? { body } : {}),
    })
  const { badgeId } = (await asEngine('badge', badge)).body
  const records: { userId: string; skills: string[]; courses: object[] }[] = (await asEngine('record-data')).body
  const blakes = records.find(({ courses, skills }) => courses.length > 0 && skills.length === 0 && !isAvery(courses))!
  const given = { userId: blakes.userId, badgeId, name: badge.name, type: 'course', image: 'https://example.org/b.png' }
  const made = await asEngine('badge/assertion', { ...given, issuedOn: '2026-01-01', issuerName: 'School' })
  assert.equal(made.status, 200, made.text)

  const found = await call(finley, 'PUT', '/planner/v1/search', {
    text: 'Somebody who can inspect an aircraft in a walkaround, and took the course',
    engines: engines.map(({ clientId }) => clientId),
  })
  assert.equal(found.status, 200, found.text)
  const names = found.body.engines.map(({ capabilities }: { capabilities: { name: string }[] }) =>
    capabilities.map(({ name }) => name),
  )
  const expected = ['Walkaround inspections', 'Course', 'Walkaround expert']
  assert.deepEqual(names, [expected, expected])
  const { searchId } = found.body
  const capabilityIds = ['1.1', '1.2', '1.3', '2.1', '2.2', '2.3']
  const { candidates } = (
    await call(finley, 'POST', '/planner/v1/search/candidates', { searchId, capabilityIds, limit: 10 })
  ).body
  const told = candidates.map(({ handle, sources }: { handle: string; sources: { reasons: string[] }[] }) => [
    handle,
    sources.length,
    sources[0]!.reasons[0],
  ])
  assert.deepEqual(told, [
    ['@blake', 2, 'Holds the badge Walkaround expert.'],
    ['@drew', 2, 'Names the skill Walkaround inspections.'],
    ['@avery', 2, 'Passed 2 of 5 lessons of the course Course.'],
  ])
})

const isAvery = (courses: object[]): boolean => (courses[0] as { lessonsPassed: number }).lessonsPassed > 0
