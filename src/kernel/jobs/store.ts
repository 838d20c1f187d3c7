import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

/**
 * Adds jobs. If a job with the same unique key is already waiting, no job is added, but the waiting job is locked until
 * the commit: so no process runs it before it can see the change of this transaction. A job that is waiting for a retry
 * keeps its delay.
 */
export const enqueue = write('jobs.enqueue', {
  params: { kind: c.text, rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into jobs (kind, unique_key, payload, created_at, run_at, give_up_at)
    select :kind, r.unique_key, r.payload, :now, coalesce(r.run_at, :now), r.give_up_at
      from rows from (json_to_recordset(:rows) as
           (unique_key text, payload jsonb, run_at timestamptz, give_up_at timestamptz))
           with ordinality as r(unique_key, payload, run_at, give_up_at, n) order by r.n
    on conflict (kind, unique_key) where unique_key is not null and not is_leased and given_up_at is null
    do update set run_at = case when jobs.attempts = 0 then least(jobs.run_at, excluded.run_at) else jobs.run_at end
    returning id`,
})

/** Adds a job for each recurring kind that has none, whether waiting or running. */
export const enqueueOnce = write('jobs.enqueueOnce', {
  params: { kinds: c.textArray, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into jobs (kind, unique_key, payload, created_at, run_at)
    select k.kind, 'recurring', '{}', :now, :now from unnest(:kinds) k(kind)
     where not exists (select from jobs j where j.kind = k.kind and j.given_up_at is null)
    on conflict do nothing returning id`,
})

/** Returns the given kinds that have due jobs. */
export const listDue = read('jobs.listDue', {
  params: { kinds: c.textArray, now: c.timestamptz },
  row: { kind: c.text },
  gather: false,
  text: `
    select k.kind from unnest(:kinds) k(kind)
     where exists (select from jobs j where j.kind = k.kind and j.given_up_at is null and j.run_at <= :now)`,
})

/** Claims up to `limit` due jobs. A job that is unfinished at the time `lease` can be claimed again. */
export const claimDue = write('jobs.claimDue', {
  params: { kind: c.text, now: c.timestamptz, lease: c.timestamptz, limit: c.int8 },
  row: {
    id: c.int8,
    unique_key: nullable(c.text),
    payload: c.json,
    created_at: c.timestamptz,
    token: c.int4,
    attempts: c.int4,
    give_up_at: nullable(c.timestamptz),
  },
  text: `
    with due as materialized (
      select id from jobs where kind = :kind and given_up_at is null and run_at <= :now
       order by run_at, id limit :limit for update skip locked)
    update jobs j set token = j.token + 1, attempts = j.attempts + 1, is_leased = true, run_at = :lease
      from due where j.id = due.id
    returning j.id, j.unique_key, j.payload, j.created_at, j.token, j.attempts, j.give_up_at`,
})

const OWN = { id: c.int8, token: c.int4 }
/** Matches the job only if this process still holds its lease. */
const own = 'id = :id and token = :token and is_leased'

export const extendLease = write('jobs.extendLease', {
  params: { ...OWN, lease: c.timestamptz },
  row: { id: c.int8 },
  text: `update jobs set run_at = :lease where ${own} returning id`,
})

/** Completes several jobs in one statement, because each commit waits for the disk. */
export const complete = write('jobs.complete', {
  params: { ids: c.int8Array, tokens: c.int8Array },
  row: { id: c.int8 },
  text: `
    delete from jobs j using unnest(:ids, :tokens) o(id, token) where j.id = o.id and j.token = o.token and j.is_leased
    returning j.id`,
})

/**
 * Deletes the job that was enqueued under the same unique key while this job was running. This job runs again and does
 * the work of both.
 */
export const deleteRival = write('jobs.deleteRival', {
  params: OWN,
  row: { id: c.int8 },
  text: `
    delete from jobs r using jobs o
     where o.id = :id and o.token = :token and o.is_leased and r.kind = o.kind and r.unique_key = o.unique_key
       and not r.is_leased and r.given_up_at is null
    returning r.id`,
})

export const putBack = write('jobs.putBack', {
  params: { ...OWN, run: c.timestamptz, attempts: c.int4, payload: nullable(c.json), problem: nullable(c.text) },
  row: { id: c.int8 },
  text: `
    update jobs set is_leased = false, run_at = :run, attempts = :attempts, payload = coalesce(:payload::jsonb, payload), problem = :problem
     where ${own} returning id`,
})

export const giveUp = write('jobs.giveUp', {
  params: { ...OWN, now: c.timestamptz, problem: c.text },
  row: { id: c.int8 },
  text: `update jobs set is_leased = false, given_up_at = :now, problem = :problem where ${own} returning id`,
})

/** Counts stop at this number, so that they stay cheap. */
const COUNTED = 10_000
const count = (rows: string): string =>
  `(select count(*) from (select from jobs where ${rows} limit ${COUNTED}) counted)`

/**
 * Reads for each kind the number of due jobs, the age of the oldest due job, and the number of jobs that are running or
 * not yet due.
 */
export const readWaiting = read('jobs.readWaiting', {
  params: { now: c.timestamptz },
  row: { kind: c.text, due: c.int8, waiting_seconds: c.float8, other: c.int8 },
  gather: false,
  text: `
    with recursive kinds as (
      (select kind from jobs where given_up_at is null order by kind limit 1)
      union all
      select n.kind from kinds k cross join lateral (
        select kind from jobs where given_up_at is null and kind > k.kind order by kind limit 1) n
    )
    select k.kind, ${count('kind = k.kind and given_up_at is null and run_at <= :now')} as due,
           coalesce(extract(epoch from :now - (
             select run_at from jobs where kind = k.kind and given_up_at is null and run_at <= :now order by run_at limit 1
           )), 0)::float8 as waiting_seconds,
           ${count('kind = k.kind and given_up_at is null and run_at > :now')} as other
      from kinds k`,
})

export const countGivenUp = read('jobs.countGivenUp', {
  params: {},
  row: { kind: c.text, given_up: c.int8 },
  gather: false,
  text: `
    select kind, count(*) as given_up from (select kind from jobs where given_up_at is not null limit ${COUNTED}) g group by kind`,
})

export const deleteOld = deleteOlder('jobs.deleteOld', { table: 'jobs', key: { id: c.int8 }, by: 'given_up_at' })
