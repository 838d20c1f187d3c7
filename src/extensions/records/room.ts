import type { Room } from '../../kernel/room.ts'
import { exportInfo } from './records.ts'
import { recordOperations } from './routes.ts'

export const records: Room = {
  name: 'records',
  areas: {
    'AI plugins':
      'What AI plugins read and write: learning records, skills and badges of the people in the organisations that they were given. They prove themselves with Basic, and an administrator grants each permission.',
  },
  operations: recordOperations,
  personalTables: { additional_info: { inExport: '`additional-info.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'additional-info.json', about: 'Data that AI plugins have stored about you', read: exportInfo }],
}
