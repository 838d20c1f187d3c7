import type { Room } from '../../kernel/room.ts'
import { exportAnnouncements } from './announcements.ts'
import { distributionJobs } from './distribution.ts'
import { announcementOperations } from './routes.ts'

export const announcements: Room = {
  name: 'announcements',
  operations: announcementOperations,
  areas: { Announcements: 'What instructors announce to their classes, and owners to their organisations.' },
  personalTables: {
    announcements: {
      inExport: '`announcements.json`, those by them',
      whenDeleted: 'stay, without their name',
    },
  },
  exports: [{ file: 'announcements.json', about: 'Announcements that you wrote', read: exportAnnouncements }],
  jobs: distributionJobs,
}
