-- What happened, in order, and what is to be done: docs/events.md.

-- Events as their transactions wrote them. Whoever comes first moves them to `events`, which gives them their order.
create table event_outbox (
  id       bigint generated always as identity primary key,
  kind     text not null,
  subject  text not null,
  payload  jsonb not null,
  at       timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000);

create sequence event_ids;

-- A partition for each week, used in turn: retention empties one, which takes no lock on the others.
create table events (
  id       bigint not null,
  slot     smallint not null,
  kind     text not null,
  subject  text not null,
  payload  jsonb not null,
  at       timestamptz not null,
  primary key (id, slot)
) partition by list (slot);
create table events_0 partition of events for values in (0);
create table events_1 partition of events for values in (1);
create table events_2 partition of events for values in (2);
create table events_3 partition of events for values in (3);
create table events_4 partition of events for values in (4);
create table events_5 partition of events for values in (5);
create table events_6 partition of events for values in (6);

-- How far each consumer has read. Whoever holds the row's lock is the one that reads on.
create table event_consumers (
  name      text primary key,
  position  bigint not null,
  -- Of the event after the position, where it fails.
  attempts  integer not null default 0,
  retry_at  timestamptz,
  problem   text
);

-- Events that a consumer could not take in, put aside so that it could go on.
create table event_failures (
  consumer   text not null,
  event_id   bigint not null,
  kind       text not null,
  subject    text not null,
  payload    jsonb not null,
  at         timestamptz not null,
  problem    text not null,
  failed_at  timestamptz not null,
  primary key (consumer, event_id)
);
create index event_failures_by_age on event_failures (failed_at);

create table jobs (
  id           bigint generated always as identity primary key,
  kind         text not null,
  unique_key   text,
  order_key    text,
  payload      jsonb not null,
  created_at   timestamptz not null,
  -- From when on it may be taken: when it is due, or when its lease ends.
  run_at       timestamptz not null,
  is_leased    boolean not null default false,
  -- The fencing token: how often it was taken. Only the last who took it may settle it.
  token        integer not null default 0,
  -- Tries since it last went well.
  attempts     integer not null default 0,
  problem      text,
  -- Nobody wants it later.
  give_up_at   timestamptz,
  given_up_at  timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000);
create index jobs_due on jobs (kind, run_at, id) where given_up_at is null;
create unique index jobs_by_unique_key on jobs (kind, unique_key) where unique_key is not null and not is_leased and given_up_at is null;
create index jobs_in_order on jobs (kind, order_key, id) where order_key is not null and given_up_at is null;
create index jobs_under_way on jobs (kind, order_key) where order_key is not null and is_leased;
create index jobs_given_up on jobs (given_up_at) where given_up_at is not null;

insert into jobs (kind, payload, created_at, run_at, attempts, give_up_at)
select 'message', jsonb_build_object('message', id, 'kind', kind), created_at, next_try_at, attempts, give_up_at
  from messages where sent_at is null and given_up_at is null order by id;
alter table messages drop column attempts, drop column next_try_at, drop column give_up_at;

insert into jobs (kind, unique_key, payload, created_at, run_at)
select 'import', 'parts', '{}', now(), now() from import_parts limit 1;
