import type { Room } from '../../kernel/room.ts'
import { accessPages } from './access-pages.ts'
import { joinPages } from './join-pages.ts'
import { accountPages } from './pages.ts'
import { accountOperations } from './routes.ts'

export const account: Room = {
  name: 'account',
  areas: { Account: "The user's own account, for the platform's pages and for personal scripts; not for apps." },
  operations: accountOperations,
  pages: [...accountPages, ...joinPages, ...accessPages],
}
