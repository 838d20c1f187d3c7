import type { Room } from '../../kernel/room.ts'
import { exportOperations } from './routes.ts'

export const exports: Room = { name: 'exports', operations: exportOperations }
