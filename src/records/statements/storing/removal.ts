import type { Tx } from '../../../kernel/database/database.ts'
import { deleteUnusedPostings } from '../blocks/blocks.ts'
import { keyOfTarget, refsOf, targetOf } from '../model/refs.ts'
import type { Statement } from '../model/statement.ts'
import { MOST_REFS_TOGETHER } from './rules.ts'
import * as store from './store.ts'

/** A row of `statements` with its payload parsed. */
export interface RemovableStatement {
  readonly seq: number
  readonly sender: string | null
  readonly statement: Statement
}

export const toRemovable = (row: {
  readonly seq: number
  readonly sender: string | null
  readonly payload: string
}): RemovableStatement => ({ seq: row.seq, sender: row.sender, statement: JSON.parse(row.payload) as Statement })

/**
 * Locks the clock without taking sequence numbers, so that no statement or attachment can be stored until the commit.
 */
export const holdClock = (tx: Tx) => tx.first(store.takeNumbers, { now: 0, count: 0, homePage: null })

/** Locks out other transactions that write facts or remove statements, until the commit. */
export const holdFacts = async (tx: Tx) => (await tx.first(store.holdFacts, {}))!

/** Removes those of the given attachments that no statement uses any more, and returns how many. */
export const removeUnusedAttachments = async (tx: Tx, hashes: readonly string[]): Promise<number> =>
  hashes.length > 0 ? (await tx.all(store.deleteAttachments, { hashes: [...new Set(hashes)] })).length : 0

/**
 * Removes statements from the start of a list, as many as one transaction can, and the attachments that become unused.
 * Returns both counts. Statements that refer to removed ones remain.
 */
export async function removeStatements(
  tx: Tx,
  all: readonly RemovableStatement[],
): Promise<{ readonly statements: number; readonly attachments: number }> {
  await holdClock(tx)
  await holdFacts(tx)
  const copies = await tx.all(store.countCopies, { seqs: all.map(({ seq }) => seq) })
  const copiesOf = new Map(copies.map(({ seq, count }) => [seq, count]))
  const refs: { key: string; seq: number }[] = []
  const seqs: number[] = []
  let count = 0
  for (const { seq, sender, statement } of all) {
    const target = targetOf(statement)
    const keys = new Set([
      ...refsOf(statement).map(({ key }) => key),
      ...(target ? [keyOfTarget(target)] : []),
      ...(sender ? [sender] : []),
    ])
    count += keys.size + (copiesOf.get(seq) ?? 0)
    if (seqs.length > 0 && count > MOST_REFS_TOGETHER) break
    seqs.push(seq)
    for (const key of keys) refs.push({ key, seq })
  }
  const hashes = (await tx.all(store.listHashes, { seqs })).map(({ sha2 }) => sha2)
  await tx.all(store.deleteStatements, {
    seqs,
    refKeys: refs.map(({ key }) => key),
    refSeqs: refs.map(({ seq }) => seq),
  })
  await deleteUnusedPostings(tx, [...new Set(refs.map(({ key }) => key))])
  return { statements: seqs.length, attachments: await removeUnusedAttachments(tx, hashes) }
}
