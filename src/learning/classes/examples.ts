import { PREFLIGHT } from '../courses/examples.ts'

/** What people read about these operations. */
export const examples = {
  listClasses: {
    description:
      'Classes that the caller takes or teaches, newest first. Progress is recorded under `studentId`; only instructors read `joinCode`. Ended classes are still listed, but nothing more is recorded in them.',
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
