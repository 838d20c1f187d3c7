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
    standings: { inExport: 'no: made from the attempts', whenDeleted: 'gone' },
    objective_scores: LEARNING,
    grade_changes: LEARNING,
  },
  exports: [
    { file: 'learning.json', about: 'Your classes, and what you did with their lessons', read: exportLearning },
  ],
}
