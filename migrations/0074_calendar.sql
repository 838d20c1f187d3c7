-- The secret address of a person's calendar feed. docs/dates-design.md.
create table calendar_feeds (
  person_id   bigint primary key references people on delete cascade,
  token_hash  bytea not null unique,
  created_at  timestamptz not null,
  read_at     timestamptz
);

-- The dates of a class for everybody. A large class can have thousands of overrides, which calendars must not read.
create index lesson_dates_of_class on lesson_dates (class_id) where enrolment_id is null;
