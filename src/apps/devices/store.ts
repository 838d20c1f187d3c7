import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Counts the unexpired codes of an app, in total and from one network, up to `limit`. */
export const countOpen = read('devices.countOpen', {
  params: { app: c.int8, network: c.text, now: c.timestamptz, limit: c.int8 },
  row: { total: c.int8, own: c.int8 },
  text: `
    select count(*) as total, count(*) filter (where g.network = :network) as own
      from (select network from device_grants where app_id = :app and expires_at > :now limit :limit) g`,
})

/** Counts the devices that a person has allowed and that have not signed in yet, up to `limit`. */
export const countAllowed = read('devices.countAllowed', {
  params: { person: c.int8, now: c.timestamptz, limit: c.int8 },
  row: { total: c.int8 },
  text: `
    select count(*) as total
      from (select from device_grants where person_id = :person and status = 'allowed' and expires_at > :now limit :limit) g`,
})

/** Inserts a code. Returns no row if the user code is taken. */
export const insertGrant = write('devices.insert', {
  params: {
    hash: c.bytea,
    code: c.text,
    app: c.int8,
    device: c.text,
    network: c.text,
    scopes: nullable(c.textArray),
    interval: c.int4,
    now: c.timestamptz,
    expires: c.timestamptz,
  },
  row: { device_hash: c.bytea },
  text: `
    insert into device_grants (device_hash, user_code, app_id, status, device, network, scopes, interval_seconds, created_at, expires_at)
    values (:hash, :code, :app, 'pending', :device, :network, :scopes, :interval, :now, :expires)
    on conflict (user_code) do nothing returning device_hash`,
})

/** Finds a pending code with its app, for the person to decide. */
export const findPending = read('devices.findPending', {
  params: { code: c.text, now: c.timestamptz },
  row: {
    app_id: c.int8,
    name: c.text,
    owner: nullable(c.text),
    scopes: nullable(c.textArray),
    app_scopes: nullable(c.textArray),
  },
  text: `
    select g.app_id, g.scopes, a.scopes as app_scopes, a.name, coalesce(o.name, p.handle) as owner
      from device_grants g join apps a on a.id = g.app_id
      left join organisations o on o.id = a.organisation_id left join people p on p.id = a.owner_id
     where g.user_code = :code and g.status = 'pending' and g.expires_at > :now and a.status = 'approved'`,
})

export const allowGrant = write('devices.allow', {
  params: { code: c.text, person: c.int8, personEpoch: c.int4, consentEpoch: c.int4, now: c.timestamptz },
  row: { device_hash: c.bytea },
  text: `
    update device_grants
       set status = 'allowed', person_id = :person, person_epoch = :personEpoch, consent_epoch = :consentEpoch
     where user_code = :code and status = 'pending' and expires_at > :now
    returning device_hash`,
})

export const denyGrant = write('devices.deny', {
  params: { code: c.text, person: c.int8, now: c.timestamptz },
  row: { app_id: c.int8 },
  text: `
    update device_grants set status = 'denied', person_id = :person
     where user_code = :code and status = 'pending' and expires_at > :now
    returning app_id`,
})

export const findGrant = read('devices.find', {
  params: { hash: c.bytea },
  row: {
    app_id: c.int8,
    status: c.text,
    person_id: nullable(c.int8),
    person_epoch: nullable(c.int4),
    consent_epoch: nullable(c.int4),
    device: c.text,
    scopes: nullable(c.textArray),
    interval_seconds: c.int4,
    polled_at: nullable(c.timestamptz),
    expires_at: c.timestamptz,
    session_id: nullable(c.uuid),
  },
  text: `
    select app_id, status, person_id, person_epoch, consent_epoch, device, scopes, interval_seconds, polled_at, expires_at, session_id
      from device_grants where device_hash = :hash`,
})

export const recordPoll = write('devices.recordPoll', {
  params: { hash: c.bytea, interval: c.int4, now: c.timestamptz },
  row: { device_hash: c.bytea },
  text: `
    update device_grants set polled_at = :now, interval_seconds = :interval
     where device_hash = :hash and status = 'pending' returning device_hash`,
})

/** Marks an allowed code as used by the session that is about to be opened. Only one request gets a row. */
export const takeGrant = write('devices.take', {
  params: { hash: c.bytea, session: c.uuid, now: c.timestamptz },
  row: { device_hash: c.bytea },
  text: `
    update device_grants set status = 'used', session_id = :session
     where device_hash = :hash and status = 'allowed' and expires_at > :now returning device_hash`,
})

export const deleteOldGrants = deleteOlder('devices.deleteOld', {
  table: 'device_grants',
  key: { device_hash: c.bytea },
  by: 'expires_at',
})
