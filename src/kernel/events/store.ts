import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

export const insertEvents = write('events.insert', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    insert into event_outbox (kind, subject, payload, at)
    select r.kind, r.subject, r.payload, r.at
      from rows from (json_to_recordset(:rows) as (kind text, subject text, payload jsonb, at timestamptz))
           with ordinality as r(kind, subject, payload, at, n) order by r.n
    returning id`,
})

/** Tries to take the lock for publishing, without waiting. Only one process publishes at a time. */
export const takeTurn = write('events.takeTurn', {
  params: {},
  row: { is_ours: c.bool },
  text: `select pg_try_advisory_xact_lock(hashtextextended('groundschool.events.' || current_schema(), 0)) as is_ours`,
})

/**
 * Moves events from the outbox to the log. The next publisher starts after this transaction commits, so readers never
 * see ids out of order.
 */
export const publish = write('events.publish', {
  params: { limit: c.int8 },
  row: { id: c.int8 },
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

/** Adds new consumers, which start before the first stored event or, if listed in `fromEnd`, after the last. */
export const insertConsumers = write('events.insertConsumers', {
  params: { names: c.textArray, fromEnd: c.textArray },
  row: { name: c.text },
  text: `
    insert into event_consumers (name, position)
    select n.name, case when n.name = any(:fromEnd) then coalesce((select id from events order by id desc limit 1), 0) else 0 end
      from unnest(:names) n(name)
    on conflict do nothing returning name`,
})

/** Tells whether any events are waiting to be published, and which of these consumers have unread events. */
export const look = read('events.look', {
  params: { names: c.textArray },
  row: { is_emitted: c.bool, behind: c.textArray },
  gather: false,
  text: `
    select exists (select from event_outbox) as is_emitted,
           array(select c.name from event_consumers c
                  where c.name = any(:names) and exists (select from events e where e.id > c.position)) as behind`,
})

/** Locks a consumer. Returns no row if another process is reading for this consumer. */
export const lockConsumer = write('events.lockConsumer', {
  params: { name: c.text },
  row: { position: c.int8, attempts: c.int4, retry_at: nullable(c.timestamptz) },
  text: `select position, attempts, retry_at from event_consumers where name = :name for update skip locked`,
})

/**
 * Scans the next `scan` events of all kinds. Returns up to `most` of them that have one of these kinds, and the last
 * scanned id. Always returns at least one row.
 */
export const readNext = write('events.readNext', {
  params: { after: c.int8, kinds: c.textArray, most: c.int8, scan: c.int8 },
  row: {
    scanned: nullable(c.int8),
    id: nullable(c.int8),
    kind: nullable(c.text),
    subject: nullable(c.text),
    payload: nullable(c.json),
    at: nullable(c.timestamptz),
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
  params: { name: c.text, position: c.int8 },
  row: { name: c.text },
  text: `
    update event_consumers set position = :position, attempts = 0, retry_at = null, problem = null
     where name = :name returning name`,
})

export const noteProblem = write('events.noteProblem', {
  params: { name: c.text, position: c.int8, attempts: c.int4, retry: c.timestamptz, problem: c.text },
  row: { name: c.text },
  text: `
    update event_consumers set attempts = :attempts, retry_at = :retry, problem = :problem
     where name = :name and position = :position returning name`,
})

export const insertFailure = write('events.insertFailure', {
  params: {
    consumer: c.text,
    event: c.int8,
    kind: c.text,
    subject: c.text,
    payload: c.json,
    at: c.timestamptz,
    problem: c.text,
    now: c.timestamptz,
  },
  row: { event_id: c.int8 },
  text: `
    insert into event_failures (consumer, event_id, kind, subject, payload, at, problem, failed_at)
    values (:consumer, :event, :kind, :subject, :payload, :at, :problem, :now) on conflict do nothing returning event_id`,
})

const SLOTS = 7

/** Lists the last event of each slot that is not empty. A slot is a partition of the log. */
export const listSlots = read('events.listSlots', {
  params: {},
  row: { slot: c.int4, id: c.int8, at: c.timestamptz },
  text: `
    select s.slot, e.id, e.at from generate_series(0, ${SLOTS - 1}) s(slot)
     cross join lateral (select id, at from events where slot = s.slot order by id desc limit 1) e`,
})

/** Limits how long `lockSlot` may wait for its lock, because readers queue behind a waiting lock request. */
export const limitLockWait = write('events.limitLockWait', {
  params: {},
  row: { timeout: c.text },
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
  params: { id: c.int8 },
  row: { name: c.text },
  gather: false,
  text: `select name from event_consumers where position < :id order by name`,
})

export const deleteOldFailures = deleteOlder('events.deleteOldFailures', {
  table: 'event_failures',
  key: { consumer: c.text, event_id: c.int8 },
  by: 'failed_at',
})

/** Reads the age of the oldest unpublished event. */
export const readOutboxAge = read('events.readOutboxAge', {
  params: { now: c.timestamptz },
  row: { seconds: c.float8 },
  gather: false,
  text: `
    select coalesce(greatest(extract(epoch from :now - (select at from event_outbox order by id limit 1)), 0), 0)::float8 as seconds`,
})

/**
 * Reads for each consumer the age of its oldest unread event, the number of events after its position, and the number
 * of skipped events.
 */
export const readConsumers = read('events.readConsumers', {
  params: { now: c.timestamptz },
  row: { name: c.text, seconds: c.float8, unread: c.int8, attempts: c.int4, failed: c.int8 },
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
