import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { run, school } from '../../kernel/imports/testing.ts'
import { SCOPES } from '../../kernel/scopes.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'

const PATH = '/app/v1/app'
const LIST = '/app/v1/bucket/list'
const WITHIN_MS = 1000

const app = await sharedApp(UNLIMITED, { withSandbox: true })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   insert into organisations (key, name, created_at) values ('school', 'School', now())`,
)
const ellis = await signInBrowser(app, 'ellis')
const change = (fields: object) => call(ellis, 'POST', PATH, { clientId: 'gs-first', ...fields })

test('an app is registered with the scopes that it may ask for, in the order of the catalogue and each once', async () => {
  const fields = { organisation: 'school', name: 'Log', redirectUris: ['https://log.example.org/'] }
  const all = await call(ellis, 'PUT', PATH, { ...fields, key: 'all' })
  assert.deepEqual(all.body.scopes, [], all.text)
  const some = await call(ellis, 'PUT', PATH, { ...fields, key: 'some', scopes: ['notes', 'profile', 'notes'] })
  assert.deepEqual(some.body.scopes, ['profile', 'notes'], some.text)
  const wrong = await call(ellis, 'PUT', PATH, { ...fields, key: 'wrong', scopes: ['notes', 'Everything'] })
  assertError({ ...wrong, body: { ...wrong.body, faults: undefined } }, 400, 4003, /Everything is not a scope/)
  assert.deepEqual(wrong.body.faults, [{ pointer: '/scopes/1', must: `be one of ${SCOPES.join(', ')}` }])
})

test('a change of the scopes of an app takes effect for its tokens within a second, in every process', async () => {
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const bystander = await app.as('avery', 'second')
  const everywhere = (client: Client) => [client, new Client(second.addresses.production, client.token)]
  const assertAll = async (clients: readonly Client[], status: number) => {
    for (const client of clients)
      await until(`${status}`, async () => (await client.get(LIST)).status === status, WITHIN_MS)
  }
  await assertAll([...everywhere(avery), ...everywhere(bystander)], 200)

  assert.deepEqual((await change({ scopes: ['profile'] })).body.scopes, ['profile'])
  await assertAll(everywhere(avery), 401)
  for (const client of everywhere(avery)) assertError(await client.get(LIST), 401, 4017)
  for (const client of everywhere(bystander)) assert.equal((await client.get(LIST)).status, 200)
  assert.equal((await avery.get('/user/v1/my/profile')).status, 200)
  assert.equal((await avery.get('/user/v1/my/profile')).body.email, '')

  // A change of something else keeps the scopes, and an empty list stands for all.
  assert.deepEqual((await change({ name: 'first' })).body.scopes, ['profile'])
  assert.deepEqual((await change({ scopes: [] })).body.scopes, [])
  await assertAll(everywhere(avery), 200)
})

test('an import sets the scopes, keeps them where the file has none, and refuses unknown ones', async () => {
  const scopesOf = async () => (await app.sql(`select scopes from apps where client_id = 'gs-logbook'`))[0]?.scopes
  const write = async (scopes: unknown) => {
    const [report] = Object.values(await run(app, school(scopes === undefined ? {} : { app: { scopes } })))
    assert.ok(report)
    return scopesOf()
  }
  assert.deepEqual(await write(['notes', 'profile']), ['profile', 'notes'])
  assert.deepEqual(await write(['profile', 'notes']), ['profile', 'notes'])
  assert.deepEqual(await write(undefined), ['profile', 'notes'])
  assert.equal(await write(null), null)
  assert.deepEqual(await write(['email']), ['email'])
  assert.equal(await write([]), null)
  await assert.rejects(write(['nonsense']), /scopes\[0\]: must be one of openid/)
})

test('an import that takes a scope away ends its use by tokens that are cached', async () => {
  await run(app, school({ app: { scopes: null } }))
  const [row] = await app.sql(`select name from apps where client_id = 'gs-logbook'`)
  const avery = await app.as('avery', String(row!.name) as 'first')
  assert.equal((await avery.get(LIST)).status, 200)
  await run(app, school({ app: { scopes: ['profile'] } }))
  await until('it is refused', async () => (await avery.get(LIST)).status === 401, WITHIN_MS)
  assertError(await avery.get(LIST), 401, 4017)
})
