import { setTimeout as sleep } from 'node:timers/promises'
import { recordAudit } from '../../../kernel/audit/audit.ts'
import { type Caller, upkeepAt } from '../../../kernel/caller.ts'
import type { Db } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { fail } from '../../../kernel/errors.ts'
import type { Upkeep } from '../../../kernel/room.ts'
import { numberOf } from '../model/times.ts'
import { holdClock, removeStatements, removeUnusedAttachments, toRemovable } from '../storing/removal.ts'
import * as store from './store.ts'

export interface Removal {
  readonly statements: number
  /** Attachments that no other statement uses. */
  readonly attachments: number
  /** Months that are removed as a whole. */
  readonly months: number
}

/** An administrator, a key of the record store, the operator, or the platform itself. */
type Remover = Caller & { readonly personId?: number | undefined; readonly key?: string | undefined }

interface Age {
  /** Removes what was stored before this moment. */
  readonly before: Date
}

/** Counts what `removeOlder` would remove. */
export async function countOlder(db: Db, who: Caller, { before }: Age): Promise<Removal> {
  if (before > who.at) throw fail('validationFailed', 'before must be in the past')
  const [counted, months] = await Promise.all([
    db.first(store.countOlder, { before: numberOf(before) }),
    listWholeMonths(db, before),
  ])
  return { ...counted!, months: months.length }
}

/** The most statements and bytes that one transaction removes, because writers wait for it. */
const PART = 500
const PART_BYTES = 4 * 1024 * 1024
const ROWS_PART = 2000
/** A month in which somebody reads cannot be dropped, so it is tried again. */
const DROP_TRIES = 3
const RETRY_MS = 200

/**
 * Removes the statements that were stored before a moment, with everything that belongs to them; whole months as
 * partitions. When time is up it stops, and another call continues. The audit log has the call and what was planned.
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
    const counted = await db.first(store.countMonth, { from, before: past })
    // If somebody keeps reading there, its statements are removed one part at a time.
    if (!(await dropMonth(db, month))) return removeRange(from, past)
    removed.statements += counted!.count
    removed.months++
    return true
  }
  // Newest first: a statement is removed before the older one that it refers to.
  let isDone = await removeRange(numberOf(startOfMonth(before)), upTo)
  for (const month of await listWholeMonths(db, before)) isDone = isDone && (await removeMonth(month))
  isDone = isDone && (await removeRange(0, upTo))
  return { ...removed, isDone }
}

interface Month {
  readonly month: string
  readonly from: number
  readonly past: number
}

const startOfMonth = (moment: Date): Date => new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()))

/** The months that end before a moment, newest first. */
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
 * Removes some of the rows that refer to statements of a month, before it is dropped. A left-over id could not be
 * stored again.
 */
const removeBesideMonth = (db: Db, from: number, before: number) =>
  db.transaction(async (tx) => {
    // Writers take the clock first too, so nobody stores one of these ids or attachments meanwhile.
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

/** Removes for 30 seconds at most; the next round continues. */
async function removeByAge({ db, clock, config, stopping }: Environment): Promise<void> {
  const days = config.XAPI_RETENTION_DAYS
  if (days === undefined) return
  const at = clock()
  const until = performance.now() + UPKEEP_MS
  const isTimeUp = () => stopping.aborted || performance.now() > until
  await removeOlder(db, upkeepAt(at), { before: new Date(at.getTime() - days * DAY_MS), isTimeUp })
}

export const retentionUpkeep: Upkeep = { name: 'statements that have grown old', run: removeByAge }
