import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { dueJobs } from './due.ts'
import { exportLearning } from './export.ts'
import { gradingOperations } from './grading-routes.ts'
import { attemptTie } from './import.ts'
import { progressNotifier } from './notifying.ts'
import { progressOperations } from './routes.ts'
import { estimateAttempts } from './store.ts'

const LEARNING = { inExport: '`learning.json`', whenDeleted: 'gone' }

export const progress: Room = {
  name: 'progress',
  operations: [...progressOperations, ...gradingOperations],
  gauges: [
    {
      name: 'groundschool_attempts',
      help: 'Attempts at lessons; estimated',
      value: async ({ db }) => (await db.first(estimateAttempts, {}))?.rows ?? 0,
    },
  ],
  consumers: [progressNotifier],
  jobs: dueJobs,
  personalTables: {
    attempts: LEARNING,
    objective_scores: LEARNING,
    grade_changes: LEARNING,
  },
  importTies: { classes: [attemptTie as ImportTie] },
  exports: [{ file: 'learning.json', about: 'Your progress in the lessons of your classes', read: exportLearning }],
}
