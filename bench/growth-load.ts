import assert from 'node:assert/strict'
import pg from 'pg'
import { loadCast } from '../src/identity/search/testing.ts'
import { type Connection, openDatabase } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { migrateAll } from '../src/operations/platform/platform.ts'
import { buildBlock } from '../src/records/statements/blocks/blocks.ts'
import { factOf } from '../src/records/statements/facts/facts.ts'
import { keyOfSender, refsOf, SENDER } from '../src/records/statements/model/refs.ts'
import type { Statement } from '../src/records/statements/model/statement.ts'
import { MONTHS, personIdOf, schoolSql } from './growth-school.ts'
import { finishSql, type Month, prepareSql, statementsSql } from './growth-statements.ts'
import { BENCH_SQL } from './servers.ts'
import { REDIRECT_URI } from './sign-in-cast.ts'

export const STATEMENTS_OF_PERSON = 10
const HOUR_MS = 3_600_000
const CHECKED = 500
/** Months that are loaded at once. */
const WORKERS = 2

export const databaseOf = (statements: number): string => `growth_${statements}`

/** Connects with the settings of a load: foreign keys are not checked, because the rows are made to fit. */
async function withLoader(connection: Connection, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(
      `set search_path = ${schemaOf('production')}; set work_mem = '256MB'; set jit = off; set session_replication_role = replica`,
    )
    await work(client)
  } finally {
    await client.end()
  }
}

type Report = (text: string) => void

/** Creates a database with `statements` statements of a tenth as many people. */
export async function loadGrowth(main: Connection, statements: number, report: Report): Promise<void> {
  const startedAt = performance.now()
  const say = (text: string) =>
    report(`${statements}: ${text} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  const connection = { ...main, database: databaseOf(statements) }
  await withLoader(main, async (client) => {
    await client.query(`create database ${connection.database}`)
  })
  await migrateAll(connection)
  await loadPeople(connection, statements / STATEMENTS_OF_PERSON, say)
  await loadStatements(connection, statements, say)
}

async function loadPeople(connection: Connection, people: number, say: Report): Promise<void> {
  await withLoader(connection, async (client) => {
    await client.query('create extension pg_stat_statements with schema public')
    await client.query(BENCH_SQL)
    await client.query(
      `update apps set basic_enabled = true where id = 1; insert into app_redirect_uris (app_id, uri) values (1, '${REDIRECT_URI}')`,
    )
  })
  await loadCast(connection, { people, clientId: 'gs-bench' })
  say(`${people} people`)
  await withLoader(connection, async (client) => {
    const { rows } = await client.query('select min(id)::int as first, max(id)::int as last from people where id > 1')
    assert.deepEqual(rows[0], { first: personIdOf(0), last: personIdOf(people - 1) })
    for (const sql of schoolSql(people)) await client.query(sql)
    for (const sql of prepareSql(people)) await client.query(sql)
  })
  say('classes, attempts, buckets, sessions and friends')
}

/** Stores the statements in a database that has the people. */
async function loadStatements(connection: Connection, statements: number, say: Report): Promise<void> {
  const people = statements / STATEMENTS_OF_PERSON
  await withLoader(connection, async (client) => {
    // As the platform's regular upkeep would have done.
    await client.query(
      `select make_statement_months(now() - make_interval(months => n)) from generate_series(${MONTHS}, 0, -1) n`,
    )
    const { rows } = await client.query(
      `select (extract(epoch from now() - interval '${MONTHS} months') * 1000000)::int8::text as from`,
    )
    const from = Number(rows[0].from)
    const plan = { people, statements, from, step: Math.floor(((Date.now() - HOUR_MS) * 1000 - from) / statements) }
    const months = await listMonths(client)
    const loadEvery = (worker: number) =>
      withLoader(connection, async (own) => {
        const some = months.filter((_, index) => index % WORKERS === worker)
        for (const { done, sql } of statementsSql(plan, some)) {
          for (const one of sql) await own.query(one)
          say(`worker ${worker}: up to statement ${done}`)
        }
      })
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => loadEvery(worker)))
    for (const sql of finishSql) await client.query(sql)
    await checkSample(client)
    await client.query('vacuum analyze')
    say('vacuum and analyze')
  })
  await buildBlocks(connection)
  await withLoader(connection, async (client) => {
    await client.query('vacuum analyze statement_blocks, statement_postings')
    await client.query('checkpoint')
  })
  say('blocks')
}

/** Lists the months that have partitions. */
async function listMonths(client: pg.Client): Promise<Month[]> {
  const { rows } = await client.query(
    `select substr(c.relname, 12) as name, regexp_match(pg_get_expr(c.relpartbound, c.oid), '(\\d+)\\D+(\\d+)') as bounds
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'statements'::regclass and c.relname ~ '^statements_[0-9]{4}_[0-9]{2}$' order by 1`,
  )
  return rows.map(({ name, bounds: [from, past] }) => ({ name, from: Number(from), past: Number(past) }))
}

/** Collects the positions of common keys, as the platform's regular upkeep would have done. */
async function buildBlocks(connection: Connection): Promise<void> {
  const db = await openDatabase({
    connection,
    schema: schemaOf('production'),
    poolSize: 2,
    readConnections: 1,
    statementTimeoutMs: 600_000,
    onProblem: () => {},
  })
  while (await buildBlock(db));
  await db.close()
}

/** Compares a sample of the rows with what the platform would have stored for the same statements. */
async function checkSample(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select s.seq::text, s.payload, s.app_id, i.seq::text as id_seq, l.person_id,
            (select json_agg(r.key || ' ' || r.role) from statement_refs r where r.seq = s.seq) as refs,
            (select json_build_object('seq', f.seq, 'verb', f.verb, 'activity', f.activity, 'agent', f.agent, 'scaled', f.scaled, 'seconds', f.seconds, 'success', f.success)
               from statement_facts f where f.seq = s.seq) as facts
       from (select * from statements where seq >= (select min(seq) + (random() * (max(seq) - min(seq)))::int8 from statements) order by seq limit ${CHECKED}) s
       join statement_ids i on i.statement_id = s.statement_id left join statement_links l on l.seq = s.seq`,
  )
  assert.ok(rows.length > 0)
  for (const { seq, payload, app_id, id_seq, person_id, refs, facts } of rows) {
    const statement = JSON.parse(payload) as Statement
    const sender = app_id === null ? 'credential 1' : `app 1 person ${person_id}`
    const expected = [...refsOf(statement), { key: keyOfSender(sender), role: SENDER }]
    assert.deepEqual(refs.sort(), expected.map(({ key, role }) => `${key} ${role}`).sort())
    assert.deepEqual(facts, JSON.parse(JSON.stringify(factOf(Number(seq), statement))))
    assert.equal(id_seq, seq)
  }
}
