import { byName, type Room } from '../../kernel/room.ts'
import { exportCourses } from './authoring.ts'
import { authoringOperations } from './authoring-routes.ts'
import { findByName } from './authoring-store.ts'
import { courseSection } from './import.ts'
import { courseOperations } from './routes.ts'

export const courses: Room = {
  name: 'courses',
  operations: [...courseOperations, ...authoringOperations],
  areas: {
    'Lessons and progress':
      'Courses, lessons and the progress of students. A course has lessons, a class is one run of a course, and a student is one user in one class.',
  },
  personalTables: {
    courses: {
      inExport: '`courses.json`: those that they created',
      whenDeleted: 'the course stays, without an author',
    },
  },
  exports: [{ file: 'courses.json', about: 'Courses that you created', read: exportCourses }],
  finders: [{ kind: 'course', find: byName(findByName) }],
  importSections: [courseSection],
}
