import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import * as store from './store.ts'

/**
 * Returns the plugin's userIds of these people, and creates missing ones. The caller must have checked that the plugin
 * may see these people.
 */
export async function nameForPlugin(
  db: Db,
  { pluginId, people }: { pluginId: number; people: readonly number[] },
): Promise<Map<number, string>> {
  const query = { plugin: pluginId, people: [...new Set(people)] }
  const rows = await db.all(store.findUsers, query)
  const names = new Map(rows.map(({ person_id, user_id }) => [person_id, user_id]))
  const missing = query.people.filter((person) => !names.has(person))
  if (missing.length === 0) return names
  const made = await db.all(store.ensureUsers, {
    plugin: pluginId,
    people: missing,
    users: missing.map(() => makeId()),
  })
  for (const { person_id, user_id } of made) names.set(person_id, user_id)
  return names
}

/**
 * Finds the person with this userId of the plugin. Throws 404 if the userId is unknown or the plugin may no longer see
 * the person.
 */
export async function readPluginPerson(db: Db, { pluginId }: { pluginId: number }, userId: string): Promise<number> {
  const row = await db.first(store.findPersonOfUser, { plugin: pluginId, user: userId })
  if (!row) throw fail('notFound', 'There is no user with this userId in the organisations of this plugin')
  return row.person_id
}

/** Lists the plugins that know the person, each with the userId that it uses, for the data export. */
export async function exportPluginUses(db: Db, personId: number) {
  const rows = await db.all(store.listUses, { person: personId })
  return rows.map(({ client_id: clientId, name, user_id: userId }) => ({ clientId, name, userId }))
}
