import { c, list, nullable } from '../../kernel/database/statement.ts'

/** Lists new students of classes that have not ended. */
export const listEnrolled = list('classes.listEnrolled', {
  params: { enrolments: c.int8Array, by: nullable(c.int8) },
  row: { person_id: c.int8, class: c.text, name: c.text, by_name: nullable(c.text) },
  text: `
    select e.person_id, c.key as class, c.name, w.name as by_name
      from enrolments e join classes c on c.id = e.class_id
      left join (select coalesce(nullif(trim(first_name || ' ' || last_name), ''), handle) as name from people where id = :by) w on true
     where e.id = any(:enrolments) and e.status = 'active' and c.ended_at is null and e.person_id is distinct from :by
     order by e.id`,
})

/** Lists the students for whom a lesson is unlocked and not completed, after an enrolment id. */
export const listUnlocked = list('classes.listUnlocked', {
  params: {
    class: c.int8,
    lesson: c.int8,
    enrolment: nullable(c.int8),
    after: c.int8,
    limit: c.int8,
    now: c.timestamptz,
  },
  row: { id: c.int8, person_id: c.int8, class: c.text, class_name: c.text, lesson: c.text, name: c.text },
  text: `
    select e.id, e.person_id, c.key as class, c.name as class_name, l.key as lesson, v.name
      from classes c join lesson_versions v on v.version_id = c.version_id and v.lesson_id = :lesson join lessons l on l.id = v.lesson_id
      join enrolments e on e.class_id = c.id and e.status = 'active' and e.id = coalesce(:enrolment, e.id)
      left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
     cross join lateral lock_of(e.id, passed_lessons(e.id), c, v, :now) k
     where c.id = :class and c.ended_at is null and e.id > :after and not k.locked and coalesce(s.state, '') <> 'completed'
     order by e.id limit :limit`,
})
