import type { Tx } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { COPIED, keyOfTarget, keyOfVerb, type Ref, refsOf, targetOf } from '../model/refs.ts'
import { type Statement, VOIDED } from '../model/statement.ts'
import { type KnownStatement, MOST_COPIED_REFS, MOST_REFS_TOGETHER } from './rules.ts'
import * as store from './store.ts'

/** A known statement with its sequence number. */
export interface NumberedStatement extends KnownStatement {
  readonly seq: number
}

/** The maximum number of references that are followed along a chain. */
const MOST_STEPS = 10

/** Finds stored statements by id. */
export type FindKnown = (ids: string[]) => Promise<readonly RowOf<typeof store.findKnown>[]>

/** Reads statements by id, and transitively the statements that they refer to. */
export const readKnown = (tx: Tx, ids: readonly string[]): Promise<Map<string, NumberedStatement>> =>
  readKnownWith((batch) => tx.all(store.findKnown, { ids: batch }), ids)

/** Like `readKnown`, but reads only the statements that `find` returns. */
export async function readKnownWith(find: FindKnown, ids: readonly string[]): Promise<Map<string, NumberedStatement>> {
  const known = new Map<string, NumberedStatement>()
  let missing = new Set(ids)
  for (let step = 0; missing.size > 0 && step < MOST_STEPS; step++) {
    const rows = await find([...missing])
    const targets = rows.flatMap(({ statement_id, seq, fingerprint, payload }) => {
      const statement = JSON.parse(payload) as Statement
      known.set(statement_id, { seq, fingerprint, statement })
      return targetOf(statement) ?? []
    })
    missing = new Set(targets.filter((id) => !known.has(id)))
  }
  return known
}

const copyRef = (ref: Ref): Ref => (ref.role >= COPIED ? ref : { ...ref, role: ref.role + COPIED })

/** Returns the keys of a statement, and the keys copied from the statements that it refers to. */
export function withTargetRefs(
  { statement, refs }: { readonly statement: Statement; readonly refs: readonly Ref[] },
  known: Pick<ReadonlyMap<string, KnownStatement>, 'get'>,
): readonly Ref[] {
  const copied = new Map<string, Ref>()
  let target = targetOf(statement)
  for (let step = 0; target !== undefined && step < MOST_STEPS && copied.size < MOST_COPIED_REFS; step++) {
    const found = known.get(target)?.statement
    if (!found) break
    for (const ref of refsOfTarget(found)) copied.set(`${ref.key} ${ref.role}`, copyRef(ref))
    target = targetOf(found)
  }
  return copied.size === 0 ? refs : [...refs, ...[...copied.values()].slice(0, MOST_COPIED_REFS)]
}

/** Caches the keys of referenced statements, because many statements may refer to the same one. */
const cachedRefs = new WeakMap<Statement, readonly Ref[]>()
function refsOfTarget(statement: Statement): readonly Ref[] {
  const refs = cachedRefs.get(statement) ?? refsOf(statement)
  cachedRefs.set(statement, refs)
  return refs
}

export type ReferringStatement = RowOf<typeof store.findReferring>

const VOIDED_KEY = keyOfVerb(VOIDED)
const REFERRING_PAGE = 1000

/**
 * Finds statements that were stored before the statement that they refer to, which has one of these ids. Stops after
 * about as many as one transaction can update.
 */
export async function findReferring(tx: Tx, ids: readonly string[]): Promise<ReferringStatement[]> {
  const keys = ids.map(keyOfTarget)
  const found: ReferringStatement[] = []
  for (let after = 0; ; ) {
    const rows = await tx.all(store.findReferring, { keys, voided: VOIDED_KEY, after })
    found.push(...rows)
    if (rows.length < REFERRING_PAGE || found.length >= MOST_REFS_TOGETHER) return found
    after = rows.at(-1)!.seq
  }
}

/** A stored statement, and the keys of the target that was stored after it. */
export interface LateRefs {
  readonly seq: number
  readonly id: string
  readonly refs: readonly Ref[]
}

/** Copies the keys of a target that was stored late to the statements that refer to it, transitively. */
export async function insertLateRefs(tx: Tx, earlier: readonly LateRefs[]): Promise<void> {
  let level = earlier
  let remaining = MOST_REFS_TOGETHER
  for (let step = 0; level.length > 0 && step < MOST_STEPS; step++) {
    const late: NumberedRef[] = []
    for (const { seq, refs } of level) {
      if (refs.length > remaining) break
      remaining -= refs.length
      for (const ref of refs) late.push({ ...copyRef(ref), seq })
    }
    if (late.length === 0) return
    await tx.all(store.insertLateRefs, toColumns(late))
    const refsByKey = new Map(level.map(({ id, refs }) => [keyOfTarget(id), refs]))
    const next = await findReferring(
      tx,
      level.map(({ id }) => id),
    )
    level = next.map(({ key, seq, id }) => ({ seq, id, refs: refsByKey.get(key)! }))
  }
}

export type NumberedRef = Ref & { readonly seq: number }

/** Converts keys to the arrays that the SQL unnests as columns. */
export const toColumns = (refs: readonly NumberedRef[]) => ({
  refKeys: refs.map(({ key }) => key),
  refSeqs: refs.map(({ seq }) => seq),
  refRoles: refs.map(({ role }) => role),
})
