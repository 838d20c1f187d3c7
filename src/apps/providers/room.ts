import type { Room } from '../../kernel/room.ts'
import { providerOperations } from './routes.ts'
import { deleteOldFailures } from './store.ts'

const FAILURE_DAYS = 30

export const providers: Room = {
  name: 'providers',
  areas: {
    'Sign-in providers':
      'Let people of an organisation sign in with its own OpenID provider, and prove its e-mail domains.',
  },
  operations: providerOperations,
  retention: () => [{ days: FAILURE_DAYS, remove: deleteOldFailures }],
  personalTables: {
    break_glass_accounts: {
      inExport: 'no: a setting of the organisation',
      whenDeleted: 'gone',
    },
  },
}
