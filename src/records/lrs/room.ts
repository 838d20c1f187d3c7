import type { Room } from '../../kernel/room.ts'
import { lrsOperations } from './routes.ts'

export const lrs: Room = {
  name: 'lrs',
  operations: lrsOperations,
}
