import { c, report } from '../../kernel/database/statement.ts'

/** Counts stop at this number, so that they stay cheap. */
const COUNTED = 100_000

const count = (rows: string): string => `(select count(*) from (select from ${rows} limit ${COUNTED}) counted)`
/** Counts people by what `person_status` looks at. Each condition has a partial index. */
const countPeople = (condition: string): string => count(`people p where p.disabled_at is null and ${condition}`)

export const readWaiting = report('administration.readWaiting', {
  params: { now: c.timestamptz },
  row: {
    apps: c.int8,
    changed_apps: c.int8,
    permissions: c.int8,
    invited: c.int8,
    expired: c.int8,
    uninvited: c.int8,
  },
  text: `
    select ${count(`apps a where a.status = 'pending'`)} as apps,
           ${count(`apps a where a.changed_at is not null and a.status = 'approved' and not exists (select from plugins p where p.app_id = a.id)`)} as changed_apps,
           ${count('plugin_permissions p where p.granted_at is null')} as permissions,
           ${countPeople('p.invited_until > :now')} as invited, ${countPeople('p.invited_until <= :now')} as expired,
           ${countPeople('p.unclaimed and p.invited_until is null')} as uninvited`,
})

const people = 'people p where not p.anonymous'
const growth = (name: string, rows: string, at: string): string => `
           ${count(rows)} as ${name}, ${count(`${rows} and ${at} > :week`)} as ${name}_week, ${count(`${rows} and ${at} > :month`)} as ${name}_month`

/** Counts what exists and what is new. Like all counts here they stop at a limit, and so stay cheap. */
export const readGrowth = report('administration.readGrowth', {
  params: { week: c.timestamptz, month: c.timestamptz },
  row: {
    people: c.int8,
    people_week: c.int8,
    people_month: c.int8,
    organisations: c.int8,
    organisations_week: c.int8,
    organisations_month: c.int8,
    classes: c.int8,
    classes_week: c.int8,
    classes_month: c.int8,
  },
  text: `
    select ${growth('people', people, 'p.created_at')},
           ${growth('organisations', 'organisations o where true', 'o.created_at')},
           ${growth('classes', 'classes k where true', 'k.created_at')}`,
})

/**
 * Counts the people who used the pages or an app. A session expires a fixed time after its last use, so the index of
 * expiries finds those that were used.
 */
export const readActive = report('administration.readActive', {
  params: { week: c.timestamptz, month: c.timestamptz, expiresAfter: c.timestamptz },
  row: { week: c.int8, month: c.int8 },
  text: `
    select count(*) filter (where a.at > :week) as week, count(*) as month from (
      select u.person_id, max(u.at) as at from (
        (select b.person_id, b.last_used_at as at from browsers b where b.last_used_at > :month limit ${COUNTED})
        union all
        (select s.person_id, s.refreshed_at from sessions s
          where s.expires_at > :expiresAfter and s.refreshed_at > :month and s.door <> 'anonymous' limit ${COUNTED})) u
       group by u.person_id) a`,
})

export const listFailedJobs = report('administration.listFailedJobs', {
  params: { since: c.timestamptz },
  row: { kind: c.text, failed: c.int8 },
  text: `
    select j.kind, count(*) as failed from (select kind from jobs where given_up_at > :since limit ${COUNTED}) j
     group by j.kind order by 2 desc, 1 limit 20`,
})

export const listFailedDeliveries = report('administration.listFailedDeliveries', {
  params: { since: c.timestamptz },
  row: { client_id: c.text, name: c.text, failed: c.int8 },
  text: `
    select a.client_id, a.name, f.failed from plugins u join apps a on a.id = u.app_id, lateral (
      select count(*) as failed from (
        select from deliveries d where d.plugin_id = u.id and d.state = 'failed' and d.created_at > :since limit 1000) d) f
     where f.failed > 0 order by f.failed desc, a.client_id limit 20`,
})
