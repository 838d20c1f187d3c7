import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { call, signInBrowser } from '../../../apps/account/testing.ts'
import { assertError } from '../../../operations/testing/testing.ts'
import { STANDARD_VERBS } from '../verbs/library.ts'
import { ANSWERED, HOME, id, make, OF_AVERY, read, school, shared, V1, V2 } from './testing.ts'

test('v1: user ids, verbs as words, keys and flags, as an object or as text', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const object = {
    lessonId: 'walkaround',
    studentId: 'nil',
    classId: null,
    questionText: 'Which?',
    safety: true,
    questionIndex: 3,
  }
  for (const sent of [object, JSON.stringify(object)]) {
    const { statement, links } = await read(
      await avery.post(V1, { actor: avery.userId, verb: ' Perfect  Sequence', object: sent, timestamp: '05/04/21' }),
    )
    assert.deepEqual(links, OF_AVERY)
    assert.deepEqual(statement.actor, { objectType: 'Agent', account: { homePage: HOME, name: '@avery' } })
    assert.deepEqual(statement.verb, {
      id: `${app.environment().url}/xapi/verbs/perfect-sequence`,
      display: { en: 'Perfect Sequence' },
    })
    assert.equal(statement.timestamp, '2021-05-04T00:00:00.000Z')
    assert.deepEqual(statement.object.definition!.extensions, {
      ...id('lesson', 'walkaround'),
      ...id('v1/questionText', 'Which?'),
      ...id('v1/safety', true),
      ...id('v1/questionIndex', 3),
    })
  }
  const { links } = await read(
    await avery.post(V1, {
      actor: avery.userId,
      verb: 'x',
      object: { lessonId: 'walkaround', objectiveId: 'safety', classId: 'alpha' },
    }),
  )
  assert.deepEqual(links, { ...OF_AVERY, objective: 'safety' })
  const flags = { target: 'the wing', constructor: 'x', toString: 1 }
  const told = await read(await avery.post(V1, { actor: avery.userId, verb: 'Anything at all', object: flags }))
  assert.deepEqual(
    told.statement.object.definition!.extensions,
    Object.fromEntries(Object.entries(flags).map(([name, value]) => [`${HOME}/ids/v1/${name}`, value])),
  )
  const elsewhere = await app.as('avery', 'second')
  for (const [sent, code, words] of [
    [{ actor: elsewhere.userId, verb: 'x', object }, 4003, /the signed-in user/],
    [{ actor: avery.userId, verb: ' ', object }, 4003, /verb/],
    [{ actor: avery.userId, verb: 'x', object: '{"a":1,"a":2}' }, 4003, /object must be a JSON object/],
    [{ actor: avery.userId, verb: 'x', object: '[1]' }, 4005, /object/],
    [{ actor: avery.userId, verb: 'x', object: [] }, 4005, /object/],
    [{ actor: avery.userId, verb: 'x', object: { lessonId: 'foreign' } }, 4003, /^object\.lessonId is unknown/],
    [{ actor: avery.userId, verb: 'x', object: { lessonId: 7 } }, 4003, /object\.lessonId must be an id/],
    [{ verb: 'x', object }, 4001, /actor/],
  ] as const)
    assertError(await avery.post(V1, sent), 400, code, words)
})

test('v1: the student is the acting user in the newest class with the lesson', async () => {
  await school
  const app = await shared
  const blake = await app.as('blake')
  await app.sql(
    `update enrolments set enrolled_at = '2020-01-01' where key = 'blake-alpha'; update enrolments set enrolled_at = '2020-01-02' where key = 'blake-bravo'`,
  )
  const send = async (more: object = {}) =>
    (await read(await blake.post(V1, { actor: blake.userId, verb: 'x', object: { lessonId: 'walkaround', ...more } })))
      .links.student
  assert.equal(await send(), 'blake-bravo')
  assert.equal(await send({ classId: 'alpha' }), 'blake-alpha')
  assert.equal(await send({ studentId: 'blake-alpha' }), 'blake-alpha')
  await app.sql(`update enrolments set enrolled_at = '2020-01-03' where key = 'blake-alpha'`)
  assert.equal(await send(), 'blake-alpha')
  await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
  assertError(await blake.post(V1, { actor: blake.userId, verb: 'x', object: { lessonId: 'walkaround' } }), 403, 4032)
  await app.sql(`update enrolments set status = 'active'; update classes set ended_at = now() where key = 'bravo'`)
  const ended = { actor: blake.userId, verb: 'x', object: { classId: 'bravo' } }
  assertError(await blake.post(V1, ended), 400, 4006, /is closed/)
  await app.sql(`update classes set ended_at = null where key = 'bravo'`)
})

test('a statement with an id is stored once, and so is a request with an Idempotency-Key', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const sent = { ...make(), id: randomUUID().toUpperCase() }
  const first = await read(await avery.post(V2, sent))
  assert.equal(first.statement.id, sent.id.toLowerCase())
  assert.deepEqual(await read(await avery.post(V2, sent)), first)
  assertError(await avery.post(V2, { ...sent, result: { success: false } }), 409, 4091, /Another statement/)
  const keyed = () => avery.post(V2, make(), { 'idempotency-key': 'once' })
  const [one, two] = await Promise.all([keyed(), keyed()])
  assert.equal(one.body.statementId, two.body.statementId)
  assert.deepEqual(await read(one), await read(two))
})

test('everybody reads the verb library, and administrators change it with an entry in the audit log', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const flew = 'https://example.org/verbs/flew'
  const { body } = await avery.get('/edu/v1/xapi/verbs')
  assert.equal(body.length, STANDARD_VERBS.size + 4)
  assert.deepEqual(body[0], { verbId: ANSWERED, name: 'answered', standard: true })
  assert.equal(body.at(-1).name, 'Repeated Steps')
  const preset = make({ verb: { id: body.at(-1).verbId } })
  await read(await avery.post(V2, preset))
  const browse = async (name: 'ellis' | 'drew') => {
    const browser = await signInBrowser(app, name)
    return (method: 'PUT' | 'POST', path: string, body: object) =>
      call(browser, method, `/edu/v1/xapi/verbs${path}`, body)
  }
  const [ellis, drew] = [await browse('ellis'), await browse('drew')]
  await app.sql(`update people set administrator = handle_key = 'ellis'`)
  assertError(await drew('PUT', '', { verbId: flew, name: 'flew' }), 403, 4032)
  assert.deepEqual((await ellis('PUT', '', { verbId: flew, name: 'flew' })).body, {
    verbId: flew,
    name: 'flew',
    standard: false,
  })
  assertError(await ellis('PUT', '', { verbId: flew, name: 'flew' }), 409, 4091)
  assertError(await ellis('PUT', '', { verbId: ANSWERED, name: 'answered' }), 409, 4091)
  assertError(await ellis('PUT', '', { verbId: 'flew', name: 'flew' }), 400, 4003, /IRI/)
  await read(await avery.post(V2, make({ verb: { id: flew } })))
  assertError(await drew('POST', '/remove', { verbId: flew }), 403, 4032)
  assertError(await ellis('POST', '/remove', { verbId: ANSWERED }), 400, 4006)
  assert.equal((await ellis('POST', '/remove', { verbId: flew })).status, 200)
  assertError(await ellis('POST', '/remove', { verbId: flew }), 404, 4042)
  assertError(await avery.post(V2, make({ verb: { id: flew } })), 400, 4003, /verb library/)
  await app.sql(
    `insert into verbs (iri, name, added_at) select 'https://example.org/verbs/' || i, 'v', now() from generate_series(1, 400) i`,
  )
  assertError(await ellis('PUT', '', { verbId: flew, name: 'flew' }), 409, 4091, /has 400 added verbs/)
  await app.sql('delete from verbs')
  const entries = await app.sql(
    `select action, detail from audit_entries where action like 'verb.%' order by at, action`,
  )
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, (detail as { verb: string }).verb]),
    [
      ['verb.added', flew],
      ['verb.removed', flew],
    ],
  )
})

test('hostile bodies are refused at once, also as text within v1, and nothing is stored (D4)', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const count = async () => (await app.sql('select count(*)::int as n from statement_ids where true'))[0]!.n
  const before = await count()
  const values = [
    '['.repeat(30_000) + ']'.repeat(30_000),
    `"a\\u0000b"`,
    `"\\ud800"`,
    '1e400',
    '{"a":1,"a":2}',
    `"${'x'.repeat(2_000_000)}"`,
  ]
  for (const value of values) {
    const v2 = JSON.stringify(make()).replace('"walkaround"', value)
    const v1 = `{"actor":"${avery.userId}","verb":"x","object":{"lessonId":"walkaround","target":${value}}}`
    const text = JSON.stringify({ actor: avery.userId, verb: 'x', object: `{"target":${value}}` })
    for (const [path, raw] of [
      [V2, v2],
      [V1, v1],
      [V1, text],
    ] as const) {
      const answer = await avery.send('POST', path, { raw, headers: { 'content-type': 'application/json' } })
      assert.ok([400, 413].includes(answer.status), `${answer.status} ${raw.slice(0, 200)}`)
      assertError(answer, answer.status, answer.body.error_code)
    }
  }
  assert.equal(await count(), before)
})
