import type { Room } from '../../kernel/room.ts'
import { playerAssetRoute, playerRoute } from './player-routes.ts'
import { abandonSilent, exportLaunches } from './reporting.ts'
import { returnRoute } from './return-routes.ts'
import { launchOperations } from './routes.ts'

export const launches: Room = {
  name: 'launches',
  operations: launchOperations,
  contentRoutes: [returnRoute, playerRoute, playerAssetRoute],
  exports: [{ file: 'content-sessions.json', about: 'Your sessions with content packages', read: exportLaunches }],
  upkeep: [{ name: 'silent sessions of content', run: abandonSilent }],
}
