import type { Upkeep } from '../../../kernel/room.ts'
import * as store from './store.ts'

/**
 * Makes partitions before their month begins. Without one, statements go to the default partition, where they are found
 * too.
 */
export const partitionUpkeep: Upkeep = {
  name: 'months of statements',
  run: ({ db, clock }) => db.first(store.makeMonths, { now: clock() }),
}
