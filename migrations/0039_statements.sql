-- The record store: docs/xapi-design.md.

-- The clock of the store, one row. Whoever stores statements takes the next numbers from it and holds it until the commit: so numbers become visible in their order, and
-- who reads up to one misses nothing below it. A number is the moment of storing in microseconds since 1970.
create table statement_clock (
  is_clock   boolean primary key default true check (is_clock),
  last       bigint not null,
  -- That of the accounts of people, as it was last: who leaves is found by it.
  home_page  text
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
  -- Through what it came: a key of the record store, or an app. Neither: the platform's own pages, or the platform itself.
  credential_id  bigint,
  app_id         bigint
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

-- Makes the partitions of this month and the two after it, where they are missing, and says how many. A month of which there is something in the rest stays there.
create function make_statement_months(at timestamptz) returns integer language plpgsql as $$
declare
  made   integer := 0;
  month  timestamptz;
  first  bigint;
  past   bigint;
begin
  for i in 0..2 loop
    month := date_trunc('month', at at time zone 'UTC') at time zone 'UTC' + make_interval(months => i);
    first := extract(epoch from month) * 1000000;
    past := extract(epoch from (month at time zone 'UTC' + interval '1 month') at time zone 'UTC') * 1000000;
    continue when to_regclass('statements_' || to_char(month at time zone 'UTC', 'YYYY_MM')) is not null
      or exists (select from statements_rest r where r.seq >= first and r.seq < past);
    execute format('create table %I partition of statements for values from (%s) to (%s)', 'statements_' || to_char(month at time zone 'UTC', 'YYYY_MM'), first, past);
    execute format('create table %I partition of statement_refs for values from (%s) to (%s)', 'statement_refs_' || to_char(month at time zone 'UTC', 'YYYY_MM'), first, past);
    made := made + 1;
  end loop;
  return made;
end $$;
select make_statement_months(now());

-- What of the platform's own a statement is about.
create table statement_links (
  seq           bigint primary key,
  -- Who acts. Statements of somebody who leaves go with them.
  person_id     bigint references people on delete cascade,
  -- Who sent it: the same, or their instructor.
  sender_id     bigint references people on delete set null,
  -- The platform wrote it, from what has happened.
  is_own        boolean not null default false,
  -- From the whole to its parts: in this order the rows are locked, as by those who remove them.
  course_id     bigint references courses on delete set null,
  lesson_id     bigint references lessons on delete set null,
  objective_id  bigint references objectives on delete set null,
  class_id      bigint references classes on delete set null,
  enrolment_id  bigint references enrolments on delete set null,
  attempt_id    bigint references attempts on delete set null,
  badge_id      bigint references badges on delete set null
);
create index statement_links_by_sender on statement_links (sender_id);
create index statement_links_by_person on statement_links (person_id, seq);
create index statement_links_by_enrolment on statement_links (enrolment_id, seq);
create index statement_links_by_lesson on statement_links (lesson_id, seq);
create index statement_links_by_class on statement_links (class_id, seq);
create index statement_links_by_course on statement_links (course_id);
create index statement_links_by_attempt on statement_links (attempt_id);
create index statement_links_by_objective on statement_links (objective_id);
create index statement_links_by_badge on statement_links (badge_id);

-- What administrators have added to the verb library: what /edu/v2 takes, beside what came with the platform.
create table verbs (
  iri       text primary key,
  name      text not null,
  added_at  timestamptz not null,
  added_by  bigint references people on delete set null
);
create index verbs_by_adder on verbs (added_by);
