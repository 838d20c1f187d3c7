import type { Room } from '../room.ts'
import { browserRetention, exportBrowsers } from './browsers.ts'
import { browserUses } from './uses.ts'

export const browsers: Room = {
  name: 'browsers',
  personalTables: { browsers: { inExport: '`browsers.json`', whenDeleted: 'gone' } },
  exports: [
    {
      file: 'browsers.json',
      about: 'Browsers in which you are signed in, and where and when each was last used',
      read: exportBrowsers,
    },
  ],
  retention: () => browserRetention,
  upkeep: [{ name: 'writing which browsers are in use', everyMs: 5_000, run: ({ get }) => get(browserUses).write() }],
}
