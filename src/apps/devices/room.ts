import type { Room } from '../../kernel/room.ts'
import { deviceRetention } from './devices.ts'
import { devicePages } from './pages.ts'

export const devices: Room = {
  name: 'devices',
  pages: devicePages,
  personalTables: { device_grants: { inExport: 'no: codes are valid for ten minutes', whenDeleted: 'gone' } },
  retention: () => deviceRetention,
}
