import { bool, bytea, int8, json, nullable, read, text, textArray, timestamptz, write } from '../database/statement.ts'

/** A key with its secrets, as it proves itself. */
export const findByKey = read('credentials.findByKey', {
  params: { key: text },
  row: {
    id: int8,
    name: text,
    scopes: textArray,
    authority: nullable(json),
    uses_library: bool,
    expires_at: nullable(timestamptz),
    suspended_at: nullable(timestamptz),
    revoked_at: nullable(timestamptz),
    secret_ids: textArray,
    secrets: textArray,
  },
  text: `
    select id, name, scopes, authority, uses_library, expires_at, suspended_at, revoked_at,
           array(select s.id::text from credential_secrets s where s.credential_id = c.id order by s.id) as secret_ids,
           array(select encode(s.secret_hash, 'hex') from credential_secrets s where s.credential_id = c.id order by s.id) as secrets
      from credentials c where key = :key`,
})

/** No row where it was used within the minute before. */
export const touchSecret = write('credentials.touchSecret', {
  params: { secret: int8, now: timestamptz },
  row: { id: int8 },
  text: `
    update credential_secrets set last_used_at = :now
     where id = :secret and (last_used_at is null or last_used_at <= :now - interval '1 minute') returning id`,
})

/** What a user of an app is called in statements, and the app. */
export const findAppUser = read('credentials.findAppUser', {
  params: { app: int8, person: int8 },
  row: { client_id: text, app_name: text, handle: text },
  text: `
    select a.client_id, a.name as app_name, p.handle from apps a, people p where a.id = :app and p.id = :person`,
})

export const findAdministrator = read('credentials.findAdministrator', {
  params: { person: int8 },
  row: { administers: bool },
  text: `select administrator as administers from people where id = :person`,
})

export const insertCredential = write('credentials.insert', {
  params: {
    key: text,
    name: text,
    scopes: textArray,
    authority: nullable(json),
    library: bool,
    expires: nullable(timestamptz),
    person: nullable(int8),
    now: timestamptz,
  },
  row: { id: int8 },
  text: `
    insert into credentials (key, name, scopes, authority, uses_library, expires_at, created_by, created_at)
    values (:key, :name, :scopes, :authority, :library, :expires, :person, :now) returning id`,
})

export const insertSecret = write('credentials.insertSecret', {
  params: { credential: int8, hash: bytea, now: timestamptz },
  row: { id: int8 },
  text: `
    insert into credential_secrets (credential_id, secret_hash, created_at) values (:credential, :hash, :now) returning id`,
})
