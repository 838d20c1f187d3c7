import { sortedBy } from '../../kernel/database/orders.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

/**
 * Number of slots (table partitions). Each holds the deliveries of one week; after the last, the first is used again.
 */
const SLOTS = 7
const slotOf = (moment: string) => `mod(floor(extract(epoch from ${moment}) / 604800)::bigint, ${SLOTS})::smallint`

/**
 * Locks the lanes of these deliveries in a fixed order, and creates missing lanes. A lane is the queue of one plugin
 * and one subject. Deliveries are ignored if the plugin has no address for their purpose.
 */
export const lockOrCreateLanes = write('deliveries.lockOrCreateLanes', {
  params: { rows: c.json, replacing: c.textArray, now: c.timestamptz },
  row: { plugin_id: c.int8, subject: c.text },
  text: `
    insert into delivery_lanes as l (plugin_id, subject, due_at, newest_set, used_at)
    select r.plugin_id, r.subject, :now, max(case when r.purpose = any(:replacing) then r.id else 0 end), :now
      from json_to_recordset(:rows) as r(plugin_id bigint, subject text, purpose text, id bigint)
     where exists (select from plugin_addresses a where a.plugin_id = r.plugin_id and a.purpose = r.purpose offset 0)
     group by r.plugin_id, r.subject order by r.plugin_id, r.subject
    on conflict (plugin_id, subject) do update
       set due_at = coalesce(l.due_at, excluded.due_at), newest_set = greatest(l.newest_set, excluded.newest_set), used_at = excluded.used_at
    returning plugin_id, subject`,
})

/**
 * Inserts deliveries; a delivery that already exists stays unchanged. A set of distributions replaces the older sets
 * that wait in its lane, except one that is being sent. If it replaced the first delivery of the lane, the lane becomes
 * due.
 */
export const insertDeliveries = write('deliveries.insert', {
  params: { rows: c.json, replacing: c.textArray, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    with new as materialized (
      select r.plugin_id, r.id, r.subject, r.purpose, r.webhook_id, r.body, r.at, l.is_leased,
             r.purpose = any(:replacing) and r.id < l.newest_set as is_replaced
        from json_to_recordset(:rows) as r(plugin_id bigint, id bigint, subject text, purpose text, webhook_id text, body json, at timestamptz)
       cross join lateral (
         select is_leased, newest_set from delivery_lanes where plugin_id = r.plugin_id and subject = r.subject offset 0) l
       where exists (select from plugin_addresses a where a.plugin_id = r.plugin_id and a.purpose = r.purpose offset 0)
    ), old as (
      update deliveries d set state = 'replaced', settled_at = :now
        from (select distinct plugin_id, subject, is_leased from new where purpose = any(:replacing)) n
        join delivery_lanes l on l.plugin_id = n.plugin_id and l.subject = n.subject
       where d.plugin_id = n.plugin_id and d.subject = n.subject and d.state = 'waiting' and d.purpose = any(:replacing) and d.id < l.newest_set
         and not (n.is_leased and d.position = (
           select min(f.position) from deliveries f where f.plugin_id = n.plugin_id and f.subject = n.subject and f.state = 'waiting'))
      returning d.plugin_id, d.subject, d.position
    ), hurried as (
      update delivery_lanes l set due_at = :now
        from old o where l.plugin_id = o.plugin_id and l.subject = o.subject and not l.is_leased and o.position = (
          select min(f.position) from deliveries f where f.plugin_id = o.plugin_id and f.subject = o.subject and f.state = 'waiting')
    )
    insert into deliveries (plugin_id, id, slot, subject, purpose, webhook_id, body, position, state, created_at, settled_at)
    select plugin_id, id, ${slotOf('at')}, subject, purpose, webhook_id, body, nextval('delivery_positions'),
           case when is_replaced then 'replaced' else 'waiting' end, at, case when is_replaced then :now end
      from (select * from new order by id) n
    on conflict do nothing returning id`,
})

/** Finds the plugins with waiting deliveries by a loose index scan: one index lookup per plugin. */
const byPlugin = `
    with recursive plugin as (
      (select plugin_id from delivery_lanes where due_at is not null order by plugin_id limit 1)
      union all
      select n.plugin_id from plugin p cross join lateral (
        select plugin_id from delivery_lanes where due_at is not null and plugin_id > p.plugin_id order by plugin_id limit 1) n
    )`

/**
 * Claims due lanes (queues of one plugin and one subject), taking turns between plugins. Per plugin at most `most`
 * lanes are leased, or `mostFailing` while an address of the plugin is failing. Lanes that another transaction has
 * locked are skipped: that transaction wakes the runners afterwards.
 */
export const claim = write('deliveries.claim', {
  params: { now: c.timestamptz, lease: c.timestamptz, limit: c.int8, most: c.int8, mostFailing: c.int8 },
  row: { plugin_id: c.int8, subject: c.text, token: c.int8 },
  text: `
    ${byPlugin}, due as materialized (
      select l.plugin_id, l.subject, l.token
        from plugin p
        cross join lateral (
          select case when exists (select from plugin_addresses a where a.plugin_id = p.plugin_id and a.failing_since is not null and a.off_at is null)
                      then :mostFailing else :most end
               - (select count(*) from (select due_at from delivery_lanes where plugin_id = p.plugin_id and is_leased offset 0) u where u.due_at > :now) as free) f
        cross join lateral (
          select plugin_id, subject, token, due_at, row_number() over (order by due_at, subject) as turn from (
            select plugin_id, subject, token, due_at from delivery_lanes
             where plugin_id = p.plugin_id and due_at <= :now order by due_at limit greatest(f.free, 0)) o) l
       order by l.turn, l.due_at limit :limit
    ), own as materialized (
      select l.plugin_id, l.subject from due join delivery_lanes l on l.plugin_id = due.plugin_id and l.subject = due.subject
       where l.token = due.token and coalesce(l.due_at <= :now, false) for update of l skip locked
    )
    update delivery_lanes l set token = l.token + 1, is_leased = true, due_at = :lease
      from own where l.plugin_id = own.plugin_id and l.subject = own.subject
    returning l.plugin_id, l.subject, l.token`,
})

/** Reads the first waiting delivery of each of these lanes; its columns are null if none is waiting. */
export const readHeads = list('deliveries.readHeads', {
  params: { plugins: c.int8Array, subjects: c.textArray, replacing: c.textArray },
  row: {
    plugin_id: c.int8,
    subject: c.text,
    id: nullable(c.int8),
    slot: nullable(c.int4),
    purpose: nullable(c.text),
    webhook_id: nullable(c.text),
    body: nullable(c.json),
    attempts: nullable(c.int4),
    tries: nullable(c.int4),
    give_up_at: nullable(c.timestamptz),
    is_replaced: nullable(c.bool),
    failing_since: nullable(c.timestamptz),
  },
  text: `
    select c.plugin_id, c.subject, d.id, d.slot::int4 as slot, d.purpose, d.webhook_id, d.body, d.attempts, d.tries, d.give_up_at,
           d.purpose = any(:replacing) and d.id < l.newest_set as is_replaced, a.failing_since
      from unnest(:plugins, :subjects) c(plugin_id, subject)
      join delivery_lanes l on l.plugin_id = c.plugin_id and l.subject = c.subject
      left join lateral (
        select id, slot, purpose, webhook_id, body, attempts, tries, give_up_at from deliveries
         where plugin_id = c.plugin_id and subject = c.subject and state = 'waiting' order by position limit 1) d on true
      left join plugin_addresses a on a.plugin_id = c.plugin_id and a.purpose = d.purpose`,
})

/**
 * Extends the leases of these lanes. A lane whose outcome is being written is locked and skipped: it no longer needs
 * its lease.
 */
export const extendLeases = write('deliveries.extendLeases', {
  params: { plugins: c.int8Array, subjects: c.textArray, tokens: c.int8Array, lease: c.timestamptz },
  row: { subject: c.text },
  text: `
    with own as materialized (
      select l.plugin_id, l.subject from unnest(:plugins, :subjects, :tokens) o(plugin_id, subject, token)
        join delivery_lanes l on l.plugin_id = o.plugin_id and l.subject = o.subject
       where l.token = o.token and l.is_leased for update of l skip locked
    )
    update delivery_lanes l set due_at = :lease from own where l.plugin_id = own.plugin_id and l.subject = own.subject
    returning l.subject`,
})

/** Locks these lanes in a fixed order, including lanes whose lease was lost. */
export const lockLanes = write('deliveries.lockLanes', {
  params: { plugins: c.int8Array, subjects: c.textArray },
  row: { subject: c.text },
  text: `
    select l.subject from delivery_lanes l join unnest(:plugins, :subjects) o(plugin_id, subject)
        on l.plugin_id = o.plugin_id and l.subject = o.subject
     order by l.plugin_id, l.subject for update of l`,
})

/**
 * Writes the outcomes of deliveries whose lane still has the given token, and releases these lanes. A lane with another
 * waiting delivery is due immediately. A set of distributions that would be retried becomes `replaced` if a newer set
 * exists. The caller has locked the lanes.
 */
export const settle = write('deliveries.settle', {
  params: { rows: c.json, replacing: c.textArray, now: c.timestamptz },
  row: { plugin_id: c.int8, subject: c.text, is_due: c.bool },
  text: `
    with own as materialized (
      select r.*, case when r.state = 'waiting' and r.purpose = any(:replacing) and r.id < l.newest_set then 'replaced' else r.state end as verdict
        from json_to_recordset(:rows) as r(
             plugin_id bigint, subject text, token bigint, id bigint, slot smallint, purpose text, state text, problem text, due_at timestamptz,
             give_up_at timestamptz, number integer, at timestamptz, uri text, took_ms integer, status integer, answer text)
        join delivery_lanes l on l.plugin_id = r.plugin_id and l.subject = r.subject and l.token = r.token and l.is_leased
    ), tried as (
      insert into delivery_attempts (plugin_id, delivery_id, slot, number, at, uri, took_ms, status, answer, problem)
      select plugin_id, id, slot, number, at, uri, took_ms, status, answer, problem from own where at is not null
    ), settled as (
      update deliveries d
         set state = o.verdict, problem = o.problem, settled_at = case when o.verdict <> 'waiting' then :now end,
             attempts = d.attempts + case when o.at is null then 0 else 1 end, tries = d.tries + case when o.at is null then 0 else 1 end,
             give_up_at = coalesce(d.give_up_at, o.give_up_at)
        from own o where d.plugin_id = o.plugin_id and d.id = o.id and d.slot = o.slot
    )
    update delivery_lanes l
       set is_leased = false,
           due_at = case when o.verdict = 'waiting' then o.due_at
                         when exists (select from deliveries d where d.plugin_id = l.plugin_id and d.subject = l.subject and d.state = 'waiting'
                                         and d.id is distinct from o.id) then :now end
      from own o where l.plugin_id = o.plugin_id and l.subject = o.subject
    returning l.plugin_id, l.subject, coalesce(l.due_at <= :now, false) as is_due`,
})

/** After an address was switched off, makes its lanes due, so that their waiting deliveries fail immediately. */
export const makeLanesDue = write('deliveries.makeLanesDue', {
  params: { plugin: c.int8, purpose: c.text, now: c.timestamptz },
  row: { subject: c.text },
  text: `
    update delivery_lanes l set due_at = :now
     where l.plugin_id = :plugin and l.due_at > :now and not l.is_leased and :purpose = (
       select d.purpose from deliveries d where d.plugin_id = l.plugin_id and d.subject = l.subject and d.state = 'waiting' order by d.position limit 1)
    returning l.subject`,
})

/** Finds a plugin that the person develops. */
export const findManaged = read('deliveries.findManaged', {
  params: { person: c.int8, client: c.text },
  row: { id: c.int8, app_id: c.int8 },
  text: `
    select p.id, p.app_id from plugins p join apps a on a.id = p.app_id, lateral develops(:person, a) r
     where a.client_id = :client and r.develops`,
})

const deliveryRow = {
  webhook_id: c.text,
  purpose: c.text,
  request: nullable(c.text),
  state: c.text,
  attempts: c.int4,
  problem: nullable(c.text),
  created_at: c.instant,
  settled_at: nullable(c.instant),
  next_at: nullable(c.instant),
  outcomes: c.textArray,
}
/** Number of latest attempts whose outcomes are included in lists. */
const OUTCOMES = 12
const deliveryColumns = `
  d.webhook_id, d.purpose, d.body ->> 'requestId' as request, d.state, d.attempts, d.problem, d.created_at, d.settled_at,
  (select l.due_at from delivery_lanes l where l.plugin_id = d.plugin_id and l.subject = d.subject and d.state = 'waiting' and not l.is_leased) as next_at,
  array(select case when t.problem is null then 'taken' else 'refused' end
          from (select number, problem from delivery_attempts where plugin_id = d.plugin_id and delivery_id = d.id and slot = d.slot
                 order by number desc limit ${OUTCOMES}) t order by t.number) as outcomes`

const listed = 'plugin_id = :plugin and (:state is null or state = :state)'

/** Lists a page of deliveries. They are counted apart from it: a window function would read all of them whole. */
export const listDeliveries = sortedBy({ created: ['id'] }, (order, suffix) =>
  report(`deliveries.list${suffix}`, {
    params: { plugin: c.int8, state: nullable(c.text), limit: c.int8, offset: c.int8 },
    row: { ...deliveryRow, total: c.int8 },
    text: `
    select ${deliveryColumns}, (select count(*) from deliveries where ${listed}) as total
      from (select * from deliveries where ${listed} order by ${order} limit :limit offset :offset) d
     order by d.${order}`,
  }),
)

export const find = list('deliveries.find', {
  params: { plugin: c.int8, webhook: c.text },
  row: { ...deliveryRow, id: c.int8, body: c.json },
  text: `select ${deliveryColumns}, d.id, d.body from deliveries d where d.webhook_id = :webhook and d.plugin_id = :plugin`,
})

export const listAttempts = list('deliveries.listAttempts', {
  params: { plugin: c.int8, delivery: c.int8 },
  row: {
    number: c.int4,
    at: c.timestamptz,
    uri: c.text,
    took_ms: c.int4,
    status: nullable(c.int4),
    answer: nullable(c.text),
    problem: nullable(c.text),
  },
  text: `
    select number, at, uri, took_ms, status, answer, problem from delivery_attempts
     where plugin_id = :plugin and delivery_id = :delivery order by number desc limit 100`,
})

/**
 * Queues up to `limit` settled deliveries again, oldest first, behind the waiting ones. A set of distributions is
 * skipped if a newer set exists. The start of a request also contains a set, which may be outdated; so the newest set
 * of each lane is queued after the replayed deliveries.
 */
export const replay = write('deliveries.replay', {
  params: {
    plugin: c.int8,
    webhook: nullable(c.text),
    state: nullable(c.text),
    from: nullable(c.timestamptz),
    to: nullable(c.timestamptz),
    replacing: c.textArray,
    limit: c.int8,
    now: c.timestamptz,
  },
  row: { webhook_id: c.text, is_requested: c.bool },
  text: `
    with requested as materialized (
      select d.plugin_id, d.id, d.slot, d.subject, d.state from deliveries d
       where d.plugin_id = :plugin and d.state <> 'waiting'
         and (:webhook is null or d.webhook_id = :webhook) and (:state is null or d.state = :state)
         and (:from is null or d.created_at >= :from) and (:to is null or d.created_at < :to)
         and not (d.purpose = any(:replacing) and exists (
           select from delivery_lanes l where l.plugin_id = d.plugin_id and l.subject = d.subject and d.id < l.newest_set))
       order by d.id limit :limit
    ), chosen as materialized (
      select * from requested
      union
      select d.plugin_id, d.id, d.slot, d.subject, d.state
        from (select distinct plugin_id, subject from requested) a
        join delivery_lanes l on l.plugin_id = a.plugin_id and l.subject = a.subject
        join deliveries d on d.plugin_id = l.plugin_id and d.id = l.newest_set
    ), lanes as (
      insert into delivery_lanes as l (plugin_id, subject, due_at, used_at)
      select plugin_id, subject, :now, :now from chosen group by plugin_id, subject order by plugin_id, subject
      on conflict (plugin_id, subject) do update set due_at = coalesce(l.due_at, excluded.due_at), used_at = excluded.used_at
      returning l.plugin_id, l.subject
    )
    update deliveries d
       set state = 'waiting', position = c.position, tries = 0, give_up_at = null, problem = null, settled_at = null
      from (select o.*, nextval('delivery_positions') as position from (
              select c.* from chosen c join lanes l on l.plugin_id = c.plugin_id and l.subject = c.subject order by c.id) o) c
     where d.plugin_id = c.plugin_id and d.id = c.id and d.slot = c.slot and d.state = c.state
    returning d.webhook_id, exists (select from requested a where a.id = d.id) as is_requested`,
})

/** Counting stops at this number, to keep it cheap. */
const MAX_COUNTED = 10_000
const count = (rows: string): string =>
  `(select count(*) from (select from deliveries where ${rows} limit ${MAX_COUNTED}) counted)`

export const readFigures = read('deliveries.figures', {
  params: { now: c.timestamptz },
  row: { waiting: c.int8, failed: c.int8, overdue_seconds: c.float8 },
  gather: false,
  text: `
    ${byPlugin}
    select ${count(`state = 'waiting'`)} as waiting, ${count(`state = 'failed'`)} as failed,
           coalesce(greatest(extract(epoch from :now - (
             select min(l.due_at) from plugin p cross join lateral (
               select due_at from delivery_lanes where plugin_id = p.plugin_id and due_at is not null order by due_at limit 1) l)), 0), 0)::float8 as overdue_seconds`,
})

/** Returns the time of the newest delivery in each slot that is not empty, and whether a delivery in it is waiting. */
export const listSlots = read('deliveries.listSlots', {
  params: {},
  row: { slot: c.int4, at: c.timestamptz, is_waiting: c.bool },
  text: `
    select s.slot, d.created_at as at, exists (select from deliveries w where w.slot = s.slot and w.state = 'waiting') as is_waiting
      from generate_series(0, ${SLOTS - 1}) s(slot)
     cross join lateral (select created_at from deliveries where slot = s.slot order by id desc limit 1) d`,
})

/**
 * Limits how long this transaction waits for its exclusive lock, because while it waits, all readers queue behind it.
 */
export const setLockTimeout = write('deliveries.setLockTimeout', {
  params: {},
  row: { timeout: c.text },
  text: `select set_config('lock_timeout', '200ms', true) as timeout`,
})

export const lockSlot = Array.from({ length: SLOTS }, (_, slot) =>
  write(`deliveries.lockSlot${slot}`, {
    params: {},
    row: {},
    text: `lock table deliveries_${slot}, delivery_attempts_${slot} in access exclusive mode`,
  }),
)

export const emptySlot = Array.from({ length: SLOTS }, (_, slot) =>
  write(`deliveries.emptySlot${slot}`, {
    params: {},
    row: {},
    text: `truncate deliveries_${slot}, delivery_attempts_${slot}`,
  }),
)

/** Deletes lanes that have no waiting delivery and were last used before `before`. */
export const deleteIdleLanes = write('deliveries.deleteIdleLanes', {
  params: { before: c.timestamptz },
  row: { plugin_id: c.int8, subject: c.text },
  text: `
    delete from delivery_lanes where due_at is null and used_at < :before and (plugin_id, subject) in
      (select plugin_id, subject from delivery_lanes where due_at is null and used_at < :before order by used_at limit 1000)
    returning plugin_id, subject`,
})
