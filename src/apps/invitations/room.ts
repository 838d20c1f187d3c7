import { upkeepAt } from '../../kernel/caller.ts'
import { forgetting } from '../../kernel/forget.ts'
import type { Room } from '../../kernel/room.ts'
import { sweepAbandoned } from './abandoned.ts'
import { exportInvitations, invitationRetention } from './invitations.ts'
import { invitationJobs } from './letters.ts'
import { invitationOperations } from './routes.ts'

export const invitations: Room = {
  name: 'invitations',
  operations: invitationOperations,
  personalTables: {
    invitations: {
      inExport:
        '`invitations.json`: those that the user received, also those that a block hides, and those that they sent',
      whenDeleted: 'deleted, for both sides',
    },
  },
  exports: [
    {
      file: 'invitations.json',
      about: 'Invitations to organisations and classes that you received and sent',
      read: exportInvitations,
    },
  ],
  retention: () => invitationRetention,
  jobs: invitationJobs,
  upkeep: [
    {
      name: 'abandoned accounts',
      run: ({ db, clock, stopping, get }) => sweepAbandoned(db, upkeepAt(clock()), get(forgetting), stopping),
    },
  ],
}
