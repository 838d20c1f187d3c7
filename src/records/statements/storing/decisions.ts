import { fail, RECORDS_FULL } from '../../../kernel/errors.ts'
import { targetOf } from '../model/refs.ts'
import type { Fault } from '../model/statement.ts'
import { type Chains, type WantedStatements, withTargetRefs } from './references.ts'
import { type JudgedStatement, type PreparedStatement, refuseStatement, type StoreRequest } from './requests.ts'
import {
  findRefsFault,
  type Judgement,
  judge,
  type KnownStatement,
  MOST_REFS_TOGETHER,
  TOO_MANY_REFS_TOGETHER,
} from './rules.ts'
import type { NewStatement, Sender } from './schema.ts'
import { type Shares, takeRoom } from './shares.ts'

/** A statement that is going to be inserted. */
export interface NewRow extends PreparedStatement {
  /** The position among all statements of the transaction, from 1. The clock's number is added to get `seq`. */
  readonly position: number
  readonly sender: Sender
}

export interface Decision {
  /** For each request the ids of its statements, or the reason why it is refused. */
  readonly outcomes: readonly (string[] | Error)[]
  /** The new statements of all requests that were not refused. */
  readonly accepted: readonly NewRow[]
}

/** The stored data on which decisions depend. */
interface StoredContext {
  /** The stored statements that have one of the ids or are referred to, keyed by id. Accepted statements are added. */
  readonly known: Map<string, KnownStatement>
  /** See `Chains`. */
  readonly arriving: Chains['arriving']
  readonly shares: Shares
}

/** Returns the ids of the stored statements on which decisions depend: the statements' own ids and their targets. */
export function idsNeededBy(statements: readonly NewStatement['statement'][]): WantedStatements {
  const targets = statements.flatMap((statement) => targetOf(statement) ?? [])
  return { ids: [...statements.map(({ id }) => id), ...targets], targets }
}

/** Step 3: refuses a request, or accepts those of its statements that are not stored yet. */
export function decide(requests: readonly StoreRequest[], { known, arriving, shares }: StoredContext): Decision {
  const accepted: NewRow[] = []
  let first = 1
  const outcomes = requests.map(({ statements, sender }): string[] | Error => {
    const fresh: NewRow[] = []
    const start = first
    first += statements.length
    for (const [i, judgement] of judgeRequest(statements, known, arriving).entries()) {
      const one = statements[i]!
      if (judgement === 'new') fresh.push({ ...one, position: start + i, sender })
      else if (judgement !== 'same') return refuse(one, judgement)
    }
    if (!takeRoom(shares, fresh)) return fail('storageFull', RECORDS_FULL)
    for (const { statement, fingerprint } of fresh)
      known.set(statement.id, { statement, fingerprint, timestamp: statement.timestamp })
    accepted.push(...fresh)
    return statements.map(({ statement }) => statement.id)
  })
  return { outcomes, accepted }
}

const refuse = (one: NewStatement, problem: 'conflict' | Fault): Error =>
  problem === 'conflict'
    ? fail('conflict', `Another statement with the id ${one.statement.id} is already stored`)
    : refuseStatement(one, problem)

/**
 * Judges the statements of one request. If all of them could be stored alone, also checks how many keys the new ones
 * have together; the statement that exceeds the maximum has the fault.
 */
export function judgeRequest(
  statements: readonly JudgedStatement[],
  known: ReadonlyMap<string, KnownStatement>,
  arriving: Chains['arriving'],
): Judgement[] {
  const judgements = statements.map((one): Judgement => findRefsFault(one.refs.length) ?? judge(one, known))
  if (judgements.some((judgement) => judgement !== 'new' && judgement !== 'same')) return judgements
  const own = new Map(statements.map((one) => [one.statement.id, one]))
  const chains = { known: { get: (id: string) => known.get(id) ?? own.get(id) }, arriving }
  let count = 0
  const excess = judgements.findIndex((judgement, i) => {
    if (judgement === 'new') count += withTargetRefs(statements[i]!, chains).length
    return count > MOST_REFS_TOGETHER
  })
  return excess < 0 ? judgements : judgements.with(excess, TOO_MANY_REFS_TOGETHER)
}
