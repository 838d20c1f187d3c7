import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeTestKey } from '../credentials/testing.ts'
import { HOME, id, make, school, shared, V1, V2 } from '../statements/capture/testing.ts'
import { type Fault, VOIDED } from '../statements/model/statement.ts'
import { put } from '../statements/model/testing.ts'
import { makeStatement, refTo, Speaker } from '../xapi/testing.ts'
import { PATH } from './testing.ts'

const app = await shared
await school
const key = new Speaker((await makeTestKey(app)).client)

type Answer = Awaited<ReturnType<Speaker['post']>>
/** Converts faults to rows of pointer, rule and sentence. */
const rowsOf = (faults: readonly Fault[]) => faults.map(({ pointer, rule, must }) => [pointer, rule, must])

/** Sends a batch first as a dry run and then for real. Both must report the same faults, and nothing may be stored. */
async function sendBoth(who: Speaker, batch: readonly unknown[], status: number): Promise<readonly unknown[][]> {
  const dry = await who.client.send('POST', `${PATH}/validate`, { query: { version: who.version }, body: batch })
  assert.equal(dry.status, 200, dry.text)
  assert.equal(dry.body.valid, false, dry.text)
  const predicted = dry.body.faults.map(({ position, pointer, ...fault }: Fault & { position: number }) => ({
    ...fault,
    pointer: `/${position}${pointer}`,
  }))
  const sent: Answer = await who.post(batch)
  assert.equal(sent.status, status, sent.text)
  assert.deepEqual(rowsOf(sent.body.faults ?? []), rowsOf(predicted))
  return rowsOf(predicted)
}

const attempt = (more: object) => ({ ...makeStatement(), ...more })
const IRI = 'https://example.org/x'
/** Statements with one fault each: name, statement, and the pointer and rule of the fault. */
const BAD: readonly [name: string, statement: unknown, pointer: string, rule: string][] = [
  ['no object', 7, '', 'XAPI-00006'],
  ['null', null, '', 'XAPI-00006'],
  ['an array', [], '', 'XAPI-00006'],
  ['an unknown property', attempt({ Actor: 1 }), '/Actor', 'XAPI-00010'],
  ['null in a property', attempt({ result: null }), '/result', 'XAPI-00001'],
  ['no verb', put(makeStatement(), '/verb', undefined), '/verb', 'XAPI-00004'],
  ['an id that is no UUID', attempt({ id: 'one' }), '/id', 'XAPI-00027'],
  ['an actor without identifier', attempt({ actor: { name: 'Ada' } }), '/actor', 'XAPI-00034'],
  ['an actor with a wrong address', attempt({ actor: { mbox: 'ada@example.org' } }), '/actor/mbox', 'XAPI-00038'],
  ['a verb without scheme', attempt({ verb: { id: 'flew' } }), '/verb/id', 'XAPI-00044'],
  [
    'an object of another type',
    attempt({ object: { objectType: 'Thing', id: IRI } }),
    '/object/objectType',
    'XAPI-00046',
  ],
  ['a score out of range', attempt({ result: { score: { scaled: 2 } } }), '/result/score/scaled', 'XAPI-00083'],
  ['a wrong duration', attempt({ result: { duration: '5 min' } }), '/result/duration', 'XAPI-00124'],
  [
    'an extension without scheme',
    attempt({ context: { extensions: { a: 1 } } }),
    '/context/extensions/a',
    'XAPI-00118',
  ],
  ['a wrong language', attempt({ verb: { id: IRI, display: { '1': 'x' } } }), '/verb/display/1', 'XAPI-00121'],
  ['a wrong time', attempt({ timestamp: 'yesterday' }), '/timestamp', 'XAPI-00123'],
  ['a wrong version', attempt({ version: '3.0' }), '/version', 'XAPI-00101'],
  ['voiding an activity', attempt({ verb: { id: VOIDED } }), '/object/objectType', 'XAPI-00017'],
  [
    'too many activities',
    attempt({
      context: { contextActivities: { other: Array.from({ length: 600 }, (_, i) => ({ id: `${IRI}/${i}` })) } },
    }),
    '',
    'size',
  ],
]

for (const version of ['1.0.3', '2.0.0'] as const)
  for (const [name, statement, pointer, rule] of BAD)
    test(`a dry run and a real request report the same fault, ${version}: ${name}`, async () => {
      const rows = await sendBoth(key.as(version), [makeStatement(), statement], 400)
      assert.deepEqual(
        rows.map((row) => row.slice(0, 2)),
        [[`/1${pointer}`, rule]],
      )
    })

test('a dry run and a real request report the same faults of a batch: a duplicate id, and several statements', async () => {
  const twice = makeStatement()
  const rows = await sendBoth(key, [twice, { ...makeStatement(), id: twice.id.toUpperCase() }, 7, {}], 400)
  assert.deepEqual(
    rows.map((row) => row.slice(0, 2)),
    [
      ['/1/id', 'batch-ids-distinct'],
      ['/2', 'XAPI-00006'],
      ['/3/actor', 'XAPI-00003'],
      ['/3/verb', 'XAPI-00004'],
      ['/3/object', 'XAPI-00005'],
    ],
  )
})

test('a dry run and a real request report the same oversized statement and the same oversized batch', async () => {
  const large = makeStatement({ result: { extensions: { [IRI]: 'x'.repeat(1_100_000) } } })
  assert.deepEqual(await sendBoth(key, [makeStatement(), large], 413), [['/1', 'size', 'have at most 1048576 bytes']])
  const [[pointer, rule] = []] = await sendBoth(key, Array.from({ length: 45 }, naming450), 400)
  assert.deepEqual([pointer, rule], ['/44', 'size'])
  const short = { actor: { mbox: 'mailto:a@b.c' }, verb: { id: 'x:y' }, object: { id: 'x:y' } }
  const many = Array(1001).fill(short)
  const dry = await key.client.send('POST', `${PATH}/validate`, { body: many })
  const sent = await key.post(many)
  assert.deepEqual([dry.status, dry.body.faults], [400, sent.body.faults])
})

const naming450 = () =>
  makeStatement({
    context: { contextActivities: { other: Array.from({ length: 450 }, () => ({ id: `${IRI}/${randomUUID()}` })) } },
  })

test('a dry run and a real request count the same names in a batch: those of targets too', async () => {
  const own = new Speaker((await makeTestKey(app, { scopes: ['statements/write', 'statements/read/mine'] })).client)
  const [stored, sent] = [naming450(), naming450()]
  await own.store(stored)
  const referTo = (target: string) => Array.from({ length: 100 }, () => makeStatement({ object: refTo(target) }))
  for (const [who, batch] of [
    [key, referTo(stored.id)],
    [own, referTo(stored.id)],
    [key, [sent, ...referTo(sent.id)]],
  ] as const) {
    const rows = await sendBoth(who, batch, 400)
    assert.deepEqual(
      rows.map((row) => row.slice(0, 2)),
      [['/43', 'size']],
    )
  }
})

test('a dry run does not count the names of a target that the caller may not read', async () => {
  const own = new Speaker((await makeTestKey(app, { scopes: ['statements/write', 'statements/read/mine'] })).client)
  const [foreign] = await key.store(naming450())
  const batch = Array.from({ length: 100 }, () => makeStatement({ object: refTo(foreign!) }))
  const dry = await own.client.send('POST', `${PATH}/validate`, { body: batch })
  assert.deepEqual([dry.body.valid, dry.body.faults], [true, []])
})

test('a dry run and a real request do not count the names of statements that are stored already', async () => {
  const batch = Array.from({ length: 50 }, naming450)
  await key.store(...batch.slice(0, 25))
  await key.store(...batch.slice(25))
  const dry = await key.client.send('POST', `${PATH}/validate`, { body: batch })
  assert.deepEqual([dry.body.valid, dry.body.faults, dry.body.known.length], [true, [], 50])
  assert.equal((await key.post(batch)).status, 200)
})

test('a dry run and a real request refuse the same verbs, actors and voiding statements', async () => {
  const library = new Speaker((await makeTestKey(app, { usesLibrary: true })).client)
  const [[pointer, rule] = []] = await sendBoth(library, [makeStatement()], 400)
  assert.deepEqual([pointer, rule], ['/0/verb/id', 'verb library'])

  const blake = new Speaker(await app.as('blake'))
  for (const actor of [{ mbox: 'mailto:ada@example.org' }, { account: { homePage: HOME, name: '@avery' } }]) {
    const [row = []] = await sendBoth(blake, [makeStatement({ actor })], 403)
    assert.deepEqual(row.slice(0, 2), ['/0/actor', 'interface'])
  }

  const writer = new Speaker((await makeTestKey(app, { scopes: ['statements/write', 'statements/read'] })).client)
  const [foreign] = await key.store(makeStatement())
  const voiding = (target: string) => makeStatement({ verb: { id: VOIDED }, object: refTo(target) })
  const [row = []] = await sendBoth(writer, [makeStatement(), voiding(foreign!)], 403)
  assert.deepEqual(row.slice(0, 2), ['/1/object/id', 'scope all'])

  const [end] = await key.store(voiding(foreign!))
  const [again = []] = await sendBoth(key, [makeStatement(), voiding(end!)], 400)
  assert.deepEqual(again.slice(0, 2), ['/1/object/id', 'XAPI-00016'])
})

test('a dry run and a real request agree on stored statements and conflicts', async () => {
  const [same, other] = [makeStatement(), makeStatement()]
  await key.store(same, other)
  const changed = { ...other, verb: { id: IRI } }
  const dry = await key.client.send('POST', `${PATH}/validate`, { body: [same, changed] })
  assert.deepEqual(
    [dry.body.known, dry.body.conflicts, dry.body.faults],
    [[{ position: 0, id: same.id }], [{ position: 1, id: other.id }], []],
  )
  assert.equal((await key.post(same)).status, 200)
  assert.equal((await key.post([same, changed])).status, 409)
})

test('pointers into a single statement have no position', async () => {
  const sent = await key.post(attempt({ verb: { id: 'flew' } }))
  const dry = await key.client.send('POST', `${PATH}/validate`, { body: attempt({ verb: { id: 'flew' } }) })
  assert.deepEqual(dry.body.faults, [{ position: 0, ...sent.body.faults[0] }])
  assert.equal(sent.body.faults[0].pointer, '/verb/id')
})

/** Properties that have the same form in v2 and in /xapi: name, properties, and the pointer of the fault. */
const IN_V2: readonly [name: string, more: object, pointer: string][] = [
  ['a score out of range', { result: { score: { scaled: 2 } } }, '/result/score/scaled'],
  ['an unknown property', { result: { Score: 1 } }, '/result/Score'],
  ['an extension without scheme', { context: { extensions: { a: 1 } } }, '/context/extensions/a'],
  ['a wrong language', { context: { language: '1' } }, '/context/language'],
  ['an unknown verb', { verb: { id: IRI } }, '/verb/id'],
]
for (const [name, more, pointer] of IN_V2)
  test(`v2 reports the same fault as /xapi: ${name}`, async () => {
    const avery = await app.as('avery')
    const captured = await avery.post(V2, make(more))
    const { object, ...rest } = make(more)
    const library = new Speaker((await makeTestKey(app, { usesLibrary: true })).client)
    const sent = await library.post({
      ...rest,
      object: { id: object.id, definition: { extensions: id('lesson', 'walkaround') } },
    })
    assert.deepEqual([captured.status, captured.body.error_code], [sent.status, sent.body.error_code], captured.text)
    assert.deepEqual(captured.body.faults, sent.body.faults)
    assert.equal(captured.body.faults[0].pointer, pointer)
  })

test('v1 and v2 report a wrong actor and a statement with too many names like /xapi', async () => {
  const blake = await app.as('blake')
  const avery = await app.as('avery')
  const foreign = await new Speaker(blake).post(
    makeStatement({ actor: { account: { homePage: HOME, name: '@avery' } } }),
  )
  const object = { lessonId: 'walkaround' }
  for (const captured of [
    await blake.post(V2, make()),
    await blake.post(V1, { actor: avery.userId, verb: 'Answered', object }),
  ]) {
    assert.equal(captured.status, 400, 'the interface of v1 and v2 has no 403 here')
    const [{ pointer, rule }] = captured.body.faults
    assert.deepEqual([pointer, rule], [foreign.body.faults[0].pointer, foreign.body.faults[0].rule])
  }
  const contextActivities = { other: Array.from({ length: 600 }, (_, i) => ({ id: `${IRI}/${i}` })) }
  const captured = await avery.post(V2, make({ context: { contextActivities } }))
  const [{ pointer, rule, must }] = captured.body.faults
  assert.deepEqual([captured.status, pointer, rule], [400, '', 'size'])
  assert.match(must, /^have at most 500 agents and activities/)
})
