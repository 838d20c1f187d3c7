import { c, nullable, read } from '../../kernel/database/statement.ts'

/**
 * Finds the student that the request names, or else the caller as a student of the class, and the caller's roles in the
 * class.
 */
export const findStudent = read('progress.findStudent', {
  params: { person: c.int8, class: nullable(c.text), student: nullable(c.text) },
  row: {
    enrolment_id: nullable(c.int8),
    student: nullable(c.text),
    class: nullable(c.text),
    status: nullable(c.text),
    is_own: c.bool,
    is_asked_class: c.bool,
    teaches: c.bool,
    observes: c.bool,
    manages: c.bool,
  },
  text: `
    select e.id as enrolment_id, e.key as student, c.key as class, e.status, coalesce(e.person_id = :person, false) as is_own,
           :class is null or coalesce(c.key = :class, false) as is_asked_class,
           coalesce(r.teaches, false) as teaches, coalesce(r.observes, false) as observes, coalesce(r.manages, false) as manages
      from (select (select c.id from classes c where c.key = :class) as class_id) a
      left join enrolments e on e.id = case
        when :student is not null then (select o.id from enrolments o where o.key = :student)
        else (select o.id from enrolments o where o.class_id = a.class_id and o.person_id = :person) end
      left join classes c on c.id = coalesce(e.class_id, a.class_id)
      left join lateral roles_in_class(:person, c) r on c.id is not null`,
})

export const findClass = read('progress.findClass', {
  params: { person: c.int8, class: c.text },
  row: { id: c.int8, version_id: c.int8, teaches: c.bool, observes: c.bool, manages: c.bool, owns: c.bool },
  text: `
    select c.id, c.version_id, r.teaches, r.observes, r.manages, o.owns
      from classes c, roles_in_class(:person, c) r, owns_class(:person, c) o where c.key = :class`,
})

export const findOwner = read('progress.findOwner', {
  params: { person: c.int8, class: c.int8 },
  row: { owns: c.bool },
  text: `select o.owns from classes c, owns_class(:person, c) o where c.id = :class`,
})

export const findAppName = read('progress.findAppName', {
  params: { app: c.int8 },
  row: { name: c.text },
  text: `select name from apps where id = :app`,
})
