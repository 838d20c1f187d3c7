import type { Room } from '../room.ts'
import { lrsOperations } from './routes.ts'

export const lrs: Room = {
  name: 'lrs',
  operations: lrsOperations,
}
