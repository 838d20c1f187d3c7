import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { authorizeLesson, authorizeStudent, type LearningCaller } from './authorize.ts'
import * as store from './locks-store.ts'
import type { Lock, LockReason, NameAttempt, ReadLocks } from './schema.ts'

type LockRow = RowOf<typeof store.listLockReasons>

export async function readLocks(db: Db, who: LearningCaller, what: ReadLocks): Promise<Lock[]> {
  const { enrolmentId: enrolment } = await authorizeStudent(db, who, what)
  const rows = await db.all(store.listLocks, { enrolment, now: who.at })
  const childrenOf = Map.groupBy(rows, ({ parent }) => parent)
  const locksIn = (parent: string | null): Lock[] =>
    (childrenOf.get(parent) ?? []).map(({ lesson, name, locked }) => ({
      lessonId: lesson,
      name,
      locked,
      childLessons: locksIn(lesson),
    }))
  return locksIn(null)
}

export async function readLockReason(db: Db, who: LearningCaller, what: NameAttempt): Promise<LockReason> {
  const { enrolmentId: enrolment, lessonId, student: studentId } = await authorizeLesson(db, who, what, 'read')
  const rows = await db.all(store.listLockReasons, { enrolment, now: who.at })
  const row = rows.find(({ lesson_id }) => lesson_id === lessonId)!
  const missing = findMissing(row, notPassedOf(rows))
  return {
    lessonId: row.lesson,
    studentId,
    locked: row.locked,
    reason: lockReason(row, missing),
    missing: missing.map(({ lesson }) => lesson),
  }
}

/** Returns the lessons that the student has not passed. */
export const notPassedOf = <Row extends LockRow>(lessons: readonly Row[]): Row[] =>
  lessons.filter(({ is_passed }) => !is_passed)

/** Finds the lessons that must be passed before a locked lesson. `notPassed` has those of the class in course order. */
export const findMissing = (row: LockRow, notPassed: readonly LockRow[]): LockRow[] =>
  row.locked_by === 'lessons' ? notPassed.filter((other) => isRequired(other, row)) : []

/**
 * Tells whether a lesson must be passed before another, as the SQL function `lock_of` does. Earlier lessons of a
 * sequential class are found by their place, because a list of them for each lesson takes too long to read.
 */
const isRequired = ({ lesson_id, lesson, parent, place }: LockRow, before: LockRow): boolean =>
  (before.is_sequential &&
    place < before.place &&
    (parent === null ? lesson !== before.parent : parent === before.parent)) ||
  before.prerequisites.includes(lesson_id)

const MAX_NAMED = 3

/** Explains why a lesson is locked; null if it is not. `missing` are the lessons that must be passed first. */
export function lockReason(row: LockRow, missing: readonly LockRow[]): string | null {
  if (row.locked_by === null) return null
  if (row.locked_by === 'hand') return 'Locked by an instructor'
  if (row.locked_by === 'opening') return `Opens on ${formatTime(row.opens_at!, row.time_zone)}`
  if (row.locked_by === 'closing') return `Closed on ${formatTime(row.closes_at!, row.time_zone)}`
  const names = missing.slice(0, MAX_NAMED).map(({ name }) => name)
  if (missing.length > MAX_NAMED) names.push(`${missing.length - MAX_NAMED} more`)
  const last = names.pop()!
  return `Locked until you pass ${names.length > 0 ? `${names.join(', ')} and ${last}` : last}`
}

/** Formats a time in the organisation's time zone, such as `20 November 2026 at 09:00 (Europe/Berlin)`. */
const formatTime = (at: string, timeZone: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(at))} (${timeZone})`
