import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { PERMISSIONS, type Permission } from '../../extensions/plugins/rules.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { isFile, isWholeBody } from '../../kernel/http/input/fields.ts'
import type { Need, Operation } from '../../kernel/http/operation.ts'
import { SCOPES, type Scope } from '../../records/credentials/scopes.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import { Client, type Person, type TestApp, testApp } from '../testing/testing.ts'

const NOT_AUTHORIZED = '4016'

/** Who is let in to which operations by what they bring: docs/access.md is made from the same declarations. */
const ADMITTED: Record<string, readonly string[]> = {
  nothing: ['anyone', 'visitor'],
  cookie: ['anyone', 'visitor', 'person', 'member', 'record store'],
  token: ['anyone', 'visitor', 'app user', 'member', 'record store'],
  basic: ['anyone', 'visitor', 'plugin', 'record store'],
}

test('each operation lets in the callers that it declares, and no others', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { basic } = await registerTestPlugin(app, { kind: 'ai', key: 'ai' })
  const bring: Record<string, () => Promise<Record<string, string>>> = {
    nothing: async () => ({}),
    cookie: async () => ({ cookie: await cookieOf(app, 'drew') }),
    token: async () => ({ authorization: `Bearer ${(await app.as('drew')).token}` }),
    basic: async () => ({ authorization: basic }),
  }
  const send = async ({ method, path }: Operation, headers: Record<string, string>) => {
    const response = await fetch(`${app.address}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method,
      headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
    })
    await response.body?.cancel()
    return response.headers.get('errorcode')
  }
  for (const operation of operations)
    for (const [what, admitted] of Object.entries(ADMITTED)) {
      const code = await send(operation, await bring[what]!())
      // An operation for anyone may want credentials of its own.
      const isForAnyone = ['anyone', 'visitor'].includes(operation.who.name)
      const isAdmitted = code !== NOT_AUTHORIZED || (isForAnyone && operation.errors.includes('notAuthorized'))
      assert.equal(isAdmitted, admitted.includes(operation.who.name), `${operation.name} with ${what}: ${code}`)
    }
})

test('what a caller must hold beside is asked for', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set anonymous = handle_key = 'finley', administrator = handle_key = 'ellis'`)
  const plugin = async (key: string, permissions: readonly Permission[]) => {
    const { basic } = await registerTestPlugin(app, { kind: 'ai', key, permissions })
    return new Client(app.address, basic)
  }
  const old = await cookieOf(app, 'casey')
  app.advance(11 * 60_000)
  const [drew, recent] = [await app.as('drew'), await cookieOf(app, 'drew')]
  const token = (client: Client) => ({ client, headers: {} })
  const browser = (cookie: string) => ({ client: app.nobody(), headers: { cookie } })
  const granted = async (name: Permission) => ({
    lacks: token(
      await plugin(
        `no-${name}`,
        PERMISSIONS.ai.filter((one) => one !== name),
      ),
    ),
    holds: token(await plugin(`only-${name}`, [name])),
    code: 4014,
  })
  /** `scope state or all`: keys of the record store with the first of them, and with none. */
  const scoped = async (name: string) => {
    const scopes = name.replace(/^scope /, '').split(' or ') as Scope[]
    const others = SCOPES.filter((one) => one !== 'all' && !scopes.includes(one))
    const [lacks, holds] = [
      await makeTestKey(app, { scopes: others }),
      await makeTestKey(app, { scopes: [scopes[0]!] }),
    ]
    return { lacks: token(lacks.client), holds: token(holds.client), code: 4032 }
  }
  /** For each need, somebody who does not meet it, how they are refused, and somebody who does. */
  const cases: Record<string, { lacks: ReturnType<typeof token>; holds: ReturnType<typeof token>; code: number }> = {
    'an account': { lacks: token(await app.as('finley')), holds: token(drew), code: 4035 },
    'a sign-in within the last 10 minutes': { lacks: browser(old), holds: browser(recent), code: 4016 },
    administrator: { lacks: browser(recent), holds: browser(await cookieOf(app, 'ellis')), code: 4032 },
    'permission user-records': await granted('user-records'),
    'permission badges': await granted('badges'),
    'permission skills': await granted('skills'),
  }
  for (const operation of operations)
    for (const need of operation.needs ?? []) {
      const { lacks, holds, code } = cases[need.name] ?? (await scoped(need.name))
      const { name } = operation
      const userId = 'userId' in operation.input.properties ? (await app.as('casey')).userId : undefined
      const send = ({ client, headers }: ReturnType<typeof token>) =>
        sendExample(operation, client, headers, { userId })
      assert.equal(await send(lacks), code, name)
      assert.notEqual(await send(holds), code, name)
    }
})

/** The code of the refusal, or undefined. A stream has no end: that it begins is enough. */
async function sendExample(
  { method, path, from, input, example = {} }: Operation,
  client: Client,
  headers: Record<string, string>,
  more: object,
): Promise<number | undefined> {
  const fields = Object.entries({ ...example.request, ...more }).filter(([, value]) => value !== undefined)
  const file = isWholeBody(from) ? fields.find(([field]) => isFile(input.properties[field])) : undefined
  const isInQuery = from === 'query' || file !== undefined
  const inQuery = isInQuery ? fields.filter((field) => field !== file) : []
  const query = new URLSearchParams(inQuery.map(([field, value]): [string, string] => [field, String(value)]))
  const body = JSON.stringify(file ? file[1] : Object.fromEntries(fields))
  const { token } = client
  const response = await fetch(`${client.address}${path}?${query}`, {
    method,
    headers: {
      ...(token ? { authorization: token.startsWith('Basic ') ? token : `Bearer ${token}` } : {}),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...example.headers,
      ...headers,
    },
    ...(method === 'GET' ? {} : { body }),
  })
  await response.body?.cancel()
  return Number(response.headers.get('errorcode')) || undefined
}

/** What the browser of somebody who has just signed in sends. */
async function cookieOf(app: TestApp, person: Person): Promise<string> {
  const { cookies } = await signInBrowser(app, person)
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** What an operation may say in place of a role of its own. */
const isRole = ({ name }: Need<never>): boolean => name === 'administrator' || name.startsWith('scope ')

test('operations about learning and plugins say who may call them', () => {
  for (const area of [
    'Lessons and progress',
    'Notes',
    'Courses and classes',
    'xAPI',
    'Record store',
    'Plugins',
    'ATO',
    'AI plugins',
    'Badges',
    'Mission planner',
  ]) {
    const ofArea = operations.filter((operation) => operation.area === area)
    assert.ok(ofArea.length > 0, area)
    assert.deepEqual(
      ofArea.filter(({ role, needs = [] }) => !role && !needs.some(isRole)).map(({ name }) => name),
      [],
      area,
    )
  }
})
