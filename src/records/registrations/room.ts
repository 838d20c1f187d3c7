import type { Room } from '../../kernel/room.ts'
import { registrationRestarter } from './restarting.ts'

const SESSIONS = { inExport: '`content-sessions.json`', whenDeleted: 'gone' }

export const registrations: Room = {
  name: 'registrations',
  consumers: [registrationRestarter],
  personalTables: { registrations: SESSIONS },
}
