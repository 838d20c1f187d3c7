import type { Room } from '../room.ts'
import { exportPages } from './pages.ts'
import { exportOperations } from './routes.ts'

export const exports: Room = { name: 'exports', operations: exportOperations, pages: exportPages }
