import type { ImportTie } from '../imports/section.ts'
import type { Room } from '../room.ts'
import { classSection, classTies } from './import.ts'
import { managementOperations } from './management-routes.ts'
import { classOperations } from './routes.ts'

export const classes: Room = {
  name: 'classes',
  operations: [...classOperations, ...managementOperations],
  areas: {
    'Courses and classes':
      'Organisations, what they teach, and who learns it. Owners of an organisation manage its courses and classes, and instructors the students of their own classes.',
  },
  personalTables: {
    enrolments: { inExport: '`learning.json`', whenDeleted: 'gone' },
    class_staff: { inExport: '`learning.json`', whenDeleted: 'gone' },
    lesson_locks: { inExport: 'no: a setting of the class', whenDeleted: 'gone: who set a lock is forgotten, the lock is of the class' },
  },
  importSections: [classSection],
  importTies: { classes: classTies as readonly ImportTie[] },
}
