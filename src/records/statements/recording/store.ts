import { c, nullable, write } from '../../../kernel/database/statement.ts'

/** Finds the records that events are about, as far as they still exist. */
export const findRecorded = write('statements.findRecorded', {
  params: { events: c.json },
  row: {
    event: c.int8,
    handle: c.text,
    lesson: c.text,
    course: c.text,
    class: c.text,
    student: c.text,
    attempt: c.text,
    objective: nullable(c.text),
    person_id: c.int8,
    lesson_id: c.int8,
    course_id: c.int8,
    class_id: c.int8,
    enrolment_id: c.int8,
    attempt_id: c.int8,
    objective_id: nullable(c.int8),
    question_key: nullable(c.text),
    revision: nullable(c.int4),
    question: nullable(c.json),
    response: nullable(c.json),
    kind: nullable(c.text),
  },
  text: `
    select n.id as event, p.handle, l.key as lesson, k.key as course, c.key as class, e.key as student, t.key as attempt, j.key as objective,
           p.id as person_id, l.id as lesson_id, k.id as course_id, c.id as class_id, e.id as enrolment_id, t.id as attempt_id, j.id as objective_id,
           u.key as question_key, a.revision, r.content as question, a.response, v.kind
      from json_to_recordset(:events) as n(id bigint, attempt bigint, objective bigint, position int)
      join attempts t on t.id = n.attempt join enrolments e on e.id = t.enrolment_id join people p on p.id = e.person_id
      join classes c on c.id = e.class_id join courses k on k.id = c.course_id join lessons l on l.id = t.lesson_id
      left join lesson_versions v on v.version_id = c.version_id and v.lesson_id = t.lesson_id
      left join objectives j on j.id = n.objective
      left join quiz_answers a on a.attempt_id = n.attempt and a.position = n.position
      left join questions u on u.id = a.question_id
      left join question_revisions r on r.question_id = a.question_id and r.number = a.revision`,
})
