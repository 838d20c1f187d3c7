import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** Largest number of classes, newest first. Older ones that never ended are left out. */
const MAX_CLASSES = 200
/** Largest number of entries in each list of the agenda. */
const MAX_AGENDA = 20
const MAX_TAUGHT = 20

/** The classes that the person takes or teaches and that have not ended, once each. Taking comes before teaching. */
const MINE = `
    mine as materialized (
      select m.enrolment_id, m.role, c.id as class_id, c.key as class, c.name as class_name, c.version_id, c.created_at
        from (select e.id as enrolment_id, e.class_id, 'student' as role from enrolments e where e.person_id = :person and e.status = 'active'
              union all
              select null, s.class_id, s.role from class_staff s where s.person_id = :person and not exists (
                select from enrolments e where e.class_id = s.class_id and e.person_id = :person and e.status = 'active')) m
        join classes c on c.id = m.class_id
       where c.ended_at is null
       order by c.created_at desc, c.id desc limit ${MAX_CLASSES}
    )`

/** Tells whether a date was set for the lesson `v`, its parent or its class, in the array `d.targets`. */
const IS_TARGET = '(0 = any(d.targets) or v.lesson_id = any(d.targets) or v.parent_id = any(d.targets))'

const EVENTS = (row: string) =>
  `(values ('opening', ${row}.opens_at), ('due', ${row}.due_at), ('closing', ${row}.closes_at)) k(event, at)`

/**
 * The dates that apply to lessons, by class, event and time, for those events `k` that match the condition. Lessons
 * without dates of their own are counted with their parent lesson or, as `target` 0, with their class.
 *
 * `targets` has the lessons of a class for which such a date was set, and 0 for the whole class, so that `dates_of` is
 * asked only about lessons that can have one. `offset 0` makes PostgreSQL compute a lateral once for each class, and
 * not for each use of its columns.
 */
const found = (where: string, lessons = 'true') => `
    found as materialized (
      select m.class_id, g.target, k.event, k.at, count(*) filter (where not f.is_completed)::int as remaining
        from mine m
        cross join lateral (
          select array(select coalesce(d.lesson_id, 0) from lesson_dates d cross join lateral ${EVENTS('d')}
                        where d.class_id = m.class_id and d.enrolment_id is null and ${where}
                       union
                       select coalesce(d.lesson_id, 0) from lesson_dates d cross join lateral ${EVENTS('d')}
                        where d.enrolment_id = m.enrolment_id and ${where}) as targets, a.opens_at, a.due_at, a.closes_at
            from dates_of(m.enrolment_id, m.class_id, null, null) a offset 0) d
        join lesson_versions v on v.version_id = m.version_id
         and ${IS_TARGET}
        cross join lateral (
          select coalesce((select has_completed(s) from standings s where s.enrolment_id = m.enrolment_id and s.lesson_id = v.lesson_id), false) as is_completed offset 0) f
        cross join lateral dates_of(m.enrolment_id, m.class_id, v.lesson_id, v.parent_id) w
        cross join lateral (values ('opening', w.opens_at, d.opens_at), ('due', w.due_at, d.due_at), ('closing', w.closes_at, d.closes_at)) k(event, at, class_at)
        cross join lateral (
          select case when k.at = k.class_at then 0 when v.lesson_id = any(d.targets) or v.parent_id is null then v.lesson_id else v.parent_id end as target) g
       where ${lessons} and ${where}
       group by m.class_id, g.target, k.event, k.at
    )`

/** Tells whether a lesson is locked for the student. A lesson that has closed can still be read. */
const LOCKED = `coalesce((select h.locked_by <> 'closing' from classes c, lock_of(m.enrolment_id, passed_lessons(m.enrolment_id), c, v, :now) h
                           where c.id = m.class_id and m.enrolment_id is not null and v.lesson_id is not null), false) as locked`

const iso = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const listOf = (rows: string) => `coalesce((select json_agg(r) from (${rows}) r), '[]')`

const agendaList = (where: string) =>
  `json_build_object('total', (select count(*) from found where ${where}), 'entries', ${listOf(`
        select m.class as "classId", m.class_name as "className", l.key as "lessonId", v.name as "lessonName", v.kind, ${LOCKED}, f.event, ${iso('f.at')} as at, f.remaining
          from (select * from found where ${where} order by at, class_id, target, event limit ${MAX_AGENDA}) f join mine m on m.class_id = f.class_id
          left join lesson_versions v on v.version_id = m.version_id and v.lesson_id = f.target left join lessons l on l.id = f.target
         order by f.at, f.class_id, f.target, f.event`)})`

/** Counts the lessons of the class `m`, without child lessons, and those that the student has passed. */
const PASSED = `
            select count(*) filter (where s.is_passed)::int as passed, count(*)::int as total
              from lesson_versions v left join standings s on s.enrolment_id = m.enrolment_id and s.lesson_id = v.lesson_id
             where v.version_id = m.version_id and v.parent_id is null`

/**
 * Reads a student's agenda in one round trip. The next lesson of a class is the one in progress, which can be completed
 * even after the lesson has closed, or else the first that can be started.
 */
export const readAgenda = list('calendar.agenda', {
  params: { person: c.int8, now: c.timestamptz, until: c.timestamptz },
  row: { next: c.json, overdue: c.json, upcoming: c.json, waiting: c.json, finished: c.json },
  text: `
    with ${MINE}, ${found(`k.at < :until and (k.event = 'due' or k.event = 'opening' and k.at > :now)`, 'm.enrolment_id is not null and not f.is_completed')}
    select ${listOf(`
        select m.class as "classId", m.class_name as "className", l.key as "lessonId", n.name as "lessonName", n.kind, n.is_open as "inProgress",
               p.passed, p.total, ${iso('n.due_at')} as due, ${iso('n.closes_at')} as closes
          from mine m join classes c on c.id = m.class_id
          cross join lateral (${PASSED}) p
          cross join lateral passed_lessons(m.enrolment_id) as d(passed)
          cross join lateral (
            select (o.v).lesson_id, (o.v).name, (o.v).kind, o.is_open, o.changed_at, case when not o.is_completed then h.due_at end as due_at, h.closes_at
              from (select v, x.is_open, s.changed_at, coalesce(has_completed(s), false) as is_completed,
                           row_number() over (order by x.is_open desc, coalesce(pv.position, v.position), v.parent_id is not null, v.position) as place
                      from lesson_versions v left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
                      left join standings s on s.enrolment_id = m.enrolment_id and s.lesson_id = v.lesson_id
                      cross join lateral (select coalesce(s.state in ('in progress', 'paused', 'idle'), false) as is_open) x
                     where v.version_id = m.version_id
                       and (x.is_open or v.parent_id is null and not coalesce(s.is_passed or s.awaits_grade, false)
                            and coalesce(s.attempts < v.max_attempts + s.extra_attempts, true))
                     offset 0) o
              cross join lateral lock_of(m.enrolment_id, d.passed, c, o.v, :now) h
             where not h.locked or o.is_open and h.locked_by = 'closing'
             order by o.place limit 1) n
          join lessons l on l.id = n.lesson_id
         where m.enrolment_id is not null
         order by n.is_open desc, case when n.is_open then n.changed_at end desc, n.due_at, m.created_at desc, m.class_id limit ${MAX_AGENDA}`)} as next,
      ${agendaList(`event = 'due' and at <= :now`)} as overdue, ${agendaList(`at > :now`)} as upcoming,
      ${listOf(`
        select m.class as "classId", m.class_name as "className", l.key as "lessonId", v.name as "lessonName", ${iso('s.completed_at')} as completed
          from mine m join standings s on s.enrolment_id = m.enrolment_id and s.awaits_grade
          join lesson_versions v on v.version_id = m.version_id and v.lesson_id = s.lesson_id join lessons l on l.id = s.lesson_id
         where s.completed_at is not null
         order by s.completed_at, l.id limit ${MAX_AGENDA}`)} as waiting,
      ${listOf(`
        select m.class as "classId", m.class_name as "className", p.total
          from mine m cross join lateral (${PASSED}) p
         where m.enrolment_id is not null and p.total > 0 and p.passed = p.total
         order by m.created_at desc, m.class_id limit ${MAX_AGENDA}`)} as finished`,
})

/**
 * Lists the classes that the person teaches, with what waits there. Most students have no dates of their own, so the
 * lessons that are due are found once for each class.
 */
export const listTaught = list('calendar.taught', {
  params: { person: c.int8, now: c.timestamptz },
  row: { class: c.text, class_name: c.text, to_grade: c.int8, overdue: c.int8 },
  text: `
    with taught as materialized (
      select c.id as class_id, c.key as class, c.name as class_name, c.version_id
        from class_staff s join classes c on c.id = s.class_id
       where s.person_id = :person and s.role = 'instructor' and c.ended_at is null
       order by c.created_at desc, c.id desc limit ${MAX_TAUGHT}
    ), grading as (
      select t.class_id, count(*) as n
        from taught t join enrolments e on e.class_id = t.class_id and e.status <> 'dropped' and e.person_id <> :person
        join attempts a on a.enrolment_id = e.id and a.awaits_grade
       group by t.class_id
    ), due as materialized (
      select t.class_id, t.version_id, d.targets, array(
               select v.lesson_id from lesson_versions v cross join lateral dates_of(null, t.class_id, v.lesson_id, v.parent_id) w
                where v.version_id = t.version_id and ${IS_TARGET} and w.due_at <= :now) as lessons
        from taught t cross join lateral (
          select array(select distinct coalesce(d.lesson_id, 0) from lesson_dates d where d.class_id = t.class_id and d.due_at <= :now) as targets offset 0) d
       where d.targets <> '{}'
    ), late as (
      select d.class_id, count(*) as n
        from due d join enrolments e on e.class_id = d.class_id and e.status = 'active'
        cross join lateral (
          select array(select s.lesson_id from standings s where s.enrolment_id = e.id and has_completed(s)) as lessons offset 0) f
       where case when not exists (select from lesson_dates o where o.enrolment_id = e.id) then not d.lessons <@ f.lessons
                  else exists (
                    select from (select v.lesson_id, v.parent_id from lesson_versions v
                                  where v.version_id = d.version_id and ${IS_TARGET} and v.lesson_id <> all(f.lessons) offset 0) v
                      cross join lateral dates_of(e.id, d.class_id, v.lesson_id, v.parent_id) w
                     where w.due_at <= :now) end
       group by d.class_id
    )
    select t.class, t.class_name, coalesce(g.n, 0) as to_grade, coalesce(l.n, 0) as overdue
      from taught t left join grading g on g.class_id = t.class_id left join late l on l.class_id = t.class_id
     where g.n > 0 or l.n > 0 order by t.class_name, t.class_id`,
})

/** Lists the dates of the person's classes in a range of time, and all these classes. */
export const listCalendar = list('calendar.list', {
  params: {
    person: c.int8,
    now: c.timestamptz,
    from: c.timestamptz,
    to: c.timestamptz,
    class: nullable(c.text),
    limit: c.int8,
  },
  row: { entries: c.json, classes: c.json },
  text: `
    with ${MINE}, ${found('k.at >= :from and k.at < :to', '(:class is null or m.class = :class)')}
    select ${listOf(`
        select m.role, m.class as "classId", m.class_name as "className", l.key as "lessonId", v.name as "lessonName", v.kind, ${LOCKED}, f.event, ${iso('f.at')} as at,
               (select ${iso('max(d.set_at)')} from lesson_dates d where d.class_id = f.class_id and (d.lesson_id is null or d.lesson_id = f.target)
                   and (d.enrolment_id is null or d.enrolment_id = m.enrolment_id)) as changed,
               case when m.enrolment_id is null then null
                    when f.remaining > 0 then case when f.event = 'due' and f.at <= :now then 'overdue' else 'open' end
                    when f.event = 'due' and (select min(t.completed_at) from attempts t
                      where t.enrolment_id = m.enrolment_id and t.lesson_id = f.target and t.state = 'completed' and t.reset_at is null) > f.at then 'late'
                    else 'done' end as state
          from (select * from found order by at, class_id, target, event limit :limit) f join mine m on m.class_id = f.class_id
          left join lesson_versions v on v.version_id = m.version_id and v.lesson_id = f.target left join lessons l on l.id = f.target
         order by f.at, f.class_id, f.target, f.event`)} as entries,
      ${listOf(`select class as "classId", class_name as "className" from mine order by lower(class_name), class_id`)} as classes`,
})

export const findFeed = read('calendar.findFeed', {
  params: { person: c.int8 },
  row: { created_at: c.instant, read_at: nullable(c.instant) },
  text: `select created_at, read_at from calendar_feeds where person_id = :person`,
})

/** Stores the hash of a new address. It replaces the old one, which stops working. */
export const replaceFeed = write('calendar.replaceFeed', {
  params: { person: c.int8, hash: c.bytea, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    insert into calendar_feeds (person_id, token_hash, created_at) values (:person, :hash, :now)
    on conflict (person_id) do update set token_hash = excluded.token_hash, created_at = excluded.created_at, read_at = null
    returning person_id`,
})

export const deleteFeed = write('calendar.deleteFeed', {
  params: { person: c.int8 },
  row: { person_id: c.int8 },
  text: `delete from calendar_feeds where person_id = :person returning person_id`,
})

/** Finds the owner of an address. Addresses of disabled accounts do not work. */
export const findByToken = read('calendar.findByToken', {
  params: { hash: c.bytea },
  row: { person_id: c.int8, read_at: nullable(c.timestamptz) },
  text: `
    select f.person_id, f.read_at from calendar_feeds f join people p on p.id = f.person_id
     where f.token_hash = :hash and p.disabled_at is null`,
})

export const noteRead = write('calendar.noteRead', {
  params: { person: c.int8, hash: c.bytea, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `update calendar_feeds set read_at = :now where person_id = :person and token_hash = :hash returning person_id`,
})
