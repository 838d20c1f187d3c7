import type { Db } from '../../kernel/database/database.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { countOlder, removeOlder } from '../statements/retention/retention.ts'
import type { RemovedStatements, RemoveStatements } from './schema.ts'

/** The maximum duration of one request. It is well below the minute after which proxies give up on a response. */
const LONGEST_MS = 20_000

/** Removes old statements for at most 20 seconds, or only counts them in a dry run. */
export async function removeOldStatements(
  db: Db,
  who: StoreCaller,
  { before: text, dryRun = false }: RemoveStatements,
): Promise<RemovedStatements> {
  const before = new Date(text)
  if (dryRun) return { ...(await countOlder(db, who, { before })), done: false }
  const until = performance.now() + LONGEST_MS
  const { isDone: done, ...gone } = await removeOlder(db, who, { before, isTimeUp: () => performance.now() > until })
  return { ...gone, done }
}
