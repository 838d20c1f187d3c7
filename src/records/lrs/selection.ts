import type { Db } from '../../kernel/database/database.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { keyOfSender, SENDER, withCopied } from '../statements/model/refs.ts'
import { readFilters, sortByRarity, type WantedKey } from '../statements/query/query.ts'
import type { CountStatements } from './schema.ts'

/** Statements that match filters and that the caller may read, as keys and a range of numbers. */
export interface StatementSelection {
  readonly wanted: readonly WantedKey[]
  readonly after: number
  readonly upTo: number
}

/** The key of the sender whose statements the caller may read; undefined if they may read all. */
export const senderSeenBy = (who: StoreCaller): string | undefined =>
  who.scopes.has('statements/read') ? undefined : keyOfSender(who.senderKey)

/** Reads filters. Timestamps may have the form of either version. */
export function selectStatements(who: StoreCaller, what: CountStatements): StatementSelection {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER } = readFilters('1.0.3', what)
  const sender = senderSeenBy(who)
  // Callers who read only their own statements must not learn keys of the statements that these refer to.
  const keys = sender === undefined ? wanted.map(withCopied) : [...wanted, { key: sender, roles: [SENDER] }]
  return { wanted: keys, after, upTo }
}

/** The wanted keys as parameters of SQL, rarest first; undefined without filters. */
export async function keyParameters(db: Db, wanted: readonly WantedKey[]) {
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
