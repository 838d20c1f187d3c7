import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidy } from '../../operations/platform/upkeep.ts'
import { assertError, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { requestLog } from './log.ts'
import { isKept } from './rules.ts'

const PATH = '/app/v1/app/requests'
const app = await sharedApp(UNLIMITED)
await own(app)
const drew = await signInBrowser(app, 'drew')

/** Makes Drew the owner of the first app. */
async function own({ sql }: TestApp): Promise<void> {
  await sql(`update apps set owner_id = (select id from people where handle = '@drew') where client_id = 'gs-first'`)
}
const list = async (query = '') => {
  await app.environment().get(requestLog).write()
  const { body, status, text } = await call(drew, 'GET', `${PATH}?clientId=gs-first${query}`)
  assert.equal(status, 200, text)
  return body
}

test('requests of an app are in its log, with the status and without the content', async () => {
  const client = await app.as('avery')
  const made = await client.put('/app/v1/bucket', { id: 'plan', data: { secret: 'a-word-of-avery' } })
  const missing = await client.get('/app/v1/bucket', { id: 'nowhere' })
  await (await app.as('avery', 'second')).get('/app/v1/bucket/list')
  const refused = await app.nobody().post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_id: 'gs-first',
    client_secret: 'a-wrong-secret',
  })
  await app.nobody().post('/oauth/token', { grant_type: 'refresh_token', client_id: 'gs-none', client_secret: 'x' })
  const { docs, next, days } = await list()
  assert.deepEqual([next, days], [null, 7])
  assert.deepEqual(
    docs.map(({ date: _, ms, ...rest }: { date: string; ms: number }) => ({ ...rest, isTimed: ms >= 0 })),
    [
      ['requestTokens', 401, 4011, refused],
      ['readBucket', missing.status, missing.body.error_code, missing],
      ['createBucket', 200, null, made],
    ].map(([operation, status, code, answer]) => ({
      ...{ operation, status, code, isTimed: true },
      requestId: (answer as typeof made).headers.get('x-request-id'),
    })),
  )
  const [{ kept }] = (await app.sql(`select string_agg(r::text, ' ') as kept from app_requests r`)) as [
    { kept: string },
  ]
  assert.doesNotMatch(kept, /a-word-of-avery|a-wrong-secret|avery|plan|nowhere/)
  assert.ok(!kept.includes(client.userId))
})

test('it is filtered by status, class of status, code and operation, and read page by page', async () => {
  const client = await app.as('blake')
  for (let i = 0; i < 3; i++) await client.get('/app/v1/bucket', { id: `none-${i}` })
  await client.get('/app/v1/bucket/list')
  const operationsOf = async (query: string) => [
    ...new Set((await list(query)).docs.map(({ operation }: { operation: string }) => operation)),
  ]
  assert.deepEqual(await operationsOf('&code=4011'), ['requestTokens'])
  assert.deepEqual(await operationsOf('&operation=listBuckets&status=2xx'), ['listBuckets'])
  assert.deepEqual(await operationsOf('&operation=listBuckets&status=4xx'), [])
  assert.deepEqual(await operationsOf('&status=401'), ['requestTokens'])
  const first = await list('&operation=readBucket&limit=2')
  const second = await list(`&operation=readBucket&limit=2&cursor=${first.next}`)
  assert.deepEqual([first.docs.length, second.docs.length, second.next], [2, 2, null])
  for (const query of ['status=abc', 'status=600', 'cursor=x'])
    assertError(await call(drew, 'GET', `${PATH}?clientId=gs-first&${query}`), 400, 4003)
})

test('the log of a foreign app cannot be read', async () => {
  const blake = await signInBrowser(app, 'blake')
  for (const clientId of ['gs-first', 'gs-second', 'gs-none'])
    assertError(await call(blake, 'GET', `${PATH}?clientId=${clientId}`), 403, 4032)
})

test('entries go after REQUEST_LOG_DAYS', async () => {
  assert.ok((await list()).docs.length > 0)
  app.advance(8 * 86_400_000)
  await tidy(app.environment())
  const [{ count }] = (await app.sql('select count(*)::int as count from app_requests')) as [{ count: number }]
  assert.equal(count, 0)
})

test('refusals are kept up to a bound, successes are sampled, and all of it has an end', () => {
  const rules: [...Parameters<typeof isKept>, isKept: boolean][] = [
    [{ refusals: 0, successes: 19 }, 200, 0, 0.9, true],
    [{ refusals: 0, successes: 20 }, 200, 0, 0.9, false],
    [{ refusals: 0, successes: 20 }, 200, 0, 0.01, true],
    [{ refusals: 499, successes: 999 }, 500, 0, 0.9, true],
    [{ refusals: 500, successes: 0 }, 404, 0, 0.01, false],
    [{ refusals: 0, successes: 0 }, 500, 5_000, 0, false],
  ]
  for (const [kept, status, entries, chance, expected] of rules)
    assert.equal(isKept(kept, status, entries, chance), expected, JSON.stringify([kept, status, entries]))
})

test('REQUEST_LOG_DAYS of 0 keeps nothing', async (t) => {
  const quiet = await testApp(t, { REQUEST_LOG_DAYS: '0' })
  await (await quiet.as('avery')).get('/app/v1/bucket/list')
  await quiet.environment().get(requestLog).write()
  assert.deepEqual(await quiet.sql('select id from app_requests'), [])
})
