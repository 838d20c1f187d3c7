import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Environment, schemaOf } from '../../../kernel/environment.ts'
import type { PlatformError } from '../../../kernel/errors.ts'
import { withClient } from '../../../operations/testing/databases.ts'
import { sharedApp, type TestApp, testApp } from '../../../operations/testing/testing.ts'
import * as blocks from '../blocks/store.ts'
import { keyOfActivity, keyOfAgent, keyOfVerb, rolesFor } from '../model/refs.ts'
import { type Statement, VOIDED } from '../model/statement.ts'
import { numberOf, timestampOf } from '../model/times.ts'
import { findStatement, presentStatement, queryStatements, type StatementQuery } from '../query/query.ts'
import * as queries from '../query/store.ts'
import { removeStatements, toRemovable } from './removal.ts'
import * as store from './store.ts'
import { storeStatements } from './storing.ts'

type StatementWithId = Statement & { id: string }
const ada = { mbox: 'mailto:ada@example.org' }
const flew = { id: 'https://example.org/verbs/flew' }
let sorties = 0

const make = (more: Partial<StatementWithId> = {}): StatementWithId => ({
  id: randomUUID(),
  actor: ada,
  verb: flew,
  object: { id: `https://example.org/sorties/${++sorties}` },
  ...more,
})
const refer = (target: string, verb = flew.id): StatementWithId =>
  make({ verb: { id: verb }, object: { objectType: 'StatementRef', id: target } })

const save = async (environment: Environment, ...statements: StatementWithId[]) => {
  const { ids } = await storeStatements(
    { at: environment.clock(), senderKey: 'test' },
    statements.map((statement) => ({ statement })),
    environment,
  )
  return ids
}
const findBy = async ({ db }: Environment, wanted: StatementQuery['wanted'], more: Partial<StatementQuery> = {}) =>
  (await queryStatements(db, { wanted, limit: 1000, ...more })).map(({ statement_id: id }) => id)
const ofActivity = (iri: string) => [{ key: keyOfActivity(iri), roles: rolesFor('activity') }]
const activityOf = ({ object }: Statement) => (object as { id: string }).id

const shared = sharedApp()
/** A second process, whose clock is a minute behind. */
const elsewhere = shared
  .then((app) => app.startSecond({}, 60_000))
  .then(({ environments }) => environments.find(({ name }) => name === 'production')!)

/**
 * Reads sequence numbers in ascending order, which is also the order of commits: each transaction locks the clock's row
 * first and releases it at the commit.
 */
const numbersOf = async (app: TestApp, ids: readonly string[]) =>
  (await app.sql(`select seq from statement_ids where statement_id in ('${ids.join(`','`)}') order by seq`)).map(
    ({ seq }) => Number(seq),
  )

test('sequence numbers grow strictly across two processes, in commit order, and encode the time of storing', async () => {
  const app = await shared
  const second = await elsewhere
  const began = numberOf(app.environment().clock())
  await save(app.environment(), make())
  const seen: number[] = []
  const all: StatementWithId[] = []
  for (let round = 0; round < 20; round++) {
    const made = [make(), make(), make(), make()]
    all.push(...made)
    await Promise.all(made.map((one, i) => save(i % 2 ? second : app.environment(), one)))
    const [newest] = await queryStatements(app.environment().db, { wanted: [], limit: 1 })
    seen.push(newest!.seq)
  }
  const numbers = await numbersOf(
    app,
    all.map(({ id }) => id),
  )
  assert.equal(new Set(numbers).size, 80)
  for (const [i, last] of seen.entries())
    assert.equal(numbers.filter((seq) => seq <= last).length, 4 * (i + 1), 'all below the newest were there')
  assert.ok(numbers[0]! > began, 'the clock that is behind does not turn the numbers back')
  const found = await findStatement(app.environment().db, all[0]!.id)
  const { stored, timestamp } = presentStatement(found!)
  assert.match(stored!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.equal(timestamp, stored)
  assert.equal(timestampOf(1_700_000_000_123_004), '2023-11-14T22:13:20.123004Z')
})

test('storing an id again: equal content changes nothing, other content is a conflict for that request only', async () => {
  const app = await shared
  const environment = app.environment()
  const first = make({ timestamp: '2026-01-01T10:00:00Z' })
  assert.deepEqual(await save(environment, first), [first.id])
  const before = await findStatement(environment.db, first.id)
  assert.deepEqual(await save(environment, { ...first, timestamp: '2026-01-01T12:00:00+02:00' }), [first.id])
  assert.deepEqual(await save(environment, { ...first, verb: { ...flew, display: { en: 'flew' } } }), [first.id])
  assert.deepEqual(await findStatement(environment.db, first.id), before)
  const [beside, within] = [make(), make()]
  const outcomes = await Promise.allSettled([
    save(environment, within, { ...first, object: { id: 'https://example.org/other' } }),
    save(environment, beside),
    save(environment, { ...first, timestamp: '2026-01-01T10:00:01Z' }),
  ])
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'rejected' ? (one.reason as PlatformError).code : one.value)),
    [4091, [beside.id], 4091],
  )
  assert.equal(await findStatement(environment.db, within.id), undefined)
  assert.ok(await findStatement(environment.db, beside.id))
})

test('50 parallel posts of one id store one statement, across two processes as well', async () => {
  const app = await shared
  const second = await elsewhere
  const one = make()
  const same = Array.from({ length: 50 }, (_, i) => save(i % 2 ? second : app.environment(), one))
  assert.deepEqual(new Set((await Promise.all(same)).flat()), new Set([one.id]))
  const id = randomUUID()
  const different = await Promise.allSettled(Array.from({ length: 50 }, () => save(app.environment(), make({ id }))))
  assert.equal(different.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await numbersOf(app, [one.id, id])).length, 2)
})

test('a statement is voided by one stored before, after or with it; a voiding statement cannot be voided', async () => {
  const environment = (await shared).environment()
  const isVoided = async ({ id }: StatementWithId) => (await findStatement(environment.db, id))!.is_voided
  const [after, before, beside] = [make(), make(), make()]
  await save(environment, after)
  const voiding = refer(after.id, VOIDED)
  await save(environment, voiding)
  await save(environment, refer(before.id, VOIDED))
  await save(environment, before)
  await save(environment, refer(beside.id, VOIDED), beside)
  for (const one of [after, before, beside]) {
    assert.equal(await isVoided(one), true)
    assert.deepEqual(
      (await findBy(environment, ofActivity(activityOf(one)))).includes(one.id),
      false,
      'it is no longer found',
    )
  }
  await assert.rejects(save(environment, refer(voiding.id, VOIDED)), { code: 4003 })
  const [late, target] = [refer(randomUUID(), VOIDED), make()]
  await save(environment, refer(late.id, VOIDED))
  await save(environment, late)
  assert.equal(await isVoided(late), false)
  // A voiding statement voids `chained`, but not the statement that `chained` refers to.
  const chained = refer(target.id)
  await save(environment, refer(chained.id, VOIDED))
  await save(environment, chained)
  await save(environment, target)
  assert.deepEqual([await isVoided(chained), await isVoided(target)], [true, false])
})

test("a statement that refers to another is found by the other's keys, whichever came first", async () => {
  const environment = (await shared).environment()
  const [early, late, beside] = [make(), make(), make()]
  const [toEarly, toLate, toBeside] = [refer(early.id), refer(late.id), refer(beside.id)]
  const [again, onLate] = [refer(toEarly.id), refer(toLate.id)]
  await save(environment, early)
  await save(environment, toEarly)
  await save(environment, again)
  await save(environment, onLate)
  await save(environment, toLate)
  await save(environment, late)
  await save(environment, toBeside, beside)
  assert.deepEqual(await findBy(environment, ofActivity(activityOf(early))), [again.id, toEarly.id, early.id])
  assert.deepEqual(await findBy(environment, ofActivity(activityOf(late))), [late.id, toLate.id, onLate.id])
  assert.deepEqual(await findBy(environment, ofActivity(activityOf(beside))), [beside.id, toBeside.id])
})

/** Makes a chain of references, from the statement at its end to the one that refers to it through all others. */
function makeChain(length: number): StatementWithId[] {
  const chain = [make()]
  while (chain.length < length) chain.push(refer(chain.at(-1)!.id))
  return chain
}
const idsOf = (statements: readonly StatementWithId[]) => statements.map(({ id }) => id).toSorted()
const assertFoundByLast = async (environment: Environment, chain: readonly StatementWithId[]) =>
  assert.deepEqual((await findBy(environment, ofActivity(activityOf(chain[0]!)))).toSorted(), idsOf(chain))

test('a chain of 50 statements is found by the keys of its last one, in whatever order they arrive', async () => {
  const environment = (await shared).environment()
  const inOrder = makeChain(50)
  for (const one of inOrder) await save(environment, one)
  await assertFoundByLast(environment, inOrder)
  const reversed = makeChain(50)
  for (const one of reversed.toReversed()) await save(environment, one)
  await assertFoundByLast(environment, reversed)
  const together = makeChain(50)
  await save(environment, ...together.toReversed())
  await assertFoundByLast(environment, together)
  // The middle arrives last, in a batch with a statement that refers to the far end of what was waiting for it.
  const [parted, far] = [makeChain(50), makeChain(1)]
  const onTop = refer(parted.at(-1)!.id)
  for (const one of [...parted.slice(0, 20), ...parted.slice(21)]) await save(environment, one)
  await save(environment, onTop, parted[20]!, ...far)
  await assertFoundByLast(environment, [...parted, onTop])
})

test('a chain that two batches complete from both ends at once, in two processes, is found completely', async () => {
  const processes = [(await shared).environment(), await elsewhere] as const
  for (let round = 0; round < 10; round++) {
    const chain = makeChain(30)
    const [low, middle, high] = [chain.slice(0, 10), chain.slice(10, 20), chain.slice(20)]
    await save(processes[0], ...middle.filter((_, i) => i % 3 !== round % 3))
    const rest = middle.filter((_, i) => i % 3 === round % 3)
    await Promise.all([
      save(processes[round % 2]!, ...low.toReversed(), ...rest.slice(1)),
      save(processes[1 - (round % 2)]!, ...high, ...rest.slice(0, 1)),
    ])
    await assertFoundByLast(processes[0], chain)
  }
})

test('a circle of references ends, and each of its statements is found by all others', async () => {
  const environment = (await shared).environment()
  for (const isTogether of [true, false]) {
    const verbs = [1, 2, 3].map((n) => `https://example.org/verbs/circle-${n}-${isTogether}`)
    const ids = verbs.map(() => randomUUID())
    const circle = ids.map((id, i) => ({ ...refer(ids[(i + 1) % 3]!, verbs[i]), id }))
    const outside = refer(ids[0]!)
    if (isTogether) await save(environment, ...circle)
    else for (const one of circle) await save(environment, one)
    await save(environment, outside)
    for (const verb of verbs) {
      const found = await findBy(environment, [{ key: keyOfVerb(verb), roles: rolesFor('verb') }])
      assert.deepEqual(found.toSorted(), [...ids, outside.id].toSorted())
    }
  }
  const itself = randomUUID()
  await save(environment, { ...refer(itself), id: itself })
})

test('a statement to which many refer already gives its keys to as many as one transaction may update, and the rest is logged', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const [target, chain] = [make({ context: { contextActivities: { other: activities(150) } } }), makeChain(2)]
  const many = Array.from({ length: 400 }, () => refer(target.id))
  await save(environment, ...many)
  await save(environment, target)
  const found = await findBy(environment, ofActivity(activityOf(target)))
  assert.equal(
    found.length,
    1 + Math.floor(50_000 / 153),
    'the statement itself, and those that 50,000 keys suffice for',
  )
  assert.match(app.log(), /"statements":74,.*refer to one that has arrived after them/)
  for (const one of chain.toReversed()) await save(environment, one)
  await assertFoundByLast(environment, chain)
})
const activities = (many: number) => Array.from({ length: many }, (_, i) => ({ id: `https://example.org/many/${i}` }))

test('a removed statement leaves no key behind, also of those that it was found by because it refers to others', async () => {
  const app = await shared
  const environment = app.environment()
  const chain = makeChain(20)
  for (const one of [...chain.slice(10), ...chain.slice(0, 10)]) await save(environment, one)
  const seqs = await numbersOf(app, idsOf(chain))
  const countRefs = async () =>
    (await app.sql(`select count(*)::int as n from statement_refs where seq in (${seqs.join()})`))[0]!.n
  assert.ok(Number(await countRefs()) > 100)
  await environment.db.transaction(async (tx) => {
    const rows = await app.sql(`select seq, sender, payload from statements where seq in (${seqs.join()})`)
    const found = rows as { seq: string; sender: string; payload: string }[]
    await removeStatements(
      tx,
      found.map((row) => toRemovable({ ...row, seq: Number(row.seq) })),
    )
  })
  assert.equal(await countRefs(), 0)
})

test('statements sent again are compared without reading their texts, and references read at most 32 MiB (D11)', async () => {
  const app = await shared
  const environment = app.environment()
  const long = `2026-01-02T03:04:05.${'0'.repeat(200)}+01:00`
  const [timed, untimed, digits] = [make({ timestamp: '2026-01-02T03:04:05Z' }), make(), make({ timestamp: long })]
  await save(environment, timed, untimed, digits)
  const ids = [timed.id, untimed.id, digits.id]
  const rows = await environment.db.all(store.findKnown, { ids, targets: [untimed.id], bytes: 1000 })
  assert.deepEqual(
    ids.map((id) => {
      const { timestamp, payload } = rows.find(({ statement_id }) => statement_id === id)!
      return [timestamp, payload !== null]
    }),
    [
      [timed.timestamp, false],
      [null, true],
      [long, false],
    ],
  )
  await assert.rejects(save(environment, { ...timed, timestamp: '2026-01-02T03:04:06Z' }), { code: 4091 })
  const big = await app.sql(
    `with made as (select gen_random_uuid() as id, (select last from statement_clock) - 500 - i * 1000 as seq from generate_series(1, 40) i),
       kept as (insert into statement_ids (statement_id, seq, fingerprint) select id, seq, id from made)
     insert into statements (seq, statement_id, payload)
     select seq, id, '{"actor":{"mbox":"mailto:a@example.org"},"verb":{"id":"https://example.org/v"},"object":{"id":"https://example.org/' || repeat('x', 1000000) || '"}}' from made
     returning statement_id as id`,
  )
  const references = big.map(({ id }) => refer(String(id)))
  await assert.rejects(save(environment, ...references), { code: 4003 })
  await save(environment, ...references.slice(0, 30))
  await Promise.all(references.slice(30).map((one) => save(environment, one)))
})

test('queries: keys by place, several keys, ranges, both orders, and pages by sequence number', async () => {
  const app = await shared
  const environment = app.environment()
  const object = { id: 'https://example.org/query' }
  const [bob, cy] = [{ mbox: 'mailto:bob@example.org' }, { mbox: 'mailto:cy@example.org' }]
  const made = [
    make({ object }),
    make({ object, actor: bob }),
    make({ object, actor: bob, verb: { id: 'https://example.org/verbs/landed' } }),
    make({ object, context: { instructor: bob } }),
    make({ object: { objectType: 'Agent', ...cy }, actor: bob }),
  ]
  for (const one of made) await save(environment, one)
  const ids = made.map(({ id }) => id)
  const at = (...places: number[]) => places.map((place) => ids[place])
  const agent = (who: typeof bob, filter: 'agent' | 'related_agents' = 'agent') => ({
    key: keyOfAgent(who)!,
    roles: rolesFor(filter),
  })
  const landed = { key: keyOfVerb('https://example.org/verbs/landed'), roles: rolesFor('verb') }
  const [activity] = ofActivity(object.id)
  assert.deepEqual(await findBy(environment, [activity!]), at(3, 2, 1, 0))
  assert.deepEqual(await findBy(environment, [activity!], { isAscending: true, limit: 2 }), at(0, 1))
  assert.deepEqual(await findBy(environment, [activity!, agent(bob)]), at(2, 1))
  assert.deepEqual(await findBy(environment, [activity!, agent(bob, 'related_agents')]), at(3, 2, 1))
  assert.deepEqual(await findBy(environment, [agent(bob), landed, activity!]), at(2))
  assert.deepEqual(await findBy(environment, [agent(cy)]), at(4))
  assert.deepEqual(await findBy(environment, [agent(cy), activity!]), [])
  const [first, second, third] = await numbersOf(app, ids)
  assert.deepEqual(await findBy(environment, [activity!], { after: first!, upTo: third! }), at(2, 1))
  assert.deepEqual(await findBy(environment, [], { after: first!, upTo: second! }), at(1))
  assert.deepEqual(await findBy(environment, [], { after: first!, upTo: third!, isAscending: true }), at(1, 2))
})

test('a request is stored completely or not at all: an error in its transaction leaves no trace', async () => {
  const app = await shared
  const environment = app.environment()
  const made = [make(), make(), make()]
  const broken = [{ statement: make() }, { statement: make(), links: { person: 999_999_999 } }]
  const outcomes = await Promise.allSettled([
    save(environment, ...made),
    storeStatements({ at: environment.clock(), senderKey: 'test' }, broken, environment),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  const ids = broken.map(({ statement }) => statement.id)
  assert.deepEqual(await numbersOf(app, ids), [])
  assert.deepEqual(await findBy(environment, ofActivity(activityOf(broken[0]!.statement))), [])
  assert.equal(
    (
      await numbersOf(
        app,
        made.map(({ id }) => id),
      )
    ).length,
    3,
  )
})

test('partitions of coming months are created once, and statements outside of them are stored all the same', async () => {
  const app = await shared
  const { db } = app.environment()
  const make3 = (now: string) => db.first(store.makeMonths, { now: new Date(now) })
  assert.deepEqual(await make3('2031-11-30T23:59:59.999Z'), { made: 3 })
  assert.deepEqual(await make3('2031-12-01T00:00:00Z'), { made: 1 })
  assert.deepEqual(await make3('2031-12-31T00:00:00Z'), { made: 0 })
  const parts = await app.sql(
    `select relname, pg_get_expr(relpartbound, oid) as bound from pg_class where relname in ('statements_2031_11', 'statement_refs_2032_02') and relnamespace = current_schema()::regnamespace order by 1`,
  )
  assert.deepEqual(
    parts.map(({ bound }) =>
      String(bound)
        .match(/\d+/g)!
        .map((seq) => timestampOf(Number(seq)).slice(0, 19)),
    ),
    [
      ['2032-02-01T00:00:00', '2032-03-01T00:00:00'],
      ['2031-11-01T00:00:00', '2031-12-01T00:00:00'],
    ],
  )
  const environment = { ...app.environment(), clock: () => new Date('2040-01-15T00:00:00Z') }
  const one = make()
  await save(environment, one)
  const found = await app.sql(
    `select tableoid::regclass::text as part from statements where statement_id = '${one.id}'`,
  )
  assert.deepEqual(found, [{ part: 'statements_rest' }])
  assert.deepEqual(await findBy(environment, ofActivity(activityOf(one))), [one.id])
  assert.deepEqual(await make3('2040-01-20T00:00:00Z'), { made: 2 }, 'the month of which there is something stays')
})

test('no SQL statement of the store scans a whole table', async () => {
  const app = await shared
  const read = [
    store.findKnown,
    store.findReferring,
    store.countCopies,
    store.findShares,
    queries.findStatement,
    queries.countNewest,
    queries.countOldest,
    blocks.partsNewest,
    blocks.partsOldest,
    queries.inPartsNewest,
    queries.inPartsOldest,
    queries.ofKeyNewest,
    queries.ofKeyOldest,
    queries.queryNewest,
    queries.queryOldest,
    queries.listNewest,
    queries.listOldest,
  ]
  await app.sql(
    `insert into statements (seq, statement_id, payload) select n, gen_random_uuid(), '{}' from generate_series(1, 3000) n;
     insert into statement_ids (statement_id, seq, fingerprint) select statement_id, seq, statement_id from statements where seq <= 3000;
     insert into statement_refs (key, seq, role) select md5((n % 40)::text)::uuid, n, 1 + n % 13 from generate_series(1, 3000) n`,
  )
  await app.sql('analyze statements; analyze statement_ids; analyze statement_refs')
  await withClient(app.connection, async (client) => {
    await client.query(`set search_path to ${schemaOf('production')}`)
    // Use the planner settings of the read lane.
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
    for (const { name, text } of read) {
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Seq Scan|Disabled: true/, `${name}\n${plan}`)
      // The order must come from the index, so that only the rows of one page are sorted.
      if (/query|list|ofKey/.test(name)) assert.match(plan, /Merge Append/, `${name}\n${plan}`)
    }
  })
})
