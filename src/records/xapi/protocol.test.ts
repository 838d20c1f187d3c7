import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { type Answer, assertError, sharedApp } from '../../operations/testing/testing.ts'
import { newParameters } from '../documents/testing.ts'
import { makeSpeaker, makeStatement, STATEMENTS, THROUGH_HEADER, VERSION_HEADER } from './testing.ts'

const app = await sharedApp(UNLIMITED)
const key = await makeSpeaker(app)
const { client } = key
const AGENT = JSON.stringify({ mbox: 'mailto:ada@example.org' })
const ACTIVITY = 'https://example.org/sorties/7'
/** Every resource, with a query to which it responds. */
const QUESTIONS: Record<string, Record<string, string>> = {
  '/xapi/statements': { verb: 'https://example.org/verbs/never' },
  '/xapi/activities': { activityId: ACTIVITY },
  '/xapi/agents': { agent: AGENT },
  '/xapi/activities/state': { activityId: ACTIVITY, agent: AGENT },
  '/xapi/activities/profile': { activityId: ACTIVITY },
  '/xapi/agents/profile': { agent: AGENT },
}

test('each resource except about requires a version, and responds in it (XAPI-00321, 00331, 00333)', async () => {
  for (const [path, query] of Object.entries(QUESTIONS)) {
    for (const [said, answered] of [
      ['1.0', '1.0.3'],
      ['1.0.0', '1.0.3'],
      ['1.0.3', '1.0.3'],
      ['1.0.9', '1.0.3'],
      ['2.0', '2.0.0'],
      ['2.0.0', '2.0.0'],
      ['2.0.7', '2.0.0'],
    ]) {
      const answer = await client.get(path, query, { [VERSION_HEADER]: said! })
      assert.deepEqual([answer.status, answer.headers.get(VERSION_HEADER)], [200, answered], `${path} ${said}`)
    }
    for (const wrong of [
      '',
      '0.9',
      '0.95',
      '1',
      '1.1',
      '1.0.',
      '1.0.x',
      '2',
      '2.1.0',
      '3.0.0',
      'x1.0.3',
      '1.0.3, 2.0.0',
    ]) {
      const answer = await client.get(path, query, { [VERSION_HEADER]: wrong })
      assertError(answer, 400, 4000, /X-Experience-API-Version/)
      assert.equal(answer.headers.get(VERSION_HEADER), '2.0.0', `${path} ${wrong}`)
    }
    const silent = await client.get(path, query)
    assertError(silent, 400, 4000, /X-Experience-API-Version/)
    assert.equal(silent.headers.get(VERSION_HEADER), '0.95', 'as clients of both versions expect')
    const stranger = await app.nobody().get(path, query, { [VERSION_HEADER]: '1.0.3' })
    assertError(stranger, 401, 4016)
    assert.equal(stranger.headers.get(VERSION_HEADER), '1.0.3')
    assert.match(stranger.headers.get('www-authenticate') ?? '', /^Basic/)
  }
})

test('/xapi/1.0.3 and /xapi/2.0.0 set the version for clients that cannot, and no other version works there', async () => {
  for (const [version, other] of [
    ['1.0.3', '2.0.0'],
    ['2.0.0', '1.0.3'],
  ] as const)
    for (const [path, query] of Object.entries(QUESTIONS)) {
      const pinned = path.replace('/xapi', `/xapi/${version}`)
      for (const headers of [{}, { [VERSION_HEADER]: version }]) {
        const answer = await client.get(pinned, query, headers)
        assert.deepEqual([answer.status, answer.headers.get(VERSION_HEADER)], [200, version], pinned)
      }
      assertError(await client.get(pinned, query, { [VERSION_HEADER]: other }), 400, 4000, RegExp(version))
    }
  assert.equal((await client.get('/xapi/1.0.2/statements')).status, 404)
  // All base paths share one store, and links in a response start with the base path of the request.
  const verb = { id: `https://example.org/verbs/${randomUUID()}` }
  const old = await client.post('/xapi/1.0.3/statements', [makeStatement({ verb }), makeStatement({ verb })])
  assert.equal(old.status, 200, old.text)
  const page = await client.get('/xapi/2.0.0/statements', { verb: verb.id, limit: 1 })
  assert.equal(page.body.statements[0].version, '1.0.0')
  assert.match(page.body.more, /^\/xapi\/2\.0\.0\/statements\?cursor=/)
  assert.equal((await client.get(page.body.more)).body.statements[0].id, old.body[0])
})

test('content reaches every resource if it adds a path with a slash to an endpoint that ends with one', async () => {
  const headers = { [VERSION_HEADER]: '1.0.3' }
  for (const [path, query] of Object.entries(QUESTIONS)) {
    const doubled = path.replace('/xapi', '/xapi/')
    assert.deepEqual((await client.get(doubled, query, headers)).body, (await client.get(path, query, headers)).body)
    const asked = await client.send('OPTIONS', doubled, {
      headers: { origin: 'https://content.example.org', 'access-control-request-method': 'PUT' },
    })
    assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [200, '*'], doubled)
  }
  const sent = await client.post('/xapi//statements', makeStatement(), headers)
  assert.equal(sent.status, 200, sent.text)
  assertError(await client.get('/xapi///statements', {}, headers), 404, 4042)
})

test('about tells everybody the supported versions (XAPI-00315 to 00319)', async () => {
  for (const path of ['/xapi/about', '/xapi/1.0.3/about', '/xapi/2.0.0/about'])
    for (const headers of [{}, { [VERSION_HEADER]: path.includes('1.0.3') ? '1.0.3' : '2.0.0' }]) {
      const answer = await app.nobody().get(path, {}, headers)
      assert.deepEqual([answer.status, answer.body], [200, { version: ['2.0.0', '1.0.3'] }])
      assert.match(answer.headers.get(VERSION_HEADER) ?? '', /^(1\.0\.3|2\.0\.0)$/)
    }
  assertError(await app.nobody().get('/xapi/about', { foo: 1 }), 400, 4003)
})

const form = (fields: Record<string, string>): string => String(new URLSearchParams(fields))
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
/** Sends a request in the alternate request syntax: the form contains everything, including the credentials. */
const wrap = (method: string, path: string, fields: Record<string, string>): Promise<Answer> =>
  app.nobody().send('POST', path, {
    query: { method },
    raw: form({ Authorization: client.token!, 'X-Experience-API-Version': '1.0.3', ...fields }),
    headers: FORM,
  })

test('the alternate request syntax has the effect of the plain request, on every resource (XAPI-00148, 00336)', async () => {
  const sent = makeStatement({ actor: { name: 'Zoë', mbox: 'mailto:ada@example.org' } })
  const put = await wrap('PUT', STATEMENTS, { statementId: sent.id, content: JSON.stringify(sent) })
  assert.deepEqual([put.status, put.text], [204, ''], put.text)
  assert.equal((await key.read(sent.id)).actor.name, 'Zoë')
  const other = makeStatement()
  const type = { 'Content-Type': 'application/json' }
  const posted = await wrap('POST', STATEMENTS, { ...type, content: JSON.stringify([other]), 'Content-Length': '7' })
  assert.deepEqual([posted.status, posted.body], [200, [other.id]], posted.text)
  const read = await wrap('GET', STATEMENTS, { statementId: sent.id })
  assert.deepEqual([read.status, read.body.id], [200, sent.id])
  assert.ok(read.headers.get(THROUGH_HEADER))
  for (const [path, query] of Object.entries(QUESTIONS)) {
    const [alternate, plain] = [
      await wrap('GET', path, query),
      await key.send('GET', path, { query, version: '1.0.3' }),
    ]
    assert.deepEqual([alternate.status, alternate.body], [200, plain.body], path)
    assert.equal(alternate.headers.get(VERSION_HEADER), '1.0.3')
  }
  // The form may contain the header Accept-Language.
  const named = { id: `https://example.org/sorties/${randomUUID()}`, definition: { name: { en: 'One', de: 'Eins' } } }
  const [statementId] = await key.store(makeStatement({ object: named }))
  const told = await wrap('GET', STATEMENTS, {
    statementId: statementId!,
    format: 'canonical',
    'Accept-Language': 'de',
  })
  assert.deepEqual(told.body.object.definition, { name: { de: 'Eins' } })
  for (const [resource, path] of [
    ['state', '/xapi/activities/state'],
    ['activity', '/xapi/activities/profile'],
    ['agent', '/xapi/agents/profile'],
  ] as const) {
    const place = newParameters(resource) as Record<string, string>
    const document = { seen: 1 }
    const made = await wrap('PUT', path, { ...place, content: JSON.stringify(document), 'If-None-Match': '*' })
    assert.equal(made.status, 204, made.text)
    assert.equal((await wrap('POST', path, { ...place, content: '{"more":2}' })).status, 204)
    const found = await wrap('GET', path, place)
    assert.deepEqual(found.body, { seen: 1, more: 2 })
    const again = { ...place, content: '{}', 'If-None-Match': '*' }
    assert.equal((await wrap('PUT', path, again)).status, 412)
    assert.equal((await wrap('DELETE', path, { ...place, 'If-Match': found.headers.get('etag')! })).status, 204)
    assert.equal((await wrap('GET', path, place)).status, 404)
  }
})

test('the alternate request syntax grants no additional rights', async () => {
  const weak = await makeSpeaker(app, 'statements/read/mine')
  const sent = makeStatement()
  const content = JSON.stringify(sent)
  const Authorization = weak.client.token!
  assertError(await wrap('PUT', STATEMENTS, { statementId: sent.id, content, Authorization }), 403, 4032)
  assertError(await wrap('PUT', STATEMENTS, { statementId: sent.id, content, Authorization: 'Basic eDp5' }), 401, 4012)
  const nobody = await app.nobody().send('POST', STATEMENTS, {
    query: { method: 'PUT' },
    raw: form({ statementId: sent.id, content, 'X-Experience-API-Version': '1.0.3' }),
    headers: FORM,
  })
  assertError(nobody, 401, 4016)
  // Cookies and other browser headers are not allowed as form fields.
  for (const more of [{ Cookie: 'x' }, { 'X-Forwarded-For': '1.2.3.4' }, { foo: 'bar' }, { Host: 'x' }])
    assert.equal((await wrap('GET', STATEMENTS, more as Record<string, string>)).status, 400)
  assertError(await key.get({ statementId: sent.id }), 404, 4042)
})

test('the alternate request syntax is a form, in version 1.0 only, with nothing but the method in the URL', async () => {
  const fields = { statementId: randomUUID() }
  assertError(await wrap('GET', STATEMENTS, { ...fields, 'X-Experience-API-Version': '2.0.0' }), 400, 4000, /1\.0/)
  assertError(await wrap('DELETE', STATEMENTS, fields), 400, 4000, /Unknown method DELETE/)
  for (const method of ['', 'get', 'x'.repeat(500), 'HEAD', '__proto__'])
    assertError(await wrap(method, STATEMENTS, fields), 400, 4000, /Unknown method/)
  const raw = form({ Authorization: client.token!, 'X-Experience-API-Version': '1.0.3', ...fields })
  const more = { method: 'GET', limit: 1 }
  assertError(await app.nobody().send('POST', STATEMENTS, { query: more, raw, headers: FORM }), 400, 4000, /form/)
  for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])
    assertError(
      await app.nobody().send('POST', STATEMENTS, { query: { method: 'GET' }, raw, headers }),
      400,
      4000,
      /form/,
    )
  const json = JSON.stringify(makeStatement())
  assertError(
    await app.nobody().send('POST', STATEMENTS, { query: { method: 'POST' }, raw: json, headers: FORM }),
    400,
    4000,
    /form/,
  )
  const twice = `${raw}&statementId=${randomUUID()}`
  const answer = await app.nobody().send('POST', STATEMENTS, { query: { method: 'GET' }, raw: twice, headers: FORM })
  assert.equal(answer.status, 400, answer.text)
  // A POST without `?method=` is refused by resources that have no POST.
  for (const path of ['/xapi/activities', '/xapi/agents', '/xapi/about']) {
    const refused = await key.send('POST', path, { body: {} })
    assertError(refused, 405, 4050)
    assert.match(refused.headers.get('allow') ?? '', /GET/)
  }
})

test('the 1.0.3 base accepts the alternate request syntax without the version header, the 2.0.0 base never', async () => {
  const sent = makeStatement()
  const wrapped = (version: string) =>
    app.nobody().send('POST', `/xapi/${version}/statements`, {
      query: { method: 'PUT' },
      raw: form({ Authorization: client.token!, statementId: sent.id, content: JSON.stringify(sent) }),
      headers: FORM,
    })
  assertError(await wrapped('2.0.0'), 400, 4000, /1\.0/)
  const answer = await wrapped('1.0.3')
  assert.equal(answer.status, 204, answer.text)
  assert.equal((await key.read(sent.id)).version, '1.0.0')
})

test('content inside a form has the same size limit as a plain body', async () => {
  const place = newParameters('state') as Record<string, string>
  const answer = await wrap('PUT', '/xapi/activities', { ...place, content: '{}' })
  assertError(answer, 400, 4000, /Unknown method PUT/)
  const large = JSON.stringify('x'.repeat(8_400_000))
  assertError(await wrap('POST', STATEMENTS, { content: large }), 413, 4131, /8388608/)
  assertError(await wrap('GET', '/xapi/agents', { agent: AGENT, foo: 'x'.repeat(300_000) }), 413, 4131)
  // Each character of this content takes three bytes in the form; the size limit applies to the decoded content.
  const sent = makeStatement({ result: { response: '"'.repeat(100_000) } })
  assert.equal((await wrap('PUT', STATEMENTS, { statementId: sent.id, content: JSON.stringify(sent) })).status, 204)
})
