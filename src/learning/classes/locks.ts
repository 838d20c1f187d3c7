import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import * as store from './enrolment-store.ts'
import { readClass } from './enrolments.ts'
import { classEvents } from './events.ts'
import { mayChange, maySee } from './roles.ts'
import type { LessonLock, ListLocks, NameLock, SetLock } from './schema.ts'

/** Lists the locks that staff have set, for the class and for single students. */
export async function listLocks(db: Db, who: PersonCaller, { classId }: ListLocks): Promise<LessonLock[]> {
  const found = await readClass(db, who, classId, maySee)
  const rows = await db.all(store.listLocks, { class: found.id })
  return rows.map((row) => ({ classId, lessonId: row.lesson, studentId: row.student, locked: row.is_locked }))
}

/**
 * Locks or unlocks a lesson for a class or for one student. A student's lock overrides that of the class, and both
 * override the rules of the course.
 */
export const setLock = (db: Db, who: PersonCaller, what: SetLock): Promise<LessonLock> =>
  db.transaction(async (tx) => {
    const { row, personId } = await readLockTarget(tx, who, what)
    await tx.first(store.setLock, { ...row, locked: what.locked, person: who.personId, now: who.at })
    if (!what.locked) {
      const payload = { class: row.class, lesson: row.lesson, enrolment: row.student, by: who.personId }
      await classEvents.emit(tx, { kind: 'lesson.unlocked', subject: `class:${row.class}`, payload, at: who.at })
    }
    await audit(tx, who, what.locked ? 'locked' : 'unlocked', what, personId)
    return { classId: what.classId, lessonId: what.lessonId, studentId: what.studentId ?? null, locked: what.locked }
  })

/** Removes a lock that staff have set. Then the lock of the class or the rules of the course apply again. */
export const clearLock = (db: Db, who: PersonCaller, what: NameLock): Promise<void> =>
  db.transaction(async (tx) => {
    const { row, personId } = await readLockTarget(tx, who, what)
    const gone = await tx.first(store.deleteLock, row)
    if (gone) await audit(tx, who, 'lock-cleared', what, personId)
  })

/**
 * Finds the lesson and the student that a lock is about. Locks the student's row, so that the student cannot leave the
 * class before the transaction ends.
 */
async function readLockTarget(tx: Tx, who: PersonCaller, { classId, lessonId, studentId }: NameLock) {
  const found = await readClass(tx, who, classId, mayChange)
  const lesson = await tx.first(store.findLesson, { version: found.version_id, lesson: lessonId })
  if (!lesson) throw fail('notFound', 'There is no lesson with this id in this class')
  const row = { class: found.id, lesson: lesson.lesson_id, student: null }
  if (studentId === undefined) return { row, personId: undefined }
  await tx.first(store.lockStudent, { student: studentId })
  const student = await tx.first(store.findStudent, { person: who.personId, app: null, student: studentId })
  if (student?.class_id !== found.id) throw fail('validationFailed', 'studentId is not a student of this class')
  return { row: { ...row, student: student.id }, personId: student.person_id }
}

type Verb = 'locked' | 'unlocked' | 'lock-cleared'

const audit = (tx: Tx, who: PersonCaller, verb: Verb, what: NameLock, personId: number | undefined) =>
  recordAudit(tx, who, {
    action: `lesson.${verb}`,
    ...(personId === undefined ? {} : { personId }),
    detail: { class: what.classId, lesson: what.lessonId, by: who.personId },
  })
