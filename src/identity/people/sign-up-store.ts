import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Finds the person who has confirmed this e-mail address. */
export const findConfirmed = read('people.findConfirmed', {
  params: { email: c.text },
  row: { id: c.int8, handle: c.text },
  text: `select id, handle from people where lower(email) = lower(:email) and email_confirmed_at is not null`,
})

/** Inserts a sign-up link. Inserts no row if the address already has `:most` links created since `:since`. */
export const insertSignUp = write('people.insertSignUp', {
  params: {
    hash: c.bytea,
    email: c.text,
    now: c.timestamptz,
    expires: c.timestamptz,
    since: c.timestamptz,
    most: c.int8,
    organisation: nullable(c.int8),
    organisationCode: nullable(c.text),
  },
  row: { email: c.text },
  text: `
    insert into sign_ups (code_hash, email, created_at, expires_at, organisation_id, organisation_code)
    select :hash, :email, :now, :expires, :organisation, :organisationCode
     where (select count(*) from sign_ups s where lower(s.email) = lower(:email) and s.created_at > :since) < :most
    returning email`,
})

export const findSignUp = read('people.findSignUp', {
  params: { hash: c.bytea },
  row: {
    email: c.text,
    expires_at: c.timestamptz,
    used_at: nullable(c.timestamptz),
    organisation: nullable(c.text),
    organisation_name: nullable(c.text),
    organisation_code: nullable(c.text),
  },
  text: `
    select s.email, s.expires_at, s.used_at, o.key as organisation, o.name as organisation_name, s.organisation_code
      from sign_ups s left join organisations o on o.id = s.organisation_id where s.code_hash = :hash`,
})

/** Uses a link. All other links of the address are used up too, so that one address cannot create two accounts. */
export const takeSignUps = write('people.takeSignUps', {
  params: { hash: c.bytea, now: c.timestamptz },
  row: { email: c.text },
  text: `
    update sign_ups s set used_at = :now from sign_ups own
     where own.code_hash = :hash and own.used_at is null and own.expires_at > :now
       and lower(s.email) = lower(own.email) and s.used_at is null
    returning s.email`,
})

/**
 * Confirms a person's address. Updates no row if the person's address has changed or somebody else has confirmed it.
 */
export const confirmEmail = write('people.confirmEmail', {
  params: { id: c.int8, email: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update people p set email_confirmed_at = :now
     where p.id = :id and lower(p.email) = lower(:email) and p.email_confirmed_at is null
       and not exists (select from people o where lower(o.email) = lower(:email) and o.email_confirmed_at is not null)
    returning p.id`,
})

/** Confirms the addresses of several people, each address for one of them. */
export const confirmEmails = write('people.confirmEmails', {
  params: { people: c.int8Array, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update people p set email_confirmed_at = :now
     where p.id in (select min(k.id) from people k where k.id = any(:people) and k.email is not null group by lower(k.email))
       and not exists (select from people o where lower(o.email) = lower(p.email) and o.email_confirmed_at is not null)
    returning p.id`,
})

export const deleteOldSignUps = deleteOlder('people.deleteOldSignUps', {
  table: 'sign_ups',
  key: { code_hash: c.bytea },
  by: 'expires_at',
})

/** Deletes the sign-up links of a removed person's e-mail address, so that the address is no longer stored. */
export const forgetSignUps = write('people.forgetSignUps', {
  params: { email: c.text },
  row: { code_hash: c.bytea },
  text: `delete from sign_ups where lower(email) = lower(:email) returning code_hash`,
})
