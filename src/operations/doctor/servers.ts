import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { type Config, ENVIRONMENTS, type EnvironmentName } from '../../kernel/config.ts'
import { type Connection, hasCode } from '../../kernel/database/database.ts'
import { findWaiting } from '../../kernel/database/migrate.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { FINGERPRINT, fingerprintOf } from '../../kernel/installation/installation.ts'
import { findSecretKeys } from '../../kernel/secret-keys.ts'
import { compareClocks, EMBEDDED, type EnvironmentFacts, type Identity, type ServerFacts } from './facts.ts'

const CONNECT_MS = 5_000
const QUERY_MS = 5_000
const ATTEMPTS = 5
/** Time limit for all questions to one server. */
const SERVER_MS = 20_000
/** An address may lead to several standbys in turn, so it is opened several times. */
const OPENINGS = 6
/** A notification to another session arrives within this time, or never. */
const NOTIFICATION_MS = 1_500

/** Settings that a rule reads. Settings that wait for a restart are read as well. */
const SETTINGS = [
  'archive_mode',
  'autovacuum',
  'data_checksums',
  'fsync',
  'full_page_writes',
  'max_connections',
  'max_slot_wal_keep_size',
  'max_standby_streaming_delay',
  'superuser_reserved_connections',
  'synchronous_commit',
  'synchronous_standby_names',
  'track_counts',
  'wal_level',
]

const IDENTITY = `
  select current_setting('server_version_num')::int as version, pg_is_in_recovery() as "isStandby",
         (select system_identifier::text from pg_control_system()) as "systemId",
         pg_postmaster_start_time()::text as "startedAt", current_setting('server_encoding') as encoding,
         current_user as "user", has_database_privilege(current_database(), 'create') as "mayCreate",
         pg_has_role('pg_monitor', 'usage') as "mayMonitor", r.rolconnlimit as "userLimit",
         d.datconnlimit as "databaseLimit", coalesce(s.ssl, false) as "isEncrypted",
         coalesce(not (inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() <<= '::1'), false) as "isRemote",
         array_remove(array[host(inet_client_addr()), host(inet_server_addr())], null) as addresses
    from pg_roles r cross join pg_database d left join pg_stat_ssl s on s.pid = pg_backend_pid()
   where r.rolname = current_user and d.datname = current_database()`

/** Questions to a primary. A question that the user may not ask leaves its fact out. */
const QUESTIONS = {
  senders: `
    select application_name as name, state, sync_state as "syncState",
           pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as "lagBytes",
           extract(epoch from replay_lag)::float8 as "lagSeconds"
      from pg_stat_replication where coalesce(state, '') <> 'backup'`,
  slots: `
    select slot_name as name, active as "isActive", wal_status as status,
           pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as "keptBytes"
      from pg_replication_slots where not temporary`,
  archiver: `
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing",
           last_failed_wal as "lastFailed"
      from pg_stat_archiver`,
  oldest: `
    select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, state,
           application_name as application
      from pg_stat_activity
     where datname = current_database() and xact_start is not null and backend_type = 'client backend'
     order by xact_start limit 1`,
  sizes: `
    select pg_database_size(current_database())::float8 as "databaseBytes",
           (select max(age(datfrozenxid))::float8 from pg_database) as "oldestTransactions"`,
  walBytes: `select sum(size)::float8 as value from pg_ls_waldir()`,
  invalidIndexes: `
    select format('%I.%I', n.nspname, c.relname) as value
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
     where not i.indisvalid and n.nspname like 'gs\\_%' order by 1`,
  withoutNextMonth: `
    select format('%I.%I', n.nspname, c.relname) as value
      from pg_partitioned_table p join pg_class c on c.oid = p.partrelid join pg_namespace n on n.oid = c.relnamespace
     where p.partstrat = 'r' and n.nspname like 'gs\\_%'
       and exists (select from pg_inherits h join pg_class m on m.oid = h.inhrelid
                    where h.inhparent = c.oid and m.relname ~ '_\\d{4}_\\d{2}$')
       and to_regclass(format('%I.%I', n.nspname,
             c.relname || to_char((now() at time zone 'UTC') + interval '1 month', '_YYYY_MM'))) is null
     order by 1`,
}

/** Reads the facts of the server to which the platform writes. */
export const readPrimary = (connection: Connection, config: Config): Promise<ServerFacts> =>
  askServer('DATABASE_URL', connection, async (client, identity) => ({
    ...(identity.isStandby
      ? {}
      : { ...(await askAll(client)), sessionProblem: await probeSessions(client, connection) }),
    environments: await Promise.all(ENVIRONMENTS.map((name) => readEnvironment(name, client, connection, config))),
  }))

/** Reads the facts of the servers behind an address for reads, each of them once. */
export async function readReaders(connection: Connection): Promise<ServerFacts[]> {
  const found = await Promise.all(
    Array.from({ length: OPENINGS }, () => askServer('DATABASE_READ_URL', connection, async () => ({}))),
  )
  return [...new Map(found.map((one) => [one.identity?.startedAt ?? one.problem, one])).values()]
}

async function askServer(
  setting: ServerFacts['setting'],
  connection: Connection,
  more: (client: pg.Client, identity: Identity) => Promise<Partial<ServerFacts>>,
): Promise<ServerFacts> {
  const place = describePlace(connection)
  let client: pg.Client | undefined
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${SERVER_MS / 1000} s`)), SERVER_MS)
  const ask = async (): Promise<ServerFacts> => {
    client = await open(connection)
    const before = Date.now()
    const [clock] = await select<{ ms: number }>(
      client,
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    )
    const aheadMs = compareClocks({ earliest: clock!.ms, latest: clock!.ms }, { before, after: Date.now() })
    const [row] = await select<Identity>(client, IDENTITY)
    const identity = { ...row!, addresses: [...new Set([...endsOf(client), ...row!.addresses])] }
    const settings = await readSettings(client)
    return { setting, place, aheadMs, identity, settings, ...(await more(client, identity)) }
  }
  try {
    return await Promise.race([ask(), late])
  } catch (error) {
    return { setting, place, problem: (error as Error).message }
  } finally {
    clearTimeout(timer)
    client?.connection.stream.destroy()
  }
}

/** Both addresses of the connection as this machine sees it; none for a Unix socket. */
function endsOf(client: pg.Client): string[] {
  const { localAddress, remoteAddress } = client.connection.stream as Socket
  return [localAddress, remoteAddress].filter((address) => address !== undefined)
}

async function open(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'groundschool-doctor',
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A standby cancels queries that delay its replay, so a canceled query runs again. */
async function select<R>(client: pg.Client, text: string, values: unknown[] = [], attempts = ATTEMPTS): Promise<R[]> {
  try {
    return (await client.query(text, values)).rows
  } catch (error) {
    if (attempts <= 1 || !hasCode(error, '40001')) throw error
    return select(client, text, values, attempts - 1)
  }
}

/** A setting of the command line overrides the file, so a change of the file needs no restart. */
async function readSettings(client: pg.Client): Promise<ServerFacts['settings']> {
  const rows = await select<{ name: string; value: string; needsRestart: boolean }>(
    client,
    `select name, setting as value, pending_restart and source <> 'command line' as "needsRestart"
       from pg_settings where name = any($1) or pending_restart`,
    [SETTINGS],
  )
  return Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest]))
}

async function askAll(client: pg.Client): Promise<Partial<ServerFacts>> {
  const all = async <R>(text: string): Promise<R[] | undefined> =>
    select<R>(client, text).catch((error: unknown) => {
      if (error instanceof pg.DatabaseError) return undefined
      throw error
    })
  const values = async (text: string) => (await all<{ value: string }>(text))?.map(({ value }) => value)
  return {
    senders: await all(QUESTIONS.senders),
    slots: await all(QUESTIONS.slots),
    archiver: (await all<NonNullable<ServerFacts['archiver']>>(QUESTIONS.archiver))?.[0],
    oldest: (await all<NonNullable<ServerFacts['oldest']>>(QUESTIONS.oldest))?.[0],
    sizes: (await all<NonNullable<ServerFacts['sizes']>>(QUESTIONS.sizes))?.[0],
    walBytes: (await all<{ value: number }>(QUESTIONS.walBytes))?.[0]?.value,
    invalidIndexes: await values(QUESTIONS.invalidIndexes),
    withoutNextMonth: await values(QUESTIONS.withoutNextMonth),
  }
}

/**
 * Tests what a pooler in transaction mode breaks: notifications between sessions, and locks that belong to a session.
 * Returns what does not work.
 */
async function probeSessions(client: pg.Client, connection: Connection): Promise<string | undefined> {
  const channel = `groundschool_doctor_${randomInt(2 ** 40)}`
  const other = await open(connection)
  try {
    const arrived = new Promise<boolean>((resolve) => client.on('notification', () => resolve(true)))
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), NOTIFICATION_MS))
    await client.query(`listen ${channel}`)
    await other.query('select pg_notify($1, $2)', [channel, ''])
    if (!(await Promise.race([arrived, late]))) return 'notifications (LISTEN) do not arrive'
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [channel])
    const [lock] = await select<{ isTaken: boolean }>(
      other,
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isTaken"',
      [channel],
    )
    return lock!.isTaken ? 'locks of a session do not keep other sessions out' : undefined
  } finally {
    other.connection.stream.destroy()
  }
}

async function readEnvironment(
  name: EnvironmentName,
  client: pg.Client,
  connection: Connection,
  config: Config,
): Promise<EnvironmentFacts> {
  const mismatch = (error: unknown) => ({ mismatch: (error as Error).message })
  const schema = schemaOf(name)
  const migrations = await findWaiting(connection, schema).then((waiting) => ({ waiting }), mismatch)
  const facts = await select<{ fingerprint: string | null; hasDemoPeople: boolean }>(
    client,
    `select (select value from ${schema}.installation where name = $1) as fingerprint,
            exists (select from ${schema}.installation where name like 'demo-person-%') as "hasDemoPeople"`,
    [FINGERPRINT],
  ).catch(() => [])
  const [{ fingerprint, hasDemoPeople } = { fingerprint: null, hasDemoPeople: false }] = facts
  const keys = findSecretKeys(config)
  const fitsKey = fingerprint && keys ? keys.some((key) => fingerprintOf(key, name) === fingerprint) : undefined
  return { name, ...migrations, hasDemoPeople, fitsKey }
}

/** Host and port of a connection, without user and password. */
function describePlace({ connectionString, host, port }: Connection): string {
  if (!connectionString) return host?.startsWith('/') ? EMBEDDED : `${host}:${port}`
  const url = URL.parse(connectionString)
  return `${url?.hostname || url?.searchParams.get('host') || 'localhost'}:${url?.port || 5432}`
}
