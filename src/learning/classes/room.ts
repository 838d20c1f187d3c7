import type { ImportTie } from '../../kernel/imports/section.ts'
import { byName, type Room } from '../../kernel/room.ts'
import { enrolmentOperations } from './enrolment-routes.ts'
import { exportClasses } from './enrolments.ts'
import { classSection, classTies } from './import.ts'
import { joiningJobs } from './joining.ts'
import { joiningOperations } from './joining-routes.ts'
import { managementOperations } from './management-routes.ts'
import { classNotifier } from './notifying.ts'
import { rosterOperations } from './roster-routes.ts'
import { classOperations } from './routes.ts'
import { findByName, findLessonsByName, findStudentsByName } from './store.ts'

export const classes: Room = {
  name: 'classes',
  operations: [
    ...classOperations,
    ...managementOperations,
    ...enrolmentOperations,
    ...rosterOperations,
    ...joiningOperations,
  ],
  areas: {
    'Courses and classes':
      'Organisations, their courses and classes, and the students. Owners of an organisation manage its courses and classes, and instructors the students of their own classes.',
  },
  personalTables: {
    enrolments: { inExport: '`classes.json`', whenDeleted: 'gone' },
    class_staff: { inExport: '`classes.json`', whenDeleted: 'gone' },
    lesson_locks: {
      inExport: 'no: a setting of the class',
      whenDeleted: 'the reference to who set a lock is deleted; the lock belongs to the class',
    },
  },
  exports: [{ file: 'classes.json', about: 'Classes that you take or teach, or did earlier', read: exportClasses }],
  finders: [
    { kind: 'class', find: byName(findByName) },
    { kind: 'lesson', find: byName(findLessonsByName) },
    { kind: 'student', find: byName(findStudentsByName) },
  ],
  jobs: joiningJobs,
  consumers: [classNotifier],
  importSections: [classSection],
  importTies: { classes: classTies as readonly ImportTie[] },
}
