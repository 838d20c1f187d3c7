import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidy } from '../../operations/platform/upkeep.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { call, isSignedIn, signInBrowser, UNLIMITED } from '../account/testing.ts'

const PATH = '/sandbox/v1/people'
const app = await sharedApp(UNLIMITED, { withSandbox: true })
for (const environment of ['production', 'sandbox'] as const)
  await app.sql(
    `insert into organisations (key, name, created_at) values ('school', 'School', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'developer' from organisations o, people p where p.handle in ('@drew', '@casey')`,
    environment,
  )
const drew = await signInBrowser(app, 'drew', 'sandbox')
const casey = await signInBrowser(app, 'casey', 'sandbox')
interface Tester {
  handle: string
  name: string
  apps: number
}
const docsOf = async (browser: TestBrowser, method: 'GET' | 'PUT' | 'POST', path = PATH): Promise<Tester[]> => {
  const { status, body, text } = await call(browser, method, path, method === 'GET' ? undefined : {})
  assert.equal(status, 200, text)
  return body.docs
}

test('a developer has ten test people, however often and at once they ask', async () => {
  const many = await Promise.all([1, 2, 3].map(() => docsOf(drew, 'PUT')))
  for (const people of many) assert.deepEqual(people, many[0])
  assert.equal(new Set(many[0]!.map(({ name }) => name)).size, 10)
  assert.deepEqual(await docsOf(drew, 'GET'), many[0])
  assert.deepEqual(await docsOf(casey, 'GET'), [])
})

test('only their creator can sign in as them, and is then that person', async () => {
  const [{ handle }] = (await docsOf(drew, 'GET')) as [Tester]
  assertError(await call(casey, 'POST', `${PATH}/signin`, { handle }), 404, 4042)
  assertError(await call(drew, 'POST', `${PATH}/signin`, { handle: '@casey' }), 404, 4042)
  assertError(
    await call(app.visitor('sandbox'), 'POST', '/account/v1/signin', { handle, password: 'groundschool' }),
    401,
    4011,
  )
  const browser = await signInBrowser(app, 'drew', 'sandbox')
  assert.equal((await call(browser, 'POST', `${PATH}/signin`, { handle })).status, 200)
  assert.equal((await call(browser, 'GET', '/account/v1/me')).body.handle, handle)
  assertError(await call(browser, 'GET', PATH), 403, 4032)
  const isTest = async (one: typeof browser) => (await call(one, 'GET', '/account/v1/here')).body.person.isTest
  assert.deepEqual([await isTest(browser), await isTest(drew)], [true, false])
  // The sign-in form does not suggest the handle of the test person, who has no password.
  const back = await browser.get('/account/signin', { again: 'true', next: '/console/sandbox' })
  assert.ok(!back.text.includes(`value="${handle}"`), back.text)
  const [entry] = await app.sql(`select action from audit_entries order by id desc limit 1`, 'sandbox')
  assert.equal(entry?.action, 'sign-in.test')
})

test('a reset deletes them, signs them out, and creates others', async () => {
  const before = await docsOf(drew, 'GET')
  const browser = await signInBrowser(app, 'drew', 'sandbox')
  await call(browser, 'POST', `${PATH}/signin`, { handle: before[0]!.handle })
  const after = await docsOf(drew, 'POST', `${PATH}/reset`)
  assert.equal(after.length, 10)
  assert.ok(!after.some(({ handle }) => before.some((one) => one.handle === handle)))
  assert.ok(!(await isSignedIn(browser)))
  const [left] = await app.sql(
    `select count(*)::int as count from people where handle = any('{${before.map(({ handle }) => handle)}}')`,
    'sandbox',
  )
  assert.equal(left?.count, 0)
})

test('they do not exist in production, nor for people who develop nothing', async () => {
  const real = await signInBrowser(app, 'drew')
  const blake = await signInBrowser(app, 'blake', 'sandbox')
  const asks = [
    ['PUT', PATH, {}],
    ['GET', PATH, undefined],
    ['POST', `${PATH}/signin`, { handle: '@avery' }],
    ['POST', `${PATH}/reset`, {}],
  ] as const
  for (const [method, path, body] of asks) {
    assertError(await call(real, method, path, body), 400, 4006, /only in the sandbox/)
    assertError(await call(blake, method, path, body), 403, 4032, /Only developers/)
  }
  assert.deepEqual(await app.sql('select person_id from test_people'), [])
})

test('they are deleted with their creator', async () => {
  await docsOf(casey, 'PUT')
  await app.sql(`delete from people where handle = '@casey'`, 'sandbox')
  await tidy(app.environment('sandbox'))
  const [left] = await app.sql('select count(*)::int as count from test_people', 'sandbox')
  assert.equal(left?.count, 10)
})
