import { bool, int4, int8, nullable, read, text, timestamptz, write } from '../database/statement.ts'

export const findForSignIn = read('people.findForSignIn', {
  params: { handle: text },
  row: { id: int8, password_hash: nullable(text), disabled_at: nullable(timestamptz) },
  text: `select id, password_hash, disabled_at from people where handle_key = :handle`,
})

export const lockForSignIn = write('people.lockForSignIn', {
  params: { id: int8, hash: text },
  row: { id: int8 },
  text: `select id from people where id = :id and password_hash = :hash and disabled_at is null for share`,
})

export const findByHandle = read('people.findByHandle', {
  params: { handle: text },
  row: { id: int8, handle: text, administrator: bool, developer: bool, disabled_at: nullable(timestamptz) },
  text: `select id, handle, administrator, developer, disabled_at from people where handle_key = :handle`,
})

export const setPassword = write('people.setPassword', {
  params: { id: int8, hash: text },
  row: { id: int8 },
  text: `update people set password_hash = :hash where id = :id returning id`,
})

export const setDisabled = write('people.setDisabled', {
  params: { id: int8, at: nullable(timestamptz) },
  row: { id: int8 },
  text: `update people set disabled_at = :at where id = :id returning id`,
})

/** How long the account or the address has to wait, whichever is longer. */
export const findBlock = read('people.findBlock', {
  params: { account: text, address: text },
  row: { blocked_until: nullable(timestamptz) },
  text: `select max(blocked_until) as blocked_until from sign_in_failures where subject in (:account, :address)`,
})

/**
 * Counts a failure and returns the new count. Failures are forgotten after a quiet hour. From `free` failures on each one doubles the wait, up to
 * a quarter of an hour.
 */
export const countFailure = write('people.countFailure', {
  params: { subject: text, now: timestamptz, free: int4 },
  row: { failures: int4 },
  text: `
    insert into sign_in_failures as f (subject, failures, last_at, blocked_until) values (:subject, 1, :now, :now)
    on conflict (subject) do update set
      failures = case when f.last_at < :now - interval '1 hour' then 1 else f.failures + 1 end,
      last_at = :now,
      blocked_until = case
        when f.last_at < :now - interval '1 hour' or f.failures + 1 < :free then :now
        else :now + least(interval '15 minutes', interval '1 second' * power(2, least(f.failures + 1 - :free, 20))) end
    returning failures`,
})

export const forgetFailures = write('people.forgetFailures', {
  params: { subject: text },
  row: { subject: text },
  text: `delete from sign_in_failures where subject = :subject returning subject`,
})

export const deleteOldFailures = write('people.deleteOldFailures', {
  params: { before: timestamptz },
  row: { subject: text },
  text: `
    delete from sign_in_failures where subject in
      (select subject from sign_in_failures where last_at < :before order by last_at limit 1000)
    returning subject`,
})

export const insertPerson = write('people.insert', {
  params: {
    handle: text,
    key: text,
    first: text,
    last: text,
    email: nullable(text),
    administrator: bool,
    developer: bool,
    now: timestamptz,
  },
  row: { id: int8 },
  text: `
    insert into people (handle, handle_key, first_name, last_name, email, administrator, developer, created_at)
    values (:handle, :key, :first, :last, :email, :administrator, :developer, :now)
    on conflict (handle_key) do nothing returning id`,
})

/** A page of people by handle, from after `after` on. */
export const listPeople = read('people.list', {
  params: { after: text, limit: int8 },
  row: {
    handle: text,
    handle_key: text,
    first_name: text,
    last_name: text,
    administrator: bool,
    developer: bool,
    has_password: bool,
    disabled_at: nullable(timestamptz),
  },
  text: `
    select handle, handle_key, first_name, last_name, administrator, developer,
           password_hash is not null as has_password, disabled_at
      from people where handle_key > :after and not anonymous order by handle_key limit :limit`,
})
