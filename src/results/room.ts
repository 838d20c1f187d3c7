import type { Room } from '../room.ts'
import { resultOperations } from './routes.ts'

export const results: Room = { name: 'results', operations: resultOperations }
