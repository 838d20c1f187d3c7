import type { Db } from '../../kernel/database/database.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { readFilters } from '../statements/filters.ts'
import { sortByRarity, type Wanted } from '../statements/query.ts'
import { keyOfSender, SENDER, withCopied } from '../statements/storing.ts'
import type { CountStatements } from './schema.ts'

/** What the caller wants to see, and may. */
export interface Chosen {
  readonly wanted: readonly Wanted[]
  readonly after: number
  readonly upTo: number
}

/** By whom a caller must have been sent what they see: undefined where they see everything. */
export const senderSeenBy = (who: StoreCaller): string | undefined =>
  who.scopes.has('statements/read') ? undefined : keyOfSender(who.senderKey)

/** Moments may be said in the forms of either version. */
export function choose(who: StoreCaller, what: CountStatements): Chosen {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER } = readFilters('1.0.3', what)
  const sender = senderSeenBy(who)
  // Who sees their own alone is not told what those are found by that they refer to.
  const chosen = sender === undefined ? wanted.map(withCopied) : [...wanted, { key: sender, roles: [SENDER] }]
  return { wanted: chosen, after, upTo }
}

/** What is wanted as parameters, the rarest first; undefined where it is nothing in particular. */
export async function keysOf(db: Db, wanted: readonly Wanted[]) {
  if (wanted.length === 0) return undefined
  const [first, ...others] = await sortByRarity(db, wanted)
  const key = (n: number) => others[n]?.key ?? null
  const roles = (n: number) => [...(others[n]?.roles ?? [])]
  return {
    key1: first!.key,
    roles1: [...first!.roles],
    key2: key(0),
    roles2: roles(0),
    key3: key(1),
    roles3: roles(1),
    key4: key(2),
    roles4: roles(2),
    key5: key(3),
    roles5: roles(3),
  }
}
