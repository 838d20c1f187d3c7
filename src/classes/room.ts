import type { ImportTie } from '../imports/section.ts'
import type { Room } from '../room.ts'
import { classSection, classTies } from './import.ts'
import { classOperations } from './routes.ts'

export const classes: Room = {
  name: 'classes',
  operations: classOperations,
  personalTables: {
    enrolments: { inExport: '`learning.json`', whenDeleted: 'gone' },
    class_staff: { inExport: '`learning.json`', whenDeleted: 'gone' },
    lesson_locks: { inExport: 'no: a setting of the class', whenDeleted: 'gone: who set a lock is forgotten, the lock is of the class' },
  },
  importSections: [classSection],
  importTies: { classes: classTies as readonly ImportTie[] },
}
