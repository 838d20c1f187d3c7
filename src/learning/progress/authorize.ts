import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isGrader, isRecorder, mayGrade, mayRead, mayRecord, maySee, type Relation } from '../classes/roles.ts'
import type { LessonKind } from '../courses/schema.ts'
import { type Attempt, toAttempt } from './attempt.ts'
import * as roles from './authorize-store.ts'
import { type WriteAction, whyNotWritten } from './rules.ts'
import type { NameAttempt } from './schema.ts'
import * as store from './store.ts'

/** A caller who is a person with an account, in an app or on the platform's own pages. */
export type LearningCaller = Caller & { readonly personId: number; readonly appId?: number | undefined }

/**
 * The student, lesson and class that a request is about. It is made only after the caller's permission has been
 * checked.
 */
export interface LessonContext {
  readonly enrolmentId: number
  readonly student: string
  /** The student's status in the class. */
  readonly status: string
  readonly lessonId: number
  readonly classId: number
  readonly kind: LessonKind
  /** The score required to pass; null if the lesson is passed or failed without a score. */
  readonly threshold: number | null
  readonly isInstructorGraded: boolean
  readonly isLocked: boolean
  readonly attempts: number
  /** Null if the number of attempts is not limited. */
  readonly maxAttempts: number | null
  readonly attemptsLeft: number
  /** Whether the caller is the student. */
  readonly isOwn: boolean
  /** Whether the caller is an instructor of the class. */
  readonly teaches: boolean
  /** The latest attempt; undefined if there is none, or if all were reset. */
  readonly attempt: Attempt | undefined
}

const MAY = { read: mayRead, grade: mayGrade, attend: mayRecord, complete: mayRecord, report: mayRecord }
type Purpose = 'read' | 'grade' | WriteAction

const FORBIDDEN = 'You do not have permission to do this for this student'
const NO_STUDENT = 'studentId is missing: send the id of a student of the class'

/**
 * Checks the caller's permission for a student's lesson. Students act for themselves, and instructors for the students
 * of their classes; owners may read and grade; other staff and managers may only read. A class or student with which
 * the caller has nothing to do is refused with the same message whether it exists or not. The answers of the attempt
 * can be long, so they are read only with `withAnswers`. A student can begin an attempt if the lesson is open at `at`.
 */
export async function authorizeLesson(
  db: Db,
  who: LearningCaller,
  what: NameAttempt,
  purpose: Purpose,
  { withAnswers = false, recorder, at = who.at }: { withAnswers?: boolean; recorder?: LessonKind; at?: Date } = {},
): Promise<LessonContext> {
  const { personId: person } = who
  const { lessonId: lesson, classId, studentId } = what
  const row = (await db.first(store.findLessonContext, {
    person,
    lesson,
    class: classId ?? null,
    student: studentId ?? null,
    withLock: isWrite(purpose),
    withAnswers,
    at,
  }))!
  // Of the managers, only owners may grade, so ownership is queried only for a manager who wants to grade.
  const needsOwner = purpose === 'grade' && row.manages && !row.teaches && row.class_id !== null
  const owns = needsOwner && (await db.first(roles.findOwner, { person, class: row.class_id! }))?.owns === true
  const relation = toRelation(row, owns)
  if (row.enrolment_id === null || (studentId === undefined && row.status === 'dropped')) {
    if (studentId === undefined && classId !== undefined && maySee(relation)) throw fail('parameterMissing', NO_STUDENT)
    if (studentId === undefined && classId === undefined) await refuseLesson(db, who, lesson)
    throw fail('forbidden', FORBIDDEN)
  }
  if (!MAY[purpose](relation)) throw fail('forbidden', row.is_own ? whyNot(relation, purpose) : FORBIDDEN)
  if (!row.is_asked_class) throw fail('validationFailed', 'studentId is not a student of this class')
  if (row.lesson_id === null || !row.in_course) {
    const visibility = await db.first(store.findLessonVisibility, { person, app: who.appId ?? null, lesson })
    if (visibility?.is_known) throw fail('validationFailed', 'lessonId is not a lesson of this class')
    throw fail('notFound', 'There is no lesson with this id, or you do not take it')
  }
  const kind = row.kind as LessonKind
  if (isWrite(purpose)) {
    await checkReporter(db, who, purpose, { kind, recorder, app: row.app_id, isOwn: row.is_own })
    if (row.has_ended) throw fail('impossibleNow', 'This class is closed; nothing more is recorded')
  }
  const attempts = row.attempts ?? 0
  return {
    enrolmentId: row.enrolment_id,
    student: row.student!,
    status: row.status!,
    lessonId: row.lesson_id,
    classId: row.class_id!,
    kind,
    threshold: row.threshold,
    isInstructorGraded: row.instructor_graded ?? false,
    isLocked: row.locked ?? false,
    attempts,
    maxAttempts: row.max_attempts,
    attemptsLeft:
      row.max_attempts === null ? Number.POSITIVE_INFINITY : row.max_attempts + (row.extra_attempts ?? 0) - attempts,
    isOwn: row.is_own,
    teaches: row.teaches,
    attempt: row.attempt_id === null ? undefined : toAttempt(row as Parameters<typeof toAttempt>[0]),
  }
}

const isWrite = (purpose: Purpose): purpose is WriteAction => purpose !== 'read' && purpose !== 'grade'

/** Throws if progress at the lesson is not written through the calling app, or not by students in the pages. */
async function checkReporter(
  db: Db,
  { appId }: LearningCaller,
  action: WriteAction,
  lesson: { kind: LessonKind; recorder: LessonKind | undefined; app: number | null; isOwn: boolean },
): Promise<void> {
  const { app, ...how } = lesson
  switch (whyNotWritten(action, { ...how, lessonApp: app, callerApp: appId })) {
    case 'another app':
      throw fail('forbidden', 'Another app delivers this lesson; record progress through that app')
    case 'no app':
      throw fail('forbidden', "No app delivers this lesson; record its progress on the platform's own pages")
    case 'the quiz reports':
      throw fail('forbidden', 'This lesson is a quiz: answer its questions, and the platform records the result')
    case 'the content reports':
      throw fail('forbidden', 'The content of this lesson reports its progress: launch it, and work on it there')
    case 'read it':
      throw fail('forbidden', 'Students report no result of this lesson: complete it, and it is passed')
    case 'an instructor reports':
      throw fail('forbidden', 'Your instructor records the result of this lesson')
    case 'the app reports': {
      const name = (await db.first(roles.findAppName, { app: app! }))?.name ?? 'an app'
      throw fail(
        'forbidden',
        `This lesson is delivered by ${name}, and only ${name} reports its results; open it there`,
      )
    }
  }
}

interface RelationRow {
  readonly is_own: boolean
  readonly teaches: boolean
  readonly observes: boolean
  readonly manages: boolean
  readonly status: string | null
}

const toRelation = (row: RelationRow, owns = false): Relation => ({
  isOwn: row.is_own,
  teaches: row.teaches,
  observes: row.observes,
  manages: row.manages,
  owns,
  status: row.status ?? '',
})

function whyNot({ status }: Relation, purpose: Purpose): string {
  if (purpose === 'grade')
    return 'Only an instructor of the class or an owner of the organisation can do this, and not for themselves'
  return status === 'suspended'
    ? 'You are suspended from this class; contact your instructor'
    : 'You are no longer in this class'
}

/** Throws the error for a caller who takes no class with this lesson. An instructor is asked to name a student. */
async function refuseLesson(db: Db, who: LearningCaller, lesson: string): Promise<void> {
  const visibility = await db.first(store.findLessonVisibility, {
    person: who.personId,
    app: who.appId ?? null,
    lesson,
  })
  if (!visibility?.is_known) throw fail('notFound', 'There is no lesson with this id, or you do not take it')
  if (visibility.is_taught) throw fail('parameterMissing', NO_STUDENT)
  throw fail('forbidden', 'You are not in a class with this lesson')
}

/** A student of a class, for requests that are not about a single lesson. */
export interface Student {
  readonly enrolmentId: number
  readonly studentId: string
  readonly classId: string
}

/**
 * Checks whether the caller may read about a student. The class defaults to that of the student, and the student to the
 * caller.
 */
export async function authorizeStudent(
  db: Db,
  who: LearningCaller,
  { classId, studentId }: { classId?: string; studentId?: string },
): Promise<Student> {
  if (classId === undefined && studentId === undefined) throw fail('parameterMissing', 'studentId is missing')
  const row = (await db.first(roles.findStudent, {
    person: who.personId,
    class: classId ?? null,
    student: studentId ?? null,
  }))!
  const relation = toRelation(row)
  if (row.enrolment_id === null || (studentId === undefined && row.status === 'dropped')) {
    if (studentId === undefined && maySee(relation)) throw fail('parameterMissing', NO_STUDENT)
    throw fail('forbidden', FORBIDDEN)
  }
  if (!mayRead(relation)) throw fail('forbidden', FORBIDDEN)
  if (!row.is_asked_class) throw fail('validationFailed', 'studentId is not a student of this class')
  return { enrolmentId: row.enrolment_id, studentId: row.student!, classId: row.class! }
}

/**
 * Checks the caller's permission for a class: staff and managers may read, instructors and owners may grade, and only
 * instructors may record. A class with which the caller has nothing to do is refused like one that does not exist.
 */
export async function authorizeClass(
  db: Db,
  who: LearningCaller,
  { classId }: { classId: string },
  purpose: 'read' | 'grade' | 'record',
): Promise<{ readonly id: number; readonly versionId: number }> {
  const row = await db.first(roles.findClass, { person: who.personId, class: classId })
  const may = { read: maySee, grade: isGrader, record: isRecorder }[purpose]
  if (!row || !may(row)) throw fail('forbidden', 'You do not have permission to do this in this class')
  return { id: row.id, versionId: row.version_id }
}
