import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'

const FOUND = {
  id: c.int8,
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  email: nullable(c.text),
  administrator: c.bool,
  developer: c.bool,
  disabled_at: nullable(c.instant),
  invited_until: nullable(c.instant),
  managed_by: nullable(c.text),
  status: c.text,
  created_at: c.instant,
}
const found = `p.id, p.handle, p.first_name, p.last_name, p.email, p.administrator, p.developer, p.disabled_at, p.invited_until,
           (select o.key from organisations o where o.id = p.managed_by) as managed_by, person_status(p, :now) as status, p.created_at`

const FILTERS = { status: nullable(c.text), role: nullable(c.text), now: c.timestamptz, limit: c.int8, offset: c.int8 }
const filtered = `
       (:status is null or person_status(p, :now) = :status)
   and (:role is null or :role = 'administrator' and p.administrator or :role = 'developer' and p.developer)`
/** Each order has an index, so a page is read without sorting everybody. */
const ORDERS = {
  handle: ['p.handle_key collate "C"'],
  name: [foldedName('p.last_name'), foldedName('p.first_name'), 'p.id'],
  created: ['p.created_at', 'p.id'],
}

/** Selects a page of people. They are counted apart from it: a window function would read and sort all of them. */
const pageOfPeople = (where: string, order: string): string => `
    select ${found}, (select count(*) from people p where ${where}) as total
      from people p where ${where} order by ${order} limit :limit offset :offset`

/** Returns an SQL condition for a prefix match that uses the index. */
const begins = (column: string, param: string): string =>
  `(${column} collate "C" >= :${param} and ${column} collate "C" < :${param} || chr(1114109))`
const first = 'lower(p.first_name)'
const last = 'lower(p.last_name)'

/**
 * SQL condition: the whole input is a prefix of a handle, a mail address, a first or a last name; or its first word is
 * a prefix of one name and the rest a prefix of the other name.
 */
const called = `
       (${begins('p.handle_key', 'handle')} or p.email is not null and ${begins('lower(p.email)', 'typed')}
            or ${begins(first, 'typed')} or ${begins(last, 'typed')}
            or :rest <> '' and (${begins(first, 'word')} and ${begins(last, 'rest')} or ${begins(last, 'word')} and ${begins(first, 'rest')}))`

export const findPeople = sortedBy(ORDERS, (order, suffix) =>
  report(`administration.findPeople${suffix}`, {
    params: { typed: c.text, handle: c.text, word: c.text, rest: c.text, ...FILTERS },
    row: { ...FOUND, total: c.int8 },
    text: pageOfPeople(`not p.anonymous and ${called} and ${filtered}`, order),
  }),
)

/** Finds people by name. Returns no rows if the calling person is not an administrator. */
export const findByName = report('administration.findByName', {
  params: { person: c.int8, typed: c.text, handle: c.text, word: c.text, rest: c.text, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select p.handle as id, trim(p.first_name || ' ' || p.last_name) as name, p.handle as about from people p
     where exists (select from people a where a.id = :person and a.administrator offset 0) and not p.anonymous and ${called}
     order by p.handle_key limit :limit`,
})

export const listPeople = sortedBy(ORDERS, (order, suffix) =>
  report(`administration.listPeople${suffix}`, {
    params: FILTERS,
    row: { ...FOUND, total: c.int8 },
    text: pageOfPeople(`not p.anonymous and ${filtered}`, order),
  }),
)

export const findPerson = read('administration.findPerson', {
  params: { handle: c.text, now: c.timestamptz },
  row: {
    ...FOUND,
    reason: nullable(c.text),
    has_password: c.bool,
    passkeys: c.int8,
    browsers: c.int8,
    sessions: c.int8,
    last_seen: nullable(c.instant),
    organisations: c.json,
    apps: c.json,
  },
  gather: false,
  text: `
    select ${found}, p.password_hash is not null as has_password,
           (select e.detail ->> 'reason' from audit_entries e
             where e.person_id = p.id and e.action in ('person.disabled', 'person.enabled') order by e.at desc, e.id desc limit 1) as reason,
           (select count(*) from passkeys k where k.person_id = p.id) as passkeys,
           (select count(*) from browsers b where b.person_id = p.id and b.expires_at > :now and b.epoch = p.epoch) as browsers,
           (select count(*) from sessions s where s.person_id = p.id and s.ended_at is null and s.expires_at > :now) as sessions,
           greatest((select max(b.last_used_at) from browsers b where b.person_id = p.id),
                    (select max(s.refreshed_at) from sessions s where s.person_id = p.id)) as last_seen,
           (select coalesce(json_agg(json_build_object('key', o.key, 'name', o.name, 'role', m.role) order by o.key), '[]')
              from organisation_members m join organisations o on o.id = m.organisation_id where m.person_id = p.id) as organisations,
           (select coalesce(json_agg(json_build_object('clientId', u.client_id, 'name', u.name, 'sinceDate', u.consented_at, 'lastSeenDate', u.last_seen)), '[]')
              from (select a.client_id, a.name, u.consented_at,
                           (select max(s.refreshed_at) from sessions s where s.user_id = u.user_id) as last_seen
                      from app_users u join apps a on a.id = u.app_id
                     where u.person_id = p.id and u.withdrawn_at is null order by u.consented_at desc, a.client_id limit 100) u) as apps
      from people p where p.handle_key = :handle and not p.anonymous`,
})

/** Finds the person whose account the caller wants to change, and what decides whether they may. */
export const findTarget = read('administration.findTarget', {
  params: { person: c.int8, handle: c.text },
  row: { id: c.int8, handle: c.text, administrator: c.bool, owns: c.bool, administers: c.bool, is_elsewhere: c.bool },
  gather: false,
  text: `
    select p.id, p.handle, p.administrator, r.owns, r.administers,
           exists (select from organisation_members m where m.person_id = p.id and m.organisation_id is distinct from p.managed_by) as is_elsewhere
      from people p, lateral roles_in_organisation(:person, p.managed_by) r
     where p.handle_key = :handle and not p.anonymous`,
})

/** Locks the organisation that manages a person, so that two owners cannot delete each other. */
export const lockManager = write('administration.lockManager', {
  params: { id: c.int8 },
  row: { id: c.int8 },
  text: `select o.id from organisations o where o.id = (select p.managed_by from people p where p.id = :id) for update`,
})

export const countConsequences = read('administration.countConsequences', {
  params: { id: c.int8 },
  row: { taught: c.int8, attended: c.int8, apps: c.int8, owned: c.int8, orphaned: c.json },
  gather: false,
  text: `
    select (select count(distinct s.class_id) from class_staff s where s.person_id = :id) as taught,
           (select count(*) from enrolments e where e.person_id = :id and e.status <> 'dropped') as attended,
           (select count(*) from apps a where a.owner_id = :id) as apps,
           (select count(*) from organisation_members m where m.person_id = :id and m.role = 'owner') as owned,
           (select coalesce(json_agg(x.name), '[]') from (
              select o.name from organisation_members m join organisations o on o.id = m.organisation_id
               where m.person_id = :id and m.role = 'owner' and not exists (
                 select from organisation_members w where w.organisation_id = o.id and w.role = 'owner' and w.person_id <> :id)
               order by o.name limit 20) x) as orphaned`,
})

export const readDatabase = report('administration.readDatabase', {
  params: {},
  row: {
    version: c.text,
    size_bytes: c.int8,
    connections: c.int8,
    connection_limit: c.int4,
    migrations: c.int8,
    last_migration: c.text,
  },
  text: `
    select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes,
           (select count(*) from pg_stat_activity a where a.datname = current_database()) as connections,
           current_setting('max_connections')::int as connection_limit,
           m.number::bigint as migrations, to_char(m.number, 'FM0000') || '_' || m.name as last_migration
      from (select number, name from migrations order by number desc limit 1) m`,
})
