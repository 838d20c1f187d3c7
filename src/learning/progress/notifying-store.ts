import { c, list, nullable } from '../../kernel/database/statement.ts'

/** Names the lessons of active students. A student of an earlier course version may lack the lesson. */
export const listLessons = list('progress.listNotifiedLessons', {
  params: { rows: c.json },
  row: { n: c.int8, class: c.text, class_name: c.text, lesson: c.text, name: c.text },
  text: `
    select r.n, c.key as class, c.name as class_name, l.key as lesson, v.name
      from json_to_recordset(:rows) as r(n bigint, enrolment bigint, lesson bigint)
      join enrolments e on e.id = r.enrolment and e.status = 'active' join classes c on c.id = e.class_id
      join lesson_versions v on v.version_id = c.version_id and v.lesson_id = r.lesson join lessons l on l.id = r.lesson
     order by r.n`,
})

const target = {
  enrolment: c.int8,
  person_id: c.int8,
  class_id: c.int8,
  class: c.text,
  class_name: c.text,
  /** Null if the date is that of the whole class. */
  lesson: nullable(c.text),
  lesson_id: nullable(c.int8),
  name: nullable(c.text),
  lessons: c.int8,
  at: c.timestamptz,
  zone: c.text,
}

/**
 * Lists the students to whom dates apply, with the number of lessons that each has not completed. A date of a lesson
 * also covers its child lessons, and a date without a lesson all lessons of the class. `column` is the date, `dates`
 * matches rows of lesson_dates, and `more` the lessons.
 */
const listTargets = (name: string, column: 'due_at' | 'opens_at', dates: string, more = '') =>
  list(name, {
    params: { since: c.timestamptz, now: c.timestamptz, after: c.int8, limit: c.int8 },
    row: target,
    text: `
    select e.id as enrolment, e.person_id, c.id as class_id, c.key as class, c.name as class_name, min(dl.key) as lesson, d.lesson_id,
           coalesce(min(dv.name), case when count(*) = 1 then min(v.name) end) as name, count(*) as lessons, min(d.${column}) as at,
           coalesce((select i.time_zone from notification_inboxes i where i.person_id = e.person_id), min(o.time_zone)) as zone
      from lesson_dates d
      join classes c on c.id = d.class_id and c.ended_at is null
      join courses k on k.id = c.course_id join organisations o on o.id = k.organisation_id
      join enrolments e on e.class_id = c.id and e.status = 'active' and e.id = coalesce(d.enrolment_id, e.id)
      join lesson_versions v on v.version_id = c.version_id and (d.lesson_id is null or d.lesson_id in (v.lesson_id, v.parent_id))
      left join lessons dl on dl.id = d.lesson_id
      left join lesson_versions dv on dv.version_id = c.version_id and dv.lesson_id = d.lesson_id
      left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
     cross join lateral dates_of(e.id, c.id, v.lesson_id, v.parent_id) a
     where ${dates} and a.${column} = d.${column} and coalesce(s.state, '') <> 'completed' and e.id > :after ${more}
       and not exists (select from lesson_versions h where h.version_id = v.version_id and h.parent_id = v.lesson_id)
     group by e.id, e.person_id, c.id, d.lesson_id, d.${column}
     order by e.id fetch first (:limit) rows with ties`,
  })

/** Dates that were set a moment before :since may have been committed after it. Repeating them does no harm. */
const isNew = `d.set_at > :since - interval '5 minutes'`

/** Lessons that come within a day of their due date after :since, or were given such a date. */
export const listDueSoon = listTargets(
  'progress.listDueSoon',
  'due_at',
  `d.due_at > :now and d.due_at <= :now + interval '1 day' and (d.due_at > :since + interval '1 day' or ${isNew})`,
)

/** Lessons that became overdue after :since, or were given a due date of the last week. */
export const listOverdue = listTargets(
  'progress.listOverdue',
  'due_at',
  `d.due_at > :now - interval '7 days' and d.due_at <= :now and (d.due_at > :since or ${isNew})`,
)

/** Lessons that opened after :since and are not locked otherwise. */
export const listOpened = listTargets(
  'progress.listOpened',
  'opens_at',
  `d.opens_at > greatest(:since, :now - interval '7 days') and d.opens_at <= :now`,
  `and not (select k.locked from lock_of(e.id, passed_lessons(e.id), c, v, :now) k)`,
)
