import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { badgeAwarder, badgeJobs } from './awarding.ts'
import { exportBadges } from './badges.ts'
import { badgeSection, holderTie } from './import.ts'
import { badgeOperations } from './routes.ts'

export const badges: Room = {
  name: 'badges',
  areas: {
    Badges: 'Badges of courses and objectives, which the platform awards to users who earn them.',
  },
  operations: badgeOperations,
  personalTables: { badge_assertions: { inExport: '`badges.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'badges.json', about: 'Badges that you hold', read: exportBadges }],
  consumers: [badgeAwarder],
  jobs: badgeJobs,
  importSections: [badgeSection],
  importTies: { badges: [holderTie as ImportTie] },
}
