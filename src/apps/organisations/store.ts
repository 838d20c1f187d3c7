import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

export const findOrganisations = read('organisations.find', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text, name: c.text, time_zone: c.text },
  text: `select id, key, name, time_zone from organisations where key = any(:keys)`,
})

export const insertOrganisations = write('organisations.insert', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, key: c.text },
  text: `
    insert into organisations (key, name, time_zone, created_at)
    select r.key, r.name, r.time_zone, :now from json_to_recordset(:rows) as r(key text, name text, time_zone text) returning id, key`,
})

export const updateOrganisations = write('organisations.update', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    update organisations o set name = r.name, time_zone = r.time_zone from json_to_recordset(:rows) as r(id bigint, name text, time_zone text)
     where o.id = r.id returning o.id`,
})

export const findMemberships = read('organisations.findMemberships', {
  params: { people: c.int8Array },
  row: { person_id: c.int8, key: c.text, role: c.text },
  text: `
    select m.person_id, o.key, m.role
      from organisation_members m join organisations o on o.id = m.organisation_id where m.person_id = any(:people)`,
})

/** Makes the memberships in `:rows` the only ones of these people. */
export const replaceMemberships = write('organisations.replaceMemberships', {
  params: { people: c.int8Array, rows: c.json },
  row: { person_id: c.int8 },
  text: `
    with wanted as (
      select * from json_to_recordset(:rows) as r(organisation_id bigint, person_id bigint, role text)
    ), gone as (
      delete from organisation_members m where m.person_id = any(:people) and not exists
        (select from wanted w where w.person_id = m.person_id and w.organisation_id = m.organisation_id)
    )
    insert into organisation_members as m (organisation_id, person_id, role)
    select organisation_id, person_id, role from wanted
    on conflict (organisation_id, person_id) do update set role = excluded.role returning m.person_id`,
})

/** Deletes those of the organisations that have no apps, no courses, and no members except these people. */
export const deleteOrganisations = write('organisations.delete', {
  params: { keys: c.textArray, people: c.int8Array },
  row: { key: c.text },
  text: `
    delete from organisations o where o.key = any(:keys)
       and not exists (select from organisation_members m where m.organisation_id = o.id and m.person_id <> all(:people))
       and not exists (select from apps a where a.organisation_id = o.id)
       and not exists (select from courses k where k.organisation_id = o.id)
    returning o.key`,
})

const organisationRow = {
  key: c.text,
  name: c.text,
  course_authors: c.text,
  time_zone: c.text,
  role: nullable(c.text),
  owns: c.bool,
  administers: c.bool,
  creates: c.bool,
}

/** Finds an organisation, with the person's role and rights in it. */
export const findManaged = read('organisations.findManaged', {
  params: { person: c.int8, organisation: c.text },
  row: { id: c.int8, ...organisationRow },
  text: `
    select o.id, o.key, o.name, o.course_authors, o.time_zone, m.role, r.owns, r.administers, w.creates
      from organisations o left join organisation_members m on m.organisation_id = o.id and m.person_id = :person,
      lateral roles_in_organisation(:person, o.id) r, lateral creates_courses(:person, o.id) w
     where o.key = :organisation`,
})

/** Reads the person's rights across all organisations, which determine the areas of the pages that they may use. */
export const findRights = read('organisations.findRights', {
  params: { person: c.int8, developers: c.textArray, planners: c.textArray },
  row: {
    administers: c.bool,
    develops: c.bool,
    owns: c.bool,
    creates: c.bool,
    plans: c.bool,
    born: nullable(c.text),
  },
  gather: false,
  text: `
    select r.administers,
           r.administers or exists (select from organisation_members m where m.person_id = :person and m.role = any(:developers))
             or exists (select from apps a where a.owner_id = :person) as develops,
           exists (select from organisation_members m where m.person_id = :person and m.role = 'owner') as owns,
           r.administers or exists (select from organisation_members m, lateral creates_courses(:person, m.organisation_id) w
                                     where m.person_id = :person and w.creates) as creates,
           r.administers or exists (select from organisation_members m where m.person_id = :person and m.role = any(:planners))
             or exists (select from plan_shares s join plans n on n.id = s.plan_id, lateral reads_plan(:person, n) q where s.person_id = :person and q.reads)
             or exists (select from organisation_members m join plan_shares s on s.organisation_id = m.organisation_id join plans n on n.id = s.plan_id,
                          lateral reads_plan(:person, n) q where m.person_id = :person and q.reads) as plans,
           (select to_char(p.date_of_birth, 'YYYY-MM-DD') from people p where p.id = :person) as born
      from roles_in_organisation(:person, null) r`,
})

export const lockOrganisation = write('organisations.lock', {
  params: { organisation: c.text },
  row: { id: c.int8 },
  text: `select id from organisations where key = :organisation for update`,
})

/** Inserts an organisation. Returns no row if the key is taken. */
export const insertOrganisation = write('organisations.insertOne', {
  params: { key: c.text, name: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into organisations (key, name, created_at) values (:key, :name, :now) on conflict (key) do nothing returning id`,
})

export const setCourseAuthors = write('organisations.setCourseAuthors', {
  params: { organisation: c.int8, authors: c.text },
  row: { id: c.int8 },
  text: `update organisations set course_authors = :authors where id = :organisation returning id`,
})

export const setTimeZone = write('organisations.setTimeZone', {
  params: { organisation: c.int8, zone: c.text },
  row: { id: c.int8 },
  text: `update organisations set time_zone = :zone where id = :organisation returning id`,
})

export const setName = write('organisations.setName', {
  params: { organisation: c.int8, name: c.text },
  row: { id: c.int8 },
  text: `update organisations set name = :name where id = :organisation returning id`,
})

/** Lists the person's organisations; for an administrator, all organisations. */
export const listOrganisations = report('organisations.list', {
  params: {
    person: c.int8,
    words: c.textArray,
    keys: nullable(c.textArray),
    roles: nullable(c.textArray),
    creates: c.bool,
    limit: c.int8,
    offset: c.int8,
  },
  row: { ...organisationRow, total: c.int8 },
  text: `
    select o.key, o.name, o.course_authors, o.time_zone, m.role, m.role is not distinct from 'owner' as owns, r.administers, w.creates,
           count(*) over () as total
      from roles_in_organisation(:person, null) r, organisations o
      left join organisation_members m on m.organisation_id = o.id and m.person_id = :person,
      lateral creates_courses(:person, o.id) w
     where (r.administers or m.role is not null and (:roles is null or m.role = any(:roles))) and (not :creates or w.creates)
       and (:keys is null or o.key = any(:keys)) and ${contains(`o.name || ' ' || o.key`)}
     order by o.name, o.key limit :limit offset :offset`,
})

export const findByName = report('organisations.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select o.key as id, o.name, o.key as about
      from roles_in_organisation(:person, null) r, organisations o
      left join organisation_members m on m.organisation_id = o.id and m.person_id = :person
     where (r.administers or m.role is not null) and ${contains(`o.name || ' ' || o.key`)}
     order by o.name, o.key limit :limit`,
})

const memberRow = {
  handle: nullable(c.text),
  first_name: c.text,
  last_name: c.text,
  role: c.text,
  email: nullable(c.text),
  status: c.text,
  invitation: nullable(c.text),
  expires: nullable(c.instant),
  is_managed: c.bool,
}
/** Members, with the e-mail addresses of those whose accounts the caller may change. */
const members = `
      select p.handle, p.handle_key, p.first_name, p.last_name, m.role, case when g.is_managed then p.email end as email,
             person_status(p, :now) as status, null::text as invitation, p.invited_until as expires, g.is_managed
        from organisation_members m join people p on p.id = m.person_id,
        lateral (select :administers or coalesce(p.managed_by = m.organisation_id, false) and not p.administrator
                        and not exists (select from organisation_members e where e.person_id = p.id and e.organisation_id <> m.organisation_id) as is_managed) g
       where m.organisation_id = :organisation`

/** People who were invited and have not accepted: nothing but what the inviter typed. */
const invited = `
      select case when a.is_address then null else i.handle end, i.handle_key, i.first_name, i.last_name, i.role,
             case when a.is_address then i.handle end, case when i.expires_at > :now then 'invited' else 'expired' end, i.key, i.expires_at,
             false
        from invitations i, lateral (select position('@' in i.handle_key) > 0 as is_address) a
       where :pending and i.organisation_id = :organisation and i.class_id is null and i.closed_at is null`

const MEMBER_ORDERS = {
  handle: ['x.handle_key'],
  name: [foldedName('x.last_name'), foldedName('x.first_name'), 'x.handle_key'],
  role: ['x.role', 'x.handle_key'],
  status: ['x.status', 'x.handle_key'],
}

export const listMembers = sortedBy(MEMBER_ORDERS, (order, suffix) =>
  report(`organisations.listMembers${suffix}`, {
    params: {
      organisation: c.int8,
      administers: c.bool,
      words: c.textArray,
      status: nullable(c.text),
      role: nullable(c.text),
      pending: c.bool,
      now: c.timestamptz,
      limit: c.int8,
      offset: c.int8,
    },
    row: { ...memberRow, total: c.int8 },
    text: `
    select x.handle, x.first_name, x.last_name, x.role, x.email, x.status, x.invitation, x.expires, x.is_managed, count(*) over () as total
      from (${members}
      union all ${invited}) x
     where (:status is null or x.status = :status) and (:role is null or x.role = :role)
       and ${contains(`concat_ws(' ', x.first_name, x.last_name, x.handle_key, x.email)`)}
     order by ${order} limit :limit offset :offset`,
  }),
)

export const findMember = read('organisations.findMember', {
  params: { organisation: c.int8, person: c.int8 },
  row: { handle: c.text, first_name: c.text, last_name: c.text, role: c.text },
  text: `
    select p.handle, p.first_name, p.last_name, m.role from organisation_members m join people p on p.id = m.person_id
     where m.organisation_id = :organisation and m.person_id = :person`,
})

export const findMemberByHandle = read('organisations.findMemberByHandle', {
  params: { organisation: c.int8, handle: c.text },
  row: { person_id: c.int8, role: c.text },
  text: `
    select m.person_id, m.role from people p join organisation_members m on m.person_id = p.id
     where p.handle_key = :handle and m.organisation_id = :organisation`,
})

/** Reads what an import may change of people: their role, and the names of accounts that the organisation manages. */
export const findNamed = read('organisations.findNamed', {
  params: { organisation: c.int8, people: c.int8Array },
  row: { id: c.int8, role: nullable(c.text), first_name: c.text, last_name: c.text, is_managed: c.bool },
  gather: false,
  text: `
    select p.id, m.role, p.first_name, p.last_name,
           coalesce(p.managed_by = :organisation, false) and not p.administrator and not exists (
             select from organisation_members e where e.person_id = p.id and e.organisation_id <> :organisation) as is_managed
      from people p left join organisation_members m on m.person_id = p.id and m.organisation_id = :organisation
     where p.id = any(:people)`,
})

export const listOwners = read('organisations.listOwners', {
  params: { organisation: c.int8 },
  row: { person_id: c.int8, is_way_in: c.bool },
  gather: false,
  text: `
    select m.person_id,
           b.person_id is not null and p.disabled_at is null
             and (p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id))
             and exists (select from providers v where v.organisation_id = m.organisation_id and v.mode = 'enforced') as is_way_in
      from organisation_members m join people p on p.id = m.person_id
      left join break_glass_accounts b on b.organisation_id = m.organisation_id and b.person_id = m.person_id
     where m.organisation_id = :organisation and m.role = 'owner' order by m.person_id`,
})

/** Lists the owners of an organisation by name, for its members. */
export const listOwnerNames = read('organisations.listOwnerNames', {
  params: { organisation: c.int8, limit: c.int8, offset: c.int8 },
  row: { handle: c.text, first_name: c.text, last_name: c.text, total: c.int8 },
  gather: false,
  text: `
    select p.handle, p.first_name, p.last_name, count(*) over () as total
      from organisation_members m join people p on p.id = m.person_id
     where m.organisation_id = :organisation and m.role = 'owner' order by p.handle_key limit :limit offset :offset`,
})

/**
 * Returns whether the person is an owner, and how many other owners there are. `is_last_way_in`: the organisation
 * enforces its provider, and no other break-glass account has a password or a passkey.
 */
export const countOwners = read('organisations.countOwners', {
  params: { organisation: c.int8, person: c.int8 },
  row: { is_owner: c.bool, others: c.int8, is_last_way_in: c.bool },
  text: `
    select coalesce(bool_or(m.person_id = :person), false) as is_owner, count(*) filter (where m.person_id <> :person) as others,
           exists (select from providers v join break_glass_accounts b on b.organisation_id = v.organisation_id
                    where v.organisation_id = :organisation and v.mode = 'enforced' and b.person_id = :person)
           and not exists (
             select from break_glass_accounts b
               join organisation_members o on o.organisation_id = b.organisation_id and o.person_id = b.person_id
               join people p on p.id = b.person_id
              where b.organisation_id = :organisation and b.person_id <> :person and o.role = 'owner' and p.disabled_at is null
                and (p.password_hash is not null or exists (select from passkeys k where k.person_id = p.id))) as is_last_way_in
      from organisation_members m where m.organisation_id = :organisation and m.role = 'owner'`,
})

export const setMember = write('organisations.setMember', {
  params: { organisation: c.int8, person: c.int8, role: c.text },
  row: { person_id: c.int8 },
  text: `
    insert into organisation_members as m (organisation_id, person_id, role) values (:organisation, :person, :role)
    on conflict (organisation_id, person_id) do update set role = excluded.role returning m.person_id`,
})

export const deleteMember = write('organisations.deleteMember', {
  params: { organisation: c.int8, person: c.int8 },
  row: { person_id: c.int8 },
  text: `delete from organisation_members where organisation_id = :organisation and person_id = :person returning person_id`,
})
