import type { ImportSection } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { credentialSection } from './import.ts'
import { credentialOperations } from './routes.ts'

export const credentials: Room = {
  name: 'credentials',
  areas: {
    'Record store': 'Store and read xAPI statements and documents, and manage the keys of tools.',
  },
  operations: credentialOperations,
  importSections: [credentialSection as unknown as ImportSection],
  personalTables: {
    credentials: {
      inExport: 'no: administrators create keys for the whole installation',
      whenDeleted: 'the reference to the administrator who created it is deleted',
    },
  },
}
