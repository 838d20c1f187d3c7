-- The record store: docs/xapi-design.md.

-- The clock of the store, one row. Whoever stores statements takes the next numbers from it and holds it until the commit: so numbers become visible in their order, and
-- who reads up to one misses nothing below it. A number is the moment of storing in microseconds since 1970.
create table statement_clock (
  is_clock  boolean primary key default true check (is_clock),
  last      bigint not null
);
insert into statement_clock (last) values (0);

-- What makes a statement one of a kind: its id, and what must be the same where it is sent again.
create table statement_ids (
  statement_id  uuid primary key,
  seq           bigint not null,
  fingerprint   uuid not null
);
create index statement_ids_by_seq on statement_ids (seq);

-- Partitions hold a month each and are made ahead (statements/partitions.ts); retention drops a whole one.
create table statements (
  seq            bigint not null primary key,
  statement_id   uuid not null,
  -- As it is shown, without `stored`, which the number says.
  payload        text not null,
  is_voided      boolean not null default false,
  -- Who sent it: a key of the record store, or a person in an app.
  credential_id  bigint,
  app_id         bigint,
  sender_id      bigint
) partition by range (seq);
create table statements_rest partition of statements default;

-- What a statement can be found by: agents, activities, the verb, the registration, each as a hash; and what it is in the statement.
create table statement_refs (
  key   uuid not null,
  seq   bigint not null,
  role  smallint not null,
  primary key (key, seq, role)
) partition by range (seq);
create table statement_refs_rest partition of statement_refs default;

-- What of the platform's own a statement is about. The person is the one who acts; statements about somebody who leaves go with them.
create table statement_links (
  seq           bigint primary key,
  person_id     bigint references people on delete cascade,
  lesson_id     bigint references lessons on delete set null,
  course_id     bigint references courses on delete set null,
  class_id      bigint references classes on delete set null,
  enrolment_id  bigint references enrolments on delete set null,
  attempt_id    bigint references attempts on delete set null,
  objective_id  bigint references objectives on delete set null,
  badge_id      bigint references badges on delete set null
);
create index statement_links_by_person on statement_links (person_id, seq);
create index statement_links_by_enrolment on statement_links (enrolment_id, seq);
create index statement_links_by_lesson on statement_links (lesson_id, seq);
create index statement_links_by_class on statement_links (class_id, seq);
create index statement_links_by_course on statement_links (course_id);
create index statement_links_by_attempt on statement_links (attempt_id);
create index statement_links_by_objective on statement_links (objective_id);
create index statement_links_by_badge on statement_links (badge_id);

-- The verb library: what /edu/v2 takes.
create table verbs (
  iri       text primary key,
  name      text not null,
  added_at  timestamptz not null,
  -- Null: it came with the platform.
  added_by  bigint references people on delete set null
);
create index verbs_by_adder on verbs (added_by);
