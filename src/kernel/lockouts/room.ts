import type { Room } from '../room.ts'
import { lockoutRetention } from './lockouts.ts'

export const lockouts: Room = {
  name: 'lockouts',
  personalTables: { sign_in_failures: { inExport: 'no: an hour', whenDeleted: 'gone' } },
  retention: () => lockoutRetention,
}
