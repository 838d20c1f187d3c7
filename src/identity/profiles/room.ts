import type { Room } from '../../kernel/room.ts'
import { profileOperations } from './routes.ts'

export const profiles: Room = {
  name: 'profiles',
  areas: { Profile: 'Who a user is, and users who are nobody in particular.' },
  operations: profileOperations,
}
