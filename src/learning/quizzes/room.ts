import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { questionSection } from './bank-import.ts'
import { exportQuizzes } from './export.ts'
import { quizUpkeep } from './grading.ts'
import { quizTie } from './import.ts'
import { quizOperations } from './routes.ts'

export const quizzes: Room = {
  name: 'quizzes',
  operations: quizOperations,
  areas: { Quizzes: 'Question banks of organisations, the quizzes that students take, and their results.' },
  personalTables: {
    quiz_answers: {
      inExport: '`quizzes.json`',
      whenDeleted: 'gone; the reference to who graded an answer is deleted',
    },
  },
  exports: [{ file: 'quizzes.json', about: 'Your answers in quizzes', read: exportQuizzes }],
  upkeep: [quizUpkeep],
  importSections: [questionSection],
  importTies: { classes: [quizTie as ImportTie] },
}
