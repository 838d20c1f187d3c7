import type { Room } from '../room.ts'
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
      whenDeleted:
        'stays with the app, without them. What the plugin was sent when they started it (name, e-mail address) is in the log of events and in that of deliveries for 30 days',
    },
    ato_entries: { inExport: '`ato.json`', whenDeleted: 'stays with the request, without them' },
  },
  exports: [{ file: 'ato.json', about: 'What you did about ATO requests', read: exportEntries }],
}
