import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'

const PATH = '/app/v1/app'
const app = await sharedApp(UNLIMITED, { withSandbox: true })
for (const environment of ['production', 'sandbox'] as const)
  await app.sql(
    `update people set administrator = true where handle = '@ellis';
     insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('@drew', 'developer'), ('@casey', 'owner')) r(handle, role)
       join organisations o on o.key = 'school' join people p on p.handle = r.handle`,
    environment,
  )
const drew = await signInBrowser(app, 'drew')
const casey = await signInBrowser(app, 'casey')
const ellis = await signInBrowser(app, 'ellis')

const BACK = 'https://app.example.org/back'
const MOVED = 'https://elsewhere.example.org/back'

const done = async (browser: TestBrowser, method: 'PUT' | 'POST', path: string, what: object) => {
  const { status, text, body } = await call(browser, method, `${PATH}${path}`, what)
  assert.equal(status, 200, text)
  return body
}
const change = (browser: TestBrowser, clientId: string, what: object) =>
  done(browser, 'POST', '', { clientId, ...what })
const approve = (clientId: string) => done(ellis, 'POST', '/status', { clientId, status: 'approved' })
const look = (clientId: string, changedDate: string) =>
  call(ellis, 'POST', `${PATH}/changed`, { clientId, changedDate })
const register = async (key: string) => {
  const what = { name: 'Logbook', organisation: 'school', redirectUris: [BACK], key }
  return (await done(drew, 'PUT', '', what)).clientId as string
}
const listed = async (clientId: string) => {
  const { status, text, body } = await call(ellis, 'GET', `${PATH}/changed?limit=100`)
  assert.equal(status, 200, text)
  return body.docs.find((one: { clientId: string }) => one.clientId === clientId)
}
const audited = async (clientId: string) =>
  (
    await app.sql(
      `select e.action from audit_entries e join apps a on a.id = e.app_id where a.client_id = '${clientId}' order by e.id`,
    )
  ).map(({ action }) => action)

test('a change of an approved app takes effect at once, and administrators see who changed what until they review it', async () => {
  const clientId = await register('watched')
  await change(drew, clientId, { name: 'Log' })
  assert.equal(await listed(clientId), undefined, 'what is not approved is looked at as it is')
  await approve(clientId)
  assert.equal(await listed(clientId), undefined)

  await change(drew, clientId, { name: 'Log', redirectUris: [BACK], origins: [], launchUri: '' })
  assert.equal(await listed(clientId), undefined, 'nothing is other than it was')
  const changed = await change(drew, clientId, { name: 'Flight log', redirectUris: [MOVED, BACK] })
  assert.deepEqual([changed.name, changed.status, changed.redirectUris], ['Flight log', 'approved', [BACK, MOVED]])
  await change(casey, clientId, { redirectUris: [MOVED], launchUri: MOVED })
  const { changedDate, changes, ...rest } = await listed(clientId)
  assert.deepEqual(rest, { clientId, name: 'Flight log', organisationName: 'School', owner: '@drew' })
  assert.deepEqual(
    changes.map(({ date: _, ...one }: { date: string }) => one),
    [
      { by: '@casey', field: 'redirectUris', before: [BACK, MOVED], after: [MOVED] },
      { by: '@casey', field: 'launchUri', before: [], after: [MOVED] },
      { by: '@drew', field: 'name', before: ['Log'], after: ['Flight log'] },
      { by: '@drew', field: 'redirectUris', before: [BACK], after: [MOVED, BACK] },
    ],
  )
  assert.equal(changes[0].date, changedDate)

  for (const browser of [drew, casey]) {
    assertError(await call(browser, 'GET', `${PATH}/changed`), 403, 4032)
    assertError(await call(browser, 'POST', `${PATH}/changed`, { clientId, changedDate }), 403, 4032)
  }
  assertError(await look(clientId, changes.at(-1).date), 409, 4091, /changed again/)
  assert.ok(await listed(clientId))
  assert.equal((await look(clientId, changedDate)).status, 200)
  assert.equal(await listed(clientId), undefined)
  // Marking the app as reviewed again is not an error: another administrator may have done so meanwhile.
  assert.equal((await look(clientId, changedDate)).status, 200)
  assertError(await look('gs-nothing', changedDate), 404, 4041)
  const expected = ['app.added', 'app.changed', 'app.approved', ...Array(3).fill('app.changed')]
  assert.deepEqual(await audited(clientId), [...expected, 'app.looked-at'])

  await change(ellis, clientId, { name: 'Of an administrator' })
  assert.equal(await listed(clientId), undefined, 'an administrator has seen what they do')
  await change(drew, clientId, { origins: ['https://app.example.org'] })
  const again = await listed(clientId)
  assert.deepEqual(
    again.changes.map(({ by, field }: { by: string; field: string }) => [by, field]),
    [
      ['@drew', 'origins'],
      ['@ellis', 'name'],
    ],
  )
  await done(ellis, 'POST', '/status', { clientId, status: 'suspended', reason: 'Under review' })
  assert.equal(await listed(clientId), undefined, 'who decides has looked')
  await approve(clientId)
  assert.equal(await listed(clientId), undefined)
})

test('a change during a review remains to be reviewed', async () => {
  const clientId = await register('raced')
  await approve(clientId)
  for (let i = 0; i < 10; i++) {
    await change(drew, clientId, { name: `Seen ${i}` })
    const { changedDate } = await listed(clientId)
    const [looked] = await Promise.all([look(clientId, changedDate), change(casey, clientId, { name: `Unseen ${i}` })])
    assert.ok(looked.status === 200 || looked.status === 409, looked.text)
    assert.equal((await listed(clientId)).changes[0].after[0], `Unseen ${i}`)
  }
})

test('in the sandbox there are no reviews', async () => {
  const there = await signInBrowser(app, 'drew', 'sandbox')
  const what = { name: 'Logbook', organisation: 'school', redirectUris: [BACK], key: 'tried' }
  const { clientId } = await done(there, 'PUT', '', what)
  await change(there, clientId, { name: 'Another' })
  const administrator = await signInBrowser(app, 'ellis', 'sandbox')
  assert.deepEqual((await call(administrator, 'GET', `${PATH}/changed`)).body.docs, [])
})
