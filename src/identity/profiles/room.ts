import type { Room } from '../../kernel/room.ts'
import { profileOperations } from './routes.ts'

export const profiles: Room = {
  name: 'profiles',
  areas: { Profile: 'The profile of a user, and anonymous users.' },
  operations: profileOperations,
}
