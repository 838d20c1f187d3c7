import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import * as store from './store.ts'

/**
 * Returns these keys of organisations; throws if the plugin has no access to one of them. Returns null if no keys are
 * given, which means all organisations that the plugin has access to.
 */
export async function readPluginOrganisations(
  db: Db,
  who: PluginCaller,
  keys: readonly string[] | undefined,
): Promise<string[] | null> {
  if (keys === undefined || keys.length === 0) return null
  const accessible = await db.all(store.listAccessible, { plugin: who.pluginId, keys: [...new Set(keys)] })
  const unknown = keys.find((key) => !accessible.some((one) => one.key === key))
  if (unknown !== undefined)
    throw fail('notFound', 'orgIds has an organisation that does not exist or that this plugin has no access to')
  return accessible.map(({ key }) => key)
}
