import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/**
 * Inserts a code if the person has consented to the app, and to all scopes that it asks for; otherwise returns no row. A
 * launch asks for nothing and gets what the person has allowed. Deletes the oldest unredeemed codes
 * in excess of the limit. Locked codes are skipped, because another request is redeeming or deleting them.
 */
export const insertCode = write('oauth.insertCode', {
  params: {
    hash: c.bytea,
    app: c.int8,
    person: c.int8,
    epoch: c.int4,
    door: c.text,
    redirect: c.text,
    redirectGiven: c.bool,
    challenge: nullable(c.text),
    device: c.text,
    scopes: nullable(c.textArray),
    browser: nullable(c.uuid),
    nonce: nullable(c.text),
    authTime: nullable(c.timestamptz),
    now: c.timestamptz,
    expires: c.timestamptz,
    others: c.int8,
  },
  row: { code_hash: c.bytea },
  text: `
    with surplus as (
      select code_hash from authorization_codes where code_hash in (
        select o.code_hash from authorization_codes o
         where o.person_id = :person and o.app_id = :app and o.used_at is null
         order by o.created_at desc offset :others
      ) for update skip locked
    ), ended as (
      delete from authorization_codes c using surplus where c.code_hash = surplus.code_hash and c.used_at is null
    )
    insert into authorization_codes (code_hash, app_id, person_id, person_epoch, consent_epoch, door, redirect_uri,
                                     redirect_given, challenge, device, scopes, browser_id, nonce, auth_time, created_at, expires_at)
    select :hash, u.app_id, u.person_id, :epoch, u.epoch, :door, :redirect, :redirectGiven, :challenge, :device, :scopes, :browser, :nonce, :authTime, :now, :expires
      from app_users u join apps a on a.id = u.app_id
     where u.app_id = :app and u.person_id = :person and u.withdrawn_at is null and u.allowed_at is not null
       and (:door = 'launch' or u.scopes is null or coalesce(coalesce(:scopes, a.scopes) <@ u.scopes, false))
    returning code_hash`,
})

/** Finds a code. Only its `used_at` and `session_id` ever change. */
export const findCode = read('oauth.findCode', {
  params: { hash: c.bytea },
  row: {
    app_id: c.int8,
    person_id: c.int8,
    person_epoch: c.int4,
    consent_epoch: c.int4,
    door: c.text,
    redirect_uri: c.text,
    redirect_given: c.bool,
    challenge: nullable(c.text),
    device: c.text,
    scopes: nullable(c.textArray),
    browser_id: nullable(c.uuid),
    nonce: nullable(c.text),
    auth_time: nullable(c.timestamptz),
    expires_at: c.timestamptz,
    used_at: nullable(c.timestamptz),
    session_id: nullable(c.uuid),
  },
  text: `
    select app_id, person_id, person_epoch, consent_epoch, door, redirect_uri, redirect_given, challenge, device,
           scopes, browser_id, nonce, auth_time, expires_at, used_at, session_id
      from authorization_codes where code_hash = :hash`,
})

/** Marks a code as used by the session that is about to be opened. Only one request gets a row. */
export const takeCode = write('oauth.takeCode', {
  params: { hash: c.bytea, app: c.int8, session: c.uuid, now: c.timestamptz },
  row: { code_hash: c.bytea },
  text: `
    update authorization_codes set used_at = :now, session_id = :session
     where code_hash = :hash and app_id = :app and used_at is null and expires_at > :now
    returning code_hash`,
})

export const deleteOldCodes = deleteOlder('oauth.deleteOldCodes', {
  table: 'authorization_codes',
  key: { code_hash: c.bytea },
  by: 'expires_at',
})
