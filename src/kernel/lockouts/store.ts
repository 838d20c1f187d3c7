import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

/**
 * Returns the longest wait of up to three subjects. They are separate parameters and not a list, so that several calls
 * can be combined into one statement.
 */
export const findBlock = read('lockouts.findBlock', {
  params: { one: c.text, other: c.text, third: c.text },
  row: { blocked_until: nullable(c.timestamptz) },
  text: `select max(blocked_until) as blocked_until from sign_in_failures where subject in (:one, :other, :third)`,
})

/**
 * Counts a failure and returns the new count. Failures expire: `free` of them per hour, and all of them after an hour
 * without a new failure. `last_at` advances only by the time in which whole failures expired, so no fraction is lost.
 * Each failure beyond the free ones doubles the wait. If there is no wait, `blocked_until` is a time far in the past:
 * the current time would still block a concurrent request with a slightly earlier timestamp.
 */
export const countFailure = write('lockouts.countFailure', {
  params: { subject: c.text, about: nullable(c.text), now: c.timestamptz, free: c.int4, longest: c.int4 },
  row: { failures: c.int4 },
  text: `
    insert into sign_in_failures as f (subject, about, failures, last_at, blocked_until)
    values (:subject, :about, 1, :now, 'epoch')
    on conflict (subject) do update set (failures, last_at, blocked_until) = (
      select n, since,
             case when n < :free::int then 'epoch'
                  else :now + interval '1 second' * least(:longest::int, power(2, least(n - :free::int, 20))) end
        from (select 1 + greatest(0, f.failures - faded) as n,
                     case when faded >= f.failures then :now
                          else f.last_at + faded * interval '1 hour' / :free::int end as since
                from (select case when f.last_at < :now - interval '1 hour' then f.failures
                                  else floor(:free::int * greatest(0, extract(epoch from :now - f.last_at)) / 3600)::int end as faded) as fading) as counted)
    returning failures`,
})

export const forgetFailures = write('lockouts.forgetFailures', {
  params: { subject: c.text },
  row: { subject: c.text },
  text: `delete from sign_in_failures where subject = :subject returning subject`,
})

export const forgetFailuresAbout = write('lockouts.forgetFailuresAbout', {
  params: { about: c.text },
  row: { subject: c.text },
  text: `delete from sign_in_failures where about = :about returning subject`,
})

export const deleteOldFailures = deleteOlder('lockouts.deleteOldFailures', {
  table: 'sign_in_failures',
  key: { subject: c.text },
  by: 'last_at',
})
