import pg from 'pg'
import { type Connection, openDatabase } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { migrateAll } from '../src/operations/platform/platform.ts'
import { buildBlock } from '../src/records/statements/blocks/blocks.ts'
import { ROLES } from '../src/records/statements/model/refs.ts'
import { storeInTransaction } from '../src/records/statements/storing/storing.ts'
import { type RunningServer, startServer } from './measure.ts'
import { BENCH_SQL } from './servers.ts'
import { idOf, makeStatement } from './statements-made.ts'

/** A database with `statements` xAPI statements of the last year, and the server running on it. */
export interface Store {
  readonly statements: number
  readonly connection: Connection
  readonly server: RunningServer
  /** When the first statement was stored. */
  readonly from: Date
  /** When the last statement was stored. */
  readonly to: Date
}

const MONTHS = 12
const DAY_MS = 24 * 60 * 60_000
/** Number of statements stored through the platform's code. SQL copies them to get the rest, which is faster. */
export const ORIGINALS = 10_000
const AT_ONCE = 200
const AUTHORITY = { objectType: 'Agent' as const, mbox: 'mailto:loader@school.example' }

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1)

export async function buildStore(main: Connection, statements: number): Promise<Store> {
  if (statements % ORIGINALS !== 0) throw new Error(`--statements takes multiples of ${ORIGINALS}`)
  const startedAt = performance.now()
  const database = `bench_statements_${statements}`
  await runAll(main, [
    `create database ${database}`,
    `alter system set max_wal_size = '8GB'`,
    'select pg_reload_conf()',
  ])
  const connection = { ...main, database }
  await migrateAll(connection)
  const schema = `set search_path = ${schemaOf('production')}`
  await runAll(connection, [
    BENCH_SQL,
    'create table bench.bare (id uuid primary key, payload text not null)',
    schema,
    // Create the partitions of the past year, as the platform's regular upkeep would have done.
    `select make_statement_months(now() - make_interval(months => n)) from generate_series(${MONTHS}, 1, -1) n`,
  ])
  const to = new Date(Date.now() - DAY_MS)
  const from = new Date(to.getTime() - 360 * DAY_MS)
  await storeOriginals(connection, from, to)
  process.stderr.write(`statements: ${ORIGINALS} stored after ${secondsSince(startedAt)} s\n`)
  const copies = statements / ORIGINALS - 1
  const step = Math.floor(((to.getTime() - from.getTime()) * 1000 * AT_ONCE) / ORIGINALS / (copies + 1))
  // The checkpoint at the end writes the data to disk now, not during the measurement.
  const tables = ['statements', 'statement_refs', 'statement_ids', 'activities']
  await runAll(connection, [
    schema,
    ...(copies > 0 ? copySql(copies, step) : []),
    ...tables.map((table) => `vacuum analyze ${table}`),
    'alter system reset max_wal_size',
    'select pg_reload_conf()',
    'checkpoint',
  ])
  await buildBlocks(connection)
  process.stderr.write(`statements: ${statements} ready after ${secondsSince(startedAt)} s\n`)
  return { statements, connection, server: await startServer('statements', connection), from, to }
}

const openStore = (connection: Connection) =>
  openDatabase({
    connection,
    schema: schemaOf('production'),
    poolSize: 2,
    readConnections: 1,
    statementTimeoutMs: 60_000,
    onProblem: () => {},
  })

/** Collects the positions of common keys, as the platform's regular upkeep would have done. */
async function buildBlocks(connection: Connection): Promise<void> {
  const db = await openStore(connection)
  while (await buildBlock(db));
  await db.close()
}

/** Stores the original statements through the platform's own code, with times spread evenly over the period. */
async function storeOriginals(connection: Connection, from: Date, to: Date): Promise<void> {
  const db = await openStore(connection)
  for (let done = 0; done < ORIGINALS; done += AT_ONCE) {
    const at = new Date(from.getTime() + ((to.getTime() - from.getTime()) * done) / ORIGINALS)
    const made = Array.from({ length: AT_ONCE }, (_, i) => ({
      statement: { ...makeStatement(done + i, done), id: idOf(done + i), version: '1.0.0', authority: AUTHORITY },
    }))
    await db.transaction((tx) => storeInTransaction(tx, { at, senderKey: 'credential 0', defines: true }, made))
  }
  await db.close()
}

/**
 * Copies each original statement `copies` times into the interval before the next one. Each copy has its own id and
 * registration. The share of statements that a filter finds is therefore the same at every size of the store.
 */
const copySql = (copies: number, step: number): string[] => [
  'create temp table originals as select row_number() over (order by seq) - 1 as n, seq from statements',
  'create index on originals (n)',
  ...Array.from({ length: ORIGINALS / AT_ONCE }, (_, part) => {
    const some = `originals o cross join generate_series(1, ${copies}) c`
    const where = `o.n >= ${part * AT_ONCE} and o.n < ${(part + 1) * AT_ONCE}`
    return [
      `create temp table made as
       select o.seq as original, c, o.seq + c * ${step} as seq, gen_random_uuid() as id from ${some} where ${where} order by 3`,
      `insert into statements (seq, statement_id, payload, sender)
       select m.seq, m.id, replace(s.payload, s.statement_id::text, m.id::text), s.sender from made m join statements s on s.seq = m.original order by m.seq`,
      `insert into statement_ids (statement_id, seq, fingerprint)
       select m.id, m.seq, i.fingerprint from made m join statement_ids i on i.seq = m.original`,
      `insert into statement_refs (key, seq, role)
       select case when r.role = ${ROLES.registration} then md5(r.key::text || m.c)::uuid else r.key end, m.seq, r.role
         from statement_refs r join made m on m.original = r.seq
        where r.seq between (select min(original) from made) and (select max(original) from made)`,
      'drop table made',
    ]
  }).flat(),
  'drop table originals',
]

/** Runs SQL statements one by one, because VACUUM cannot run in a transaction with others. */
async function runAll(connection: Connection, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
