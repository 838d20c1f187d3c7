-- Figures of the record store, and its retention: docs/decisions/0051-facts-beside-statements.md.

-- What can be counted of a statement, and nothing else; a voided one has none. Fed from `statements` in the order of the numbers, a little later than they (statements/facts.ts).
create table statement_facts (
  seq       bigint not null primary key,
  -- Hashes, as in statement_refs. What they stand for is read from a statement that has them.
  verb      uuid not null,
  activity  uuid,
  agent     uuid,
  scaled    float8,
  seconds   float8,
  success   boolean
) partition by range (seq);
create table statement_facts_rest partition of statement_facts default;

-- Up to which number there are facts. Whoever feeds them holds it until the commit, and so does whoever removes statements: what is gone is not fed afterwards.
create table statement_facts_clock (
  is_clock  boolean primary key default true check (is_clock),
  fed       bigint not null
);
insert into statement_facts_clock (fed) values (0);

-- The months that there are get a part for facts too.
do $$
declare
  part  record;
begin
  for part in
    select substr(c.relname, 12) as month, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'statements'::regclass and c.relname ~ '^statements_\d{4}_\d\d$'
  loop
    execute format('create table %I partition of statement_facts %s', 'statement_facts_' || part.month, part.bound);
  end loop;
end $$;

-- As before, with a part for facts.
create or replace function make_statement_months(at timestamptz) returns integer language plpgsql as $$
declare
  made   integer := 0;
  month  timestamptz;
  name   text;
  bounds text;
  first  bigint;
  past   bigint;
begin
  for i in 0..2 loop
    month := date_trunc('month', at at time zone 'UTC') at time zone 'UTC' + make_interval(months => i);
    name := to_char(month at time zone 'UTC', 'YYYY_MM');
    first := extract(epoch from month) * 1000000;
    past := extract(epoch from (month at time zone 'UTC' + interval '1 month') at time zone 'UTC') * 1000000;
    continue when to_regclass('statements_' || name) is not null
      or exists (select from statements_rest r where r.seq >= first and r.seq < past);
    bounds := format('for values from (%s) to (%s)', first, past);
    execute format('create table %I partition of statements %s', 'statements_' || name, bounds);
    execute format('create table %I partition of statement_refs %s', 'statement_refs_' || name, bounds);
    execute format('create table %I partition of statement_facts %s', 'statement_facts_' || name, bounds);
    made := made + 1;
  end loop;
  return made;
end $$;

-- Drops the parts of a month (`2026_01`), and says whether it did: not where somebody reads or writes there for longer than a moment, as everybody else would wait behind.
create function drop_statement_month(month text) returns boolean language plpgsql set lock_timeout = '500ms' as $$
begin
  if month !~ '^\d{4}_\d\d$' or to_regclass('statements_' || month) is null then
    return false;
  end if;
  execute format('drop table %I, %I, %I', 'statements_' || month, 'statement_refs_' || month, 'statement_facts_' || month);
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;
