import type { Room } from '../room.ts'
import { memberTie, organisationSection } from './import.ts'

export const organisations: Room = {
  name: 'organisations',
  personalTables: { organisation_members: { inExport: '`profile.json`', whenDeleted: 'gone' } },
  importSections: [organisationSection],
  importTies: { people: [memberTie] },
}
