import { deleteOlder } from '../database/retention.ts'
import { c, list, nullable, read, write } from '../database/statement.ts'

/** Reads everything that decides whether an access token is valid. */
export const findToken = read('sessions.findToken', {
  params: { hash: c.bytea },
  row: {
    session_id: c.uuid,
    app_id: c.int8,
    person_id: c.int8,
    user_id: c.text,
    handle: c.text,
    created_at: c.timestamptz,
    expires_at: c.timestamptz,
    session_expires_at: c.timestamptz,
    ended_at: nullable(c.timestamptz),
    app_status: c.text,
    disabled_at: nullable(c.timestamptz),
    withdrawn_at: nullable(c.timestamptz),
    anonymous: c.bool,
    token_scopes: nullable(c.textArray),
    session_scopes: nullable(c.textArray),
    app_scopes: nullable(c.textArray),
    user_scopes: nullable(c.textArray),
  },
  text: `
    select t.session_id, s.app_id, s.person_id, s.user_id, p.handle, t.created_at, t.expires_at,
           s.expires_at as session_expires_at, s.ended_at, a.status as app_status, p.disabled_at, u.withdrawn_at, p.anonymous,
           t.scopes as token_scopes, s.scopes as session_scopes, a.scopes as app_scopes, u.scopes as user_scopes
      from access_tokens t
      join sessions s on s.id = t.session_id
      join apps a on a.id = s.app_id
      join people p on p.id = s.person_id
      join app_users u on u.user_id = s.user_id
     where t.token_hash = :hash`,
})

/**
 * Inserts a session and its first access token. `is_crowded` tells whether the person already had more than `others`
 * sessions in the app. Expired sessions count too, and are the first to be ended.
 * The row has what the app has registered and what the person has allowed it, besides what the session asked for.
 */
export const insertSession = write('sessions.insert', {
  params: {
    id: c.uuid,
    app: c.int8,
    person: c.int8,
    user: c.text,
    door: c.text,
    device: c.text,
    push: nullable(c.text),
    browser: nullable(c.uuid),
    scopes: nullable(c.textArray),
    authTime: nullable(c.timestamptz),
    hash: c.bytea,
    now: c.timestamptz,
    tokenExpires: c.timestamptz,
    sessionExpires: c.timestamptz,
    others: c.int8,
  },
  row: {
    id: c.uuid,
    app_scopes: nullable(c.textArray),
    user_scopes: nullable(c.textArray),
    is_crowded: c.bool,
  },
  text: `
    with session as (
      insert into sessions (id, app_id, person_id, user_id, door, device, push_token, scopes, browser_id, auth_time, refreshed_at, created_at, expires_at)
      values (:id, :app, :person, :user, :door, :device, :push, :scopes, :browser, :authTime, :now, :now, :sessionExpires)
      returning id
    ), token as (
      insert into access_tokens (token_hash, session_id, created_at, expires_at)
      select :hash, id, :now, :tokenExpires from session
    )
    select id, (select scopes from apps where id = :app) as app_scopes,
           (select scopes from app_users where user_id = :user) as user_scopes, exists (
        select from sessions o where o.person_id = :person and o.app_id = :app and o.ended_at is null
         order by o.created_at offset :others
      ) as is_crowded
      from session`,
})

/**
 * Advances a session to its next generation. Returns no row if another request did so first, or if the session has
 * ended. A counter ahead of the stored one is accepted: it was issued before the database was restored from a backup.
 * `scopes` are those of the new access token, if they are fewer than the session's.
 */
export const refreshSession = write('sessions.refresh', {
  params: {
    id: c.uuid,
    app: c.int8,
    counter: c.int4,
    scopes: nullable(c.textArray),
    hash: c.bytea,
    now: c.timestamptz,
    tokenExpires: c.timestamptz,
    sessionExpires: c.timestamptz,
  },
  row: {
    id: c.uuid,
    session_scopes: nullable(c.textArray),
    app_scopes: nullable(c.textArray),
    user_scopes: nullable(c.textArray),
  },
  text: `
    with session as (
      update sessions set refresh_counter = :counter + 1, refreshed_at = :now, expires_at = :sessionExpires
       where id = :id and app_id = :app and refresh_counter <= :counter and ended_at is null and expires_at > :now
      returning id, user_id, scopes
    ), token as (
      insert into access_tokens (token_hash, session_id, scopes, created_at, expires_at)
      select :hash, id, :scopes, :now, :tokenExpires from session
      on conflict (token_hash) do update
        set scopes = excluded.scopes, created_at = excluded.created_at, expires_at = excluded.expires_at
    )
    select session.id, session.scopes as session_scopes, a.scopes as app_scopes, u.scopes as user_scopes
      from session join apps a on a.id = :app join app_users u on u.user_id = session.user_id`,
})

/** Deletes all but the latest twenty access tokens of a session. */
export const forgetTokens = write('sessions.forgetTokens', {
  params: { session: c.uuid },
  row: { token_hash: c.bytea },
  text: `
    delete from access_tokens where token_hash in
      (select token_hash from access_tokens where session_id = :session order by created_at desc offset 20)
    returning token_hash`,
})

/** Reads the data of a session that is needed to validate its refresh tokens. */
export const findSession = read('sessions.find', {
  params: { id: c.uuid },
  row: {
    id: c.uuid,
    app_id: c.int8,
    person_id: c.int8,
    user_id: c.text,
    handle: c.text,
    refresh_counter: c.int4,
    refreshed_at: c.timestamptz,
    created_at: c.timestamptz,
    expires_at: c.timestamptz,
    ended_at: nullable(c.timestamptz),
    browser_id: nullable(c.uuid),
    auth_time: nullable(c.timestamptz),
    app_status: c.text,
    disabled_at: nullable(c.timestamptz),
    withdrawn_at: nullable(c.timestamptz),
    session_scopes: nullable(c.textArray),
    app_scopes: nullable(c.textArray),
    user_scopes: nullable(c.textArray),
  },
  text: `
    select s.id, s.app_id, s.person_id, s.user_id, p.handle, s.refresh_counter, s.refreshed_at, s.created_at, s.expires_at,
           s.ended_at, s.browser_id, s.auth_time, a.status as app_status, p.disabled_at, u.withdrawn_at,
           s.scopes as session_scopes, a.scopes as app_scopes, u.scopes as user_scopes
      from sessions s
      join people p on p.id = s.person_id
      join apps a on a.id = s.app_id
      join app_users u on u.user_id = s.user_id
     where s.id = :id`,
})

export const deleteToken = write('sessions.deleteToken', {
  params: { hash: c.bytea },
  row: { session_id: c.uuid, person_id: c.int8 },
  text: `
    delete from access_tokens t using sessions s where t.token_hash = :hash and s.id = t.session_id
    returning t.session_id, s.person_id`,
})

const ENDED = { id: c.uuid, app_id: c.int8, user_id: c.text, browser_id: nullable(c.uuid), is_openid: c.bool }
/** SQL: what the messages to apps say about sessions that have ended. */
const ended = `id, app_id, user_id, browser_id, coalesce('openid' = any(scopes), false) as is_openid`

export const endSession = write('sessions.end', {
  params: { id: c.uuid, reason: c.text, now: c.timestamptz },
  row: { ...ENDED, person_id: c.int8 },
  text: `
    update sessions set ended_at = :now, end_reason = :reason where id = :id and ended_at is null
    returning ${ended}, person_id`,
})

/**
 * Ends the sessions that came from a browser, except those with `offline_access`. Returns all sessions with `openid`
 * that came from it, ended or not: the app may still have a session of its own.
 */
export const endSessionsOfBrowser = write('sessions.endOfBrowser', {
  params: { browser: c.uuid, person: c.int8, reason: c.text, now: c.timestamptz },
  row: { ...ENDED, is_ended: c.bool },
  text: `
    with over as (
      update sessions set ended_at = :now, end_reason = :reason
       where browser_id = :browser and person_id = :person and ended_at is null
         and not coalesce('offline_access' = any(scopes), false)
      returning id
    )
    select ${ended}, id in (select id from over) as is_ended
      from sessions where browser_id = :browser and person_id = :person order by created_at desc limit 1000`,
})

/** Lists a person's latest sessions in an app that have the scope `openid`, ended or not. */
export const listOpenid = read('sessions.listOpenid', {
  params: { app: c.int8, user: c.text },
  row: { ...ENDED, ended_at: nullable(c.timestamptz), is_offline: c.bool },
  text: `
    select ${ended}, ended_at, coalesce('offline_access' = any(scopes), false) as is_offline
      from sessions where user_id = :user and app_id = :app and 'openid' = any(scopes)
     order by created_at desc limit 200`,
})

/** Lists a person's open sessions that have the scope `openid`, most recent first. */
export const listOpenidOfPerson = read('sessions.listOpenidOfPerson', {
  params: { person: c.int8 },
  row: ENDED,
  text: `
    select ${ended} from sessions where person_id = :person and ended_at is null and 'openid' = any(scopes)
     order by created_at desc limit 1000`,
})

export const endSessionsOfPerson = write('sessions.endOfPerson', {
  params: { person: c.int8, reason: c.text, now: c.timestamptz },
  row: ENDED,
  text: `
    update sessions set ended_at = :now, end_reason = :reason where person_id = :person and ended_at is null
    returning ${ended}`,
})

export const findOwn = read('sessions.findOwn', {
  params: { id: c.uuid, person: c.int8 },
  row: { id: c.uuid },
  text: `select id from sessions where id = :id and person_id = :person`,
})

export const endSessionsInApp = write('sessions.endInApp', {
  params: { person: c.int8, app: c.int8, reason: c.text, now: c.timestamptz },
  row: ENDED,
  text: `
    update sessions set ended_at = :now, end_reason = :reason
     where person_id = :person and app_id = :app and ended_at is null returning ${ended}`,
})

/**
 * Ends a person's sessions in an app, except the newest session and the `others` most recently used ones. Skips locked
 * rows, because another request is using or ending those sessions.
 */
export const endLeastUsed = write('sessions.endLeastUsed', {
  params: { newest: c.uuid, person: c.int8, app: c.int8, others: c.int8, reason: c.text, now: c.timestamptz },
  row: { id: c.uuid },
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
 * Lists active sessions in each app that the person has consented to, most recently used first, at most :most
 * per app.
 */
export const listOfPerson = list('sessions.listOfPerson', {
  params: { person: c.int8, most: c.int8, now: c.timestamptz },
  row: { id: c.uuid, app_id: c.int8, door: c.text, device: c.text, created_at: c.instant, refreshed_at: c.instant },
  text: `
    select s.id, s.app_id, s.door, s.device, s.created_at, s.refreshed_at
      from app_users u cross join lateral (
        select * from sessions o
         where o.person_id = u.person_id and o.app_id = u.app_id and o.ended_at is null and o.expires_at > :now
         order by o.refreshed_at desc limit :most
      ) s
     where u.person_id = :person and u.withdrawn_at is null order by s.refreshed_at desc limit 2000`,
})

/** Lists a page of all stored sessions of a person, ordered by app. */
export const listAllOfPerson = read('sessions.listAllOfPerson', {
  params: { person: c.int8, app: c.int8, id: c.uuid, limit: c.int8 },
  row: {
    id: c.uuid,
    app_id: c.int8,
    client_id: c.text,
    door: c.text,
    device: c.text,
    has_push_token: c.bool,
    scopes: nullable(c.textArray),
    created_at: c.instant,
    refreshed_at: c.instant,
    expires_at: c.instant,
    ended_at: nullable(c.instant),
    end_reason: nullable(c.text),
  },
  gather: false,
  text: `
    select s.id, s.app_id, a.client_id, s.door, s.device, s.push_token is not null as has_push_token, s.scopes, s.created_at,
           s.refreshed_at, s.expires_at, s.ended_at, s.end_reason
      from sessions s join apps a on a.id = s.app_id
     where s.person_id = :person and (s.app_id, s.id) > (:app, :id) order by s.app_id, s.id limit :limit`,
})

/**
 * Deletes access tokens a month after they expired. Until then, a client that uses one gets the error "expired" (4010)
 * and not "unknown".
 */
export const deleteOldTokens = deleteOlder('sessions.deleteOldTokens', {
  table: 'access_tokens',
  key: { token_hash: c.bytea },
  by: 'expires_at',
})

export const deleteOldSessions = deleteOlder('sessions.deleteOld', {
  table: 'sessions',
  key: { id: c.uuid },
  by: 'expires_at',
})
