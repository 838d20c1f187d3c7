import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, PlatformError } from './index.ts'
import { basic, CLIENT_ID, listen, SECRET } from './testing.ts'

interface Call {
  readonly line: string
  readonly authorization: string | undefined
  readonly body: string
}

/** Starts a server that records the calls it gets. Tests against the real platform are in src/operations/platform. */
async function record(t: Parameters<typeof listen>[0], answer: (path: URL) => Response) {
  const calls: Call[] = []
  const baseUrl = await listen(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    calls.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization, body })
    const told = answer(new URL(request.url!, baseUrl))
    response.writeHead(told.status, Object.fromEntries(told.headers)).end(await told.text())
  })
  return { calls, client: createClient({ baseUrl, clientId: CLIENT_ID, secret: SECRET, timeoutMs: 2000 }) }
}

test('each operation is sent where and how the platform expects it', async (t) => {
  const { calls, client } = await record(t, () => Response.json({}))
  const assertion = {
    userId: 'u',
    badgeId: 'b',
    name: 'n',
    type: 't',
    image: 'i',
    issuedOn: '2026-01-01T00:00:00Z',
    issuerName: 'me',
  }
  const status = { requestId: 'r', status: 'in-progress', cancellable: false } as const
  await client.listRecords({ orgIds: ['a', 'b'], page: 2, limit: 5 })
  await client.listRecords()
  await client.assertBadge(assertion)
  await client.listAssertions('u&v')
  await client.createBadge({ name: 'Night flyer', courseId: 'c' })
  await client.listCourseBadges({ courseId: 'c' })
  await client.listObjectiveBadges({ orgIds: ['a'] })
  await client.readOtherSkills('u')
  await client.addInfo({ userId: 'u', info: [1] })
  await client.as('token').setStatus(status)
  await client.as('token').sendAlert({ requestId: 'r', title: 'T', text: 'x', type: 'warning' })
  await client.exchangeCode('gs_ac_1', 'verifier')
  await client.refresh('gs_rt_1')
  const [own, bearer] = [basic(), 'Bearer token']
  const form = `client_id=${CLIENT_ID}&client_secret=${SECRET}`
  assert.deepEqual(
    calls.map(({ line, authorization, body }) => [line, authorization, body]),
    [
      ['GET /plugin/v2/ai/record-data?orgIds=a%2Cb&page=2&limit=5', own, ''],
      ['GET /plugin/v2/ai/record-data', own, ''],
      ['POST /plugin/v2/ai/badge/assertion', own, JSON.stringify(assertion)],
      ['GET /plugin/v2/ai/badge/assertion?userId=u%26v', own, ''],
      ['POST /plugin/v2/ai/badge', own, '{"name":"Night flyer","courseId":"c"}'],
      ['GET /plugin/v2/ai/badge/course?courseId=c', own, ''],
      ['GET /plugin/v2/ai/badge/objective?orgIds=a', own, ''],
      ['GET /plugin/v2/ai/other-skills?userId=u', own, ''],
      ['POST /plugin/v2/ai/additional-info', own, '{"userId":"u","info":[1]}'],
      ['POST /plugin/v1/ato/status', bearer, JSON.stringify(status)],
      ['POST /plugin/v1/ato/alert', bearer, '{"requestId":"r","title":"T","text":"x","type":"warning"}'],
      ['POST /oauth/token', undefined, `grant_type=authorization_code&code=gs_ac_1&code_verifier=verifier&${form}`],
      ['POST /oauth/token', undefined, `grant_type=refresh_token&refresh_token=gs_rt_1&${form}`],
    ],
  )
})

test('records are read page after page until one is not full', async (t) => {
  const { calls, client } = await record(t, ({ searchParams }) => {
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
    const from = (page - 1) * limit
    return Response.json(Array.from({ length: Math.min(limit, 230 - from) }, (_, i) => ({ userId: `u${from + i}` })))
  })
  const ids = await Array.fromAsync(client.eachRecord({ orgIds: ['a'] }), ({ userId }) => userId)
  assert.equal(new Set(ids).size, 230)
  assert.equal(calls.length, 3)
})

test('a refusal carries the code, the sentence and what else helps; a redirect is not followed', async (t) => {
  const answers: Response[] = [
    Response.json(
      { error_code: 4291, error_description: 'Too many requests.' },
      { status: 429, headers: { 'retry-after': '7', 'x-request-id': 'id-1' } },
    ),
    new Response('<html>', { status: 401, headers: { error_code: '4014', error_description: 'Not granted.' } }),
    new Response('', { status: 302, headers: { location: '/elsewhere' } }),
    new Response('<html>', { status: 200 }),
  ]
  const { calls, client } = await record(t, () => answers.shift()!)
  const refused = async () => {
    const error = await client.listRecords().catch((error) => error)
    assert.ok(error instanceof PlatformError, String(error))
    const { status, errorCode, errorDescription, requestId, retryAfterSeconds } = error
    return [status, errorCode, errorDescription, requestId, retryAfterSeconds]
  }
  assert.deepEqual(await refused(), [429, 4291, 'Too many requests.', 'id-1', 7])
  assert.deepEqual(await refused(), [401, 4014, 'Not granted.', undefined, undefined])
  await assert.rejects(client.listRecords(), TypeError)
  await assert.rejects(client.listRecords(), /is .* the platform\?/)
  assert.equal(calls.length, 4)
})
