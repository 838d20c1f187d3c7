import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Connection } from '../src/database/database.ts'
import { startEmbedded } from '../src/database/embedded/embedded.ts'
import { migrateAll } from '../src/platform.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { BENCH_SQL, type ServerName, type Started } from './servers.ts'
import { type Measured, writeTable } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,32,256' },
    memory: { type: 'string', default: '60' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(`npm run bench -- [--rounds 5] [--seconds 2] [--connections 1,32,256] [--memory 60] [--out docs/benchmarks.md]

Compares bare node:http, Fastify with one statement, and Groundschool, side by side in interleaved rounds, and prints
the medians as a Markdown table. --memory: seconds of load before the memory is read (0: not at all).`)
  process.exit(0)
}

interface Scenario {
  readonly name: string
  readonly server: ServerName
  readonly method: string
  readonly path: string
  readonly bodies: readonly string[]
  /** The scenario that this one's requests/s are compared with. */
  readonly base: string
  /** Share of the base that is the goal, at 32 connections. */
  readonly goal?: number
}

const keyedWrites = Array.from({ length: 256 }, (_, i) =>
  JSON.stringify({ id: `bench-${i}`, key: 'counter', value: i }),
)

const SCENARIOS: readonly Scenario[] = [
  { name: 'bare node:http', server: 'bare', method: 'GET', path: '/', bodies: [], base: 'bare node:http' },
  { name: 'Fastify, one select', server: 'fastify', method: 'GET', path: '/row', bodies: [], base: 'bare node:http' },
  {
    name: '**bucket read**',
    server: 'groundschool',
    method: 'GET',
    path: '/app/v1/bucket?id=bench',
    bodies: [],
    base: 'bare node:http',
    goal: 0.65,
  },
  {
    name: '**token check**',
    server: 'groundschool',
    method: 'GET',
    path: '/bench/token',
    bodies: [],
    base: 'bare node:http',
  },
  {
    name: 'Fastify, one durable update',
    server: 'fastify',
    method: 'POST',
    path: '/row',
    bodies: keyedWrites,
    base: 'Fastify, one durable update',
  },
  {
    name: '**keyed bucket write**',
    server: 'groundschool',
    method: 'POST',
    path: '/app/v1/bucket',
    bodies: keyedWrites,
    base: 'Fastify, one durable update',
    goal: 0.75,
  },
]

interface RunningServer extends Started {
  readonly child: ChildProcess
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
/** The memory settings of `npm start`. */
const startFlags: string[] = JSON.parse(readFileSync(here('../package.json'), 'utf8')).scripts.start.match(/--\S+/g)
/** As `groundschool start` does, so that the compiler is not in the memory that is measured. */
const env = { ...process.env, NODE_COMPILE_CACHE: here('../node_modules/.cache/groundschool') }

async function startServer(name: ServerName, connection: Connection): Promise<RunningServer> {
  const child = fork(here('servers.ts'), [name, JSON.stringify(connection)], {
    execArgv: name === 'groundschool' ? startFlags : [],
    env,
  })
  const [started] = (await once(child, 'message')) as [Started]
  return { ...started, child }
}

interface Usage {
  readonly cpu: NodeJS.CpuUsage
  readonly rss: number
}

async function readUsage({ child }: RunningServer): Promise<Usage> {
  child.send('usage')
  return ((await once(child, 'message')) as [Usage])[0]
}

/** CPU of all PostgreSQL processes so far, in milliseconds; 0 where /proc is missing. */
function databaseCpuMs(): number {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map((pid) => readStat(pid))
      .filter((stat) => stat.name === 'postgres')
      .reduce((sum, stat) => sum + stat.ms, 0)
  } catch {
    return 0
  }
}

function readStat(pid: string): { name: string; ms: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // utime and stime are fields 14 and 15, in hundredths of a second.
    return { name, ms: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return { name: '', ms: 0 }
  }
}

async function load(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(here('load.ts'), [], { execArgv: [] })
  child.send(plan)
  const [result] = (await once(child, 'message')) as [LoadResult]
  child.kill()
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests to ${plan.path} failed`)
  return result
}

async function measure(
  scenario: Scenario,
  server: RunningServer,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = await readUsage(server)
  const databaseBefore = databaseCpuMs()
  const result = await load({ ...scenario, port: server.port, headers: server.headers, connections, seconds })
  const after = await readUsage(server)
  const cpuMs = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000
  return {
    perSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    nodeCpuMs: cpuMs / result.requests,
    databaseCpuMs: (databaseCpuMs() - databaseBefore) / result.requests,
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-bench-'))
const database = await startEmbedded({ dataDir, log: () => {} })
try {
  await migrateAll(database.connection)
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query(BENCH_SQL)
  await client.end()

  const servers = {} as Record<ServerName, RunningServer>
  for (const name of ['bare', 'fastify', 'groundschool'] as const)
    servers[name] = await startServer(name, database.connection)

  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const connectionCounts = values.connections.split(',').map(Number)
  for (const scenario of SCENARIOS) await measure(scenario, servers[scenario.server], 32, 1)

  const results = new Map<string, Measured[]>()
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`)
    for (const connections of connectionCounts) {
      for (const scenario of SCENARIOS) {
        const key = `${scenario.name} ${connections}`
        const measured = await measure(scenario, servers[scenario.server], connections, seconds)
        results.set(key, [...(results.get(key) ?? []), measured])
      }
    }
  }

  let memory: { rssBytes: number; seconds: number } | undefined
  const memorySeconds = Number(values.memory)
  if (memorySeconds > 0) {
    process.stderr.write(`memory after ${memorySeconds} s of load\n`)
    for (const name of ['**bucket read**', '**keyed bucket write**']) {
      const scenario = SCENARIOS.find((one) => one.name === name) as Scenario
      await measure(scenario, servers.groundschool, 32, memorySeconds / 2)
    }
    memory = { rssBytes: (await readUsage(servers.groundschool)).rss, seconds: memorySeconds }
  }
  for (const { child } of Object.values(servers)) child.kill()

  const table = writeTable({
    scenarios: SCENARIOS,
    connectionCounts,
    results,
    rounds,
    seconds,
    memory,
    machine: `${cpus().length} cores, ${process.arch}, Node ${process.version}`,
  })
  console.log(table)
  if (values.out) writeFileSync(values.out, table)
} finally {
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
