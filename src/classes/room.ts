import type { ImportTie } from '../imports/section.ts'
import type { Room } from '../room.ts'
import { enrolmentOperations } from './enrolment-routes.ts'
import { exportPlaces } from './enrolments.ts'
import { classSection, classTies } from './import.ts'
import { rosterOperations } from './roster-routes.ts'
import { classOperations } from './routes.ts'

export const classes: Room = {
  name: 'classes',
  operations: [...classOperations, ...enrolmentOperations, ...rosterOperations],
  areas: {
    'Courses and classes':
      'Who learns and teaches what: courses, classes, their students and staff. For owners of organisations, for instructors and for those who join.',
  },
  personalTables: {
    enrolments: { inExport: '`classes.json`', whenDeleted: 'gone' },
    class_staff: { inExport: '`classes.json`', whenDeleted: 'gone' },
    lesson_locks: { inExport: 'no: a setting of the class', whenDeleted: 'stays, without who set it' },
  },
  exports: [{ file: 'classes.json', about: 'Classes in which you learn or teach, or did', read: exportPlaces }],
  importSections: [classSection],
  importTies: { classes: classTies as readonly ImportTie[] },
}
