import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Connection } from '../src/kernel/database/database.ts'
import { type GrowthCast, makeGrowthCast } from './growth-cast.ts'
import { databaseOf, loadGrowth } from './growth-load.ts'
import type { GrowthOperation } from './growth-loads.ts'
import { platformOperations } from './growth-operations.ts'
import { type GrowthRound, type GrowthRow, writeGrowth } from './growth-report.ts'
import { storeOperations } from './growth-store.ts'
import { measureUpkeep } from './growth-upkeep.ts'
import {
  type Bench,
  databaseCpuMs,
  findDatabasePid,
  measure,
  type RunningServer,
  readUsage,
  startServer,
} from './measure.ts'

/**
 * Loads databases of growing size and measures how the cost of each frequent operation grows. It needs a PostgreSQL
 * with `shared_preload_libraries = 'pg_stat_statements'`.
 */

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string', default: '5432' },
    user: { type: 'string', default: 'postgres' },
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    load: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    upkeep: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help || values.host === undefined) {
  console.log(`npm run bench:growth -- --host FOLDER_OR_NAME [--port 5432] [--user postgres] [--sizes 100000,1000000,10000000] [--load] [--rounds 5] [--seconds 1] [--only NAME] [--upkeep] [--out FILE]

Measures how the cost of frequent operations grows with the number of statements and people.

--host, --port, --user  A PostgreSQL server with pg_stat_statements in shared_preload_libraries.
--sizes    Numbers of statements, in multiples of 10000. There are a tenth as many people.
--load     Creates a database of each size first, growth_SIZE. It takes 20 seconds for 100,000 statements.
--rounds   Rounds of each operation, after one that warms up.
--seconds  Seconds of each operation in a round.
--only     Only operations with this text in their name.
--upkeep   Measures bytes on disk, freezing, starting and retention at the largest size. Deletes some statements.
--out      Writes the results to FILE.md and FILE.json too.`)
  process.exit(values.help ? 0 : 1)
}
const main: Connection = { host: values.host, port: Number(values.port), user: values.user, database: 'postgres' }
const sizes = values.sizes.split(',').map(Number)

const DOWNLOADS = 10

interface Place {
  readonly cast: GrowthCast
  readonly server: RunningServer
  readonly stats: pg.Client
}

const say = (text: string) => process.stderr.write(`${text}\n`)

if (values.load) for (const size of sizes) await loadGrowth(main, size, say)
const stats = new pg.Client(main)
await stats.connect()
const { rows: backend } = await stats.query(
  `select pg_backend_pid() as pid, version(), current_setting('shared_buffers') as buffers, current_setting('fsync') as fsync`,
)
const { pid, version, buffers, fsync } = backend[0]
const bench: Bench = {
  connection: main,
  databasePid: findDatabasePid(pid),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
}
await stats.end()

async function openPlace(size: number): Promise<Place> {
  const connection = { ...main, database: databaseOf(size) }
  const cast = await makeGrowthCast(connection, size)
  const client = new pg.Client(connection)
  await client.connect()
  return { cast, server: await startServer('growth', connection), stats: client }
}

const OWN_STATEMENTS = `s.dbid = (select oid from pg_database where datname = current_database()) and s.query not like '%pg_stat_statements%'`

/** Counts the blocks that the SQL statements of some requests read. */
async function withStats<T extends { readonly requests: number }>({ stats }: Place, work: () => Promise<T>) {
  await stats.query(
    `select public.pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)`,
  )
  const measured = await work()
  const { rows } = await stats.query(
    `select s.query, s.calls::float8 as calls, (s.shared_blks_hit + s.shared_blks_read)::float8 as blocks, s.shared_blks_read::float8 as reads, s.wal_bytes::float8 as wal
       from public.pg_stat_statements s where ${OWN_STATEMENTS} order by 3 desc`,
  )
  const perRequest = (key: string) => rows.reduce((sum, row) => sum + row[key], 0) / measured.requests
  const top = rows.slice(0, 3).map(({ query, calls, blocks }) => ({
    query: query.replace(/\s+/g, ' ').trim().slice(0, 160),
    calls: calls / measured.requests,
    blocks: blocks / measured.requests,
  }))
  return { ...measured, blocks: perRequest('blocks'), reads: perRequest('reads'), wal: perRequest('wal'), top }
}

/** Measures one operation with one connection. */
async function measureOnce(place: Place, operation: GrowthOperation, round: number): Promise<GrowthRound> {
  const plan = await operation.plan(place.cast, round)
  return withStats(place, () => {
    const isOnce = plan.send.kind === 'queue' && !plan.send.isEndless
    return measure(bench, place.server, { ...plan, connections: 1, seconds: isOnce ? 600 : bench.seconds })
  })
}

/** Downloads the data of some people. Their length is not known in advance, so the load generator cannot do it. */
const measureDownloads = (place: Place): Promise<GrowthRound> =>
  withStats(place, async () => {
    const { cast, server } = place
    const took: number[] = []
    const [before, databaseBefore] = [await readUsage(server), databaseCpuMs(bench.databasePid)]
    for (const { cookie } of cast.students.slice(0, DOWNLOADS)) {
      const startedAt = performance.now()
      const answer = await fetch(`http://127.0.0.1:${server.port}/account/v1/export`, {
        method: 'POST',
        headers: { ...cookie, 'content-type': 'application/json' },
        body: '{}',
      })
      if (answer.status !== 200) throw new Error(`The download failed: ${await answer.text()}`)
      await answer.arrayBuffer()
      took.push(performance.now() - startedAt)
    }
    const [after, databaseAfter] = [await readUsage(server), databaseCpuMs(bench.databasePid)]
    const nodeCpuMs = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000 / DOWNLOADS
    const sorted = took.sort((a, b) => a - b)
    return {
      ...{ requests: DOWNLOADS, nodeCpuMs, databaseCpuMs: (databaseAfter - databaseBefore) / DOWNLOADS },
      ...{ p50Ms: sorted[DOWNLOADS / 2]!, p95Ms: sorted.at(-1)!, p99Ms: sorted.at(-1)! },
    }
  })

const places: Place[] = []
for (const size of sizes) places.push(await openPlace(size))
const ports = new Map(places.map(({ cast, server }) => [cast.statements, server.port]))
const operations = [...platformOperations, ...storeOperations(ports)].filter(({ name }) => name.includes(values.only))
const rows: GrowthRow[] = []
if ('download'.includes(values.only)) {
  // Whoever signed in a moment ago needs no password, so this comes first.
  for (const place of places) await measureDownloads(place)
  for (const place of places)
    rows.push({
      group: 'pages',
      name: 'download',
      size: place.cast.statements,
      rounds: [await measureDownloads(place)],
    })
}
const rounds = new Map<string, GrowthRound[]>()
for (let round = 0; round <= bench.rounds; round++) {
  say(round === 0 ? 'growth: warming up' : `growth: round ${round} of ${bench.rounds}`)
  for (const operation of operations)
    for (const place of places) {
      const measured = await measureOnce(place, operation, round)
      const key = `${operation.group} / ${operation.name} / ${place.cast.statements}`
      if (round > 0) rounds.set(key, [...(rounds.get(key) ?? []), measured])
    }
}
const memory = await Promise.all(
  places.map(async ({ cast, server }) => ({ size: cast.statements, rss: (await readUsage(server)).rss })),
)
for (const { group, name } of operations)
  for (const size of sizes) rows.push({ group, name, size, rounds: rounds.get(`${group} / ${name} / ${size}`) ?? [] })
for (const { server, stats, cast } of places) {
  server.child.kill()
  await stats.end()
  await cast.close()
}
const machine = `${cpus().length} cores, ${process.arch}, Node ${process.version}, ${version.split(' on ')[0]}, shared_buffers ${buffers}, fsync ${fsync}`
const report = writeGrowth({ machine, sizes, rows, memory, rounds: bench.rounds, seconds: bench.seconds })
const upkeep = values.upkeep
  ? await measureUpkeep({ ...main, database: databaseOf(sizes.at(-1)!) }, places.at(-1)!.cast.people)
  : []
const text = [report, ...upkeep].join('\n')
console.log(text)
if (values.out) {
  writeFileSync(`${values.out}.md`, text)
  writeFileSync(`${values.out}.json`, JSON.stringify({ machine, sizes, memory, rows }, null, 1))
}
process.exit(0)
