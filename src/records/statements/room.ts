import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { attachmentJobs, countWaiting, unusedObjectsUpkeep } from './attachments/moving.ts'
import { blocksUpkeep } from './blocks/blocks.ts'
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
  areas: { xAPI: 'Send xAPI statements about what users do, and manage the verbs that they can use.' },
  gauges: [
    {
      name: 'groundschool_statements',
      help: 'Stored xAPI statements; estimated',
      value: async ({ db }) => (await db.first(estimateStatements, {}))?.rows ?? 0,
    },
    {
      name: 'groundschool_attachments_waiting',
      help: 'Attachments that wait to be moved to the S3-compatible store; at most 10,000 are counted',
      value: countWaiting,
    },
  ],
  personalTables: {
    statement_links: { inExport: '`statements.json`', whenDeleted: 'gone' },
    statements: {
      inExport: '`statements.json`',
      whenDeleted: 'deleted, those in which they act and those that refer to them',
    },
    verbs: {
      inExport: 'no: administrators add verbs for the whole installation',
      whenDeleted: 'the reference to who added it is deleted',
    },
  },
  exports: [{ file: 'statements.json', about: 'xAPI statements in which you act', read: exportStatements }],
  forget: forgetStatements,
  importTies: { classes: [statementTie as ImportTie] },
  consumers: [statementRecorder],
  jobs: attachmentJobs,
  upkeep: [partitionUpkeep, factsUpkeep, blocksUpkeep, retentionUpkeep, unusedObjectsUpkeep],
}
