import type { Room } from '../../kernel/room.ts'
import { requestNotifier } from './notifying.ts'
import { exportEntries } from './requests.ts'
import { atoOperations } from './routes.ts'

export const ato: Room = {
  name: 'ato',
  areas: {
    ATO: 'Packages of apps with their distributions, and requests about them to an ATO plugin.',
  },
  operations: atoOperations,
  consumers: [requestNotifier],
  personalTables: {
    ato_requests: {
      inExport: '`ato.json`',
      whenDeleted: 'the reference to who started it is deleted; the request belongs to the app',
    },
    ato_entries: {
      inExport: '`ato.json`',
      whenDeleted: 'the reference to who did it is deleted; the entry belongs to the request',
    },
  },
  exports: [{ file: 'ato.json', about: 'Your actions on ATO requests', read: exportEntries }],
}
