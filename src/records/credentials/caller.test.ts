import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { scope } from './caller.ts'
import type { StoreCaller } from './credentials.ts'
import { expand, SCOPES } from './scopes.ts'
import { basicOf, makeTestKey } from './testing.ts'

const WHOAMI = '/lrs/v1/whoami'
const app = await sharedApp({}, { withSandbox: true })
const { url } = app.environment()
await app.sql(`update people set administrator = handle = '@ellis', anonymous = handle = '@finley'`)

const account = (name: string) => ({ objectType: 'Agent', account: { homePage: url, name } })

test('a key acts as an account named after it', async () => {
  const { client, key } = await makeTestKey(app, { name: 'Simulator', scopes: ['state', 'statements/write'] })
  const { status, body } = await client.get(WHOAMI)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    kind: 'key',
    key,
    scopes: ['statements/write', 'state'],
    authority: { ...account(key), name: 'Simulator' },
    usesLibrary: false,
  })
})

test('a key with the scope all has every scope, and can have a custom authority', async () => {
  const authority = { objectType: 'Agent', mbox: 'mailto:lab@example.org' }
  const { client } = await makeTestKey(app, { authority, usesLibrary: true })
  const { body } = await client.get(WHOAMI)
  assert.deepEqual([body.scopes, body.authority, body.usesLibrary], [[...SCOPES], authority, true])
})

test('an app user writes, reads their own statements and keeps state; the authority is the app with the user', async () => {
  const { body } = await (await app.as('avery')).get(WHOAMI)
  assert.deepEqual(body, {
    kind: 'user',
    key: null,
    scopes: ['statements/write', 'statements/read/mine', 'state'],
    authority: { objectType: 'Group', member: [{ ...account('gs-first'), name: 'first' }, account('@avery')] },
    usesLibrary: false,
  })
})

test('administrators may do everything on the platform’s own pages, other people in a browser nothing', async () => {
  const { body } = await call(await signInBrowser(app, 'ellis'), 'GET', WHOAMI)
  assert.deepEqual([body.kind, body.scopes, body.authority], ['administrator', [...SCOPES], account('@ellis')])
  const drew = await signInBrowser(app, 'drew')
  for (const isAdministrator of [false, true, false]) {
    await app.sql(`update people set administrator = ${isAdministrator} where handle = '@drew'`)
    const answer = await call(drew, 'GET', WHOAMI)
    if (isAdministrator) assert.equal(answer.status, 200, answer.text)
    else assertError(answer, 403, 4032, /only administrators/)
  }
})

test('another site cannot write with the cookie of an administrator', async () => {
  const ellis = await signInBrowser(app, 'ellis')
  const send = (site: string) =>
    call(ellis, 'POST', '/xapi/statements', [], { 'sec-fetch-site': site, 'x-experience-api-version': '2.0.0' })
  assertError(await send('cross-site'), 403, 4032, /own pages/)
  assert.notEqual((await send('same-origin')).status, 403)
})

test('a request without valid credentials is asked for a key', async () => {
  const { key, secret, client } = await makeTestKey(app)
  const send = (authorization: string) => app.nobody().get(WHOAMI, {}, { authorization })
  const refused = [
    [await app.nobody().get(WHOAMI), 401, 4016],
    [await send('Basic'), 401, 4016],
    [await send('Basic !'), 401, 4016],
    [await send(basicOf(key, '')), 401, 4011],
    [await send(basicOf(key, `${secret}x`)), 401, 4011],
    [await send(basicOf('gs_key_AAAAAAAAAAAAAAAAAAAAAA', secret)), 401, 4012],
    [await send(basicOf('gs-first', secret)), 401, 4012],
    [await send(basicOf('\0', '\0')), 401, 4012],
    [await send(basicOf(`${key}\n`, secret)), 401, 4012],
  ] as const
  for (const [answer, status, code] of refused) {
    assertError(answer, status, code)
    assert.match(answer.headers.get('www-authenticate')!, /^Basic realm=/)
  }
  assertError(await (await app.as('finley')).get(WHOAMI), 403, 4035, /anonymous/)
  assertError(await new Client(app.address, 'gs_at_nonsense').get(WHOAMI), 403, 4034)
  assert.equal((await client.get(WHOAMI)).status, 200)
})

test('a key of one environment does not work in the other', async () => {
  const [own, other] = [await makeTestKey(app), await makeTestKey(app, {}, 'sandbox')]
  assert.equal((await other.client.get(WHOAMI)).status, 200)
  assertError(await new Client(app.address, other.basic).get(WHOAMI), 401, 4012, /this is production/)
  assertError(await new Client(app.sandboxAddress, own.basic).get(WHOAMI), 401, 4012, /this is sandbox/)
})

test('a scope allows what requires it, all allows everything, and a refusal names the missing scope', () => {
  for (const held of SCOPES)
    for (const asked of SCOPES) {
      const who = { scopes: expand([held]) } as StoreCaller
      const check = () => scope(asked).check({ who } as Parameters<ReturnType<typeof scope>['check']>[0])
      if (held === asked || held === 'all') check()
      else
        assert.throws(check, { kind: 'forbidden', message: `This requires the scope ${asked}; the caller has ${held}` })
    }
  const who = { scopes: expand(['statements/read/mine']) } as StoreCaller
  const either = scope('statements/read', 'statements/read/mine')
  either.check({ who } as Parameters<typeof either.check>[0])
  assert.equal(either.name, 'scope statements/read or statements/read/mine')
})
