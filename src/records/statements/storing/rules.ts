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

/**
 * The maximum size of the stored statements that those of one request refer to, together (bytes). Requests that are
 * stored together refer to at most 20, of 1 MiB each, so only a request with more references can reach it.
 */
export const MOST_TARGET_BYTES = 32 * 1024 * 1024

/** A statement that is already stored, or that the current transaction stores. */
export interface KnownStatement {
  /** Left out of a statement that the current transaction stores. */
  readonly seq?: number
  readonly fingerprint: string
  readonly timestamp?: string | undefined
  /** Left out of a stored statement that no new one refers to, or that would exceed MOST_TARGET_BYTES. */
  readonly statement?: Statement
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
  { statement, fingerprint }: { readonly statement: Statement & { readonly id: string }; readonly fingerprint: string },
  known: ReadonlyMap<string, KnownStatement>,
): Judgement {
  const stored = known.get(statement.id)
  const isSame = stored?.fingerprint === fingerprint && isSameTime(stored.timestamp, statement.timestamp)
  if (stored && !isSame) return 'conflict'
  const targetId = targetOf(statement)
  const target = targetId === undefined ? undefined : known.get(targetId)
  if (target && !target.statement) return TARGETS_TOO_LARGE
  if (target?.statement && isVoiding(statement) && isVoiding(target.statement)) return VOIDS_VOIDING
  return stored ? 'same' : 'new'
}

export const isVoiding = ({ verb }: Statement): boolean => verb.id === VOIDED

/** The fault of a statement that tries to void a voiding statement. */
const VOIDS_VOIDING: Fault = {
  pointer: '/object/id',
  rule: 'XAPI-00016',
  must: 'not be that of a voiding statement: those cannot be voided',
}

/** The fault of a statement whose target exceeds MOST_TARGET_BYTES, together with those of the other statements. */
const TARGETS_TOO_LARGE: Fault = {
  pointer: '/object/id',
  rule: 'size',
  must: `be sent in a smaller batch: the statements that one request refers to have at most ${MOST_TARGET_BYTES} bytes together`,
}

/** Returns the fault of a statement that has too many keys. */
export const findRefsFault = (refs: number): Fault | undefined =>
  refs > MOST_REFS
    ? { pointer: '', rule: 'size', must: `have at most ${MOST_REFS} agents and activities, not ${refs}` }
    : undefined

/** The fault of the statement that makes its request exceed MOST_REFS_TOGETHER. */
export const TOO_MANY_REFS_TOGETHER: Fault = {
  pointer: '',
  rule: 'size',
  must: `be sent in a smaller batch: one request can have at most ${MOST_REFS_TOGETHER} agents and activities, with those of the statements referred to`,
}
