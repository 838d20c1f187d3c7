import { isSameTime } from '../model/compare.ts'
import { type Ref, targetOf } from '../model/refs.ts'
import { type Fault, type Statement, VOIDED } from '../model/statement.ts'

/** The maximum number of keys (of agents, activities and verbs) that a statement may have itself. */
const MOST_REFS = 500
/** The maximum number of keys that a new statement copies from the statements along its chain of references. */
export const MOST_COPIED_REFS = 1000
/** The maximum number of keys that the statements of one request have together, or that one removal deletes. */
export const MOST_REFS_TOGETHER = 20_000
/** The maximum number of keys that one transaction adds to stored statements because their target arrives late. */
export const MOST_LATE_REFS = 50_000

/** A statement that is already stored, or that the current transaction stores. */
export interface KnownStatement {
  readonly fingerprint: string
  readonly statement: Statement
  /** The keys that a stored statement has copied from the statements along its chain of references. */
  readonly copies?: readonly Ref[]
}

/**
 * The outcome for a statement. `same`: this statement is already stored. `conflict`: a different statement with the
 * same id is stored.
 */
export type Judgement = 'new' | 'same' | 'conflict' | Fault

/**
 * Decides whether a statement can be stored, by comparing it with the stored statement that has its id, and checking
 * the statement that it voids.
 */
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

/** The fault of a statement that tries to void a voiding statement. */
const VOIDS_VOIDING: Fault = {
  pointer: '/object/id',
  rule: 'XAPI-00016',
  must: 'not be that of a voiding statement: those cannot be voided',
}

/** Returns the fault of a statement that has too many keys. */
export const findRefsFault = (refs: number): Fault | undefined =>
  refs > MOST_REFS
    ? { pointer: '', rule: 'size', must: `name at most ${MOST_REFS} agents and activities, not ${refs}` }
    : undefined

/** The fault of the statement that makes its request exceed MOST_REFS_TOGETHER. */
export const TOO_MANY_REFS_TOGETHER: Fault = {
  pointer: '',
  rule: 'size',
  must: `be sent in a smaller batch: one request names at most ${MOST_REFS_TOGETHER} agents and activities, with those of the statements referred to`,
}
