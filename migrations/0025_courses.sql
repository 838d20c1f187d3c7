-- Courses: docs/learning-design.md. A lesson or objective keeps its id through all versions of its course; what it says is kept with each version, which never changes once it is published.

create table courses (
  id               bigint generated always as identity primary key,
  key              text not null unique,
  organisation_id  bigint not null references organisations,
  -- The newest published version; null: there is only a draft.
  version_id       bigint,
  -- What is being edited, as the operation takes it; it has no rows of its own until it is published.
  draft            json,
  draft_at         timestamptz,
  created_at       timestamptz not null
);
create index courses_by_organisation on courses (organisation_id);

create table course_versions (
  id             bigint generated always as identity primary key,
  course_id      bigint not null references courses on delete cascade,
  number         integer not null,
  name           text not null,
  description    text not null,
  profile_pic    text,
  cover_photo    text,
  -- Whether everybody may read it, also outside of a class.
  is_public      boolean not null,
  -- As it was published: an edit begins with it, and an import compares with it. The rows below are made from it.
  document       json not null,
  published_at   timestamptz not null,
  unique (course_id, number)
);
alter table courses add foreign key (version_id) references course_versions deferrable initially deferred;
create index courses_by_version on courses (version_id);

create table lessons (
  id         bigint generated always as identity primary key,
  key        text not null unique,
  course_id  bigint not null references courses on delete cascade
);
create index lessons_by_course on lessons (course_id);

create table lesson_versions (
  version_id         bigint not null references course_versions on delete cascade,
  lesson_id          bigint not null references lessons on delete cascade,
  -- Among its siblings, from 1.
  position           integer not null,
  parent_id          bigint,
  name               text not null,
  description        text not null,
  profile_pic        text,
  cover_photo        text,
  media              text,
  is_assessment      boolean not null,
  expected_minutes   double precision,
  instructor_graded  boolean not null,
  is_public          boolean not null,
  -- The app that delivers it; it alone writes progress, beside the platform's own pages.
  app_id             bigint references apps on delete set null,
  launch_uri         text,
  launch_parameters  text[] not null,
  passes_code        boolean not null,
  -- Points to pass with; null: pass or fail.
  threshold          double precision,
  max_attempts       integer,
  -- Lessons to pass first: those that the author names, and those that come before it where a class goes in order. A child's include its parent's.
  prerequisites      bigint[] not null,
  earlier            bigint[] not null,
  primary key (version_id, lesson_id)
);
create index lesson_versions_by_lesson on lesson_versions (lesson_id, version_id);
create index lesson_versions_by_app on lesson_versions (app_id);

create table objectives (
  id         bigint generated always as identity primary key,
  key        text not null unique,
  course_id  bigint not null references courses on delete cascade
);
create index objectives_by_course on objectives (course_id);

create table objective_versions (
  version_id    bigint not null references course_versions on delete cascade,
  objective_id  bigint not null references objectives on delete cascade,
  position      integer not null,
  name          text not null,
  description   text not null,
  lessons       bigint[] not null,
  primary key (version_id, objective_id)
);
create index objective_versions_by_objective on objective_versions (objective_id);
