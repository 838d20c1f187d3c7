import type { Room } from '../../kernel/room.ts'
import { profileOperations } from './routes.ts'

export const profiles: Room = {
  name: 'profiles',
  areas: { Profile: 'Profiles of users, and anonymous users.' },
  operations: profileOperations,
}
