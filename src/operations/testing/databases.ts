import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Connection } from '../../kernel/database/database.ts'
import { runSql } from '../../kernel/database/test-database.ts'
import { closeIdleBackends, listIdleBackends, reuseBackends } from './backends.ts'
import { count } from './figures.ts'

/**
 * Name of the migrated database that is copied for tests. Nothing may stay connected to it, because PostgreSQL refuses
 * to copy a database in use.
 */
export const TEMPLATE = 'groundschool_template'

/** If a test wrote more than this, the database is not reused: emptying such tables takes longer than a new copy. */
const GROWN_BYTES = 8 * 2 ** 20

/**
 * Lists the tables and sequences written since the statistics were last reset: usually a few of 200. A write to the
 * catalogue means that a test altered a table or ran ANALYZE.
 */
const WRITTEN = `
  select id, is_catalogue from (
    select oid::int as id, relnamespace = 'pg_catalog'::regnamespace as is_catalogue,
           case relkind when 'S' then pg_stat_get_blocks_fetched(oid)
           else pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid)
           end as writes
      from pg_class where relkind in ('r', 'S') and not relisshared
  ) counted where writes > 0`

/** Stores the statements that restore each table of a copy to the template's content. Runs once per test suite. */
export async function openDatabases(server: Connection): Promise<void> {
  const restores = await withClient({ ...server, database: TEMPLATE }, listRestores)
  // Connections to the template may still be closing on a busy machine, so they are terminated.
  await runSql(server, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${TEMPLATE}'`)
  await runSql(
    server,
    `create table free_databases (name text, owner int, released_at timestamptz);
     create table restores (id int, text text)`,
  )
  await withClient(server, (client) =>
    client.query('insert into restores select * from unnest($1::int[], $2::text[])', [
      restores.map(([id]) => id),
      restores.map(([, text]) => text),
    ]),
  )
}

/** Lists the restoring statements by object id, which is the same in every copy of the template. */
async function listRestores(template: pg.Client): Promise<[id: number, text: string][]> {
  const restores: [id: number, text: string][] = []
  const tables = await template.query(
    `select format('%I.%I', table_schema, table_name) as name,
            format('%I.%I', table_schema, table_name)::regclass::int as id,
            string_agg(quote_ident(column_name), ', ' order by ordinal_position)
              filter (where is_generated = 'NEVER') as columns
       from information_schema.tables join information_schema.columns using (table_schema, table_name)
      where table_schema like 'gs\\_%' and table_type = 'BASE TABLE' group by table_schema, table_name`,
  )
  for (const { id, name, columns } of tables.rows) {
    const content = await template.query(`select quote_literal(json_agg(t)) as json from ${name} t`)
    const { json } = content.rows[0]
    const refill = `insert into ${name} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${name}, ${json})`
    restores.push([id, `delete from ${name};${json ? refill : ''}`])
  }
  const sequences = await template.query(
    `select format('%I.%I', schemaname, sequencename)::regclass::int as id,
            coalesce(last_value, start_value) as value, last_value is not null as called from pg_sequences`,
  )
  for (const { id, value, called } of sequences.rows) restores.push([id, `select setval(${id}, ${value}, ${called})`])
  return restores
}

export async function withClient<T>(connection: Connection, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  return use(client).finally(() => client.end())
}

const suiteServer = (): Connection => {
  const given = process.env.GROUNDSCHOOL_TEST_DATABASE
  assert.ok(given, 'run the tests with npm test')
  return JSON.parse(given)
}

let server: pg.Pool | undefined
const askServer = async (text: string) => {
  server ??= new pg.Pool({ ...suiteServer(), max: 1, allowExitOnIdle: true })
  return (await server.query(text)).rows
}

/**
 * Returns a database with the template's content: a database that another test has released, or a new copy. Databases
 * released by this process are preferred, because it has open connections to them.
 */
export async function takeDatabase(): Promise<Connection> {
  const [free] = await askServer(
    `delete from free_databases where name = (
       select name from free_databases order by owner = ${process.pid} desc, released_at limit 1 for update skip locked
     ) returning name`,
  )
  if (free) {
    const connection = { ...suiteServer(), database: free.name }
    if (await withClient(reuseBackends(connection), restore)) return connection
    closeIdleBackends(free.name)
    return takeDatabase()
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  count('databases')
  // `file_copy` takes half the processor time of copying pages through the WAL.
  await askServer(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  return { ...suiteServer(), database: name }
}

/**
 * Restores the tables that were written, in a twentieth of the time of a copy. Returns false if the database cannot be
 * restored.
 */
async function restore(client: pg.Client): Promise<boolean> {
  const idle = await listIdleBackends(client.database!)
  // Remaining connections are terminated: they might still write, and their statistics are complete only after they
  // end.
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and pid <> all('{${idle}}')`,
  )
  const { rows } = await client.query(
    `select id, is_catalogue, pg_total_relation_size(id::regclass)::int as size from (${WRITTEN}) written`,
  )
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  if (bytes > GROWN_BYTES || rows.some(({ is_catalogue }) => is_catalogue)) return false
  const found = await askServer(`select text from restores where id = any('{${rows.map(({ id }) => id)}}')`)
  const texts = found.map(({ text }) => text)
  await client.query(
    ['set session_replication_role = replica', ...texts, 'select pg_stat_force_next_flush()'].join(';\n'),
  )
  await client.query('select pg_stat_reset()')
  return true
}

export const giveBack = ({ database }: Connection): Promise<unknown> =>
  askServer(`insert into free_databases values ('${database}', ${process.pid}, now())`)
