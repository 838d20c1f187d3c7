import { isSameTime } from '../model/compare.ts'
import { targetOf } from '../model/refs.ts'
import { type Fault, type Statement, VOIDED } from '../model/statement.ts'

/** The agents, activities and verbs that one statement may be found by, and that it may take over from its targets. */
const MOST_REFS = 500
export const MOST_COPIED_REFS = 1000
/** The limit for all statements of a request, for one removal, and for the keys that late targets add. */
export const MOST_REFS_TOGETHER = 20_000

/** A statement that is stored, or that the transaction stores. */
export interface KnownStatement {
  readonly fingerprint: string
  readonly statement: Statement
}

/** The outcome for a statement. `same`: it is stored already. `conflict`: another one with its id is. */
export type Judgement = 'new' | 'same' | 'conflict' | Fault

/** Judges a statement by the stored ones: those with its id, and its target. */
export function judge(
  { statement, fingerprint }: KnownStatement & { readonly statement: { readonly id: string } },
  known: ReadonlyMap<string, KnownStatement>,
): Judgement {
  const stored = known.get(statement.id)
  const isSame = stored?.fingerprint === fingerprint && isSameTime(stored.statement.timestamp, statement.timestamp)
  if (stored && !isSame) return 'conflict'
  const target = isVoiding(statement) ? known.get(targetOf(statement)!) : undefined
  if (target && isVoiding(target.statement)) return VOIDS_VOIDING
  return stored ? 'same' : 'new'
}

export const isVoiding = ({ verb }: Statement): boolean => verb.id === VOIDED

/** The fault of a statement that voids a voiding statement. */
const VOIDS_VOIDING: Fault = {
  pointer: '/object/id',
  rule: 'XAPI-00016',
  must: 'not be that of a voiding statement: those cannot be voided',
}

/** The fault of a statement that is found by too many keys. */
export const findRefsFault = (refs: number): Fault | undefined =>
  refs > MOST_REFS
    ? { pointer: '', rule: 'size', must: `name at most ${MOST_REFS} agents and activities, not ${refs}` }
    : undefined

/** The fault of the statement with which a request exceeds the limit. */
export const TOO_MANY_REFS_TOGETHER: Fault = {
  pointer: '',
  rule: 'size',
  must: `be sent in a smaller batch: one request names at most ${MOST_REFS_TOGETHER} agents and activities, with those of the statements referred to`,
}
