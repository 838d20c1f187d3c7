import type { Room } from '../../kernel/room.ts'
import { openidOperations } from './routes.ts'

export const openid: Room = { name: 'openid', operations: openidOperations }
