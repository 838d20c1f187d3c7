import type { Room } from '../room.ts'
import { exportLearning } from './export.ts'
import { gradingOperations } from './grading-routes.ts'
import { resultOperations } from './results-routes.ts'
import { progressOperations } from './routes.ts'

const LEARNING = { inExport: '`learning.json`', whenDeleted: 'gone' }

export const progress: Room = {
  name: 'progress',
  operations: [...progressOperations, ...gradingOperations, ...resultOperations],
  personalTables: {
    attempts: LEARNING,
    objective_scores: LEARNING,
    grade_changes: LEARNING,
  },
  exports: [{ file: 'learning.json', about: 'What you did with the lessons of your classes', read: exportLearning }],
}
