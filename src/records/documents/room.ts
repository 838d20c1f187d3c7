import type { Room } from '../../kernel/room.ts'
import { exportDocuments, forgetDocuments } from './documents.ts'
import { documentOperations } from './routes.ts'

export const documents: Room = {
  name: 'documents',
  operations: documentOperations,
  personalTables: { documents: { inExport: '`documents.json`', whenDeleted: 'gone, those of their account' } },
  exports: [
    { file: 'documents.json', about: 'What activities keep of you: state and profiles', read: exportDocuments },
  ],
  forget: forgetDocuments,
}
