import { c, nullable, read, write } from '../../../kernel/database/statement.ts'

export const findIds = read('statements.findImported', {
  params: { ids: c.uuidArray },
  row: { statement_id: c.uuid },
  gather: false,
  text: `
    select k.id as statement_id from unnest(:ids) k(id)
     where (select i.seq from statement_ids i where i.statement_id = k.id) is not null`,
})

/**
 * Finds the records that imported statements are about. The attempt is the one that was open at the time of the
 * statement.
 */
export const findAbout = write('statements.findAbout', {
  params: { rows: c.json },
  row: {
    place: c.int8,
    handle: c.text,
    class: c.text,
    student: c.text,
    attempt: nullable(c.text),
    class_id: c.int8,
    course_id: c.int8,
    lesson_id: c.int8,
    enrolment_id: c.int8,
    attempt_id: nullable(c.int8),
  },
  text: `
    select r.place, p.handle, c.key as class, e.key as student, t.key as attempt,
           c.id as class_id, c.course_id, l.id as lesson_id, e.id as enrolment_id, t.id as attempt_id
      from json_to_recordset(:rows) as r(place bigint, class_id bigint, person_id bigint, lesson text, at timestamptz)
      join people p on p.id = r.person_id join classes c on c.id = r.class_id
      join enrolments e on e.class_id = c.id and e.person_id = p.id join lessons l on l.key = r.lesson and l.course_id = c.course_id
      left join lateral (
        select o.id, o.key from attempts o
         where o.enrolment_id = e.id and o.lesson_id = l.id and o.started_at <= r.at and (o.completed_at is null or o.completed_at >= r.at)
         order by o.started_at desc limit 1) t on true`,
})
