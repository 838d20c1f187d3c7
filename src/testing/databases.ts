import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Connection } from '../database/database.ts'
import { runSql } from '../database/test-database.ts'

/** The migrated database that tests begin with. */
export const TEMPLATE = 'groundschool_template'

/** Tests write little. A database that has grown by more than this is slower than a new one. */
const GROWTH_BYTES = 8 * 2 ** 20

/** Changes with every change of a table, a function or a sequence, and when somebody has counted rows for the planner. */
const SHAPE = ['class', 'attribute', 'proc', 'trigger', 'constraint', 'sequence', 'statistic']
  .map((name) => `(select concat(count(*), '/', max(xmin::text::int8)) from pg_${name})`)
  .join(", ' ', ")
const LOOK = `select concat(${SHAPE}) as shape, pg_database_size(current_database())::int8 as size`

/**
 * Once for the whole suite: remembers how the template looks, and how to bring a copy of it back to that. Emptying a
 * database takes a tenth of the time that copying the template takes, so tests hand their databases on.
 */
export async function openDatabases(server: Connection): Promise<void> {
  const template = { ...server, database: TEMPLATE }
  const tables = await runSql(
    template,
    `select format('%I.%I', table_schema, table_name) as name,
            string_agg(quote_ident(column_name), ', ' order by ordinal_position) filter (where is_generated = 'NEVER') as columns
       from information_schema.tables join information_schema.columns using (table_schema, table_name)
      where table_schema like 'gs\\_%' and table_type = 'BASE TABLE' group by table_schema, table_name`,
  )
  const restore = ['set session_replication_role = replica']
  for (const { name, columns } of tables) {
    const [rows] = await runSql(template, `select quote_literal(json_agg(t)) as json from ${name} t`)
    restore.push(`delete from ${name}`)
    if (rows?.json)
      restore.push(
        `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, ${rows.json})`,
      )
  }
  const sequences = await runSql(
    template,
    `select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value, last_value is not null as called
       from pg_sequences`,
  )
  for (const { name, value, called } of sequences) restore.push(`select setval('${name}', ${value}, ${called})`)
  restore.push('reset session_replication_role')
  const [look] = await runSql(template, LOOK)
  await runSql(server, 'create table free_databases (name text); create table template (look json, restore text)')
  await withClient(server, (client) =>
    client.query('insert into template values ($1, $2)', [look, restore.join(';\n')]),
  )
}

async function withClient<T>(connection: Connection, use: (client: pg.Client) => Promise<T>): Promise<T> {
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

/** A database as the template is: one that another test is done with, or a new copy. */
export async function takeDatabase(): Promise<Connection> {
  const [free] = await askServer(
    `with taken as (
       delete from free_databases where name = (select name from free_databases limit 1 for update skip locked) returning name
     ) select taken.name, template.* from taken, template`,
  )
  if (free) {
    const connection = { ...suiteServer(), database: free.name }
    const isRestored = await withClient(connection, async (client) => {
      // What an earlier test has left behind may still write.
      await client.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const [look] = (await client.query(LOOK)).rows
      if (look.shape !== free.look.shape || look.size > Number(free.look.size) + GROWTH_BYTES) return false
      await client.query(free.restore)
      return true
    })
    if (isRestored) return connection
    return takeDatabase()
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  await askServer(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  return { ...suiteServer(), database: name }
}

export const giveBack = ({ database }: Connection): Promise<unknown> =>
  askServer(`insert into free_databases values ('${database}')`)
