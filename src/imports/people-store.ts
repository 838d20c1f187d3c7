import {
  bool,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  write,
} from '../database/statement.ts'

export const findPeople = read('imports.findPeople', {
  params: { handles: textArray },
  row: {
    id: int8,
    handle: text,
    handle_key: text,
    first_name: text,
    last_name: text,
    email: nullable(text),
    country: nullable(text),
    date_of_birth: nullable(text),
    gender: nullable(text),
    position: nullable(text),
    account_kind: nullable(text),
    service: json,
    public_search: bool,
    administrator: bool,
    developer: bool,
    anonymous: bool,
    password_hash: nullable(text),
    search_version: int4,
  },
  text: `
    select id, handle, handle_key, first_name, last_name, email, country,
           to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, position, account_kind, service,
           public_search, administrator, developer, anonymous, password_hash, search_version
      from people where handle_key = any(:handles)`,
})

/** In the order of ids, as everybody does who changes more than one. */
export const lockPeople = write('imports.lockPeople', {
  params: { handles: textArray },
  row: { id: int8 },
  text: `select id from people where handle_key = any(:handles) order by id for no key update`,
})

export const insertPeople = write('imports.insertPeople', {
  params: { rows: json, now: timestamptz },
  row: { id: int8, handle_key: text },
  text: `
    insert into people (handle, handle_key, first_name, last_name, email, country, date_of_birth, gender, position,
                        account_kind, service, public_search, administrator, developer, password_hash, search_keys,
                        search_version, created_at)
    select r.handle, r.handle_key, r.first_name, r.last_name, r.email, r.country, r.date_of_birth, r.gender, r.position,
           r.account_kind, r.service::json, r.public_search, r.administrator, r.developer, r.password_hash, r.search_keys,
           r.search_version, :now
      from json_to_recordset(:rows) as r(handle text, handle_key text, first_name text, last_name text, email text,
           country text, date_of_birth date, gender text, position text, account_kind text, service text,
           public_search boolean, administrator boolean, developer boolean, password_hash text, search_keys text[],
           search_version integer)
    returning id, handle_key`,
})

export const updatePeople = write('imports.updatePeople', {
  params: { rows: json },
  row: { id: int8 },
  text: `
    update people p
       set handle = r.handle, first_name = r.first_name, last_name = r.last_name, email = r.email, country = r.country,
           date_of_birth = r.date_of_birth, gender = r.gender, position = r.position, account_kind = r.account_kind,
           service = r.service::json, public_search = r.public_search, administrator = r.administrator,
           developer = r.developer, password_hash = r.password_hash, search_keys = r.search_keys,
           search_version = r.search_version,
           epoch = p.epoch + (p.password_hash is distinct from r.password_hash)::int
      from json_to_recordset(:rows) as r(id bigint, handle text, first_name text,
           last_name text, email text, country text, date_of_birth date, gender text, position text, account_kind text,
           service text, public_search boolean, administrator boolean, developer boolean, password_hash text,
           search_keys text[], search_version integer)
     where p.id = r.id returning p.id`,
})

export const findMemberships = read('imports.findMemberships', {
  params: { people: int8Array },
  row: { person_id: int8, key: text, role: text },
  text: `
    select m.person_id, o.key, m.role
      from organisation_members m join organisations o on o.id = m.organisation_id where m.person_id = any(:people)`,
})

/** Memberships of these people are these rows and no others. */
export const replaceMemberships = write('imports.replaceMemberships', {
  params: { people: int8Array, rows: json },
  row: { person_id: int8 },
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

export const findParents = read('imports.findParents', {
  params: { children: int8Array },
  row: { child_id: int8, parent: text },
  text: `
    select g.child_id, p.handle_key as parent from guardians g join people p on p.id = g.parent_id
     where g.child_id = any(:children)`,
})

/** Which of these people look after somebody who was born after that day. */
export const findThoseWithChildren = read('imports.findThoseWithChildren', {
  params: { people: int8Array, born: text },
  row: { handle_key: text },
  text: `
    select p.handle_key from people p
     where p.id = any(:people) and exists (
       select from guardians g join people c on c.id = g.child_id
        where g.parent_id = p.id and c.date_of_birth > :born::text::date)`,
})

/** Parents of these children are these rows and no others. */
export const replaceParents = write('imports.replaceParents', {
  params: { children: int8Array, rows: json, now: timestamptz },
  row: { child_id: int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(child_id bigint, parent_id bigint)),
    gone as (
      delete from guardians g where g.child_id = any(:children) and not exists
        (select from wanted w where w.child_id = g.child_id and w.parent_id = g.parent_id)
    )
    insert into guardians (child_id, parent_id, created_at) select child_id, parent_id, :now from wanted
    on conflict do nothing returning child_id`,
})

const isBlocked = (one: string, other: string): string => `
    exists (select from blocks b where b.blocker_id = ${one} and b.blocked_id = ${other})
    or exists (select from blocks b where b.blocker_id = ${other} and b.blocked_id = ${one})`

/** Of these pairs, those with nothing to add: they are friends, or one has blocked the other. */
export const findSettledPairs = read('imports.findSettledPairs', {
  params: { rows: json },
  row: { low: int8, high: int8 },
  gather: false,
  text: `
    select r.low, r.high from json_to_recordset(:rows) as r(low bigint, high bigint)
     where exists (select from friendships f where least(f.asker_id, f.asked_id) = r.low
                      and greatest(f.asker_id, f.asked_id) = r.high and f.accepted_at is not null)
        or ${isBlocked('r.low', 'r.high')}`,
})

/** A request that waits is accepted, and old declines are forgiven. A block stays what it is. */
export const insertFriendships = write('imports.insertFriendships', {
  params: { rows: json, now: timestamptz },
  row: { asker_id: int8 },
  text: `
    with wanted as (
      select r.low, r.high from json_to_recordset(:rows) as r(low bigint, high bigint)
       where not (${isBlocked('r.low', 'r.high')})
    ), forgiven as (
      delete from declines d using wanted w
       where (d.asker_id = w.low and d.decliner_id = w.high) or (d.asker_id = w.high and d.decliner_id = w.low)
    )
    insert into friendships as f (asker_id, asked_id, requested_at, accepted_at) select low, high, :now, :now from wanted
    on conflict (least(asker_id, asked_id), greatest(asker_id, asked_id))
    do update set accepted_at = excluded.accepted_at, is_quiet = false where f.accepted_at is null
    returning f.asker_id`,
})

export const countFriends = read('imports.countFriends', {
  params: { people: int8Array },
  row: { handle_key: text, friends: int8 },
  text: `
    select p.handle_key,
           (select count(*) from friendships f where f.asker_id = p.id and f.accepted_at is not null)
         + (select count(*) from friendships f where f.asked_id = p.id and f.accepted_at is not null) as friends
      from people p where p.id = any(:people)`,
})

export const countPlaces = read('imports.countPlaces', {
  params: { people: int8Array },
  row: { person_id: int8, apps: int8 },
  text: `select person_id, count(*) as apps from findable_users where person_id = any(:people) group by person_id`,
})

/** Also those who have withdrawn consent. */
export const findUsersOfApps = read('imports.findUsersOfApps', {
  params: { people: int8Array, apps: int8Array },
  row: { person_id: int8, app_id: int8 },
  text: `select person_id, app_id from app_users where person_id = any(:people) and app_id = any(:apps)`,
})
