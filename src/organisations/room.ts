import type { Room } from '../room.ts'
import { memberTie, organisationSection } from './import.ts'
import { organisationOperations } from './routes.ts'

export const organisations: Room = {
  name: 'organisations',
  operations: organisationOperations,
  personalTables: { organisation_members: { inExport: '`profile.json`', whenDeleted: 'gone' } },
  importSections: [organisationSection],
  importTies: { people: [memberTie] },
}
