import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { exportEvaluations } from './evaluations.ts'
import { evaluationTie } from './import.ts'
import { evaluationOperations } from './routes.ts'

export const evaluations: Room = {
  name: 'evaluations',
  operations: evaluationOperations,
  areas: { Evaluations: 'What instructors record about check rides, oral exams and simulator sessions.' },
  personalTables: {
    evaluations: {
      inExport: '`evaluations.json`',
      whenDeleted: 'those about them gone; those that they recorded stay, without their name',
    },
  },
  importTies: { classes: [evaluationTie as ImportTie] },
  exports: [
    { file: 'evaluations.json', about: 'Evaluations about you, and those that you recorded', read: exportEvaluations },
  ],
}
