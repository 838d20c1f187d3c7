-- What students do with lessons: docs/learning-design.md.

-- One change to one attempt emits its event in the same statement.
create function emit_event(kind text, subject text, payload jsonb, at timestamptz) returns bigint language sql volatile begin atomic
  insert into event_outbox (kind, subject, payload, at) values (kind, subject, payload, at) returning id;
end;

create table attempts (
  id                  bigint generated always as identity primary key,
  key                 text not null unique,
  enrolment_id        bigint not null references enrolments on delete cascade,
  lesson_id           bigint not null references lessons,
  -- Grows with each change: whoever read another one has lost the race.
  version             integer not null default 1,
  state               text not null check (state in ('in progress', 'paused', 'idle', 'completed')),
  pass                boolean not null,
  score               double precision,
  answers             json,
  started_at          timestamptz not null,
  completed_at        timestamptz,
  -- As they are shown: [{"start", "end"}].
  progress_intervals  json not null,
  idle_intervals      json not null,
  -- Time on task: so much, and since then.
  active_ms           bigint not null,
  active_since        timestamptz,
  changed_at          timestamptz not null,
  -- By the rules of the dashboard, kept when it changes.
  result              text not null check (result in ('IN PROGRESS', 'PASS', 'FAIL', 'INCOMPLETE')),
  graded_at           timestamptz,
  graded_by           bigint references people on delete set null,
  -- An instructor let the student begin anew: it is history, and counts for nothing.
  reset_at            timestamptz,
  check ((state = 'completed') = (completed_at is not null)),
  check ((state = 'in progress') = (active_since is not null))
);
-- At most one open attempt of a student at a lesson.
create unique index attempts_open on attempts (enrolment_id, lesson_id) where state <> 'completed';
create index attempts_by_lesson on attempts (enrolment_id, lesson_id, started_at);
create index attempts_of_lesson on attempts (lesson_id);
create index attempts_by_grader on attempts (graded_by);

-- How a student stands at a lesson, changed in the statement that changes an attempt: gradebooks read these and no attempts.
create table standings (
  enrolment_id     bigint not null references enrolments on delete cascade,
  lesson_id        bigint not null references lessons,
  -- The latest attempt that counts; null after a reset.
  attempt_id       bigint references attempts on delete set null,
  attempts         integer not null default 0,
  -- Given by an instructor beside those of the lesson.
  extra_attempts   integer not null default 0,
  state            text not null,
  result           text not null,
  score            double precision,
  best_score       double precision,
  -- Once passed it stays passed, so that another attempt locks nothing.
  is_passed        boolean not null default false,
  awaits_grade     boolean not null default false,
  active_ms        bigint not null default 0,
  active_since     timestamptz,
  started_at       timestamptz,
  completed_at     timestamptz,
  changed_at       timestamptz not null,
  primary key (enrolment_id, lesson_id)
);
create index standings_by_lesson on standings (lesson_id);
create index standings_by_attempt on standings (attempt_id);
create index standings_awaiting on standings (enrolment_id, lesson_id) where awaits_grade;

-- Scores that were reported for an objective; where none was, the lesson's score counts.
create table objective_scores (
  enrolment_id  bigint not null references enrolments on delete cascade,
  lesson_id     bigint not null references lessons,
  objective_id  bigint not null references objectives,
  attempt_id    bigint not null references attempts on delete cascade,
  score         double precision not null,
  reported_by   bigint references people on delete set null,
  reported_at   timestamptz not null,
  primary key (enrolment_id, lesson_id, objective_id)
);
create index objective_scores_by_lesson on objective_scores (lesson_id);
create index objective_scores_by_objective on objective_scores (objective_id);
create index objective_scores_by_attempt on objective_scores (attempt_id);
create index objective_scores_by_reporter on objective_scores (reported_by);

-- What instructors changed: grades, scores of objectives, extra attempts, resets.
create table grade_changes (
  id            bigint generated always as identity primary key,
  enrolment_id  bigint not null references enrolments on delete cascade,
  lesson_id     bigint not null references lessons,
  attempt_id    bigint references attempts on delete cascade,
  kind          text not null check (kind in ('grade', 'objective', 'extra attempt', 'reset')),
  before        json not null,
  after         json not null,
  reason        text not null,
  changed_by    bigint references people on delete set null,
  changed_at    timestamptz not null
);
create index grade_changes_by_student on grade_changes (enrolment_id, id);
create index grade_changes_by_lesson on grade_changes (lesson_id);
create index grade_changes_by_attempt on grade_changes (attempt_id);
create index grade_changes_by_person on grade_changes (changed_by);

create function passed_lessons(enrolment bigint) returns bigint[] language sql stable
  return array(select s.lesson_id from standings s where s.enrolment_id = enrolment and s.is_passed);

-- Whether a lesson is locked for a student. What was set by hand wins, for the student before the class, and for the lesson before its parent; otherwise it is locked
-- while one of the required lessons is not passed.
create function lock_of(enrolment bigint, passed bigint[], c classes, l lesson_versions) returns table (by_hand boolean, required bigint[], locked boolean)
  language sql stable rows 1 begin atomic
  select h.by_hand, r.required, coalesce(h.by_hand, not r.required <@ passed)
    from (select case when c.is_sequential then l.earlier || l.prerequisites else l.prerequisites end as required) r,
         (select (select k.is_locked from lesson_locks k
                   where k.class_id = c.id and k.lesson_id in (l.lesson_id, l.parent_id) and (k.enrolment_id = enrolment or k.enrolment_id is null)
                   order by k.enrolment_id is null, k.lesson_id <> l.lesson_id limit 1) as by_hand) h;
end;
