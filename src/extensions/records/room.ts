import type { Room } from '../../kernel/room.ts'
import { exportInfo } from './records.ts'
import { recordOperations } from './routes.ts'

export const records: Room = {
  name: 'records',
  areas: {
    'AI plugins':
      'Learning records, skills and badges of the users in organisations that an AI plugin has access to. Plugins authenticate with Basic, and an administrator grants each permission.',
  },
  operations: recordOperations,
  personalTables: { additional_info: { inExport: '`additional-info.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'additional-info.json', about: 'Data that AI plugins have stored about you', read: exportInfo }],
}
