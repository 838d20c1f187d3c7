import type { Tx } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { outdateBlocks } from '../blocks/blocks.ts'
import { COPIED, keyOfTarget, keyOfVerb, type Ref, refsOf, targetOf } from '../model/refs.ts'
import { type Statement, VOIDED } from '../model/statement.ts'
import { type KnownStatement, MOST_COPIED_REFS, MOST_LATE_REFS, MOST_TARGET_BYTES } from './rules.ts'
import * as store from './store.ts'

/** Ids of statements. Those of `targets` are among `ids`, and are read whole. */
export interface WantedStatements {
  readonly ids: string[]
  readonly targets: string[]
}

/** Finds stored statements by id, with the texts of targets up to this many bytes together. */
export type FindKnown = (
  wanted: WantedStatements & { readonly bytes: number },
) => Promise<readonly RowOf<typeof store.findKnown>[]>

/** Reads statements by id, with the keys that they have copied from the statements along their chains of references. */
export const readKnown = (tx: Tx, wanted: WantedStatements): Promise<Map<string, KnownStatement>> =>
  readKnownWith((some) => tx.all(store.findKnown, some), wanted)

/** Like `readKnown`, but reads only the statements that `find` returns. */
export async function readKnownWith(
  find: FindKnown,
  { ids, targets }: WantedStatements,
): Promise<Map<string, KnownStatement>> {
  const wanted = { ids: [...new Set(ids)], targets: [...new Set(targets)], bytes: MOST_TARGET_BYTES }
  const rows = ids.length > 0 ? await find(wanted) : []
  return new Map(
    rows.map(({ statement_id, seq, fingerprint, timestamp, payload, copies }) => [
      statement_id,
      {
        ...{ seq, fingerprint, timestamp: timestamp ?? undefined, copies: copies.map(parseCopy) },
        ...(payload !== null && { statement: JSON.parse(payload) as Statement }),
      },
    ]),
  )
}

function parseCopy(text: string): Ref {
  const [role, key] = text.split(' ')
  return { role: Number(role), key: key! }
}

const copyRef = (ref: Ref): Ref => (ref.role >= COPIED ? ref : { ...ref, role: ref.role + COPIED })

/** The statements through which a chain of references can be followed. */
export interface Chains {
  /** Statements by id: stored ones, and those of the current transaction. */
  readonly known: Pick<ReadonlyMap<string, KnownStatement>, 'get'>
  /** For a stored statement whose chain has ended at a missing one: the id of that one, if it arrives now. */
  readonly arriving: Pick<ReadonlyMap<string, string>, 'get'>
}

/**
 * Returns the keys of a statement, and the keys of all statements along its chain of references, to its end. A stored
 * statement has copies of the rest of its chain, so the walk goes on behind it only if a missing statement arrives now.
 */
export function withTargetRefs(
  { statement, refs }: { readonly statement: Statement; readonly refs: readonly Ref[] },
  { known, arriving }: Chains,
): readonly Ref[] {
  const copied = new Map<string, Ref>()
  const add = (ref: Ref) => copied.set(`${ref.key} ${ref.role}`, ref)
  const visited = new Set<string>()
  let target = targetOf(statement)
  while (target !== undefined && !visited.has(target) && copied.size < MOST_COPIED_REFS) {
    visited.add(target)
    const found = known.get(target)
    if (!found?.statement) break
    for (const ref of refsOfTarget(found.statement)) add(copyRef(ref))
    for (const ref of found.copies ?? []) add(ref)
    target = arriving.get(target) ?? targetOf(found.statement)
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
/** Each statement has at least two keys, an actor's and a verb's, so one transaction cannot copy them to this many. */
const MOST_REFERRING = MOST_LATE_REFS / 2 + 1

/**
 * Finds statements that were stored before one of these ids, to which they refer, directly or through others. Stops
 * after as many as one transaction can update.
 */
export const findReferring = (tx: Tx, ids: readonly string[]): Promise<ReferringStatement[]> =>
  tx.all(store.findReferring, { ids: [...ids], keys: ids.map(keyOfTarget), voided: VOIDED_KEY, most: MOST_REFERRING })

/** A stored statement, and the keys of the statement that has arrived after it. */
export interface LateRefs {
  readonly seq: number
  readonly refs: readonly Ref[]
}

/**
 * Copies the keys of statements that arrive late to all statements that refer to them. Returns how many of these go
 * without, because there are more than one transaction may update; the nearest come first.
 */
export async function insertLateRefs(tx: Tx, referring: readonly LateRefs[]): Promise<number> {
  const late: NumberedRef[] = []
  let done = 0
  for (const { seq, refs } of referring) {
    if (late.length + refs.length > MOST_LATE_REFS) break
    for (const ref of refs) late.push({ ...copyRef(ref), number: seq })
    done++
  }
  if (late.length > 0) {
    const seqs = late.map(({ number }) => number)
    await Promise.all([tx.all(store.insertLateRefs, toColumns(late)), outdateBlocks(tx, seqs)])
  }
  return referring.length - done
}

/** A key of a statement, with its sequence number or its position in the transaction. */
export type NumberedRef = Ref & { readonly number: number }

/** Converts keys to the arrays that the SQL unnests as columns. */
export const toColumns = (refs: readonly NumberedRef[]) => ({
  refKeys: refs.map(({ key }) => key),
  refNumbers: refs.map(({ number }) => number),
  refRoles: refs.map(({ role }) => role),
})
