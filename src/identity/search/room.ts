import type { Room } from '../../kernel/room.ts'
import { searchOperations } from './routes.ts'
import { settleSlots, slotNewcomers } from './sampling.ts'
import { forgetWords } from './search.ts'

const OFTEN_MS = 2000
const derived = { inExport: 'no: derived', whenDeleted: 'gone' }

export const search: Room = {
  name: 'search',
  areas: { 'User search': 'Other users of the app who want to be found.' },
  operations: searchOperations,
  personalTables: {
    findable_users: derived,
    search_keys: derived,
    search_words: { ...derived, whenDeleted: 'gone with the next tidying, where nobody else has the word' },
    search_words_left: { ...derived, whenDeleted: 'gone with the next tidying' },
  },
  // More may come at once than are sampled without a slot.
  afterImport: slotNewcomers,
  upkeep: [
    // Newcomers are sampled from a list of changes until they have a slot, and the list should be short.
    { name: 'slots for random samples', everyMs: OFTEN_MS, run: ({ db, stopping }) => settleSlots(db, stopping) },
    // While words are left of whom nobody finds any more, each search has to make sure that somebody whom it may show has them.
    { name: 'words that nobody has', everyMs: OFTEN_MS, run: ({ db, stopping }) => forgetWords(db, stopping) },
  ],
}
