import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'

/** Locks the inviter, so that concurrent invitations are all counted. */
export const lockInviter = write('invitations.lockInviter', {
  params: { person: c.int8 },
  row: { id: c.int8 },
  text: `select id from people where id = :person for no key update`,
})

/**
 * Finds those who are added without an invitation, by handle or e-mail address: members of the organisation, and people
 * who add themselves. An address counts if it is confirmed, or if only the owner of its mailbox can get into the
 * account.
 */
export const findJoiners = read('invitations.findJoiners', {
  params: { organisation: c.int8, person: c.int8, handles: c.textArray },
  row: { person_id: c.int8, handle: c.text },
  gather: false,
  text: `
    select p.id as person_id, p.handle_key as handle
      from people p left join organisation_members m on m.person_id = p.id and m.organisation_id = :organisation
     where p.handle_key = any(:handles) and (m.person_id is not null or p.id = :person)
    union all
    (select distinct on (lower(p.email)) p.id, lower(p.email)
      from people p join organisation_members m on m.person_id = p.id and m.organisation_id = :organisation
     where lower(p.email) collate "C" = any(:handles) and not p.anonymous and p.email is not null
       and (p.email_confirmed_at is not null or p.unclaimed)
     order by lower(p.email), p.unclaimed, p.id)`,
})

/**
 * Finds members by addresses that they have not confirmed, as far as the caller sees these addresses. An address that
 * somebody merely typed into their profile must not get them a role, so that only says whom it belongs to.
 */
export const findUnconfirmed = read('invitations.findUnconfirmed', {
  params: { organisation: c.int8, person: c.int8, addresses: c.textArray },
  row: { address: c.text, handle: c.text, role: c.text },
  gather: false,
  text: `
    select distinct on (lower(p.email)) lower(p.email) as address, p.handle, m.role
      from roles_in_organisation(:person, :organisation) r, people p
      join organisation_members m on m.person_id = p.id and m.organisation_id = :organisation
     where lower(p.email) collate "C" = any(:addresses) and not p.anonymous and p.email is not null
       and p.email_confirmed_at is null and not p.unclaimed
       and (r.administers or r.owns and coalesce(p.managed_by = m.organisation_id, false) and not p.administrator
            and not exists (select from organisation_members e where e.person_id = p.id and e.organisation_id <> m.organisation_id))
     order by lower(p.email), p.id`,
})

export const findEarlier = read('invitations.findEarlier', {
  params: { organisation: c.int8, class: nullable(c.int8), handles: c.textArray },
  row: {
    key: c.text,
    handle_key: c.text,
    role: c.text,
    sends: c.int4,
    sent_at: c.timestamptz,
    expires_at: c.timestamptz,
    closed_at: nullable(c.timestamptz),
  },
  gather: false,
  text: `
    select key, handle_key, role, sends, sent_at, expires_at, closed_at from invitations
     where organisation_id = :organisation and class_id is not distinct from :class and handle_key = any(:handles)`,
})

export const countSentLately = read('invitations.countSentLately', {
  params: { inviter: c.int8, organisation: c.int8, since: c.timestamptz },
  row: { own: c.int8, of_organisation: c.int8, earliest: nullable(c.timestamptz) },
  text: `
    select (select count(*) from invitations where inviter_id = :inviter and sent_at > :since and position('@' in handle_key) = 0) as own,
           (select count(*) from invitations where organisation_id = :organisation and sent_at > :since) as of_organisation,
           least((select min(sent_at) from invitations where inviter_id = :inviter and sent_at > :since),
                 (select min(sent_at) from invitations where organisation_id = :organisation and sent_at > :since)) as earliest`,
})

/**
 * Stores invitations that are sent now. The same statement runs whether or not somebody has the handle. The person of
 * an e-mail address is found later, by the job. Sending an ended invitation again keeps a recent decline, so that the
 * person does not see it.
 */
export const sendInvitations = write('invitations.send', {
  params: {
    organisation: c.int8,
    class: nullable(c.int8),
    inviter: c.int8,
    rows: c.json,
    now: c.timestamptz,
    quietSince: c.timestamptz,
  },
  row: { id: c.int8, handle_key: c.text },
  text: `
    insert into invitations as i (key, organisation_id, class_id, role, student_key, handle, handle_key, first_name, last_name, wanted_handle,
                                  person_id, inviter_id, sent_at, expires_at)
    select r.key, :organisation, :class, r.role, r.student_key, r.handle, r.handle_key, r.first_name, r.last_name, r.wanted_handle,
           (select p.id from people p where p.handle_key = r.handle_key and p.disabled_at is null and not p.anonymous for key share), :inviter, :now, r.expires_at
      from json_to_recordset(:rows) as r(key text, role text, student_key text, handle text, handle_key text, first_name text, last_name text,
                                         wanted_handle text, expires_at timestamptz)
    on conflict (organisation_id, class_id, handle_key) do update
      set key = excluded.key, role = excluded.role, student_key = excluded.student_key, handle = excluded.handle,
          first_name = excluded.first_name, last_name = excluded.last_name, wanted_handle = excluded.wanted_handle,
          person_id = case when position('@' in excluded.handle_key) > 0 then i.person_id else excluded.person_id end,
          inviter_id = excluded.inviter_id, sends = i.sends + 1, sent_at = excluded.sent_at, expires_at = excluded.expires_at, closed_at = null,
          declined_at = case when i.declined_at > :quietSince and (position('@' in excluded.handle_key) > 0 or i.person_id is not distinct from excluded.person_id)
                             then i.declined_at end
    returning i.id, i.handle_key`,
})

export const resend = write('invitations.resend', {
  params: { id: c.int8, inviter: c.int8, now: c.timestamptz, expires: c.timestamptz, quietSince: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update invitations set inviter_id = :inviter, sends = sends + 1, sent_at = :now, expires_at = :expires,
           declined_at = case when declined_at > :quietSince then declined_at end
     where id = :id returning id`,
})

export const close = write('invitations.close', {
  params: { id: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update invitations set closed_at = :now where id = :id returning id`,
})

export const decline = write('invitations.decline', {
  params: { id: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `update invitations set declined_at = :now where id = :id returning id`,
})

export const lock = write('invitations.lock', {
  params: { invitation: c.text },
  row: { id: c.int8 },
  text: `select id from invitations where key = :invitation for update`,
})

const sentRow = {
  id: c.int8,
  key: c.text,
  organisation: c.text,
  class: nullable(c.text),
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  role: c.text,
  sends: c.int4,
  sent_at: c.timestamptz,
  expires_at: c.timestamptz,
  closed_at: nullable(c.timestamptz),
}
const sentColumns = `i.id, i.key, o.key as organisation, c.key as class, i.handle, i.first_name, i.last_name, i.role, i.sends, i.sent_at, i.expires_at, i.closed_at`
const sentTables = `invitations i join organisations o on o.id = i.organisation_id left join classes c on c.id = i.class_id`
const rolesRow = { teaches: c.bool, owns: c.bool, administers: c.bool }

/** Finds an invitation that has not been accepted or withdrawn, and the roles of the person towards it. */
export const findSent = read('invitations.findSent', {
  params: { person: c.int8, invitation: c.text },
  row: {
    ...sentRow,
    ...rolesRow,
    organisation_id: c.int8,
    class_id: nullable(c.int8),
    handle_key: c.text,
    student_key: nullable(c.text),
    wanted_handle: nullable(c.text),
  },
  text: `
    select ${sentColumns}, i.organisation_id, i.class_id, i.handle_key, i.student_key, i.wanted_handle, coalesce(k.teaches, false) as teaches, r.owns, r.administers
      from ${sentTables} left join lateral (select t.teaches from roles_in_class(:person, c) t) k on c.id is not null,
      lateral roles_in_organisation(:person, o.id) r
     where i.key = :invitation and i.closed_at is null`,
})

/** Finds the organisation or class whose invitations are listed, and the roles of the person in it. */
export const findTarget = read('invitations.findTarget', {
  params: { person: c.int8, organisation: nullable(c.text), class: nullable(c.text) },
  row: { ...rolesRow, organisation_id: c.int8, class_id: nullable(c.int8) },
  text: `
    select t.organisation_id, t.class_id, t.teaches, r.owns, r.administers
      from (select o.id as organisation_id, null::bigint as class_id, false as teaches from organisations o where o.key = :organisation
            union all
            select k.organisation_id, c.id, s.teaches from classes c join courses k on k.id = c.course_id, lateral roles_in_class(:person, c) s
             where c.key = :class) t,
      lateral roles_in_organisation(:person, t.organisation_id) r
     limit 1`,
})

/** Lists the invitations to an organisation or a class that were not accepted or withdrawn, newest first. */
export const listSent = report('invitations.listSent', {
  params: { organisation: c.int8, class: nullable(c.int8), students: c.bool, limit: c.int8, offset: c.int8 },
  row: { ...sentRow, total: c.int8 },
  text: `
    select ${sentColumns}, count(*) over () as total from ${sentTables}
     where i.organisation_id = :organisation and i.class_id is not distinct from :class and i.closed_at is null
       and (not :students or i.role = 'student')
     order by i.sent_at desc, i.id desc limit :limit offset :offset`,
})

const receivedRow = {
  id: c.int8,
  key: c.text,
  organisation_id: c.int8,
  organisation: c.text,
  organisation_name: c.text,
  class: nullable(c.text),
  class_name: nullable(c.text),
  course_name: nullable(c.text),
  role: c.text,
  student_key: nullable(c.text),
  person_id: c.int8,
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  date_of_birth: nullable(c.text),
  is_own: c.bool,
  inviter_handle: c.text,
  inviter_first_name: c.text,
  inviter_last_name: c.text,
  sent_at: c.instant,
  expires_at: c.instant,
}
const received = `
    select i.id, i.key, i.organisation_id, o.key as organisation, o.name as organisation_name, c.key as class, c.name as class_name, v.name as course_name,
           i.role, i.student_key, p.id as person_id, p.handle, p.first_name, p.last_name, to_char(p.date_of_birth, 'YYYY-MM-DD') as date_of_birth,
           p.id = :person as is_own, w.handle as inviter_handle, w.first_name as inviter_first_name, w.last_name as inviter_last_name,
           i.sent_at, i.expires_at
      from invitations i join people p on p.id = i.person_id join people w on w.id = i.inviter_id join organisations o on o.id = i.organisation_id
      left join classes c on c.id = i.class_id left join course_versions v on v.id = c.version_id`
/** Invitations that wait for an answer. Whoever has blocked the inviter, or is blocked, does not see them. */
const isWaiting = (viewer: string) => `
       i.closed_at is null and i.declined_at is null and i.expires_at > :now and w.disabled_at is null
       and not exists (select from hidden_from(i.person_id) h where h.person_id = i.inviter_id offset 0)
       and not exists (select from hidden_from(${viewer}) h where h.person_id = i.inviter_id offset 0)`
/** The person, and the children whom the person answers for. */
const isTheirs = `
       i.person_id in (select :person union all
         select g.child_id from guardians g join people k on k.id = g.child_id
          where g.parent_id = :person and k.date_of_birth > to_date(:born, 'YYYY-MM-DD'))`

/** The maximum number of invitations in a list. Once some are answered, earlier ones are listed. */
const MAX_RECEIVED = 200

/**
 * Lists the invitations to a person and their children, newest first, with the plugins that read about members. Members
 * of a class alone are not shown to plugins.
 */
export const listReceived = read('invitations.listReceived', {
  params: { person: c.int8, born: c.text, now: c.timestamptz },
  row: { ...receivedRow, plugins: c.json },
  gather: false,
  text: `
    select x.*, (select coalesce(json_agg(json_build_object('name', a.name, 'permissions', m.granted) order by a.name, a.id), '[]')
                   from plugin_organisations g join plugins u on u.id = g.plugin_id and u.is_active join apps a on a.id = u.app_id,
                   lateral (select json_agg(s.permission order by s.permission) as granted from plugin_permissions s
                             where s.plugin_id = u.id and s.granted_at is not null and s.permission <> 'ato') m
                  where x.class is null and g.organisation_id = x.organisation_id and m.granted is not null) as plugins
      from (${received} where ${isTheirs} and ${isWaiting(':person')} order by i.sent_at desc, i.id desc limit ${MAX_RECEIVED}) x
     order by x.sent_at desc, x.id desc`,
})

export const findReceived = read('invitations.findReceived', {
  params: { person: c.int8, born: c.text, now: c.timestamptz, invitation: c.text },
  row: receivedRow,
  text: `${received} where i.key = :invitation and ${isTheirs} and ${isWaiting(':person')}`,
})

/** Lists the recipients of a message about an invitation: the person or, for a child, the parents. */
export const listRecipients = read('invitations.listRecipients', {
  params: { id: c.int8, born: c.text, now: c.timestamptz },
  row: {
    person_id: c.int8,
    email: nullable(c.text),
    handle: c.text,
    organisation: c.text,
    class: nullable(c.text),
    role: c.text,
    inviter: c.text,
  },
  gather: false,
  text: `
    select r.id as person_id, r.email, p.handle, o.name as organisation, c.name as class, i.role,
           trim(concat_ws(' ', nullif(w.first_name, ''), nullif(w.last_name, ''), '(' || w.handle || ')')) as inviter
      from invitations i join people p on p.id = i.person_id join people w on w.id = i.inviter_id join organisations o on o.id = i.organisation_id
      left join classes c on c.id = i.class_id
      join people r on case when p.date_of_birth > to_date(:born, 'YYYY-MM-DD')
                            then r.id in (select g.parent_id from guardians g where g.child_id = p.id) else r.id = p.id end
     where i.id = :id and r.disabled_at is null and ${isWaiting('r.id')}
     order by r.id`,
})

/** Finds an invitation by e-mail address that waits for its account. */
export const findByAddress = read('invitations.findByAddress', {
  params: { id: c.int8, now: c.timestamptz },
  row: {
    email: c.text,
    first_name: c.text,
    last_name: c.text,
    wanted_handle: nullable(c.text),
    organisation_id: c.int8,
    person_id: nullable(c.int8),
  },
  text: `
    select i.handle as email, i.first_name, i.last_name, i.wanted_handle, i.organisation_id, i.person_id from invitations i
     where i.id = :id and i.closed_at is null and i.expires_at > :now and position('@' in i.handle_key) > 0`,
})

export const setPerson = write('invitations.setPerson', {
  params: { id: c.int8, person: c.int8 },
  row: { id: c.int8 },
  text: `update invitations set person_id = :person where id = :id returning id`,
})

/** The organisation that created a person's account, if they have not joined it. */
export const findAwaited = read('invitations.findAwaited', {
  params: { person: c.int8 },
  row: { organisation_id: c.int8, organisation: c.text },
  text: `
    select o.id as organisation_id, o.key as organisation from people p join organisations o on o.id = p.managed_by
     where p.id = :person
       and not exists (select from organisation_members m where m.organisation_id = o.id and m.person_id = p.id)`,
})

/**
 * Keeps what the organisation that created a person's account invited them to open for as long as the link of the
 * account works.
 */
export const extend = write('invitations.extend', {
  params: { person: c.int8, until: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update invitations i set expires_at = greatest(i.expires_at, :until)
      from people p where p.id = :person and i.person_id = p.id and i.organisation_id = p.managed_by and i.closed_at is null
    returning i.id`,
})

/** Locks the open invitations of a person. */
export const lockOpen = write('invitations.lockOpen', {
  params: { person: c.int8, now: c.timestamptz },
  row: { id: c.int8, organisation_id: c.int8, class_id: nullable(c.int8), role: c.text },
  text: `
    select id, organisation_id, class_id, role from invitations
     where person_id = :person and closed_at is null and expires_at > :now order by id for update`,
})

/** Locks the open invitation of an organisation to an e-mail address. */
export const lockByAddress = write('invitations.lockByAddress', {
  params: { organisation: c.int8, address: c.text, now: c.timestamptz },
  row: { id: c.int8, role: c.text },
  text: `
    select id, role from invitations
     where organisation_id = :organisation and class_id is null and handle_key = :address
       and closed_at is null and expires_at > :now for update`,
})

/** Finds the open invitation of an organisation to an e-mail address. */
export const findOpenByAddress = read('invitations.findOpenByAddress', {
  params: { organisation: c.int8, address: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    select id from invitations
     where organisation_id = :organisation and class_id is null and handle_key = :address
       and closed_at is null and expires_at > :now`,
})

/** Lists the keys of a person's open invitations to classes of an organisation. */
export const listOpenClasses = read('invitations.listOpenClasses', {
  params: { person: c.int8, organisation: c.int8, now: c.timestamptz },
  row: { key: c.text },
  text: `
    select key from invitations
     where person_id = :person and organisation_id = :organisation and class_id is not null and closed_at is null
       and declined_at is null and expires_at > :now order by id`,
})

/** SQL: `p` was created for an invitation, nobody used the account, and nobody can any more. */
const isAbandoned = `
       p.unclaimed and p.managed_by is not null
       and not exists (select from organisation_members m where m.person_id = p.id)
       and not exists (select from invitations i where i.person_id = p.id and i.closed_at is null)`

export const listAbandoned = read('invitations.listAbandoned', {
  params: { limit: c.int8 },
  row: { id: c.int8 },
  text: `select p.id from people p where ${isAbandoned} order by p.id limit :limit`,
})

export const findAbandoned = read('invitations.findAbandoned', {
  params: { person: c.int8 },
  row: { id: c.int8 },
  text: `select p.id from people p where p.id = :person and ${isAbandoned}`,
})

/** Keeps withdrawn invitations when the account is deleted, because they count towards the limits. */
export const detach = write('invitations.detach', {
  params: { person: c.int8 },
  row: { id: c.int8 },
  text: `update invitations set person_id = null where person_id = :person returning id`,
})

export const exportReceived = report('invitations.exportReceived', {
  params: { person: c.int8 },
  row: {
    organisation: c.text,
    class: nullable(c.text),
    role: c.text,
    inviter: c.text,
    sent_at: c.instant,
    expires_at: c.instant,
    declined_at: nullable(c.instant),
    closed_at: nullable(c.instant),
  },
  text: `
    select o.key as organisation, c.key as class, i.role, w.handle as inviter, i.sent_at, i.expires_at, i.declined_at, i.closed_at
      from ${sentTables} join people w on w.id = i.inviter_id
     where i.person_id = :person order by i.id`,
})

export const exportSent = report('invitations.exportSent', {
  params: { person: c.int8 },
  row: {
    organisation: c.text,
    class: nullable(c.text),
    role: c.text,
    handle: c.text,
    sent_at: c.instant,
    expires_at: c.instant,
  },
  text: `
    select o.key as organisation, c.key as class, i.role, i.handle, i.sent_at, i.expires_at
      from ${sentTables} where i.inviter_id = :person order by i.id`,
})

export const deleteOld = deleteOlder('invitations.deleteOld', {
  table: 'invitations',
  key: { id: c.int8 },
  by: 'expires_at',
})
