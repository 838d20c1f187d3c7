import { PREFLIGHT } from '../courses/examples.ts'

/** What people read about these operations. */
export const examples = {
  listClasses: {
    description:
      'Where the caller learns or teaches, newest first. `studentId` is the caller in that class: progress is recorded for it. A class that has ended is still listed, and nothing is recorded in it any more.',
    example: {
      answer: [
        {
          classId: 'class-alpha',
          groupId: 'class-alpha',
          name: 'Preflight Alpha',
          joinCode: null,
          studentId: 'student-avery',
          role: 'student',
          sequential: true,
          ended: false,
          course: PREFLIGHT,
        },
      ],
    },
  },
}
