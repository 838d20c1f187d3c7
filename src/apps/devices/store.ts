import { deleteOlder } from '../../kernel/database/retention.ts'
import { bytea, int4, int8, nullable, read, text, timestamptz, uuid, write } from '../../kernel/database/statement.ts'

/** Counts the unexpired codes of an app, in total and from one network, up to `limit`. */
export const countOpen = read('devices.countOpen', {
  params: { app: int8, network: text, now: timestamptz, limit: int8 },
  row: { total: int8, own: int8 },
  text: `
    select count(*) as total, count(*) filter (where g.network = :network) as own
      from (select network from device_grants where app_id = :app and expires_at > :now limit :limit) g`,
})

/** Counts the devices that a person has allowed and that have not signed in yet, up to `limit`. */
export const countAllowed = read('devices.countAllowed', {
  params: { person: int8, now: timestamptz, limit: int8 },
  row: { total: int8 },
  text: `
    select count(*) as total
      from (select from device_grants where person_id = :person and status = 'allowed' and expires_at > :now limit :limit) g`,
})

/** No row if the user code is taken. */
export const insertGrant = write('devices.insert', {
  params: {
    hash: bytea,
    code: text,
    app: int8,
    device: text,
    network: text,
    interval: int4,
    now: timestamptz,
    expires: timestamptz,
  },
  row: { device_hash: bytea },
  text: `
    insert into device_grants (device_hash, user_code, app_id, status, device, network, interval_seconds, created_at, expires_at)
    values (:hash, :code, :app, 'pending', :device, :network, :interval, :now, :expires)
    on conflict (user_code) do nothing returning device_hash`,
})

/** A pending code with its app, for the person to decide. */
export const findPending = read('devices.findPending', {
  params: { code: text, now: timestamptz },
  row: { app_id: int8, name: text, owner: nullable(text) },
  text: `
    select g.app_id, a.name, coalesce(o.name, p.handle) as owner
      from device_grants g join apps a on a.id = g.app_id
      left join organisations o on o.id = a.organisation_id left join people p on p.id = a.owner_id
     where g.user_code = :code and g.status = 'pending' and g.expires_at > :now and a.status = 'approved'`,
})

export const allowGrant = write('devices.allow', {
  params: { code: text, person: int8, personEpoch: int4, consentEpoch: int4, now: timestamptz },
  row: { device_hash: bytea },
  text: `
    update device_grants
       set status = 'allowed', person_id = :person, person_epoch = :personEpoch, consent_epoch = :consentEpoch
     where user_code = :code and status = 'pending' and expires_at > :now
    returning device_hash`,
})

export const denyGrant = write('devices.deny', {
  params: { code: text, person: int8, now: timestamptz },
  row: { app_id: int8 },
  text: `
    update device_grants set status = 'denied', person_id = :person
     where user_code = :code and status = 'pending' and expires_at > :now
    returning app_id`,
})

export const findGrant = read('devices.find', {
  params: { hash: bytea },
  row: {
    app_id: int8,
    status: text,
    person_id: nullable(int8),
    person_epoch: nullable(int4),
    consent_epoch: nullable(int4),
    device: text,
    interval_seconds: int4,
    polled_at: nullable(timestamptz),
    expires_at: timestamptz,
    session_id: nullable(uuid),
  },
  text: `
    select app_id, status, person_id, person_epoch, consent_epoch, device, interval_seconds, polled_at, expires_at, session_id
      from device_grants where device_hash = :hash`,
})

export const recordPoll = write('devices.recordPoll', {
  params: { hash: bytea, interval: int4, now: timestamptz },
  row: { device_hash: bytea },
  text: `
    update device_grants set polled_at = :now, interval_seconds = :interval
     where device_hash = :hash and status = 'pending' returning device_hash`,
})

/** Marks an allowed code as used by the session about to be opened. Exactly one request gets a row. */
export const takeGrant = write('devices.take', {
  params: { hash: bytea, session: uuid, now: timestamptz },
  row: { device_hash: bytea },
  text: `
    update device_grants set status = 'used', session_id = :session
     where device_hash = :hash and status = 'allowed' and expires_at > :now returning device_hash`,
})

export const deleteOldGrants = deleteOlder('devices.deleteOld', {
  table: 'device_grants',
  key: { device_hash: bytea },
  by: 'expires_at',
})
