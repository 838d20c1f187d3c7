import type { Room } from '../room.ts'
import { exportLearning } from './export.ts'
import { progressOperations } from './routes.ts'

const LEARNING = { inExport: '`learning.json`', whenDeleted: 'gone' }

export const progress: Room = {
  name: 'progress',
  operations: progressOperations,
  personalTables: {
    attempts: LEARNING,
    objective_scores: LEARNING,
    grade_changes: LEARNING,
  },
  exports: [
    { file: 'learning.json', about: 'Your classes, and what you did with their lessons', read: exportLearning },
  ],
}
