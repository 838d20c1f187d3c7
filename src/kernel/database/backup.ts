import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartupError } from '../errors.ts'
import {
  type BackupHeader,
  type BackupReport,
  type BackupTrailer,
  createHeader,
  END_OF_TABLE,
  frameChunk,
  type Migration,
  type ReportProgress,
  refuseExistingFile,
  type Sequence,
  type Table,
  writeNewBackup,
} from './backup-format.ts'

/**
 * Writes all rows of the schemas into one file, as of one moment, while the platform keeps working. It never overwrites
 * a file, and a failed backup leaves no file behind.
 */
export async function backup(options: {
  connection: pg.ClientConfig
  schemas: string[]
  file: string
  /** If set, the file is encrypted. */
  passphrase?: string | undefined
  progress?: ReportProgress
}): Promise<BackupReport> {
  const { connection, schemas, file, passphrase, progress } = options
  await refuseExistingFile(file)
  const client = await connectForCopy(connection)
  try {
    const tables = await freezeTables(client, schemas)
    const header = await createHeader({
      server: (await client.query('show server_version')).rows[0].server_version,
      schemas: await readSchemas(client, schemas),
      tables: orderByForeignKeys(tables, await readForeignKeys(client, schemas)),
      sequences: await readSequences(client, schemas),
    })
    const rows: number[] = []
    const bytes = await writeNewBackup(file, header, readBody(client, header.tables, rows, progress), passphrase)
    return { tables: tables.length, rows: rows.reduce((sum, count) => sum + count, 0), bytes }
  } finally {
    await client.end()
  }
}

/** Opens a connection without timeouts, and with fixed settings for the text format of values. */
export async function connectForCopy(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  // An `error` event without a listener would end the process. Nothing is done here, because a lost connection also
  // rejects the pending statement.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new StartupError(
      `The database cannot be reached (${reason}); check that it is running, and check DATABASE_URL or DATA_DIR`,
      { cause },
    )
  }
  try {
    await prepareSession(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

async function prepareSession(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`,
  )
  if (rows[0].major < 15) {
    throw new StartupError(`The database is PostgreSQL ${rows[0].version}; use PostgreSQL 15 or later`)
  }
  const settings = {
    client_encoding: 'UTF8',
    datestyle: 'ISO, YMD',
    intervalstyle: 'postgres',
    timezone: 'UTC',
    extra_float_digits: '3',
    bytea_output: 'hex',
    search_path: 'pg_catalog',
    // If a row-level security policy would hide rows, the backup must fail instead of leaving them out.
    row_security: 'off',
    statement_timeout: '0',
    lock_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    transaction_timeout: '0',
  }
  // The settings are selected from pg_settings, because transaction_timeout exists only in PostgreSQL 17 and later.
  await client.query(
    `select set_config(s.name, w.value, false) from pg_settings s
       join unnest($1::text[], $2::text[]) as w(name, value) on w.name = lower(s.name)`,
    [Object.keys(settings), Object.values(settings)],
  )
}

/**
 * Locks the tables against changes of their structure, and only then takes the snapshot: a table that is truncated or
 * rewritten after a snapshot looks empty in it. `lock table` itself takes no snapshot, so the tables are listed before
 * the lock and compared afterwards.
 */
async function freezeTables(client: pg.Client, schemas: string[]): Promise<Table[]> {
  await refuseMissingSchemas(client, schemas)
  while (true) {
    const before = await readTables(client, schemas)
    const locked = [...before, ...schemas.map((schema) => ({ schema, name: 'migrations' }))]
    await client.query('begin isolation level repeatable read read only')
    await client.query(`lock table ${locked.map(quoteTable).join(', ')} in access share mode`)
    const after = await readTables(client, schemas)
    if (isDeepStrictEqual(before, after)) return after
    await client.query('rollback')
  }
}

async function refuseMissingSchemas(client: pg.Client, schemas: string[]): Promise<void> {
  const { rows } = await client.query(
    `select wanted from unnest($1::text[]) as wanted where to_regclass(format('%I.migrations', wanted)) is null`,
    [schemas],
  )
  if (rows.length > 0) {
    const missing = rows.map((row) => row.wanted).join(' and ')
    throw new StartupError(
      `This is not the database of a platform: it has no schema ${missing}; check DATA_DIR or DATABASE_URL, or run npx groundschool migrate`,
    )
  }
}

export const quoteTable = ({ schema, name }: { schema: string; name: string }): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`

export const quoteColumns = (table: Table): string => table.columns.map(pg.escapeIdentifier).join(', ')

/**
 * Lists all tables except `migrations`, which a restore fills by migrating. Generated columns are left out, because the
 * restored database computes them.
 */
export async function readTables(client: pg.Client, schemas: string[]): Promise<Table[]> {
  const { rows } = await client.query(
    `select n.nspname as schema, c.relname as name, c.relkind = 'p' as "isPartitioned",
            array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migrations'
      order by n.nspname, c.relname`,
    [schemas],
  )
  return rows
}

async function readSchemas(client: pg.Client, schemas: string[]): Promise<BackupHeader['schemas']> {
  const described: BackupHeader['schemas'] = []
  for (const name of schemas) {
    const migrations = await readMigrations(client, name)
    described.push({ name, migration: migrations.at(-1)?.number ?? 0, migrations })
  }
  return described
}

export async function readMigrations(client: pg.Client, schema: string): Promise<Migration[]> {
  const { rows } = await client.query(
    `select number::int, name::text, checksum::text from ${quoteTable({ schema, name: 'migrations' })} order by number`,
  )
  return rows
}

/**
 * Reads all sequences, including those of identity columns. They are read after the snapshot was taken, so their values
 * are never behind its rows.
 */
async function readSequences(client: pg.Client, schemas: string[]): Promise<Sequence[]> {
  const names = await client.query<{ schema: string; name: string }>(
    'select schemaname as schema, sequencename as name from pg_sequences where schemaname = any($1) order by 1, 2',
    [schemas],
  )
  const sequences: Sequence[] = []
  for (const { schema, name } of names.rows) {
    const { rows } = await client.query(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${quoteTable({ schema, name })}`,
    )
    sequences.push({ schema, name, ...rows[0] })
  }
  return sequences
}

/**
 * Lists which table refers to which, with quoted names. Deferrable foreign keys are left out, because they are checked
 * at commit only.
 */
async function readForeignKeys(client: pg.Client, schemas: string[]): Promise<{ from: string; to: string }[]> {
  const { rows } = await client.query<{ from: [string, string]; to: [string, string] }>(
    `select array[fn.nspname, f.relname]::text[] as "from", array[tn.nspname, t.relname]::text[] as "to"
       from pg_constraint k
       join pg_class f on f.oid = k.conrelid join pg_namespace fn on fn.oid = f.relnamespace
       join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
      where k.contype = 'f' and not k.condeferrable and fn.nspname = any($1)`,
    [schemas],
  )
  const quote = ([schema, name]: [string, string]) => quoteTable({ schema, name })
  return rows.map(({ from, to }) => ({ from: quote(from), to: quote(to) }))
}

/**
 * Sorts tables so that each table comes after those it refers to. References of a table to itself are ignored, because
 * COPY checks them at the end.
 */
function orderByForeignKeys(tables: Table[], keys: { from: string; to: string }[]): Table[] {
  const ordered: Table[] = []
  const waiting = new Map(tables.map((table) => [quoteTable(table), table]))
  while (waiting.size > 0) {
    const blocked = new Set(keys.filter(({ from, to }) => from !== to && waiting.has(to)).map(({ from }) => from))
    const ready = [...waiting].filter(([name]) => !blocked.has(name))
    if (ready.length === 0) {
      throw new StartupError(
        `These tables refer to each other in a circle, so no order could restore them: ${[...waiting.keys()].join(', ')}; ` +
          'make one of their foreign keys deferrable with a migration',
      )
    }
    for (const [name, table] of ready) {
      ordered.push(table)
      waiting.delete(name)
    }
  }
  return ordered
}

/** Yields the frames of the body. Fills `rows` with the row count of each table. */
async function* readBody(
  client: pg.Client,
  tables: Table[],
  rows: number[],
  progress?: ReportProgress,
): AsyncGenerator<Buffer> {
  const sizes = await readSizes(client, tables)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let done = 0
  for (const [index, table] of tables.entries()) {
    // `only` excludes child tables that inherit from this table, because they are listed separately.
    const source = `${table.isPartitioned ? '' : 'only '}${quoteTable(table)}`
    let bytes = 0
    let lines = 0
    for await (const chunk of client.query(copyTo(`copy (select ${quoteColumns(table)} from ${source}) to stdout`))) {
      bytes += chunk.length
      lines += countLines(chunk)
      progress?.(done + Math.min(bytes, sizes[index]!), total, `${table.schema}.${table.name}`)
      yield frameChunk(chunk)
    }
    yield END_OF_TABLE
    rows.push(lines)
    done += sizes[index]!
    progress?.(done, total, `${table.schema}.${table.name}`)
  }
  yield frameChunk(Buffer.from(JSON.stringify({ rows } satisfies BackupTrailer)))
}

/** Reads table sizes on disk. They are close enough to the size of the COPY text for showing progress. */
async function readSizes(client: pg.Client, tables: Table[]): Promise<number[]> {
  const { rows } = await client.query(
    'select greatest(pg_table_size(name::regclass), 1)::float8 as size from unnest($1::text[]) with ordinality as t(name, n) order by n',
    [tables.map(quoteTable)],
  )
  return rows.map((row) => row.size)
}

/**
 * Counts the rows in COPY text. COPY writes a line break within a value as `\n`, so every newline character ends a row.
 */
function countLines(chunk: Buffer): number {
  let lines = 0
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] === 10) lines += 1
  return lines
}
