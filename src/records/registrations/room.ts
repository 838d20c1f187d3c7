import type { Room } from '../../kernel/room.ts'

const SESSIONS = { inExport: '`content-sessions.json`', whenDeleted: 'gone' }

export const registrations: Room = {
  name: 'registrations',
  personalTables: { registrations: SESSIONS },
}
