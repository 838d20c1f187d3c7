import type { RowOf } from '../../../kernel/database/statement.ts'
import { fail } from '../../../kernel/errors.ts'
import { failByRule } from '../faults/faults.ts'
import type { RecordType } from '../model/names.ts'
import type { Links } from '../storing/schema.ts'
import type { Ids } from './ids.ts'
import type { findNamedRecords } from './store.ts'

/** The records that a statement names, with flags that say which of them the sender may see. */
export type NamedRecords = RowOf<typeof findNamedRecords>

const APART = 'The ids do not belong together'

/**
 * Determines the links of a statement: the records that its ids name, and those that can be derived from them. Throws
 * if they do not belong together. Each id is first checked on its own, so that a record that the sender may not see is
 * always refused like one that does not exist.
 */
export function resolveLinks(
  named: NamedRecords,
  personId: number,
  ids: Ids,
  nameOf: (type: RecordType) => string,
): Links {
  if (named.actor_id === null || !named.may_speak)
    throw failByRule('interface', 'actor must be the signed-in user, or a student of a class that they teach')
  const isOwn = named.actor_id === personId
  const need = (type: RecordType, isSeen: boolean) => {
    if (ids[type] !== undefined && !isSeen)
      throw fail('validationFailed', `${nameOf(type)} is unknown, or you cannot send statements about it`)
  }
  need('student', named.sees_student)
  need('lesson-result', named.sees_attempt)
  need('education-class', named.sees_class)
  need('lesson', named.sees_lesson)
  need('course', named.sees_course)
  need('objective', named.sees_objective)
  need('badge', named.sees_badge)
  const people = [personId, named.actor_id, named.enrolment_person_id]
  need('user', named.user_person_id !== null && people.includes(named.user_person_id))

  const enrolment = one('students', named.student_id, named.attempt_enrolment_id) ?? named.enrolment_id
  const ofClass = one('classes', named.class_id, named.enrolment_class_id)
  const lesson = one('lessons', named.lesson_id, named.attempt_lesson_id)
  const course = one(
    'courses',
    named.course_id,
    named.lesson_course_id,
    named.class_course_id,
    named.enrolment_course_id,
    named.objective_course_id,
    named.badge_course_id,
  )
  // Instructors may send for another person only if that person is a student of a class that they teach.
  if (!isOwn && enrolment !== null && !(named.teaches && named.enrolment_person_id === named.actor_id))
    throw fail('validationFailed', `${APART}: actor is not one of your students there`)
  if (!isOwn && enrolment === null && ofClass !== null)
    throw fail('validationFailed', `${APART}: actor is not a student of this class`)
  if (ofClass !== null) refuseClosed(named)
  if (ofClass !== null && lesson !== null && !named.is_lesson_of_class)
    throw fail('validationFailed', `${nameOf('lesson')} is not a lesson of this class`)
  if (named.objective_id !== null && lesson !== null && !named.is_objective_of_lesson)
    throw fail('validationFailed', `${nameOf('objective')} is not an objective of this lesson`)
  const links = {
    person: named.actor_id,
    sender: personId,
    lesson,
    course,
    class: ofClass,
    enrolment,
    attempt: named.attempt_id,
    objective: named.objective_id,
    badge: named.badge_id,
  }
  return Object.fromEntries(Object.entries(links).filter(([, id]) => id !== null)) as Links
}

function refuseClosed({ status, has_ended: hasEnded }: NamedRecords): void {
  if (status === 'suspended') throw fail('forbidden', 'You are suspended from this class; contact your instructor')
  if (status === 'dropped') throw fail('forbidden', 'You are no longer in this class')
  if (hasEnded) throw fail('impossibleNow', 'This class is closed; nothing more is recorded')
}

function one(what: string, ...values: (number | null)[]): number | null {
  const different = [...new Set(values.filter((value) => value !== null))]
  if (different.length > 1) throw fail('validationFailed', `${APART}: they refer to different ${what}`)
  return different[0] ?? null
}
