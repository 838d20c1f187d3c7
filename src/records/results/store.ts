import { c, list, nullable, read, report } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/**
 * The time at which time on task stops counting, even if an attempt is open: when the class ended, or when the student
 * was suspended or dropped.
 */
const STOPPED = `coalesce(c.ended_at, case when e.status <> 'active' then e.changed_at end)`

/**
 * Lists a student's standing in each lesson of the class. The columns of the standing are null if a lesson has no
 * attempt.
 */
export const listStandings = read('results.listStandings', {
  params: { enrolment: c.int8 },
  row: {
    lesson_id: c.int8,
    threshold: nullable(c.float8),
    attempts_left: nullable(c.int4),
    attempt: nullable(c.text),
    state: nullable(c.text),
    pass: nullable(c.bool),
    score: nullable(c.float8),
    best_score: nullable(c.float8),
    attempts: nullable(c.int4),
    awaits_grade: nullable(c.bool),
    active_ms: nullable(c.int8),
    active_since: nullable(c.timestamptz),
    stopped_at: nullable(c.timestamptz),
    started_at: nullable(c.instant),
    completed_at: nullable(c.instant),
  },
  gather: false,
  text: `
    select v.lesson_id, v.threshold,
           case when v.max_attempts is not null
                then greatest(0, v.max_attempts + coalesce(s.extra_attempts, 0) - coalesce(s.attempts, 0)) end as attempts_left,
           t.key as attempt, t.state, t.pass, s.score, s.best_score, s.attempts, s.awaits_grade, s.active_ms, s.active_since,
           ${STOPPED} as stopped_at, s.started_at, s.completed_at
      from enrolments e join classes c on c.id = e.class_id join lesson_versions v on v.version_id = c.version_id
      left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
      left join attempts t on t.id = s.attempt_id
     where e.id = :enrolment`,
})

/**
 * Lists the objectives of the course with the scores of their lessons. `reported` is the score reported for the
 * objective, unless its attempt was reset; `score` is that of the lesson itself.
 */
export const listObjectiveScores = list('results.listObjectiveScores', {
  params: { enrolment: c.int8 },
  row: {
    objective: c.text,
    name: c.text,
    lesson: nullable(c.text),
    reported: nullable(c.float8),
    score: nullable(c.float8),
  },
  text: `
    select b.key as objective, o.name, l.key as lesson, s.score, s.reported
      from enrolments e join classes c on c.id = e.class_id join objective_versions o on o.version_id = c.version_id
      join objectives b on b.id = o.objective_id
      left join lateral scores_for_objective(e.id, o) s on true
      left join lessons l on l.id = s.lesson_id
     where e.id = :enrolment order by o.position, s.n`,
})

/** Lists the lessons of a course version in course order, as the columns of a gradebook. */
export const listColumns = list('results.listColumns', {
  params: { version: c.int8 },
  row: { lesson_id: c.int8, lesson: c.text, parent: nullable(c.text), name: c.text },
  text: `
    select v.lesson_id, l.key as lesson, p.key as parent, v.name
      from lesson_versions v join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
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
  standings: nullable(c.text),
}

/**
 * Selects students in order of name. `standings` is a comma-separated list of [lesson, result, score, attempts,
 * milliseconds on task]. It is built by concatenating text: JSON functions take three times as long, and a class can
 * have 100,000 standings.
 */
const gradebook = (columns: string, where: string, more: string) => `
    select g.student, g.status, g.handle, g.first_name, g.last_name,
           (select string_agg('[' || s.lesson_id || ',"' || s.result || '",' || coalesce(s.score::text, 'null') || ',' || s.attempts || ',' ||
                     case when s.active_since is null then s.active_ms
                          else s.active_ms + greatest(0, floor(extract(epoch from least(:now, g.stopped_at) - s.active_since) * 1000)::bigint) end || ']', ',')
              from standings s where s.enrolment_id = g.id) as standings${columns}
      from (select e.id, e.key as student, e.status, p.handle, p.first_name, p.last_name, count(*) over () as total, ${STOPPED} as stopped_at
              from enrolments e join classes c on c.id = e.class_id join people p on p.id = e.person_id
             where e.class_id = :class and e.status <> 'dropped'${where}
             order by lower(p.last_name), lower(p.first_name), p.handle_key, e.id ${more}) g`

export const listGradebook = report('results.listGradebook', {
  params: { class: c.int8, words: c.textArray, now: c.timestamptz, limit: c.int8, offset: c.int8 },
  row: { ...studentRow, total: c.int8 },
  text: gradebook(
    ', g.total',
    ` and ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)}`,
    'limit :limit offset :offset',
  ),
})

export const exportGradebook = report('results.exportGradebook', {
  params: { class: c.int8, now: c.timestamptz },
  row: studentRow,
  text: gradebook('', '', ''),
})

/** How an attempt was reported. Apps read the name of no other app. */
const REPORTED = `jsonb_build_object('reported', jsonb_build_object('via', n.reported_via,
               'app', (select a.name from apps a where a.id = n.reported_app_id and (:app is null or a.id = :app)),
               'at', to_char(n.reported_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'afterTheFact', n.is_late,
               'beforeEnrolment', n.started_at < (select e.enrolled_at from enrolments e where e.id = :enrolment)))`

/**
 * Lists a student's history before a given time, newest first. Entries with the same time are never split between
 * pages. Attempts that last changed before the newest `limit` attempts started cannot be on the page, so their
 * intervals are not read. The last entry of an attempt says how it was reported: its end, or else its start.
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
    ), oldest as (
      select coalesce((select b.started_at from began b order by b.started_at desc offset :limit limit 1), '-infinity') as at
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
      select r.reported_at, 'objective', r.lesson_id, r.attempt_id, r.reported_by, jsonb_build_object('objectiveId', b.key, 'score', r.score)
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
