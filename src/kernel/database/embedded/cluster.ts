import {
  appendFile,
  chmod,
  lchown,
  lstat,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'
import type { Binaries } from './binaries.ts'
import { explainOutput } from './explain.ts'
import { hashPath, makePrivateDirectory, makeRootsPlace, openToUser, type ServiceUser } from './place.ts'
import { supervise } from './server.ts'

export const DATABASE = 'groundschool'

const MIB = 2 ** 20

/**
 * Returns the size of PostgreSQL's cache in MiB: a sixteenth of the machine's memory. That suffices for rows that are
 * read often, and leaves a small machine enough memory for everything else. PostgreSQL allocates the memory only as it
 * needs it.
 */
export function sharedBuffers(memory: number): number {
  return Math.min(2048, Math.max(128, Math.floor(memory / MIB / 16)))
}

/** Settings for the postgresql.conf of a new cluster. An operator may change them there. */
const INITIAL_SETTINGS = {
  shared_buffers: `${sharedBuffers(Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY))}MB`,
  max_connections: '100',
  wal_compression: 'on',
  max_wal_size: '512MB',
  // Cancels a long statement after the platform has died, even if the postmaster, which would cancel it, has died too.
  client_connection_check_interval: '2s',
  jit: 'off',
  timezone: 'UTC',
}

export interface Cluster {
  path: string
  ownerUid: number
}

/** Finds the cluster of a data directory: the entry `postgres` or, if that is a symbolic link, its target. */
export async function findCluster(dataDir: string): Promise<Cluster | undefined> {
  const entry = join(dataDir, 'postgres')
  const found = await lstat(entry).catch(ignoreMissing)
  if (!found) return undefined
  const target = await stat(entry).catch(ignoreMissing)
  if (!target) {
    throw new StartupError(
      `The database of ${dataDir} should be in ${await readlink(entry)}, which no longer exists: put it back, or remove the link ${entry} to start with an empty database`,
    )
  }
  if (!found.isSymbolicLink() && (await readdir(entry)).length === 0) return undefined
  return { path: await realpath(entry), ownerUid: target.uid }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/**
 * Sets the file owner and mode that PostgreSQL requires. Throws if the directory is not a cluster of this PostgreSQL
 * version, or if it belongs to another user and the platform does not run as root.
 */
export async function adoptCluster({ path, ownerUid }: Cluster, user: ServiceUser, binaries: Binaries): Promise<void> {
  const version = Number(await readFile(join(path, 'PG_VERSION'), 'utf8').catch(ignoreMissing))
  if (!version) throw new StartupError(`${path} is not a database folder: move it away, or set another DATA_DIR`)
  if (version !== binaries.majorVersion) {
    throw new StartupError(
      `The database in ${path} was created by PostgreSQL ${version}, and this platform has ${binaries.majorVersion}: ` +
        'start the platform version that created it and take a backup, then restore that into an empty DATA_DIR',
    )
  }
  if (user.ids.uid === undefined && ownerUid !== process.getuid!()) {
    throw new StartupError(
      `The database in ${path} belongs to user id ${ownerUid}: start the platform as that user, or give it to yours (chown -R ${user.name} ${path})`,
    )
  }
  if (user.ids.uid !== undefined && ownerUid !== user.ids.uid) await giveTo(path, user.ids.uid, user.ids.gid)
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o700)
}

async function giveTo(directory: string, uid: number, gid: number): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) await lchown(join(directory, name), uid, gid)
  await lchown(directory, uid, gid)
}

interface CreateOptions {
  dataDir: string
  user: ServiceUser
  binaries: Binaries
  logPath: string
  log: (level: 'info', message: string, detail?: object) => void
}

/**
 * Creates a cluster and its database. The cluster gets its final name when it is complete and on disk, so an incomplete
 * one is never used.
 */
export async function createCluster(options: CreateOptions): Promise<string> {
  const { dataDir, user } = options
  const entry = join(dataDir, 'postgres')
  const isReachable = await openToUser(dataDir, user)
  const parent = isReachable ? dataDir : await makeRootsPlace('clusters')
  const prefix = `${isReachable ? 'postgres' : hashPath(dataDir)}.new-`
  await removeUnfinished(parent, prefix)
  // Each attempt uses a new name, because the initdb of a platform that was killed may still be removing its files.
  const unfinished = join(parent, `${prefix}${Date.now()}`)
  const path = isReachable ? entry : unfinished.replace('.new-', '-')
  await makePrivateDirectory(unfinished, user)
  try {
    await initialize(unfinished, options)
    await rename(unfinished, path)
    if (!isReachable) await symlink(path, entry)
    await syncDirectory(parent)
    await syncDirectory(dataDir)
  } catch (error) {
    await removeUnfinished(parent, prefix)
    throw error
  }
  if (!isReachable)
    options.log('info', `User ${user.name} may not enter ${dataDir}; the database is kept elsewhere`, { path })
  return path
}

async function removeUnfinished(parent: string, prefix: string): Promise<void> {
  for (const name of (await readdir(parent)).filter((entry) => entry.startsWith(prefix))) {
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}

/** Creates the cluster without waiting for the disk, and then writes all its files to disk at once. */
async function initialize(directory: string, options: CreateOptions): Promise<void> {
  const { initdb, postgres } = options.binaries
  const settings = Object.entries(INITIAL_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await runStep(
    initdb,
    [
      `--pgdata=${directory}`,
      `--username=${DATABASE}`,
      '--auth-local=trust',
      '--auth-host=reject',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      '--no-sync',
      ...settings,
    ],
    directory,
    options,
  )
  await runStep(
    postgres,
    // With the full cache, the server of this one command would take three times as long.
    ['--single', '-F', '-D', directory, '-c', 'shared_buffers=16MB', 'postgres'],
    directory,
    options,
    `create database ${DATABASE} strategy file_copy\n`,
  )
  await runStep(initdb, ['--sync-only', `--pgdata=${directory}`], directory, options)
}

/**
 * Runs a command that creates the cluster. Its output goes to a separate file, because processes of a platform that was
 * killed may still be writing to the common log.
 */
async function runStep(command: string, args: string[], directory: string, options: CreateOptions, input?: string) {
  const { dataDir, user, logPath } = options
  const stepLogPath = `${directory}.log`
  const step = await supervise(command, args, { user, logPath: stepLogPath, ...(input !== undefined && { input }) })
  const code = await step.exited
  const output = await readFile(stepLogPath, 'utf8')
  await rm(stepLogPath)
  await appendFile(logPath, output, { mode: 0o600 })
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw explainOutput(output, { path: dataDir, userName: user.name }, logPath)
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}
