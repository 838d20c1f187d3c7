import type { Room } from '../../kernel/room.ts'
import { connectionOperations } from './connection-routes.ts'
import { exportConnections } from './connections.ts'
import { providerPages } from './pages.ts'
import { providerRetention } from './signin.ts'
import { deleteOldFailures } from './store.ts'

const FAILURE_DAYS = 30

export const providers: Room = {
  name: 'providers',
  operations: connectionOperations,
  pages: providerPages,
  personalTables: {
    provider_identities: { inExport: '`connections.json`', whenDeleted: 'gone' },
    provider_sign_ins: {
      inExport: 'no: sign-ins that have been started are valid for ten minutes',
      whenDeleted: 'gone',
    },
  },
  exports: [
    {
      file: 'connections.json',
      about: 'Organisations with whose sign-in you can sign in, and who you are there',
      read: exportConnections,
    },
  ],
  retention: () => [{ days: FAILURE_DAYS, remove: deleteOldFailures }, ...providerRetention],
}
