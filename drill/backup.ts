import { query } from './cluster.ts'
import { type Fleet, PLATFORMS } from './fleet.ts'
import type { Machine } from './machine.ts'
import { until } from './until.ts'

const STANZA = '--stanza=groundschool'
const BY = { user: 'postgres' } as const
const RESTORED = '/var/lib/postgresql/15/groundschool'

/** Names and rows of every table that PostgreSQL stores for good. */
const TABLES = `
select format('%I.%I', nspname, relname)
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where relkind = 'r' and relpersistence = 'p' and nspname !~ '^(pg_|information_schema)'
order by 1`

export interface Comparison {
  readonly tables: number
  readonly rows: number
  /** Names of the tables that differ. */
  readonly different: readonly string[]
}

/** Creates the repository, and checks that the primary archives to it. */
export async function createRepository({ machines: { backup1 } }: Fleet): Promise<void> {
  await backup1.run(['pgbackrest', STANZA, 'stanza-create'], BY)
  await backup1.run(['pgbackrest', STANZA, 'check'], BY)
}

export async function backUp({ machines: { backup1 } }: Fleet, type: 'full' | 'diff'): Promise<void> {
  await backup1.run(['pgbackrest', STANZA, `--type=${type}`, 'backup'], BY)
}

/**
 * Restores the newest backup and the log after it on another machine, up to a named point, and compares every row of
 * every table with the primary. The platforms are stopped, so that nothing writes meanwhile.
 */
export async function compareRestored(fleet: Fleet): Promise<Comparison> {
  const platforms = PLATFORMS.map((name) => fleet.machines[name])
  for (const platform of platforms) platform.stop()
  await until('the platforms have stopped', async () => platforms.every((platform) => platform.list().length === 0))
  const primary = await fleet.primary()
  const segment = await query(primary, `select pg_walfile_name(pg_create_restore_point('drill'))`)
  await query(primary, 'select pg_switch_wal()')
  await until('the log up to the restore point is archived', async () => {
    const archived = await query(primary, 'select last_archived_wal from pg_stat_archiver')
    return archived >= segment
  })
  const restored = fleet.machines.restore1
  await restored.boot()
  await restored.run(['pgbackrest', STANZA, '--type=name', '--target=drill', '--target-action=promote', 'restore'], BY)
  const settings = ['listen_addresses=', 'unix_socket_directories=/run/postgresql', 'archive_mode=off']
  await restored.run(
    [
      '/usr/lib/postgresql/15/bin/pg_ctl',
      ...['-D', RESTORED, '-l', '/var/lib/postgresql/restored.log', '-t', '120', '-w'],
      ...['-o', [...settings, 'synchronous_standby_names='].map((setting) => `-c ${setting}`).join(' '), 'start'],
    ],
    BY,
  )
  await until('the restored database has been promoted', async () => {
    return (await query(restored, 'select pg_is_in_recovery()')) === 'f'
  })
  const [there, here] = [await digest(primary), await digest(restored)]
  const names = [...new Set([...there.keys(), ...here.keys()])]
  return {
    tables: there.size,
    rows: [...there.values()].reduce((sum, line) => sum + Number(line.split('|')[0]), 0),
    different: names.filter((name) => there.get(name) !== here.get(name)),
  }
}

/** Returns for each table the number of its rows and a hash of all of them in order. */
async function digest(machine: Machine): Promise<Map<string, string>> {
  const tables = (await query(machine, TABLES)).split('\n')
  const hash = `count(*) || '|' || coalesce(md5(string_agg(md5(t::text), '' order by t::text collate "C")), '')`
  const lines = await query(machine, tables.map((table) => `select ${hash} from ${table} t;`).join('\n'))
  return new Map(lines.split('\n').map((line, i) => [tables[i]!, line]))
}
