import { DONE, MOMENT } from '../../kernel/samples.ts'
import { PREFLIGHT } from '../courses/examples.ts'

const as = 'ellis' as const
const after = 'createClass'
const classId = 'class-delta'
const CLASS = {
  classId,
  groupId: classId,
  name: 'Preflight Delta',
  joinCode: 'BCDF-GHJK',
  sequential: true,
  ended: false,
  createdDate: MOMENT,
  course: PREFLIGHT,
}
/** Of an administrator, who grades nothing. */
const may = {
  manage: true,
  changeRoster: true,
  setLocks: true,
  grade: false,
  launch: false,
  keepNotes: false,
  writeOwnNotes: false,
}
const DELTA = {
  ...CLASS,
  studentId: null,
  role: 'manager',
  may,
  staff: [],
  students: { active: 0, suspended: 0, dropped: 0 },
}
const CASEY = { handle: '@casey', firstName: 'Casey', lastName: 'Okafor', role: 'instructor' }

/** What people read about these operations. */
export const examples = {
  createClass: {
    description:
      'A class is one run of a course, and stays on the version that is newest now. With `newJoinCode` it gets a code that others can join with.',
    example: {
      request: { courseId: 'course-preflight', classId, name: 'Preflight Delta', sequential: true, newJoinCode: true },
      answer: DELTA,
      as,
    },
  },
  changeClass: {
    description:
      'Fields that are left out stay as they are. An empty `joinCode` removes the code, so that nobody can join; `newJoinCode` replaces it, and the old one stops working.',
    example: {
      request: { classId, name: 'Delta', joinCode: '' },
      answer: { ...DELTA, name: 'Delta', joinCode: null },
      as,
      after,
    },
  },
  endClass: {
    description:
      'Students and staff can still read everything. Repeating it changes nothing. An ended class can be reopened.',
    example: { request: { classId }, answer: { ...DELTA, ended: true }, as, after },
  },
  reopenClass: {
    description: 'From now on progress is recorded again. Repeating it changes nothing.',
    example: { request: { classId }, answer: DELTA, as, after: 'endClass' },
  },
  readClass: {
    description:
      'Students read the class with its course. Its staff, owners of the organisation and administrators also see the staff and the number of students.',
    example: {
      request: { classId: 'class-alpha' },
      answer: {
        ...DELTA,
        classId: 'class-alpha',
        groupId: 'class-alpha',
        name: 'Preflight Alpha',
        joinCode: 'ALPHA-2026',
        role: 'instructor',
        may: { ...may, manage: false, grade: true, launch: true, keepNotes: true },
        staff: [CASEY],
        students: { active: 2, suspended: 0, dropped: 0 },
      },
      as: 'casey' as const,
    },
  },
  listManagedClasses: {
    description:
      'Classes of the organisations that the caller owns, the newest first and those that have ended last; administrators see all. Filters combine.',
    example: {
      request: { courseId: 'course-preflight', limit: 1 },
      answer: { docs: [CLASS], total: 2, limit: 1, page: 1, pages: 2 },
      as,
      after,
    },
  },
  setClassStaff: {
    description:
      'Instructors teach and grade; observers see the same, but change nothing. Somebody who is on the staff already gets the new role. A student of the class cannot be on its staff.',
    example: { request: { classId, handle: '@casey', role: 'instructor' }, answer: CASEY, as, after },
  },
  removeClassStaff: {
    description: 'The person no longer teaches or observes in this class. What they recorded and wrote stays.',
    example: { request: { classId, handle: '@casey' }, answer: DONE, as, after: 'setClassStaff' },
  },
}
