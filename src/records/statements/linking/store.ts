import { c, nullable, read } from '../../../kernel/database/statement.ts'

/** Whether the caller may see a course: they belong to it (`is_inside`), or one of its lessons is public. */
const seesCourse = (course: string) => `
           coalesce((select w.is_inside or exists (select from lesson_versions v where v.version_id = w.version_id and v.is_public)
             from course_view(:person, ${course}, null) w), false)`

/** Selects the actor's enrolment in the newest class that the caller teaches and that includes the lesson. */
const TAUGHT = `
        select o.id from enrolments o join class_staff s on s.class_id = o.class_id and s.person_id = :person and s.role = 'instructor'
          join classes c on c.id = o.class_id
         where o.person_id = y.actor_id and o.status <> 'dropped'
           and exists (select from lesson_versions v where v.version_id = c.version_id and v.lesson_id = y.lesson_id offset 0)
         order by c.ended_at is not null, o.enrolled_at desc, o.id desc limit 1`

export const findActor = read('statements.findActor', {
  params: { handle: c.text },
  row: { id: c.int8 },
  text: `select id from people where handle_key = :handle and disabled_at is null and not anonymous`,
})

/**
 * Finds the actor, the records that the ids in a statement name, whether the caller may see each of them, and the
 * caller's role in the class. Without a student id, the enrolment is the actor's: in the named class, else in the
 * newest class that includes the lesson.
 */
export const findNamedRecords = read('statements.findNamedRecords', {
  params: {
    person: c.int8,
    app: nullable(c.int8),
    verb: c.text,
    handle: nullable(c.text),
    actor: nullable(c.text),
    lesson: nullable(c.text),
    class: nullable(c.text),
    student: nullable(c.text),
    course: nullable(c.text),
    user: nullable(c.text),
    objective: nullable(c.text),
    badge: nullable(c.text),
    attempt: nullable(c.text),
  },
  row: {
    is_added_verb: c.bool,
    client_id: nullable(c.text),
    actor_id: nullable(c.int8),
    actor_handle: nullable(c.text),
    may_speak: c.bool,
    lesson_id: nullable(c.int8),
    lesson_course_id: nullable(c.int8),
    sees_lesson: c.bool,
    class_id: nullable(c.int8),
    class_course_id: nullable(c.int8),
    sees_class: c.bool,
    student_id: nullable(c.int8),
    sees_student: c.bool,
    attempt_id: nullable(c.int8),
    attempt_enrolment_id: nullable(c.int8),
    attempt_lesson_id: nullable(c.int8),
    sees_attempt: c.bool,
    course_id: nullable(c.int8),
    sees_course: c.bool,
    objective_id: nullable(c.int8),
    objective_course_id: nullable(c.int8),
    sees_objective: c.bool,
    is_objective_of_lesson: c.bool,
    badge_id: nullable(c.int8),
    badge_course_id: nullable(c.int8),
    sees_badge: c.bool,
    user_person_id: nullable(c.int8),
    enrolment_id: nullable(c.int8),
    enrolment_person_id: nullable(c.int8),
    enrolment_class_id: nullable(c.int8),
    enrolment_course_id: nullable(c.int8),
    is_lesson_of_class: c.bool,
    teaches: c.bool,
    has_ended: c.bool,
    status: nullable(c.text),
  },
  text: `
    select exists (select from verbs b where b.iri = :verb) as is_added_verb,
           (select a.client_id from apps a where a.id = :app) as client_id,
           x.actor_id, p.handle as actor_handle,
           coalesce(x.actor_id = :person or exists (
             select from class_staff s join enrolments o on o.class_id = s.class_id
              where s.person_id = :person and s.role = 'instructor' and o.person_id = x.actor_id and o.status <> 'dropped'), false) as may_speak,
           x.lesson_id, l.course_id as lesson_course_id,
           coalesce((select w.is_inside or exists (select from lesson_versions v where v.version_id = w.version_id and v.lesson_id = l.id and v.is_public)
             from course_view(:person, l.course_id, null) w), false) as sees_lesson,
           x.class_id, c.course_id as class_course_id,
           coalesce((select w.is_inside from course_view(:person, c.course_id, c.id) w), false)
             or exists (select from enrolments o where o.class_id = c.id and o.person_id = :person) as sees_class,
           n.id as student_id, coalesce(n.person_id = :person or exists (
             select from class_staff s where s.class_id = n.class_id and s.person_id = :person and s.role = 'instructor'), false) as sees_student,
           t.id as attempt_id, te.id as attempt_enrolment_id, t.lesson_id as attempt_lesson_id,
           coalesce(te.person_id = :person or exists (
             select from class_staff s where s.class_id = te.class_id and s.person_id = :person and s.role = 'instructor'), false) as sees_attempt,
           x.course_id, ${seesCourse('x.course_id')} as sees_course,
           j.id as objective_id, j.course_id as objective_course_id, ${seesCourse('j.course_id')} as sees_objective,
           exists (select from objective_versions v where v.objective_id = j.id and coalesce(x.lesson_id, t.lesson_id) = any(v.lessons)) as is_objective_of_lesson,
           d.id as badge_id, d.course_id as badge_course_id, ${seesCourse('d.course_id')} as sees_badge,
           u.person_id as user_person_id,
           e.id as enrolment_id, e.person_id as enrolment_person_id, e.class_id as enrolment_class_id, g.course_id as enrolment_course_id,
           exists (select from lesson_versions v where v.version_id = g.version_id and v.lesson_id = coalesce(x.lesson_id, t.lesson_id)) as is_lesson_of_class,
           coalesce(r.teaches, false) as teaches, g.ended_at is not null as has_ended,
           (select o.status from enrolments o
             where o.class_id = g.id and o.person_id = :person and not (r.teaches or r.observes or r.manages)) as status
      from (select y.*, case
                     when y.student_id is not null then y.student_id
                     when y.attempt_id is not null then (select o.enrolment_id from attempts o where o.id = y.attempt_id)
                     when :class is not null then (select o.id from enrolments o where o.class_id = y.class_id and o.person_id = y.actor_id)
                     when y.actor_id = :person then newest_enrolment(y.actor_id, y.lesson_id)
                     else (${TAUGHT}) end as enrolment_id
              from (select case when :handle is not null
                                then (select o.id from people o where o.handle_key = :handle and o.disabled_at is null and not o.anonymous)
                                else (select o.person_id from app_users o where o.app_id = :app and o.user_id = :actor) end as actor_id,
                           (select o.id from lessons o where o.key = :lesson) as lesson_id, (select o.id from classes o where o.key = :class) as class_id,
                           (select o.id from enrolments o where o.key = :student) as student_id, (select o.id from attempts o where o.key = :attempt) as attempt_id,
                           (select o.id from courses o where o.key = :course) as course_id) y offset 0) x
      left join people p on p.id = x.actor_id
      left join lessons l on l.id = x.lesson_id left join classes c on c.id = x.class_id
      left join enrolments n on n.id = x.student_id
      left join attempts t on t.id = x.attempt_id left join enrolments te on te.id = t.enrolment_id
      left join objectives j on j.key = :objective left join badges d on d.key = :badge
      left join app_users u on u.app_id = :app and u.user_id = :user
      left join enrolments e on e.id = x.enrolment_id
      left join classes g on g.id = coalesce(e.class_id, c.id)
      left join lateral roles_in_class(:person, g) r on g.id is not null`,
})
