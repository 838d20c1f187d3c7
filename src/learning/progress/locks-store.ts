import { c, list, nullable } from '../../kernel/database/statement.ts'

const lock = { lesson: c.text, name: c.text, parent: nullable(c.text), locked: c.bool }
const LOCK = 'l.key as lesson, v.name, p.key as parent, h.locked'
const LOCKS = `
      from (select e.id, e.class_id, passed_lessons(e.id) as passed from enrolments e where e.id = :enrolment offset 0) e
      join classes c on c.id = e.class_id
      join lesson_versions v on v.version_id = c.version_id
      join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
      cross join lateral lock_of(e.id, e.passed, c, v, :now) h
    window w as (order by coalesce(pv.position, v.position), v.parent_id is not null, v.position)
     order by row_number() over w`

/** Lists the lessons of a student's class in course order, and whether each is locked. */
export const listLocks = list('progress.listLocks', {
  params: { enrolment: c.int8, now: c.timestamptz },
  row: lock,
  text: `select ${LOCK} ${LOCKS}`,
})

/** Like `listLocks`, with all that explains a lock. */
export const listLockReasons = list('progress.listLockReasons', {
  params: { enrolment: c.int8, now: c.timestamptz },
  row: {
    ...lock,
    lesson_id: c.int8,
    place: c.int8,
    by_hand: nullable(c.bool),
    locked_by: nullable(c.text),
    opens_at: nullable(c.instant),
    closes_at: nullable(c.instant),
    time_zone: c.text,
    is_sequential: c.bool,
    prerequisites: c.int8Array,
    is_passed: c.bool,
  },
  text: `
    select ${LOCK}, v.lesson_id, row_number() over w as place, h.by_hand, h.locked_by, h.opens_at, h.closes_at,
           (select o.time_zone from courses k join organisations o on o.id = k.organisation_id where k.id = c.course_id) as time_zone, c.is_sequential, v.prerequisites,
           v.lesson_id = any(e.passed) as is_passed ${LOCKS}`,
})
