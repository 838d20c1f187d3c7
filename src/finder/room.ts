import type { Room } from '../room.ts'
import { finderOperations } from './routes.ts'

export const finder: Room = { name: 'finder', operations: finderOperations }
