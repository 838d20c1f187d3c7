import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { exchange, obtainCode } from '../../apps/oauth/testing.ts'
import { settleTwice, titlesOf } from '../../identity/notifications/testing.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { MOVES, STATUSES, type Status } from './rules.ts'
import {
  ATO,
  ask,
  REDIRECT,
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
  ['school', 'avery', 'member'],
  ['agency', 'blake', 'member'],
  ['agency', 'finley', 'student'],
])
await app.sql(`update people set administrator = true where handle = '@ellis'`)
const plugin = await registerAtoPlugin(app, 'helper')
const rival = await registerAtoPlugin(app, 'rival')
const drew = await signInBrowser(app, 'drew')
const staff = await signInToPlugin(app, 'blake', 'helper')

const report = (client: Client, requestId: string, fields: object) =>
  client.post(`${ATO}/status`, { requestId, ...fields })
const alert = (client: Client, requestId: string, fields: object = {}) =>
  client.post(`${ATO}/alert`, { requestId, title: 'Look', ...fields })
const start = () => startRequest(drew, plugin.clientId)
const read = (requestId: string) => ask(drew, 'GET', `/request?requestId=${requestId}`)
/** Sets the status of a request in the database, without the checks of the API. */
const put = (requestId: string, status: Status) =>
  app.sql(
    `update ato_requests set status = '${status}', completed_at = ${status === 'completed' ? 'now()' : 'null'} where key = '${requestId}'`,
  )

/**
 * The transitions that the contract allows, as "from to". Copied on purpose, so that a change of the rule fails this
 * test.
 */
const LEGAL = new Set([
  'not-started in-progress',
  'in-progress action-required',
  'action-required in-progress',
  'in-progress under-review',
  'under-review in-progress',
  'under-review completed',
])

test('the person who started a request is notified when it is completed or needs something', async () => {
  const requestId = await start()
  for (const status of ['in-progress', 'action-required', 'in-progress', 'under-review', 'completed', 'completed'])
    assert.equal((await report(staff, requestId, { status })).status, 200)
  await settleTwice(app)
  assert.deepEqual(await titlesOf(app, 'drew'), [
    'Request for Package needs your action',
    'Request for Package is completed',
  ])
  assert.deepEqual(await titlesOf(app, 'blake'), [])
})

test('P2: every transition of the table is accepted, every other refused, and a repeated status changes nothing', async () => {
  const requestId = await start()
  for (const from of STATUSES)
    for (const to of STATUSES) {
      await put(requestId, from)
      const before = await read(requestId)
      const answer = await report(staff, requestId, { status: to })
      const after = await read(requestId)
      const said = `${from} ${to}`
      if (LEGAL.has(said)) {
        assert.deepEqual([answer.status, answer.body], [200, { success: true }], said)
        assert.equal(after.status, to, said)
        assert.equal(after.completedDate !== null, to === 'completed', said)
        assert.equal(after.timeline.length, before.timeline.length + 1, said)
        const { kind, by, status } = after.timeline.at(-1)
        assert.deepEqual([kind, by, status], ['status', '@blake', to])
      } else {
        if (from === to) assert.deepEqual([answer.status, answer.body], [200, { success: true }], said)
        else
          assertError(
            answer,
            400,
            4006,
            from === 'completed' ? /cannot be changed/ : new RegExp(`is ${from} can become`),
          )
        assert.deepEqual(after, before, said)
      }
    }
  assert.equal(Object.values(MOVES).flat().length, LEGAL.size)
  await put(requestId, 'completed')
})

test('`complete` only goes with the status completed, and a report must not be empty', async () => {
  const requestId = await start()
  await put(requestId, 'under-review')
  for (const fields of [
    { status: 'under-review', complete: true },
    { status: 'completed', complete: false },
    { status: 'done' },
    { status: 'Completed' },
  ])
    assertError(await report(staff, requestId, fields), 400, 4003)
  for (const fields of [{}, { complete: false }, { cancellable: true }, { status: '', complete: 'false' }])
    assertError(await report(staff, requestId, fields), 400, 4001, /status is missing/)
  assertError(await staff.post(`${ATO}/status`, { status: 'completed' }), 400, 4001, /requestId is missing/)
  assert.equal((await read(requestId)).status, 'under-review')
  assert.deepEqual((await report(staff, requestId, { complete: 'true' })).body, { success: true })
  assert.equal((await read(requestId)).status, 'completed')
  assert.equal((await report(staff, requestId, { status: 'completed', complete: true })).status, 200)
})

test('a plugin says whether a request can be cancelled, also where it repeats the status', async () => {
  const requestId = await start()
  const says = async (fields: object) => {
    assert.equal((await report(staff, requestId, fields)).status, 200)
    return (await read(requestId)).cancellable
  }
  assert.equal((await read(requestId)).cancellable, true)
  assert.equal(await says({ status: 'in-progress', complete: false, cancellable: false }), false)
  assert.equal(await says({ status: 'in-progress' }), false)
  assertError(await call(drew, 'POST', `${ATO}/request/cancel`, { requestId }), 400, 4006, /does not allow/)
  const before = (await read(requestId)).timeline
  assert.equal(await says({ status: 'in-progress', cancellable: true }), true)
  const cancelled = await ask(drew, 'POST', '/request/cancel', { requestId })
  assert.deepEqual([cancelled.status, cancelled.cancellable], ['in-progress', false])
  assert.deepEqual(
    cancelled.timeline.slice(before.length).map((one: Record<string, unknown>) => [one.kind, one.by, one.date]),
    [['cancelled', '@drew', cancelled.cancelledDate]],
  )
  // Cancelling again returns the same response.
  assert.deepEqual(await ask(drew, 'POST', '/request/cancel', { requestId }), cancelled)
})

test('P2: a cancelled request accepts no status and no alert', async () => {
  const requestId = await start()
  await ask(drew, 'POST', '/request/cancel', { requestId })
  for (const status of STATUSES) assertError(await report(staff, requestId, { status }), 400, 4006, /cancelled/)
  assertError(await alert(staff, requestId), 400, 4006, /cancelled/)
  assert.equal((await read(requestId)).timeline.length, 2)
})

test("P2: another plugin's request looks like an unknown one", async () => {
  const requestId = await start()
  const other = await signInToPlugin(app, 'blake', 'rival')
  for (const send of [(id: string) => report(other, id, { status: 'in-progress' }), (id: string) => alert(other, id)]) {
    const [theirs, nobodys] = [await send(requestId), await send('nowhere')]
    assertError(theirs, 404, 4042)
    assert.equal(theirs.text, nobodys.text)
  }
  assert.equal((await read(requestId)).status, 'not-started')
  // A package may have one open request with each plugin, and a report changes only the request of the reporting
  // plugin.
  const { packageId } = await read(requestId)
  const second = await ask(drew, 'PUT', '/request', { packageId, pluginClientId: rival.clientId })
  assert.equal((await report(other, second.requestId, { status: 'in-progress' })).status, 200)
  assert.equal((await read(requestId)).status, 'not-started')
})

test('only an active plugin with the permission ato reports', async () => {
  const requestId = await start()
  const refused = async (client: Client) => {
    assertError(await report(client, requestId, { status: 'in-progress' }), 401, 4014, /permission ato/)
    assertError(await alert(client, requestId), 401, 4014)
  }
  await refused(await app.as('drew'))
  const set = (text: string) => app.sql(`${text} where plugin_id = ${plugin.pluginId}`)
  await set('update plugin_permissions set granted_at = null')
  await refused(staff)
  await set('update plugin_permissions set granted_at = now()')
  await app.sql(`update plugins set is_active = false where id = ${plugin.pluginId}`)
  await refused(staff)
  await app.sql(`update plugins set is_active = true where id = ${plugin.pluginId}`)
  assertError(await report(new Client(app.address, plugin.basic), requestId, { status: 'in-progress' }), 401, 4016)
  assertError(await report(app.nobody(), requestId, { status: 'in-progress' }), 401, 4016)
  assertError(await call(drew, 'POST', `${ATO}/status`, { requestId, status: 'in-progress' }), 401, 4016)
  assert.equal((await read(requestId)).timeline.length, 1)
})

test('only people who work on the app or for the plugin can report (D1)', async () => {
  const requestId = await start()
  const may = { drew: true, casey: true, blake: true, ellis: true, avery: false, finley: false }
  for (const [person, isAllowed] of Object.entries(may)) {
    const client = await signInToPlugin(app, person as keyof typeof may, 'helper')
    for (const send of [
      (id: string) => report(client, id, { status: 'not-started' }),
      (id: string) => alert(client, id),
    ]) {
      const answer = await send(requestId)
      if (isAllowed) assert.equal(answer.status, 200, person)
      else {
        // The response does not reveal that the request exists: an unknown request id gets the same response.
        assertError(answer, 404, 4042, /do not work on it/)
        assert.deepEqual(answer.body, (await send('there-is-none')).body)
      }
    }
  }
  const told = (await read(requestId)).timeline.slice(1).map(({ by }: { by: string }) => by)
  assert.deepEqual(told, ['@drew', '@casey', '@blake', '@ellis'])
})

test('an alert is stored as it was sent', async () => {
  const requestId = await start()
  const full = {
    title: ' The diagram is missing ',
    text: 'Add it.\nThen go on.',
    providerId: 'p-7',
    status: 'open',
    type: 'warning',
  }
  assert.deepEqual((await alert(staff, requestId, full)).body, { success: true })
  assert.equal((await alert(staff, requestId, { providerId: null, type: '', id: 9, kind: 'cancelled' })).status, 200)
  assertError(await alert(staff, requestId, { type: 'fatal' }), 400, 4003, /type/)
  assertError(await alert(staff, requestId, { title: ' ' }), 400, 4001, /title/)
  assertError(await alert(staff, requestId, { title: 'a\nb' }), 400, 4003, /title/)
  assertError(await alert(staff, requestId, { title: 'x'.repeat(201) }), 400, 4003, /title/)
  assertError(await alert(staff, requestId, { text: 'x'.repeat(5001) }), 400, 4003, /text/)
  const { timeline, status } = await read(requestId)
  const alerts = timeline.slice(1).map((entry: { kind: string; alert: object }) => [entry.kind, entry.alert])
  assert.deepEqual(alerts, [
    ['alert', { ...full, title: 'The diagram is missing' }],
    ['alert', { title: 'Look', text: '', providerId: null, status: null, type: 'info' }],
  ])
  assert.equal(status, 'not-started')
  // A completed request still accepts alerts.
  await put(requestId, 'completed')
  assert.equal((await alert(staff, requestId)).status, 200)
})

test('a request has 200 alerts at most, also with all at once, and the newest 500 changes', async () => {
  const requestId = await start()
  await app.sql(
    `insert into ato_entries (request_id, kind, at, detail) select r.id, k, now(), '{}' from ato_requests r, (values ('alert', 195), ('status', 520)) n(k, count),
       lateral generate_series(1, n.count) where r.key = '${requestId}'`,
  )
  const answers = await Promise.all(Array.from({ length: 10 }, () => alert(staff, requestId)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(5).fill(200), ...Array(5).fill(400)])
  assertError(await alert(staff, requestId), 400, 4006, /200 alerts/)
  await report(staff, requestId, { status: 'in-progress' })
  const kinds = (await read(requestId)).timeline.map(({ kind }: { kind: string }) => kind)
  const count = (kind: string) => kinds.filter((one: string) => one === kind).length
  assert.deepEqual([count('started'), count('alert'), count('status'), kinds.length], [1, 200, 500, 701])
})

test('parallel reports are each checked against the current status', async () => {
  const requestId = await start()
  await put(requestId, 'under-review')
  const goals: Status[] = ['completed', 'in-progress', 'action-required']
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const { status } = await report(staff, requestId, { status: goals[i % 3]! })
      return status
    }),
  )
  assert.ok(
    answers.every((status) => status === 200 || status === 400),
    String(answers),
  )
  const { timeline, status } = await read(requestId)
  const path = ['under-review', ...timeline.slice(1).map((entry: { status: string }) => entry.status)]
  for (const [i, to] of path.slice(1).entries()) assert.ok(LEGAL.has(`${path[i]} ${to}`), path.join(' → '))
  assert.equal(path.at(-1), status)
})

test('of ten parallel reports of one transition, one is recorded', async () => {
  const requestId = await start()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => report(staff, requestId, { status: 'in-progress' })),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal((await read(requestId)).timeline.length, 2)
})

test('of a parallel cancellation and completion, one wins', async () => {
  for (let i = 0; i < 5; i++) {
    const requestId = await start()
    await put(requestId, 'under-review')
    const [completed, cancelled] = await Promise.all([
      report(staff, requestId, { complete: true }),
      call(drew, 'POST', `${ATO}/request/cancel`, { requestId }),
    ])
    assert.deepEqual([completed.status, cancelled.status].sort(), [200, 400])
    const { completedDate, cancelledDate } = await read(requestId)
    assert.deepEqual(
      [completedDate !== null, cancelledDate !== null],
      [completed.status === 200, cancelled.status === 200],
    )
  }
})

test('a person who opens the plugin from a request redeems the code without PKCE, and can report', async () => {
  const requestId = await start()
  const { code, redirect } = await obtainCode(app, {
    clientId: plugin.clientId,
    redirectUri: REDIRECT,
    person: 'casey',
    state: requestId,
  })
  assert.equal(redirect.searchParams.get('state'), requestId)
  const grant = { grant_type: 'authorization_code', code, client_id: plugin.clientId, client_secret: plugin.secret }
  const tokens = await exchange(app, grant, 'query')
  assert.equal(tokens.status, 200, tokens.text)
  const client = new Client(app.address, tokens.body.access_token)
  assert.deepEqual((await report(client, requestId, { status: 'in-progress' })).body, { success: true })
  assert.equal((await read(requestId)).timeline.at(-1).by, '@casey')
})

test('the plugin is opened at the request, with a code for the person and the request as state', async () => {
  const requestId = await start()
  const open = (browser = drew) => call(browser, 'POST', `${ATO}/request/open`, { requestId })
  const ellis = await signInBrowser(app, 'ellis')
  await app.sql(`delete from app_users u using people p where p.id = u.person_id and p.handle = '@ellis'`)
  assertError(await open(ellis), 401, 4019, /allow/)
  const allowed = await call(ellis, 'POST', `${ATO}/request/open`, { requestId, allow: true })
  assert.equal(allowed.status, 200, allowed.text)
  assert.equal((await open(ellis)).status, 200)
  await signInToPlugin(app, 'drew', 'helper')
  const { body } = await open()
  const uri = new URL(body.uri)
  assert.deepEqual([...uri.searchParams.keys()], ['code', 'state'])
  assert.equal(`${uri.origin}${uri.pathname}`, REDIRECT)
  assert.equal(uri.searchParams.get('state'), requestId)
  const code = uri.searchParams.get('code')!
  const grant = { grant_type: 'authorization_code', code, client_id: plugin.clientId, client_secret: plugin.secret }
  const tokens = await exchange(app, grant)
  assert.equal(tokens.status, 200, tokens.text)
  const client = new Client(app.address, tokens.body.access_token)
  assert.equal((await report(client, requestId, { status: 'in-progress' })).status, 200)
  assert.equal((await read(requestId)).timeline.at(-1).by, '@drew')
  await app.sql(`update plugins set is_active = false where id = ${plugin.pluginId}`)
  assertError(await open(), 400, 4006, /not active/)
  await app.sql(`update plugins set is_active = true where id = ${plugin.pluginId}`)
  assertError(await exchange(app, grant), 400, 4008, undefined, 'oauth')
})

test('another environment knows nothing of it', async () => {
  const requestId = await start()
  await setUpSchool(app, [['agency', 'blake', 'owner']], 'sandbox')
  await registerAtoPlugin(app, 'helper', 'sandbox')
  const there = await signInToPlugin(app, 'blake', 'helper', 'sandbox')
  assertError(await report(there, requestId, { status: 'in-progress' }), 404, 4042)
  assertError(await alert(there, requestId), 404, 4042)
  const moved = new Client(app.sandboxAddress, staff.token)
  assertError(await report(moved, requestId, { status: 'in-progress' }), 403, 4034)
  assert.equal((await read(requestId)).timeline.length, 1)
})

test('reports emit only the status, which is not sent to plugins', async () => {
  const requestId = await start()
  const before = await readEvents(app)
  await report(staff, requestId, { status: 'in-progress' })
  await alert(staff, requestId)
  await ask(drew, 'POST', '/request/cancel', { requestId })
  const added = (await readEvents(app)).slice(before.length)
  assert.deepEqual(
    added.map(({ kind }) => kind),
    ['request.moved'],
  )
})
