import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { findFreePort } from '../../src/testing/ports.ts'
import { startExample } from '../testing.ts'

const PEOPLE = 230
const AUTHORIZATION = `Basic ${Buffer.from('gs-demo-ai:gs-demo-secret').toString('base64')}`

/** What the example reads of the platform; the real one is asked in src/platform. It may not read badges, and fails until told. */
async function standIn(t: TestContext) {
  const calls: string[] = []
  const state = { isBroken: true }
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const { pathname, searchParams } = new URL(request.url!, 'http://platform')
    calls.push(request.url!)
    if (request.headers.authorization !== AUTHORIZATION) return answer(401, { error_code: 4012 })
    if (pathname !== '/plugin/v2/ai/record-data') return answer(401, { error_code: 4014 })
    if (state.isBroken) return answer(503, { error_code: 5030, error_description: 'Not ready.' })
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
    const all = Array.from({ length: PEOPLE }, (_, i) => ({
      userId: `user-${i}`,
      skills: i % 100 === 29 ? ['Radio operation'] : ['Cooking'],
    }))
    answer(200, all.slice((page - 1) * limit, page * limit))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { calls, state, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('the AI example reads all pages once for the searches of a moment, and answers both kinds', async (t) => {
  const platform = await standIn(t)
  const example = await startExample(t, 'ai-plugin', {
    PLATFORM_URL: platform.address,
    PORT: String(await findFreePort()),
    CACHE_SECONDS: '600',
  })
  const search = async (path: string, body: object, authorization = AUTHORIZATION) => {
    const response = await fetch(example.address + path, {
      method: 'POST',
      body: JSON.stringify({ searchId: 's1', orgIds: ['org-1'], ...body }),
      headers: { authorization },
    })
    return { status: response.status, body: (await response.json()) as object }
  }
  assert.equal((await search('/capabilities', { text: 'radio' }, 'Basic d3Jvbmc6d3Jvbmc=')).status, 401)
  assert.equal((await search('/capabilities', { text: 'radio' })).status, 500)
  await example.wrote(/capabilities failed: PlatformError: 503\/5030: Not ready\./)

  platform.state.isBroken = false
  platform.calls.length = 0
  const found = await search('/capabilities', { text: 'a radio operator' })
  assert.deepEqual(found.body, {
    capabilities: [
      { id: 'skill:radio-operation', name: 'Radio operation', description: 'Skill, named by 3 of 230 people.' },
    ],
  })
  const ask = { capabilityIds: ['skill:radio-operation'], limit: 2 }
  const [one, other] = await Promise.all([search('/candidates', ask), search('/candidates', ask)])
  assert.deepEqual(one.body, {
    candidates: ['user-129', 'user-229'].map((userId) => ({
      userId,
      score: 1,
      reasons: ['Names the skill Radio operation.'],
    })),
  })
  assert.deepEqual(other, one)
  assert.deepEqual(platform.calls.toSorted(), [
    '/plugin/v2/ai/badge/course?orgIds=org-1',
    '/plugin/v2/ai/badge/objective?orgIds=org-1',
    ...[1, 2, 3].map((page) => `/plugin/v2/ai/record-data?orgIds=org-1&page=${page}&limit=100`),
  ])
  assert.equal(await example.stop(), 0)
})
