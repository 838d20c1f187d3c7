import type { Db, Tx } from '../../../kernel/database/database.ts'
import { Gatherer } from '../../../kernel/database/gather.ts'
import { type Environment, service } from '../../../kernel/environment.ts'
import { fingerprint } from '../model/compare.ts'
import { refsOf } from '../model/refs.ts'
import { idsNeededBy, judgeRequest } from './decisions.ts'
import { type FindKnown, readKnownWith } from './references.ts'
import { prepareRequest, type StoreRequest, weigh } from './requests.ts'
import type { Judgement } from './rules.ts'
import type { NewStatement, Sender, StoredStatements } from './schema.ts'
import * as store from './store.ts'
import { appendRequests, storeRequests } from './writing.ts'

/** The maximum total weight of the statements that one transaction stores. */
const MOST_GATHERED = 500

const gatherer = service(
  ({ db, log }) =>
    new Gatherer<StoreRequest, StoredStatements>({
      most: MOST_GATHERED,
      weigh,
      write: async (requests) =>
        (await db.transaction((tx) => appendRequests(tx, requests))) ??
        (await db.transaction((tx) => storeRequests(tx, requests, log))),
    }),
)

/**
 * Stores statements, in one transaction together with those of other requests. Each request succeeds or fails as a
 * whole.
 */
export const storeStatements = (
  sender: Sender,
  statements: readonly NewStatement[],
  { get }: Pick<Environment, 'get'>,
): Promise<StoredStatements> => get(gatherer).add(prepareRequest(sender, statements))

/** Stores statements in a transaction of the caller. */
export async function storeInTransaction(
  tx: Tx,
  sender: Sender,
  statements: readonly NewStatement[],
): Promise<StoredStatements> {
  // A nested transaction, so that the insert does not commit the caller's.
  const [outcome] = await tx.transaction((inner) => storeRequests(inner, [prepareRequest(sender, statements)]))
  if (outcome instanceof Error) throw outcome
  return outcome!
}

/** Advances the store's clock without storing anything, so that `through` is current. */
export const moveClock = (at: Date, environment: Pick<Environment, 'get'>): Promise<StoredStatements> =>
  storeStatements({ at, senderKey: '' }, [], environment)

/** Lists stored statements for `predictOutcomes`; if there is a `sender`, only those that the sender has sent. */
export const listKnown = (
  db: Db,
  wanted: Parameters<FindKnown>[0] & { readonly sender: string | null },
): ReturnType<FindKnown> => db.all(store.listKnown, wanted)

/** Predicts the outcome of `storeStatements`, as far as it depends on stored statements that `find` returns. */
export async function predictOutcomes(
  statements: readonly NewStatement['statement'][],
  find: FindKnown,
): Promise<Judgement[]> {
  const judged = statements.map((statement) => ({
    statement,
    fingerprint: fingerprint(statement),
    refs: refsOf(statement),
  }))
  return judgeRequest(judged, await readKnownWith(find, idsNeededBy(statements)), new Map())
}
