import type { Db, Tx } from '../../../kernel/database/database.ts'
import type { Upkeep } from '../../../kernel/room.ts'
import * as store from './store.ts'

/**
 * Starts the next block, if there are enough statements. A transaction that adds a key to a statement holds the clock
 * until its commit. So does this one. Therefore either the key is seen when positions are collected, or the block is
 * seen when the key is added.
 */
async function startBlock(db: Db): Promise<void> {
  if (!(await db.first(store.countUnblocked, {}))!.is_enough) return
  await db.transaction(async (tx) => {
    await tx.first(store.holdClock, {})
    await tx.first(store.startBlock, {})
  })
}

/** Collects the positions of common keys in the next block. Returns false if there is nothing left to do. */
export async function buildBlock(db: Db): Promise<boolean> {
  await startBlock(db)
  return db.transaction(async (tx) => {
    const block = await tx.first(store.findUnready, {})
    if (!block) return false
    const { upto: upTo, after, changes } = block
    await tx.first(store.joinByHash, {})
    await tx.all(store.deletePostings, { upTo })
    const { anchors } = (await tx.first(store.insertPostings, { after, upTo }))!
    // If the block has changed in the meantime, it stays unready, and its positions are collected again.
    await tx.first(store.finishBlock, { upTo, anchors, changes })
    return true
  })
}

/** Milliseconds that one run may take; the next run continues. */
const UPKEEP_MS = 10_000

/** Collects positions for filters. It runs often, so that few statements are outside of all blocks. */
export const blocksUpkeep: Upkeep = {
  name: 'blocks of statements',
  everyMs: 30_000,
  async run({ db }) {
    const end = performance.now() + UPKEEP_MS
    while (performance.now() < end && (await buildBlock(db)));
  },
}

/** Lists the parts of the next blocks in which statements may have all keys; see `partsNewest`. */
export const listParts = (
  db: Db,
  { isAscending, ...what }: Parameters<typeof store.partsNewest.encodeParams>[0] & { readonly isAscending: boolean },
) => db.all(isAscending ? store.partsOldest : store.partsNewest, what)

/** Has the positions in the blocks of these statements collected again, because the statements have more keys now. */
export const outdateBlocks = (tx: Tx, seqs: readonly number[]) => tx.all(store.outdateBlocks, { seqs: [...seqs] })

/** Deletes what blocks hold about keys of removed statements, if no other statement has these keys. */
export const deleteUnusedPostings = (tx: Tx, keys: readonly string[]) => tx.all(store.deleteUnused, { keys: [...keys] })

/** Deletes blocks whose statements were all stored before this number. */
export const deleteBlocksBefore = (db: Db, before: number) => db.all(store.deleteBlocks, { before })
