import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import { findBinaries } from './binaries.ts'
import { adoptCluster, createCluster, DATABASE, findCluster } from './cluster.ts'
import { explainFailure } from './explain.ts'
import { takeLock } from './lock.ts'
import { canEnter, findServiceUser, makeSocketDirectory, openToUser, PORT, prepareDataDir } from './place.ts'
import { boundLog, type Server, type Supervised, startServer } from './server.ts'
import { endStaleProcesses } from './stale-processes.ts'

export interface EmbeddedDatabase {
  /** Connection options for `pg`. The host is the directory of the socket. */
  readonly connection: { host: string; port: number; user: string; database: string }
  /** True if this start created the cluster. */
  readonly isNew: boolean
  /** Stops PostgreSQL (fast shutdown) and resolves when it has exited. Further calls have no effect. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: (level: 'info' | 'warn' | 'error', message: string, detail?: object) => void
  /** Settings that override the fixed settings of the server. Only for data that may be lost, as in tests. */
  settings?: Readonly<Record<string, string>>
}

type Log = EmbeddedOptions['log']

const LOG_CHECK_INTERVAL_MS = 60_000
const LONGEST_PAUSE_MS = 1_000
/** If a server ran this long before it exited, it is restarted without delay. */
const HEALTHY_AFTER_MS = 5_000

/**
 * Starts the embedded PostgreSQL in `dataDir` and keeps it running until `stop`. Only its own user can reach its
 * socket. It belongs to one platform process at a time, and ends when that process ends, even if the process is killed.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (process.platform === 'win32') {
    throw new StartupError(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to your own PostgreSQL, or use WSL',
    )
  }
  const held: (() => unknown)[] = []
  const letGo = async () => {
    for (const release of held.splice(0).reverse()) await release()
  }
  let userName = process.env.USER ?? String(process.getuid!())
  try {
    const dataDir = await prepareDataDir(options.dataDir)
    const takeLockAt = async (path: string) => held.push((await takeLock(path, dataDir)).release)
    await takeLockAt(join(dataDir, 'platform.lock'))

    const found = await findCluster(dataDir)
    const user = await findServiceUser(found?.ownerUid)
    userName = user.name
    const binaries = await findBinaries(dataDir, user, options.log)
    const logPath = join(dataDir, 'postgres.log')
    const cluster = found?.path ?? (await createCluster({ dataDir, user, binaries, logPath, log: options.log }))
    // Two data directories can share one cluster, because copying a data directory copies the symbolic link.
    if (dirname(cluster) !== dataDir) await takeLockAt(`${cluster}.lock`)
    if (found) {
      await openToUser(dataDir, user)
      await endStaleProcesses(cluster, options.log)
      await adoptCluster(found, user, binaries)
      if (!canEnter(user, cluster)) {
        throw new StartupError(
          `User ${userName} cannot open ${cluster}: allow that user to pass through the folders above it (chmod o+x), or set another DATA_DIR`,
        )
      }
    }
    const socketDir = await makeSocketDirectory(dataDir, user)
    held.push(() => rm(socketDir, { recursive: true, force: true }))

    const { settings = {} } = options
    const server: Server = { postgres: binaries.postgres, cluster, socketDir, logPath, user, settings }
    const stopServer = await keepServerRunning(server, options.log)
    let stopped: Promise<void> | undefined
    return {
      connection: { host: socketDir, port: PORT, user: DATABASE, database: DATABASE },
      isNew: !found,
      stop: () => {
        stopped ??= stopServer().finally(letGo)
        return stopped
      },
    }
  } catch (error) {
    await letGo()
    throw explainFailure(error, { path: resolve(options.dataDir), userName })
  }
}

/** Starts the server, and restarts it whenever it exits unexpectedly. Returns a function that stops it. */
async function keepServerRunning(server: Server, log: Log): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  let running: Supervised | undefined = await startServer(server, log, stopping.signal)
  let startedAt = performance.now()
  const logCheck = setInterval(() => boundLog(server.logPath).catch(() => {}), LOG_CHECK_INTERVAL_MS).unref()

  const watch = async () => {
    let pauseMs = 0
    while (true) {
      const code = await running?.exited
      if (stopping.signal.aborted) return
      if (running) {
        if (performance.now() - startedAt > HEALTHY_AFTER_MS) pauseMs = 0
        log('warn', 'The database server ended unexpectedly; restarting it', { pid: running.pid, code })
        running = undefined
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(100, pauseMs * 2))
      if (stopping.signal.aborted) return
      try {
        await endStaleProcesses(server.cluster, log)
        running = await startServer(server, log, stopping.signal)
        startedAt = performance.now()
        log('info', 'The database server is running again', { pid: running.pid })
      } catch (error) {
        if (stopping.signal.aborted) return
        log('error', 'The database server does not start; retrying', { reason: (error as Error).message, pauseMs })
      }
      if (stopping.signal.aborted) running?.release()
    }
  }
  const watched = watch()

  return async () => {
    stopping.abort()
    clearInterval(logCheck)
    running?.release()
    // The supervisor stops the server. `endStaleProcesses` does the same in case the supervisor was killed, and makes
    // sure that no process is left.
    await Promise.all([watched, endStaleProcesses(server.cluster, () => {})])
  }
}
