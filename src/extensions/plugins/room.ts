import type { ImportTie } from '../../kernel/imports/section.ts'
import { byName, type Room } from '../../kernel/room.ts'
import { pluginTie } from './import.ts'
import { pluginOperations } from './routes.ts'
import { findByName } from './store.ts'
import { exportPluginUses } from './users.ts'

export const plugins: Room = {
  name: 'plugins',
  areas: {
    Plugins:
      'AI engines that read records, assert badges and answer the mission planner, and ATO helpers that are sent requests: registered by organisations, allowed by administrators.',
  },
  operations: pluginOperations,
  personalTables: {
    plugin_users: { inExport: '`plugins.json`', whenDeleted: 'gone' },
  },
  exports: [
    { file: 'plugins.json', about: 'Plugins that know you, with your user id in each', read: exportPluginUses },
  ],
  finders: [{ kind: 'plugin', find: byName(findByName) }],
  importTies: { apps: [pluginTie as ImportTie] },
}
