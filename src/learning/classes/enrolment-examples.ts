import { DONE, MOMENT, USER_IDS } from '../../kernel/samples.ts'

const STUDENT_ID = 'wQ8rT2yU6iO0pA4sD7fG1h'

const avery = {
  studentId: 'student-avery',
  classId: 'class-alpha',
  handle: '@avery',
  name: 'Avery Lindqvist',
  status: 'active',
  enrolledDate: MOMENT,
  userId: null,
}
const blake = { ...avery, studentId: 'student-blake', handle: '@blake', name: 'Blake Moreau' }
const byInstructor = { as: 'casey', request: { studentId: 'student-blake' } } as const

/** What people read about these operations. */
export const examples = {
  listStudents: {
    description:
      'A page of the students of a class, in the order in which they enrolled. Staff of the class, owners of the organisation and administrators can see it. `userId` is set if the student uses the calling app.',
    example: {
      as: 'casey',
      request: { classId: 'class-alpha', limit: 1 },
      answer: { docs: [{ ...avery, userId: USER_IDS.avery }], total: 2, limit: 1, page: 1, pages: 2 },
    },
  },
  enrolStudent: {
    description:
      'Makes somebody a student of a class. A former student returns with everything that was recorded. A suspended student has to be reinstated instead.',
    example: {
      as: 'casey',
      request: { classId: 'class-alpha', handle: '@drew' },
      answer: { ...avery, studentId: STUDENT_ID, handle: '@drew', name: 'Drew Castellanos' },
    },
  },
  dropStudent: {
    description:
      'Ends a student’s place in a class. What was recorded stays and can be read, but nothing more is recorded. The student cannot rejoin with the code; an instructor can enrol or reinstate them.',
    example: { ...byInstructor, answer: { ...blake, status: 'dropped' } },
  },
  suspendStudent: {
    description:
      'Keeps a student from recording anything until they are reinstated. They still see the class, and joining it again changes nothing.',
    example: { ...byInstructor, answer: { ...blake, status: 'suspended' } },
  },
  reinstateStudent: {
    description: 'Brings back a student who was suspended or dropped. Everything that was recorded is still there.',
    example: { ...byInstructor, after: 'suspendStudent', answer: blake },
  },
  listTransferTargets: {
    description:
      'Lists the open classes of the same course whose roster the caller may change, by name. The class itself is not among them.',
    example: {
      as: 'ellis',
      request: { classId: 'class-alpha' },
      answer: [{ classId: 'class-bravo', name: 'Preflight Bravo' }],
    },
  },
  transferStudent: {
    description:
      'Moves a student to another class of the same course. The studentId and everything that was recorded stay the same. The caller must be an instructor of both classes, an owner or an administrator.',
    example: {
      as: 'ellis',
      request: { studentId: 'student-avery', classId: 'class-bravo' },
      answer: { ...avery, classId: 'class-bravo' },
    },
  },
  joinClass: {
    description:
      'Makes the caller a student of the class that has this code. Joining again is fine, and somebody who has left comes back as the same student. A wrong code gets the same answer as the code of an ended class, and wrong tries are limited.',
    example: {
      as: 'ellis',
      request: { joinCode: 'ALPHA-2026' },
      answer: { classId: 'class-alpha', name: 'Preflight Alpha', studentId: STUDENT_ID, status: 'active' },
    },
  },
  leaveClass: {
    description:
      'The caller is no longer a student of this class. What was recorded stays, and they can rejoin with the code unless they were suspended.',
    example: { request: { classId: 'class-alpha' }, answer: DONE, as: 'ellis', after: 'joinClass' },
  },
  listLocks: {
    description:
      'Lessons that an instructor has locked or unlocked: for the whole class if `studentId` is null, otherwise for that student. Locks that follow from the course are not included.',
    example: {
      as: 'casey',
      after: 'setLock',
      request: { classId: 'class-alpha' },
      answer: [{ classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery', locked: false }],
    },
  },
  setLock: {
    description:
      'Locks or unlocks a lesson by hand, for a class or for one student. A lock for a student wins over one for the class, and both win over the order and the prerequisites of the course.',
    example: {
      as: 'casey',
      request: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery', locked: false },
      answer: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery', locked: false },
    },
  },
  clearLock: {
    description:
      'Works for the class or for one student. From then on the course decides again; if nothing was set, nothing changes.',
    example: {
      as: 'casey',
      after: 'setLock',
      request: { classId: 'class-alpha', lessonId: 'lesson-walkaround', studentId: 'student-avery' },
      answer: DONE,
    },
  },
  importRoster: {
    description:
      'Adds, drops, suspends and reinstates students with a CSV file of up to 2 MiB and 20,000 rows. Each row gets its own result; with `allOrNothing` nothing is written if a row is refused, with `dryRun` nothing at all. Sending the same file again changes nothing.',
    example: {
      as: 'casey',
      request: {
        classId: 'class-alpha',
        dryRun: true,
        roster: 'handle,action,studentId\r\n@drew,add,student-drew\r\n@blake,suspend,\r\n@nobody,,\r\n',
      },
      answer: {
        written: false,
        counts: { added: 1, dropped: 0, suspended: 1, reinstated: 0, unchanged: 0, refused: 1 },
        rows: [
          { row: 2, handle: '@drew', action: 'add', studentId: 'student-drew', result: 'added', reason: null },
          {
            row: 3,
            handle: '@blake',
            action: 'suspend',
            studentId: 'student-blake',
            result: 'suspended',
            reason: null,
          },
          {
            row: 4,
            handle: '@nobody',
            action: 'add',
            studentId: null,
            result: 'refused',
            reason: 'there is no account with this handle',
          },
        ],
      },
    },
  },
} as const
