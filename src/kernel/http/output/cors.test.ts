import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAppStatus } from '../../../apps/apps/apps.ts'
import { type Answer, assertError, type TestApp, testApp } from '../../../operations/testing/testing.ts'
import type { Caller } from '../../caller.ts'
import { until } from '../../database/test-database.ts'

const PATH = '/app/v1/bucket'
const ORIGIN = 'https://app.example.org'
const OPERATOR: Caller = { at: new Date(), requestId: 'operator', address: '127.0.0.1' }

const preflight = (app: TestApp, origin: string, environment?: 'sandbox'): Promise<Answer> =>
  app.nobody(environment).send('OPTIONS', PATH, {
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization, content-type, idempotency-key',
    },
  })

const corsOf = ({ headers }: Answer): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))

test('pages of other origins', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const avery = await app.as('avery')
  const { db } = app.environment()
  const approve = (status: 'approved' | 'suspended') => setAppStatus(db, OPERATOR, { clientId: 'gs-first', status })
  await app.sql(`insert into app_origins select id, '${ORIGIN}' from apps where client_id = 'gs-first'`)
  await approve('approved')
  await until('the origin is known', async () => (await preflight(app, ORIGIN)).status === 200)

  await t.test('a registered origin may send requests, and read the answers', async () => {
    const asked = await preflight(app, ORIGIN)
    assert.equal(asked.headers.get('access-control-allow-origin'), ORIGIN)
    assert.equal(asked.headers.get('vary'), 'Origin')
    for (const method of ['GET', 'PUT', 'POST', 'DELETE'])
      assert.ok(asked.headers.get('access-control-allow-methods')?.split(', ').includes(method))
    const allowed = asked.headers.get('access-control-allow-headers')?.split(', ') ?? []
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match', 'clientid', 'client_id'])
      assert.ok(allowed.includes(name), name)
    assert.equal(asked.headers.get('access-control-allow-credentials'), null)

    const made = await avery.put(PATH, { id: 'page' }, { origin: ORIGIN })
    assert.equal(made.status, 200)
    assert.equal(made.headers.get('access-control-allow-origin'), ORIGIN)
    assert.equal(made.headers.get('cross-origin-resource-policy'), 'cross-origin')
  })

  await t.test('errors can be read too, with every header that our answers carry', async () => {
    const refused = await avery.get(PATH, { id: 'none' }, { origin: ORIGIN })
    assertError(refused, 404, 4042)
    assert.equal(refused.headers.get('access-control-allow-origin'), ORIGIN)
    const exposed = refused.headers.get('access-control-expose-headers')?.split(', ') ?? []
    for (const name of [
      'access_token',
      'accesstoken',
      'error_code',
      'error_description',
      'errorcode',
      'errordescription',
      'etag',
      'expires_in',
      'ratelimit',
      'ratelimit-policy',
      'refresh_token',
      'refreshtoken',
      'retry-after',
      'token_type',
      'x-request-id',
    ])
      assert.ok(exposed.includes(name), name)
  })

  await t.test('an unregistered origin gets no CORS headers', async () => {
    for (const origin of [
      'https://evil.example.org',
      'http://app.example.org',
      'https://app.example.org:8443',
      'https://app.example.org.evil.example',
      'https://APP.example.org',
      `${ORIGIN}/`,
      'null',
      '*',
    ]) {
      const asked = await preflight(app, origin)
      assertError(asked, 403, 4032, /origin is not registered/)
      assert.deepEqual(corsOf(asked), [], origin)
      const read = await avery.get(PATH, { id: 'page' }, { origin })
      assert.deepEqual(corsOf(read), [], origin)
      assert.equal(read.headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(read.headers.get('vary'), 'Origin')
    }
  })

  await t.test('an origin is registered in its own environment only', async () => {
    assertError(await preflight(app, ORIGIN, 'sandbox'), 403, 4032)
  })

  await t.test('the origins of a suspended app are forgotten, in every process', async () => {
    const second = await app.startSecond()
    const askSecond = () =>
      fetch(`${second.addresses.production}${PATH}`, { method: 'OPTIONS', headers: { origin: ORIGIN } })
    assert.equal((await askSecond()).status, 200)
    await approve('suspended')
    await until('the first forgets', async () => (await preflight(app, ORIGIN)).status === 403)
    await until('the second forgets', async () => (await askSecond()).status === 403)
  })
})
