import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { CLASS } from '../../learning/progress/testing.ts'
import { assertError, Client } from '../../operations/testing/testing.ts'
import { SCOPES, type Scope } from '../credentials/scopes.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { actor, HOME, id, make, school, shared, V1, V2 } from '../statements/capture/testing.ts'
import { VOIDED } from '../statements/model/statement.ts'
import { makeSpeaker, makeStatement, refTo, Speaker, STATEMENTS, VERSION_HEADER } from './testing.ts'

const app = await shared
await school
const key = await makeSpeaker(app)
const WALKAROUND = { id: `${HOME}/objects/lesson/walkaround`, definition: { extensions: id('lesson', 'walkaround') } }
const ofUser = (handle: string, more: object = {}) =>
  makeStatement({ actor: actor(handle), object: WALKAROUND, ...more })
const as = async (...who: Parameters<typeof app.as>) => new Speaker(await app.as(...who))

test('each scope allows what it says, and nothing else (XAPI-00327)', async () => {
  const [stored] = await key.store(makeStatement())
  const agent = JSON.stringify({ mbox: 'mailto:ada@example.org' })
  const activityId = 'https://example.org/sorties/7'
  const asked: Record<string, (who: Speaker) => ReturnType<Speaker['send']>> = {
    write: (who) => who.post(makeStatement()),
    put: (who) => who.put(randomUUID(), makeStatement({ id: undefined })),
    read: (who) => who.get({ limit: 1 }),
    one: (who) => who.get({ statementId: stored }),
    activity: (who) => who.send('GET', '/xapi/activities', { query: { activityId } }),
    agent: (who) => who.send('GET', '/xapi/agents', { query: { agent } }),
  }
  const open: Record<Scope, readonly string[]> = {
    'statements/write': ['write', 'put'],
    'statements/read/mine': ['read', 'activity'],
    'statements/read': ['read', 'one', 'activity', 'agent'],
    state: ['activity'],
    define: [],
    profile: ['activity', 'agent'],
    all: Object.keys(asked),
  }
  for (const scope of SCOPES) {
    const speaker = await makeSpeaker(app, scope)
    const opened: string[] = []
    for (const [name, ask] of Object.entries(asked)) {
      const answer = await ask(speaker)
      if (answer.status < 300) opened.push(name)
      // A key with this scope sees only its own statements; the statement was sent by another key, so it seems not to
      // exist.
      else if (scope === 'statements/read/mine' && name === 'one') assertError(answer, 404, 4042)
      else assertError(answer, 403, 4032, /requires the scope/)
    }
    assert.deepEqual(opened, open[scope], scope)
  }
})

test('keys that are wrong, revoked, expired or of the other environment are refused (XAPI-00334, 00335)', async () => {
  const wrong = new Speaker(new Client(app.address, 'Basic eDp5'))
  assertError(await wrong.get(), 401, 4012)
  const foreign = await makeTestKey(app, {}, 'sandbox')
  const here = await app.nobody().get(STATEMENTS, {}, { authorization: foreign.basic, [VERSION_HEADER]: '2.0.0' })
  assertError(here, 401, 4012, /other environment/)
  const silent = await app.nobody().get(STATEMENTS, {}, { [VERSION_HEADER]: '2.0.0' })
  assertError(silent, 401, 4016)
  assert.match(silent.headers.get('www-authenticate') ?? '', /^Basic realm=/)
})

test('a caller limited to their own statements finds those they have sent, by every filter and by id', async () => {
  const [one, two] = [
    await makeSpeaker(app, 'statements/write', 'statements/read/mine'),
    await makeSpeaker(app, 'statements/write', 'statements/read/mine'),
  ]
  const verb = { id: `https://example.org/verbs/${randomUUID()}` }
  const [a, b] = [makeStatement({ verb }), makeStatement({ verb })]
  await one.store(a)
  await two.store(b)
  for (const [who, own, other] of [
    [one, a, b],
    [two, b, a],
  ] as const) {
    for (const query of [{ verb: verb.id }, {}, { agent: JSON.stringify(a.actor) }, { verb: verb.id, ascending: true }])
      assert.deepEqual(await who.find(query), [own.id])
    assert.equal((await who.read(own.id)).id, own.id)
    for (const query of [{ statementId: other.id }, { voidedStatementId: other.id }])
      assertError(await who.get(query), 404, 4042, /^There is no (voided )?statement with this id$/)
  }
  assert.deepEqual(await key.find({ verb: verb.id }), [b.id, a.id])
  // A statement belongs to the key that sent it first, even if another key sends it again, and even after it is voided.
  assert.deepEqual(await two.store(a), [a.id])
  assertError(await two.get({ statementId: a.id }), 404, 4042)
  await one.store(makeStatement({ verb: { id: VOIDED }, object: refTo(a.id) }))
  assertError(await two.get({ voidedStatementId: a.id }), 404, 4042)
  assert.equal((await one.get({ voidedStatementId: a.id })).status, 200)
})

test('an app user sends statements as themselves, and for students whom they teach', async () => {
  const [avery, casey, drew] = [await as('avery'), await as('casey'), await as('drew')]
  const [own] = await avery.store(ofUser('@avery'))
  assert.deepEqual((await avery.read(own!)).authority, {
    objectType: 'Group',
    member: [
      { objectType: 'Agent', name: 'first', account: { homePage: HOME, name: 'gs-first' } },
      { objectType: 'Agent', account: { homePage: HOME, name: '@avery' } },
    ],
  })
  await avery.store(ofUser('AVERY'))
  for (const strange of [
    actor('@blake'),
    actor('@nobody-at-all'),
    { mbox: 'mailto:avery@example.org' },
    { account: { homePage: 'https://elsewhere.example.org', name: '@avery' } },
    { objectType: 'Group', ...actor('@avery') },
    { objectType: 'Group', member: [actor('@avery')] },
  ]) {
    const beside = ofUser('@avery')
    assertError(
      await avery.post([beside, makeStatement({ actor: strange })]),
      403,
      4032,
      /actor must be the signed-in user/,
    )
    assertError(await avery.get({ statementId: beside.id }), 404, 4042)
  }
  const taught = ofUser('@avery')
  await casey.store(taught)
  assertError(await drew.post(ofUser('@avery')), 403, 4032)
  // "Mine" means statements that the user has sent through this app: not those of other users, nor those that the user
  // has sent through another app.
  assert.deepEqual(await casey.find({}), [taught.id])
  assert.ok(!(await avery.find({})).includes(taught.id))
  const elsewhere = await as('avery', 'second')
  assert.deepEqual(await elsewhere.find({}), [])
  assertError(await elsewhere.get({ statementId: own }), 404, 4042)
  // Users cannot void statements of other users.
  assertError(await avery.post(ofUser('@avery', { verb: { id: VOIDED }, object: refTo(taught.id) })), 403, 4032)
  await avery.store(ofUser('@avery', { verb: { id: VOIDED }, object: refTo(own!) }))
  assertError(await avery.get({ statementId: own }), 404, 4042)
  // Users cannot define an activity or set an authority.
  const object = { id: `https://example.org/sorties/${randomUUID()}`, definition: { name: { en: 'Mine' } } }
  const [said] = await avery.store(ofUser('@avery', { object, authority: actor('@casey') }))
  assert.equal((await avery.read(said!)).authority!.member!.length, 2)
  const known = await key.send('GET', '/xapi/activities', { query: { activityId: object.id } })
  assert.deepEqual(known.body, { objectType: 'Activity', id: object.id })
  assertError(await avery.send('GET', '/xapi/agents', { query: { agent: JSON.stringify(actor('@blake')) } }), 403, 4032)
})

test('anonymous users and tokens of the other environment are refused; in a browser only administrators may', async () => {
  assertError(await new Speaker((await join(app)).client).get(), 403, 4035)
  const foreign = await app.as('avery', 'first', 'sandbox')
  const here = { authorization: `Bearer ${foreign.token}`, [VERSION_HEADER]: '2.0.0' }
  assertError(await app.nobody().get(STATEMENTS, {}, here), 403, 4034)
  const cookieOf = async (person: 'drew' | 'ellis') =>
    [...(await signInBrowser(app, person)).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  await app.sql(`update people set administrator = handle = '@ellis'`)
  const ask = (cookie: string, more: Record<string, string> = {}) =>
    app.nobody().get(STATEMENTS, { limit: 1 }, { cookie, [VERSION_HEADER]: '1.0.3', ...more })
  assertError(await ask(await cookieOf('drew')), 403, 4032, /administrators/)
  const cookie = await cookieOf('ellis')
  assert.equal((await ask(cookie)).status, 200)
  // Another site cannot use the administrator's cookie to write, in the normal or in the alternate request syntax.
  const sent = makeStatement()
  const strange = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' }
  assertError(await app.nobody().post(STATEMENTS, sent, { ...strange, [VERSION_HEADER]: '2.0.0' }), 403, 4032)
  const raw = String(
    new URLSearchParams({ statementId: sent.id, content: JSON.stringify(sent), 'X-Experience-API-Version': '1.0.3' }),
  )
  const form = { ...strange, 'content-type': 'application/x-www-form-urlencoded' }
  assertError(await app.nobody().send('POST', `${STATEMENTS}?method=PUT`, { raw, headers: form }), 403, 4032)
  assertError(await key.get({ statementId: sent.id }), 404, 4042)
})

test('a key that enforces the verb library refuses other verbs', async () => {
  const made = new Speaker((await makeTestKey(app, { usesLibrary: true })).client)
  const strange = makeStatement()
  const good = makeStatement({ verb: { id: 'http://adlnet.gov/expapi/verbs/answered' } })
  const answer = await made.post([good, strange])
  assertError(answer, 400, 4003, /verb library/)
  assert.deepEqual(
    answer.body.faults.map(({ pointer }: { pointer: string }) => pointer),
    ['/1/verb/id'],
  )
  assert.deepEqual(await made.store(good), [good.id])
})

test('statements sent through v1, v2 and /xapi are returned by /xapi and shown in results and timeline', async () => {
  const [blake, drew] = [await app.as('blake'), await app.as('drew')]
  const verb = 'http://adlnet.gov/expapi/verbs/answered'
  const place = { context: { extensions: id('education-class', 'bravo') } }
  const ids = [
    (
      await blake.post(V1, {
        actor: blake.userId,
        verb: 'Answered',
        object: { lessonId: 'walkaround', classId: 'bravo' },
      })
    ).body.statementId,
    (await blake.post(V2, make({ actor: actor('@blake'), ...place }))).body.statementId,
    ...(await new Speaker(blake).store(ofUser('@blake', { verb: { id: verb }, ...place }))),
    // The last statement is sent by a key, which names the person by their account.
    ...(await key.store(ofUser('@blake', { verb: { id: verb }, ...place }))),
  ]
  const agent = JSON.stringify(actor('@blake'))
  assert.deepEqual((await key.find({ agent })).slice(0, 4), ids.toReversed())
  for (const statementId of ids) {
    const { object } = await key.read(statementId)
    assert.equal((object as typeof WALKAROUND).definition.extensions[`${HOME}/ids/lesson`], 'walkaround')
  }
  assert.deepEqual(
    await new Speaker(blake).find({}),
    ids.slice(0, 3).toReversed(),
    'what the app has sent, in every way',
  )
  const student = { studentId: 'blake-bravo' }
  for (const reader of [blake, drew]) {
    const timeline = await reader.get(`${CLASS}/timeline`, student)
    const shown = timeline.body.docs.filter(({ kind }: { kind: string }) => kind === 'statement')
    assert.equal(shown.length, 4, timeline.text)
    const { body: results } = await reader.get(`${CLASS}/result`, { classId: 'bravo', ...student })
    const [walkaround] = results.lessons.filter(({ lessonId }: { lessonId: string }) => lessonId === 'walkaround')
    assert.equal(walkaround.statements, 4)
  }
})
