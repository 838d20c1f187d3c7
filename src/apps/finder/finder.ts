import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import type { Environment } from '../../kernel/environment.ts'
import { allRooms } from '../../kernel/room.ts'
import { type FindAnything, type Findings, KINDS } from './schema.ts'

const MOST = 8

/**
 * Finds everything the caller may see that has a matching name, up to MOST results of each kind. Modules are searched
 * one after the other, so that a search uses only one connection at a time.
 */
export async function findAnything(
  db: Db,
  { personId: person }: PersonCaller,
  { text }: FindAnything,
  { get }: Pick<Environment, 'get'>,
): Promise<Findings> {
  const words = wordsIn(text)
  if (words.length === 0) return []
  const found: Findings = []
  const finders = get(allRooms).flatMap((room) => room.finders ?? [])
  for (const kind of KINDS)
    for (const finder of finders.filter((one) => one.kind === kind)) {
      const rows = await finder.find(db, { person, words, typed: text, limit: MOST })
      found.push(...rows.map(({ id, within = null, name, about }) => ({ kind, id, within, name: name || id, about })))
    }
  return found
}
