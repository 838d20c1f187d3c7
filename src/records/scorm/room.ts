import type { Room } from '../../kernel/room.ts'
import { scormOperations } from './routes.ts'
import { exportScorm } from './scorm.ts'

export const scorm: Room = {
  name: 'scorm',
  operations: scormOperations,
  exports: [{ file: 'content-data.json', about: 'What SCORM packages have saved about you', read: exportScorm }],
  personalTables: { scorm_states: { inExport: '`content-data.json`', whenDeleted: 'gone' } },
}
