import type { Db } from '../database/database.ts'
import { readAsked, readStudent, type Who } from './asked.ts'
import type { LockReason } from './results-schema.ts'
import * as store from './results-store.ts'
import { lockReason } from './rules.ts'
import type { Locks, NameAttempt, ReadLocks } from './schema.ts'

/** Which lessons of a class are locked for a student. */
export async function readLocks(db: Db, who: Who, what: ReadLocks): Promise<Locks> {
  const { enrolmentId: enrolment } = await readStudent(db, who, what)
  const rows = await db.all(store.listLocks, { enrolment })
  const toLock = ({ lesson, locked }: (typeof rows)[number]) => ({ lessonId: lesson, locked })
  return rows
    .filter(({ parent }) => parent === null)
    .map((row) => ({
      ...toLock(row),
      childLessons: rows.filter(({ parent }) => parent === row.lesson).map(toLock),
    }))
}

/** Why a lesson is locked for a student, and what to pass first. */
export async function readLockReason(db: Db, who: Who, what: NameAttempt): Promise<LockReason> {
  const asked = await readAsked(db, who, what, 'read')
  const rows = await db.all(store.listLocks, { enrolment: asked.enrolmentId })
  const row = rows.find(({ lesson_id }) => lesson_id === asked.lessonId)!
  return { lessonId: row.lesson, studentId: asked.student, locked: row.locked, ...lockReason(row, rows) }
}
