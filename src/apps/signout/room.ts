import type { Room } from '../../kernel/room.ts'
import { signOutPages } from './pages.ts'
import { signOutOperations } from './routes.ts'
import { logoutSender } from './sender.ts'

export const signout: Room = {
  name: 'signout',
  operations: signOutOperations,
  pages: signOutPages,
  start: async (environment) => void environment.get(logoutSender),
}
