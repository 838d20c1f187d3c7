import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { VOIDED } from '../statements/model/statement.ts'
import { whole } from '../statements/model/testing.ts'
import { makeSpeaker, makeStatement, refTo, STATEMENTS, THROUGH_HEADER, VERSION_HEADER, VERSIONS } from './testing.ts'

const app = await sharedApp(UNLIMITED)
const key = await makeSpeaker(app)
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

test('a posted statement is returned as sent, with what the store adds (XAPI-00023, 00026, 00097, 00099, 00139, 00146, 00147, 00156, 00158, 00330, 00332)', async () => {
  for (const version of VERSIONS) {
    const {
      id,
      stored: _stored,
      authority: _authority,
      attachments: _attachments,
      version: _version,
      ...sent
    } = whole()
    const speaker = key.as(version)
    const answer = await speaker.post(sent)
    assert.deepEqual([answer.status, answer.body.length], [200, 1], answer.text)
    assert.match(answer.body[0], /^[0-9a-f-]{36}$/)
    const { stored, authority, ...read } = await speaker.read(answer.body[0])
    const is2 = version === '2.0.0'
    assert.deepEqual(read, {
      ...sent,
      id: answer.body[0],
      version: is2 ? '2.0.0' : '1.0.0',
      timestamp: is2 ? '2026-03-04T03:06:07.089Z' : sent.timestamp,
      context: {
        ...sent.context,
        // XAPI-00096: a single context activity is returned as an array with one element.
        contextActivities: { ...sent.context!.contextActivities, parent: [sent.context!.contextActivities!.parent] },
      },
    })
    assert.match(stored!, stamp)
    assert.equal(authority!.name, 'Test')
    const named = makeStatement({ version: '1.0.9', stored: '2001-01-01T00:00:00Z' })
    if (is2) named.version = '2.0.0'
    assert.deepEqual(await speaker.store(named), [named.id])
    const kept = await speaker.read(named.id)
    assert.equal(kept.version, named.version)
    assert.notEqual(kept.stored, named.stored)
    assert.equal(kept.timestamp, kept.stored)
  }
})

test('several statements are stored in order, and their ids are returned in that order (XAPI-00146)', async () => {
  const sent = Array.from({ length: 5 }, () => makeStatement({ context: { registration: randomUUID() } }))
  assert.deepEqual(
    await key.store(...sent),
    sent.map(({ id }) => id),
  )
  const moments = await Promise.all(sent.map(async ({ id }) => (await key.read(id)).stored!))
  assert.deepEqual(moments, moments.toSorted())
  assert.equal(new Set(moments).size, 5)
  assert.deepEqual((await key.post([])).body, [])
})

test('PUT stores a statement under the id in the URL, and repeating it changes nothing (XAPI-00142 to 00145)', async () => {
  const { id, ...sent } = makeStatement({ timestamp: '2026-01-01T00:00:00Z' })
  for (const body of [sent, { ...sent, id }, { ...sent, id: id.toUpperCase() }]) {
    const answer = await key.put(id, body)
    assert.deepEqual([answer.status, answer.text], [204, ''], answer.text)
  }
  const first = await key.read(id)
  assertError(await key.put(id, { ...sent, verb: { id: 'https://example.org/verbs/landed' } }), 409, 4091, RegExp(id))
  assert.deepEqual(await key.read(id), first)
  assertError(await key.send('PUT', STATEMENTS, { body: sent }), 400, 4001, /statementId/)
  const other = await key.put(randomUUID(), { ...sent, id })
  assertError(other, 400, 4003, /statementId/)
  assert.equal(other.body.faults[0].pointer, '/id')
  assertError(await key.put('seven', sent), 400, 4003, /UUID/)
  assertError(await key.put(id, [sent]), 400, 4003, /not an array/)
})

test('an equal statement changes nothing, ignoring what may differ; another with the same id is a conflict (XAPI-00142)', async () => {
  const sent = makeStatement({ context: { contextActivities: { parent: { id: 'https://example.org/courses/1' } } } })
  await key.store(sent)
  const first = await key.read(sent.id)
  for (const same of [
    sent,
    { ...sent, id: sent.id.toUpperCase() },
    { ...sent, verb: { ...sent.verb, display: { en: 'flew' } } },
    { ...sent, context: { contextActivities: { parent: [{ id: 'https://example.org/courses/1' }] } } },
    { ...sent, stored: '2001-01-01T00:00:00Z', authority: { mbox: 'mailto:x@example.org' } },
  ])
    assert.deepEqual(await key.store(same), [sent.id])
  assert.deepEqual(await key.read(sent.id), first)
  const other = { ...sent, actor: { mbox: 'mailto:bob@example.org' } }
  const beside = makeStatement()
  assertError(await key.post([beside, other]), 409, 4091, RegExp(sent.id))
  assertError(await key.get({ statementId: beside.id }), 404, 4042)
  assert.deepEqual(await key.read(sent.id), first)
})

test('an id that occurs twice in a batch is refused with its place', async () => {
  const sent = makeStatement()
  const answer = await key.post([sent, makeStatement(), { ...sent, id: sent.id.toUpperCase() }])
  assertError(answer, 400, 4003, /\/2\/id must be unique/)
  assert.equal(answer.body.faults[0].pointer, '/2/id')
  assertError(await key.get({ statementId: sent.id }), 404, 4042)
})

test('each filter finds the matching statements only (XAPI-00154, 00159, 00164, 00176 to 00181)', async () => {
  const iri = (what: string) => `https://example.org/${what}/${randomUUID()}`
  const mail = () => ({ mbox: `mailto:${randomUUID()}@example.org` })
  const [ada, bob, cy, team] = [mail(), mail(), mail(), mail()]
  const [verb, place, course, registration] = [iri('verbs'), iri('places'), iri('courses'), randomUUID()]
  const byAda = makeStatement({ actor: ada, verb: { id: verb } })
  const ofAda = makeStatement({ actor: bob, object: { objectType: 'Agent', ...ada } })
  const inGroup = makeStatement({ actor: { objectType: 'Group', ...team, member: [ada] } })
  const taught = makeStatement({
    actor: bob,
    object: { id: place },
    context: {
      instructor: ada,
      registration,
      contextActivities: { grouping: { id: course } },
      contextAgents: [{ objectType: 'contextAgent', agent: cy }],
      contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', ...team } }],
    },
  })
  const { id: _id, ...inner } = makeStatement({ actor: cy, object: { id: course } })
  const planned = makeStatement({ actor: bob, object: { objectType: 'SubStatement', ...inner } })
  const referring = makeStatement({ actor: bob, object: refTo(byAda.id), verb: { id: iri('verbs') } })
  await key.store(byAda, ofAda, inGroup, taught, planned, referring)
  const expectFound = async (query: Record<string, unknown>, ...expected: { id: string }[]) => {
    assert.deepEqual(
      (await key.find(query)).toReversed(),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
  }
  const agent = JSON.stringify(ada)
  await expectFound({ agent }, byAda, ofAda, inGroup, referring)
  await expectFound({ agent, related_agents: true }, byAda, ofAda, inGroup, taught, referring)
  await expectFound({ agent: JSON.stringify({ objectType: 'Group', ...team }) }, inGroup)
  await expectFound({ agent: JSON.stringify({ objectType: 'Group', ...team }), related_agents: true }, inGroup, taught)
  await expectFound({ agent: JSON.stringify(cy), related_agents: 'true' }, taught, planned)
  await expectFound({ agent: JSON.stringify(cy) })
  await expectFound({ verb }, byAda, referring)
  await expectFound({ verb, agent: JSON.stringify(bob) }, referring)
  await expectFound({ verb: referring.verb.id }, referring)
  await expectFound({ activity: place }, taught)
  await expectFound({ activity: course })
  await expectFound({ activity: course, related_activities: true }, taught, planned)
  await expectFound({ activity: course, related_activities: false })
  await expectFound({ registration }, taught)
  await expectFound({ registration: registration.toUpperCase(), agent: JSON.stringify(bob), activity: place }, taught)
  await expectFound({ registration, agent })
  // An anonymous group has no identifier, so as a filter it matches nothing.
  await expectFound({ agent: JSON.stringify({ objectType: 'Group', member: [ada] }) })
  // All five filters combined.
  const all = { agent, related_agents: true, activity: course, related_activities: true, registration }
  await expectFound({ ...all, verb: taught.verb.id }, taught)
})

test('since and until compare the time of storing (XAPI-00174, 00175)', async () => {
  const verb = `https://example.org/verbs/${randomUUID()}`
  const sent = [1, 2, 3].map(() => makeStatement({ verb: { id: verb }, timestamp: '2001-01-01T00:00:00Z' }))
  await key.store(...sent)
  const [a, b, c] = sent.map(({ id }) => id)
  const middle = (await key.read(b!)).stored
  assert.deepEqual(await key.find({ verb, since: middle }), [c])
  assert.deepEqual(await key.find({ verb, until: middle }), [b, a])
  assert.deepEqual(await key.find({ verb, since: middle, until: middle }), [])
  const local = `${new Date(Date.parse(middle!) + 7_200_000).toISOString().slice(0, -1)}${middle!.slice(-4, -1)}+02:00`
  assert.deepEqual(await key.find({ verb, until: local }), [b, a])
  assert.deepEqual(await key.find({ verb, until: '2001-01-02T00:00:00Z' }), [])
})

test('a page has the requested size, and `more` leads to the end (XAPI-00108 to 00111, 00113, 00114, 00166, 00173)', async () => {
  const verb = `https://example.org/verbs/${randomUUID()}`
  const sent = Array.from({ length: 7 }, () => makeStatement({ verb: { id: verb } }))
  await key.store(...sent)
  const ids = sent.map(({ id }) => id)
  for (const ascending of [false, true])
    for (const limit of [1, 3, 6, 7, 8, 0]) {
      const pages = await key.pages({ verb, ascending, limit })
      assert.deepEqual(
        pages.flatMap(({ statements }) => statements.map(({ id }) => id)),
        ascending ? ids : ids.toReversed(),
      )
      assert.equal(pages.length, limit === 0 ? 1 : Math.ceil(7 / limit))
      for (const { statements, more, ...rest } of pages) {
        assert.deepEqual(rest, {})
        assert.ok(statements.length <= (limit || 7))
        assert.ok(more === '' || more.startsWith('/xapi/statements?cursor='))
      }
    }
  // A statement stored while the pages are being read neither repeats nor hides other statements.
  const first = (await key.get({ verb, limit: 4 })).body
  const [late] = await key.store(makeStatement({ verb: { id: verb } }))
  const second = (await key.send('GET', first.more)).body
  assert.deepEqual(
    [...first.statements, ...second.statements].map(({ id }) => id),
    ids.toReversed(),
  )
  assert.deepEqual(
    await key.find({ verb, since: second.statements[0].stored, until: first.statements[0].stored, limit: 1 }),
    ids.slice(3).toReversed(),
  )
  assert.equal((await key.find({ verb }))[0], late)
  // XAPI-00149: the response to a query without matches is an empty list.
  assert.deepEqual((await key.get({ verb: `${verb}/none` })).body, { statements: [], more: '' })
})

test('large statements shorten pages, and none is left out', async () => {
  const verb = `https://example.org/verbs/${randomUUID()}`
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const some = Array.from({ length: 4 }, () =>
      makeStatement({ verb: { id: verb }, result: { extensions: { 'https://example.org/x': 'x'.repeat(900_000) } } }),
    )
    ids.push(...(await key.store(...some)))
  }
  for (const ascending of [false, true]) {
    const pages = await key.pages({ verb, limit: 0, ascending })
    assert.ok(pages.length >= 2, String(pages.length))
    for (const { statements } of pages) assert.ok(JSON.stringify(statements).length < 9_500_000)
    const found = pages.flatMap(({ statements }) => statements.map(({ id }) => id))
    assert.deepEqual(found, ascending ? ids : ids.toReversed())
  }
})

test('a cursor works unchanged, without other parameters, for a day', async () => {
  const verb = `https://example.org/verbs/${randomUUID()}`
  await key.store(makeStatement({ verb: { id: verb } }), makeStatement({ verb: { id: verb } }))
  const { more } = (await key.get({ verb, limit: 1 })).body
  const cursor = more.split('cursor=')[1]
  assertError(await key.get({ cursor, verb }), 400, 4003, /the only parameter/)
  const [text, signature] = cursor.split('.')
  const forged = Buffer.from(Buffer.from(text, 'base64url').toString().replace('"limit":1', '"limit":2')).toString(
    'base64url',
  )
  for (const wrong of [
    `${forged}.${signature}`,
    text,
    `${text}.`,
    `.${signature}`,
    'x',
    `${text}.${signature.slice(0, -1)}`,
  ])
    assertError(await key.get({ cursor: wrong }), 400, 4003, /cursor is not valid/)
  // A cursor contains the query but grants no rights: another caller sees only what their own scopes allow.
  const mine = await makeSpeaker(app, 'statements/read/mine')
  assert.deepEqual((await mine.send('GET', more)).body, { statements: [], more: '' })
  assertError(await (await makeSpeaker(app, 'statements/write')).send('GET', more), 403, 4032)
})

test('formats: exact, ids and canonical, in the requested languages (XAPI-00168 to 00172)', async () => {
  const verb = { id: `https://example.org/verbs/${randomUUID()}`, display: { en: 'flew', de: 'flog' } }
  const actor = { objectType: 'Agent', name: 'Ada', mbox: 'mailto:ada@example.org' }
  const group = { objectType: 'Group', name: 'Crew', member: [actor] }
  const object = { id: `https://example.org/sorties/${randomUUID()}`, definition: { name: { en: 'One', de: 'Eins' } } }
  const sent = makeStatement({ actor, verb, object, context: { team: group } })
  await key.store(sent)
  await key.store(
    makeStatement({ object: { ...object, definition: { description: { de: 'Nachts' }, name: { fr: 'Un' } } } }),
  )
  const exact = await key.read(sent.id, { format: 'exact' })
  assert.deepEqual([exact.actor, exact.verb, exact.object, exact.context], [actor, verb, object, { team: group }])
  assert.deepEqual(await key.read(sent.id), exact)
  const ids = await key.read(sent.id, { format: 'ids' })
  const { mbox } = actor
  const agent = { objectType: 'Agent', mbox }
  assert.deepEqual([ids.actor, ids.verb, ids.object], [agent, { id: verb.id }, { id: object.id }])
  assert.deepEqual(ids.context, { team: { objectType: 'Group', member: [agent] } })
  for (const [wanted, display, name] of [
    ['de, en;q=0.5', { de: 'flog' }, { de: 'Eins' }],
    ['en-GB', { en: 'flew' }, { en: 'One' }],
    ['fr;q=0.9, de;q=0.1', { de: 'flog' }, { fr: 'Un' }],
    ['ja', { en: 'flew' }, { en: 'One' }],
  ] as const)
    for (const query of [{ statementId: sent.id }, { verb: verb.id }]) {
      const { body } = await key.get({ ...query, format: 'canonical' }, { 'accept-language': wanted })
      const [one] = body.statements ?? [body]
      assert.deepEqual(one.verb.display, display, wanted)
      assert.deepEqual(one.object.definition, { name, description: { de: 'Nachts' } }, wanted)
      assert.deepEqual(one.actor, actor)
    }
  assertError(await key.get({ format: 'pretty' }), 400, 4003, /format/)
})

test('every statements response says up to when the data is complete (XAPI-00153, 00160)', async () => {
  const answers = [await key.post(makeStatement()), await key.put(randomUUID(), makeStatement({ id: undefined }))]
  const sent = makeStatement()
  answers.push(await key.post(sent))
  const { stored } = await key.read(sent.id)
  answers.push(await key.get(), await key.get({ statementId: sent.id }), await key.send('HEAD', STATEMENTS))
  const nobody = app.nobody()
  const refused = [
    await key.get({ foo: 1 }),
    await key.get({ statementId: randomUUID() }),
    await key.post('{'),
    await nobody.get(STATEMENTS),
    await key.post({ ...sent, actor: { mbox: 'mailto:x@example.org' } }),
  ]
  for (const { headers, status } of [...answers, ...refused]) {
    assert.match(headers.get(THROUGH_HEADER) ?? '', stamp, String(status))
    assert.equal(headers.get('date')!.split(',').length, 2, 'one Date')
  }
  for (const { headers } of [...answers.slice(2), ...refused]) assert.ok(headers.get(THROUGH_HEADER)! >= stored!)
  // The time in the header advances even if nothing is stored.
  app.advance(60_000)
  const later = (await key.get()).headers.get(THROUGH_HEADER)!
  assert.ok(Date.parse(later) >= Date.parse(stored!) + 59_000)
})

test('a single statement has the time of its storage in Last-Modified (2.0)', async () => {
  const [id] = await key.store(makeStatement())
  const answer = await key.get({ statementId: id })
  assert.equal(answer.headers.get('last-modified'), new Date(answer.body.stored).toUTCString())
  assert.equal((await key.get()).headers.get('last-modified'), null)
})

test('a voided statement is only returned by voidedStatementId; statements that refer to it stay (XAPI-00016 to 00018, 00155, 00157, 00162, 00163)', async () => {
  const registration = randomUUID()
  const target = makeStatement({ context: { registration } })
  const comment = makeStatement({ object: refTo(target.id) })
  const voiding = makeStatement({ verb: { id: VOIDED }, object: refTo(target.id.toUpperCase()) })
  await key.store(target, comment)
  assertError(await key.get({ voidedStatementId: target.id }), 404, 4042)
  await key.store(voiding)
  assertError(await key.get({ statementId: target.id }), 404, 4042)
  const { body } = await key.get({ voidedStatementId: target.id })
  assert.deepEqual([body.id, body.object], [target.id, target.object])
  assert.deepEqual(await key.find({ registration }), [voiding.id, comment.id])
  assert.equal((await key.read(voiding.id)).verb.id, VOIDED)
  // A voiding statement cannot be voided.
  const again = makeStatement({ verb: { id: VOIDED }, object: refTo(voiding.id) })
  assertError(await key.post(again), 400, 4003, /cannot be voided/)
  await key.read(voiding.id)
  assertError(await key.post(makeStatement({ verb: { id: VOIDED } })), 400, 4003, /StatementRef/)
})

test('a statement that is voided before it arrives is voided on arrival', async () => {
  const registration = randomUUID()
  const target = makeStatement({ context: { registration } })
  const voiding = makeStatement({ verb: { id: VOIDED }, object: refTo(target.id) })
  await key.store(voiding)
  await key.store(target)
  assertError(await key.get({ statementId: target.id }), 404, 4042)
  assert.equal((await key.get({ voidedStatementId: target.id })).body.id, target.id)
  assert.deepEqual(await key.find({ registration }), [voiding.id])
  // A statement and the statement that voids it may be in one request, in either order.
  for (const turn of [(some: object[]) => some, (some: object[]) => some.toReversed()]) {
    const one = makeStatement()
    await key.store(...turn([one, makeStatement({ verb: { id: VOIDED }, object: refTo(one.id) })]))
    assertError(await key.get({ statementId: one.id }), 404, 4042)
    assert.equal((await key.get({ voidedStatementId: one.id })).status, 200)
  }
})

test('callers without all scopes can void only the statements they have sent', async () => {
  const [theirs, other] = [
    await makeSpeaker(app, 'statements/write', 'statements/read'),
    await makeSpeaker(app, 'statements/write'),
  ]
  const [own] = await theirs.store(makeStatement())
  const [foreign] = await other.store(makeStatement())
  const voiding = (id: string) => makeStatement({ verb: { id: VOIDED }, object: refTo(id) })
  for (const id of [foreign!, randomUUID()]) {
    const beside = makeStatement()
    assertError(
      await theirs.post([beside, voiding(id)]),
      403,
      4032,
      /^\/1\/object\/id must be that of a statement that you have sent/,
    )
    assertError(await theirs.get({ statementId: beside.id }), 404, 4042)
  }
  await theirs.read(foreign!)
  await theirs.store(voiding(own!))
  assertError(await theirs.get({ statementId: own }), 404, 4042)
  await key.store(voiding(foreign!))
  assertError(await theirs.get({ statementId: foreign }), 404, 4042)
})

test('unknown, invalid and conflicting parameters are refused (XAPI-00150, 00151, 00324, 00325)', async () => {
  const id = randomUUID()
  const agent = JSON.stringify({ mbox: 'mailto:ada@example.org' })
  for (const query of [
    { foo: 'bar' },
    { Verb: 'https://example.org/v' },
    { AGENT: agent },
    { statementID: id },
    { statementId: id, voidedStatementId: id },
    ...['statementId', 'voidedStatementId'].flatMap((name) =>
      [
        { agent },
        { verb: 'https://example.org/v' },
        { activity: 'https://example.org/a' },
        { registration: id },
        { related_activities: true },
        { related_agents: true },
        { since: '2026-01-01T00:00:00Z' },
        { until: '2026-01-01T00:00:00Z' },
        { limit: 1 },
        { ascending: true },
      ].map((more) => ({ [name]: id, ...more })),
    ),
    { statementId: 'seven' },
    { agent: '{' },
    { agent: '[]' },
    { agent: '{"mbox":"ada@example.org"}' },
    { verb: 'flew' },
    { activity: 'sortie' },
    { registration: 'seven' },
    { since: 'yesterday' },
    { until: '2026-13-01T00:00:00Z' },
    { limit: -1 },
    { limit: 'NaN' },
    { limit: 1e9 },
    { ascending: 'perhaps' },
    { attachments: 1.5 },
    { related_agents: 'x' },
  ] as Record<string, unknown>[]) {
    const answer = await key.get(query)
    assert.equal(answer.status, 400, `${JSON.stringify(query)}: ${answer.text.slice(0, 200)}`)
    assert.equal(answer.headers.get(VERSION_HEADER), '2.0.0')
  }
  assert.equal((await key.get({ statementId: id, format: 'ids', attachments: false })).status, 404)
  for (const [method, query] of [
    ['POST', { foo: 'bar' }],
    ['POST', { statementId: id }],
    ['PUT', { statementId: id, foo: 'bar' }],
  ] as const)
    assert.equal((await key.send(method, STATEMENTS, { query, body: makeStatement({ id }) })).status, 400)
  assertError(await key.get({ statementId: id }), 404, 4042)
})

test('HEAD responds like GET, without the body (Communication 1.1)', async () => {
  const [id] = await key.store(makeStatement())
  for (const [path, query] of [
    [STATEMENTS, { statementId: id }],
    [STATEMENTS, { verb: 'https://example.org/verbs/never' }],
    ['/xapi/activities', { activityId: 'https://example.org/sorties/7' }],
    ['/xapi/agents', { agent: '{"mbox":"mailto:ada@example.org"}' }],
    ['/xapi/about', {}],
  ] as const) {
    const [head, get] = [await key.send('HEAD', path, { query }), await key.send('GET', path, { query })]
    assert.deepEqual([head.status, head.text], [200, ''], path)
    for (const name of ['content-type', 'content-length', 'last-modified', VERSION_HEADER])
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
  }
  assert.equal((await key.send('HEAD', STATEMENTS, { query: { statementId: randomUUID() } })).status, 404)
})

test('a body must be JSON or multipart/mixed (XAPI-00127)', async () => {
  const raw = JSON.stringify(makeStatement())
  for (const type of [
    'text/plain',
    'application/xml',
    'application/octet-stream',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'x',
  ])
    assertError(
      await key.send('POST', STATEMENTS, { raw, headers: { 'content-type': type } }),
      400,
      4000,
      /application\/json/,
    )
  assert.equal(
    (await key.send('POST', STATEMENTS, { raw, headers: { 'content-type': 'Application/JSON; charset=utf-8' } }))
      .status,
    200,
  )
  for (const body of ['', ' ', 'null', '"x"', '7', 'true', '[null]', '[[]]', '{"a":', '[{}] {}'])
    assert.equal(
      (await key.send('POST', STATEMENTS, { raw: body, headers: { 'content-type': 'application/json' } })).status,
      400,
      body,
    )
})
