import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { statementTie } from './capture/import.ts'
import { captureOperations } from './capture/routes.ts'
import { factsUpkeep } from './facts/facts.ts'
import { statementRecorder } from './recording/recording.ts'
import { retentionUpkeep } from './retention/retention.ts'
import { exportStatements, forgetStatements } from './statements.ts'
import { partitionUpkeep } from './storing/partitions.ts'
import { estimateStatements } from './storing/store.ts'
import { verbOperations } from './verbs/routes.ts'

export const statements: Room = {
  name: 'statements',
  operations: [...captureOperations, ...verbOperations],
  areas: { xAPI: 'Statements that apps send about what people do, and the verbs that they may have.' },
  gauges: [
    {
      name: 'groundschool_statements',
      help: 'xAPI statements that are kept; estimated',
      value: async ({ db }) => (await db.first(estimateStatements, {}))?.rows ?? 0,
    },
  ],
  personalTables: {
    statement_links: { inExport: '`statements.json`', whenDeleted: 'gone' },
    statements: {
      inExport: '`statements.json`',
      whenDeleted: 'gone, those in which they act and those that name them',
    },
    verbs: { inExport: 'no: what an administrator did for all', whenDeleted: 'who added it is gone' },
  },
  exports: [{ file: 'statements.json', about: 'xAPI statements in which you act', read: exportStatements }],
  forget: forgetStatements,
  importTies: { classes: [statementTie as ImportTie] },
  consumers: [statementRecorder],
  upkeep: [partitionUpkeep, factsUpkeep, retentionUpkeep],
}
