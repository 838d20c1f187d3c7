import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** Locks a class, so that its dates are changed by one transaction at a time. */
export const lockClass = write('dates.lockClass', {
  params: { class: c.text },
  row: { id: c.int8 },
  text: `select id from classes where key = :class for no key update`,
})

export const findTimeZone = read('dates.findTimeZone', {
  params: { organisation: c.int8 },
  row: { time_zone: c.text },
  text: `select time_zone from organisations where id = :organisation`,
})

const nameOf = (person: string) =>
  `coalesce(nullif(trim(${person}.first_name || ' ' || ${person}.last_name), ''), ${person}.handle)`

/** Lists the dates of a class, in the order of its lessons. Overrides of students who were transferred are left out. */
export const listDates = list('dates.list', {
  params: { class: c.int8, version: c.int8, student: nullable(c.text) },
  row: {
    lesson: nullable(c.text),
    student: nullable(c.text),
    name: nullable(c.text),
    opens_at: nullable(c.instant),
    due_at: nullable(c.instant),
    closes_at: nullable(c.instant),
  },
  text: `
    select l.key as lesson, e.key as student, ${nameOf('p')} as name, d.opens_at, d.due_at, d.closes_at
      from lesson_dates d left join lessons l on l.id = d.lesson_id
      left join lesson_versions v on v.version_id = :version and v.lesson_id = d.lesson_id
      left join lesson_versions pv on pv.version_id = :version and pv.lesson_id = v.parent_id
      left join enrolments e on e.id = d.enrolment_id left join people p on p.id = e.person_id
     where d.class_id = :class and (d.lesson_id is null or v.lesson_id is not null)
       and (d.enrolment_id is null or e.class_id = d.class_id and (:student is null or e.key = :student))
     order by e.id nulls first, d.lesson_id is not null, coalesce(pv.position, v.position), v.parent_id is not null, v.position`,
})

export const countDates = read('dates.count', {
  params: { class: c.int8 },
  row: { dates: c.int8 },
  text: `select count(*) as dates from lesson_dates where class_id = :class`,
})

/** Finds lessons of a course version. */
export const findLessons = read('dates.findLessons', {
  params: { version: c.int8, keys: c.textArray },
  row: { key: c.text, id: c.int8 },
  gather: false,
  text: `
    select l.key, l.id from lessons l join lesson_versions v on v.lesson_id = l.id and v.version_id = :version where l.key = any(:keys)`,
})

/** Finds students of a class, also those who were dropped: their dates apply again if they return. */
export const findStudents = read('dates.findStudents', {
  params: { class: c.int8, keys: c.textArray },
  row: { key: c.text, id: c.int8, person_id: c.int8 },
  gather: false,
  text: `select key, id, person_id from enrolments where class_id = :class and key = any(:keys)`,
})

/** Finds the dates that are stored for these lessons and students. */
export const findDates = read('dates.find', {
  params: { class: c.int8, rows: c.json },
  row: {
    lesson: nullable(c.int8),
    student: nullable(c.int8),
    opens_at: nullable(c.instant),
    due_at: nullable(c.instant),
    closes_at: nullable(c.instant),
  },
  gather: false,
  text: `
    select d.lesson_id as lesson, d.enrolment_id as student, d.opens_at, d.due_at, d.closes_at
      from json_to_recordset(:rows) as r(lesson bigint, student bigint)
      join lesson_dates d on d.class_id = :class and d.lesson_id is not distinct from r.lesson and d.enrolment_id is not distinct from r.student`,
})

/** Reads a time with an offset as it is, and one without an offset in the time zone. */
const instantOf = (time: string, zone: string) =>
  `case when ${time} like '%Z' then ${time}::timestamptz else ${time}::timestamp at time zone ${zone} end`

/** Replaces the dates of lessons and students. Rows without any date are deleted. */
export const saveDates = write('dates.save', {
  params: { class: c.int8, rows: c.json, zone: c.text, person: c.int8, now: c.timestamptz },
  row: { lesson: nullable(c.int8) },
  text: `
    with given as (
      select * from json_to_recordset(:rows) as r(lesson bigint, student bigint, opens text, due text, closes text)
    ), gone as (
      delete from lesson_dates d using given g
       where d.class_id = :class and d.lesson_id is not distinct from g.lesson and d.enrolment_id is not distinct from g.student
         and num_nonnulls(g.opens, g.due, g.closes) = 0
    )
    insert into lesson_dates (class_id, lesson_id, enrolment_id, opens_at, due_at, closes_at, set_by, set_at)
    select :class, g.lesson, g.student, ${instantOf('g.opens', ':zone')}, ${instantOf('g.due', ':zone')}, ${instantOf('g.closes', ':zone')}, :person, :now
      from given g where num_nonnulls(g.opens, g.due, g.closes) > 0
    on conflict (class_id, lesson_id, enrolment_id) do update set
      opens_at = excluded.opens_at, due_at = excluded.due_at, closes_at = excluded.closes_at, set_by = excluded.set_by, set_at = excluded.set_at
    returning lesson_id as lesson`,
})

/**
 * Finds lessons whose dates are in the wrong order: for everybody, or for a student with overrides. If `:students` is
 * null, the class and all students with overrides are checked; otherwise these students and nobody else.
 */
export const findConflicts = list('dates.findConflicts', {
  params: { class: c.int8, students: nullable(c.int8Array) },
  row: {
    lesson_id: c.int8,
    parent_id: nullable(c.int8),
    name: c.text,
    student_id: nullable(c.int8),
    student: nullable(c.text),
    is_due_early: c.bool,
    is_closed_early: c.bool,
  },
  text: `
    select d.lesson_id, d.parent_id, v.name, d.enrolment_id as student_id, ${nameOf('p')} as student,
           coalesce(d.opens_at >= d.due_at, false) as is_due_early, coalesce(d.due_at > d.closes_at, false) as is_closed_early
      from classes k cross join lateral dates_in(k.id, k.version_id) d
      join lesson_versions v on v.version_id = k.version_id and v.lesson_id = d.lesson_id
      left join enrolments e on e.id = d.enrolment_id left join people p on p.id = e.person_id
     where k.id = :class and (:students is null or d.enrolment_id = any(:students))
       and (d.opens_at >= d.due_at or d.due_at > d.closes_at or d.opens_at >= d.closes_at)
     order by d.enrolment_id nulls first, v.position limit 10000`,
})

/** Finds all dates of classes, with the handles of students. */
export const findImported = read('dates.findImported', {
  params: { classes: c.int8Array },
  row: {
    class_id: c.int8,
    lesson: nullable(c.text),
    handle: nullable(c.text),
    opens_at: nullable(c.instant),
    due_at: nullable(c.instant),
    closes_at: nullable(c.instant),
  },
  gather: false,
  text: `
    select d.class_id, l.key as lesson, p.handle_key as handle, d.opens_at, d.due_at, d.closes_at
      from lesson_dates d left join lessons l on l.id = d.lesson_id
      left join enrolments e on e.id = d.enrolment_id left join people p on p.id = e.person_id
     where d.class_id = any(:classes)`,
})

/** Makes the dates in `:rows` the only ones of these classes. */
export const replaceImported = write('dates.replaceImported', {
  params: { classes: c.int8Array, rows: c.json, now: c.timestamptz },
  row: { class_id: c.int8 },
  text: `
    with wanted as (
      select r.class_id, l.id as lesson_id, e.id as enrolment_id, r.opens, r.due, r.closes
        from json_to_recordset(:rows) as r(class_id bigint, lesson text, person_id bigint, opens timestamptz, due timestamptz, closes timestamptz)
        left join lessons l on l.key = r.lesson
        left join enrolments e on e.class_id = r.class_id and e.person_id = r.person_id
    ), gone as (
      delete from lesson_dates d where d.class_id = any(:classes) and not exists
        (select from wanted w where w.class_id = d.class_id and w.lesson_id is not distinct from d.lesson_id
            and w.enrolment_id is not distinct from d.enrolment_id)
    )
    insert into lesson_dates as d (class_id, lesson_id, enrolment_id, opens_at, due_at, closes_at, set_at)
    select class_id, lesson_id, enrolment_id, opens, due, closes, :now from wanted
    on conflict (class_id, lesson_id, enrolment_id) do update set
      opens_at = excluded.opens_at, due_at = excluded.due_at, closes_at = excluded.closes_at, set_at = excluded.set_at
    returning d.class_id`,
})
