import { fail } from '../../kernel/errors.ts'

/** What the ids of a new note name; null where nothing was named, or nothing is there. */
export interface Named {
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
  /** Of the class that the note is about, or the student's. */
  readonly is_lesson_of_class: boolean
  readonly has_ended: boolean
  /** The caller's own as a student of that class; null for its staff and managers, who write as such. */
  readonly status: string | null
}

/** What a note is about. */
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
 * The ids that a note keeps: those that were given, and those that follow from them. They must belong together. What the caller has nothing to do with is refused in the
 * same words as what does not exist, whatever else is named: each id is looked at by itself before any two are compared.
 */
export function resolveNote(named: Named, ids: Ids): About {
  const need = (field: keyof Ids, isSeen: boolean) => {
    if (ids[field] !== undefined && !isSeen)
      throw fail('validationFailed', `${field} names nothing that you can write a note about`)
  }
  need('studentId', named.sees_student)
  need('classId', named.sees_class)
  const classId = one('classes', named.class_id, named.student_class_id)
  if (classId !== null) refuseClosed(named)
  need('lessonId', named.sees_lesson)
  need('courseId', named.sees_course)
  need('userId', named.may_name_user)
  const about = {
    lesson: named.lesson_id,
    class: classId,
    enrolment: named.enrolment_id,
    course: one('courses', named.course_id, named.lesson_course_id, named.class_course_id, named.student_course_id),
    about: one('people', named.user_person_id, named.student_person_id),
  }
  if (classId !== null && named.lesson_id !== null && !named.is_lesson_of_class)
    throw fail('validationFailed', 'lessonId is not a lesson of that class')
  return about
}

function refuseClosed({ status, has_ended: hasEnded }: Named): void {
  if (status === 'suspended') throw fail('forbidden', 'You are suspended from this class; ask its instructor')
  if (status === 'dropped') throw fail('forbidden', 'You are no longer in this class')
  if (hasEnded) throw fail('impossibleNow', 'This class has ended; no notes are written about it any more')
}

function one(what: string, ...values: (number | null)[]): number | null {
  const different = [...new Set(values.filter((value) => value !== null))]
  if (different.length > 1)
    throw fail('validationFailed', `The ids do not belong together: they name different ${what}`)
  return different[0] ?? null
}
