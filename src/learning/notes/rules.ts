import { fail } from '../../kernel/errors.ts'

/** The records to which the ids of a new note refer. An id column is null if the id was not given or does not exist. */
export interface NoteTargets {
  readonly lesson_id: number | null
  readonly lesson_course_id: number | null
  readonly class_id: number | null
  readonly class_course_id: number | null
  readonly enrolment_id: number | null
  readonly student_class_id: number | null
  readonly student_course_id: number | null
  readonly student_person_id: number | null
  readonly course_id: number | null
  readonly user_person_id: number | null
  readonly sees_lesson: boolean
  readonly sees_course: boolean
  readonly sees_class: boolean
  readonly sees_student: boolean
  readonly may_name_user: boolean
  /** Whether the lesson belongs to the class of the note, or to the class of its student. */
  readonly is_lesson_of_class: boolean
  readonly has_ended: boolean
  /** The caller's own status as a student of that class; null for staff and managers. */
  readonly status: string | null
}

/** The internal ids of the records that a note is about. */
export interface About {
  readonly lesson: number | null
  readonly class: number | null
  readonly enrolment: number | null
  readonly course: number | null
  readonly about: number | null
}

interface Ids {
  readonly lessonId?: string | undefined
  readonly userId?: string | undefined
  readonly classId?: string | undefined
  readonly studentId?: string | undefined
  readonly courseId?: string | undefined
}

/**
 * Resolves the ids of a note and adds those that can be derived. Throws if they do not belong together. Each id is
 * checked on its own before it is compared with others, so that a record that the caller may not see is always refused
 * like one that does not exist.
 */
export function resolveNote(targets: NoteTargets, ids: Ids): About {
  const need = (field: keyof Ids, isSeen: boolean) => {
    if (ids[field] !== undefined && !isSeen)
      throw fail('validationFailed', `${field} is unknown, or you cannot create notes about it`)
  }
  need('studentId', targets.sees_student)
  need('classId', targets.sees_class)
  const classId = one('classes', targets.class_id, targets.student_class_id)
  if (classId !== null) refuseClosed(targets)
  need('lessonId', targets.sees_lesson)
  need('courseId', targets.sees_course)
  need('userId', targets.may_name_user)
  const about = {
    lesson: targets.lesson_id,
    class: classId,
    enrolment: targets.enrolment_id,
    course: one(
      'courses',
      targets.course_id,
      targets.lesson_course_id,
      targets.class_course_id,
      targets.student_course_id,
    ),
    about: one('people', targets.user_person_id, targets.student_person_id),
  }
  if (classId !== null && targets.lesson_id !== null && !targets.is_lesson_of_class)
    throw fail('validationFailed', 'lessonId is not a lesson of this class')
  return about
}

function refuseClosed({ status, has_ended: hasEnded }: NoteTargets): void {
  if (status === 'suspended') throw fail('forbidden', 'You are suspended from this class; contact your instructor')
  if (status === 'dropped') throw fail('forbidden', 'You are no longer in this class')
  if (hasEnded) throw fail('impossibleNow', 'This class is closed; notes can no longer be created')
}

function one(what: string, ...values: (number | null)[]): number | null {
  const different = [...new Set(values.filter((value) => value !== null))]
  if (different.length > 1)
    throw fail('validationFailed', `The ids do not belong together: they refer to different ${what}`)
  return different[0] ?? null
}
