import { byName, type Room } from '../../kernel/room.ts'
import { memberTie, organisationSection } from './import.ts'
import { organisationOperations } from './routes.ts'
import { findByName } from './store.ts'

export const organisations: Room = {
  name: 'organisations',
  operations: organisationOperations,
  personalTables: { organisation_members: { inExport: '`profile.json`', whenDeleted: 'gone' } },
  finders: [{ kind: 'organisation', find: byName(findByName) }],
  importSections: [organisationSection],
  importTies: { people: [memberTie] },
}
