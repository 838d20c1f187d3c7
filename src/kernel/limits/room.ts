import type { Room } from '../room.ts'
import { sharedLimits } from './limits.ts'

export const limits: Room = {
  name: 'limits',
  // A process must hear of what others admit before it admits requests itself.
  start: async ({ get }) => void get(sharedLimits),
}
