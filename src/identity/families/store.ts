import { c, nullable, read, write } from '../../kernel/database/statement.ts'

const child = {
  row: {
    id: c.int8,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    date_of_birth: nullable(c.text),
    country: nullable(c.text),
    email: nullable(c.text),
    public_search: c.bool,
    camera_disabled: c.bool,
    proximity_friends: c.bool,
  },
  columns: `
    c.id, c.handle, c.first_name, c.last_name, to_char(c.date_of_birth, 'YYYY-MM-DD') as date_of_birth, c.country,
    c.email, c.public_search, c.camera_disabled, c.proximity_friends`,
}

/** SQL: the number of friend requests that the child's own list shows, at most 1,000. */
const requests = `
    (select count(*) from (
      select from friendships f join people a on a.id = f.asker_id
       where f.asked_id = c.id and f.accepted_at is null and not f.is_quiet and a.disabled_at is null
       limit 1000) shown) as friend_requests`

const ofParent = `guardians g join people c on c.id = g.child_id where g.parent_id = :parent`
const isYoung = `c.date_of_birth > to_date(:born, 'YYYY-MM-DD')`

/** Lists a parent's children under 13, youngest first. Not paged, because MAX_CHILDREN bounds the result. */
export const listChildren = read('families.listChildren', {
  params: { parent: c.int8, born: c.text },
  row: { ...child.row, friend_requests: c.int8 },
  gather: false,
  text: `select ${child.columns}, ${requests} from ${ofParent} and ${isYoung} order by c.date_of_birth desc, c.id`,
})

/** Like `listChildren`, but returns only ids. */
export const listKids = read('families.listKids', {
  params: { parent: c.int8, born: c.text },
  row: { id: c.int8 },
  text: `select c.id from ${ofParent} and ${isYoung} order by c.date_of_birth desc, c.id`,
})

export const findChild = read('families.findChild', {
  params: { parent: c.int8, handle: c.text },
  row: { ...child.row, friend_requests: c.int8 },
  text: `select ${child.columns}, ${requests} from ${ofParent} and c.handle_key = :handle`,
})

/** Like `findChild`, but locks the child and the relation to the parent until the transaction ends. */
export const lockChild = write('families.lockChild', {
  params: { parent: c.int8, handle: c.text },
  row: child.row,
  text: `
    select ${child.columns} from ${ofParent} and c.handle_key = :handle
       for no key update of c for key share of g`,
})

export const findAble = read('families.findAble', {
  params: { parent: c.int8 },
  row: { id: c.int8 },
  text: `select id from people where id = :parent and disabled_at is null`,
})

/** Locks people in ascending order of id, like every statement that locks several people, to avoid deadlocks. */
export const lockPeople = write('families.lockPeople', {
  params: { ids: c.int8Array },
  row: { id: c.int8, handle: c.text, date_of_birth: nullable(c.text), anonymous: c.bool },
  text: `
    select id, handle, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, anonymous
      from people where id = any(:ids) order by id for no key update`,
})

export const countChildren = read('families.countChildren', {
  params: { parent: c.int8, born: c.text },
  row: { children: c.int8 },
  text: `select count(*) as children from ${ofParent} and ${isYoung}`,
})

export const countParents = read('families.countParents', {
  params: { child: c.int8 },
  row: { parents: c.int8 },
  text: `select count(*) as parents from guardians where child_id = :child`,
})

/** SQL: the parents of the child who can sign in, that is, who are not disabled. */
const ableParent = `
    select from guardians o join people p on p.id = o.parent_id
     where o.child_id = c.id and p.disabled_at is null`
const otherParent = `${ableParent} and o.parent_id <> :parent`

/** Returns the child's id if the child is under 13 and has a parent who can sign in. */
export const findCared = read('families.findCared', {
  params: { child: c.int8, born: c.text },
  row: { id: c.int8 },
  text: `select c.id from people c where c.id = :child and ${isYoung} and exists (${ableParent})`,
})

export const findOtherParent = read('families.findOtherParent', {
  params: { child: c.int8, parent: c.int8 },
  row: { id: c.int8 },
  text: `select c.id from people c where c.id = :child and exists (${otherParent})`,
})

export const insertGuardian = write('families.insertGuardian', {
  params: { child: c.int8, parent: c.int8, now: c.timestamptz },
  row: { child_id: c.int8 },
  text: `
    insert into guardians (child_id, parent_id, created_at) values (:child, :parent, :now)
    on conflict do nothing returning child_id`,
})

export const deleteGuardian = write('families.deleteGuardian', {
  params: { child: c.int8, parent: c.int8 },
  row: { child_id: c.int8 },
  text: `delete from guardians where child_id = :child and parent_id = :parent returning child_id`,
})

/** Locks the children of a parent, so that neither they nor their parents change until the transaction ends. */
export const lockChildrenOf = write('families.lockChildrenOf', {
  params: { parent: c.int8, born: c.text },
  row: { id: c.int8 },
  text: `select c.id from ${ofParent} and ${isYoung} order by c.id for no key update of c`,
})

/** Filters these children to those who have public search on and, apart from `:parent`, no parent who can sign in. */
export const listOrphans = read('families.listOrphans', {
  params: { children: c.int8Array, parent: c.int8, born: c.text },
  row: { id: c.int8 },
  text: `
    select c.id from people c
     where c.id = any(:children) and c.public_search and ${isYoung} and not exists (${otherParent})`,
})

export const listFamily = read('families.listFamily', {
  params: { person: c.int8 },
  row: { is_parent: c.bool, handle: c.text, since: c.instant },
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
  params: { children: c.int8Array },
  row: { child_id: c.int8, parent: c.text },
  text: `
    select g.child_id, p.handle_key as parent from guardians g join people p on p.id = g.parent_id
     where g.child_id = any(:children)`,
})

/** Filters these people to those who are parents of a child born after `:born`. */
export const findThoseWithChildren = read('families.findThoseWithChildren', {
  params: { people: c.int8Array, born: c.text },
  row: { handle_key: c.text },
  text: `
    select p.handle_key from people p
     where p.id = any(:people) and exists (
       select from guardians g join people c on c.id = g.child_id
        where g.parent_id = p.id and c.date_of_birth > to_date(:born, 'YYYY-MM-DD'))`,
})

/** Makes the parents in `:rows` the only parents of `:children`. */
export const replaceParents = write('families.replaceParents', {
  params: { children: c.int8Array, rows: c.json, now: c.timestamptz },
  row: { child_id: c.int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(child_id bigint, parent_id bigint)),
    gone as (
      delete from guardians g where g.child_id = any(:children) and not exists
        (select from wanted w where w.child_id = g.child_id and w.parent_id = g.parent_id)
    )
    insert into guardians (child_id, parent_id, created_at) select child_id, parent_id, :now from wanted
    on conflict do nothing returning child_id`,
})
