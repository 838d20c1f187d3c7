import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { call, PASSWORD, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { isWrite } from '../../kernel/http/operation.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { atoEvents, atoStatusEvents } from './events.ts'
import {
  ATO,
  ask,
  makePackage,
  readEvents,
  registerAtoPlugin,
  setUpSchool,
  signInToPlugin,
  startRequest,
} from './testing.ts'

const app = await sharedApp(UNLIMITED, { withSandbox: true })
await setUpSchool(app, [
  ['school', 'drew', 'developer'],
  ['school', 'casey', 'owner'],
  ['school', 'avery', 'student'],
  ['school', 'finley', 'member'],
  ['other', 'blake', 'developer'],
])
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   update people set first_name = 'Drew', last_name = 'Castellanos', email = 'drew@example.org' where handle = '@drew';
   update apps set organisation_id = (select id from organisations where key = 'other') where name = 'second'`,
)
const plugin = await registerAtoPlugin(app, 'helper')
const rival = await registerAtoPlugin(app, 'rival')
const [drew, casey, ellis] = [
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'ellis'),
]
const outsiders = {
  'a developer of another organisation': await signInBrowser(app, 'blake'),
  'a plain member': await signInBrowser(app, 'finley'),
  'a student': await signInBrowser(app, 'avery'),
}
const pluginClientId = plugin.clientId
const DISTRIBUTION = { name: 'Installer', platform: 'Windows', version: '1.0', uri: 'https://example.org/1.0' }
const addDistribution = (packageId: string, name: string, browser = drew) =>
  ask(browser, 'PUT', '/distribution', { packageId, ...DISTRIBUTION, name })

test('a request from its start to its end: the plugin is sent what it needs, and people read what happened', async () => {
  const fields = { clientId: 'gs-first', name: ' Lessons ', companyPhone: '+1 555 0100', packageId: 'mine', appId: 2 }
  const made = await ask(drew, 'PUT', '/package', fields)
  const { packageId, createdDate, ...rest } = made
  assert.match(packageId, /^[\w-]{22}$/)
  assert.deepEqual(rest, { clientId: 'gs-first', name: 'Lessons', companyPhone: '+1 555 0100', distributions: [] })
  const [first] = (await addDistribution(packageId, 'One')).distributions
  const before = (await readEvents(app)).length

  const started = await ask(drew, 'PUT', '/request', { packageId, pluginClientId, status: 'completed' })
  const { requestId, startedDate } = started
  assert.deepEqual(started, {
    requestId,
    packageId,
    packageName: 'Lessons',
    clientId: 'gs-first',
    appName: 'first',
    pluginClientId,
    pluginName: 'helper',
    pluginRemoved: false,
    startedBy: '@drew',
    status: 'not-started',
    cancellable: true,
    startedDate,
    changedDate: startedDate,
    completedDate: null,
    cancelledDate: null,
    timeline: [
      { kind: 'started', date: startedDate, by: '@drew', status: 'not-started', alert: null, distribution: null },
    ],
  })

  const staff = await signInToPlugin(app, 'casey', 'helper')
  for (const status of ['in-progress', 'action-required'])
    await staff.post(`${ATO}/status`, { requestId, status, complete: false, cancellable: false })
  await staff.post(`${ATO}/alert`, { requestId, title: 'Another installer, please', type: 'warning' })
  const two = (await addDistribution(packageId, 'Two', casey)).distributions
  const left = (await ask(drew, 'POST', '/distribution/remove', { distributionId: first.id })).distributions
  assert.deepEqual([two.length, two[0], left], [2, first, [two[1]]])
  for (const status of ['in-progress', 'under-review', 'completed'])
    await staff.post(`${ATO}/status`, { requestId, status })
  // The request is completed, so the change below must emit no event for it.
  await addDistribution(packageId, 'Three')

  const events = (await readEvents(app)).slice(before)
  const [{ id }] = (await app.sql(`select id from ato_requests where key = '${requestId}'`)) as [{ id: string }]
  const subject = `request:${id}`
  const document = {
    requestId,
    companyId: 'school',
    companyName: 'The School',
    companyPhone: '+1 555 0100',
    requestingUserFirstName: 'Drew',
    requestingUserLastName: 'Castellanos',
    requestingUserEmail: 'drew@example.org',
    appName: 'first',
    packageName: 'Lessons',
    reportUri: `${app.environment().url}/console/ato/${requestId}`,
    status: 'not-started',
    completed: false,
    cancellable: true,
    distributions: [first],
  }
  const changed = (distributions: object[]) => ({
    kind: 'distributions.changed',
    subject,
    payload: { plugin: plugin.pluginId, document: { requestId, distributions } },
  })
  assert.deepEqual(
    events.flatMap(({ kind, payload }) => (kind === 'request.moved' ? [payload.status] : [])),
    ['in-progress', 'action-required', 'in-progress', 'under-review', 'completed'],
  )
  const sent = events.filter(({ kind }) => kind !== 'request.moved')
  assert.deepEqual(sent, [
    { kind: 'request.started', subject, payload: { plugin: plugin.pluginId, document } },
    changed(two),
    changed(left),
  ])
  assert.deepEqual(Object.keys(first), ['id', 'name', 'platform', 'version', 'uri', 'addedDate'])

  const read = await ask(casey, 'GET', `/request?requestId=${requestId}`)
  assert.deepEqual([read.status, read.completedDate !== null, read.cancellable], ['completed', true, false])
  assert.deepEqual(
    read.timeline.map((one: Record<string, unknown>) => `${one.kind} ${one.by} ${one.status}`),
    [
      'started @drew not-started',
      'status @casey in-progress',
      'status @casey action-required',
      'alert @casey null',
      'distribution-added @casey null',
      'distribution-removed @drew null',
      'status @casey in-progress',
      'status @casey under-review',
      'status @casey completed',
    ],
  )
  assert.deepEqual([read.timeline[4].distribution, read.timeline[5].distribution], [two[1], first])
  assertError(await call(drew, 'POST', `${ATO}/request/cancel`, { requestId }), 400, 4006, /completed/)
})

test('unknown values are null in what the plugin is sent', async () => {
  await app.sql(`update apps set organisation_id = null where name = 'second'`)
  const { packageId } = await makePackage(ellis, 'gs-second')
  await ask(ellis, 'PUT', '/request', { packageId, pluginClientId })
  await app.sql(
    `update apps set organisation_id = (select id from organisations where key = 'other') where name = 'second'`,
  )
  const { document } = (await readEvents(app)).at(-1)!.payload
  const unset = Object.keys(document).filter((name) => document[name] === null)
  const company = ['companyId', 'companyName', 'companyPhone']
  const person = ['requestingUserEmail', 'requestingUserFirstName', 'requestingUserLastName']
  assert.deepEqual(unset.sort(), [...company, ...person])
  assert.deepEqual(document.distributions, [])
})

test('each operation emits the events that are pinned here, and no others', async () => {
  const { packageId } = await makePackage(drew)
  const { packageId: spare } = await makePackage(drew)
  const [early] = (await addDistribution(packageId, 'Early')).distributions
  for (const client of [plugin, rival])
    await ask(drew, 'PUT', '/request', { packageId, pluginClientId: client.clientId })
  const open = await startRequest(drew, pluginClientId)
  const staff = await signInToPlugin(app, 'drew', 'helper')
  const both = ['distributions.changed', 'distributions.changed']
  const emitted: Readonly<Record<string, readonly [body: object, ...kinds: string[]]>> = {
    reportAtoStatus: [{ requestId: open, status: 'in-progress' }, 'request.moved'],
    reportAtoAlert: [{ requestId: open, title: 'x' }],
    addAtoPackage: [{ clientId: 'gs-first', name: 'x' }],
    // The package has two open requests, so each change of its distributions emits two events.
    addAtoDistribution: [{ packageId, ...DISTRIBUTION }, ...both],
    removeAtoDistribution: [{ distributionId: early.id }, ...both],
    startAtoRequest: [{ packageId: spare, pluginClientId }, 'request.started'],
    cancelAtoRequest: [{ requestId: open }],
    openAtoRequest: [{ requestId: open }],
    removeAtoPackage: [{ packageId: (await makePackage(drew)).packageId }],
  }
  const writes = operations.filter((one) => one.area === 'ATO' && isWrite(one))
  assert.deepEqual(writes.map(({ name }) => name).sort(), Object.keys(emitted).sort())
  for (const [name, [body, ...kinds]] of Object.entries(emitted)) {
    const before = (await readEvents(app)).length
    const { method, path, who } = writes.find((one) => one.name === name)!
    const answer = await (who.name === 'person' ? call(drew, method, path, body) : staff.send(method, path, { body }))
    assert.equal(answer.status, 200, `${name}: ${answer.text}`)
    const events = (await readEvents(app)).slice(before)
    assert.deepEqual(
      events.map(({ kind }) => kind),
      kinds,
      name,
    )
    const known: readonly string[] = [...atoEvents.kinds, ...atoStatusEvents.kinds]
    assert.ok(kinds.every((kind) => known.includes(kind)))
    if (kinds.includes('request.moved')) continue
    for (const { payload } of events) assert.deepEqual(Object.keys(payload).sort(), ['document', 'plugin'])
    if (kinds.length === 2)
      assert.deepEqual(
        events.map(({ payload }) => payload.plugin),
        [plugin.pluginId, rival.pluginId],
      )
  }
})

test('of ten parallel starts of a request, one succeeds, and the plugin is told of one', async () => {
  const { packageId } = await makePackage(drew)
  const before = (await readEvents(app)).length
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      call(i % 2 ? drew : casey, 'PUT', `${ATO}/request`, { packageId, pluginClientId }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  assertError(answers.find(({ status }) => status === 409)!, 409, 4091, /open request/)
  assert.equal((await readEvents(app)).length, before + 1)
  // A unique index of the database refuses a second open request, too.
  await assert.rejects(
    app.sql(
      `insert into ato_requests (key, package_id, plugin_id, plugin_client_id, plugin_name, started_at, changed_at) select 'twice', package_id, plugin_id, 'x', 'x', now(), now()
         from ato_requests r join ato_packages k on k.id = r.package_id where k.key = '${packageId}'`,
    ),
    /ato_requests_open/,
  )
  // Once the request is cancelled, the package can start another one with the same plugin.
  const { requestId } = answers.find(({ status }) => status === 200)!.body
  await ask(drew, 'POST', '/request/cancel', { requestId })
  assert.notEqual((await ask(drew, 'PUT', '/request', { packageId, pluginClientId })).requestId, requestId)
})

test('distributions that are added in parallel are sent in growing sets', async () => {
  const { packageId } = await makePackage(drew)
  await ask(drew, 'PUT', '/request', { packageId, pluginClientId })
  const before = (await readEvents(app)).length
  await Promise.all(Array.from({ length: 8 }, (_, i) => addDistribution(packageId, `D${i}`)))
  const sets = (await readEvents(app)).slice(before).map(({ payload }) => payload.document.distributions as object[])
  assert.deepEqual(
    sets.map(({ length }) => length),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  const { distributions } = await ask(drew, 'GET', `/package?packageId=${packageId}`)
  assert.deepEqual(sets.at(-1), distributions)
})

test('to people who do not work on the app nothing exists, whatever they request (D1)', async () => {
  const requestId = await startRequest(drew, pluginClientId)
  const { packageId } = await ask(drew, 'GET', `/request?requestId=${requestId}`)
  const [{ id: distributionId }] = (await addDistribution(packageId, 'One')).distributions
  const real = { packageId, requestId, distributionId, clientId: 'gs-first' }
  const none = { packageId: 'nowhere', requestId: 'nowhere', distributionId: 'nowhere', clientId: 'gs-nowhere' }
  const asks = (browser: TestBrowser, ids: typeof real) => [
    call(browser, 'PUT', `${ATO}/package`, { clientId: ids.clientId, name: 'x' }),
    call(browser, 'GET', `${ATO}/package?packageId=${ids.packageId}`),
    call(browser, 'POST', `${ATO}/package/remove`, { packageId: ids.packageId }),
    call(browser, 'PUT', `${ATO}/distribution`, { packageId: ids.packageId, ...DISTRIBUTION }),
    call(browser, 'POST', `${ATO}/distribution/remove`, { distributionId: ids.distributionId }),
    call(browser, 'PUT', `${ATO}/request`, { packageId: ids.packageId, pluginClientId: rival.clientId }),
    call(browser, 'GET', `${ATO}/request?requestId=${ids.requestId}`),
    call(browser, 'POST', `${ATO}/request/cancel`, { requestId: ids.requestId }),
    call(browser, 'POST', `${ATO}/request/open`, { requestId: ids.requestId }),
  ]
  const before = await readEvents(app)
  for (const [who, browser] of Object.entries(outsiders)) {
    const [theirs, nobodys] = await Promise.all([Promise.all(asks(browser, real)), Promise.all(asks(browser, none))])
    for (const [i, answer] of theirs.entries()) {
      assertError(answer, 403, 4032, /or you do not work on/)
      assert.equal(answer.text, nobodys[i]!.text, who)
    }
    for (const path of ['package/list', 'request/list'])
      assert.equal((await call(browser, 'GET', `${ATO}/${path}?clientId=gs-first`)).body.total, 0, who)
  }
  assert.deepEqual(await readEvents(app), before)
  assert.equal((await ask(drew, 'GET', `/request?requestId=${requestId}`)).timeline.length, 2)
  const token = await app.as('drew')
  assertError(await token.get(`${ATO}/request`, { requestId }), 401, 4016)
  assertError(await token.put(`${ATO}/request`, { packageId, pluginClientId }), 401, 4016)
  // An organisation's owner and an administrator may do what a developer may. In the other environment the request does
  // not exist.
  for (const browser of [casey, ellis]) {
    assert.equal((await ask(browser, 'GET', `/request?requestId=${requestId}`)).requestId, requestId)
    assert.ok((await ask(browser, 'GET', '/request/list?clientId=gs-first')).total > 0)
  }
  await app.sql(`update people set administrator = true where handle = '@ellis'`, 'sandbox')
  const there = await signInBrowser(app, 'ellis', 'sandbox')
  for (const answer of await Promise.all(asks(there, real).slice(1))) assertError(answer, 403, 4032)
})

test('plugins that take requests can be chosen, and no others', async () => {
  const listed = async () => {
    const { docs } = await ask(outsiders['a student'], 'GET', '/plugins?limit=100')
    return docs.map((one: { pluginClientId: string }) => one.pluginClientId)
  }
  const { packageId } = await makePackage(drew)
  const choose = (client: string) => call(drew, 'PUT', `${ATO}/request`, { packageId, pluginClientId: client })
  assert.deepEqual(await listed(), ['gs-helper', 'gs-rival'])
  assert.deepEqual((await ask(drew, 'GET', '/plugins?limit=1&page=2')).docs, [
    { pluginClientId: 'gs-rival', name: 'rival', description: '' },
  ])
  const of = `plugin_id = ${rival.pluginId}`
  const cases: [breaks: string, mends: string][] = [
    [`update plugins set is_active = false where id = ${rival.pluginId}`, `update plugins set is_active = true`],
    [`update apps set status = 'suspended' where id = ${rival.appId}`, `update apps set status = 'approved'`],
    [`update plugin_permissions set granted_at = null where ${of}`, `update plugin_permissions set granted_at = now()`],
    [`update plugin_addresses set off_at = now() where ${of}`, `update plugin_addresses set off_at = null`],
  ]
  for (const [breaks, mends] of cases) {
    await app.sql(breaks)
    assert.deepEqual(await listed(), ['gs-helper'], breaks)
    assertError(await choose('gs-rival'), 404, 4042, /no active ATO plugin/)
    await app.sql(mends)
  }
  for (const client of ['gs-first', 'gs-nowhere']) assertError(await choose(client), 404, 4042)
  assert.equal((await choose('gs-rival')).status, 200)
})

test('a request to an inactive plugin can be cancelled', async () => {
  const requestId = await startRequest(drew, rival.clientId)
  const staff = await signInToPlugin(app, 'drew', 'rival')
  await staff.post(`${ATO}/status`, { requestId, status: 'in-progress', cancellable: false })
  assertError(await call(drew, 'POST', `${ATO}/request/cancel`, { requestId }), 400, 4006)
  await app.sql(`update plugins set is_active = false where id = ${rival.pluginId}`)
  assert.equal((await ask(drew, 'GET', `/request?requestId=${requestId}`)).cancellable, true)
  assert.ok((await ask(drew, 'POST', '/request/cancel', { requestId })).cancelledDate)
  await app.sql(`update plugins set is_active = true where id = ${rival.pluginId}`)
})

test('requests outlive their plugin: what was completed is kept, what is open can be cancelled', async () => {
  const { clientId } = await registerAtoPlugin(app, 'leaving')
  const staff = await signInToPlugin(app, 'drew', 'leaving')
  const report = async (requestId: string, ...statuses: string[]) => {
    for (const status of statuses)
      assert.equal((await staff.post(`${ATO}/status`, { requestId, status, cancellable: false })).status, 200)
  }
  const [done, open] = [await startRequest(drew, clientId), await startRequest(drew, clientId)]
  await report(done, 'in-progress', 'under-review', 'completed')
  await report(open, 'in-progress')
  const read = (requestId: string) => ask(drew, 'GET', `/request?requestId=${requestId}`)
  const before = await read(done)
  assert.equal(before.pluginRemoved, false)
  assertError(await call(drew, 'POST', `${ATO}/request/cancel`, { requestId: open }), 400, 4006)

  const removed = await call(ellis, 'POST', '/plugin/v1/plugin/remove', { clientId })
  assert.equal(removed.status, 200, removed.text)
  assert.deepEqual(await read(done), { ...before, pluginRemoved: true })
  assert.deepEqual([before.pluginClientId, before.pluginName, before.timeline.length], [clientId, 'leaving', 4])
  const { docs } = await ask(drew, 'GET', `/request/list?clientId=gs-first&limit=100`)
  const listed = docs.filter((one: { pluginRemoved: boolean }) => one.pluginRemoved)
  assert.deepEqual(listed.map((one: { requestId: string }) => one.requestId).sort(), [done, open].sort())

  const { packageId, cancellable } = await read(open)
  assert.equal(cancellable, true)
  assertError(await call(drew, 'POST', `${ATO}/request/open`, { requestId: open }), 400, 4006, /was deleted/)
  const events = (await readEvents(app)).length
  await ask(drew, 'PUT', '/distribution', { packageId, ...DISTRIBUTION })
  assert.equal((await readEvents(app)).length, events, 'there is nobody to tell')
  assert.equal((await read(open)).timeline.at(-1).kind, 'distribution-added')
  assert.ok((await ask(drew, 'POST', '/request/cancel', { requestId: open })).cancelledDate)
  assertError(await call(drew, 'POST', `${ATO}/request/cancel`, { requestId: done }), 400, 4006, /completed/)
})

test('packages, distributions and requests have their limits, also with all at once', async () => {
  const { packageId } = await makePackage(ellis, 'gs-second', 'Full')
  const fill = (what: string) =>
    app.sql(what.replaceAll('PACKAGE', `(select id from ato_packages where key = '${packageId}')`))
  await fill(
    `insert into ato_distributions (key, package_id, name, uri, added_at) select 'd' || n, PACKAGE, 'x', 'x', now() from generate_series(1, 98) n;
     insert into ato_requests (key, package_id, plugin_id, plugin_client_id, plugin_name, started_at, changed_at, cancelled_at)
     select 'r' || n, PACKAGE, ${plugin.pluginId}, 'x', 'x', now(), now(), now() from generate_series(1, 199) n;
     insert into ato_packages (key, app_id, name, created_at)
     select 'p' || n, k.app_id, 'x', now() from ato_packages k, generate_series((select count(*) + 1 from ato_packages o join ato_packages m on m.app_id = o.app_id where m.id = PACKAGE), 48) n where k.id = PACKAGE`,
  )
  const race = async (count: number, send: () => ReturnType<typeof call>) => {
    const answers = await Promise.all(Array.from({ length: count }, send))
    return answers.map(({ status }) => status).sort()
  }
  const distribution = { packageId, ...DISTRIBUTION }
  assert.deepEqual(await race(4, () => call(ellis, 'PUT', `${ATO}/distribution`, distribution)), [200, 200, 400, 400])
  assertError(await call(ellis, 'PUT', `${ATO}/distribution`, distribution), 400, 4006, /100 distributions/)
  assert.equal((await ask(ellis, 'GET', `/package?packageId=${packageId}`)).distributions.length, 100)
  const another = { clientId: 'gs-second', name: 'x' }
  assert.deepEqual(await race(4, () => call(ellis, 'PUT', `${ATO}/package`, another)), [200, 200, 400, 400])
  assertError(await call(ellis, 'PUT', `${ATO}/package`, another), 400, 4006, /50 packages/)
  const { requestId } = await ask(ellis, 'PUT', '/request', { packageId, pluginClientId })
  await ask(ellis, 'POST', '/request/cancel', { requestId })
  assertError(await call(ellis, 'PUT', `${ATO}/request`, { packageId, pluginClientId }), 400, 4006, /200 requests/)
  const listed = await ask(ellis, 'GET', `/request/list?clientId=gs-second&packageId=${packageId}&limit=1`)
  assert.deepEqual([listed.total, listed.docs[0].requestId], [200, requestId])
  assert.equal((await ask(ellis, 'GET', '/package/list?clientId=gs-second&limit=100')).docs.length, 50)
})

test('invalid text and addresses are refused', async () => {
  const { packageId } = await makePackage(drew)
  for (const fields of [
    { uri: 'javascript:alert(1)' },
    { uri: 'example.org/x' },
    { uri: `https://example.org/${'x'.repeat(1000)}` },
    { name: 'a\nb' },
    { platform: '\u202eabc' },
    { version: 'x'.repeat(101) },
  ])
    assertError(await call(drew, 'PUT', `${ATO}/distribution`, { packageId, ...DISTRIBUTION, ...fields }), 400, 4003)
  for (const [uri, problem] of [
    ['ftp://example.org/x', /^uri begins with ftp:; send one that begins with https/],
    ['example.org/x', /^uri is not a complete URL; send/],
  ] as const)
    assertError(
      await call(drew, 'PUT', `${ATO}/distribution`, { packageId, ...DISTRIBUTION, uri }),
      ...([400, 4003, problem] as const),
    )
  for (const fields of [{ name: ' ' }, { uri: '' }])
    assertError(await call(drew, 'PUT', `${ATO}/distribution`, { packageId, ...DISTRIBUTION, ...fields }), 400, 4001)
  const bare = await ask(drew, 'PUT', '/distribution', { packageId, name: 'Web', uri: 'https://example.org' })
  assert.deepEqual([bare.distributions[0].platform, bare.distributions[0].version], [null, null])
})

test('a package is removed with its contents, but not while a request is open', async () => {
  const requestId = await startRequest(drew, pluginClientId)
  const { packageId } = await ask(drew, 'GET', `/request?requestId=${requestId}`)
  assertError(await call(drew, 'POST', `${ATO}/package/remove`, { packageId }), 400, 4006, /cancel it first/)
  await ask(drew, 'POST', '/request/cancel', { requestId })
  assert.deepEqual(await ask(drew, 'POST', '/package/remove', { packageId }), { success: true })
  assertError(await call(drew, 'GET', `${ATO}/request?requestId=${requestId}`), 403, 4032)
})

test("a person's actions are in their download, and the request stays without them when they delete their account", async () => {
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'developer' from organisations o, people p where o.key = 'school' and p.handle = '@blake'`,
  )
  const blake = outsiders['a developer of another organisation']
  const requestId = await startRequest(blake, pluginClientId)
  const files = unzip(await readAll(await openExport(blake)))
  assert.deepEqual(JSON.parse(String(files.get('ato.json'))), [
    {
      requestId,
      appName: 'first',
      packageName: 'Package',
      kind: 'started',
      date: (await ask(drew, 'GET', `/request?requestId=${requestId}`)).startedDate,
      status: 'not-started',
    },
  ])
  const gone = await call(blake, 'POST', '/account/v1/delete', { handle: '@blake', password: PASSWORD })
  assert.equal(gone.status, 200, gone.text)
  const left = await ask(drew, 'GET', `/request?requestId=${requestId}`)
  assert.deepEqual([left.startedBy, left.timeline[0].by, left.status], [null, null, 'not-started'])
})
