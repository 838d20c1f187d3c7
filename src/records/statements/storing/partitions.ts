import type { Upkeep } from '../../../kernel/room.ts'
import * as store from './store.ts'

/**
 * Creates the partitions of coming months in advance. If a partition is missing, statements are stored in the default
 * partition, and queries find them there too.
 */
export const partitionUpkeep: Upkeep = {
  name: 'months of statements',
  run: ({ db, clock }) => db.first(store.makeMonths, { now: clock() }),
}
