import type { Room } from '../room.ts'
import { browserRetention, exportBrowsers } from './browsers.ts'

export const browsers: Room = {
  name: 'browsers',
  personalTables: { browsers: { inExport: '`browsers.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'browsers.json', about: 'Browsers in which you are signed in here', read: exportBrowsers }],
  retention: () => browserRetention,
}
