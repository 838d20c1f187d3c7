import {
  bool,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  timestamptz,
  write,
} from '../../kernel/database/statement.ts'

const child = {
  row: {
    id: int8,
    handle: text,
    first_name: text,
    last_name: text,
    date_of_birth: nullable(text),
    country: nullable(text),
    email: nullable(text),
    public_search: bool,
    camera_disabled: bool,
    proximity_friends: bool,
  },
  columns: `
    c.id, c.handle, c.first_name, c.last_name, to_char(c.date_of_birth, 'YYYY-MM-DD') as date_of_birth, c.country,
    c.email, c.public_search, c.camera_disabled, c.proximity_friends`,
}

/** Those that the child's own list of requests shows. */
const requests = `
    (select count(*) from (
      select from friendships f join people a on a.id = f.asker_id
       where f.asked_id = c.id and f.accepted_at is null and not f.is_quiet and a.disabled_at is null
       limit 1000) shown) as friend_requests`

const ofParent = `guardians g join people c on c.id = g.child_id where g.parent_id = :parent`
const isYoung = `c.date_of_birth > to_date(:born, 'YYYY-MM-DD')`

/** Those who are still children, the youngest first; bounded by MAX_CHILDREN. */
export const listChildren = read('families.listChildren', {
  params: { parent: int8, born: text },
  row: { ...child.row, friend_requests: int8 },
  gather: false,
  text: `select ${child.columns}, ${requests} from ${ofParent} and ${isYoung} order by c.date_of_birth desc, c.id`,
})

/** The same for an app, which is shown entries. */
export const listKids = read('families.listKids', {
  params: { parent: int8, born: text },
  row: { id: int8 },
  text: `select c.id from ${ofParent} and ${isYoung} order by c.date_of_birth desc, c.id`,
})

export const findChild = read('families.findChild', {
  params: { parent: int8, handle: text },
  row: { ...child.row, friend_requests: int8 },
  text: `select ${child.columns}, ${requests} from ${ofParent} and c.handle_key = :handle`,
})

/** The same; until the transaction ends nobody else changes the child, and the parent stays one. */
export const lockChild = write('families.lockChild', {
  params: { parent: int8, handle: text },
  row: child.row,
  text: `
    select ${child.columns} from ${ofParent} and c.handle_key = :handle
       for no key update of c for key share of g`,
})

export const findAble = read('families.findAble', {
  params: { parent: int8 },
  row: { id: int8 },
  text: `select id from people where id = :parent and disabled_at is null`,
})

/** In the order of their ids, as everybody who holds several people does. */
export const lockPeople = write('families.lockPeople', {
  params: { ids: int8Array },
  row: { id: int8, handle: text, date_of_birth: nullable(text), anonymous: bool },
  text: `
    select id, handle, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, anonymous
      from people where id = any(:ids) order by id for no key update`,
})

export const countChildren = read('families.countChildren', {
  params: { parent: int8, born: text },
  row: { children: int8 },
  text: `select count(*) as children from ${ofParent} and ${isYoung}`,
})

export const countParents = read('families.countParents', {
  params: { child: int8 },
  row: { parents: int8 },
  text: `select count(*) as parents from guardians where child_id = :child`,
})

/** Whoever cannot sign in looks after nobody. */
const ableParent = `
    select from guardians o join people p on p.id = o.parent_id
     where o.child_id = c.id and p.disabled_at is null`
const otherParent = `${ableParent} and o.parent_id <> :parent`

/** A child whom somebody looks after. */
export const findCared = read('families.findCared', {
  params: { child: int8, born: text },
  row: { id: int8 },
  text: `select c.id from people c where c.id = :child and ${isYoung} and exists (${ableParent})`,
})

export const findOtherParent = read('families.findOtherParent', {
  params: { child: int8, parent: int8 },
  row: { id: int8 },
  text: `select c.id from people c where c.id = :child and exists (${otherParent})`,
})

export const insertGuardian = write('families.insertGuardian', {
  params: { child: int8, parent: int8, now: timestamptz },
  row: { child_id: int8 },
  text: `
    insert into guardians (child_id, parent_id, created_at) values (:child, :parent, :now)
    on conflict do nothing returning child_id`,
})

export const deleteGuardian = write('families.deleteGuardian', {
  params: { child: int8, parent: int8 },
  row: { child_id: int8 },
  text: `delete from guardians where child_id = :child and parent_id = :parent returning child_id`,
})

/** Until the transaction ends nobody changes these children, nor who their parents are. */
export const lockChildrenOf = write('families.lockChildrenOf', {
  params: { parent: int8, born: text },
  row: { id: int8 },
  text: `select c.id from ${ofParent} and ${isYoung} order by c.id for no key update of c`,
})

/** Those of these children who can be found, and whom nobody but this parent looks after. */
export const listOrphans = read('families.listOrphans', {
  params: { children: int8Array, parent: int8, born: text },
  row: { id: int8 },
  text: `
    select c.id from people c
     where c.id = any(:children) and c.public_search and ${isYoung} and not exists (${otherParent})`,
})

export const listFamily = read('families.listFamily', {
  params: { person: int8 },
  row: { is_parent: bool, handle: text, since: timestamptz },
  gather: false,
  text: `
    select true as is_parent, p.handle, g.created_at as since
      from guardians g join people p on p.id = g.parent_id where g.child_id = :person
     union all
    select false, p.handle, g.created_at
      from guardians g join people p on p.id = g.child_id where g.parent_id = :person
     order by since, handle`,
})

export const findParents = read('families.findParents', {
  params: { children: int8Array },
  row: { child_id: int8, parent: text },
  text: `
    select g.child_id, p.handle_key as parent from guardians g join people p on p.id = g.parent_id
     where g.child_id = any(:children)`,
})

/** Which of these people look after somebody who was born after that day. */
export const findThoseWithChildren = read('families.findThoseWithChildren', {
  params: { people: int8Array, born: text },
  row: { handle_key: text },
  text: `
    select p.handle_key from people p
     where p.id = any(:people) and exists (
       select from guardians g join people c on c.id = g.child_id
        where g.parent_id = p.id and c.date_of_birth > to_date(:born, 'YYYY-MM-DD'))`,
})

/** Parents of these children are these rows and no others. */
export const replaceParents = write('families.replaceParents', {
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
