import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import { explainOutput, isInUse } from './explain.ts'
import { PORT, type ServiceUser, socketPath } from './place.ts'

/**
 * Shell script that runs its arguments as a command and prints the command's process id. When the pipe on its standard
 * input closes, because the platform closed it or died, the script stops the command: fast shutdown, immediate shutdown
 * after 10 seconds, SIGKILL after 10 more. It ignores signals that are meant for the platform, from Ctrl-C or a service
 * manager. Descriptor 4 becomes the standard input of the command.
 */
const SUPERVISOR = `
trap '' HUP INT TERM
exec 3<&0 0</dev/null
"$@" 0<&4 1>&2 3<&- 4<&- &
child=$!
echo "$child"
exec 1>&- 4<&-
(
  while read -r _; do :; done
  for signal in INT QUIT KILL; do
    kill -s "$signal" "$child" || exit
    for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -s 0 "$child" || exit; done
  done
) 0<&3 2>/dev/null &
watcher=$!
exec 3<&-
wait "$child"
code=$?
exec 2>/dev/null
kill -s KILL "$watcher"
wait "$watcher"
exit "$code"
`

/**
 * Settings passed at every start, which override postgresql.conf: the server is reachable only through its socket, is
 * durable, and logs no statement texts.
 */
const FIXED_SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  fsync: 'on',
  full_page_writes: 'on',
  restart_after_crash: 'on',
  cluster_name: 'groundschool',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  log_statement: 'none',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_min_duration_statement: '-1',
}

const STALE_SERVER_TIMEOUT_MS = 30_000
const LOG_LIMIT_BYTES = 4 * 1024 * 1024
const LOG_TAIL_BYTES = 16 * 1024

export interface Supervised {
  pid: number
  /**
   * Resolves when the supervisor has exited. Then the command has exited too, unless the supervisor itself was killed.
   */
  exited: Promise<number>
  /** Asks the supervisor to stop the command. */
  release(): void
}

interface SuperviseOptions {
  user: ServiceUser
  logPath: string
  /** Text for the standard input of the command. */
  input?: string
}

export async function supervise(command: string, args: string[], options: SuperviseOptions): Promise<Supervised> {
  const logFd = openSync(options.logPath, 'a', 0o600)
  let shell: ChildProcess
  try {
    shell = spawn('/bin/sh', ['-c', SUPERVISOR, 'groundschool-database', command, ...args], {
      ...options.user.ids,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', logFd, 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH, LC_ALL: 'C', TZ: 'UTC' },
    })
  } finally {
    closeSync(logFd)
  }
  const { promise: exited, resolve } = Promise.withResolvers<number>()
  shell.once('exit', (code) => {
    shell.stdin!.destroy()
    resolve(code ?? -1)
  })
  shell.stdin!.on('error', () => {})
  const input = shell.stdio[4] as Writable
  input.on('error', () => {}).end(options.input ?? '')
  const [firstOutput] = await Promise.race([
    once(shell.stdout!, 'data'),
    once(shell, 'error').then(([error]) => Promise.reject(explainRefusal(error, options.user))),
    exited.then((code) =>
      Promise.reject(new StartupError(`/bin/sh ended with ${code} where it should run ${command}`)),
    ),
  ])
  return { pid: Number(String(firstOutput)), exited, release: () => shell.stdin!.end() }
}

function explainRefusal(error: NodeJS.ErrnoException, user: ServiceUser): unknown {
  if (error.code !== 'EPERM' || user.ids.uid === undefined) return error
  return new StartupError(
    `Root cannot become user ${user.name} here: start the platform as another user, or set DATABASE_URL`,
  )
}

type Log = (level: 'info', message: string) => void

export interface Server {
  postgres: string
  cluster: string
  socketDir: string
  logPath: string
  user: ServiceUser
  settings: Readonly<Record<string, string>>
}

/**
 * Starts PostgreSQL and waits until it accepts connections, however long recovery takes. If an earlier server still
 * uses the shared memory, the start is retried for a while.
 */
export async function startServer(server: Server, log: Log, signal: AbortSignal): Promise<Supervised> {
  const deadline = performance.now() + STALE_SERVER_TIMEOUT_MS
  while (true) {
    try {
      return await tryServer(server, log, signal)
    } catch (error) {
      if (!isInUse(error) || signal.aborted || performance.now() > deadline) throw error
      await delay(200)
    }
  }
}

async function tryServer(server: Server, log: Log, signal: AbortSignal): Promise<Supervised> {
  await boundLog(server.logPath)
  await rm(socketPath(server.socketDir), { force: true })
  await rm(`${socketPath(server.socketDir)}.lock`, { force: true })
  const logStart = await sizeOf(server.logPath)
  const settings = { ...FIXED_SETTINGS, unix_socket_directories: server.socketDir, ...server.settings }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const running = await supervise(server.postgres, ['-D', server.cluster, ...args], server)
  const exit = running.exited.then(() => 'exited' as const)

  for (let rounds = 1; !(await isReady(server.cluster, running.pid)); rounds++) {
    if ((await Promise.race([exit, delay(10)])) === 'exited') {
      const output = await readFrom(server.logPath, logStart)
      throw explainOutput(output, { path: server.cluster, userName: server.user.name }, server.logPath)
    }
    if (rounds % 1_000 === 0) log('info', 'The database is still recovering from its last shutdown; please wait')
    if (signal.aborted) running.release()
  }
  return running
}

/**
 * Tells from postmaster.pid whether the server is ready: line 1 is the process id, line 8 the state. A file that a dead
 * server left behind has another process id.
 */
async function isReady(cluster: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/**
 * Limits the size of the log: its last part is copied to an older log, and then the log is truncated. PostgreSQL opens
 * the log for appending, so it continues at the start of the file.
 */
export async function boundLog(logPath: string): Promise<void> {
  if ((await sizeOf(logPath)) <= LOG_LIMIT_BYTES) return
  const log = await open(logPath, 'r+')
  try {
    const older = await open(`${logPath}.new`, 'w', 0o600)
    await older.writeFile(await readFrom(logPath, (await sizeOf(logPath)) - LOG_LIMIT_BYTES, LOG_LIMIT_BYTES))
    await older.close()
    await rename(`${logPath}.new`, `${logPath}.1`)
    await log.truncate(0)
  } finally {
    await log.close()
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Reads what was written to the log after position `start`; at most the last `limitBytes`. */
async function readFrom(logPath: string, start: number, limitBytes = LOG_TAIL_BYTES): Promise<string> {
  const log = await open(logPath, 'r')
  try {
    const { size } = await log.stat()
    const from = Math.max(start, size - limitBytes)
    const { buffer, bytesRead } = await log.read(Buffer.alloc(Math.max(0, size - from)), 0, null, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await log.close()
  }
}
