import type { Room } from '../../kernel/room.ts'
import { exportCalendarFeed } from './feed.ts'
import { calendarOperations } from './routes.ts'

export const calendar: Room = {
  name: 'calendar',
  operations: calendarOperations,
  areas: { Calendar: 'What to do next, the dates of lessons and classes, and an address for calendar programs.' },
  personalTables: {
    calendar_feeds: {
      inExport: '`calendar.json`: when the address was created and last read. The address itself is not stored',
      whenDeleted: 'deleted',
    },
  },
  exports: [
    { file: 'calendar.json', about: 'When your calendar address was created and last read', read: exportCalendarFeed },
  ],
}
