import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import * as store from './store.ts'

/** Keys of organisations that a plugin asks about, each of which it was given; null for all of them. */
export async function readPluginOrganisations(
  db: Db,
  who: PluginCaller,
  keys: readonly string[] | undefined,
): Promise<string[] | null> {
  if (keys === undefined || keys.length === 0) return null
  const given = await db.all(store.listGiven, { plugin: who.pluginId, keys: [...new Set(keys)] })
  const strange = keys.find((key) => !given.some((one) => one.key === key))
  if (strange !== undefined)
    throw fail('notFound', 'orgIds names an organisation that does not exist or that this plugin was not given')
  return given.map(({ key }) => key)
}
