-- Notes about students, lessons, classes and courses. The ids that belong to each other are kept as they were when the note was written.
create table notes (
  id            bigint generated always as identity primary key,
  key           text not null unique,
  text          text not null,
  lesson_id     bigint references lessons on delete set null,
  class_id      bigint references classes on delete cascade,
  enrolment_id  bigint references enrolments on delete cascade,
  course_id     bigint references courses on delete cascade,
  -- Whom it is about.
  person_id     bigint references people on delete cascade,
  author_id     bigint not null references people on delete cascade,
  created_at    timestamptz not null
);
create index notes_by_author on notes (author_id, id);
create index notes_by_person on notes (person_id, id);
create index notes_by_class on notes (class_id, id);
create index notes_by_enrolment on notes (enrolment_id, id);
create index notes_by_lesson on notes (lesson_id);
create index notes_by_course on notes (course_id);
