import type { Member } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { type Attempt, toAttempt } from './attempt.ts'
import { mayGrade, mayRead, mayWrite, type Standing } from './rules.ts'
import type { NameAttempt } from './schema.ts'
import * as store from './store.ts'

/** Whom and what a request is about, once it is known that the caller may. */
export interface Asked {
  readonly enrolmentId: number
  readonly student: string
  readonly lessonId: number
  readonly classId: number
  /** Points to pass with; null: pass or fail. */
  readonly threshold: number | null
  readonly isInstructorGraded: boolean
  readonly isLocked: boolean
  readonly attempts: number
  readonly attemptsLeft: number
  /** Whether the caller is an instructor of the class. */
  readonly teaches: boolean
  /** The latest that counts. */
  readonly attempt: Attempt | undefined
}

const MAY = { read: mayRead, write: mayWrite, grade: mayGrade }
export type Purpose = keyof typeof MAY

const FORBIDDEN = 'You may not do that for this student'
const NO_STUDENT = 'studentId is missing: say which student of the class it is about'

/**
 * Who may: students for themselves, instructors for students of their classes; others read where they may. A class or a student that the caller has nothing to do with
 * is refused in the same words, whether it exists or not.
 */
export async function readAsked(db: Db, who: Member, what: NameAttempt, purpose: Purpose): Promise<Asked> {
  const { personId: person } = who
  const { lessonId: lesson, classId, studentId } = what
  const row = (await db.first(store.findAsked, {
    person,
    lesson,
    class: classId ?? null,
    student: studentId ?? null,
    withLock: purpose === 'write',
  }))!
  const standing: Standing = {
    isOwn: row.is_own,
    teaches: row.teaches,
    observes: row.observes,
    manages: row.manages,
    status: row.status ?? '',
  }
  const isStaff = standing.teaches || standing.observes || standing.manages
  if (row.enrolment_id === null || (studentId === undefined && row.status === 'dropped')) {
    if (studentId === undefined && classId !== undefined && isStaff) throw fail('parameterMissing', NO_STUDENT)
    if (studentId === undefined && classId === undefined) await refuseLesson(db, who, lesson)
    throw fail('forbidden', FORBIDDEN)
  }
  if (!MAY[purpose](standing)) throw fail('forbidden', row.is_own ? whyNot(standing) : FORBIDDEN)
  if (!row.is_asked_class) throw fail('validationFailed', 'studentId is no student of that class')
  if (row.lesson_id === null || !row.in_course) {
    const known = await db.first(store.findKnown, { person, app: who.appId ?? null, lesson })
    if (known?.is_known) throw fail('validationFailed', 'lessonId is no lesson of that class')
    throw fail('notFound', 'There is no lesson with that id, or you do not take it')
  }
  if (purpose === 'write') {
    if (row.app_id !== null && who.appId !== undefined && row.app_id !== who.appId)
      throw fail('forbidden', 'Another app delivers this lesson, and progress is recorded through it')
    if (row.has_ended) throw fail('impossibleNow', 'This class has ended; nothing is recorded any more')
  }
  const attempts = row.attempts ?? 0
  return {
    enrolmentId: row.enrolment_id,
    student: row.student!,
    lessonId: row.lesson_id,
    classId: row.class_id!,
    threshold: row.threshold,
    isInstructorGraded: row.instructor_graded ?? false,
    isLocked: row.locked ?? false,
    attempts,
    attemptsLeft:
      row.max_attempts === null ? Number.POSITIVE_INFINITY : row.max_attempts + (row.extra_attempts ?? 0) - attempts,
    teaches: row.teaches,
    attempt: row.attempt_id === null ? undefined : toAttempt(row as Parameters<typeof toAttempt>[0]),
  }
}

const whyNot = ({ status }: Standing): string =>
  status === 'suspended' ? 'You are suspended from this class; ask its instructor' : 'You are no longer in this class'

/** Who takes no class with the lesson: an instructor has to say whom it is about, others have nothing to do with it. */
async function refuseLesson(db: Db, who: Member, lesson: string): Promise<void> {
  const known = await db.first(store.findKnown, { person: who.personId, app: who.appId ?? null, lesson })
  if (!known?.is_known) throw fail('notFound', 'There is no lesson with that id, or you do not take it')
  if (known.is_taught) throw fail('parameterMissing', NO_STUDENT)
  throw fail('forbidden', 'You take no class with this lesson')
}

/** The student of a class, for what is about all its lessons. */
export async function readStudent(
  db: Db,
  who: Member,
  { classId, studentId }: { classId: string; studentId?: string },
): Promise<number> {
  const row = (await db.first(store.findStudent, {
    person: who.personId,
    class: classId,
    student: studentId ?? null,
  }))!
  const standing = {
    isOwn: row.is_own,
    teaches: row.teaches,
    observes: row.observes,
    manages: row.manages,
    status: row.status ?? '',
  }
  const isStaff = standing.teaches || standing.observes || standing.manages
  if (row.enrolment_id === null || (studentId === undefined && row.status === 'dropped')) {
    if (studentId === undefined && isStaff) throw fail('parameterMissing', NO_STUDENT)
    throw fail('forbidden', FORBIDDEN)
  }
  if (!mayRead(standing)) throw fail('forbidden', FORBIDDEN)
  if (!row.is_asked_class) throw fail('validationFailed', 'studentId is no student of that class')
  return row.enrolment_id
}
