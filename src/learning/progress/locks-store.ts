import { c, list, nullable } from '../../kernel/database/statement.ts'

/** Lists the lessons of a student's class in course order, and whether each is locked. */
export const listLocks = list('progress.listLocks', {
  params: { enrolment: c.int8 },
  row: {
    lesson_id: c.int8,
    lesson: c.text,
    name: c.text,
    parent: nullable(c.text),
    by_hand: nullable(c.bool),
    required: c.int8Array,
    locked: c.bool,
    is_passed: c.bool,
  },
  text: `
    select v.lesson_id, l.key as lesson, v.name, p.key as parent, h.by_hand, h.required, h.locked, v.lesson_id = any(d.passed) as is_passed
      from enrolments e join classes c on c.id = e.class_id cross join lateral passed_lessons(e.id) as d(passed)
      join lesson_versions v on v.version_id = c.version_id
      join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
      cross join lateral lock_of(e.id, d.passed, c, v) h
     where e.id = :enrolment
     order by coalesce(pv.position, v.position), v.parent_id is not null, v.position`,
})
