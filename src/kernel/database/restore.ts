import { type FileHandle, open } from 'node:fs/promises'
import { pipeline as connectStreams } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartupError } from '../errors.ts'
import { connectForCopy, quoteColumns, quoteTable, readMigrations, readTables } from './backup.ts'
import {
  type BackupHeader,
  type BackupReport,
  type BackupTrailer,
  type CheckedBackup,
  checkBackup,
  createFrameReader,
  openSource,
  type ReadFrame,
  type ReportProgress,
  type Table,
} from './backup-format.ts'
import type { ByteSource } from './backup-seal.ts'

/** How long to wait for table locks that another process holds. */
const LOCK_TIMEOUT_MS = 10_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Loads a backup into schemas that do not exist yet, or that were migrated but never used. `prepare` migrates a schema
 * to exactly the given migration. All rows are loaded in one transaction. If that fails, schemas that did not exist
 * before are removed.
 */
export async function restore(options: {
  connection: pg.ClientConfig
  /** The schemas of this platform. A backup that contains any other schema is refused. */
  schemas: string[]
  file: string
  /** Called to get the passphrase if the file is encrypted. */
  askPassphrase?: () => Promise<string>
  prepare: (schema: string, migration: number) => Promise<void>
  progress?: ReportProgress
}): Promise<BackupReport> {
  const { connection, file, prepare, progress } = options
  const handle = await openBackup(file)
  try {
    const { askPassphrase = async () => '' } = options
    const source = await openSource(handle, file, askPassphrase)
    const checked = await checkBackup(source, file, progress)
    const { header } = checked
    refuseUnknownSchemas(header, options.schemas, file)
    const client = await connectForCopy(connection)
    try {
      const absent = await findAbsentSchemas(client, header)
      for (const schema of header.schemas) {
        await refuseOccupied(client, schema.name)
        if (await isMigrated(client, schema.name)) await refuseLaterMigrations(client, schema)
      }
      try {
        for (const { name, migration } of header.schemas) await prepare(name, migration)
        const rows = await loadInTransaction(client, source, checked, progress)
        for (const table of header.tables) await client.query(`analyze ${quoteTable(table)}`)
        return { tables: header.tables.length, rows, bytes: (await handle.stat()).size }
      } catch (error) {
        // The schemas are removed over a new connection, because the old one may be lost. Only the first error is
        // reported.
        await removeSchemas(connection, absent).catch(() => {})
        throw error
      }
    } finally {
      await client.end()
    }
  } finally {
    await handle.close()
  }
}

/** Reads a whole backup and verifies its checksum; decrypts it first if it is encrypted. Throws if it is damaged. */
export async function verifyBackup(what: { file: string; passphrase?: string | undefined }): Promise<void> {
  const { file, passphrase = '' } = what
  const handle = await openBackup(file)
  try {
    await checkBackup(await openSource(handle, file, async () => passphrase), file)
  } finally {
    await handle.close()
  }
}

async function openBackup(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StartupError(`${file} cannot be read (${code}); check its name and permissions`, { cause })
  }
}

function refuseUnknownSchemas(header: BackupHeader, known: string[], file: string): void {
  const named = [...namesOf(header), ...[...header.tables, ...header.sequences].map(({ schema }) => schema)]
  const unknown = named.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new StartupError(
    `${file} has a schema ${unknown}, which this platform does not have; restore a backup of this platform`,
  )
}

const namesOf = (header: BackupHeader): string[] => header.schemas.map(({ name }) => name)

async function findAbsentSchemas(client: pg.Client, header: BackupHeader): Promise<string[]> {
  const { rows } = await client.query(
    'select wanted from unnest($1::text[]) as wanted where not exists (select from pg_namespace where nspname = wanted)',
    [namesOf(header)],
  )
  return rows.map((row) => row.wanted)
}

/**
 * Throws if a schema contains user data. Rows that a migration inserted do not count: they have the same transaction id
 * (`xmin`) as the migration's row in `migrations`.
 */
async function refuseOccupied(client: pg.Client, schema: string): Promise<void> {
  const occupied = (what: string) =>
    new StartupError(
      `The database already has ${what}, and a restore never overwrites data; ` +
        'restore into an empty database or data directory, and stop the platform while you do',
    )
  if (!(await isMigrated(client, schema))) {
    const { rows } = await client.query(
      'select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 limit 1',
      [schema],
    )
    if (rows.length > 0) throw occupied(`a schema ${schema} with tables of its own`)
    return
  }
  for (const table of await readTables(client, [schema])) {
    const foreign = await client.query(
      `select from ${quoteTable(table)}
        where xmin::text <> all (array(select xmin::text from ${quoteTable({ schema, name: 'migrations' })})) limit 1`,
    )
    if (foreign.rows.length > 0) throw occupied(`rows in ${schema}.${table.name}`)
  }
}

async function loadInTransaction(
  client: pg.Client,
  source: ByteSource,
  { header, bodyStart, bodyEnd, bytes }: CheckedBackup,
  progress?: ReportProgress,
): Promise<number> {
  let label = 'loading'
  async function* readCompressed(): AsyncGenerator<Buffer> {
    let done = bodyStart
    for await (const chunk of source.read(bodyStart, bodyEnd)) {
      yield chunk
      done += chunk.length
      progress?.(done, bytes, label)
    }
  }
  const body = createGunzip()
  // An error in reading the file is passed on to the reader of `body`, so it is ignored here.
  connectStreams(readCompressed(), body, () => {})
  try {
    await client.query('begin')
    const rows = await load(client, header, createFrameReader(body), (table) => {
      label = `${table.schema}.${table.name}`
    })
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    body.destroy()
  }
}

async function load(
  client: pg.Client,
  header: BackupHeader,
  readFrame: ReadFrame,
  onTable: (table: Table) => void,
): Promise<number> {
  await lockTables(client, namesOf(header))
  for (const schema of header.schemas) {
    // Everything is checked again under the locks, when nobody else can write.
    await refuseOccupied(client, schema.name)
    await refuseOtherMigrations(client, schema)
  }
  await refuseOtherTables(client, header)

  const tables = header.tables.map(quoteTable)
  // Only rows that migrations inserted are left. They are deleted, because the backup contains their latest state.
  if (tables.length > 0) await client.query(`truncate ${tables.join(', ')}`)
  const triggers = await disableTriggers(client, header)
  await client.query('set constraints all deferred')
  const rows: number[] = []
  for (const table of header.tables) {
    onTable(table)
    rows.push(await loadTable(client, table, readFrame))
  }
  await client.query('set constraints all immediate')
  for (const enable of triggers) await client.query(enable)

  const trailer: BackupTrailer = JSON.parse((await readFrame()).toString())
  const wrong = header.tables.findIndex((_, index) => rows[index] !== trailer.rows[index])
  if (wrong >= 0) {
    const { schema, name } = header.tables[wrong]!
    throw new Error(`${schema}.${name} got ${rows[wrong]} rows instead of ${trailer.rows[wrong]}; nothing was changed`)
  }
  // Sequences are set last, because a rollback does not reset them.
  for (const { schema, name, lastValue, isCalled } of header.sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [quoteTable({ schema, name }), lastValue, isCalled])
  }
  return rows.reduce((sum, count) => sum + count, 0)
}

async function lockTables(client: pg.Client, schemas: string[]): Promise<void> {
  const found = await readTables(client, schemas)
  const tables = [...found, ...schemas.map((schema) => ({ schema, name: 'migrations' }))]
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`lock table ${tables.map(quoteTable).join(', ')} in access exclusive mode`)
  } catch (cause) {
    if ((cause as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw cause
    throw new StartupError('Another process is using the database; stop the platform and restore again', { cause })
  }
}

async function isMigrated(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass(format('%I.migrations', $1::text)) is not null as found`, [
    schema,
  ])
  return rows[0].found
}

type BackedUpSchema = BackupHeader['schemas'][number]

/**
 * Throws if the schema has later migrations than the backup. Called before `prepare`, because migrations cannot be
 * undone.
 */
async function refuseLaterMigrations(client: pg.Client, schema: BackedUpSchema): Promise<void> {
  const reached = (await readMigrations(client, schema.name)).at(-1)?.number ?? 0
  if (reached <= schema.migration) return
  throw new StartupError(
    `${schema.name} is already at migration ${reached}, and the backup was created at ${schema.migration}; ` +
      'restore into an empty database or data directory, the next start of the platform then migrates it',
  )
}

async function refuseOtherMigrations(client: pg.Client, schema: BackedUpSchema): Promise<void> {
  const applied = await readMigrations(client, schema.name)
  if (isDeepStrictEqual(applied, schema.migrations)) return
  const reached = applied.at(-1)?.number ?? 0
  throw new StartupError(
    reached < schema.migration
      ? `The backup was created at migration ${schema.migration}, and this platform has only ${reached}; install its newer version`
      : `The backup's ${schema.name} was created by other migrations than this platform has; restore with the version that created it`,
  )
}

async function refuseOtherTables(client: pg.Client, header: BackupHeader): Promise<void> {
  const describe = (tables: Table[]) => tables.map((table) => `${quoteTable(table)} (${quoteColumns(table)})`)
  const expected = new Set(describe(header.tables))
  const found = new Set(describe(await readTables(client, namesOf(header))))
  const [different] = expected.symmetricDifference(found)
  if (different === undefined) return
  throw new StartupError(
    `The tables of the backup and of this platform differ, first in ${different}; restore with the version that created it`,
  )
}

/**
 * Disables triggers, because the backup already contains their effects. Returns the statements that enable them again.
 */
async function disableTriggers(client: pg.Client, header: BackupHeader): Promise<string[]> {
  const { rows } = await client.query(
    `select n.nspname as schema, c.relname as name, t.tgname as trigger, t.tgenabled = 'A' as "isAlways"
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and not t.tgisinternal and t.tgparentid = 0 and t.tgenabled in ('O', 'A')`,
    [namesOf(header)],
  )
  const enable: string[] = []
  for (const row of rows) {
    const trigger = pg.escapeIdentifier(row.trigger)
    await client.query(`alter table ${quoteTable(row)} disable trigger ${trigger}`)
    enable.push(`alter table ${quoteTable(row)} enable ${row.isAlways ? 'always ' : ''}trigger ${trigger}`)
  }
  return enable
}

async function loadTable(client: pg.Client, table: Table, readFrame: ReadFrame): Promise<number> {
  async function* readRows(): AsyncGenerator<Buffer> {
    for (let frame = await readFrame(); frame.length > 0; frame = await readFrame()) yield frame
  }
  // Functions in check constraints and generated columns must resolve names in this schema, as when the platform
  // writes.
  await client.query(`set local search_path to ${pg.escapeIdentifier(table.schema)}`)
  const copy = client.query(copyFrom(`copy ${quoteTable(table)} (${quoteColumns(table)}) from stdin`))
  try {
    await pipeline(readRows(), copy)
  } catch (cause) {
    throw new StartupError(
      `The backup does not fit into ${table.schema}.${table.name} (${(cause as Error).message}); nothing was changed`,
      { cause },
    )
  }
  return copy.rowCount
}

/**
 * Removes the schemas that this restore has created, except those that another process has written to in the meantime.
 */
async function removeSchemas(connection: pg.ClientConfig, schemas: string[]): Promise<void> {
  if (schemas.length === 0) return
  const client = await connectForCopy(connection)
  try {
    for (const schema of schemas) {
      await client.query('begin')
      await lockTables(client, [schema])
      await refuseOccupied(client, schema)
      await client.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`)
      await client.query('commit')
    }
  } finally {
    await client.end()
  }
}
