import { bool, bytea, int8, nullable, read, text, timestamptz, uuid, write } from '../database/statement.ts'

/** Everything that decides whether an access token holds, in one row. */
export const findToken = read('sessions.findToken', {
  params: { hash: bytea },
  row: {
    session_id: uuid,
    app_id: int8,
    person_id: int8,
    user_id: text,
    expires_at: timestamptz,
    ended_at: nullable(timestamptz),
    app_status: text,
    disabled_at: nullable(timestamptz),
    withdrawn_at: nullable(timestamptz),
    anonymous: bool,
  },
  text: `
    select t.session_id, s.app_id, s.person_id, s.user_id, t.expires_at, s.ended_at,
           a.status as app_status, p.disabled_at, u.withdrawn_at, p.anonymous
      from access_tokens t
      join sessions s on s.id = t.session_id
      join apps a on a.id = s.app_id
      join people p on p.id = s.person_id
      join app_users u on u.user_id = s.user_id
     where t.token_hash = :hash`,
})

export const insertSession = write('sessions.insert', {
  params: {
    id: uuid,
    app: int8,
    person: int8,
    user: text,
    door: text,
    device: text,
    hash: bytea,
    now: timestamptz,
    tokenExpires: timestamptz,
    sessionExpires: timestamptz,
  },
  row: { id: uuid },
  text: `
    with session as (
      insert into sessions (id, app_id, person_id, user_id, door, device, refreshed_at, created_at, expires_at)
      values (:id, :app, :person, :user, :door, :device, :now, :now, :sessionExpires)
      returning id
    )
    insert into access_tokens (token_hash, session_id, created_at, expires_at)
    select :hash, id, :now, :tokenExpires from session
    returning session_id as id`,
})

export const endSession = write('sessions.end', {
  params: { id: uuid, reason: text, now: timestamptz },
  row: { id: uuid },
  text: `update sessions set ended_at = :now, end_reason = :reason where id = :id and ended_at is null returning id`,
})

export const endSessionsOfPerson = write('sessions.endOfPerson', {
  params: { person: int8, reason: text, now: timestamptz },
  row: { id: uuid },
  text: `update sessions set ended_at = :now, end_reason = :reason where person_id = :person and ended_at is null returning id`,
})

/** Expired tokens stay for a month, so that a late client hears "expired" (4010) and not "unknown". */
export const deleteOldTokens = write('sessions.deleteOldTokens', {
  params: { before: timestamptz },
  row: { token_hash: bytea },
  text: `
    delete from access_tokens where token_hash in
      (select token_hash from access_tokens where expires_at < :before order by expires_at limit 1000)
    returning token_hash`,
})

export const deleteOldSessions = write('sessions.deleteOld', {
  params: { before: timestamptz },
  row: { id: uuid },
  text: `
    delete from sessions where id in (select id from sessions where expires_at < :before order by expires_at limit 1000)
    returning id`,
})
