-- What is sent to plugins: docs/plugins-design.md.

-- What is sent in order: a plugin, and the subject of the events. Whoever changes deliveries of a lane holds its row's lock.
create table delivery_lanes (
  plugin_id   bigint not null references plugins on delete cascade,
  subject     text not null,
  -- When its first waiting delivery may be tried, or when the lease ends; null where nothing waits.
  due_at      timestamptz,
  is_leased   boolean not null default false,
  -- The fencing token: how often it was taken. Only the last who took it may settle.
  token       bigint not null default 0,
  -- The last delivery that replaces those before it.
  newest_set  bigint not null default 0,
  used_at     timestamptz not null,
  primary key (plugin_id, subject)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000);
create index delivery_lanes_due on delivery_lanes (plugin_id, due_at) where due_at is not null;
create index delivery_lanes_leased on delivery_lanes (plugin_id) where is_leased;
create index delivery_lanes_idle on delivery_lanes (used_at) where due_at is null;

create sequence delivery_positions;

-- A partition for each week, used in turn, as with events.
create table deliveries (
  plugin_id   bigint not null references plugins on delete cascade,
  -- The event's.
  id          bigint not null,
  slot        smallint not null,
  subject     text not null,
  purpose     text not null,
  -- The same at each try.
  webhook_id  text not null,
  body        json not null,
  -- The order within its lane. Replay puts it at the end.
  position    bigint not null,
  state       text not null check (state in ('waiting', 'delivered', 'failed', 'replaced')),
  -- Of all times.
  attempts    integer not null default 0,
  -- Since it began to wait, and when that ends.
  tries       integer not null default 0,
  give_up_at  timestamptz,
  problem     text,
  created_at  timestamptz not null,
  settled_at  timestamptz,
  primary key (plugin_id, id, slot)
) partition by list (slot);
create table deliveries_0 partition of deliveries for values in (0);
create table deliveries_1 partition of deliveries for values in (1);
create table deliveries_2 partition of deliveries for values in (2);
create table deliveries_3 partition of deliveries for values in (3);
create table deliveries_4 partition of deliveries for values in (4);
create table deliveries_5 partition of deliveries for values in (5);
create table deliveries_6 partition of deliveries for values in (6);
create index deliveries_waiting on deliveries (plugin_id, subject, position) where state = 'waiting';
create index deliveries_failed on deliveries (plugin_id, id) where state = 'failed';
create index deliveries_by_webhook_id on deliveries (webhook_id);
create index deliveries_by_age on deliveries (id);

-- In the slot of its delivery. What was secret in the request is not here.
create table delivery_attempts (
  plugin_id    bigint not null references plugins on delete cascade,
  delivery_id  bigint not null,
  slot         smallint not null,
  number       integer not null,
  at           timestamptz not null,
  uri          text not null,
  took_ms      integer not null,
  status       integer,
  answer       text,
  problem      text,
  primary key (plugin_id, delivery_id, number, slot)
) partition by list (slot);
create table delivery_attempts_0 partition of delivery_attempts for values in (0);
create table delivery_attempts_1 partition of delivery_attempts for values in (1);
create table delivery_attempts_2 partition of delivery_attempts for values in (2);
create table delivery_attempts_3 partition of delivery_attempts for values in (3);
create table delivery_attempts_4 partition of delivery_attempts for values in (4);
create table delivery_attempts_5 partition of delivery_attempts for values in (5);
create table delivery_attempts_6 partition of delivery_attempts for values in (6);
