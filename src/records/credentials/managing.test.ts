import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { MOMENT } from '../../kernel/samples.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { SCOPES } from './scopes.ts'
import { basicOf, makeTestKey } from './testing.ts'

const PATH = '/lrs/v1/credentials'
const WHOAMI = '/lrs/v1/whoami'
const app = await sharedApp(UNLIMITED)
await app.sql(`update people set administrator = handle = '@ellis'`)
const ellis = await signInBrowser(app, 'ellis')
const drew = await signInBrowser(app, 'drew')

const make = async (what: object, who: TestBrowser = ellis) => {
  const answer = await call(who, 'PUT', PATH, { name: 'A tool', scopes: ['state'], ...what })
  assert.equal(answer.status, 200, answer.text)
  return { ...answer.body, client: new Client(app.address, basicOf(answer.body.key, answer.body.secret)) }
}
/** Reads the audit log entries about a key, and checks that Ellis caused all of them. */
const auditOf = async (key: string) => {
  const entries = await app.sql(
    `select a.action, p.handle from audit_entries a left join people p on p.id = a.person_id
      where a.detail ->> 'key' = '${key}' and a.action <> 'credential.wrong-secret' order by a.id`,
  )
  for (const { handle } of entries) assert.equal(handle, '@ellis')
  return entries.map(({ action }) => action)
}

test('an administrator creates a key, whose secret is shown once and never stored', async () => {
  const expiresDate = '2100-01-01T00:00:00.000Z'
  const authority = { objectType: 'Agent', name: 'Lab', mbox: 'mailto:lab@example.org' }
  const { client, secret, ...made } = await make({ scopes: 'state,all', authority, expiresDate, usesLibrary: true })
  assert.match(secret, /^gs_cs_/)
  assert.deepEqual(
    [made.scopes, made.authority, made.expiresDate, made.usesLibrary, made.createdBy],
    [['state', 'all'], authority, expiresDate, true, '@ellis'],
  )
  const { body } = await client.get(WHOAMI)
  assert.deepEqual([body.key, body.authority, body.scopes], [made.key, authority, [...SCOPES]])
  const list = await call(ellis, 'GET', `${PATH}?limit=100`)
  assert.ok(!list.text.includes(secret))
  assert.equal(list.body.docs[0].key, made.key)
  assert.deepEqual(await auditOf(made.key), ['credential.added'])
  const dump = await app.sql(
    `select c::text || s::text as text from credentials c join credential_secrets s on s.credential_id = c.id`,
  )
  assert.ok(dump.every(({ text }) => !String(text).includes(secret.slice(6, 30))))
})

test('faults of a key to be created are reported', async () => {
  const wrong: [object, RegExp][] = [
    [{ scopes: ['statements'] }, /^scopes must be some of statements\/write, /],
    [{ scopes: [] }, /^scopes must be some of /],
    [{ name: ' ' }, /^name is missing$/],
    [{ expiresDate: MOMENT.replace('2026', '2020') }, /^expiresDate must be in the future$/],
    [{ authority: { mbox: 'lab@example.org' } }, /^authority\/mbox must be "mailto:"/],
    [{ authority: {} }, /^authority must have exactly one of mbox/],
    [{ authority: { objectType: 'Group', mbox: 'mailto:a@example.org' } }, /^authority must be an agent, not a group$/],
    [{ authority: { mbox: 'mailto:a@example.org', name: 'x'.repeat(1000) } }, /^authority must have at most 1000/],
  ]
  for (const [what, why] of wrong) {
    const answer = await call(ellis, 'PUT', PATH, { name: 'A tool', scopes: ['state'], ...what })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error_description, why)
  }
})

test('only an administrator manages keys; keys and apps cannot', async () => {
  const { key } = await make({})
  const all = [
    ['PUT', PATH, { name: 'A tool', scopes: ['all'] }],
    ['POST', PATH, { key, scopes: ['all'] }],
    ['POST', `${PATH}/revoke`, { key }],
    ['PUT', `${PATH}/secret`, { key }],
    ['POST', `${PATH}/secret/drop`, { key }],
    ['GET', PATH, undefined],
  ] as const
  const { client } = await makeTestKey(app)
  for (const [method, path, body] of all) {
    assertError(await call(drew, method, path, body), 403, 4032, /^Only administrators/)
    assertError(await client.send(method, path, body ? { body } : {}), 401, 4016)
    assertError(await (await app.as('ellis')).send(method, path, body ? { body } : {}), 401, 4016)
  }
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  assertError(await call(ellis, 'POST', `${PATH}/revoke`, { key }, crossSite), 403, 4032, /own pages/)
  const [{ status }] = (await call(ellis, 'GET', `${PATH}?limit=100`)).body.docs.filter(
    (one: { key: string }) => one.key === key,
  )
  assert.equal(status, 'active')
})

test('changes of a key apply at once, and fields that are left out stay', async () => {
  const { key, client } = await make({ name: 'Before', scopes: ['state'] })
  assert.deepEqual((await client.get(WHOAMI)).body.scopes, ['state'])
  const change = (what: object) => call(ellis, 'POST', PATH, { key, ...what })
  assert.equal((await change({ scopes: ['define', 'profile'] })).body.name, 'Before')
  assert.deepEqual((await client.get(WHOAMI)).body.scopes, ['define', 'profile'])
  assert.deepEqual((await change({ name: 'After', usesLibrary: true })).body.scopes, ['define', 'profile'])
  const { body } = await client.get(WHOAMI)
  assert.deepEqual([body.authority.name, body.authority.account.name, body.usesLibrary], ['After', key, true])
  assertError(await change({ expiresDate: '2100-01-01', neverExpires: true }), 400, 4003, /not both/)
  assert.equal((await change({ expiresDate: '2100-01-01' })).body.expiresDate, '2100-01-01T00:00:00.000Z')
  assert.equal((await change({ neverExpires: true })).body.expiresDate, null)
  assertError(await call(ellis, 'POST', PATH, { key: 'gs_key_none', name: 'x' }), 404, 4042)
})

test('a suspended key is refused at once until it is resumed, a revoked one forever', async () => {
  const { key, client } = await make({})
  const suspend = (suspended: boolean) => call(ellis, 'POST', PATH, { key, suspended })
  assert.equal((await client.get(WHOAMI)).status, 200)
  assert.equal((await suspend(true)).body.status, 'suspended')
  assertError(await client.get(WHOAMI), 401, 4011, /suspended/)
  assert.equal((await suspend(false)).body.status, 'active')
  assert.equal((await client.get(WHOAMI)).status, 200)
  for (const _ of [1, 2]) assert.equal((await call(ellis, 'POST', `${PATH}/revoke`, { key })).status, 200)
  const refused = await client.get(WHOAMI)
  assertError(refused, 401, 4011, /revoked/)
  assert.match(refused.headers.get('www-authenticate')!, /^Basic /)
  assertError(await suspend(false), 400, 4006, /revoked and cannot be restored/)
  assertError(await call(ellis, 'PUT', `${PATH}/secret`, { key }), 400, 4006)
  assert.deepEqual(await auditOf(key), [
    'credential.added',
    'credential.changed',
    'credential.changed',
    'credential.revoked',
  ])
  assertError(await call(ellis, 'POST', `${PATH}/revoke`, { key: 'gs_key_none' }), 404, 4042)
})

test('two secrets work until the old one is revoked, and there are never three', async () => {
  const { key, client } = await make({})
  const add = () => call(ellis, 'PUT', `${PATH}/secret`, { key })
  const answers = await Promise.all([add(), add(), add()])
  const added = answers.filter(({ status }) => status === 200)
  assert.equal(added.length, 1)
  for (const answer of answers) if (answer.status !== 200) assertError(answer, 400, 4006, /revoke the old one first/)
  const next = new Client(app.address, basicOf(key, added[0]!.body.secret))
  for (const one of [client, next]) assert.equal((await one.get(WHOAMI)).status, 200)
  const { body } = await call(ellis, 'POST', `${PATH}/secret/drop`, { key })
  assert.equal(body.secrets.length, 1)
  assertError(await client.get(WHOAMI), 401, 4011, /does not belong to this key/)
  assert.equal((await next.get(WHOAMI)).status, 200)
  assert.deepEqual(await auditOf(key), ['credential.added', 'credential.secret-added', 'credential.secrets-dropped'])
})

test('keys are listed in the order that the administrator asks for', async () => {
  const { key: last } = await make({ name: 'zulu' })
  const { key: first, client } = await make({ name: 'Ärmel', expiresDate: '2100-01-01T00:00:00.000Z' })
  await client.get(WHOAMI)
  const list = async (sort: string) => {
    const { body } = await call(ellis, 'GET', `${PATH}?limit=100&sort=${sort}`)
    return body.docs.map(({ key }: { key: string }) => key).filter((key: string) => key === first || key === last)
  }
  for (const sort of ['name', '-created', '-used', 'expires'])
    assert.deepEqual([await list(sort), sort], [[first, last], sort])
  for (const sort of ['-name', 'created', 'used', '-expires'])
    assert.deepEqual([await list(sort), sort], [[last, first], sort])
})

test('a key outlives the account of its creator', async () => {
  await app.sql(`update people set administrator = true where handle = '@casey'`)
  const { key, client } = await make({}, await signInBrowser(app, 'casey'))
  await app.sql(`delete from people where handle = '@casey'`)
  assert.equal((await client.get(WHOAMI)).status, 200)
  const found = (await call(ellis, 'GET', PATH)).body.docs.find((one: { key: string }) => one.key === key)
  assert.equal(found.createdBy, null)
})

test('managing keys requires a recent sign-in, viewing them does not', async () => {
  app.advance(11 * 60_000)
  assertError(await call(ellis, 'PUT', PATH, { name: 'A tool', scopes: ['all'] }), 401, 4016, /Sign in again/)
  assert.equal((await call(ellis, 'GET', PATH)).status, 200)
})
