import type { Tx } from '../../../kernel/database/database.ts'
import { Gatherer } from '../../../kernel/database/gather.ts'
import { type Environment, service } from '../../../kernel/environment.ts'
import type { Upkeep } from '../../../kernel/room.ts'
import { keyOfActivity, keyOfAgent, keyOfVerb, targetOf } from '../model/refs.ts'
import { adlVerb, isActivity, type Statement, VOIDED } from '../model/statement.ts'
import { secondsOf } from '../model/times.ts'
import { holdFacts } from '../storing/removal.ts'
import * as store from './store.ts'

/** The properties of a statement that counts and aggregates use. */
export interface Fact {
  readonly seq: number
  readonly verb: string
  readonly activity: string | undefined
  readonly agent: string | undefined
  readonly scaled: number | undefined
  readonly seconds: number | undefined
  readonly success: boolean | undefined
}

const OUTCOMES: ReadonlyMap<string, boolean> = new Map([
  [adlVerb('passed'), true],
  [adlVerb('failed'), false],
])

export const factOf = (seq: number, { actor, verb, object, result }: Statement): Fact => ({
  seq,
  verb: keyOfVerb(verb.id),
  activity: isActivity(object) ? keyOfActivity(object.id) : undefined,
  agent: keyOfAgent(actor),
  scaled: result?.score?.scaled,
  seconds: result?.duration === undefined ? undefined : secondsOf(result.duration),
  success: result?.success ?? OUTCOMES.get(verb.id),
})

/** The maximum number of statements for which one transaction writes facts. */
const PART = 1000
/** The maximum total size of these statements. */
const PART_BYTES = 4 * 1024 * 1024

interface FactsProgress {
  /** Facts are written for all statements with a `seq` up to this value. */
  readonly fed: number
  readonly isAll: boolean
}

/**
 * Writes the facts of the next statements. Sequence numbers become visible in ascending order, so no statement is
 * skipped.
 */
async function feedPart(tx: Tx): Promise<FactsProgress> {
  const { last, fed } = await holdFacts(tx)
  const rows = await tx.all(store.listUnfed, { after: fed, limit: PART, most: PART_BYTES })
  const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
  const isAll = rows.length < PART && bytes < PART_BYTES
  const upTo = Math.max(rows.at(-1)?.seq ?? fed, isAll ? last : fed)
  if (upTo === fed) return { fed, isAll }
  const statements = rows.map(({ seq, payload }) => ({ seq, statement: JSON.parse(payload) as Statement }))
  await tx.first(store.insertFacts, {
    rows: JSON.stringify(statements.map(({ seq, statement }) => factOf(seq, statement))),
    // Delete the facts of the statements that these statements void. None is missed: a voided statement either got its
    // facts in an earlier part, or is already marked as voided and never gets any.
    voided: statements.flatMap(({ statement }) => (statement.verb.id === VOIDED ? (targetOf(statement) ?? []) : [])),
    fed: upTo,
  })
  return { fed: upTo, isAll }
}

/** Writes parts one after the other. Callers that arrive while one part is being written share the next part. */
const feeder = service(
  ({ db }) =>
    new Gatherer<undefined, FactsProgress>({
      most: 1000,
      weigh: () => 1,
      write: async (items) => {
        const outcome = await db.transaction(feedPart)
        return items.map(() => outcome)
      },
    }),
)

/**
 * Writes missing facts, in at most `parts` transactions. Returns the `seq` up to which facts are written, which
 * normally covers everything that was stored before the call.
 */
export async function feedFacts({ db, get }: Pick<Environment, 'db' | 'get'>, parts = 10): Promise<number> {
  const { fed, last } = (await db.first(store.readProgress, {}))!
  let progress: FactsProgress = { fed, isAll: fed >= last }
  for (let part = 0; part < parts && !progress.isAll; part++) progress = await get(feeder).add(undefined)
  return progress.fed
}

/**
 * Keeps the facts current, so that a count has few facts left to write. After an upgrade it writes the facts of all
 * statements.
 */
export const factsUpkeep: Upkeep = {
  name: 'figures of statements',
  everyMs: 10_000,
  isFirstAtOnce: true,
  run: (environment) => feedFacts(environment, 100),
}
