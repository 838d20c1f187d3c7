import { setTimeout as sleep } from 'node:timers/promises'
import { recordAudit } from '../../../kernel/audit/audit.ts'
import { type Caller, upkeepAt } from '../../../kernel/caller.ts'
import type { Db } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { fail } from '../../../kernel/errors.ts'
import type { Upkeep } from '../../../kernel/room.ts'
import { deleteBlocksBefore } from '../blocks/blocks.ts'
import { numberOf } from '../model/times.ts'
import { holdClock, removeStatements, removeUnusedAttachments, toRemovable } from '../storing/removal.ts'
import { giveBack } from '../storing/shares.ts'
import * as store from './store.ts'

export interface Removal {
  readonly statements: number
  /** The number of attachments that no remaining statement uses. */
  readonly attachments: number
  /** The number of months that are dropped as a whole. */
  readonly months: number
}

/**
 * The caller: an administrator, a key of the record store, the operator at the command line, or the platform itself.
 */
type Remover = Caller & { readonly personId?: number | undefined; readonly key?: string | undefined }

interface Age {
  /** Statements that were stored before this time are removed. */
  readonly before: Date
}

/** Counts the statements, attachments and months that `removeOlder` would remove. */
export async function countOlder(db: Db, who: Caller, { before }: Age): Promise<Removal> {
  if (before > who.at) throw fail('validationFailed', 'before must be in the past')
  const [counted, months] = await Promise.all([
    db.first(store.countOlder, { before: numberOf(before) }),
    listWholeMonths(db, before),
  ])
  return { ...counted!, months: months.length }
}

/** The maximum number of statements that one transaction removes. It is small, because writers wait meanwhile. */
const PART = 500
/** The maximum total size of these statements. */
const PART_BYTES = 4 * 1024 * 1024
/** The maximum number of rows that one transaction removes from each of the other tables before a month is dropped. */
const ROWS_PART = 2000
/** A month cannot be dropped while a query is reading it, so dropping is tried several times. */
const DROP_TRIES = 3
/** The pause between two of these tries. */
const RETRY_MS = 200

/**
 * Removes the statements that were stored before a given time, with everything that belongs to them. Whole months are
 * removed by dropping their partitions. Stops when `isTimeUp` returns true; the next call continues. The audit log
 * records each call and the counts that were planned.
 */
export async function removeOlder(
  db: Db,
  who: Remover,
  { before, isTimeUp = () => false }: Age & { readonly isTimeUp?: () => boolean },
): Promise<Removal & { readonly isDone: boolean }> {
  const planned = await countOlder(db, who, { before })
  const removed = { statements: 0, attachments: 0, months: 0 }
  if (planned.statements === 0 && planned.months === 0) return { ...removed, isDone: true }
  await recordAudit(db, who, {
    action: 'statements.removed',
    ...(who.personId === undefined ? {} : { personId: who.personId }),
    detail: { before: before.toISOString(), ...planned, ...(who.key === undefined ? {} : { key: who.key }) },
  })
  const upTo = numberOf(before)
  const removeRange = async (from: number, past: number): Promise<boolean> => {
    for (;;) {
      const part = await removePart(db, from, past)
      removed.statements += part.statements
      removed.attachments += part.attachments
      if (part.statements === 0) return true
      if (isTimeUp()) return false
    }
  }
  const removeMonth = async ({ month, from, past }: Month): Promise<boolean> => {
    for (;;) {
      if (isTimeUp()) return false
      const { rows, attachments } = await removeBesideMonth(db, from, past)
      removed.attachments += attachments
      if (rows === 0) break
    }
    const counted = await db.all(store.countMonth, { from, before: past })
    // Queries kept reading the month, so it cannot be dropped: delete its statements in small transactions instead.
    if (!(await dropMonth(db, month))) return removeRange(from, past)
    removed.statements += counted.reduce((sum, { count }) => sum + count, 0)
    removed.months++
    // Not in the transaction that drops the month, because all readers and writers of statements wait for that one.
    await giveBack(db, counted)
    return true
  }
  // Remove the newest statements first, so that a statement is removed before the older statement that it refers to.
  let isDone = await removeRange(numberOf(startOfMonth(before)), upTo)
  for (const month of await listWholeMonths(db, before)) isDone = isDone && (await removeMonth(month))
  isDone = isDone && (await removeRange(0, upTo))
  if (isDone) await deleteBlocksBefore(db, upTo)
  return { ...removed, isDone }
}

interface Month {
  readonly month: string
  readonly from: number
  readonly past: number
}

const startOfMonth = (moment: Date): Date => new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()))

/** Lists the months that end before a given time, newest first. */
async function listWholeMonths(db: Db, before: Date): Promise<Month[]> {
  const rows = await db.all(store.listMonths, {})
  return rows.flatMap(({ month }) => {
    const [year, number] = month.split('_').map(Number)
    const bounds = {
      from: numberOf(new Date(Date.UTC(year!, number! - 1))),
      past: numberOf(new Date(Date.UTC(year!, number!))),
    }
    return bounds.past <= numberOf(before) ? { month, ...bounds } : []
  })
}

const removePart = (db: Db, from: number, before: number) =>
  db.transaction(async (tx) => {
    const rows = await tx.all(store.listSome, { from, before, limit: PART, most: PART_BYTES })
    return rows.length > 0 ? removeStatements(tx, rows.map(toRemovable)) : { statements: 0, attachments: 0 }
  })

/**
 * Removes some of the rows in other tables that refer to statements of a month, before the month is dropped. An id that
 * was left over would prevent a statement with that id from being stored again.
 */
const removeBesideMonth = (db: Db, from: number, before: number) =>
  db.transaction(async (tx) => {
    // Writers lock the clock first too, so no statement with one of these ids or attachments can be stored before the
    // commit.
    await holdClock(tx)
    const range = { from, before, limit: ROWS_PART }
    const beside = await tx.first(store.deleteBeside, range)
    const files = await tx.all(store.deleteFiles, range)
    const attachments = await removeUnusedAttachments(
      tx,
      files.map(({ sha2 }) => sha2),
    )
    return { rows: beside!.removed + files.length, attachments }
  })

async function dropMonth(db: Db, month: string): Promise<boolean> {
  for (let left = DROP_TRIES; left > 0; left--) {
    if ((await db.first(store.dropMonth, { month }))!.dropped) return true
    await sleep(RETRY_MS)
  }
  return false
}

const DAY_MS = 86_400_000
const UPKEEP_MS = 30_000

/** Removes old statements for at most 30 seconds; the next run continues. */
async function removeByAge({ db, clock, config, stopping }: Environment): Promise<void> {
  const days = config.XAPI_RETENTION_DAYS
  if (days === undefined) return
  const at = clock()
  const until = performance.now() + UPKEEP_MS
  const isTimeUp = () => stopping.aborted || performance.now() > until
  await removeOlder(db, upkeepAt(at), { before: new Date(at.getTime() - days * DAY_MS), isTimeUp })
}

export const retentionUpkeep: Upkeep = { name: 'statements that have grown old', run: removeByAge }
