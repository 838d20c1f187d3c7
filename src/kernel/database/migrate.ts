import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import release from '../../../release.json' with { type: 'json' }
import { StartupError } from '../errors.ts'
import { type Connection, explainConnection, hasCode } from './connection.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly checksum: string
}

/** A row of the table `migrations`. */
interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  /**
   * The last migration that a version must know to work with the schema after this one; null if the version that
   * applied it did not say.
   */
  readonly needs: number | null
}

/** Reads the column `needs` as JSON, because a schema of an earlier version does not have it. */
const selectApplied = (table: string): string =>
  `select number, name, checksum, (to_jsonb(m) ->> 'needs')::int as needs from ${table} m order by number`

const MIGRATIONS_DIR = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const OLDEST_VERSION = 15
const CONNECT_TIMEOUT_MS = 5_000
/**
 * A migration waits this long for a lock on a table, because every request for that table waits behind it. Then it is
 * rolled back and tried again after a pause that is twice as long.
 */
const LOCK_MS = 1_000
/** After this long, a migration that does not get its locks fails. */
const PATIENCE_MS = 15 * 60_000

/**
 * Lists the migration files `NNNN_name.sql`. Throws unless they are numbered from 0001 without gaps. A file that had to
 * change, because a newer PostgreSQL refuses it, keeps the checksum of its first text in a line `-- checksum`.
 */
export async function listMigrations(dir: string = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, i) => {
      const [, digits, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? []
      if (!digits || !name) throw new StartupError(`Migration ${file} is not named like 0001_people.sql: rename it`)
      if (Number(digits) !== i + 1) {
        const number = String(i + 1).padStart(4, '0')
        const mistake =
          Number(digits) <= i ? `Two migrations have the number ${digits}` : `Migration ${number} is missing`
        throw new StartupError(`${mistake}: migrations count from 0001 without a gap, and ${file} should be ${number}`)
      }
      const text = await readFile(join(dir, file), 'utf8')
      const first = /^-- checksum ([0-9a-f]{64})$/m.exec(text)?.[1]
      return { number: i + 1, name, text, checksum: first ?? createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Migrates one environment's schema to the version of this code, or only up to migration `upTo`. If several processes
 * start at once, one of them migrates under a lock, and the others wait.
 */
export async function migrate(
  connection: Connection,
  schema: string,
  dir: string = MIGRATIONS_DIR,
  upTo = Number.POSITIVE_INFINITY,
): Promise<{ applied: string[] }> {
  const migrations = await listMigrations(dir)
  const client = await connect(connection)
  try {
    await refuseOldServer(client)
    await refuseOtherEncoding(client)
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set client_min_messages = warning')
    // A crash of the machine may undo the last migrations, which the next start then applies again. What is committed
    // later never reaches the disk before them.
    await client.query('set synchronous_commit = off')
    const quoted = pg.escapeIdentifier(schema)
    // The lock is released with the connection, so a process that is killed here does not block the next one.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`groundschool.migrate.${schema}`])
    await createSchema(client, schema)
    await client.query(`set search_path to ${quoted}; set lock_timeout = ${LOCK_MS}`)
    await client.query(
      `create table if not exists migrations (
        number int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
      )`,
    )
    const { rows } = await client.query<AppliedMigration>(selectApplied('migrations'))
    refuseOtherHistory(schema, migrations, rows)
    const waiting = migrations.slice(rows.length, upTo)
    if (waiting.length > 0) await client.query('alter table migrations add column if not exists needs int')
    for (const migration of waiting) await apply(client, schema, migration)
    return { applied: waiting.map(labelMigration) }
  } finally {
    await client.end()
  }
}

/**
 * Lists the migrations that a schema still needs, without changing anything; undefined if the schema does not exist.
 */
export async function findWaiting(connection: Connection, schema: string): Promise<string[] | undefined> {
  const migrations = await listMigrations()
  const client = await connect(connection)
  try {
    const table = `${pg.escapeIdentifier(schema)}.migrations`
    const found = await client.query<{ is: boolean }>('select to_regclass($1) is not null as is', [table])
    if (!found.rows[0]?.is) return undefined
    const { rows } = await client.query<AppliedMigration>(selectApplied(table))
    refuseOtherHistory(schema, migrations, rows)
    return migrations.slice(rows.length).map(labelMigration)
  } finally {
    await client.end()
  }
}

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true })
  // If the connection is lost, the running query is rejected, so this event needs no handling.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    throw explainConnection(error)
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  if (version < OLDEST_VERSION) {
    throw new StartupError(`This is PostgreSQL ${version}; ${OLDEST_VERSION} or later is required: upgrade the server`)
  }
}

async function refuseOtherEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding')
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8') {
    throw new StartupError(
      `This database has the encoding ${encoding}, which cannot store every text: create another one with encoding UTF8 (create database … encoding 'UTF8' template template0)`,
    )
  }
}

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
  if (rowCount) return
  try {
    await client.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
  } catch (error) {
    throw new StartupError(
      `The schema ${schema} cannot be created: ${(error as Error).message}. Allow the user of DATABASE_URL to create schemas (grant create on database …), or create the schema yourself, owned by that user`,
      { cause: error },
    )
  }
}

/**
 * Throws unless this version works with the schema. A schema may have migrations of the next release, which work with
 * this one too, so that processes of both can run side by side (decision 93).
 */
function refuseOtherHistory(schema: string, known: readonly Migration[], applied: readonly AppliedMigration[]): void {
  applied.forEach((row, i) => {
    if (row.number !== i + 1) {
      throw new StartupError(
        `Schema ${schema} does not have migration ${i + 1} but has ${row.number}: restore it from a backup`,
      )
    }
    const migration = known[i]
    if (!migration && row.needs !== null && row.needs <= known.length) return
    if (!migration) {
      throw new StartupError(
        `This database was created by a newer version of Groundschool: schema ${schema} has migration ` +
          `${labelMigration(row)}, which this version does not know. Start that version instead`,
      )
    }
    if (migration.checksum !== row.checksum) {
      throw new StartupError(
        `Migration ${labelMigration(migration)} was changed after it had been applied to schema ${schema}: ` +
          'put the file back as it was and write a new migration',
      )
    }
  })
}

async function apply(client: pg.Client, schema: string, migration: Migration): Promise<void> {
  const { number, name, checksum, text } = migration
  const needs = Math.min(number, release.migration)
  const values = [String(number), pg.escapeLiteral(name), pg.escapeLiteral(checksum), String(needs)]
  const startedMs = performance.now()
  for (;;) {
    try {
      // One round trip: a new database applies all migrations, twice. If one fails, the server skips the rest of the
      // text.
      await client.query(
        `begin;\n${text}\n;insert into migrations (number, name, checksum, needs) values (${values.join(', ')});\ncommit`,
      )
      return
    } catch (error) {
      const isLocked = hasCode(error, '55P03')
      if (!isLocked || performance.now() - startedMs > PATIENCE_MS) {
        const place = `Migration ${labelMigration(migration)} of schema ${schema} failed and was rolled back`
        const advice = isLocked ? '; end the backup, export or report that holds the lock, and start again' : ''
        throw new StartupError(`${place}: ${(error as Error).message}${advice}`, { cause: error })
      }
      await client.query('rollback')
      await sleep(2 * LOCK_MS)
    }
  }
}

const labelMigration = ({ number, name }: { number: number; name: string }): string =>
  `${String(number).padStart(4, '0')}_${name}`
