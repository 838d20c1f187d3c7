import type { Room } from '../../kernel/room.ts'
import { signOutPages } from './pages.ts'
import { logoutSender } from './sender.ts'

export const signout: Room = {
  name: 'signout',
  pages: signOutPages,
  start: async (environment) => void environment.get(logoutSender),
}
