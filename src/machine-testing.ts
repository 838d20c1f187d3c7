import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PATH, UNLIMITED } from './buckets/testing.ts'
import type { Connection } from './database/database.ts'
import { Client } from './testing.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

type Settings = Record<string, string>

/** The platform as an operator runs it: one command, in a process of its own. */
export interface Server {
  /** Nobody in particular, who calls production. */
  readonly nobody: Client
  /** Runs the command, and does not wait. */
  launch(): void
  /** Runs the command, and waits until requests are wanted; tells how many milliseconds that took. */
  start(): Promise<number>
  kill(): Promise<void>
  /** SIGTERM; tells the exit code and how many milliseconds it took. */
  stop(): Promise<{ code: number | null; tookMs: number }>
  /** The process of the embedded database that all others belong to, while there is one. */
  postmaster(): number | undefined
  /** All processes of the embedded database and what supervises them; none where the system has no /proc. */
  databaseProcesses(): number[]
  log(): string
}

/** A place for a server with demo data. What runs there ends with the test, however that ends. */
export async function installServer(t: TestContext, settings: Settings = {}): Promise<Server> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'gs-machine-')))
  // Root's database runs as another user, and would be kept outside of a place that only root may enter.
  chmodSync(dataDir, 0o755)
  const cluster = join(dataDir, 'postgres')
  const [PORT, SANDBOX_PORT] = await findFreePorts()
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
      const file = join(cluster, 'postmaster.pid')
      return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
    },
    databaseProcesses,
    log: () => log,
  }
}

/** A database of the suite's server, as the address that an operator would give; `host` may be another way to it. */
export const databaseUrl = ({ host, port, user, database }: Connection): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host!)}`

async function findFreePorts(): Promise<[string, string]> {
  const servers = [createServer(), createServer()]
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  const ports = servers.map((server) => String((server.address() as { port: number }).port))
  for (const server of servers) server.close()
  return ports as [string, string]
}

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

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A person of the demo data in the demo app. */
export async function signIn(nobody: Client, handle = '@avery'): Promise<Client> {
  const authorization = `Basic ${Buffer.from(`${handle}:groundschool`).toString('base64')}`
  const answer = await nobody.get('/auth/basic', undefined, { authorization, clientid: 'gs-demo-app' })
  assert.equal(answer.status, 200, answer.text)
  return new Client(nobody.address, answer.headers.get('access_token')!)
}

/** What came of one request: `200`, `503/5030`, or `no answer`. */
export interface Exchange {
  readonly outcome: string
  readonly startedMs: number
  readonly tookMs: number
}

/** Writers that go on whatever happens, and remember what they were promised. */
export interface Load {
  readonly exchanges: readonly Exchange[]
  /** Makes a bucket, however long that takes, and directs the writes to it. */
  turnTo(bucket: string): Promise<void>
  /** The writes under way end; those with an Idempotency-Key are repeated until they have. */
  stop(): Promise<void>
  /** Fails where a promise was broken: an acknowledged write is lost, or something has happened twice or unasked. */
  check(): Promise<void>
  /** Fails where a request without an answer had an effect: then it was taken, and should have been answered. */
  checkUnanswered(): Promise<void>
  /** What was acknowledged. */
  count(): number
}

interface Write {
  readonly bucket: string
  outcome: string
}

/** One write every few milliseconds for each writer is load enough, and leaves the processor to the server. */
const PAUSE_MS = 2
const PAUSE_AFTER_FAILURE_MS = 10

/**
 * Half of the writers write each value under a key of its own, all to one bucket, and never repeat. The others have a bucket each and an
 * Idempotency-Key for each write, which they repeat until it is acknowledged: so its version counts the effects.
 */
export async function startLoad(
  t: TestContext,
  clients: readonly Client[],
  { name = 'load', writers = 4 } = {},
): Promise<Load> {
  const exchanges: Exchange[] = []
  const writes: Write[] = []
  const counters = Array.from({ length: writers }, (_, i) => ({ bucket: `${name} counter ${i}`, value: 0 }))
  let bucket = ''
  let isOver = false
  let isGivenUp = false
  t.after(() => {
    isOver = true
    isGivenUp = true
  })

  const exchange = async (call: () => ReturnType<Client['get']>) => {
    const startedMs = performance.now()
    const answer = await call().catch(() => undefined)
    const code = answer?.body?.error_code
    const outcome = answer ? `${answer.status}${code ? `/${code}` : ''}` : 'no answer'
    exchanges.push({ outcome, startedMs, tookMs: performance.now() - startedMs })
    await delay(answer?.status === 200 ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS)
    return { answer, outcome }
  }
  const repeat = async (method: 'put' | 'post', body: { id: string }, key: string) => {
    for (let tries = Math.floor(Math.random() * clients.length); ; tries++) {
      if (isGivenUp) throw new Error('the test is over')
      const client = clients[tries % clients.length]!
      const { answer } = await exchange(() => client[method](PATH, body, { 'idempotency-key': key }))
      if (answer?.status === 200) return answer
    }
  }
  const turnTo = async (id: string) => {
    await repeat('put', { id }, id)
    bucket = id
  }
  const writeOnce = async (client: Client) => {
    while (!isOver) {
      const n = writes.length
      const write: Write = { bucket, outcome: 'under way' }
      writes.push(write)
      const { outcome } = await exchange(() => client.post(PATH, { id: write.bucket, key: `n${n}`, value: n }))
      write.outcome = outcome
    }
  }
  const count = async (counter: { bucket: string; value: number }) => {
    while (!isOver) {
      const value = ++counter.value
      const { body } = await repeat(
        'post',
        { id: counter.bucket, key: 'value', value } as { id: string },
        `${counter.bucket} ${value}`,
      )
      assert.deepEqual({ version: body.version, data: body.data }, { version: value + 1, data: { value } })
    }
  }

  /** Each write that was sent with what is there now, and nothing else may be there. */
  const compare = async (look: (n: number, write: Write, value: unknown) => void) => {
    for (const [id, sent] of Map.groupBy(writes.entries(), ([, write]) => write.bucket)) {
      const { data } = (await clients[0]!.get(PATH, { id })).body
      for (const [n, write] of sent) {
        look(n, write, data[`n${n}`])
        if (data[`n${n}`] === n) delete data[`n${n}`]
      }
      assert.deepEqual(data, {}, `there is something in ${id} that nobody sent`)
    }
  }

  for (const counter of counters) await repeat('put', { id: counter.bucket }, counter.bucket)
  await turnTo(name)
  const work = Promise.all([
    ...counters.map(count),
    ...Array.from({ length: writers }, (_, i) => writeOnce(clients[i % clients.length]!)),
  ])
  // Told by `stop`; until then nobody waits for it.
  work.catch(() => {})

  return {
    exchanges,
    turnTo,
    stop: async () => {
      isOver = true
      await work
    },
    check: async () => {
      for (const counter of counters) {
        const { body } = await clients[0]!.get(PATH, { id: counter.bucket })
        assert.deepEqual([body.version, body.data], [counter.value + 1, { value: counter.value }], counter.bucket)
      }
      await compare((n, { outcome }, value) => {
        if (outcome === '200') assert.equal(value, n, `the acknowledged write ${n} is lost`)
      })
    },
    checkUnanswered: () =>
      compare((n, { outcome }, value) => {
        if (outcome === 'no answer') assert.equal(value, undefined, `the write ${n} was done without an answer`)
      }),
    count: () =>
      writes.filter(({ outcome }) => outcome === '200').length + counters.reduce((sum, { value }) => sum + value, 0),
  }
}
