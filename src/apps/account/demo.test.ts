import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentName } from '../../kernel/config.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { pkcePair, REDIRECT_URI, registerApp } from '../oauth/testing.ts'
import { signInUrl } from '../oauth/testing-pages.ts'
import { call, isSignedIn } from './testing.ts'

const PATH = '/account/v1/demo/signin'
const HERE = '/account/v1/here'
const app = await sharedApp({}, { withSandbox: true })
for (const person of ['avery', 'ellis', 'finley'] as const) await app.givePassword(person)
await app.sql(`update people set administrator = true where handle = '@ellis'`)

test('with demo data one click signs in as a demo person, never as a real one', async () => {
  const browser = app.visitor()
  const before = (await call(browser, 'GET', HERE)).body
  assert.equal(before.person, null)
  // Finley has a password, but is not marked as a demo person; the demo people who are not listed have no password.
  assert.deepEqual(before.demoPeople, [
    { handle: '@avery', name: '', part: 'student' },
    { handle: '@ellis', name: '', part: 'administrator' },
  ])
  assert.equal((await call(browser, 'POST', PATH, { handle: 'ellis' })).status, 200)
  assert.ok(await isSignedIn(browser))
  assert.deepEqual((await call(browser, 'GET', HERE)).body.person, {
    handle: '@ellis',
    name: '',
    isTest: false,
    areas: ['dashboard', 'organisations', 'console', 'planner', 'admin'],
    may: { administer: true, createOrganisation: true, createCourse: true, lookAfterChildren: true },
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

const HINT = /<a href="\/">Sign in with one click on the home page<\/a>, or use the password <code>groundschool</

test('sign-in pages say how demo people sign in, also after a mistake; not where there are none', async () => {
  const pathsIn = async (name: EnvironmentName) => {
    const registered = await registerApp(app, { key: 'asking' }, name)
    const { challenge } = pkcePair()
    return ['/account/signin', signInUrl('', registered, { redirectUri: REDIRECT_URI, challenge })]
  }
  for (const path of await pathsIn('production')) {
    const browser = app.visitor()
    const seen = await browser.get(path)
    assert.match(seen.text, HINT)
    assert.match((await browser.submit(seen, { handle: 'avery', password: 'wrong' })).text, HINT)
  }
  // No demo person in the sandbox has a password.
  for (const path of await pathsIn('sandbox')) {
    const without = (await app.visitor('sandbox').get(path)).text
    assert.match(without, /<h1>Sign in<\/h1>/)
    assert.doesNotMatch(without, /Trying the demo/)
  }
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

test('M7: if others can reach the platform, nobody can sign in as a demo person, and none is listed', async (t) => {
  const open = await testApp(t, { TRUST_PROXY: '127.0.0.1' })
  await open.givePassword('avery')
  const browser = open.visitor()
  assert.deepEqual((await call(browser, 'GET', HERE)).body.demoPeople, [])
  assertError(await call(browser, 'POST', PATH, { handle: '@avery' }), 404, 4042)
  assert.doesNotMatch((await browser.get('/account/signin')).text, /Trying the demo/)
})
