import type { Room } from '../../kernel/room.ts'
import { resultOperations } from './routes.ts'

export const results: Room = { name: 'results', operations: resultOperations }
