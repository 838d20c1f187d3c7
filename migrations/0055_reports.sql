-- How an attempt was reported: docs/learning-design.md.

-- The last report counts: the start, an update, a grade. All four are null for attempts that are older than this and
-- whose events are no longer kept.
alter table attempts
  add column reported_via     text check (reported_via in ('app', 'page', 'import', 'instructor')),
  add column reported_by      bigint references people on delete set null,
  -- The app through which it came, also if an instructor used it.
  add column reported_app_id  bigint references apps on delete set null,
  add column reported_at      timestamptz,
  -- Whether the whole attempt was recorded after it had ended.
  add column is_late          boolean not null default false;
create index attempts_by_reporter on attempts (reported_by);
create index attempts_by_reporting_app on attempts (reported_app_id);

-- Older attempts: the log of events knows the last report of some, and a grade says who gave it.
with reports as (
  select distinct on (e.attempt) e.attempt, e.person, e.by, e.app, e.at
    from (select (payload ->> 'attempt')::bigint as attempt, (payload ->> 'person')::bigint as person, (payload ->> 'by')::bigint as by,
                 (payload ->> 'app')::bigint as app, at
            from (select kind, payload, at from events union all select kind, payload, at from event_outbox) e
           where kind in ('attempt.started', 'attempt.updated', 'attempt.completed', 'attempt.graded')) e
   order by e.attempt, e.at desc
)
update attempts t
   set reported_via = case when r.by <> r.person then 'instructor' when r.app is null then 'page' else 'app' end,
       reported_by = (select p.id from people p where p.id = r.by), reported_app_id = (select a.id from apps a where a.id = r.app), reported_at = r.at
  from reports r where r.attempt = t.id;
update attempts set reported_via = 'instructor', reported_by = graded_by, reported_at = graded_at where graded_by is not null and reported_via is null;

-- The scores of a student that count for an objective, one row for each of its lessons. `reported` is the score that
-- was reported for the objective, unless its attempt was
-- reset; `score` is that of the lesson. Both are null without a student.
create function scores_for_objective(enrolment bigint, o objective_versions) returns table (lesson_id bigint, n bigint, reported float8, score float8)
  language sql stable begin atomic
  select u.lesson_id, u.n, (select q.score from objective_scores q
                             where q.enrolment_id = enrolment and q.lesson_id = u.lesson_id and q.objective_id = o.objective_id
                               and not exists (select from attempts r where r.id = q.attempt_id and r.reset_at is not null)), s.score
    from unnest(o.lessons) with ordinality as u(lesson_id, n)
    left join standings s on s.enrolment_id = enrolment and s.lesson_id = u.lesson_id;
end;
