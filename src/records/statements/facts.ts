import type { Db } from '../../kernel/database/database.ts'
import { Gatherer } from '../../kernel/database/gather.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import type { Upkeep } from '../../kernel/room.ts'
import * as store from './facts-store.ts'
import { keyOfActivity, keyOfAgent, keyOfVerb, targetOf } from './refs.ts'
import { isActivity, type Statement, VOIDED } from './statement.ts'
import { secondsOf } from './times.ts'
import { verb } from './vocabulary.ts'

/** What can be counted of a statement. */
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
  [verb('passed'), true],
  [verb('failed'), false],
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

/** So many statements are fed by one transaction, and so much of them is in memory. */
const PART = 1000
const PART_BYTES = 4 * 1024 * 1024

interface Fed {
  /** There are facts of everything up to this number. */
  readonly fed: number
  readonly isAll: boolean
}

/** Feeds the next part, in the order of the numbers. As they become visible in that order, nothing comes later below the last. */
async function feedPart(tx: Db): Promise<Fed> {
  const { last, fed } = (await tx.first(store.holdFacts, {}))!
  const rows = await tx.all(store.listUnfed, { after: fed, limit: PART, most: PART_BYTES })
  const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
  const isAll = rows.length < PART && bytes < PART_BYTES
  const upTo = Math.max(rows.at(-1)?.seq ?? fed, isAll ? last : fed)
  if (upTo === fed) return { fed, isAll }
  const statements = rows.map(({ seq, payload }) => ({ seq, statement: JSON.parse(payload) as Statement }))
  await tx.first(store.insertFacts, {
    rows: JSON.stringify(statements.map(({ seq, statement }) => factOf(seq, statement))),
    // One that was voided before it was fed has no facts; any other is voided by a statement that comes after it.
    voided: statements.flatMap(({ statement }) => (statement.verb.id === VOIDED ? (targetOf(statement) ?? []) : [])),
    fed: upTo,
  })
  return { fed: upTo, isAll }
}

/** Those who ask while a part is fed share the next one. */
const feeder = service(
  ({ db }) =>
    new Gatherer<undefined, Fed>(db, {
      most: 1000,
      weigh: () => 1,
      write: async (tx, items) => {
        const outcome = await feedPart(tx)
        return items.map(() => outcome)
      },
    }),
)

/** Feeds what is missing, up to so many parts. Gives the number up to which there are facts: what was stored before the call, unless there was more than that. */
export async function feedFacts({ db, get }: Pick<Environment, 'db' | 'get'>, parts = 10): Promise<number> {
  const progress = (await db.first(store.readProgress, {}))!
  let state: Fed = { fed: progress.fed, isAll: progress.fed >= progress.last }
  for (let part = 0; part < parts && !state.isAll; part++) state = await get(feeder).add(undefined)
  return state.fed
}

/** So that whoever asks finds little left to do; and after an upgrade, all of it. */
export const factsUpkeep: Upkeep = {
  name: 'figures of statements',
  everyMs: 10_000,
  isFirstAtOnce: true,
  run: (environment) => feedFacts(environment, 100),
}
