import type { Db } from '../database/database.ts'
import * as store from './store.ts'

/** Removes organisations to which nobody belongs but these people, who are about to go, no app and no course. Says which went and which are left. */
export async function removeOrganisations(
  db: Db,
  what: { keys: readonly string[]; without: readonly number[] },
): Promise<{ gone: string[]; left: string[] }> {
  const keys = [...what.keys]
  const gone = (await db.all(store.deleteOrganisations, { keys, people: [...what.without] })).map(({ key }) => key)
  return { gone: gone.sort(), left: (await db.all(store.findOrganisations, { keys })).map(({ key }) => key) }
}
