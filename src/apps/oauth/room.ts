import type { Room } from '../../kernel/room.ts'
import { oauthRetention } from './codes.ts'
import { oauthPages } from './pages.ts'
import { oauthOperations } from './routes.ts'
import { standardOperations } from './standard-routes.ts'

export const oauth: Room = {
  name: 'oauth',
  areas: { 'Sign-in': 'Get access tokens for users of your app.' },
  operations: [...oauthOperations, ...standardOperations],
  pages: oauthPages,
  personalTables: { authorization_codes: { inExport: 'no: codes are valid for a minute', whenDeleted: 'gone' } },
  retention: () => oauthRetention,
}
