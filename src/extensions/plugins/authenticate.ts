import { authenticateClient, type ClientCredentials, type ClientPolicy } from '../../apps/apps/clients.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Permission, PluginKind } from './schema.ts'
import * as store from './store.ts'

/** A plugin that calls the API on its own behalf, not for a user. */
export interface PluginCaller extends Caller {
  readonly pluginId: number
  readonly appId: number
  readonly clientId: string
  readonly kind: PluginKind
  readonly permissions: readonly string[]
}

/** Authenticates a plugin by its client ID and secret. Also throws if the client is not a plugin, or is inactive. */
export async function authenticatePlugin(
  db: Db,
  who: Caller,
  credentials: ClientCredentials,
  how: ClientPolicy,
): Promise<PluginCaller> {
  const { id: appId, clientId } = await authenticateClient(db, who, credentials, how)
  const row = await db.first(store.findCaller, { app: appId })
  if (!row) throw fail('permissionMissing', 'This client ID belongs to an app; only plugins can call this')
  if (!row.is_active) throw fail('permissionMissing', 'This plugin is not active; its owner can activate it')
  const { id: pluginId, kind, permissions } = row
  return { ...who, pluginId, appId, clientId, kind: kind as PluginKind, permissions }
}

/** Throws if the plugin has not been granted this permission. */
export function checkGranted(who: PluginCaller, permission: Permission): void {
  if (!who.permissions.includes(permission))
    throw fail(
      'permissionMissing',
      `This plugin does not have the permission ${permission}; an administrator can grant it`,
    )
}
