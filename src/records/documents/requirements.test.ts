import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import type { Version } from '../statements/model/statement.ts'
import { keySender, newParameters, PATHS, RESOURCES, type Resource, VERSIONS, without } from './testing.ts'

const app = await sharedApp(UNLIMITED)
const send = await keySender(app)
const DOCUMENT = { name: 'a name', location: { name: 'a place' } }
const NEW = { 'if-none-match': '*' }
const idName = (resource: Resource) => (resource === 'state' ? 'stateId' : 'profileId')
const OCTETS = { 'content-type': 'application/octet-stream' }

/** Declares a test that runs for every document resource, in both xAPI versions. */
function each(name: string, check: (resource: Resource, version: Version) => Promise<void>): void {
  test(name, async (t) => {
    for (const version of VERSIONS)
      for (const resource of RESOURCES) await t.test(`${PATHS[resource]} ${version}`, () => check(resource, version))
  })
}

each(
  'a document is stored, read, merged and deleted (XAPI-00187 to 00192, 00230, 00231, 00233, 00269, 00271 to 00274, 00280, 00282, 00283, 00285 to 00288, 00290 to 00293, 00310 to 00312)',
  async (resource, version) => {
    const put = newParameters(resource)
    const made = await send('PUT', resource, put, { body: DOCUMENT, headers: NEW, version })
    assert.deepEqual([made.status, made.text], [204, ''], made.text)
    const read = await send('GET', resource, put, { version })
    assert.deepEqual([read.status, read.body], [200, DOCUMENT])
    assert.equal(read.headers.get('content-type'), 'application/json')
    assert.equal(read.headers.get('x-experience-api-version'), version)
    const posted = newParameters(resource)
    assert.equal((await send('POST', resource, posted, { body: DOCUMENT, version })).status, 204)
    assert.deepEqual((await send('GET', resource, posted, { version })).body, DOCUMENT)
    assert.equal((await send('DELETE', resource, posted, { version })).status, 204)
    assertError(await send('GET', resource, posted, { version }), 404, 4042)
    assert.equal((await send('DELETE', resource, posted, { version })).status, 204, 'XAPI-00285: that there is none')
    assert.deepEqual((await send('GET', resource, put, { version })).body, DOCUMENT, 'others stay')
  },
)

each('HEAD is GET without the body (Communication 1.1)', async (resource, version) => {
  const parameters = newParameters(resource)
  await send('POST', resource, parameters, { body: DOCUMENT, version })
  const [head, get] = [
    await send('HEAD', resource, parameters, { version }),
    await send('GET', resource, parameters, { version }),
  ]
  assert.deepEqual([head.status, head.text], [200, ''])
  for (const name of ['etag', 'last-modified', 'content-type', 'content-length'])
    assert.equal(head.headers.get(name), get.headers.get(name), name)
})

each(
  'the parameters that identify a document are required (XAPI-00206 to 00215, 00261 to 00267, 00296 to 00302)',
  async (resource, version) => {
    const parameters = newParameters(resource)
    for (const name of Object.keys(parameters)) {
      const given = without(parameters, name)
      for (const [method, sent] of [
        ['PUT', { body: DOCUMENT, headers: NEW }],
        ['POST', { body: DOCUMENT }],
        ['GET', {}],
        ['DELETE', {}],
      ] as const) {
        // These requests are valid without the id: GET then lists documents, and DELETE removes all state documents of
        // an agent for an activity.
        if (name === idName(resource) && (method === 'GET' || (method === 'DELETE' && resource === 'state'))) continue
        assertError(await send(method, resource, given, { ...sent, version }), 400, 4001, new RegExp(name))
      }
    }
  },
)

each(
  'the parameters that identify a document must be valid (XAPI-00196 to 00203, 00255 to 00258, 00276, 00284, 00324, 00325)',
  async (resource, version) => {
    const parameters = newParameters(resource)
    const agents = [
      'true',
      'not JSON',
      '[]',
      '{}',
      '',
      'null',
      '{"mbox":"avery@example.org"}',
      '{"mbox":',
      '{"name":"A"}',
    ]
    const wrong: Record<string, unknown>[] = [
      ...(resource === 'activity' ? [{ agent: parameters.agent }] : agents.map((agent) => ({ agent }))),
      ...(resource === 'agent'
        ? [{ activityId: 'http://x.example.com/' }]
        : ['true', 'no iri', '', '{"key":"value"}', 'http://x\u0000'].map((activityId) => ({ activityId }))),
      ...(resource === 'state'
        ? ['true', '', 'ec531277-b57b-4c15-8d91-d292c5b2b8f', 'nil'].map((registration) => ({ registration }))
        : [{ registration: randomUUID() }]),
      { [idName(resource)]: '' },
      { [idName(resource)]: 'x'.repeat(1001) },
      { [idName(resource)]: 'a\u0000b' },
      { [idName(resource).toUpperCase()]: 'x' },
      { foo: 'bar' },
      { toString: 'x' },
    ]
    for (const more of wrong)
      for (const [method, sent] of [
        ['PUT', { body: DOCUMENT, headers: NEW }],
        ['POST', { body: DOCUMENT }],
        ['GET', {}],
        ['DELETE', {}],
      ] as const) {
        const answer = await send(method, resource, { ...parameters, ...more }, { ...sent, version })
        assert.equal(answer.status, 400, `${method} ${JSON.stringify(more)}: ${answer.text}`)
        assert.equal(answer.headers.get('x-experience-api-version'), version)
      }
    assert.equal((await send('GET', resource, parameters, { version })).status, 404, 'nothing was kept')
  },
)

test('a fault of the agent is named', async () => {
  const parameters = { ...newParameters('agent'), agent: JSON.stringify({ mbox: 'avery@example.org' }) }
  const answer = await send('POST', 'agent', parameters, { body: DOCUMENT })
  assertError(answer, 400, 4003, /\/agent\/mbox must/)
  assert.equal(answer.body.faults[0].pointer, '/agent/mbox')
})

test('identified groups have documents in 2.0; in 1.0.3 an agent with the same identifier reaches them', async () => {
  const mbox = 'mailto:crew@example.org'
  const parameters = { ...newParameters('agent'), agent: JSON.stringify({ objectType: 'Group', mbox }) }
  assertError(await send('POST', 'agent', parameters, { body: DOCUMENT }), 400, 4003, /Agent/)
  assert.equal((await send('POST', 'agent', parameters, { body: DOCUMENT, version: '2.0.0' })).status, 204)
  const named = {
    ...parameters,
    agent: JSON.stringify({ objectType: 'Agent', mbox: 'mailto:crew@EXAMPLE.org', name: 'Crew' }),
  }
  assert.deepEqual((await send('GET', 'agent', named)).body, DOCUMENT)
  const anonymous = { ...parameters, agent: JSON.stringify({ objectType: 'Group', member: [{ mbox }] }) }
  assertError(await send('POST', 'agent', anonymous, { body: DOCUMENT, version: '2.0.0' }), 400, 4003, /identifier/)
})

test('each registration has a document of its own, whatever its letter case (XAPI-00218 to 00220, 00227)', async () => {
  const plain = newParameters('state')
  const registration = randomUUID()
  const registered = { ...plain, registration }
  const activityId = `http://www.example.com/${randomUUID()}`
  const [one, other] = [
    { ...plain, activityId },
    { ...registered, activityId },
  ]
  for (const method of ['PUT', 'POST'] as const) {
    assert.equal((await send(method, 'state', one, { body: { of: 'none' } })).status, 204)
    assert.equal((await send(method, 'state', other, { body: { of: 'one' } })).status, 204)
  }
  assert.deepEqual((await send('GET', 'state', one)).body, { of: 'none' })
  const upper = { ...other, registration: registration.toUpperCase() }
  assert.deepEqual((await send('GET', 'state', upper)).body, { of: 'one' })
  const list = (more: object) => send('GET', 'state', { ...without(one, 'stateId'), ...more })
  assert.deepEqual((await list({})).body, [plain.stateId], 'an id once, of whatever registration')
  assert.deepEqual((await list({ registration })).body, [plain.stateId])
  assert.deepEqual((await list({ registration: randomUUID() })).body, [])
  assert.equal((await send('DELETE', 'state', { ...without(upper, 'stateId') })).status, 204)
  assert.equal((await send('GET', 'state', other)).status, 404)
  assert.equal((await send('GET', 'state', one)).status, 200)
  assert.equal((await send('DELETE', 'state', one)).status, 204)
})

each(
  'without an id the ids are listed, of documents written after `since` (XAPI-00193, 00195, 00221, 00268, 00270, 00275, 00289, 00294, 00303)',
  async (resource, version) => {
    const place = {
      activityId: `http://www.example.com/${randomUUID()}`,
      agent: JSON.stringify({ mbox: `mailto:${randomUUID()}@example.org` }),
    }
    const parameters = (id: string) => {
      const { activityId, agent } = { ...place }
      return {
        ...(resource === 'agent' ? {} : { activityId }),
        ...(resource === 'activity' ? {} : { agent }),
        [idName(resource)]: id,
      }
    }
    const list = (more = {}) =>
      send('GET', resource, { ...without(parameters('x'), idName(resource)), ...more }, { version })
    const none = await list()
    assert.deepEqual([none.status, none.body, none.headers.get('last-modified')], [200, [], null])
    const before = new Date(Date.now() - 60_000).toISOString()
    for (const id of ['b', 'a', 'ä "\\ 😀']) {
      app.advance(1)
      await send('POST', resource, parameters(id), { body: DOCUMENT, version })
    }
    const all = await list()
    assert.deepEqual(all.body, ['b', 'a', 'ä "\\ 😀'])
    assert.equal(all.headers.get('content-type'), 'application/json')
    assert.equal(all.headers.get('etag'), `"${createHash('sha1').update(all.text).digest('hex')}"`)
    assert.ok(Date.parse(all.headers.get('last-modified')!) >= Date.parse(before))
    assert.deepEqual((await list({ since: before })).body.length, 3)
    const [row] = await app.sql(`select max(updated) as last from documents`)
    const last = (row!.last as Date).toISOString()
    assert.deepEqual((await list({ since: last })).body, [], 'exclusive')
    app.advance(2000)
    await send('POST', resource, parameters('b'), { body: { more: 1 }, version })
    assert.deepEqual((await list({ since: last })).body, ['b'])
    assert.deepEqual((await list()).body.at(-1), 'b')
  },
)

each('since must be a timestamp, and is for lists (XAPI-00204, 00205, 00260, 00295)', async (resource, version) => {
  const parameters = newParameters(resource)
  const list = without(parameters, idName(resource))
  for (const since of ['not a timestamp', 'true', '', '2026-02-30T00:00:00Z', '2026-05-01T12:00:00-00:00'])
    assert.equal((await send('GET', resource, { ...list, since }, { version })).status, 400, since)
  const since = '2026-05-01T12:00:00+02:00'
  assert.equal((await send('GET', resource, { ...list, since }, { version })).status, 200)
  assertError(
    await send('GET', resource, { ...parameters, since }, { version }),
    400,
    4003,
    /since works only for lists/,
  )
  assertError(
    await send('DELETE', resource, { ...parameters, since }, { version }),
    400,
    4003,
    /since must be left out/,
  )
})

test('DELETE without an id removes all state of an agent in an activity, and no other (XAPI-00194)', async () => {
  const parameters = { ...newParameters('state'), activityId: `http://www.example.com/${randomUUID()}` }
  const elsewhere = newParameters('state')
  for (const one of [
    parameters,
    { ...parameters, stateId: 'x' },
    { ...parameters, registration: randomUUID() },
    elsewhere,
  ])
    assert.equal((await send('POST', 'state', one, { body: DOCUMENT })).status, 204)
  const all = without(parameters, 'stateId')
  assertError(await send('DELETE', 'state', all, { headers: { 'if-match': '*' } }), 400, 4000, /one document/)
  assertError(await send('DELETE', 'state', { ...all, stateId: '' }), 400, 4003)
  assert.equal((await send('GET', 'state', all)).body.length, 2)
  assert.equal((await send('DELETE', 'state', all)).status, 204)
  assert.deepEqual((await send('GET', 'state', all)).body, [])
  assert.equal((await send('GET', 'state', elsewhere)).status, 200)
})

each('a merge is one level deep (XAPI-00183, 00184, 00234, 00279, 00308)', async (resource, version) => {
  const parameters = newParameters(resource)
  const post = (body: object) => send('POST', resource, parameters, { body, version })
  await post({ car: { make: 'Ford', model: 'Escape' }, driver: 'Dale', series: { nascar: { series: 'sprint' } } })
  assert.equal((await post({ car: { make: 'Dodge' }, type: 'Civic', series: null })).status, 204)
  assert.deepEqual((await send('GET', resource, parameters, { version })).body, {
    car: { make: 'Dodge' },
    driver: 'Dale',
    series: null,
    type: 'Civic',
  })
})

each(
  'anything but a JSON object is not merged, and nothing changes (XAPI-00182, 00229, 00232, 00235, 00278, 00281, 00309, 00313, 00314)',
  async (resource, version) => {
    const parameters = newParameters(resource)
    await send('POST', resource, parameters, { body: DOCUMENT, version })
    const posts: [raw: string, type: string][] = [
      ['abcdefg', 'application/octet-stream'],
      ['abcdefg', 'not/json'],
      ['abc', 'application/x-www-form-urlencoded'],
      ['{"a":1}{', 'application/json'],
      ['[1]', 'application/json'],
      ['"text"', 'application/json'],
      ['', 'application/json'],
      [`${'['.repeat(200)}${']'.repeat(200)}`, 'application/json'],
      ['{}', 'no type'],
      ['{}', `text/${'x'.repeat(300)}`],
    ]
    for (const [raw, type] of posts) {
      const answer = await send('POST', resource, parameters, { raw, headers: { 'content-type': type }, version })
      assert.equal(answer.status, 400, `${raw} ${type} ${answer.text}`)
      assert.deepEqual((await send('GET', resource, parameters, { version })).body, DOCUMENT)
    }
    const fresh = newParameters(resource)
    const broken = { raw: `${JSON.stringify(DOCUMENT)}[`, headers: { ...NEW }, version }
    for (const method of ['PUT', 'POST'])
      assert.equal((await send(method, resource, fresh, broken)).status, 400, 'what says that it is JSON is JSON')
    const attachment = '/ asdf / undefined'
    const put = await send('PUT', resource, fresh, { raw: attachment, headers: { ...OCTETS, ...NEW }, version })
    assert.equal(put.status, 204)
    assert.equal((await send('POST', resource, fresh, { body: DOCUMENT, version })).status, 400)
    const kept = await send('GET', resource, fresh, { version })
    assert.deepEqual([kept.status, kept.text], [200, attachment])
    assert.equal(kept.headers.get('content-type'), 'application/octet-stream')
  },
)

each(
  'the ETag is the SHA-1 of the contents in quotes and changes with them, and so does Last-Modified (XAPI-00322)',
  async (resource, version) => {
    const parameters = newParameters(resource)
    await send('POST', resource, parameters, { body: DOCUMENT, version })
    const read = () => send('GET', resource, parameters, { version })
    const first = await read()
    const etag = first.headers.get('etag')!
    assert.equal(etag, `"${createHash('sha1').update(first.text).digest('hex')}"`)
    const again = await send('GET', resource, parameters, { headers: { 'if-none-match': etag }, version })
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
    app.advance(1500)
    const wrong = { 'if-match': '"1111111111111111111111111111111111111111"' }
    for (const method of ['PUT', 'POST', 'DELETE'])
      assertError(
        await send(method, resource, parameters, {
          ...(method === 'DELETE' ? {} : { body: { a: 1 } }),
          headers: wrong,
          version,
        }),
        412,
        4121,
        /If-Match/,
      )
    for (const method of ['PUT', 'POST'])
      assertError(await send(method, resource, parameters, { body: { a: 1 }, headers: NEW, version }), 412, 4121)
    assert.equal((await read()).headers.get('last-modified'), first.headers.get('last-modified'))
    const right = { body: { name: 'another' }, headers: { 'if-match': etag }, version }
    assert.equal((await send('PUT', resource, parameters, right)).status, 204)
    assertError(await send('PUT', resource, parameters, right), 412, 4121)
    const second = await read()
    assert.deepEqual(second.body, { name: 'another' })
    assert.ok(Date.parse(second.headers.get('last-modified')!) > Date.parse(first.headers.get('last-modified')!))
    const tag = second.headers.get('etag')!
    assert.equal((await send('POST', resource, parameters, { ...right, headers: { 'if-match': tag } })).status, 204)
    const last = (await read()).headers.get('etag')!
    assert.equal((await send('DELETE', resource, parameters, { headers: { 'if-match': last }, version })).status, 204)
    assertError(await send('DELETE', resource, parameters, { headers: { 'if-match': last }, version }), 412, 4121)
  },
)

each(
  'the outcome of a PUT without a precondition depends on the version (XAPI-00273, 00293, 00322)',
  async (resource, version) => {
    const parameters = newParameters(resource)
    const put = (body: object) => send('PUT', resource, parameters, { body, version })
    const first = await put(DOCUMENT)
    if (version === '1.0.3' && resource !== 'state') {
      assertError(first, 400, 4000, /If-Match or If-None-Match/)
      assert.equal((await send('POST', resource, parameters, { body: DOCUMENT, version })).status, 204)
    } else assert.equal(first.status, 204, first.text)
    const second = await put({ other: 1 })
    const isFree = version === '1.0.3' && resource === 'state'
    if (isFree) assert.equal(second.status, 204)
    else assertError(second, 409, 4091, /If-Match with its current ETag/)
    assert.deepEqual((await send('GET', resource, parameters, { version })).body, isFree ? { other: 1 } : DOCUMENT)
  },
)

test('the alternate request syntax reaches documents in version 1.0.3 (Communication 1.3)', async () => {
  const parameters = newParameters('agent') as Record<string, string>
  const form = (method: string, more: Record<string, string>) =>
    send(
      'POST',
      'agent',
      { method },
      {
        raw: new URLSearchParams({ ...parameters, ...more }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    )
  const content = { content: '{"a":1}', 'Content-Type': 'application/json' }
  assertError(await form('PUT', content), 400, 4000, /If-Match/)
  assert.equal((await form('PUT', { ...content, 'If-None-Match': '*' })).status, 204)
  const read = await form('GET', {})
  assert.deepEqual([read.status, read.body], [200, { a: 1 }])
  assertError(await form('DELETE', { 'If-Match': '"1234"' }), 412, 4121)
  assert.equal((await form('DELETE', {})).status, 204)
  assert.equal((await send('GET', 'agent', parameters)).status, 404)
})
