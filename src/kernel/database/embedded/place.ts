import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { StartupError } from '../../errors.ts'

/**
 * Directory for clusters and binaries if the platform runs as root and PostgreSQL's user cannot reach them elsewhere.
 */
const ROOTS_PLACE = '/var/lib/groundschool'
export const PORT = 5432

/** Maximum length of a socket path: 103 bytes on macOS, 107 on Linux. */
const SOCKET_PATH_BYTES = 103

/** The user that runs PostgreSQL. `ids` are options for `spawn`, set only if they differ from those of the platform. */
export interface ServiceUser {
  name: string
  ids: { uid: number; gid: number } | Record<string, never>
}

async function readUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4 && !fields[0]!.startsWith('#'))
    .map(([name, , uid, gid]) => ({ name: name!, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
}

/**
 * Finds the user that runs PostgreSQL, which refuses to run as root. If the platform runs as root, it is the owner of
 * the existing cluster, else `postgres`, else `nobody`.
 */
export async function findServiceUser(clusterOwnerUid: number | undefined): Promise<ServiceUser> {
  const users = await readUsers()
  const ownUid = process.getuid!()
  if (ownUid !== 0) return { name: users.find(({ uid }) => uid === ownUid)?.name ?? String(ownUid), ids: {} }

  const user =
    users.find(({ uid }) => uid !== 0 && uid === clusterOwnerUid) ??
    users.find(({ name, uid }) => uid !== 0 && name === 'postgres') ??
    users.find(({ name, uid }) => uid !== 0 && name === 'nobody')
  if (!user) {
    throw new StartupError(
      'PostgreSQL does not run as root, and there is neither a user postgres nor nobody: start as another user, or set DATABASE_URL',
    )
  }
  return { name: user.name, ids: { uid: user.uid, gid: user.gid } }
}

/**
 * Tells whether the user can enter a directory. It actually tries, because modes, access lists and capabilities all
 * affect the result.
 */
export function canEnter(user: ServiceUser, directory: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user.ids, cwd: '/', stdio: 'ignore' }).status === 0
  )
}

/** Creates the data directory if it is missing, and returns its real path. */
export async function prepareDataDir(dataDir: string): Promise<string> {
  await mkdir(dirname(resolve(dataDir)), { recursive: true })
  await mkdir(dataDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return realpath(dataDir)
}

/**
 * Lets the group of PostgreSQL's user pass through a data directory that only root may enter. The group cannot read
 * anything in the directory.
 */
export async function openToUser(dataDir: string, user: ServiceUser): Promise<boolean> {
  if (user.ids.uid === undefined || canEnter(user, dataDir)) return true
  const { mode, uid } = await lstat(dataDir)
  const isGroupUnused = (mode & 0o070) === 0
  if (!isGroupUnused || !canEnter(user, dirname(dataDir))) return false
  await chown(dataDir, uid, user.ids.gid)
  await chmod(dataDir, (mode & 0o777) | 0o010)
  return canEnter(user, dataDir)
}

/** Creates a directory that every user may pass through, whatever the umask. Its contents have their own modes. */
export async function makeRootsPlace(name: 'binaries' | 'clusters'): Promise<string> {
  const directory = join(ROOTS_PLACE, name)
  await mkdir(directory, { recursive: true })
  await chmod(ROOTS_PLACE, 0o755)
  await chmod(directory, 0o755)
  return directory
}

export const hashPath = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)

export async function makePrivateDirectory(path: string, user: ServiceUser): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  if (user.ids.uid !== undefined) await chown(path, user.ids.uid, user.ids.gid)
}

/**
 * Creates the directory for the socket: in the data directory if the path is short enough and sockets work there,
 * otherwise in the temporary directory. There an attacker may already have created a directory of that name. So an
 * existing directory is used only if it belongs to PostgreSQL's user and is closed to others; otherwise the directory
 * gets a random name.
 */
export async function makeSocketDirectory(dataDir: string, user: ServiceUser): Promise<string> {
  const own = join(dataDir, 'run')
  if (canHoldSocket(own) && canEnter(user, dataDir)) {
    await rm(own, { recursive: true, force: true })
    await makePrivateDirectory(own, user)
    if (await canBindSocket(own)) return own
    await rm(own, { recursive: true, force: true })
  }
  for (const parent of new Set([await realpath(tmpdir()).catch(() => '/tmp'), '/tmp'])) {
    const name = `groundschool-${hashPath(dataDir)}`
    if (!canHoldSocket(join(parent, `${name}-random`)) || !canEnter(user, parent)) continue
    const path = await makeTemporaryDirectory(join(parent, name), user)
    if (await canBindSocket(path)) return path
    await rm(path, { recursive: true, force: true })
  }
  throw new StartupError(
    `There is no directory for PostgreSQL's socket: set TMPDIR to a directory with a short path that user ${user.name} can enter`,
  )
}

async function makeTemporaryDirectory(path: string, user: ServiceUser): Promise<string> {
  try {
    await makePrivateDirectory(path, user)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = await lstat(path)
  if (found.isDirectory() && found.uid === (user.ids.uid ?? process.getuid!()) && (found.mode & 0o077) === 0)
    return path

  const unforeseeable = await mkdtemp(`${path}-`)
  if (user.ids.uid !== undefined) await chown(unforeseeable, user.ids.uid, user.ids.gid)
  return unforeseeable
}

export const socketPath = (directory: string): string => join(directory, `.s.PGSQL.${PORT}`)

const canHoldSocket = (directory: string): boolean => Buffer.byteLength(socketPath(directory)) <= SOCKET_PATH_BYTES

/** Tells whether a socket can be created in a directory. Some mounted file systems do not support sockets. */
async function canBindSocket(directory: string): Promise<boolean> {
  const probe = createServer()
  const { promise, resolve: settle } = Promise.withResolvers<boolean>()
  probe.once('error', () => settle(false))
  probe.listen(join(directory, basename(socketPath(directory)).replace('.s.', '.t.')), () =>
    probe.close(() => settle(true)),
  )
  return promise
}
