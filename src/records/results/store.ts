import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, list, nullable, report } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/**
 * The time at which time on task stops counting, even if an attempt is open: when the class ended, or when the student
 * was suspended or dropped.
 */
const STOPPED = `coalesce(c.ended_at, case when e.status <> 'active' then e.changed_at end)`

/** Seconds on task in the standing `s`: the stored total plus the interval that is still running. */
const secondsOnTask = (stoppedAt: string): string => `
           case when s.active_since is null then s.active_ms
                else s.active_ms + greatest(0, floor(extract(epoch from least(:now, ${stoppedAt}) - s.active_since) * 1000)::bigint) end / 1000`

/** Tells whether the student has completed no attempt. Without a standing there is none. */
const IS_OPEN = 'not coalesce(has_completed(s), false)'

/** A lesson of a student's class, as JSON. Times are in PostgreSQL's format. */
export interface LessonRow {
  readonly lesson_id: number
  readonly place: number
  readonly lesson: string
  readonly name: string
  readonly kind: string
  readonly parent: string | null
  readonly by_hand: boolean | null
  readonly locked_by: string | null
  readonly opens_at: string | null
  readonly due_at: string | null
  readonly closes_at: string | null
  readonly time_zone: string
  readonly is_late: boolean
  readonly is_overdue: boolean
  readonly is_sequential: boolean
  readonly prerequisites: number[]
  readonly locked: boolean
  readonly is_passed: boolean
  readonly threshold: number | null
  readonly attempts_left: number | null
  /** The latest attempt: id, state, whether the app reported a pass, and score. Null if there is none. */
  readonly attempt: string | null
  readonly state: string | null
  readonly pass: boolean | null
  readonly score: number | null
  readonly best_score: number | null
  readonly attempts: number
  readonly awaits_grade: boolean
  /** Why an instructor has waived the unit of a content package; null if nobody has. */
  readonly waive_reason: string | null
  readonly seconds: number
  readonly started_at: string | null
  readonly completed_at: string | null
}

/**
 * A lesson of an objective, as JSON. `reported` is the score reported for the objective, unless its attempt was reset;
 * `score` is that of the lesson itself. An objective without lessons has one row, without a lesson.
 */
export interface ObjectiveScoreRow {
  readonly objective: string
  readonly name: string
  readonly lesson: string | null
  readonly reported: number | null
  readonly score: number | null
}

/**
 * Reads the lessons of a student's class in course order, and the scores for its objectives. Both are JSON, because
 * hundreds of rows take the platform three times as long to read.
 */
export const findResults = list('results.findResults', {
  params: { enrolment: c.int8, now: c.timestamptz },
  row: { lessons: c.json, objectives: c.json },
  text: `
    select coalesce((select json_agg(r) from (
      select v.lesson_id, row_number() over w as place, l.key as lesson, v.name, v.kind, p.key as parent, h.by_hand, c.is_sequential, v.prerequisites,
             h.locked, h.locked_by, h.opens_at::text as opens_at, h.due_at::text as due_at, h.closes_at::text as closes_at, z.time_zone, coalesce(s.is_passed, false) as is_passed, v.threshold,
             case when v.max_attempts is not null
                  then greatest(0, v.max_attempts + coalesce(s.extra_attempts, 0) - coalesce(s.attempts, 0)) end as attempts_left,
             t.key as attempt, t.state, t.pass, s.score, s.best_score, coalesce(s.attempts, 0) as attempts,
             coalesce(s.awaits_grade, false) as awaits_grade, coalesce(${secondsOnTask(STOPPED)}, 0) as seconds,
             case when v.package_id is not null then (select i.waive_reason from registrations g join registration_items i on i.registration_id = g.id
               where g.enrolment_id = e.id and g.package_id = v.package_id and i.position = v.package_item and i.waived_at is not null) end as waive_reason,
             s.started_at::text as started_at, s.completed_at::text as completed_at,
             coalesce(s.completed_at > h.due_at, false) as is_late, coalesce(h.due_at < :now and ${IS_OPEN}, false) as is_overdue
        from classes c cross join lateral passed_lessons(e.id) as d(passed) join lesson_versions v on v.version_id = c.version_id
        join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
        left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
        left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
        left join attempts t on t.id = s.attempt_id
        cross join lateral lock_of(e.id, d.passed, c, v, :now) h
        cross join lateral (select o.time_zone from courses k join organisations o on o.id = k.organisation_id where k.id = c.course_id) z
       where c.id = e.class_id
      window w as (order by coalesce(pv.position, v.position), v.parent_id is not null, v.position)
       order by place) r), '[]') as lessons,
    coalesce((select json_agg(r) from (
      select b.key as objective, o.name, l.key as lesson, s.score, s.reported
        from classes c join objective_versions o on o.version_id = c.version_id join objectives b on b.id = o.objective_id
        left join lateral scores_for_objective(e.id, o) s on true
        left join lessons l on l.id = s.lesson_id
       where c.id = e.class_id order by o.position, s.n) r), '[]') as objectives
      from enrolments e where e.id = :enrolment`,
})

/** Lists the lessons of a course version in course order, as the columns of a gradebook. */
export const listColumns = list('results.listColumns', {
  params: { class: c.int8, version: c.int8 },
  row: {
    lesson_id: c.int8,
    lesson: c.text,
    parent: nullable(c.text),
    name: c.text,
    kind: c.text,
    due_at: nullable(c.instant),
    has_dates: c.bool,
  },
  text: `
    select v.lesson_id, l.key as lesson, p.key as parent, v.name, v.kind,
           (select o.due_at from dates_of(null, :class, v.lesson_id, v.parent_id) o where d.has_dates) as due_at, d.has_dates
      from (select exists (select from lesson_dates d where d.class_id = :class and d.due_at is not null) as has_dates) d,
            lesson_versions v join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
     where v.version_id = :version
     order by coalesce(pv.position, v.position), v.parent_id is not null, v.position`,
})

const studentRow = {
  student: c.text,
  status: c.text,
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  standings: c.text,
}

const BY_NAME = [foldedName('p.last_name'), foldedName('p.first_name'), 'p.handle_key', 'e.id']
const GRADEBOOK_ORDERS = {
  name: BY_NAME,
  result: [
    `coalesce(array_position(array['IN PROGRESS', 'INCOMPLETE', 'FAIL', 'PASS'], s.result), 0)`,
    `coalesce(s.score, '-infinity')`,
    ...BY_NAME,
  ],
  passed: ['t.passed', ...BY_NAME],
  mean: [`coalesce(t.mean, '-infinity')`, ...BY_NAME],
}

/** The totals of a student, if the order depends on them. */
const totalsFor = (order: string): string =>
  /\bt\./.test(order)
    ? ` cross join lateral (
              select count(*) filter (where o.is_passed) as passed, avg(o.score) as mean
                from standings o where o.enrolment_id = e.id and o.lesson_id = any(:lessons)) t`
    : ''

/**
 * The due dates of the lessons, in the order of `:lessons`: a row for each student with overrides, and one for all
 * others. Lessons without a due date are due at infinity, and a class without due dates has no rows.
 */
const DUES = `dues as materialized (
      select d.enrolment_id, array_agg(coalesce(d.due_at, 'infinity') order by k.place) as dues
        from unnest(:lessons) with ordinality k(lesson_id, place) join dates_in(:class, :version) d on d.lesson_id = k.lesson_id
       where :hasDates group by d.enrolment_id)`
const JOIN_DUES = ` left join dues o on o.enrolment_id = e.id left join dues a on a.enrolment_id is null`
const OWN_DUES = 'coalesce(o.dues, a.dues)'

/** Lists places, from 0, of lessons of a student that are late or overdue. */
const overduePlaces = (enrolment: string, dues: string, condition: string): string => `
              from unnest(${dues}) with ordinality d(due_at, place) join unnest(:lessons) with ordinality k(lesson_id, place) on k.place = d.place
              left join standings s on s.enrolment_id = ${enrolment} and s.lesson_id = k.lesson_id
             where d.due_at < :now and ${condition}`

/** Matches students who have a lesson in a state; any lesson, or the one in :stateLesson. */
const IS_IN_STATE = `(:state is null or case when :state in ('late', 'overdue')
  then exists (select${overduePlaces(
    'e.id',
    OWN_DUES,
    `(:stateLesson is null or k.lesson_id = :stateLesson)
               and case when :state = 'late' then s.completed_at > d.due_at else ${IS_OPEN} end`,
  )})
  when :state = 'not started'
  then (select count(*) from standings f where f.enrolment_id = e.id and f.result <> 'NOT STARTED'
         and case when :stateLesson is null then f.lesson_id = any(:lessons) else f.lesson_id = :stateLesson end)
       < case when :stateLesson is null then cardinality(:lessons) else 1 end
  else exists (select from standings f where f.enrolment_id = e.id
         and case when :stateLesson is null then f.lesson_id = any(:lessons) else f.lesson_id = :stateLesson end
         and case :state when 'waiting' then f.awaits_grade
                         when 'incomplete' then f.result = 'INCOMPLETE' and not f.awaits_grade
                         when 'failed' then f.result = 'FAIL' when 'passed' then f.result = 'PASS'
                         else f.result = 'IN PROGRESS' end) end)`

/**
 * Selects the students of a class. `standings` is the JSON text of lists with an entry for each lesson that the student
 * has started: its place in `:lessons`, result, score, attempts and seconds on task, then the places of those that wait
 * for a grade, are late or overdue, and the student's totals. It is built by concatenating text: JSON functions take
 * twice as long, and a class can have 100,000 standings.
 */
const gradebook = (columns: string, join: string, where: string, order: string) => `
    with ${DUES}
    select g.student, g.status, g.handle, g.first_name, g.last_name,
           (select concat('"started":[', string_agg((k.place - 1)::text, ','), '],"results":[', string_agg('"' || s.result || '"', ','),
                     '],"scores":[', string_agg(coalesce(s.score::text, 'null'), ','), '],"attempts":[', string_agg(s.attempts::text, ','),
                     '],"timeOnTask":[', string_agg((${secondsOnTask('g.stopped_at')})::text, ','),
                     '],"waiting":[', string_agg((k.place - 1)::text, ',') filter (where s.awaits_grade),
                     '],"late":[', string_agg((k.place - 1)::text, ',') filter (where s.completed_at > g.dues[k.place]),
                     '],"overdue":[', case when :hasDates then (select string_agg((d.place - 1)::text, ',')${overduePlaces('g.id', 'g.dues', IS_OPEN)}) end,
                     '],"passed":', count(*) filter (where s.is_passed), ',"meanScore":', coalesce(round(avg(s.score)::numeric, 2)::text, 'null'))
              from standings s join unnest(:lessons) with ordinality k(lesson_id, place) on k.lesson_id = s.lesson_id
             where s.enrolment_id = g.id and s.result <> 'NOT STARTED') as standings${columns}
      from (select e.id, e.key as student, e.status, p.handle, p.first_name, p.last_name, count(*) over () as total, ${STOPPED} as stopped_at, ${OWN_DUES} as dues
              from enrolments e join classes c on c.id = e.class_id join people p on p.id = e.person_id${JOIN_DUES}${join}
             where e.class_id = :class and e.status <> 'dropped'${where}
             order by ${order}) g`

/**
 * Matches students by name or handle. `offset 0` makes PostgreSQL check the students of the class, and not everybody.
 */
const matchesSearch = `(cardinality(:words::text[]) = 0 or exists (
  select from people p where p.id = e.person_id and ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)} offset 0))`

/** Lists a page of the gradebook. Sorts the whole class: by name, by the result in `:lesson`, or by totals. */
export const listGradebook = sortedBy(GRADEBOOK_ORDERS, (order, suffix) =>
  report(`results.listGradebook${suffix}`, {
    params: {
      class: c.int8,
      version: c.int8,
      hasDates: c.bool,
      lessons: c.int8Array,
      lesson: nullable(c.int8),
      state: nullable(c.text),
      stateLesson: nullable(c.int8),
      words: c.textArray,
      now: c.timestamptz,
      limit: c.int8,
      offset: c.int8,
    },
    row: { ...studentRow, total: c.int8 },
    text: gradebook(
      ', g.total',
      ` left join standings s on s.enrolment_id = e.id and s.lesson_id = :lesson${totalsFor(order)}`,
      ` and ${matchesSearch} and ${IS_IN_STATE}`,
      `${order} limit :limit offset :offset`,
    ),
  }),
)

/** Computes the averages of each lesson over the whole class. */
export const listAverages = report('results.listAverages', {
  params: { class: c.int8 },
  row: {
    lesson_id: nullable(c.int8),
    started: c.int8,
    passed: c.int8,
    waiting: c.int8,
    mean: nullable(c.float8),
    students: c.int8,
  },
  text: `
    with students as materialized (
      select e.id from enrolments e where e.class_id = :class and e.status <> 'dropped'
    )
    select s.lesson_id, s.started, s.passed, s.waiting, s.mean, n.students
      from (select count(*) as students from students) n left join (
        select o.lesson_id, count(*) filter (where o.result <> 'NOT STARTED') as started, count(*) filter (where o.is_passed) as passed,
               count(*) filter (where o.awaits_grade) as waiting, round(avg(o.score)::numeric, 2)::float8 as mean
          from students e join standings o on o.enrolment_id = e.id group by o.lesson_id) s on true`,
})

export const exportGradebook = report('results.exportGradebook', {
  params: { class: c.int8, version: c.int8, hasDates: c.bool, lessons: c.int8Array, now: c.timestamptz },
  row: studentRow,
  text: gradebook('', '', '', BY_NAME.join(', ')),
})

/** How an attempt was reported. Apps read the name of no other app. */
const REPORTED = `jsonb_build_object('reported', jsonb_build_object('via', n.reported_via,
               'app', (select a.name from apps a where a.id = n.reported_app_id and (:app is null or a.id = :app)),
               'at', to_char(n.reported_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'afterTheFact', n.is_late,
               'beforeEnrolment', n.started_at < (select e.enrolled_at from enrolments e where e.id = :enrolment)))`

/** A lower bound of the number of intervals of an attempt: as JSON, each has at most 100 bytes. */
const INTERVALS_AT_LEAST = `(octet_length(b.progress_intervals::text) + octet_length(b.idle_intervals::text)) / 100`

/**
 * Lists a student's history before a given time, newest first. Entries with the same time are never split between
 * pages. `oldest` is a time after which there are enough entries for the page: attempts that last changed before it
 * cannot be on the page, so their intervals are not expanded. Intervals are counted by their size, without parsing, and
 * only those of attempts that did not change after the page. The last entry of an attempt says how it was reported: its
 * end, or else its start.
 */
export const listTimeline = report('results.listTimeline', {
  params: { enrolment: c.int8, app: nullable(c.int8), before: c.timestamptz, limit: c.int8 },
  row: {
    at: c.instant,
    kind: c.text,
    lesson: c.text,
    attempt: nullable(c.text),
    by_id: nullable(c.text),
    by_name: nullable(c.text),
    data: c.json,
  },
  text: `
    with began as (
      select t.* from attempts t where t.enrolment_id = :enrolment and t.started_at < :before
    ), counted as (
      select b.started_at, sum(1 + case when b.changed_at < :before then ${INTERVALS_AT_LEAST} else 0 end)
               over (order by b.started_at desc) as entries
        from (select * from began order by started_at desc limit :limit) b
    ), oldest as (
      select coalesce((select max(started_at) from counted where entries >= :limit), '-infinity') as at
    ), near as (
      select b.* from began b, oldest o where b.changed_at >= o.at
    ), happened as (
      select n.started_at as at, 'started' as kind, n.lesson_id, n.id as attempt_id, case when n.completed_at is null then n.reported_by end as by,
             case when n.completed_at is null then ${REPORTED} else '{}' end as data from near n
      union all
      select n.completed_at, 'completed', n.lesson_id, n.id, n.reported_by,
             jsonb_build_object('pass', n.pass, 'score', n.score, 'result', n.result) || ${REPORTED}
        from near n where n.completed_at is not null
      union all
      select i.start, i.kind, n.lesson_id, n.id, null, jsonb_build_object('end', i."end")
        from near n, lateral (
          select 'progress' as kind, p.start, p."end" from json_to_recordset(n.progress_intervals) as p(start timestamptz, "end" text)
          union all
          select 'idle', p.start, p."end" from json_to_recordset(n.idle_intervals) as p(start timestamptz, "end" text)) i
      union all
      select g.changed_at, g.kind, g.lesson_id, g.attempt_id, g.changed_by,
             jsonb_build_object('before', g.before, 'after', g.after, 'reason', g.reason)
        from grade_changes g where g.enrolment_id = :enrolment
      union all
      select r.reported_at, 'objective', r.lesson_id, r.attempt_id, r.reported_by, jsonb_build_object('objectiveId', b.key, 'score', r.score, 'name',
               (select v.name from objective_versions v where v.objective_id = b.id order by v.version_id desc limit 1))
        from objective_scores r join objectives b on b.id = r.objective_id where r.enrolment_id = :enrolment
    ), page as (
      select h.* from happened h where h.at < :before order by h.at desc fetch first (:limit) rows with ties
    )
    select p.at, p.kind, l.key as lesson, t.key as attempt, u.user_id as by_id,
           case when :app is null or u.user_id is not null then coalesce(nullif(trim(w.first_name || ' ' || w.last_name), ''), w.handle) end as by_name,
           p.data
      from page p join lessons l on l.id = p.lesson_id left join attempts t on t.id = p.attempt_id
      left join people w on w.id = p.by left join app_users u on u.app_id = :app and u.person_id = p.by
     order by p.at desc, p.attempt_id desc, p.kind`,
})
