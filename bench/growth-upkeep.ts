import pg from 'pg'
import type { Connection } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import { removeOlder } from '../src/records/statements/retention/retention.ts'
import { startServer } from './measure.ts'
import { benchConfig } from './servers.ts'
import { line, tableHead, whole } from './table.ts'

/** Days of a month that the second retention run deletes. */
const PART_DAYS = 3
const DAY_MS = 86_400_000

/** Bytes of each table, its partitions together. */
const SIZES = `
  select regexp_replace(c.relname, '(_\\d{4}_\\d\\d|_rest|_old)$', '') as name, sum(pg_table_size(c.oid) - coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0))::float8 as heap,
         sum(coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0))::float8 as toast, sum(pg_indexes_size(c.oid))::float8 as indexes
    from pg_class c where c.relkind = 'r' and c.relnamespace = '${schemaOf('production')}'::regnamespace
   group by 1 order by sum(pg_total_relation_size(c.oid)) desc`

/** Measures bytes on disk, freezing a month, a start of the platform, and retention. Retention deletes statements. */
export async function measureUpkeep(connection: Connection, people: number): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`set search_path = ${schemaOf('production')}`)
  const timed = async (work: () => Promise<unknown>) => {
    const { rows: before } = await client.query('select pg_current_wal_insert_lsn() as at')
    const startedAt = performance.now()
    await work()
    const seconds = (performance.now() - startedAt) / 1000
    const { rows } = await client.query('select pg_current_wal_insert_lsn() - $1::pg_lsn as wal', [before[0].at])
    return { seconds, wal: Number(rows[0].wal) }
  }
  const { rows: sizes } = await client.query(SIZES)
  const { rows: counted } = await client.query('select count(*)::int as statements from statements')
  const lines = [...writeSizes(sizes, counted[0].statements, people)]
  const row = (what: string, { seconds, wal }: { seconds: number; wal: number }, note = '') =>
    lines.push(line([what, seconds.toFixed(1), whole(wal / 1e6), note]))
  lines.push(...tableHead('work', 'seconds', 'MB of WAL', ''))

  for (const when of ['first', 'second']) {
    const started = await timed(async () => (await startServer('growth', connection)).child.kill())
    row(`start of the platform, ${when}`, started)
  }
  const { rows: months } = await client.query(
    `select substr(relname, 12) as name from pg_class where relname ~ '^statements_\\d{4}_\\d\\d$' and relnamespace = current_schema()::regnamespace and reltuples > 0 order by 1`,
  )
  const frozen = months[4].name
  const tables = ['statements', 'statement_refs', 'statement_ids', 'statement_facts']
    .map((table) => `${table}_${frozen}`)
    .join(', ')
  row('`vacuum (freeze)` of a month', await timed(() => client.query(`vacuum (freeze) ${tables}`)))

  const config = benchConfig()
  const environments = await openEnvironments(config, connection, openLog(config), () => new Date())
  const remove = async (what: string, before: Date) => {
    let note = ''
    const times = await timed(async () => {
      const who = { at: new Date(), requestId: 'bench', address: '127.0.0.1' }
      const removed = await removeOlder(environments[0]!.db, who, { before })
      note = `${whole(removed.statements)} statements, ${removed.months} ${removed.months === 1 ? 'month' : 'months'} dropped`
    })
    row(what, times, note)
  }
  const startOf = (index: number) => new Date(`${months[index].name.replace('_', '-')}-01T00:00:00Z`)
  // The first month is not a whole one.
  await remove('retention of the first days', startOf(1))
  await remove('retention of a month', startOf(2))
  await remove(`retention of ${PART_DAYS} days of a month`, new Date(startOf(2).getTime() + PART_DAYS * DAY_MS))
  for (const environment of environments) await environment.close()
  await client.end()
  return [...lines, '']
}

interface TableSize {
  readonly name: string
  readonly heap: number
  readonly toast: number
  readonly indexes: number
}

function writeSizes(sizes: readonly TableSize[], statements: number, people: number): string[] {
  const isOfStatements = ({ name }: TableSize) => name.startsWith('statement')
  const totalOf = ({ heap, toast, indexes }: TableSize) => heap + toast + indexes
  const write = (title: string, some: readonly TableSize[], count: number) => {
    const shown = some.filter((one) => totalOf(one) / count >= 1)
    const sum = (key: 'heap' | 'toast' | 'indexes') => some.reduce((total, one) => total + one[key], 0)
    const row = (name: string, one: Omit<TableSize, 'name'>) =>
      line([
        name,
        ...[one.heap, one.toast, one.indexes, one.heap + one.toast + one.indexes].map((bytes) => whole(bytes / count)),
      ])
    return [
      ...tableHead(title, 'heap', 'TOAST', 'indexes', 'together'),
      ...shown.map((one) => row(`\`${one.name}\``, one)),
      row('**all**', { heap: sum('heap'), toast: sum('toast'), indexes: sum('indexes') }),
      '',
    ]
  }
  return [
    ...write(`bytes per statement, ${whole(statements)} statements`, sizes.filter(isOfStatements), statements),
    ...write(
      `bytes per person, ${whole(people)} people`,
      sizes.filter((one) => !isOfStatements(one)),
      people,
    ),
  ]
}
