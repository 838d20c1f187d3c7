import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { VOIDED } from '../statements/model/statement.ts'
import { makeSpeaker, makeStatement, refTo } from './testing.ts'

const app = await sharedApp(UNLIMITED)
const key = await makeSpeaker(app)
const sortie = () => `https://example.org/sorties/${randomUUID()}`
const readActivity = async (activityId: string, languages?: string) => {
  const headers = { 'accept-language': languages ?? '' }
  const answer = await key.send('GET', '/xapi/activities', { query: { activityId }, headers })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const readAgent = (agent: unknown) => key.send('GET', '/xapi/agents', { query: { agent: JSON.stringify(agent) } })

test('an activity combines everything said about it, wherever it occurs in a statement (XAPI-00251 to 00254)', async () => {
  const [id, parent] = [sortie(), sortie()]
  assert.deepEqual(await readActivity(id), { objectType: 'Activity', id })
  const said = (definition: object) => makeStatement({ object: { id, definition } })
  await key.store(
    said({ name: { en: 'One' }, type: 'https://example.org/t', extensions: { 'https://x.example/a': 1 } }),
  )
  await key.store(
    said({ name: { de: 'Eins' }, description: { en: 'Night' } }),
    said({ name: { en: 'First' }, extensions: { 'https://x.example/b': null } }),
  )
  const definition = {
    name: { en: 'First', de: 'Eins' },
    description: { en: 'Night' },
    type: 'https://example.org/t',
    extensions: { 'https://x.example/a': 1, 'https://x.example/b': null },
  }
  assert.deepEqual(await readActivity(id), { objectType: 'Activity', id, definition })
  for (const languages of ['de', 'de;q=0.3, fr', '*', 'nonsense'])
    assert.deepEqual(
      await readActivity(id, languages),
      { objectType: 'Activity', id, definition },
      'it is complete, whatever Accept-Language says',
    )
  const { id: _id, ...inner } = said({ moreInfo: 'https://example.org/more' })
  await key.store(
    makeStatement({
      object: { objectType: 'SubStatement', ...inner },
      context: { contextActivities: { parent: { id: parent, definition: { name: { en: 'Course' } } } } },
    }),
  )
  assert.equal((await readActivity(id)).definition.moreInfo, 'https://example.org/more')
  assert.deepEqual((await readActivity(parent)).definition, { name: { en: 'Course' } })
})

test('repeated, refused and conflicting statements add nothing to an activity', async () => {
  const id = sortie()
  const first = makeStatement({ object: { id, definition: { name: { en: 'One' } } } })
  await key.store(first)
  const changed = { ...first, object: { id, definition: { name: { en: 'Another' } } } }
  assert.deepEqual(await key.store(changed), [first.id], 'a definition is no part of the statement')
  const conflict = { ...changed, verb: { id: 'https://example.org/verbs/landed' } }
  assert.equal((await key.post(conflict)).status, 409)
  const spoilt = [makeStatement({ object: { id, definition: { name: { en: 'Spoilt' } } } }), { actor: 7 }]
  assert.equal((await key.post(spoilt)).status, 400)
  assert.deepEqual((await readActivity(id)).definition, { name: { en: 'One' } })
  assert.deepEqual((await key.read(first.id)).object, first.object)
})

test('an activity cannot be changed without the scope define', async () => {
  const id = sortie()
  const [writer, definer] = [
    await makeSpeaker(app, 'statements/write'),
    await makeSpeaker(app, 'statements/write', 'define'),
  ]
  const said = makeStatement({ object: { id, definition: { name: { en: 'By a writer' } } } })
  await writer.store(said)
  assert.deepEqual(await readActivity(id), { objectType: 'Activity', id })
  assert.deepEqual((await key.read(said.id)).object, said.object, 'the statement keeps what it says')
  await definer.store(makeStatement({ object: { id, definition: { name: { en: 'Sortie' } } } }))
  await writer.store(makeStatement({ object: { id, definition: { name: { en: 'Again', fr: 'Encore' } } } }))
  assert.deepEqual((await readActivity(id)).definition, { name: { en: 'Sortie' } })
  const { body } = await key.get({ statementId: said.id, format: 'canonical' })
  assert.deepEqual(body.object.definition, { name: { en: 'Sortie' } })
})

test('an activity is identified by an IRI and nothing else (XAPI-00250, 00324)', async () => {
  for (const query of [
    {},
    { activityId: 'sortie' },
    { activityId: '' },
    { activityId: sortie(), foo: 1 },
    { activityid: sortie() },
  ])
    assert.equal((await key.send('GET', '/xapi/activities', { query })).status, 400, JSON.stringify(query))
})

test('an agent is returned as a Person object with the names in statements (XAPI-00236 to 00249)', async () => {
  const mail = () => `mailto:${randomUUID()}@example.org`
  const [mbox, openid] = [mail(), `https://id.example.org/${randomUUID()}`]
  const mbox_sha1sum = 'ebd31e95054c018b10727ccffd2ef2ec3a016ee9'
  const account = { homePage: 'https://example.org', name: randomUUID() }
  for (const [agent, lists] of [
    [{ mbox }, { mbox: [mbox] }],
    [{ mbox_sha1sum }, { mbox_sha1sum: [mbox_sha1sum] }],
    [{ openid }, { openid: [openid] }],
    [{ account }, { account: [account] }],
    [
      { objectType: 'Agent', name: 'Ada', account },
      { name: ['Ada'], account: [account] },
    ],
  ])
    assert.deepEqual((await readAgent(agent)).body, { objectType: 'Person', ...lists })
  const group = { objectType: 'Group', name: 'Crew', mbox: mail(), member: [{ mbox, name: 'Bea' }] }
  await key.store(
    makeStatement({ actor: { mbox, name: 'Ada' } }),
    makeStatement({
      object: { objectType: 'Agent', mbox: mbox.replace('example.org', 'EXAMPLE.org'), name: 'Ada L.' },
    }),
    makeStatement({ context: { team: group } }),
    makeStatement({ actor: { mbox, name: 'Ada' }, context: { instructor: { mbox: mail(), name: 'Somebody else' } } }),
  )
  const { body } = await readAgent({ mbox, name: 'Asked' })
  assert.deepEqual(body.mbox, [mbox])
  assert.equal(body.name[0], 'Asked')
  assert.deepEqual(new Set(body.name), new Set(['Asked', 'Ada', 'Ada L.', 'Bea']))
  assert.equal(body.name.length, 4)
  // Names in voided statements are not returned.
  const once = makeStatement({ actor: { mbox: mail(), name: 'Once' } })
  await key.store(once, makeStatement({ verb: { id: VOIDED }, object: refTo(once.id) }))
  assert.deepEqual((await readAgent({ mbox: once.actor.mbox })).body.name, undefined)
})

test('an agent is requested by one identifier (XAPI-00243, 00249)', async () => {
  const member = [{ mbox: 'mailto:ada@example.org' }]
  for (const agent of [
    {},
    [],
    7,
    'x',
    null,
    { mbox: 'ada@example.org' },
    { name: 'Ada' },
    { mbox: 'mailto:ada@example.org', openid: 'https://id.example.org' },
    { objectType: 'Group', member },
    { objectType: 'Group', mbox: 'mailto:crew@example.org' },
    { objectType: 'Activity', id: 'https://example.org' },
  ])
    assert.equal((await readAgent(agent)).status, 400, JSON.stringify(agent))
  assertError(await key.send('GET', '/xapi/agents'), 400, 4001, /agent/)
  assertError(await key.send('GET', '/xapi/agents', { query: { agent: '{' } }), 400, 4003)
  assertError(await readAgent({ mbox: 'ada@example.org' }), 400, 4003, /\/mbox must/)
})
