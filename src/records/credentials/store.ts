import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'

/** Finds a key with the hashes of its secrets, for authentication. */
export const findByKey = read('credentials.findByKey', {
  params: { key: c.text },
  row: {
    id: c.int8,
    name: c.text,
    scopes: c.textArray,
    authority: nullable(c.json),
    uses_library: c.bool,
    expires_at: nullable(c.timestamptz),
    suspended_at: nullable(c.timestamptz),
    revoked_at: nullable(c.timestamptz),
    secret_ids: c.textArray,
    secrets: c.textArray,
    secrets_used: c.textArray,
  },
  text: `
    select id, name, scopes, authority, uses_library, expires_at, suspended_at, revoked_at,
           array(select s.id::text from credential_secrets s where s.credential_id = c.id order by s.id) as secret_ids,
           array(select encode(s.secret_hash, 'hex') from credential_secrets s where s.credential_id = c.id order by s.id) as secrets,
           array(select coalesce(extract(epoch from s.last_used_at)::text, '0') from credential_secrets s where s.credential_id = c.id order by s.id) as secrets_used
      from credentials c where key = :key`,
})

/**
 * Stores the time of a secret's last use. Updates nothing and returns no row if it was already stored within the last
 * minute.
 */
export const touchSecret = write('credentials.touchSecret', {
  params: { secret: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update credential_secrets set last_used_at = :now
     where id = :secret and (last_used_at is null or last_used_at <= :now - interval '1 minute') returning id`,
})

/** Replaces a hash that was computed with the previous key. */
export const rehashSecret = write('credentials.rehashSecret', {
  params: { secret: c.int8, hash: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update credential_secrets set secret_hash = :hash, last_used_at = :now where id = :secret returning id`,
})

/** Finds the names of a user and of the app, for the authority of the user's statements. */
export const findAppUser = read('credentials.findAppUser', {
  params: { app: c.int8, person: c.int8 },
  row: { client_id: c.text, app_name: c.text, handle: c.text },
  text: `
    select a.client_id, a.name as app_name, p.handle from apps a, people p where a.id = :app and p.id = :person`,
})

export const insertCredential = write('credentials.insert', {
  params: {
    key: c.text,
    name: c.text,
    scopes: c.textArray,
    authority: nullable(c.json),
    library: c.bool,
    expires: nullable(c.timestamptz),
    person: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into credentials (key, name, scopes, authority, uses_library, expires_at, created_by, created_at)
    values (:key, :name, :scopes, :authority, :library, :expires, :person, :now) returning id`,
})

export const insertSecret = write('credentials.insertSecret', {
  params: { credential: c.int8, hash: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into credential_secrets (credential_id, secret_hash, created_at) values (:credential, :hash, :now) returning id`,
})

const SHOWN = {
  key: c.text,
  name: c.text,
  scopes: c.textArray,
  authority: nullable(c.json),
  uses_library: c.bool,
  created_at: c.instant,
  maker: nullable(c.text),
  expires_at: nullable(c.timestamptz),
  suspended_at: nullable(c.instant),
  revoked_at: nullable(c.instant),
  secrets: c.json,
}
const shown = `
  c.key, c.name, c.scopes, c.authority, c.uses_library, c.created_at, p.handle as maker, c.expires_at, c.suspended_at, c.revoked_at,
  (select coalesce(json_agg(json_build_object('createdDate', s.created_at, 'lastUsedDate', s.last_used_at) order by s.id), '[]')
     from credential_secrets s where s.credential_id = c.id) as secrets`

const ORDERS = {
  created: ['c.id'],
  name: [foldedName('c.name'), 'c.id'],
  used: [
    `coalesce((select max(s.last_used_at) from credential_secrets s where s.credential_id = c.id), '-infinity')`,
    'c.id',
  ],
  expires: [`coalesce(c.expires_at, 'infinity')`, 'c.id'],
}

/** Lists credentials. They are few, so any order sorts all of them. */
export const listCredentials = sortedBy(ORDERS, (order, suffix) =>
  read(`credentials.list${suffix}`, {
    params: { limit: c.int8, offset: c.int8 },
    row: { ...SHOWN, total: c.int8 },
    gather: false,
    text: `
    select ${shown}, count(*) over () as total from credentials c left join people p on p.id = c.created_by
     order by ${order} limit :limit offset :offset`,
  }),
)

/** Lists the keys with a secret that was not used since a time, and so is still hashed with an earlier secret key. */
export const listUnused = report('credentials.listUnused', {
  params: { since: c.timestamptz, limit: c.int8 },
  row: { key: c.text },
  text: `
    select distinct c.key from credential_secrets s join credentials c on c.id = s.credential_id
     where c.revoked_at is null and s.created_at < :since and coalesce(s.last_used_at < :since, true) order by c.key limit :limit`,
})

export const findShown = read('credentials.findShown', {
  params: { key: c.text },
  row: SHOWN,
  text: `select ${shown} from credentials c left join people p on p.id = c.created_by where c.key = :key`,
})

/** Locks the key's row, so that two secrets added concurrently cannot exceed the limit of two. */
export const lockCredential = write('credentials.lock', {
  params: { key: c.text },
  row: { id: c.int8, suspended_at: nullable(c.timestamptz), revoked_at: nullable(c.timestamptz) },
  text: `select id, suspended_at, revoked_at from credentials where key = :key for update`,
})

/** Changes a key; a parameter that is null leaves its field unchanged. */
export const changeCredential = write('credentials.change', {
  params: {
    credential: c.int8,
    name: nullable(c.text),
    scopes: nullable(c.textArray),
    library: nullable(c.bool),
    expires: nullable(c.timestamptz),
    never: c.bool,
    suspended: nullable(c.bool),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    update credentials set
      name = coalesce(:name, name),
      scopes = coalesce(:scopes, scopes),
      uses_library = coalesce(:library, uses_library),
      expires_at = case when :never then null else coalesce(:expires, expires_at) end,
      suspended_at = case when :suspended is null then suspended_at when :suspended then coalesce(suspended_at, :now) end
    where id = :credential returning id`,
})

export const revokeCredential = write('credentials.revoke', {
  params: { credential: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update credentials set revoked_at = :now where id = :credential and revoked_at is null returning id`,
})

export const countSecrets = read('credentials.countSecrets', {
  params: { credential: c.int8 },
  row: { count: c.int8 },
  text: `select count(*) as count from credential_secrets where credential_id = :credential`,
})

export const deleteOldSecrets = write('credentials.deleteOldSecrets', {
  params: { credential: c.int8 },
  row: { id: c.int8 },
  text: `
    delete from credential_secrets where credential_id = :credential
       and id <> (select max(id) from credential_secrets where credential_id = :credential)
    returning id`,
})

export const findImported = read('credentials.findImported', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text },
  gather: false,
  text: `select id, key from credentials where key = any(:keys)`,
})
