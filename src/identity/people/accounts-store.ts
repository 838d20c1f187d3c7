import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Filters handles to those that are taken, or were released recently. */
export const findTaken = read('people.findTaken', {
  params: { keys: c.textArray, now: c.timestamptz },
  row: { key: c.text },
  gather: false,
  text: `
    select k.key from unnest(:keys) k(key)
     where exists (select from people p where p.handle_key = k.key)
        or exists (select from retired_handles r where r.handle_hash = sha256(convert_to(k.key, 'UTF8')) and r.until > :now)`,
})

/** Waits for other transactions that look for the account of this address, so that two of them do not create two. */
export const takeAddressTurn = write('people.takeAddressTurn', {
  params: { email: c.text },
  row: { is_taken: c.bool },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.address.' || current_schema() || '.' || lower(:email), 0)) is not null as is_taken`,
})

/**
 * Finds the account of an address: one that has confirmed it or, if there is none, one that waits for the person to
 * open a link sent to it. An address that somebody typed into their profile proves nothing.
 */
export const findByAddress = read('people.findByAddress', {
  params: { email: c.text },
  row: { id: c.int8, handle: c.text, is_disabled: c.bool },
  text: `
    select id, handle, disabled_at is not null as is_disabled from people
     where lower(email) collate "C" = lower(:email) and not anonymous and email is not null
       and (email_confirmed_at is not null or unclaimed)
     order by email_confirmed_at is null, id limit 1`,
})

/** Finds an account with this address, confirmed or not. */
export const findWithAddress = read('people.findWithAddress', {
  params: { email: c.text },
  row: { handle: c.text },
  text: `
    select handle from people
     where lower(email) collate "C" = lower(:email) and not anonymous and email is not null
     order by email_confirmed_at is null, id limit 1`,
})

/** Locks a person whose account others change, and reads what decides about the change. */
export const lockAccount = write('people.lockAccount', {
  params: { id: c.int8 },
  row: {
    id: c.int8,
    handle: c.text,
    handle_key: c.text,
    first_name: c.text,
    last_name: c.text,
    email: nullable(c.text),
    administrator: c.bool,
    is_disabled: c.bool,
    unclaimed: c.bool,
    invited_until: nullable(c.timestamptz),
    has_credentials: c.bool,
    managed_by: nullable(c.int8),
    organisation: nullable(c.text),
  },
  text: `
    select p.id, p.handle, p.handle_key, p.first_name, p.last_name, p.email, p.administrator, p.disabled_at is not null as is_disabled,
           p.unclaimed, p.invited_until,
           p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id) as has_credentials,
           p.managed_by, (select o.name from organisations o where o.id = p.managed_by) as organisation
      from people p where p.id = :id for no key update of p`,
})

export const setInvited = write('people.setInvited', {
  params: { id: c.int8, until: nullable(c.timestamptz) },
  row: { id: c.int8 },
  text: `update people set invited_until = :until where id = :id returning id`,
})

export const setClaimed = write('people.setClaimed', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `
    update people set unclaimed = false, invited_until = null
     where id = :id and (unclaimed or invited_until is not null) returning id`,
})

/** Gives a person another handle. Updates no row if somebody has it. */
export const setHandle = write('people.setHandle', {
  params: { id: c.int8, handle: c.text, key: c.text },
  row: { id: c.int8 },
  text: `
    update people set handle = :handle, handle_key = :key
     where id = :id and not exists (select from people o where o.handle_key = :key and o.id <> :id) returning id`,
})

/** Ends the management of an account by an organisation other than `:organisation`; by any, if that is null. */
export const releaseAccount = write('people.releaseAccount', {
  params: { id: c.int8, organisation: nullable(c.int8) },
  row: { id: c.int8 },
  text: `
    update people set managed_by = null
     where id = :id and managed_by is not null and managed_by is distinct from :organisation returning id`,
})

/** Locks all administrators in ascending order of id, so that two of them cannot take the role from each other. */
export const lockAdministrators = write('people.lockAdministrators', {
  params: {},
  row: { id: c.int8, is_disabled: c.bool },
  text: `select id, disabled_at is not null as is_disabled from people where administrator order by id for no key update`,
})
