import type { Environment } from '../../kernel/environment.ts'
import { origins } from '../../kernel/http/output/cors.ts'
import { byName, type Room } from '../../kernel/room.ts'
import { APPS_CHANGED, exportApps, listOrigins } from './apps.ts'
import { assertionRetention } from './assertions.ts'
import { appSection, userTie } from './import.ts'
import { findByName } from './management-store.ts'
import { appNotifier } from './notifying.ts'
import { appOperations } from './routes.ts'

export const apps: Room = {
  name: 'apps',
  areas: {
    Apps: 'Create apps, manage their client secrets and see how they are used; approve, suspend and review apps as an administrator.',
  },
  operations: appOperations,
  personalTables: {
    apps: { inExport: '`apps.json`', whenDeleted: 'the app stays, without an owner' },
    app_users: {
      inExport:
        '`apps.json`: since when (`sinceDate`), when they allowed the app themselves (`allowedDate`; none if they were enrolled and not asked yet), when they withdrew',
      whenDeleted: 'gone',
    },
  },
  exports: [
    {
      file: 'apps.json',
      about: 'Apps that you use, with your user id in each, and apps that you own',
      read: exportApps,
    },
  ],
  finders: [{ kind: 'app', find: byName(findByName) }],
  consumers: [appNotifier],
  importSections: [appSection],
  importTies: { people: [userTie] },
  retention: () => assertionRetention,
  start: followOrigins,
}

/** Loads the registered origins, and reloads them whenever apps have changed. */
async function followOrigins({ db, log, get }: Environment): Promise<void> {
  const load = async () => get(origins).replace(await listOrigins(db))
  const refresh = () =>
    load().catch((error: Error) => log.warn({ problem: error.message }, 'reading the registered origins failed'))
  await load()
  db.onMessage(APPS_CHANGED, refresh)
  db.onListening((isListening) => isListening && refresh())
}
