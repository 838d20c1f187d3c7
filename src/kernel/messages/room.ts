import type { Room } from '../room.ts'
import { forgetFiles } from './files.ts'
import { exportMessages, messageRetention } from './messages.ts'
import { messageJobs } from './outbox.ts'

export const messages: Room = {
  name: 'messages',
  personalTables: { messages: { inExport: '`messages.json`', whenDeleted: 'deleted, files too' } },
  exports: [{ file: 'messages.json', about: 'Messages that were sent to you, kept for 30 days', read: exportMessages }],
  retention: () => messageRetention,
  jobs: messageJobs,
  upkeep: [{ name: 'files of messages that are gone', isAfterRetention: true, run: forgetFiles }],
}
