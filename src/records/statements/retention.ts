import { setTimeout as sleep } from 'node:timers/promises'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { type Caller, upkeepAt } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Upkeep } from '../../kernel/room.ts'
import { numberOf } from './query.ts'
import * as store from './retention-store.ts'
import type { Statement } from './statement.ts'
import { deleteAttachments, takeNumbers } from './store.ts'
import { removeStatements } from './storing.ts'

export interface Removal {
  readonly statements: number
  /** Attachments that no other statement uses. */
  readonly attachments: number
  /** Months that are removed as a whole. */
  readonly months: number
}

/** Who removes: an administrator, a key, the operator, or the platform itself. */
type Remover = Caller & { readonly personId?: number | undefined; readonly key?: string | undefined }

interface Age {
  /** Removes what was stored before this moment. */
  readonly before: Date
}

/** What would go. */
export async function countOlder(db: Db, who: Caller, { before }: Age): Promise<Removal> {
  if (before > who.at) throw fail('validationFailed', 'before must be in the past')
  const [counted, months] = await Promise.all([
    db.first(store.countOlder, { before: numberOf(before) }),
    listWholeMonths(db, before),
  ])
  return { ...counted!, months: months.length }
}

/** So many statements, or so much of them, go in one transaction: whoever stores something waits for it. */
const PART = 500
const PART_BYTES = 4 * 1024 * 1024
const BESIDE_PART = 2000
/** Somebody may read in a month for a moment. */
const TRIES = 3
const AGAIN_MS = 200

/**
 * Removes what is older, with everything that stands beside it; whole months as such. Where time is up, it says what went and that there is more: calling it again goes
 * on. The log has the call, and what there was to remove.
 */
export async function removeOlder(
  db: Db,
  who: Remover,
  { before, isTimeUp = () => false }: Age & { readonly isTimeUp?: () => boolean },
): Promise<Removal & { readonly isDone: boolean }> {
  const planned = await countOlder(db, who, { before })
  const gone = { statements: 0, attachments: 0, months: 0 }
  if (planned.statements === 0 && planned.months === 0) return { ...gone, isDone: true }
  await recordAudit(db, who, {
    action: 'statements.removed',
    ...(who.personId === undefined ? {} : { personId: who.personId }),
    detail: { before: before.toISOString(), ...planned, ...(who.key === undefined ? {} : { key: who.key }) },
  })
  const upTo = numberOf(before)
  const removeRange = async (from: number, past: number): Promise<boolean> => {
    for (;;) {
      const part = await removePart(db, from, past)
      gone.statements += part.statements
      gone.attachments += part.attachments
      if (part.statements === 0) return true
      if (isTimeUp()) return false
    }
  }
  const removeMonth = async ({ month, from, past }: Month): Promise<boolean> => {
    for (;;) {
      if (isTimeUp()) return false
      const { removed, attachments } = await removeBeside(db, from, past)
      gone.attachments += attachments
      if (removed === 0) break
    }
    const counted = await db.first(store.countMonth, { from, before: past })
    // Where somebody reads there all the time, it goes part by part.
    if (!(await dropMonth(db, month))) return removeRange(from, past)
    gone.statements += counted!.count
    gone.months++
    return true
  }
  // The newest first: what refers to an older one goes before it.
  let isDone = await removeRange(numberOf(startOfMonth(before)), upTo)
  for (const month of await listWholeMonths(db, before)) isDone = isDone && (await removeMonth(month))
  isDone = isDone && (await removeRange(0, upTo))
  return { ...gone, isDone }
}

interface Month {
  readonly month: string
  readonly from: number
  readonly past: number
}

const startOfMonth = (moment: Date): Date => new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()))

/** The months that are over by then, the newest first. */
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
    const some = rows.map(({ seq, sender, payload }) => ({ seq, sender, statement: JSON.parse(payload) as Statement }))
    return some.length > 0 ? removeStatements(tx, some) : { statements: 0, attachments: 0 }
  })

/** Before the month itself goes: an id whose statement is gone could not be stored again. */
const removeBeside = (db: Db, from: number, before: number) =>
  db.transaction(async (tx) => {
    // First of all, as whoever stores does: an id or an attachment may be sent again meanwhile.
    await tx.first(takeNumbers, { now: 0, count: 0, homePage: null })
    const range = { from, before, limit: BESIDE_PART }
    const beside = await tx.first(store.deleteBeside, range)
    const files = await tx.all(store.deleteFiles, range)
    const hashes = [...new Set(files.map(({ sha2 }) => sha2))]
    const gone = hashes.length > 0 ? await tx.all(deleteAttachments, { hashes }) : []
    return { removed: beside!.removed + files.length, attachments: gone.length }
  })

async function dropMonth(db: Db, month: string): Promise<boolean> {
  for (let left = TRIES; left > 0; left--) {
    if ((await db.first(store.dropMonth, { month }))!.dropped) return true
    await sleep(AGAIN_MS)
  }
  return false
}

const DAY_MS = 86_400_000
const UPKEEP_MS = 30_000

/** A little at a time; the next round goes on. */
async function removeByAge({ db, clock, config, stopping }: Environment): Promise<void> {
  const days = config.XAPI_RETENTION_DAYS
  if (days === undefined) return
  const at = clock()
  const until = performance.now() + UPKEEP_MS
  const isTimeUp = () => stopping.aborted || performance.now() > until
  await removeOlder(db, upkeepAt(at), { before: new Date(at.getTime() - days * DAY_MS), isTimeUp })
}

export const retentionUpkeep: Upkeep = { name: 'statements that have grown old', run: removeByAge }
