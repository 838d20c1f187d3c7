import type { Room } from '../../kernel/room.ts'
import { searchOperations } from './routes.ts'
import { settleSlots, slotNewcomers } from './sampling.ts'
import { forgetWords } from './search.ts'

const OFTEN_MS = 2000
const derived = { inExport: 'no: derived', whenDeleted: 'gone' }

export const search: Room = {
  name: 'search',
  areas: { 'User search': 'Search other users of the app who have public search on.' },
  operations: searchOperations,
  personalTables: {
    findable_users: derived,
    search_keys: derived,
    search_words: { ...derived, whenDeleted: 'deleted with the next cleanup, unless another user has the word' },
    search_words_left: { ...derived, whenDeleted: 'deleted with the next cleanup' },
  },
  // An import can add more people than can be sampled without a slot, so it assigns their slots itself.
  afterImport: slotNewcomers,
  upkeep: [
    // People without a slot are sampled from a separate list, which should stay short.
    {
      name: 'assigning slots for random samples',
      everyMs: OFTEN_MS,
      run: ({ db, stopping }) => settleSlots(db, stopping),
    },
    // Until the words of people who can no longer be found are deleted, every search is slower, because it has to check
    // for each word that a visible person has it.
    { name: 'deleting unused search words', everyMs: OFTEN_MS, run: ({ db, stopping }) => forgetWords(db, stopping) },
  ],
}
