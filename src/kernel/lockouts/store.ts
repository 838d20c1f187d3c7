import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

/** The longest wait of the three keys. They are three parameters and not a list, so that calls can be gathered. */
export const findBlock = read('lockouts.findBlock', {
  params: { one: c.text, other: c.text, third: c.text },
  row: { blocked_until: nullable(c.timestamptz) },
  text: `select max(blocked_until) as blocked_until from sign_in_failures where subject in (:one, :other, :third)`,
})

/**
 * Counts a failure and returns the new count. Failures expire: per hour as many as are free, and all of them after an
 * hour without one. `last_at` advances by the time that whole failures took to expire, so no fraction is lost. Beyond
 * the free failures each one doubles the wait. No wait is stored as a time far in the past, because the current time
 * would still be ahead of a request that arrived just before.
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
