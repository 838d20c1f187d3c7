-- The question banks of organisations, and the quizzes that students take.

-- The current state of each question, for lists and search. Its content is in `question_revisions`.
create table questions (
  id bigint generated always as identity primary key,
  key text not null unique,
  organisation_id bigint not null references organisations (id) on delete cascade,
  kind text not null check (kind in ('single', 'multiple', 'ordering', 'matching', 'numeric', 'text', 'essay')),
  -- The beginning of the question's text, for lists and search.
  summary text not null,
  tags text[] not null,
  revision int not null,
  archived_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create index questions_by_change on questions (organisation_id, changed_at desc, id desc);

-- Revisions never change. A published course uses the newest revision that is not newer than its publication.
create table question_revisions (
  question_id bigint not null references questions (id) on delete cascade,
  number int not null,
  tags text[] not null,
  content json not null,
  -- The points of a correct answer, and the number of parts that can be shuffled: drawing needs no content.
  points double precision not null,
  parts int not null,
  created_at timestamptz not null,
  primary key (question_id, number)
);
create index question_revisions_by_tag on question_revisions using gin (tags);

-- The quiz of an attempt: its rules when it started, and its deadline. The attempt itself belongs to `attempts`.
create table quiz_attempts (
  attempt_id bigint primary key references attempts (id) on delete cascade,
  class_id bigint not null references classes (id) on delete cascade,
  lesson_id bigint not null references lessons (id) on delete cascade,
  feedback text not null check (feedback in ('answer', 'end', 'never')),
  started_at timestamptz not null,
  deadline_at timestamptz,
  submitted_at timestamptz
);
create index quiz_attempts_by_lesson on quiz_attempts (class_id, lesson_id);
create index quiz_attempts_of_lesson on quiz_attempts (lesson_id);
create index quiz_attempts_open on quiz_attempts (deadline_at) where submitted_at is null and deadline_at is not null;

-- One row for each question that was drawn. `shown` is the order in which its parts are shown to the student.
create table quiz_answers (
  attempt_id bigint not null references quiz_attempts (attempt_id) on delete cascade,
  position int not null,
  question_id bigint not null,
  revision int not null,
  shown json not null,
  response json,
  saved_at timestamptz,
  is_final boolean not null default false,
  is_correct boolean,
  points double precision,
  max_points double precision not null,
  remark text,
  graded_by bigint references people (id) on delete set null,
  graded_at timestamptz,
  primary key (attempt_id, position),
  unique (attempt_id, question_id),
  foreign key (question_id, revision) references question_revisions (question_id, number)
);
create index quiz_answers_by_question on quiz_answers (question_id, revision);
create index quiz_answers_by_grader on quiz_answers (graded_by) where graded_by is not null;
