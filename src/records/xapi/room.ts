import type { Room } from '../../kernel/room.ts'
import { xapiOperations } from './routes.ts'

export const xapi: Room = {
  name: 'xapi',
  operations: xapiOperations,
}
