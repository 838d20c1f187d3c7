import type { StoreCaller } from '../credentials/credentials.ts'
import { readFilters } from '../statements/filters.ts'
import type { Wanted } from '../statements/query.ts'
import { keyOfSender, SENDER } from '../statements/storing.ts'
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
  return { wanted: sender === undefined ? wanted : [...wanted, { key: sender, roles: [SENDER] }], after, upTo }
}
