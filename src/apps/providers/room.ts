import type { Room } from '../../kernel/room.ts'
import { deleteOldFailures } from './store.ts'

const FAILURE_DAYS = 30

export const providers: Room = {
  name: 'providers',
  retention: () => [{ days: FAILURE_DAYS, remove: deleteOldFailures }],
}
