import { c, nullable, read, write } from '../../kernel/database/statement.ts'
import { isVoid } from './store.ts'

export const findAttempts = read('progress.findAttempts', {
  params: { keys: c.textArray },
  row: { key: c.text, class: c.text, handle: c.text, lesson: c.text },
  text: `
    select t.key, c.key as class, p.handle_key as handle, l.key as lesson
      from attempts t join enrolments e on e.id = t.enrolment_id join classes c on c.id = e.class_id
      join people p on p.id = e.person_id join lessons l on l.id = t.lesson_id where t.key = any(:keys)`,
})

/** Finds the imported attempts that overlap a stored attempt. `place` is the attempt's path in the import file. */
export const findOverlaps = read('progress.findOverlaps', {
  params: { rows: c.json },
  row: { place: c.text },
  gather: false,
  text: `
    select r.place from json_to_recordset(:rows) as r(place text, class_id bigint, handle text, lesson text, started timestamptz, completed timestamptz)
      join people p on p.handle_key = r.handle join enrolments e on e.class_id = r.class_id and e.person_id = p.id
      join lessons l on l.key = r.lesson
     where exists (select from attempts t where t.enrolment_id = e.id and t.lesson_id = l.id
       and t.started_at < coalesce(r.completed, 'infinity') and coalesce(t.completed_at, 'infinity') > r.started)`,
})

export const listThresholds = read('progress.listThresholds', {
  params: { classes: c.int8Array },
  row: { class_id: c.int8, lesson: c.text, kind: c.text, threshold: nullable(c.float8), instructor_graded: c.bool },
  gather: false,
  text: `
    select c.id as class_id, l.key as lesson, v.kind, v.threshold, v.instructor_graded
      from classes c join lesson_versions v on v.version_id = c.version_id join lessons l on l.id = v.lesson_id where c.id = any(:classes)`,
})

export const insertAttempts = write('progress.insertAttempts', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into attempts (key, enrolment_id, lesson_id, state, pass, score, answers, started_at, completed_at,
      progress_intervals, idle_intervals, active_ms, active_since, changed_at, result, graded_at, awaits_grade, reported_via, reported_at, is_late)
    select r.key, e.id, l.id, r.state, r.pass, r.score, r.answers::json, r.started, r.completed, r.progress, '[]', r.active_ms, r.active_since,
           coalesce(r.completed, r.started), r.result, r.graded_at, r.awaits_grade, 'import', :now, true
      from json_to_recordset(:rows) as r(key text, class_id bigint, handle text, lesson text, state text, pass boolean, score double precision,
             answers text, started timestamptz, completed timestamptz, progress json, active_ms bigint, active_since timestamptz, result text, graded_at timestamptz, awaits_grade boolean)
      join people p on p.handle_key = r.handle join enrolments e on e.class_id = r.class_id and e.person_id = p.id
      join lessons l on l.key = r.lesson
     order by r.started
    on conflict (key) do nothing returning id`,
})

/**
 * Inserts scores of objectives. If several attempts have a score for an objective, the score of the latest attempt is
 * stored.
 */
export const insertScores = write('progress.insertScores', {
  params: { rows: c.json },
  row: { objective_id: c.int8 },
  text: `
    insert into objective_scores as s (enrolment_id, lesson_id, objective_id, attempt_id, score, reported_at)
    select distinct on (t.enrolment_id, t.lesson_id, b.id) t.enrolment_id, t.lesson_id, b.id, t.id, r.score, t.changed_at
      from json_to_recordset(:rows) as r(attempt text, objective text, score double precision)
      join attempts t on t.key = r.attempt join objectives b on b.key = r.objective
     order by t.enrolment_id, t.lesson_id, b.id, t.started_at desc
    on conflict (enrolment_id, lesson_id, objective_id) do update
      set attempt_id = excluded.attempt_id, score = excluded.score, reported_by = null, reported_at = excluded.reported_at
    where s.reported_at < excluded.reported_at or ${isVoid('s')} returning s.objective_id`,
})

/** Recomputes the standings of the lessons that these attempts belong to, from all attempts that were not reset. */
export const renewStandings = write('progress.renewStandings', {
  params: { keys: c.textArray, now: c.timestamptz },
  row: { enrolment_id: c.int8 },
  text: `
    insert into standings as s (enrolment_id, lesson_id, attempt_id, attempts, state, result, score, best_score, is_passed, awaits_grade,
      active_ms, active_since, started_at, completed_at, changed_at)
    select m.enrolment_id, m.lesson_id, t.id, a.attempts, t.state, t.result, t.score, a.best_score, a.is_passed,
           t.awaits_grade, a.active_ms, t.active_since, t.started_at, t.completed_at, t.changed_at
      from (select distinct enrolment_id, lesson_id from attempts where key = any(:keys)) m
      cross join lateral (
        select count(*)::integer as attempts, max(o.score) as best_score, bool_or(o.result = 'PASS') as is_passed, sum(o.active_ms)::bigint as active_ms
          from attempts o where o.enrolment_id = m.enrolment_id and o.lesson_id = m.lesson_id and o.reset_at is null) a
      cross join lateral (
        select o.* from attempts o where o.enrolment_id = m.enrolment_id and o.lesson_id = m.lesson_id and o.reset_at is null
         order by o.started_at desc, o.id desc limit 1) t
    on conflict (enrolment_id, lesson_id) do update set
      (attempt_id, attempts, state, result, score, awaits_grade, active_ms, active_since, started_at, completed_at, changed_at)
        = (excluded.attempt_id, excluded.attempts, excluded.state, excluded.result, excluded.score, excluded.awaits_grade,
           excluded.active_ms, excluded.active_since, excluded.started_at, excluded.completed_at, :now),
      best_score = greatest(s.best_score, excluded.best_score), is_passed = s.is_passed or excluded.is_passed
    returning s.enrolment_id`,
})
