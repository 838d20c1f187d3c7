import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

const SQLITE_BUSY = 5
/** A process that was just killed holds its locks until the kernel has put its memory away. */
const LOCK_TIMEOUT_MS = 1_000

export interface Lock {
  release(): void
}

/**
 * Takes a lock that the kernel gives to one process only and takes back when that process dies, however it dies: there is nothing
 * to become stale and no process id to be mistaken. Node reaches such locks (fcntl) through its SQLite only; the file stays empty.
 * It is never removed, since a lock on a removed file excludes nobody, and must not be opened otherwise: closing it would unlock it.
 */
export async function takeLock(path: string, dataDir: string): Promise<Lock> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  while (true) {
    const file = new DatabaseSync(path)
    try {
      file.exec('pragma journal_mode = memory; begin exclusive')
      return { release: () => file.close() }
    } catch (error) {
      file.close()
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    }
    if (performance.now() > deadline) {
      throw new StartupError(
        `Another platform process is using ${dataDir}: stop it first, or give this one another DATA_DIR (or the same DATABASE_URL to share a PostgreSQL)`,
      )
    }
    await delay(50)
  }
}
