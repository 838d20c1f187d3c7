import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { revokeCredential } from '../credentials/managing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { activity, agent, make, PATH, type StatementWithId, save, VERBS, voiding } from './testing.ts'

const shared = sharedApp(UNLIMITED)
const key = shared.then((app) => makeTestKey(app))
const read = async (query: Record<string, unknown>) => {
  const answer = await (await key).client.get(`${PATH}/export`, query)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="statements-[\d-]+\.ndjson"$/)
  const lines = answer.text.split('\n')
  assert.equal(lines.pop(), '', 'each line ends')
  return lines.map((line) => JSON.parse(line) as StatementWithId)
}
const idsOf = (statements: readonly StatementWithId[]) => statements.map(({ id }) => id)

test('an export has every statement once, oldest first, page by page, and can be resumed', async () => {
  const app = await shared
  const object = activity()
  const made = Array.from({ length: 1100 }, (_, i) => make({ object, result: { response: 'é'.repeat(i % 400) } }))
  await save(app.environment(), made.slice(0, 550))
  await save(app.environment(), [make(), ...made.slice(550)])
  const all = await read({ activity: object.id })
  assert.deepEqual(idsOf(all), idsOf(made))
  const { stored, timestamp, ...first } = all[0]!
  assert.deepEqual([first, timestamp], [made[0], stored])
  assert.deepEqual(idsOf(await read({ activity: object.id, after: all[776]!.stored })), idsOf(made.slice(777)))
  const [{ seq } = {}] = await app.sql(`select seq from statement_ids where statement_id = '${made[41]!.id}'`)
  assert.deepEqual(
    idsOf(await read({ activity: object.id, after: seq, until: all[50]!.stored })),
    idsOf(made.slice(42, 51)),
  )
  assert.deepEqual(await read({ activity: activity().id }), [])
  assert.equal((await read({})).length, 1101)
  const { client } = await key
  assertError(await client.get(`${PATH}/export`, { after: 'here' }), 400, 4003, /after must be/)
  const head = await client.send('HEAD', `${PATH}/export`)
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('voided statements are left out by default', async () => {
  const app = await shared
  const object = activity()
  const [kept, gone] = [make({ object }), make({ object })]
  const end = voiding(gone)
  await save(app.environment(), [kept, gone])
  await save(app.environment(), [end])
  assert.deepEqual(idsOf(await read({ activity: object.id })), idsOf([kept, end]))
  assert.deepEqual(idsOf(await read({ activity: object.id, voided: true })), idsOf([kept, gone, end]))
  assert.ok(!idsOf(await read({})).includes(gone.id))
})

test('an export follows the speed of its reader, holds one page in memory, and ends when the key is revoked', async () => {
  const app = await shared
  const object = activity()
  const large = Array.from({ length: 40 }, () => make({ object, result: { response: 'x'.repeat(500_000) } }))
  for (let i = 0; i < 40; i += 10) await save(app.environment(), large.slice(i, i + 10))
  const short = await makeTestKey(app)
  const response = await fetch(`${app.address}${PATH}/export?activity=${encodeURIComponent(object.id)}`, {
    headers: { authorization: short.basic },
  })
  const reader = response.body!.getReader()
  await reader.read()
  // A caller may run two exports at the same time: the slow one above and this one. A third is refused.
  const busy = await fetch(`${app.address}${PATH}/export`, { headers: { authorization: short.basic } })
  assert.equal((await short.client.get(`${PATH}/export`)).status, 503)
  await busy.body!.cancel()
  await revokeCredential(app.environment().db, { at: new Date(), requestId: 'test', address: 'test' }, short)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const MAX_AHEAD = 16_000_000
  let bytes = 0
  await assert.rejects(async () => {
    while (bytes < MAX_AHEAD) {
      const { value, done } = await reader.read()
      if (done) return
      bytes += value.length
    }
  })
  assert.ok(bytes < MAX_AHEAD, `${bytes} bytes had been read ahead`)
})

test('a dry run reports each fault with position, pointer and rule, and stores nothing', async () => {
  const app = await shared
  const { client } = await key
  const check = async (body: unknown, query = {}) => {
    const answer = await client.send('POST', `${PATH}/validate`, { query, body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const [{ before } = {}] = await app.sql('select count(*) as before from statements')
  const good = make()
  const fine = { valid: true, statements: 1, faults: [], conflicts: [], known: [], more: false }
  assert.deepEqual(await check(good), fine)
  assert.deepEqual(await check([]), { ...fine, statements: 0 })
  const twice = { ...make(), id: good.id.toUpperCase() }
  const { body } = { body: await check([good, { ...make(), verb: { id: 'flew' }, actor: undefined }, 7, twice]) }
  assert.equal(body.valid, false)
  assert.deepEqual(
    body.faults.map(({ position, pointer, rule }: Record<string, unknown>) => [position, pointer, rule]),
    [
      [1, '/verb/id', body.faults[0].rule],
      [1, '/actor', 'XAPI-00003'],
      [2, '', 'XAPI-00006'],
      [3, '/id', 'batch-ids-distinct'],
    ],
  )
  assert.match(body.faults[0].must, /^be an IRI/)
  assert.match(body.faults[0].rule, /^XAPI-\d{5}$/)
  // Version 2.0 has properties that 1.0.3 does not have.
  const modern = make({ context: { contextAgents: [{ objectType: 'contextAgent', agent: agent('bob') }] } })
  assert.equal((await check(modern)).valid, true)
  assert.equal((await check(modern, { version: '1.0.3' })).valid, false)
  const many = Array.from({ length: 1000 }, () => ({}))
  const all = await check(many)
  assert.deepEqual([all.statements, all.faults.length, all.more], [1000, 500, true])
  assertError(await client.send('POST', `${PATH}/validate`, { body: [...many, {}] }), 400, 4003, /1001 .* 1000/)
  assertError(await client.send('POST', `${PATH}/validate`, { raw: '{"a":1,"a":2}' }), 400, 4003, /twice/)
  assertError(await client.send('POST', `${PATH}/validate`, { query: { version: '0.9' }, body: good }), 400, 4003)
  assert.equal((await client.send('POST', `${PATH}/validate`)).status, 400)
  const [{ after } = {}] = await app.sql('select count(*) as after from statements')
  assert.equal(after, before)
})

test('a dry run reports taken ids to those who may read them, and what a key may not send', async () => {
  const app = await shared
  const { client } = await key
  const [old, mine] = [make(), make()]
  const writer = await makeTestKey(app, { scopes: ['statements/write', 'statements/read/mine'], usesLibrary: true })
  const blind = await makeTestKey(app, { scopes: ['statements/write'] })
  const end = voiding(old)
  await save(app.environment(), [old, end])
  await save(app.environment(), [mine], { senderKey: `credential ${writer.credentialId}` })
  const sent = [old, { ...mine, object: activity() }, make({ verb: { id: `${VERBS}/strange` } }), voiding(end)]
  const check = async (who: typeof client) => (await who.send('POST', `${PATH}/validate`, { body: sent })).body
  const all = await check(client)
  assert.deepEqual([all.known, all.conflicts], [[{ position: 0, id: old.id }], [{ position: 1, id: mine.id }]])
  const faultsOf = ({ faults }: typeof all) =>
    faults.map(({ position, rule }: { position: number; rule: string }) => [position, rule])
  assert.deepEqual(faultsOf(all), [[3, 'XAPI-00016']])
  const own = await check(writer.client)
  assert.deepEqual([own.known, own.conflicts], [[], [{ position: 1, id: mine.id }]])
  const library = [0, 1, 2].map((position) => [position, 'verb library'])
  assert.deepEqual(faultsOf(own), [...library, [3, 'scope all']])
  const none = await check(blind.client)
  assert.deepEqual([none.known, none.conflicts, faultsOf(none)], [[], [], [[3, 'scope all']]])
  const stranger = await makeTestKey(app, { scopes: ['state'] })
  assertError(await stranger.client.send('POST', `${PATH}/validate`, { body: old }), 403, 4032)
  const id = randomUUID()
  assert.deepEqual((await client.send('POST', `${PATH}/validate`, { body: { ...old, id } })).body.known, [])
})
