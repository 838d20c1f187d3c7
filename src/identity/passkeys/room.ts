import type { Room } from '../../kernel/room.ts'
import { passkeyRetention } from './challenges.ts'
import { exportPasskeys } from './passkeys.ts'
import { passkeyOperations } from './routes.ts'

export const passkeys: Room = {
  name: 'passkeys',
  operations: passkeyOperations,
  personalTables: { passkeys: { inExport: '`passkeys.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'passkeys.json', about: 'Your passkeys', read: exportPasskeys }],
  retention: () => passkeyRetention,
}
