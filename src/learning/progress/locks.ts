import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { authorizeLesson, authorizeStudent, type LearningCaller } from './authorize.ts'
import * as store from './locks-store.ts'
import type { Lock, LockReason, NameAttempt, ReadLocks } from './schema.ts'

export type LockRow = RowOf<typeof store.listLocks>

/** Lists the lessons of a student's class in course order, and whether each is locked. */
export const listLessonLocks = (db: Db, enrolment: number): Promise<LockRow[]> => db.all(store.listLocks, { enrolment })

export async function readLocks(db: Db, who: LearningCaller, what: ReadLocks): Promise<Lock[]> {
  const { enrolmentId: enrolment } = await authorizeStudent(db, who, what)
  const rows = await listLessonLocks(db, enrolment)
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
  const context = await authorizeLesson(db, who, what, 'read')
  const rows = await listLessonLocks(db, context.enrolmentId)
  const row = rows.find(({ lesson_id }) => lesson_id === context.lessonId)!
  return { lessonId: row.lesson, studentId: context.student, locked: row.locked, ...lockReason(row, rows) }
}

const MAX_NAMED = 3

/**
 * Explains why a lesson is locked, and lists the lessons that must be passed first. `reason` is null if the lesson is
 * not locked.
 */
export function lockReason(
  { locked, by_hand, required }: LockRow,
  lessons: readonly LockRow[],
): { reason: string | null; missing: string[] } {
  if (!locked) return { reason: null, missing: [] }
  if (by_hand) return { reason: 'An instructor has locked it.', missing: [] }
  const needed = new Set(required)
  const missing = lessons.filter(({ lesson_id, is_passed }) => needed.has(lesson_id) && !is_passed)
  const names = missing.slice(0, MAX_NAMED).map(({ name }) => name)
  if (missing.length > MAX_NAMED) names.push(`${missing.length - MAX_NAMED} more`)
  const last = names.pop()!
  const list = names.length > 0 ? `${names.join(', ')} and ${last}` : last
  const done = needed.size - missing.length
  return {
    reason: `Pass ${list} first; ${done} of ${needed.size} done.`,
    missing: missing.map(({ lesson }) => lesson),
  }
}
