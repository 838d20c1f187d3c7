import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { START_FLAGS } from '../bin/start-flags.js'
import type { Connection } from '../src/kernel/database/database.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import type { ServerName, StartedServer, Usage } from './servers.ts'

/** Settings of a run. Rounds and seconds come from the command line. */
export interface Bench {
  readonly connection: Connection
  /** Id of the main process of the measured PostgreSQL; undefined on systems without /proc. */
  readonly databasePid: string | undefined
  readonly rounds: number
  readonly seconds: number
}

export interface RunningServer extends StartedServer {
  readonly child: ChildProcess
}

export interface LoadMeasurement {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** CPU time of Node per request, in milliseconds. */
  readonly nodeCpuMs: number
  readonly databaseCpuMs: number
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
/**
 * Uses the same code cache as `groundschool start`; otherwise the memory used by the compiler would be measured, too.
 */
const env = { ...process.env, NODE_COMPILE_CACHE: here('../node_modules/.cache/groundschool') }

/** Waits for the next message of a child process. Rejects if the child exits first. */
export async function answerOf<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController()
  const ended = once(child, 'exit', over).then(([code]) => {
    throw new Error(`A process of the benchmark has ended (${code})`)
  })
  try {
    return ((await Promise.race([once(child, 'message', over), ended])) as [T])[0]
  } finally {
    ended.catch(() => {})
    over.abort()
  }
}

/**
 * Starts a server in its own process and waits until it is ready. The platform's own servers get the V8 flags of
 * `groundschool start`.
 */
export async function forkServer<T extends StartedServer>(
  file: string,
  args: readonly string[],
  isOurs: boolean,
): Promise<T & RunningServer> {
  const execArgv = isOurs ? START_FLAGS : []
  const child = fork(here(file), args, { execArgv, env })
  const started = await answerOf<T & { execArgv: readonly string[] }>(child)
  assert.deepEqual(started.execArgv, execArgv, `${file} runs with other flags of V8 than it should`)
  return { ...started, child }
}

export function startServer(name: ServerName, connection: Connection): Promise<RunningServer> {
  const isOurs = ['groundschool', 'sign-in', 'statements', 'growth'].includes(name)
  return forkServer('servers.ts', [name, JSON.stringify(connection)], isOurs)
}

export function readUsage({ child }: RunningServer): Promise<Usage> {
  child.send('usage')
  return answerOf(child)
}

/** Starts a load in its own process. It ends when its time is over or `stop` is called. */
export function startLoad(plan: LoadPlan): { stop(): void; readonly result: Promise<LoadResult> } {
  const child = fork(here('load.ts'), [], { execArgv: [] })
  child.send(plan)
  const finish = async () => {
    const result = await answerOf<LoadResult>(child)
    child.kill()
    if (result.failures > 0)
      throw new Error(`${result.failures} of ${result.requests} requests to ${plan.path} failed:\n${result.failure}`)
    return result
  }
  return { stop: () => child.send('stop'), result: finish() }
}

export async function measure(
  { databasePid }: Bench,
  server: RunningServer,
  plan: Pick<LoadPlan, 'method' | 'path' | 'send' | 'connections' | 'seconds'> & Partial<LoadPlan>,
): Promise<LoadMeasurement> {
  const before = await readUsage(server)
  const databaseBefore = databaseCpuMs(databasePid)
  const result = await startLoad({ port: server.port, headers: server.headers, ...plan }).result
  const databaseAfter = databaseCpuMs(databasePid)
  const after = await readUsage(server)
  const cpuMs = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000
  return {
    requests: result.requests,
    perSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p95Ms: result.p95Ms,
    p99Ms: result.p99Ms,
    nodeCpuMs: cpuMs / result.requests,
    databaseCpuMs: (databaseAfter - databaseBefore) / result.requests,
  }
}

interface Stat {
  readonly parent: string
  readonly ownMs: number
  /** CPU time of child processes that have exited, in milliseconds. */
  readonly childrenMs: number
}

/** Finds the main process of PostgreSQL, which is the parent of the process of any connection. */
export const findDatabasePid = (connectionPid: number): string | undefined => readStat(String(connectionPid))?.parent

/** Returns the total CPU time of all PostgreSQL processes, in milliseconds. */
export function databaseCpuMs(pid: string | undefined): number {
  const main = pid === undefined ? undefined : readStat(pid)
  if (!main) return 0
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(readStat)
    .filter((stat) => stat?.parent === pid)
    .reduce((sum, stat) => sum + stat!.ownMs, main.ownMs + main.childrenMs)
}

/**
 * Reads the parent and CPU times of a process from /proc, see proc_pid_stat(5): field 4 is the parent; fields 14 to 17
 * are utime, stime, cutime and cstime, in hundredths of a second.
 */
function readStat(pid: string): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ms = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) * 10
    return { parent: fields[1]!, ownMs: ms(11), childrenMs: ms(13) }
  } catch {
    return undefined
  }
}
