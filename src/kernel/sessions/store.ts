import { deleteOlder } from '../database/retention.ts'
import {
  bool,
  bytea,
  instant,
  int4,
  int8,
  nullable,
  read,
  text,
  timestamptz,
  uuid,
  write,
} from '../database/statement.ts'

/** Everything that decides whether an access token is valid, in one row. */
export const findToken = read('sessions.findToken', {
  params: { hash: bytea },
  row: {
    session_id: uuid,
    app_id: int8,
    person_id: int8,
    user_id: text,
    handle: text,
    created_at: timestamptz,
    expires_at: timestamptz,
    session_expires_at: timestamptz,
    ended_at: nullable(timestamptz),
    app_status: text,
    disabled_at: nullable(timestamptz),
    withdrawn_at: nullable(timestamptz),
    anonymous: bool,
  },
  text: `
    select t.session_id, s.app_id, s.person_id, s.user_id, p.handle, t.created_at, t.expires_at,
           s.expires_at as session_expires_at, s.ended_at, a.status as app_status, p.disabled_at, u.withdrawn_at, p.anonymous
      from access_tokens t
      join sessions s on s.id = t.session_id
      join apps a on a.id = s.app_id
      join people p on p.id = s.person_id
      join app_users u on u.user_id = s.user_id
     where t.token_hash = :hash`,
})

/**
 * Also tells whether the person has more than that many other sessions in the app. Expired ones count, and are the
 * first to end.
 */
export const insertSession = write('sessions.insert', {
  params: {
    id: uuid,
    app: int8,
    person: int8,
    user: text,
    door: text,
    device: text,
    push: nullable(text),
    hash: bytea,
    now: timestamptz,
    tokenExpires: timestamptz,
    sessionExpires: timestamptz,
    others: int8,
  },
  row: { id: uuid, is_crowded: bool },
  text: `
    with session as (
      insert into sessions (id, app_id, person_id, user_id, door, device, push_token, refreshed_at, created_at, expires_at)
      values (:id, :app, :person, :user, :door, :device, :push, :now, :now, :sessionExpires)
      returning id
    ), token as (
      insert into access_tokens (token_hash, session_id, created_at, expires_at)
      select :hash, id, :now, :tokenExpires from session
    )
    select id, exists (
        select from sessions o where o.person_id = :person and o.app_id = :app and o.ended_at is null
         order by o.created_at offset :others
      ) as is_crowded
      from session`,
})

/**
 * Advances a session to its next generation. Returns no row if another request was first, or the session has ended. A
 * counter ahead of the row's was issued before the database was restored from a backup.
 */
export const refreshSession = write('sessions.refresh', {
  params: {
    id: uuid,
    app: int8,
    counter: int4,
    hash: bytea,
    now: timestamptz,
    tokenExpires: timestamptz,
    sessionExpires: timestamptz,
  },
  row: { id: uuid },
  text: `
    with session as (
      update sessions set refresh_counter = :counter + 1, refreshed_at = :now, expires_at = :sessionExpires
       where id = :id and app_id = :app and refresh_counter <= :counter and ended_at is null and expires_at > :now
      returning id
    ), token as (
      insert into access_tokens (token_hash, session_id, created_at, expires_at)
      select :hash, id, :now, :tokenExpires from session
      on conflict (token_hash) do update set created_at = excluded.created_at, expires_at = excluded.expires_at
    )
    select id from session`,
})

/** Keeps the latest twenty tokens of a session. */
export const forgetTokens = write('sessions.forgetTokens', {
  params: { session: uuid },
  row: { token_hash: bytea },
  text: `
    delete from access_tokens where token_hash in
      (select token_hash from access_tokens where session_id = :session order by created_at desc offset 20)
    returning token_hash`,
})

/** Session data for judging refresh tokens. */
export const findSession = read('sessions.find', {
  params: { id: uuid },
  row: {
    id: uuid,
    app_id: int8,
    person_id: int8,
    user_id: text,
    handle: text,
    refresh_counter: int4,
    refreshed_at: timestamptz,
    created_at: timestamptz,
    expires_at: timestamptz,
    ended_at: nullable(timestamptz),
    app_status: text,
    disabled_at: nullable(timestamptz),
    withdrawn_at: nullable(timestamptz),
  },
  text: `
    select s.id, s.app_id, s.person_id, s.user_id, p.handle, s.refresh_counter, s.refreshed_at, s.created_at, s.expires_at,
           s.ended_at, a.status as app_status, p.disabled_at, u.withdrawn_at
      from sessions s
      join people p on p.id = s.person_id
      join apps a on a.id = s.app_id
      join app_users u on u.user_id = s.user_id
     where s.id = :id`,
})

export const deleteToken = write('sessions.deleteToken', {
  params: { hash: bytea },
  row: { session_id: uuid, person_id: int8 },
  text: `
    delete from access_tokens t using sessions s where t.token_hash = :hash and s.id = t.session_id
    returning t.session_id, s.person_id`,
})

export const endSession = write('sessions.end', {
  params: { id: uuid, reason: text, now: timestamptz },
  row: { person_id: int8 },
  text: `
    update sessions set ended_at = :now, end_reason = :reason where id = :id and ended_at is null returning person_id`,
})

export const endSessionsOfPerson = write('sessions.endOfPerson', {
  params: { person: int8, reason: text, now: timestamptz },
  row: { id: uuid },
  text: `update sessions set ended_at = :now, end_reason = :reason where person_id = :person and ended_at is null returning id`,
})

export const findOwn = read('sessions.findOwn', {
  params: { id: uuid, person: int8 },
  row: { id: uuid },
  text: `select id from sessions where id = :id and person_id = :person`,
})

export const endSessionsInApp = write('sessions.endInApp', {
  params: { person: int8, app: int8, reason: text, now: timestamptz },
  row: { id: uuid },
  text: `
    update sessions set ended_at = :now, end_reason = :reason
     where person_id = :person and app_id = :app and ended_at is null returning id`,
})

/**
 * Ends a person's sessions in an app, except the new one and the most recently used others. It skips locked rows,
 * because another request is using or ending those.
 */
export const endLeastUsed = write('sessions.endLeastUsed', {
  params: { newest: uuid, person: int8, app: int8, others: int8, reason: text, now: timestamptz },
  row: { id: uuid },
  text: `
    with surplus as (
      select id from sessions where id in (
        select o.id from sessions o
         where o.person_id = :person and o.app_id = :app and o.ended_at is null and o.id <> :newest
         order by o.refreshed_at desc offset :others
      ) for no key update skip locked
    )
    update sessions s set ended_at = :now, end_reason = :reason from surplus
     where s.id = surplus.id and s.ended_at is null returning s.id`,
})

/**
 * Lists active sessions in each app that the person has consented to, most recently used first; at most MAX_SESSIONS
 * per app.
 */
export const listOfPerson = read('sessions.listOfPerson', {
  params: { person: int8, now: timestamptz },
  row: { id: uuid, app_id: int8, door: text, device: text, created_at: instant, refreshed_at: instant },
  text: `
    select s.id, s.app_id, s.door, s.device, s.created_at, s.refreshed_at
      from app_users u cross join lateral (
        select * from sessions o
         where o.person_id = u.person_id and o.app_id = u.app_id and o.ended_at is null and o.expires_at > :now
         order by o.refreshed_at desc limit 101
      ) s
     where u.person_id = :person and u.withdrawn_at is null`,
})

/** Lists all stored sessions, a page at a time, ordered by app. */
export const listAllOfPerson = read('sessions.listAllOfPerson', {
  params: { person: int8, app: int8, id: uuid, limit: int8 },
  row: {
    id: uuid,
    app_id: int8,
    client_id: text,
    door: text,
    device: text,
    has_push_token: bool,
    created_at: instant,
    refreshed_at: instant,
    expires_at: instant,
    ended_at: nullable(instant),
    end_reason: nullable(text),
  },
  gather: false,
  text: `
    select s.id, s.app_id, a.client_id, s.door, s.device, s.push_token is not null as has_push_token, s.created_at,
           s.refreshed_at, s.expires_at, s.ended_at, s.end_reason
      from sessions s join apps a on a.id = s.app_id
     where s.person_id = :person and (s.app_id, s.id) > (:app, :id) order by s.app_id, s.id limit :limit`,
})

/** Expired tokens are kept for a month, so that a late client is told "expired" (4010) and not "unknown". */
export const deleteOldTokens = deleteOlder('sessions.deleteOldTokens', {
  table: 'access_tokens',
  key: { token_hash: bytea },
  by: 'expires_at',
})

export const deleteOldSessions = deleteOlder('sessions.deleteOld', {
  table: 'sessions',
  key: { id: uuid },
  by: 'expires_at',
})
