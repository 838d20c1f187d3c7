import type { Db } from '../../kernel/database/database.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { keyOfSender, SENDER, withCopied } from '../statements/model/refs.ts'
import { readFilters, sortByRarity, type WantedKey } from '../statements/query/query.ts'
import type { CountStatements } from './schema.ts'

/**
 * Selects the statements that match the filters and that the caller may read, by keys and by a range of sequence
 * numbers.
 */
export interface StatementSelection {
  readonly wanted: readonly WantedKey[]
  readonly after: number
  readonly upTo: number
}

/** Returns the key of the only sender whose statements the caller may read, or undefined if the caller may read all. */
export const senderSeenBy = (who: StoreCaller): string | undefined =>
  who.scopes.has('statements/read') ? undefined : keyOfSender(who.senderKey)

/** Converts filters to a selection. Timestamps may have the form of either xAPI version. */
export function selectStatements(who: StoreCaller, what: CountStatements): StatementSelection {
  const { wanted, after = 0, upTo = Number.MAX_SAFE_INTEGER } = readFilters('1.0.3', what)
  const sender = senderSeenBy(who)
  // A statement also has copies of the keys of the statements that it refers to. A caller limited to their own
  // statements must not match by these copies: that would reveal what other senders' statements contain.
  const keys = sender === undefined ? wanted.map(withCopied) : [...wanted, { key: sender, roles: [SENDER] }]
  return { wanted: keys, after, upTo }
}

/** Converts the wanted keys to SQL parameters, rarest key first. Returns undefined if there are no filters. */
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
