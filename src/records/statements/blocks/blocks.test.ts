import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeRandom } from '../../../identity/search/testing.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { sharedApp } from '../../../operations/testing/testing.ts'
import { keyOfActivity, keyOfVerb, rolesFor } from '../model/refs.ts'
import { queryStatements, type StatementQuery } from '../query/query.ts'
import { removeOlder } from '../retention/retention.ts'
import { insertLateRefs } from '../storing/references.ts'
import { holdClock, removeStatements, toRemovable } from '../storing/removal.ts'
import { storeStatements } from '../storing/storing.ts'
import { blocksUpkeep, outdateBlocks } from './blocks.ts'
import * as store from './store.ts'

/** Three blocks, and some statements after them. */
const STATEMENTS = 26_000
const FIRST = 1_700_000_000_000_000
const keyOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const PAYLOAD =
  '{"actor":{"mbox":"mailto:a@example.org"},"verb":{"id":"https://example.org/v"},"object":{"id":"https://example.org/a"}}'

/**
 * Fills the store. Statement n has key 1 if n is even, key 2 if n is odd, and so both never meet. Key 3 is in every
 * statement, but seldom in role 1; keys 4 to 8 are rarer, key 8 only in the first block. Copied roles begin at 32.
 */
const FILL = `
  insert into statements (seq, statement_id, payload, is_voided)
  select ${FIRST} + n * 10, gen_random_uuid(), '${PAYLOAD}', n % 97 = 0 from generate_series(1, ${STATEMENTS}) n;
  insert into statement_refs (key, seq, role)
  select ('00000000-0000-4000-8000-' || lpad(k.key::text, 12, '0'))::uuid, ${FIRST} + n * 10, k.role
    from generate_series(1, ${STATEMENTS}) n cross join lateral (values
      (1 + n % 2, 3), (3, case when n % 500 = 0 then 1 else 10 end), (4, case when n % 7 = 0 then 33 when n % 7 = 1 then 1 end),
      (5, case when n % 211 = 0 then 2 end), (6, case when n % 1500 = 3 then 2 end), (7, case when n % 5000 = 1 then 11 end),
      (8, case when n < 3000 then 12 end)) k(key, role)
   where k.role is not null`

const app = await sharedApp()
const { db } = app.environment()
const buildAll = () => blocksUpkeep.run(app.environment())
await app.sql(FILL)

interface Entry {
  readonly isVoided: boolean
  readonly refs: readonly (readonly [key: string, role: number])[]
}

/** Reads all statements with their keys, in order. */
async function readAll(): Promise<ReadonlyMap<number, Entry>> {
  const rows = await app.sql(
    `select s.seq, s.is_voided, array_agg(r.key || ' ' || r.role) as refs
       from statements s join statement_refs r on r.seq = s.seq group by s.seq, s.is_voided order by s.seq`,
  )
  return new Map(
    rows.map(({ seq, is_voided, refs }) => [
      Number(seq),
      {
        isVoided: is_voided as boolean,
        refs: (refs as string[]).map((text) => [text.slice(0, 36), Number(text.slice(37))] as const),
      },
    ]),
  )
}

function expected(all: ReadonlyMap<number, Entry>, what: StatementQuery): number[] {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER, isAscending = false, isByOwnOnly = false, limit } = what
  const has = (refs: Entry['refs'], { key, roles }: StatementQuery['wanted'][number]) =>
    refs.some(([own, role]) => own === key && roles.includes(role % 32) && (role < 32 || !isByOwnOnly))
  const found = [...all].filter(
    ([seq, { isVoided, refs }]) => !isVoided && seq > after && seq <= upTo && wanted.every((one) => has(refs, one)),
  )
  const seqs = found.map(([seq]) => seq)
  return (isAscending ? seqs : seqs.reverse()).slice(0, limit)
}

/** Asks 60 different questions, and compares the answers with those of a simple loop over all statements. */
async function assertFindsAll(): Promise<void> {
  const all = await readAll()
  const random = makeRandom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  for (let question = 0; question < 60; question++) {
    const keys = [1, 2, 3, 4, 5, 6, 7, 8, 9].sort(() => random() - 0.5).slice(0, pick([1, 2, 2, 3, 4]))
    const start = FIRST + Math.floor(random() * STATEMENTS) * 10
    const what: StatementQuery = {
      wanted: keys.map((n) => ({ key: keyOf(n), roles: pick([[1], [1, 2, 3], [1, 2, 3, 10, 11, 12]]) })),
      ...(random() < 0.4 ? { after: start, upTo: start + pick([3000, 100_000, 200_000]) } : {}),
      ...{ isAscending: random() < 0.5, isByOwnOnly: random() < 0.3, limit: pick([1, 20, 200]) },
    }
    const found = await queryStatements(db, what)
    assert.deepEqual(
      found.map(({ seq }) => seq),
      expected(all, what),
      JSON.stringify(what),
    )
  }
}

const readBlocks = () => app.sql('select upto, is_ready, changes from statement_blocks order by upto')

test('filters find the same statements before there are blocks, and with them', async () => {
  await assertFindsAll()
  await buildAll()
  const blocks = await readBlocks()
  assert.deepEqual(
    blocks.map(({ upto, is_ready }) => [(Number(upto) - FIRST) / 10, is_ready]),
    [
      [8192, true],
      [16_384, true],
      [24_576, true],
    ],
  )
  await assertFindsAll()
})

test('two keys that never meet are looked up without walking through their entries', async () => {
  const wanted = [1, 2].map((n) => ({ key: keyOf(n), roles: [3] }))
  const asked: string[] = []
  const listening = {
    all: (statement: { name: string }, params: never) => {
      asked.push(statement.name)
      return db.all(statement as never, params)
    },
  }
  assert.deepEqual(await queryStatements(listening as never, { wanted, limit: 20 }), [])
  assert.deepEqual(asked, [
    'statements.countNewest',
    'statements.queryNewest',
    'statements.partsNewest',
    'statements.inPartsNewest',
  ])
})

test('a statement in a block is found by a key that is added to it later', async () => {
  const environment = app.environment()
  const [verb, activity] = ['https://example.org/verbs/flew', 'https://example.org/sorties/late']
  const save = (statement: object) =>
    storeStatements({ at: environment.clock(), senderKey: 'test' }, [{ statement: statement as never }], environment)
  const target = randomUUID()
  const actor = { mbox: 'mailto:ada@example.org' }
  const referring = { id: randomUUID(), actor, verb: { id: verb }, object: { objectType: 'StatementRef', id: target } }
  await save(referring)
  // Make the verb and the activity common before the next block ends.
  const [{ seq }] = (await app.sql('select max(seq) as seq from statements')) as [{ seq: string }]
  await app.sql(
    `insert into statements (seq, statement_id, payload) select ${seq} + n, gen_random_uuid(), '{}' from generate_series(1, 8000) n;
     insert into statement_refs (key, seq, role)
     select '${keyOfVerb(verb)}'::uuid, ${seq} + n, 3 from generate_series(1, 8000, 2) n union all
     select '${keyOfActivity(activity)}', ${seq} + n, 2 from generate_series(2, 8000, 2) n;
     update statement_clock set last = ${seq} + 8000`,
  )
  await buildAll()
  assert.deepEqual(
    (await readBlocks()).map(({ is_ready }) => is_ready),
    [true, true, true, true],
  )
  const wanted = [
    { key: keyOfVerb(verb), roles: rolesFor('verb') },
    { key: keyOfActivity(activity), roles: rolesFor('activity') },
  ]
  const find = async () => (await queryStatements(db, { wanted, limit: 20 })).map(({ statement_id }) => statement_id)
  assert.deepEqual(await find(), [])
  await save({ id: target, actor, verb: { id: verb }, object: { id: activity } })
  assert.deepEqual(
    (await readBlocks()).map(({ is_ready }) => is_ready),
    [true, true, true, false],
  )
  assert.deepEqual(await find(), [target, referring.id])
  await buildAll()
  assert.deepEqual(
    (await readBlocks()).map(({ is_ready }) => is_ready),
    [true, true, true, true],
  )
  assert.deepEqual(await find(), [target, referring.id])
})

test('positions collected while a key was added are not used', async () => {
  const [last] = (await readBlocks()).reverse()
  const upTo = Number(last!.upto)
  await db.transaction((tx) => outdateBlocks(tx, [upTo]))
  await db.transaction(async (tx) => {
    const block = (await tx.first(store.findUnready, {}))!
    await tx.first(store.joinByHash, {})
    await tx.all(store.deletePostings, { upTo })
    const { anchors } = (await tx.first(store.insertPostings, { after: block.after, upTo }))!
    await db.transaction((other) => outdateBlocks(other, [upTo - 1]))
    assert.equal(await tx.first(store.finishBlock, { upTo, anchors, changes: block.changes }), undefined)
  })
  assert.equal((await readBlocks()).at(-1)!.is_ready, false)
  await assertFindsAll()
  await buildAll()
  assert.equal((await readBlocks()).at(-1)!.is_ready, true)
})

test('only one process collects the positions of a block', async () => {
  const [last] = (await readBlocks()).reverse()
  await db.transaction((tx) => outdateBlocks(tx, [Number(last!.upto)]))
  await db.transaction(async (tx) => {
    assert.ok(await tx.first(store.findUnready, {}))
    assert.equal(await db.transaction((other) => other.first(store.findUnready, {})), undefined)
  })
  await Promise.all([buildAll(), buildAll()])
  assert.equal((await readBlocks()).at(-1)!.is_ready, true)
  await assertFindsAll()
})

test('when statements are removed, blocks forget the keys that nobody has any more', async () => {
  const environment = app.environment()
  const actor = { mbox: 'mailto:leaving@example.org' }
  const made = Array.from({ length: 20 }, () => ({
    statement: {
      id: randomUUID(),
      actor,
      verb: { id: 'https://example.org/verbs/left' },
      object: { id: 'https://example.org/x' },
    },
  }))
  await storeStatements({ at: environment.clock(), senderKey: 'test' }, made, environment)
  const [{ seq }] = (await app.sql('select max(seq) as seq from statements')) as [{ seq: string }]
  await app.sql(
    `insert into statements (seq, statement_id, payload) select ${seq} + n, gen_random_uuid(), '{}' from generate_series(1, 8192) n`,
  )
  await buildAll()
  const key = keyOfVerb('https://example.org/verbs/left')
  const countPostings = async () => (await app.sql(`select 1 from statement_postings where key = '${key}'`)).length
  assert.equal(await countPostings(), 1)
  const rows = await app.sql(
    `select seq, payload, sender from statements where statement_id in ('${made.map(({ statement }) => statement.id).join(`','`)}')`,
  )
  await db.transaction((tx) =>
    removeStatements(
      tx,
      rows.map((row) =>
        toRemovable({ seq: Number(row.seq), payload: String(row.payload), sender: row.sender as string }),
      ),
    ),
  )
  assert.equal(await countPostings(), 0)
})

test('retention deletes the blocks whose statements are all removed', async () => {
  const before = new Date((FIRST + 20_000 * 10) / 1000)
  const who = { at: app.environment().clock() } as Caller
  assert.equal((await removeOlder(db, who, { before })).isDone, true)
  const [{ blocks, postings }] = (await app.sql(
    `select (select count(*)::int from statement_blocks where upto < ${FIRST + 200_000}) as blocks,
            (select count(*)::int from statement_postings where upto < ${FIRST + 200_000}) as postings`,
  )) as [{ blocks: number; postings: number }]
  assert.deepEqual([blocks, postings], [0, 0])
  await assertFindsAll()
})

/** Stores 8,192 statements that have one of two keys in turn. Returns the number of the last one before them. */
async function storeInTurn([even, odd]: readonly [number, number]): Promise<number> {
  const [{ seq }] = (await app.sql('select max(seq) as seq from statements')) as [{ seq: string }]
  await app.sql(
    `insert into statements (seq, statement_id, payload) select ${seq} + n, gen_random_uuid(), '{}' from generate_series(1, 8192) n;
     insert into statement_refs (key, seq, role)
     select (case n % 2 when 0 then '${keyOf(even)}' else '${keyOf(odd)}' end)::uuid, ${seq} + n, 3 from generate_series(1, 8192) n`,
  )
  return Number(seq)
}

const findBoth = async (keys: readonly [number, number]) => {
  const wanted = keys.map((n) => ({ key: keyOf(n), roles: [3] }))
  return (await queryStatements(db, { wanted, limit: 20 })).map(({ seq }) => seq)
}

test('a key that is added while a block starts is found', async () => {
  const keys = [21, 22] as const
  const start = await storeInTurn(keys)
  let building: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    await holdClock(tx)
    await insertLateRefs(tx, [{ seq: start + 4000, refs: [{ key: keyOf(22), role: 3 }] }])
    building = buildAll()
    await sleep(300)
  })
  await building
  assert.equal((await readBlocks()).at(-1)!.is_ready, true)
  assert.deepEqual(await findBoth(keys), [start + 4000])
})

test('a statement that is removed while positions are collected does not shift the others', async () => {
  const keys = [23, 24] as const
  const start = await storeInTurn(keys)
  // Both keys meet in the first statement of a group of 64.
  await app.sql(`insert into statement_refs (key, seq, role) values ('${keyOf(23)}', ${start + 65}, 3)`)
  const before = (await readBlocks()).length
  await buildAll()
  const [{ upto }] = (await app.sql(
    `select upto from statement_blocks where upto > ${start} order by upto limit 1`,
  )) as [{ upto: string }]
  assert.ok((await readBlocks()).length > before)
  await db.transaction((tx) => outdateBlocks(tx, [Number(upto)]))
  await db.transaction(async (tx) => {
    const { upto: upTo, after, changes } = (await tx.first(store.findUnready, {}))!
    await tx.first(store.joinByHash, {})
    await tx.all(store.deletePostings, { upTo })
    const { anchors } = (await tx.first(store.insertPostings, { after, upTo }))!
    const gone = `(select min(seq) from statements where seq > ${after})`
    await app.sql(`delete from statement_refs where seq = ${gone}; delete from statements where seq = ${gone}`)
    assert.ok(await tx.first(store.finishBlock, { upTo, anchors, changes }))
  })
  assert.deepEqual(await findBoth(keys), [start + 65])
})
