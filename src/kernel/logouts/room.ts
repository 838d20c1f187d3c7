import type { Room } from '../room.ts'
import { countWaitingLogouts, logoutRetention } from './logouts.ts'

export const logouts: Room = {
  name: 'logouts',
  personalTables: {
    logout_messages: {
      inExport: 'no: they tell apps that you were signed out',
      whenDeleted: 'stays until the app was told, 14 days at most: the user id in that app',
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
