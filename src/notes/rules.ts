import { fail } from '../errors.ts'

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
  readonly sees_course: boolean
  readonly is_inside: boolean
  readonly teaches: boolean
  readonly may_name_user: boolean
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
 * same words as what does not exist.
 */
export function resolveNote(named: Named, ids: Ids, personId: number): About {
  const refuse = (field: string) => fail('validationFailed', `${field} names nothing that you can write a note about`)
  if (ids.studentId !== undefined && !(named.teaches || named.student_person_id === personId)) throw refuse('studentId')
  if (ids.classId !== undefined && ids.studentId === undefined && !named.is_inside) throw refuse('classId')
  if (ids.classId !== undefined && named.class_id === null) throw refuse('classId')
  const seesByClass = named.is_inside
  if (ids.lessonId !== undefined && (named.lesson_id === null || !(named.sees_course || seesByClass)))
    throw refuse('lessonId')
  if (ids.courseId !== undefined && (named.course_id === null || !(named.sees_course || seesByClass)))
    throw refuse('courseId')
  const isNew = ids.userId !== undefined && (named.user_person_id === null || !named.may_name_user)
  if (isNew) throw refuse('userId')

  const one = (what: string, ...values: (number | null)[]): number | null => {
    const different = [...new Set(values.filter((value) => value !== null))]
    if (different.length > 1)
      throw fail('validationFailed', `The ids do not belong together: they name different ${what}`)
    return different[0] ?? null
  }
  return {
    lesson: named.lesson_id,
    class: one('classes', named.class_id, named.student_class_id),
    enrolment: named.enrolment_id,
    course: one('courses', named.course_id, named.lesson_course_id, named.class_course_id, named.student_course_id),
    about: one('people', named.user_person_id, named.student_person_id),
  }
}
