-- The ids of statements by month, like the statements, so that retention drops them too (decision 90).
--
-- The table as it is becomes one partition, `statement_ids_old`, without being rewritten. It holds what is stored until
-- the end of next month. These are three transactions, so that statements can be stored and read while PostgreSQL reads
-- the whole table in the second one. All can be repeated if the third one fails.

do $$
declare
  latest  bigint := greatest((select max(seq) from statement_ids), (select last from statement_clock));
  upto    bigint := extract(epoch from (date_trunc('month', greatest(now(), to_timestamp(latest / 1e6)) at time zone 'UTC')
                                        + interval '2 months') at time zone 'UTC') * 1000000;
begin
  alter table statement_ids drop constraint if exists statement_ids_upto;
  execute format('alter table statement_ids add constraint statement_ids_upto check (seq < %s) not valid', upto);
  perform set_config('groundschool.upto', upto::text, false);
end $$;

commit;
begin;

alter table statement_ids validate constraint statement_ids_upto;

commit;
begin;

alter table statement_ids rename to statement_ids_old;
alter table statement_ids_old rename constraint statement_ids_pkey to statement_ids_old_pkey;
alter index statement_ids_by_seq rename to statement_ids_old_by_seq;

-- The key belongs to the partitions, because a key of the whole table would have to contain `seq`. Writers hold the
-- clock and look in all partitions, so an id is stored once.
create table statement_ids (
  statement_id  uuid not null,
  seq           bigint not null,
  fingerprint   uuid not null
) partition by range (seq);
create table statement_ids_rest partition of statement_ids (primary key (statement_id)) default;

-- The first number that does not belong to the old partition; 0 if there is none.
create function end_of_old_statement_ids() returns bigint language sql stable
return coalesce((select substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''(\d+)''\)')::bigint
                   from pg_class c where c.oid = to_regclass('statement_ids_old')), 0);

do $$
declare
  part  record;
begin
  if exists (select from statement_ids_old) then
    execute format('alter table statement_ids attach partition statement_ids_old for values from (minvalue) to (%s)',
                   current_setting('groundschool.upto'));
    alter table statement_ids_old drop constraint statement_ids_upto;
  else
    drop table statement_ids_old;
  end if;
  for part in
    select substr(c.relname, 12) as month, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'statements'::regclass and c.relname ~ '^statements_\d{4}_\d\d$'
  loop
    continue when substring(part.bound from '\d+')::bigint < end_of_old_statement_ids();
    execute format('create table %I partition of statement_ids (primary key (statement_id)) %s', 'statement_ids_' || part.month, part.bound);
  end loop;
end $$;

-- Deletes some ids of a range from the old partition, and returns how many.
create function delete_old_statement_ids(first bigint, past bigint, most bigint) returns bigint language plpgsql as $$
declare
  deleted  bigint := 0;
begin
  if first < end_of_old_statement_ids() then
    delete from statement_ids_old where statement_id in
      (select statement_id from statement_ids_old where seq >= first and seq < past order by seq limit most);
    get diagnostics deleted = row_count;
  end if;
  return deleted;
end $$;

-- As before, with a partition for ids, unless the month belongs to the old one.
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
    if first >= end_of_old_statement_ids() then
      execute format('create table %I partition of statement_ids (primary key (statement_id)) %s', 'statement_ids_' || name, bounds);
    end if;
    execute format('create table %I partition of statement_refs %s', 'statement_refs_' || name, bounds);
    execute format('create table %I partition of statements %s', 'statements_' || name, bounds);
    execute format('create table %I partition of statement_facts %s', 'statement_facts_' || name, bounds);
    made := made + 1;
  end loop;
  return made;
end $$;

-- As before, with the ids in front, where most readers begin too, and with the old partition once it takes no more ids and all of its statements are gone.
create or replace function drop_statement_month(month text) returns boolean language plpgsql set lock_timeout = '500ms' as $$
begin
  if month !~ '^\d{4}_\d\d$' or to_regclass('statements_' || month) is null then
    return false;
  end if;
  -- Those who write facts read statements first and ids later. They must not wait for these locks half way.
  perform from statement_facts_clock for update;
  execute format('drop table if exists %I, %I, %I, %I',
                 'statement_ids_' || month, 'statement_refs_' || month, 'statements_' || month, 'statement_facts_' || month);
  if end_of_old_statement_ids() <= (select last from statement_clock)
     and not exists (select from statements s where s.seq < end_of_old_statement_ids()) then
    drop table if exists statement_ids_old;
  end if;
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;
