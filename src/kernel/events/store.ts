import { deleteOlder } from '../database/retention.ts'
import {
  bool,
  float8,
  int4,
  int8,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  write,
} from '../database/statement.ts'

export const insertEvents = write('events.insert', {
  params: { rows: json },
  row: { id: int8 },
  text: `
    insert into event_outbox (kind, subject, payload, at)
    select r.kind, r.subject, r.payload, r.at
      from rows from (json_to_recordset(:rows) as (kind text, subject text, payload jsonb, at timestamptz))
           with ordinality as r(kind, subject, payload, at, n) order by r.n
    returning id`,
})

/** Only one process publishes at a time. The others do not wait for it. */
export const takeTurn = write('events.takeTurn', {
  params: {},
  row: { is_ours: bool },
  text: `select pg_try_advisory_xact_lock(hashtextextended('groundschool.events.' || current_schema(), 0)) as is_ours`,
})

/** Moves events to the log. The next publisher runs after this commit, so ids never appear out of order. */
export const publish = write('events.publish', {
  params: { limit: int8 },
  row: { id: int8 },
  text: `
    with moved as (
      delete from event_outbox where id in (select id from event_outbox order by id limit :limit)
      returning id, kind, subject, payload, at
    )
    insert into events (id, slot, kind, subject, payload, at)
    select nextval('event_ids'), mod(floor(extract(epoch from m.at) / 604800)::bigint, 7)::smallint,
           m.kind, m.subject, m.payload, m.at
      from (select id, kind, subject, payload, at from moved order by id) m
    returning id`,
})

/** A new consumer starts before the first stored event, or after the last. */
export const insertConsumers = write('events.insertConsumers', {
  params: { names: textArray, fromEnd: textArray },
  row: { name: text },
  text: `
    insert into event_consumers (name, position)
    select n.name, case when n.name = any(:fromEnd) then coalesce((select id from events order by id desc limit 1), 0) else 0 end
      from unnest(:names) n(name)
    on conflict do nothing returning name`,
})

/** Tells whether events wait to be published, and which of these consumers have unread ones. */
export const look = read('events.look', {
  params: { names: textArray },
  row: { is_emitted: bool, behind: textArray },
  gather: false,
  text: `
    select exists (select from event_outbox) as is_emitted,
           array(select c.name from event_consumers c
                  where c.name = any(:names) and exists (select from events e where e.id > c.position)) as behind`,
})

/** Returns no row while another process reads for this consumer. */
export const lockConsumer = write('events.lockConsumer', {
  params: { name: text },
  row: { position: int8, attempts: int4, retry_at: nullable(timestamptz) },
  text: `select position, attempts, retry_at from event_consumers where name = :name for update skip locked`,
})

/**
 * Reads up to `most` events of these kinds among the next `scan` events of all kinds, and the last scanned id. Always
 * returns a row.
 */
export const readNext = write('events.readNext', {
  params: { after: int8, kinds: textArray, most: int8, scan: int8 },
  row: {
    scanned: nullable(int8),
    id: nullable(int8),
    kind: nullable(text),
    subject: nullable(text),
    payload: nullable(json),
    at: nullable(timestamptz),
  },
  text: `
    with page as materialized (
      select id, kind, subject, payload, at from events where id > :after order by id limit :scan)
    select p.scanned, e.id, e.kind, e.subject, e.payload, e.at
      from (select max(id) as scanned from page) p
      left join (select id, kind, subject, payload, at from page where kind = any(:kinds) order by id limit :most) e on true
     order by e.id`,
})

export const moveConsumer = write('events.moveConsumer', {
  params: { name: text, position: int8 },
  row: { name: text },
  text: `
    update event_consumers set position = :position, attempts = 0, retry_at = null, problem = null
     where name = :name returning name`,
})

export const noteProblem = write('events.noteProblem', {
  params: { name: text, position: int8, attempts: int4, retry: timestamptz, problem: text },
  row: { name: text },
  text: `
    update event_consumers set attempts = :attempts, retry_at = :retry, problem = :problem
     where name = :name and position = :position returning name`,
})

export const insertFailure = write('events.insertFailure', {
  params: {
    consumer: text,
    event: int8,
    kind: text,
    subject: text,
    payload: json,
    at: timestamptz,
    problem: text,
    now: timestamptz,
  },
  row: { event_id: int8 },
  text: `
    insert into event_failures (consumer, event_id, kind, subject, payload, at, problem, failed_at)
    values (:consumer, :event, :kind, :subject, :payload, :at, :problem, :now) on conflict do nothing returning event_id`,
})

const SLOTS = 7

/** Lists the last event of each non-empty partition. */
export const listSlots = read('events.listSlots', {
  params: {},
  row: { slot: int4, id: int8, at: timestamptz },
  text: `
    select s.slot, e.id, e.at from generate_series(0, ${SLOTS - 1}) s(slot)
     cross join lateral (select id, at from events where slot = s.slot order by id desc limit 1) e`,
})

/** Readers queue behind a pending lock request, so it must not wait long. */
export const limitLockWait = write('events.limitLockWait', {
  params: {},
  row: { timeout: text },
  text: `select set_config('lock_timeout', '200ms', true) as timeout`,
})

export const lockSlot = Array.from({ length: SLOTS }, (_, slot) =>
  write(`events.lockSlot${slot}`, {
    params: {},
    row: {},
    text: `lock table events_${slot} in access exclusive mode`,
  }),
)

export const emptySlot = Array.from({ length: SLOTS }, (_, slot) =>
  write(`events.emptySlot${slot}`, { params: {}, row: {}, text: `truncate events_${slot}` }),
)

/** Lists consumers whose position is at or before this event. */
export const listBehind = read('events.listBehind', {
  params: { id: int8 },
  row: { name: text },
  gather: false,
  text: `select name from event_consumers where position < :id order by name`,
})

export const deleteOldFailures = deleteOlder('events.deleteOldFailures', {
  table: 'event_failures',
  key: { consumer: text, event_id: int8 },
  by: 'failed_at',
})

/** Reads the age of the oldest unpublished event. */
export const readOutboxAge = read('events.readOutboxAge', {
  params: { now: timestamptz },
  row: { seconds: float8 },
  gather: false,
  text: `
    select coalesce(greatest(extract(epoch from :now - (select at from event_outbox order by id limit 1)), 0), 0)::float8 as seconds`,
})

/**
 * Reads for each consumer the age of its oldest unread event, the number of events after its position, and the number
 * of skipped events.
 */
export const readConsumers = read('events.readConsumers', {
  params: { now: timestamptz },
  row: { name: text, seconds: float8, unread: int8, attempts: int4, failed: int8 },
  gather: false,
  text: `
    select c.name, c.attempts,
           coalesce(greatest(extract(epoch from :now - e.at), 0), 0)::float8 as seconds,
           case when e.at is null then 0 else greatest((select last_value from event_ids) - c.position, 0) end as unread,
           (select count(*) from (select from event_failures f where f.consumer = c.name limit 10000) counted) as failed
      from event_consumers c
      left join lateral (select at from events where id > c.position order by id limit 1) e on true
     order by c.name`,
})
