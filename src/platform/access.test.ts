import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../account/testing.ts'
import { operations } from '../app.ts'
import { UNLIMITED } from '../buckets/testing.ts'
import type { Operation } from '../http/operation.ts'
import { testApp } from '../testing/testing.ts'

const NOT_AUTHORIZED = '4016'

/** Who is let in to which operations by what they bring: docs/access.md is made from the same declarations. */
const ADMITTED: Record<string, readonly string[]> = {
  nothing: ['anyone', 'visitor'],
  cookie: ['anyone', 'visitor', 'person', 'member'],
  token: ['anyone', 'visitor', 'app user', 'member'],
}

test('each operation lets in the callers that it declares, and no others', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const bring: Record<string, () => Promise<Record<string, string>>> = {
    nothing: async () => ({}),
    cookie: async () => {
      const { cookies } = await signInBrowser(app, 'drew')
      return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    },
    token: async () => ({ authorization: `Bearer ${(await app.as('drew')).token}` }),
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
      const isAdmitted = code !== NOT_AUTHORIZED || operation.errors.includes('notAuthorized')
      assert.equal(isAdmitted, admitted.includes(operation.who.name), `${operation.name} with ${what}: ${code}`)
    }
})

test('what a caller must hold beside is asked for', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set anonymous = true where handle_key = 'finley'`)
  /** For each need, somebody who does not meet it, and how they are refused. */
  const lacking = { 'an account': { client: await app.as('finley'), code: 4035 } }
  const drew = await app.as('drew')
  const asked = operations.flatMap((operation) => (operation.needs ?? []).map((need) => ({ operation, need })))
  assert.deepEqual(new Set(asked.map(({ need }) => need.name)), new Set(Object.keys(lacking)))
  for (const { operation, need } of asked) {
    const { client, code } = lacking[need.name as keyof typeof lacking]
    const { method, path, name } = operation
    const body = { userId: (await app.as('casey')).userId }
    assert.equal((await client.send(method, path, { body })).body.error_code, code, name)
    assert.notEqual((await drew.send(method, path, { body })).body.error_code, code, name)
  }
})

test('operations about learning say who may call them', () => {
  for (const area of ['Lessons and progress', 'Notes', 'Courses and classes']) {
    const ofArea = operations.filter((operation) => operation.area === area)
    assert.ok(ofArea.length > 0, area)
    assert.deepEqual(
      ofArea.filter(({ role }) => !role).map(({ name }) => name),
      [],
      area,
    )
  }
})
