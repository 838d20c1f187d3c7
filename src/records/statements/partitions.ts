import type { Upkeep } from '../../kernel/room.ts'
import * as store from './store.ts'

/** Partitions are there before their month begins. Without one, statements go to the rest, where they are found as well. */
export const partitionUpkeep: Upkeep = {
  name: 'months of statements',
  run: ({ db, clock }) => db.first(store.makeMonths, { now: clock() }),
}
