import type { Room } from '../../kernel/room.ts'
import { parentTie } from './import.ts'
import { exportFamily } from './parents.ts'
import { forgetParent } from './release.ts'
import { familyOperations } from './routes.ts'

export const families: Room = {
  name: 'families',
  areas: { Families: 'Parents and the accounts of their children under 13.' },
  operations: familyOperations,
  personalTables: { guardians: { inExport: '`family.json`', whenDeleted: 'gone' } },
  forget: forgetParent,
  importTies: { people: [parentTie] },
  exports: [{ file: 'family.json', about: 'Your children, and your parents', read: exportFamily }],
}
