import type { Room } from '../../kernel/room.ts'
import { finderOperations } from './routes.ts'

export const finder: Room = { name: 'finder', operations: finderOperations }
