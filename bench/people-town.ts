import pg from 'pg'
import { loadCast } from '../src/identity/search/testing.ts'
import type { Connection } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { migrateAll } from '../src/operations/platform/platform.ts'
import { type RunningServer, startServer } from './measure.ts'
import { BENCH_SQL } from './servers.ts'

/** A database with `people` people, who all use one app, and the server running on it. */
export interface Town {
  readonly people: number
  readonly connection: Connection
  readonly server: RunningServer
}

export const FRIENDS = 50

/** Gives the caller of the benchmark a name, which the default picture shows, and friends. */
const CALLER_SQL = `
  update people set first_name = 'Bench', last_name = 'Mark' where id = 1;
  insert into friendships (asker_id, asked_id, requested_at, accepted_at)
  select 1, id, now(), now() from people where id > 1 order by id limit ${FRIENDS};
  vacuum analyze friendships`

/** Fewer checkpoints while loading: with one every 512 MB, loading a million people would take twice as long. */
const LOADING_SQL = [`alter system set max_wal_size = '8GB'`, 'select pg_reload_conf()']
const LOADED_SQL = ['alter system reset max_wal_size', 'select pg_reload_conf()', 'checkpoint']

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1)

export async function buildTown(main: Connection, people: number): Promise<Town> {
  const startedAt = performance.now()
  const database = `bench_people_${people}`
  await runAll(main, [`create database ${database}`, ...LOADING_SQL])
  const connection = { ...main, database }
  await migrateAll(connection)
  await runAll(connection, [BENCH_SQL])
  const progress = (done: number) => {
    if (done % 50_000 === 0 || done === people)
      process.stderr.write(`people: ${done} of ${people} loaded after ${secondsSince(startedAt)} s\n`)
  }
  await loadCast(connection, { people, clientId: 'gs-bench', progress })
  // LOADED_SQL ends with a checkpoint, so that the data is not written to disk during the measurement.
  const steps = CALLER_SQL.split(';')
  await runAll(connection, [`set search_path = ${schemaOf('production')}`, ...steps, ...LOADED_SQL])
  process.stderr.write(`people: ${people} ready after ${secondsSince(startedAt)} s\n`)
  return { people, connection, server: await startServer('groundschool', connection) }
}

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
