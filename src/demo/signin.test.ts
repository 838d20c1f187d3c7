import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, isSignedIn } from '../account/testing.ts'
import { assertError, sharedApp, testApp } from '../testing/testing.ts'

const PATH = '/account/v1/demo/signin'
const HERE = '/account/v1/here'
const app = await sharedApp()
for (const person of ['avery', 'ellis', 'finley'] as const) await app.givePassword(person)
await app.sql(`update people set administrator = true where handle = '@ellis'`)

test('with demo data one click signs in as a demo person, and nobody real', async () => {
  const browser = app.visitor()
  const before = (await call(browser, 'GET', HERE)).body
  assert.equal(before.person, null)
  // Finley has a password and is real; the others of the demo have none.
  assert.deepEqual(before.demoPeople, [
    { handle: '@avery', name: '', part: 'student' },
    { handle: '@ellis', name: '', part: 'administrator' },
  ])
  assert.equal((await call(browser, 'POST', PATH, { handle: 'ellis' })).status, 200)
  assert.ok(await isSignedIn(browser))
  assert.deepEqual((await call(browser, 'GET', HERE)).body.person, {
    handle: '@ellis',
    name: '',
    areas: ['dashboard', 'console', 'planner', 'admin'],
  })
  for (const handle of ['@finley', '@blake', '@nobody']) {
    const other = app.visitor()
    assertError(await call(other, 'POST', PATH, { handle }), 404, 4042)
    assert.ok(!(await isSignedIn(other)))
  }
  const [{ action }] = (await app.sql(`select action from audit_entries order by id desc limit 1`)) as [
    { action: string },
  ]
  assert.equal(action, 'sign-in.demo')
})

test('a page of another site cannot sign a visitor in as a demo person', async () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: app.sandboxAddress },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const browser = app.visitor()
    assertError(await call(browser, 'POST', PATH, { handle: '@avery' }, headers as Record<string, string>), 403, 4032)
    assert.ok(!(await isSignedIn(browser)))
  }
})

test('M7: where others reach the platform nobody is signed in as a demo person, and none is named', async (t) => {
  const open = await testApp(t, { TRUST_PROXY: '127.0.0.1' })
  await open.givePassword('avery')
  const browser = open.visitor()
  assert.deepEqual((await call(browser, 'GET', HERE)).body.demoPeople, [])
  assertError(await call(browser, 'POST', PATH, { handle: '@avery' }), 404, 4042)
})
