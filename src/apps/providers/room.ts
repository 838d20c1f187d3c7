import type { Room } from '../../kernel/room.ts'
import { connectionOperations } from './connection-routes.ts'
import { exportConnections } from './connections.ts'
import { providerPages } from './pages.ts'
import { providerOperations } from './routes.ts'
import { providerRetention } from './signin.ts'
import { deleteOldFailures } from './store.ts'

const FAILURE_DAYS = 30

export const providers: Room = {
  name: 'providers',
  areas: {
    'Sign-in providers':
      'Let people of an organisation sign in with its own OpenID provider, and prove its e-mail domains.',
  },
  operations: [...providerOperations, ...connectionOperations],
  pages: providerPages,
  personalTables: {
    provider_identities: { inExport: '`connections.json`', whenDeleted: 'gone' },
    provider_sign_ins: {
      inExport: 'no: sign-ins that have been started are valid for ten minutes',
      whenDeleted: 'gone',
    },
    break_glass_accounts: {
      inExport: 'no: a setting of the organisation',
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
