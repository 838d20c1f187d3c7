import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { until } from '../../kernel/database/test-database.ts'
import { findFreePort } from './ports.ts'
import { Client } from './testing.ts'

const MAIN = fileURLToPath(new URL('../../../bin/groundschool.js', import.meta.url))

type Settings = Record<string, string>

/** The platform as an operator runs it: one command, in a separate process. */
export interface Server {
  readonly dataDir: string
  /** An anonymous client of production. */
  readonly nobody: Client
  /** Starts the command without waiting until the platform is ready. */
  launch(): void
  /** Starts the command and waits until the platform is ready. Returns how many milliseconds that took. */
  start(): Promise<number>
  kill(): Promise<void>
  /** Sends SIGTERM. Returns the exit code and how many milliseconds the stop took. */
  stop(): Promise<{ code: number | null; tookMs: number }>
  /** Returns the process id of the embedded PostgreSQL's postmaster; undefined while it is not running. */
  postmaster(): number | undefined
  /** Returns the process ids of the embedded database and its supervisor; an empty list on systems without /proc. */
  databaseProcesses(): number[]
  /** Suspends the embedded database with SIGSTOP, so that its sockets stay open. Returns a function that resumes it. */
  suspendDatabase(): () => void
  log(): string
}

/** Prepares a data directory for a server with demo data. The server is killed when the test ends. */
export async function installServer(t: TestContext, settings: Settings = {}): Promise<Server> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'gs-machine-')))
  // Under root, the database runs as another user, which could not enter a directory of mode 0700.
  chmodSync(dataDir, 0o755)
  const cluster = join(dataDir, 'postgres')
  const [PORT, SANDBOX_PORT] = [String(await findFreePort()), String(await findFreePort())]
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    PORT,
    SANDBOX_PORT,
    ...UNLIMITED,
    ...settings,
  }
  const nobody = new Client(`http://127.0.0.1:${PORT}`)
  let child: ChildProcess | undefined
  let log = ''

  const launch = () => {
    log = ''
    child = spawn(process.execPath, [MAIN, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const output of [child.stdout!, child.stderr!])
      output.setEncoding('utf8').on('data', (text) => {
        log += text
      })
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const databaseProcesses = () => findProcesses(cluster)
  t.after(async () => {
    await end('SIGKILL')
    for (const pid of databaseProcesses()) killIfThere(pid)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 })
  })

  return {
    dataDir,
    nobody,
    launch,
    start: async () => {
      const startedMs = performance.now()
      launch()
      while (!(await isReady(nobody))) {
        assert.equal(child!.exitCode, null, log)
        assert.ok(performance.now() - startedMs < 60_000, `it did not start:\n${log}`)
        await delay(10)
      }
      return performance.now() - startedMs
    },
    kill: () => end('SIGKILL'),
    stop: async () => {
      const startedMs = performance.now()
      await end('SIGTERM')
      return { code: child!.exitCode, tookMs: performance.now() - startedMs }
    },
    postmaster: () => {
      try {
        return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
      } catch {
        // The pid file does not exist while the database is stopped.
        return undefined
      }
    },
    databaseProcesses,
    suspendDatabase: () => {
      const suspended = databaseProcesses().filter(isPostgres)
      for (const pid of suspended) killIfThere(pid, 'SIGSTOP')
      return () => {
        for (const pid of suspended) killIfThere(pid, 'SIGCONT')
      }
    },
    log: () => log,
  }
}

/** Prepares a server that has been started before, so that its database and demo data already exist. */
export async function installUsedServer(t: TestContext, settings?: Settings): Promise<Server> {
  const server = await installServer(t, settings)
  await copyInstallation(t, server.dataDir)
  return server
}

/**
 * Copies the data directory of a platform that has been started once. The first caller of the suite creates that
 * directory.
 */
export async function copyInstallation(t: TestContext, dataDir: string): Promise<void> {
  assert.ok(process.env.GROUNDSCHOOL_TEST_PLACE, 'run the tests with npm test')
  const made = join(process.env.GROUNDSCHOOL_TEST_PLACE, 'installation')
  if (mkdirSync(`${made}.begun`, { recursive: true })) {
    const first = await installServer(t)
    await first.start()
    await first.stop()
    copy(first.dataDir, `${made}.copied`)
    renameSync(`${made}.copied`, made)
  }
  await until('the installation to copy exists', () => existsSync(made), 60_000)
  copy(made, dataDir)
}

/** Copies a directory with its file owners, because under root the database files belong to another user. */
function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o755 })
  execFileSync('cp', ['-a', `${from}/.`, to])
}

/** Returns the DATABASE_URL of a database on the suite's server. `host` is a socket directory or a TCP proxy. */
export const databaseUrl = ({ host, port, user, database }: Connection): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host!)}`

export const isReady = (client: Client): Promise<boolean> =>
  client.get('/readyz').then(
    ({ status }) => status === 200,
    () => false,
  )

function findProcesses(cluster: string): number[] {
  if (!existsSync('/proc/self')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`) === cluster ||
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${cluster}\0`)
        )
      } catch {
        return false
      }
    })
}

const isPostgres = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n'

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Signs a demo person in to the demo app. */
export async function signIn(nobody: Client, handle = '@avery'): Promise<Client> {
  const authorization = `Basic ${Buffer.from(`${handle}:groundschool`).toString('base64')}`
  const answer = await nobody.get('/auth/basic', undefined, { authorization, clientid: 'gs-demo-app' })
  assert.equal(answer.status, 200, answer.text)
  return new Client(nobody.address, answer.headers.get('access_token')!)
}
