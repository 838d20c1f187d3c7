import type { Room } from '../room.ts'
import { tokenCache } from './cache.ts'
import { exportSessions, sessionRetention } from './sessions.ts'

export const sessions: Room = {
  name: 'sessions',
  gauges: [
    {
      name: 'groundschool_token_cache_entries',
      help: 'Access tokens in the cache',
      value: ({ get }) => get(tokenCache).size,
    },
  ],
  personalTables: {
    sessions: { inExport: '`sessions.json`', whenDeleted: 'gone' },
    access_tokens: { inExport: 'no: secret', whenDeleted: 'gone' },
  },
  exports: [{ file: 'sessions.json', about: 'Where you are and were signed in to apps', read: exportSessions }],
  retention: () => sessionRetention,
}
