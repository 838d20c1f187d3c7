import type { Room } from '../room.ts'
import { countWaitingLogouts, logoutRetention } from './logouts.ts'

export const logouts: Room = {
  name: 'logouts',
  personalTables: {
    logout_messages: {
      inExport: 'no: they tell apps that you were signed out',
      whenDeleted: 'gone after 14 days at the latest',
    },
  },
  retention: () => logoutRetention,
  gauges: [
    {
      name: 'groundschool_logouts_waiting',
      help: 'Pending messages to apps that a user was signed out',
      value: ({ db }) => countWaitingLogouts(db),
    },
  ],
}
