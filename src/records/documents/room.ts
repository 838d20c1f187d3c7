import type { Room } from '../../kernel/room.ts'
import { exportDocuments, forgetDocuments } from './documents.ts'
import { documentOperations } from './routes.ts'

export const documents: Room = {
  name: 'documents',
  operations: documentOperations,
  personalTables: { documents: { inExport: '`documents.json`', whenDeleted: 'deleted, those of their account' } },
  exports: [
    {
      file: 'documents.json',
      about: 'State and profile documents that activities store about you',
      read: exportDocuments,
    },
  ],
  forget: forgetDocuments,
}
