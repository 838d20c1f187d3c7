import type { ImportSection } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { credentialSection } from './import.ts'
import { credentialOperations } from './routes.ts'

export const credentials: Room = {
  name: 'credentials',
  areas: {
    'Record store': 'Keys of the record store, and operations on it beyond the xAPI specification.',
  },
  operations: credentialOperations,
  importSections: [credentialSection as unknown as ImportSection],
  personalTables: {
    credentials: { inExport: 'no: what an administrator did for all', whenDeleted: 'who made it is gone' },
  },
}
