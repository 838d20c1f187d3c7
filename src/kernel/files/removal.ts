import type { Tx } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import type { FileStore } from './contents.ts'

/**
 * Deletes files that nothing refers to. `takeUnused` deletes the row of one and returns its name. The row stays locked
 * until the file is gone, so that somebody who wants to store or use the same file waits. A file whose deletion fails
 * keeps its row, and the next run tries again.
 */
export async function removeUnusedFiles(
  { db, stopping }: Environment,
  files: Pick<FileStore, 'remove'>,
  takeUnused: (tx: Tx) => Promise<string | undefined>,
): Promise<void> {
  for (let isMore = true; isMore && !stopping.aborted; )
    isMore = await db.transaction(async (tx) => {
      const name = await takeUnused(tx)
      if (name !== undefined) await files.remove(name)
      return name !== undefined
    })
}
