import { c, list, nullable, read } from '../../kernel/database/statement.ts'

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

/**
 * Lists lessons that students can start now because they have passed the lesson of a row. Child lessons count only if
 * the lesson that was passed is next to them.
 */
export const listUnlocked = list('progress.listUnlocked', {
  params: { rows: c.json, now: c.timestamptz },
  row: { n: c.int8, class: c.text, class_name: c.text, lesson: c.text, lesson_id: c.int8, name: c.text },
  text: `
    select r.n, c.key as class, c.name as class_name, l.key as lesson, v.lesson_id, v.name
      from json_to_recordset(:rows) as r(n bigint, enrolment bigint, lesson bigint)
      join enrolments e on e.id = r.enrolment and e.status = 'active' join classes c on c.id = e.class_id and c.ended_at is null
      join lesson_versions b on b.version_id = c.version_id and b.lesson_id = r.lesson
      join lesson_versions v on v.version_id = c.version_id and (v.parent_id is null or v.parent_id = b.parent_id) join lessons l on l.id = v.lesson_id
     cross join lateral passed_lessons(e.id) as d(passed)
     cross join lateral lock_of(e.id, d.passed, c, v, :now) k
     where r.lesson = any(k.required) and r.lesson = any(d.passed) and not k.locked and k.by_hand is null
       and not exists (select from attempts t where t.enrolment_id = e.id and t.lesson_id = v.lesson_id)
     order by r.n, v.position`,
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
 * Lists the students to whom dates apply, with the number of lessons that each has not completed. As in the calendar, a
 * date that a lesson shares with its class or its parent lesson is a date of those, so nobody is told twice. Child
 * lessons count only if none of the others remain. `column` is the date, `dates` matches rows of lesson_dates, and
 * `more` the lessons.
 */
const listTargets = (name: string, column: 'due_at' | 'opens_at', dates: string, more = '') =>
  list(name, {
    params: { since: c.timestamptz, now: c.timestamptz, after: c.int8, limit: c.int8 },
    row: target,
    text: `
    select t.enrolment, t.person_id, t.class_id, t.class, t.class_name, tl.key as lesson, t.target as lesson_id,
           coalesce(tv.name, case when t.lessons = 1 then t.name end) as name, t.lessons, t.at,
           coalesce((select i.time_zone from notification_inboxes i where i.person_id = t.person_id), t.time_zone) as zone
      from (select e.id as enrolment, e.person_id, c.id as class_id, c.key as class, c.name as class_name, c.version_id, o.time_zone, g.target, a.${column} as at,
                   coalesce(nullif(count(distinct v.lesson_id) filter (where v.parent_id is null), 0), count(distinct v.lesson_id)) as lessons,
                   coalesce(min(v.name) filter (where v.parent_id is null), min(v.name)) as name
              from lesson_dates d
              join classes c on c.id = d.class_id and c.ended_at is null
              join courses k on k.id = c.course_id join organisations o on o.id = k.organisation_id
              join enrolments e on e.class_id = c.id and e.status = 'active' and e.id = coalesce(d.enrolment_id, e.id)
              join lesson_versions v on v.version_id = c.version_id and (d.lesson_id is null or d.lesson_id in (v.lesson_id, v.parent_id))
              left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
             cross join lateral dates_of(e.id, c.id, v.lesson_id, v.parent_id) a
             cross join lateral dates_of(e.id, c.id, v.parent_id, null) p
             cross join lateral dates_of(e.id, c.id, null, null) w
             cross join lateral (
               select case when a.${column} = w.${column} then null when v.parent_id is not null and a.${column} = p.${column} then v.parent_id else v.lesson_id end as target) g
             where ${dates} and a.${column} = d.${column} and not coalesce(has_completed(s), false) and e.id > :after ${more}
             group by e.id, c.id, o.id, g.target, a.${column}
             order by e.id fetch first (:limit) rows with ties) t
      left join lessons tl on tl.id = t.target left join lesson_versions tv on tv.version_id = t.version_id and tv.lesson_id = t.target
     order by t.enrolment`,
  })

/** Dates that were set a moment before :since may have been committed after it. Repeating them does no harm. */
const isNew = `d.set_at > :since - interval '5 minutes'`

const DUE_SOON = `d.due_at > :now and d.due_at <= :now + interval '1 day' and (d.due_at > :since + interval '1 day' or ${isNew})`
const OVERDUE = `d.due_at > :now - interval '7 days' and d.due_at <= :now and (d.due_at > :since or ${isNew})`
const OPENED = `d.opens_at > greatest(:since, :now - interval '7 days') and d.opens_at <= :now`

/** Tells which of the lists below can have rows. Mostly none can, and planning one takes longer than this query. */
export const findDates = read('progress.findDates', {
  params: { since: c.timestamptz, now: c.timestamptz },
  row: { due_soon: c.bool, overdue: c.bool, opened: c.bool },
  text: `
    select exists (select from lesson_dates d where ${DUE_SOON}) as due_soon,
           exists (select from lesson_dates d where ${OVERDUE}) as overdue,
           exists (select from lesson_dates d where ${OPENED}) as opened`,
})

/** Lessons that come within a day of their due date after :since, or were given such a date. */
export const listDueSoon = listTargets('progress.listDueSoon', 'due_at', DUE_SOON)

/** Lessons that became overdue after :since, or were given a due date of the last week. */
export const listOverdue = listTargets('progress.listOverdue', 'due_at', OVERDUE)

/** Lessons that opened after :since and are not locked otherwise. */
export const listOpened = listTargets(
  'progress.listOpened',
  'opens_at',
  OPENED,
  `and not (select k.locked from lock_of(e.id, passed_lessons(e.id), c, v, :now) k)`,
)
