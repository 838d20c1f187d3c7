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
      'AI engines that read records, assert badges and respond to the mission planner, and ATO helpers that handle requests. Organisations create them, and administrators grant their permissions.',
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
