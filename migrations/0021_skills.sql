-- What people can do and like to do, in their own words.
create table skills (
  person_id bigint primary key references people (id) on delete cascade,
  hobbies text[] not null,
  skills text[] not null,
  changed_at timestamptz not null
);
