import type { Room } from '../../kernel/room.ts'
import { exportEntries } from './requests.ts'
import { atoOperations } from './routes.ts'

export const ato: Room = {
  name: 'ato',
  areas: {
    ATO: 'Packages of apps with their distributions, and requests about them: started by those who work on the app, and served by the ATO plugin that they choose.',
  },
  operations: atoOperations,
  personalTables: {
    ato_requests: {
      inExport: '`ato.json`',
      whenDeleted: 'gone: who started it is forgotten, the request is of the app',
    },
    ato_entries: {
      inExport: '`ato.json`',
      whenDeleted: 'gone: who did it is forgotten, the entry is of the request',
    },
  },
  exports: [{ file: 'ato.json', about: 'What you did about ATO requests', read: exportEntries }],
}
