import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

/**
 * Adds a message for each sign-in of an app that has a receiver. Several sessions of the same sign-in get one message.
 */
export const insertMessages = write('logouts.insert', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into logout_messages (app_id, user_id, sid, created_at, due_at)
    select distinct a.id, r.user_id, r.sid, :now::timestamptz, :now::timestamptz
      from json_to_recordset(:rows) as r(app_id bigint, user_id text, sid text) join apps a on a.id = r.app_id
     where a.backchannel_logout_uri is not null
    returning id`,
})

/**
 * Claims due messages, at most `most` of each app and none of the apps in `full`. A message that is not settled by the
 * time `lease` can be claimed again. Apps are found by a loose index scan: one index lookup per app.
 */
export const claimDue = write('logouts.claim', {
  params: { full: c.int8Array, now: c.timestamptz, lease: c.timestamptz, most: c.int8, limit: c.int8 },
  row: {
    id: c.int8,
    token: c.int4,
    attempts: c.int4,
    created_at: c.timestamptz,
    app_id: c.int8,
    user_id: c.text,
    sid: c.text,
    client_id: c.text,
    uri: nullable(c.text),
    algorithm: nullable(c.text),
  },
  text: `
    with recursive app as (
      (select app_id from logout_messages where failed_at is null order by app_id limit 1)
      union all
      select n.app_id from app cross join lateral (
        select app_id from logout_messages where failed_at is null and app_id > app.app_id order by app_id limit 1) n
    ), due as materialized (
      select o.id from app cross join lateral (
        select id, due_at from logout_messages m
         where m.app_id = app.app_id and m.failed_at is null and m.due_at <= :now
         order by m.due_at limit :most) o
       where app.app_id <> all(:full) order by o.due_at limit :limit
    ), own as materialized (
      select m.id from due join logout_messages m on m.id = due.id
       where m.due_at <= :now and m.failed_at is null for update of m skip locked
    )
    update logout_messages m set token = m.token + 1, attempts = m.attempts + 1, due_at = :lease
      from own join apps a on true where m.id = own.id and a.id = m.app_id
    returning m.id, m.token, m.attempts, m.created_at, m.app_id, m.user_id, m.sid, a.client_id,
              a.backchannel_logout_uri as uri, a.id_token_algorithm as algorithm`,
})

const OWN = { id: c.int8, token: c.int4 }

/** Deletes a message that was delivered, or that no longer has a receiver. */
export const deleteMessage = write('logouts.delete', {
  params: OWN,
  row: { id: c.int8 },
  text: `delete from logout_messages where id = :id and token = :token and failed_at is null returning id`,
})

/** Stores a failed attempt: the message is due again, or has failed. */
export const putBack = write('logouts.putBack', {
  params: {
    ...OWN,
    due: c.timestamptz,
    problem: nullable(c.text),
    status: nullable(c.int4),
    failed: nullable(c.timestamptz),
  },
  row: { id: c.int8 },
  text: `
    update logout_messages set due_at = :due, problem = coalesce(:problem, problem), status = :status, failed_at = :failed
     where id = :id and token = :token and failed_at is null returning id`,
})

/** Returns a message that was not sent after all, because the process stops. */
export const release = write('logouts.release', {
  params: { ...OWN, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update logout_messages set due_at = :now, attempts = attempts - 1
     where id = :id and token = :token and failed_at is null returning id`,
})

/** Lists the latest messages of an app that failed. */
export const listFailed = read('logouts.listFailed', {
  params: { app: c.int8, limit: c.int8 },
  row: {
    id: c.int8,
    user_id: c.text,
    created_at: c.instant,
    failed_at: nullable(c.instant),
    attempts: c.int4,
    status: nullable(c.int4),
    problem: c.text,
  },
  text: `
    select id, user_id, created_at, failed_at, attempts, status, coalesce(problem, '') as problem
      from logout_messages where app_id = :app and failed_at is not null order by failed_at desc limit :limit`,
})

export const countWaiting = read('logouts.countWaiting', {
  params: {},
  row: { count: c.int8 },
  text: `select count(*) as count from (select from logout_messages where failed_at is null limit 10000) m`,
})

export const deleteFailed = deleteOlder('logouts.deleteFailed', {
  table: 'logout_messages',
  key: { id: c.int8 },
  by: 'failed_at',
})
