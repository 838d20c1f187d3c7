import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

const SQLITE_BUSY = 5
/**
 * How long to wait for a lock: a process that was just killed holds its locks until the kernel has released its memory.
 */
const LOCK_TIMEOUT_MS = 1_000

export interface Lock {
  release(): void
}

/**
 * Takes a kernel lock (fcntl), which only one process can hold and which is released when that process dies. So locks
 * cannot become stale, and no process ids have to be compared. Throws if another process holds the lock. Node offers
 * such locks only through SQLite, so the file is opened as a database, but stays empty. The file is never removed,
 * because a lock on a removed file would not exclude other processes. Nothing else in this process may open the file,
 * because closing it would release the lock.
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
        `Another platform process is using ${dataDir}: stop it first, or set another DATA_DIR for this one (or the same DATABASE_URL to share a PostgreSQL)`,
      )
    }
    await delay(50)
  }
}
