import type { Room } from '../../kernel/room.ts'
import { fileSection } from './import.ts'
import { fileOperations } from './routes.ts'
import { fileRoute } from './serving-routes.ts'
import { removeAbandoned } from './temporary.ts'
import { removeUnused } from './upload.ts'

export const content: Room = {
  name: 'content',
  areas: { Files: 'Uploaded files of organisations, for lessons.' },
  operations: fileOperations,
  contentRoutes: [fileRoute],
  importSections: [fileSection],
  personalTables: {
    files: {
      inExport: 'no: files belong to the organisation',
      whenDeleted: 'the file stays, without its author',
    },
  },
  upkeep: [
    { name: 'abandoned uploads', run: removeAbandoned },
    { name: 'unused contents of files', run: removeUnused },
  ],
}
