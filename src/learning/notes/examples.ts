import { DONE, MOMENT, NOTE_ID, USER_IDS } from '../../kernel/samples.ts'

const NOTE = {
  noteId: NOTE_ID,
  text: 'Found the bent pitot cover without a hint.',
  lessonId: 'lesson-walkaround',
  userId: USER_IDS.avery,
  classId: 'class-alpha',
  studentId: 'student-avery',
  courseId: 'course-preflight',
  authorId: USER_IDS.avery,
  authorName: 'Avery Lindqvist',
  createdDate: MOMENT,
}
const NAMED = { text: NOTE.text, studentId: NOTE.studentId, lessonId: NOTE.lessonId }

/** What people read about these operations. */
export const examples = {
  listNotes: {
    description:
      'Newest first, in a plain array of at most 1000. Filters combine: a note must match all that are given. Callers see notes that they wrote, notes about them, and as instructors the notes of their classes.',
    example: { request: { studentId: NOTE.studentId }, answer: [NOTE], after: 'createNote' },
  },
  readNote: {
    description:
      'The author, the instructors of the class and the student it is about can read a note. Everybody else gets 404.',
    example: { request: { noteId: NOTE.noteId }, answer: NOTE },
  },
  createNote: {
    description:
      'Notes for the training dashboard have a student and a lesson. The platform adds what follows: the course of a lesson or class; the user, class and course of a student; ids that do not fit together are refused. Students write about themselves, instructors about their students; nobody writes in an ended class, nor does a suspended or dropped student.',
    example: { request: NAMED, answer: NOTE },
  },
  removeNote: {
    description: 'The author and the instructors of the class can remove a note. This cannot be undone.',
    example: { request: { noteId: NOTE.noteId }, answer: DONE },
  },
}
