import type { Room } from '../../kernel/room.ts'
import { registrationRestarter } from '../registrations/restarting.ts'
import { scormOperations } from './routes.ts'
import { exportScorm, forgetItem } from './scorm.ts'

export const scorm: Room = {
  name: 'scorm',
  operations: scormOperations,
  consumers: [registrationRestarter(forgetItem)],
  exports: [{ file: 'content-data.json', about: 'What SCORM packages have saved about you', read: exportScorm }],
  personalTables: { scorm_states: { inExport: '`content-data.json`', whenDeleted: 'gone' } },
}
