import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type LoadPart, type LoadPlan, runLoad } from './load.ts'
import { UNLIMITED } from './servers.ts'
import { type Goal, medianOf, type Section, tableHead, whole } from './table.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PORT = 4900
/** Time after the start in which the platform settles, before its memory is read. */
const SETTLE_MS = 10_000
const IDLE_SECONDS = 20

const SETTINGS = { PORT: String(PORT), SANDBOX_PORT: String(PORT + 1), LOG_LEVEL: 'info', ...UNLIMITED }

const GOALS = { firstStartMs: 3000, secondStartMs: 1000, idleMiB: 120, idleCpuMs: 10, loadedMiB: 180, installMiB: 400 }

interface Footprint {
  readonly firstStartMs: number
  readonly secondStartMs: number
  readonly idleMiB: number
  /** CPU time per second without requests, in milliseconds. */
  readonly idleNodeMs: number
  readonly idleDatabaseMs: number
  readonly loadedMiB: number
  readonly perSecond: number
  readonly p99Ms: number
}

/**
 * Measures what the platform costs as `npm start` runs it: one process with both environments, demo data and the
 * embedded database. It reads /proc, so it only works on Linux.
 */
export async function measureFootprint(rounds: number, loadSeconds: number): Promise<Section> {
  const measured: Footprint[] = []
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`footprint: round ${round} of ${rounds}\n`)
    measured.push(await measureRound(loadSeconds))
  }
  return writeFootprint(measured, loadSeconds)
}

async function measureRound(loadSeconds: number): Promise<Footprint> {
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-footprint-'))
  // Under root, the database runs as another user, which could not enter a directory of mode 0700.
  chmodSync(dataDir, 0o755)
  try {
    const first = await start(dataDir)
    await stop(first.child)
    const { child, tookMs } = await start(dataDir)
    try {
      await delay(SETTLE_MS)
      const pid = child.pid!
      const idleMiB = readRss(pid)
      const before = readCpu(pid)
      await delay(IDLE_SECONDS * 1000)
      const after = readCpu(pid)
      const load = await runMixedLoad(loadSeconds)
      return {
        firstStartMs: first.tookMs,
        secondStartMs: tookMs,
        idleMiB,
        idleNodeMs: (after.nodeMs - before.nodeMs) / IDLE_SECONDS,
        idleDatabaseMs: (after.databaseMs - before.databaseMs) / IDLE_SECONDS,
        loadedMiB: readRss(pid),
        ...load,
      }
    } finally {
      await stop(child)
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Starts the platform and returns how long that took, from the command until the log says that it is ready. */
async function start(dataDir: string): Promise<{ child: ChildProcess; tookMs: number }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(ROOT, 'bin/groundschool.js'), 'start'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...SETTINGS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  for await (const text of child.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    log += text
    if (log.includes('the platform is ready')) {
      child.stdout!.resume()
      return { child, tookMs: performance.now() - startedAt }
    }
  }
  throw new Error(`The platform did not start:\n${log}`)
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const readRss = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Reads the CPU time of the platform's process and of all processes below it, which are those of the database. */
function readCpu(pid: number): { nodeMs: number; databaseMs: number } {
  const listChildren = (parent: number): number[] =>
    readdirSync(`/proc/${parent}/task`)
      .flatMap((task) => readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
      .map(Number)
  const listBelow = (parent: number): number[] => listChildren(parent).flatMap((child) => [child, ...listBelow(child)])
  return { nodeMs: readOwnCpu(pid), databaseMs: listBelow(pid).reduce((sum, child) => sum + readOwnCpu(child), 0) }
}

/**
 * Adds up the CPU time of all threads. /proc/PID/stat would be too coarse for an idle process: it counts in hundredths
 * of a second.
 */
const readOwnCpu = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0)

/** Signs in as a demo person and sends requests of many kinds at once. */
async function runMixedLoad(seconds: number): Promise<{ perSecond: number; p99Ms: number }> {
  const address = `http://127.0.0.1:${PORT}`
  const credentials = `Basic ${Buffer.from('@avery:groundschool').toString('base64')}`
  const signedIn = await fetch(`${address}/auth/basic`, {
    headers: { authorization: credentials, clientid: 'gs-demo-app' },
  })
  const headers = { authorization: `Bearer ${signedIn.headers.get('access_token')}` }
  const send = async (method: string, path: string, body?: object) => {
    const sent = { method, headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await fetch(`${address}${path}`, { ...sent, ...(body && { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { userId } = (await send('GET', '/user/v1/my/profile')) as { userId: string }
  const lessonId = 'lesson-walkaround'
  const buckets = Array.from({ length: 16 }, (_, i) => `footprint-${i}`)
  for (const id of buckets) await send('PUT', '/app/v1/bucket', { id, data: { pages: 'x'.repeat(2000) } })
  await send('POST', '/edu/v1/lesson/progress/start', { lessonId, classId: 'class-alpha' })

  const statement = {
    actor: userId,
    timestamp: new Date().toISOString(),
    verb: 'Correct Item Selected',
    object: { lessonId, questionText: 'Which cover is bent?' },
  }
  const version = { 'x-experience-api-version': '2.0.0' }
  const plan = (method: string, connections: number, parts: readonly LoadPart[]): LoadPlan => ({
    port: PORT,
    path: '',
    headers,
    seconds,
    method,
    connections,
    send: { kind: 'turns', parts },
  })
  const plans = [
    plan(
      'GET',
      8,
      buckets.map((id) => ({ path: `/app/v1/bucket?id=${id}` })),
    ),
    plan(
      'POST',
      4,
      buckets.map((id, i) => ({ path: '/app/v1/bucket', body: { id, key: `checks.${i}`, value: { done: true, i } } })),
    ),
    plan('POST', 4, [{ path: '/edu/v1/xapi/statement', body: statement }]),
    plan(
      'POST',
      2,
      ['idle', 'active'].map((verb) => ({ path: `/edu/v1/lesson/progress/${verb}`, body: { lessonId } })),
    ),
    plan('GET', 4, [
      { path: `/edu/v1/lesson/progress?lessonId=${lessonId}` },
      { path: '/edu/v1/class/result?classId=class-alpha' },
      { path: '/xapi/statements?limit=25', headers: version },
      { path: '/user/v1/my/profile' },
    ]),
    plan('GET', 1, [{ path: '/' }, { path: '/docs' }, { path: '/docs/guides/buckets' }]),
  ]
  const results = await Promise.all(plans.map((one) => runLoad(one)))
  const failed = results.find(({ failures }) => failures > 0)
  if (failed) throw new Error(`${failed.failures} of ${failed.requests} requests failed:\n${failed.failure}`)
  return {
    perSecond: results.reduce((sum, one) => sum + one.requests / one.seconds, 0),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  }
}

/** Returns the size of an installation, without the caches that later commands write. */
function readInstalledMiB(): number {
  const sizeOf = (...args: string[]) =>
    Number(
      execFileSync('du', ['-sk', ...args])
        .toString()
        .split('\t')[0],
    ) / 1024
  return sizeOf('--exclude=.cache', join(ROOT, 'node_modules'))
}

function writeFootprint(measured: readonly Footprint[], loadSeconds: number): Section {
  const value = (key: keyof Footprint) => medianOf(measured, (one) => one[key])
  const idleCpuMs = value('idleNodeMs') + value('idleDatabaseMs')
  const installMiB = readInstalledMiB()
  const rows: [string, string][] = [
    ['first start with demo data', `${(value('firstStartMs') / 1000).toFixed(2)} s`],
    ['second start', `${(value('secondStartMs') / 1000).toFixed(2)} s`],
    ['memory of Node, idle', `${value('idleMiB').toFixed(0)} MB`],
    ['CPU of Node per second, idle', `${value('idleNodeMs').toFixed(1)} ms`],
    ['CPU of PostgreSQL per second, idle', `${value('idleDatabaseMs').toFixed(1)} ms`],
    [`memory of Node after ${loadSeconds} s of mixed load`, `${value('loadedMiB').toFixed(0)} MB`],
    ['requests/s of the mixed load', value('perSecond').toFixed(0)],
    ['p99 of the slowest kind of request in it', `${value('p99Ms').toFixed(1)} ms`],
    ['node_modules', `${installMiB.toFixed(0)} MB`],
  ]
  const goal = (measure: string, unit: string, most: number, now: number): Goal => ({
    ...{ measure, goal: `${whole(most)} ${unit}`, now: `${whole(now)} ${unit}`, isReached: now <= most },
  })
  return {
    lines: [
      '## Footprint',
      '',
      'One platform as `npm start` runs it, both environments, with the embedded database.',
      '',
      ...tableHead('figure', 'median'),
      ...rows.map(([name, text]) => `| ${name} | ${text} |`),
      '',
    ],
    goals: [
      goal('first start', 'ms', GOALS.firstStartMs, value('firstStartMs')),
      goal('second start', 'ms', GOALS.secondStartMs, value('secondStartMs')),
      goal('idle memory', 'MB', GOALS.idleMiB, value('idleMiB')),
      goal('idle CPU per second', 'ms', GOALS.idleCpuMs, idleCpuMs),
      goal('memory after load', 'MB', GOALS.loadedMiB, value('loadedMiB')),
      goal('node_modules', 'MB', GOALS.installMiB, installMiB),
    ],
  }
}
