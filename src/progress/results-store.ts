import {
  bool,
  float8,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  read,
  report,
  text,
  textArray,
  timestamptz,
} from '../database/statement.ts'
import { contains } from '../database/words.ts'
import { isVoid } from './store.ts'

/** What the caller is in a class, and which student of it is meant. */
export const findStudent = read('progress.findStudent', {
  params: { person: int8, class: nullable(text), student: nullable(text) },
  row: {
    enrolment_id: nullable(int8),
    student: nullable(text),
    class: nullable(text),
    status: nullable(text),
    is_own: bool,
    is_asked_class: bool,
    teaches: bool,
    observes: bool,
    manages: bool,
  },
  text: `
    select e.id as enrolment_id, e.key as student, c.key as class, e.status, coalesce(e.person_id = :person, false) as is_own,
           :class is null or coalesce(c.key = :class, false) as is_asked_class,
           coalesce(r.teaches, false) as teaches, coalesce(r.observes, false) as observes, coalesce(r.manages, false) as manages
      from (select (select c.id from classes c where c.key = :class) as class_id) a
      left join enrolments e on e.id = case
        when :student is not null then (select o.id from enrolments o where o.key = :student)
        else (select o.id from enrolments o where o.class_id = a.class_id and o.person_id = :person) end
      left join classes c on c.id = coalesce(e.class_id, a.class_id)
      left join lateral roles_in_class(:person, c) r on c.id is not null`,
})

export const findClass = read('progress.findClass', {
  params: { person: int8, class: text },
  row: { id: int8, version_id: int8, teaches: bool, observes: bool, manages: bool, owns: bool },
  text: `
    select c.id, c.version_id, r.teaches, r.observes, r.manages, o.owns
      from classes c, roles_in_class(:person, c) r, owns_class(:person, c) o where c.key = :class`,
})

export const findOwner = read('progress.findOwner', {
  params: { person: int8, class: int8 },
  row: { owns: bool },
  text: `select o.owns from classes c, owns_class(:person, c) o where c.id = :class`,
})

const lockRow = {
  lesson_id: int8,
  lesson: text,
  name: text,
  parent: nullable(text),
  by_hand: nullable(bool),
  required: int8Array,
  locked: bool,
  is_passed: bool,
}

/** Lessons of a student's class in their order, with what locks them. */
const lessonsOf = (columns = '', joins = '') => `
    select v.lesson_id, l.key as lesson, v.name, p.key as parent, h.by_hand, h.required, h.locked, v.lesson_id = any(d.passed) as is_passed${columns}
      from enrolments e join classes c on c.id = e.class_id cross join lateral passed_lessons(e.id) as d(passed)
      join lesson_versions v on v.version_id = c.version_id
      join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
      cross join lateral lock_of(e.id, d.passed, c, v) h${joins}
     where e.id = :enrolment
     order by coalesce(pv.position, v.position), v.parent_id is not null, v.position`

export const listLocks = read('progress.listLocks', {
  params: { enrolment: int8 },
  row: lockRow,
  gather: false,
  text: lessonsOf(),
})

/** When time on task stops, whatever is open: at the end of the class, and for those who are suspended or dropped. */
const STOPPED = `coalesce(c.ended_at, case when e.status <> 'active' then e.changed_at end)`

/** The same, with how the student stands at each. */
export const listResults = read('progress.listResults', {
  params: { enrolment: int8 },
  row: {
    ...lockRow,
    threshold: nullable(float8),
    attempts_left: nullable(int4),
    attempt: nullable(text),
    state: nullable(text),
    pass: nullable(bool),
    score: nullable(float8),
    best_score: nullable(float8),
    attempts: nullable(int4),
    awaits_grade: nullable(bool),
    active_ms: nullable(int8),
    active_since: nullable(timestamptz),
    stopped_at: nullable(timestamptz),
    started_at: nullable(timestamptz),
    completed_at: nullable(timestamptz),
  },
  gather: false,
  text: lessonsOf(
    `, v.threshold, case when v.max_attempts is not null then greatest(0, v.max_attempts + coalesce(s.extra_attempts, 0) - coalesce(s.attempts, 0)) end as attempts_left, t.key as attempt, t.state, t.pass, s.score, s.best_score, s.attempts, s.awaits_grade, s.active_ms, s.active_since, ${STOPPED} as stopped_at,
           s.started_at, s.completed_at`,
    `
      left join standings s on s.enrolment_id = e.id and s.lesson_id = v.lesson_id
      left join attempts t on t.id = s.attempt_id`,
  ),
})

/** Objectives of the course with the scores of their lessons: what was reported for an attempt that counts, and the lesson's own. */
export const listObjectiveScores = read('progress.listObjectiveScores', {
  params: { enrolment: int8 },
  row: {
    objective: text,
    name: text,
    lesson: nullable(text),
    reported: nullable(float8),
    score: nullable(float8),
  },
  gather: false,
  text: `
    select b.key as objective, o.name, l.key as lesson, s.score,
           (select q.score from objective_scores q
             where q.enrolment_id = e.id and q.lesson_id = u.lesson_id and q.objective_id = o.objective_id and not ${isVoid('q')}) as reported
      from enrolments e join classes c on c.id = e.class_id join objective_versions o on o.version_id = c.version_id
      join objectives b on b.id = o.objective_id
      left join lateral unnest(o.lessons) with ordinality as u(lesson_id, n) on true
      left join lessons l on l.id = u.lesson_id
      left join standings s on s.enrolment_id = e.id and s.lesson_id = u.lesson_id
     where e.id = :enrolment order by o.position, u.n`,
})

/** Lessons of a version in their order: the columns of a gradebook. */
export const listColumns = read('progress.listColumns', {
  params: { version: int8 },
  row: { lesson_id: int8, lesson: text, parent: nullable(text), name: text },
  gather: false,
  text: `
    select v.lesson_id, l.key as lesson, p.key as parent, v.name
      from lesson_versions v join lessons l on l.id = v.lesson_id left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
     where v.version_id = :version
     order by coalesce(pv.position, v.position), v.parent_id is not null, v.position`,
})

const studentRow = {
  student: text,
  status: text,
  handle: text,
  first_name: text,
  last_name: text,
  standings: nullable(text),
}

/**
 * Students by name, each with [lesson, result, score, attempts, milliseconds on task] of the lessons that have a standing, separated by commas. The text is put together by
 * hand: functions that make JSON take three times as long, and a class has a hundred thousand of these.
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

export const listGradebook = report('progress.listGradebook', {
  params: { class: int8, words: textArray, now: timestamptz, limit: int8, offset: int8 },
  row: { ...studentRow, total: int8 },
  text: gradebook(
    ', g.total',
    ` and ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)}`,
    'limit :limit offset :offset',
  ),
})

export const exportGradebook = report('progress.exportGradebook', {
  params: { class: int8, now: timestamptz },
  row: studentRow,
  text: gradebook('', '', ''),
})

/**
 * What happened to one student before a moment, the newest first and never half of what happened at once. Attempts that ended before the newest ones began cannot be on
 * the page, so their intervals are not looked at.
 */
export const listTimeline = report('progress.listTimeline', {
  params: { enrolment: int8, app: nullable(int8), before: timestamptz, limit: int8 },
  row: {
    at: timestamptz,
    kind: text,
    lesson: text,
    attempt: nullable(text),
    by_id: nullable(text),
    by_name: nullable(text),
    data: json,
  },
  text: `
    with began as (
      select t.* from attempts t where t.enrolment_id = :enrolment and t.started_at < :before
    ), oldest as (
      select coalesce((select b.started_at from began b order by b.started_at desc offset :limit limit 1), '-infinity') as at
    ), near as (
      select b.* from began b, oldest o where b.changed_at >= o.at
    ), happened as (
      select n.started_at as at, 'started' as kind, n.lesson_id, n.id as attempt_id, null::bigint as by, jsonb_build_object() as data from near n
      union all
      select n.completed_at, 'completed', n.lesson_id, n.id, null, jsonb_build_object('pass', n.pass, 'score', n.score, 'result', n.result)
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
