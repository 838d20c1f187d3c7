import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/**
 * Locks people in ascending order of id. Every change between two people locks both, so that such changes are
 * serialised, counts stay exact, and neither person is deleted meanwhile. The lock does not block inserts of rows with
 * foreign keys to these people.
 */
export const lockPeople = write('friends.lockPeople', {
  params: { ids: c.int8Array },
  row: { id: c.int8, anonymous: c.bool, public_search: c.bool, date_of_birth: nullable(c.text), is_disabled: c.bool },
  text: `
    select id, anonymous, public_search, date_of_birth::text as date_of_birth, disabled_at is not null as is_disabled
      from people where id = any(:ids) order by id for no key update`,
})

const ofPair = `least(f.asker_id, f.asked_id) = least(:me, :other) and greatest(f.asker_id, f.asked_id) = greatest(:me, :other)`

/** Reads the relation of two people. Always returns one row. */
export const findPair = read('friends.findPair', {
  params: { me: c.int8, other: c.int8 },
  row: {
    asker_id: nullable(c.int8),
    is_quiet: nullable(c.bool),
    accepted_at: nullable(c.timestamptz),
    is_listed: nullable(c.bool),
    is_blocked: c.bool,
    declined_at: nullable(c.timestamptz),
    has_declined: c.bool,
  },
  text: `
    select f.asker_id, f.is_quiet, f.accepted_at,
           (select b.is_listed from blocks b where b.blocker_id = :me and b.blocked_id = :other) as is_listed,
           exists (select from blocks where blocker_id = :other and blocked_id = :me) as is_blocked,
           (select d.declined_at from declines d where d.asker_id = :me and d.decliner_id = :other) as declined_at,
           exists (select from declines where asker_id = :other and decliner_id = :me) as has_declined
      from (values (1)) one left join friendships f on ${ofPair}`,
})

export const insertRequest = write('friends.insertRequest', {
  params: { asker: c.int8, asked: c.int8, quiet: c.bool, now: c.timestamptz },
  row: { asker_id: c.int8 },
  text: `
    insert into friendships (asker_id, asked_id, requested_at, is_quiet) values (:asker, :asked, :now, :quiet)
    returning asker_id`,
})

/** Makes an open request quiet or visible. Keeps `requested_at`, so that a repeated request does not look newer. */
export const setQuiet = write('friends.setQuiet', {
  params: { asker: c.int8, asked: c.int8, quiet: c.bool },
  row: { asker_id: c.int8 },
  text: `
    update friendships set is_quiet = :quiet where asker_id = :asker and asked_id = :asked and accepted_at is null
    returning asker_id`,
})

/** Accepts a request and deletes old declines between the two people. */
export const acceptRequest = write('friends.accept', {
  params: { asker: c.int8, asked: c.int8, now: c.timestamptz },
  row: { asker_id: c.int8 },
  text: `
    with forgiven as (
      delete from declines where (asker_id, decliner_id) in ((:asker, :asked), (:asked, :asker))
    )
    update friendships set accepted_at = :now, is_quiet = false where asker_id = :asker and asked_id = :asked
    returning asker_id`,
})

export const declineRequest = write('friends.decline', {
  params: { asker: c.int8, asked: c.int8, now: c.timestamptz },
  row: { asker_id: c.int8 },
  text: `
    with remembered as (
      insert into declines (asker_id, decliner_id, declined_at) values (:asker, :asked, :now)
      on conflict (asker_id, decliner_id) do update set declined_at = excluded.declined_at
    )
    update friendships set is_quiet = true where asker_id = :asker and asked_id = :asked returning asker_id`,
})

export const deleteTie = write('friends.deleteTie', {
  params: { me: c.int8, other: c.int8 },
  row: { asker_id: c.int8 },
  text: `delete from friendships f where ${ofPair} returning f.asker_id`,
})

/**
 * Inserts a block. Runs in the same way for unknown people, whose id is 0. A listed block needs no names, so names
 * under which the blocker blocked the person earlier are deleted.
 */
export const insertBlock = write('friends.insertBlock', {
  params: { blocker: c.int8, blocked: c.int8, listed: c.bool, name: nullable(c.text), now: c.timestamptz },
  row: { blocker_id: c.int8 },
  text: `
    with named as (
      insert into blocked_names (blocker_id, name, blocked_id, created_at)
      select :blocker, :name, (select id from people where id = :blocked), :now where :name is not null and not :listed
      on conflict (blocker_id, name) do update set blocked_id = excluded.blocked_id
    ), unnamed as (
      delete from blocked_names where :listed and blocker_id = :blocker and (name = :name or blocked_id = :blocked)
    )
    insert into blocks (blocker_id, blocked_id, created_at, is_listed)
    select :blocker, p.id, :now, :listed from people p where p.id = :blocked
    on conflict (blocker_id, blocked_id) do update set is_listed = blocks.is_listed or excluded.is_listed
    returning blocker_id`,
})

/**
 * Removes a block. An unlisted block stays until the last of its names is unblocked: if unblocking one name ended the
 * block of another, that would reveal that both belong to one person.
 */
export const deleteBlock = write('friends.deleteBlock', {
  params: { blocker: c.int8, blocked: c.int8, name: nullable(c.text) },
  row: { blocker_id: c.int8 },
  text: `
    with unnamed as (delete from blocked_names where blocker_id = :blocker and name = :name)
    delete from blocks b where b.blocker_id = :blocker and b.blocked_id = :blocked
       and (b.is_listed or not exists (
             select from blocked_names n where n.blocker_id = :blocker and n.blocked_id = :blocked and n.name is distinct from :name offset 0))
    returning b.blocker_id`,
})

export const countFriends = read('friends.countFriends', {
  params: { person: c.int8 },
  row: { friends: c.int8 },
  text: `
    select (select count(*) from friendships where asker_id = :person and accepted_at is not null)
         + (select count(*) from friendships where asked_id = :person and accepted_at is not null) as friends`,
})

export const countSent = read('friends.countSent', {
  params: { person: c.int8 },
  row: { sent: c.int8 },
  text: `select count(*) as sent from friendships where asker_id = :person and accepted_at is null`,
})

/**
 * Counts a person's blocks. Unlisted blocks are counted by name, so that the limit does not depend on whether the
 * person with that name exists.
 */
export const countBlocks = read('friends.countBlocks', {
  params: { person: c.int8, name: nullable(c.text) },
  row: { blocks: c.int8, is_named: c.bool },
  text: `
    select (select count(*) from blocks where blocker_id = :person and is_listed)
         + (select count(*) from blocked_names where blocker_id = :person) as blocks,
           exists (select from blocked_names where blocker_id = :person and name = :name) as is_named`,
})

/**
 * A row of the acting person and the target. One statement finds the target and checks whether the acting person may
 * know of them, so that the response time does not reveal a hidden person. There is always one row if the acting person
 * exists.
 */
const targetRow = {
  date_of_birth: nullable(c.text),
  anonymous: c.bool,
  other_id: nullable(c.int8),
  is_away: nullable(c.bool),
}
const findOther = (others: string, isAway = 'false'): string => `
    select me.date_of_birth::text as date_of_birth, me.anonymous, other.id as other_id, other.is_away
      from people me left join lateral (select o.id, ${isAway} as is_away from ${others} offset 0) other on true
     where me.id = :me`

/** Leaves out anonymous users, whose handles nobody else can know. */
const ofHandle = `people o cross join lateral sight(:me, o.id, is_findable(o)) where o.handle_key = :handle and not o.anonymous`
const ofUser = `
    app_users u join people o on o.id = u.person_id cross join lateral sight(:me, o.id, is_findable(o)) where u.user_id = :user and u.app_id = :app`

/** Finds a target who is findable or has a relation to the acting person. */
export const findKnownHandle = read('friends.findKnownHandle', {
  params: { me: c.int8, handle: c.text },
  row: targetRow,
  text: findOther(`${ofHandle} and sight.may_name`),
})
export const findKnownUser = read('friends.findKnownUser', {
  params: { me: c.int8, app: c.int8, user: c.text },
  row: targetRow,
  text: findOther(`${ofUser} and is_there(u, o) and sight.may_name`),
})

/** Finds any target, for blocking: even a person who is hidden, or who has left the app and may come back. */
export const findAnyHandle = read('friends.findAnyHandle', {
  params: { me: c.int8, handle: c.text },
  row: targetRow,
  text: findOther(ofHandle),
})
export const findAnyUser = read('friends.findAnyUser', {
  params: { me: c.int8, app: c.int8, user: c.text },
  row: targetRow,
  text: findOther(ofUser, 'u.withdrawn_at is not null'),
})

const known = { id: c.int8, handle: c.text, first_name: c.text, last_name: c.text, since: c.instant }
const nullableKnown = { handle: nullable(c.text), first_name: nullable(c.text), last_name: nullable(c.text) }
const columns = 'p.id, p.handle, p.first_name, p.last_name'

/** The lists leave out disabled people, who may be enabled again; the data export includes them. */
const isAble = 'p.disabled_at is null'

const friendsWhere = (condition: string): string => `
    select ${columns}, f.accepted_at as since
      from (select asked_id as id, accepted_at from friendships where asker_id = :person and accepted_at is not null
            union all
            select asker_id, accepted_at from friendships where asked_id = :person and accepted_at is not null) f
      join people p on p.id = f.id
     where ${condition} order by lower(p.first_name), lower(p.last_name), p.id`

/** Not paged, because MAX_FRIENDS limits the number of friends. MAX_SENT and MAX_BLOCKS limit the lists below. */
export const listFriends = list('friends.list', {
  params: { person: c.int8 },
  row: known,
  text: friendsWhere(isAble),
})
/** Finds friends with matching names. A block ends a friendship, so nobody finds a person who blocked them. */
export const findByName = report('friends.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select p.handle as id, trim(p.first_name || ' ' || p.last_name) as name, p.handle as about from (${friendsWhere(isAble)}) p
     where ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)} order by lower(p.last_name), p.id limit :limit`,
})
export const listAllFriends = read('friends.listAll', {
  params: { person: c.int8 },
  row: known,
  gather: false,
  text: friendsWhere('true'),
})

/**
 * Lists requests to a person, newest first: only the earliest `:most`, because there may be any number. Once some are
 * answered, later ones are listed.
 */
export const listReceived = list('friends.listReceived', {
  params: { person: c.int8, most: c.int8 },
  row: known,
  text: `
    select * from (
      select ${columns}, f.requested_at as since from friendships f join people p on p.id = f.asker_id
       where f.asked_id = :person and f.accepted_at is null and not f.is_quiet and ${isAble}
       order by f.requested_at, f.asker_id limit :most) first_ones
     order by since desc, id`,
})

/**
 * Reads one batch of the requests to a person, earliest first, from askers who use the app. Each asker is looked up
 * separately, so that neither all users of the app nor all people are scanned. The last row of a full batch is always
 * returned, because the next batch starts there; if its asker does not use the app, it has no handle. `position` is
 * text because PostgreSQL's timestamps are more precise than a JavaScript date.
 */
export const listReceivedInApp = list('friends.listReceivedInApp', {
  params: { person: c.int8, app: c.int8, after: c.text, id: c.int8, part: c.int8 },
  row: { ...nullableKnown, id: c.int8, since: c.instant, position: c.text, is_last: c.bool },
  text: `
    select a.asker_id as id, found.handle, found.first_name, found.last_name, a.requested_at as since,
           a.requested_at::text as position, a.place = :part as is_last
      from (select f.asker_id, f.requested_at, row_number() over (order by f.requested_at, f.asker_id) as place from friendships f
             where f.asked_id = :person and f.accepted_at is null and not f.is_quiet
               and (f.requested_at, f.asker_id) > (cast(:after || '' as timestamptz), :id)
             order by f.requested_at, f.asker_id limit :part) a
      left join lateral (
             select ${columns} from app_users u join people p on p.id = u.person_id
              where u.app_id = :app and u.person_id = a.asker_id and is_there(u, p) offset 0) found on true
     where found.id is not null or a.place = :part
     order by a.place`,
})

/**
 * SQL: the open requests that a person has sent. Includes quiet requests, which must look to the asker like any other.
 */
const sentWhere = (condition: string): string => `
    select ${columns}, f.requested_at as since from friendships f join people p on p.id = f.asked_id
     where f.asker_id = :person and f.accepted_at is null and ${condition}
     order by f.requested_at desc, p.id`

export const listSent = list('friends.listSent', {
  params: { person: c.int8 },
  row: known,
  text: sentWhere(isAble),
})
export const listAllSent = read('friends.listAllSent', {
  params: { person: c.int8 },
  row: known,
  gather: false,
  text: sentWhere('true'),
})

/**
 * Lists the people whom a person has blocked, including disabled people, who may be enabled again. Leaves out unlisted
 * blocks: they would reveal people whom the blocker could not see.
 */
export const listBlocked = list('friends.listBlocked', {
  params: { person: c.int8 },
  row: known,
  text: `
    select ${columns}, b.created_at as since from blocks b join people p on p.id = b.blocked_id
     where b.blocker_id = :person and b.is_listed order by b.created_at desc, p.id`,
})

export const listBlockedNames = read('friends.listBlockedNames', {
  params: { person: c.int8 },
  row: { name: c.text, since: c.instant },
  gather: false,
  text: `
    select name, created_at as since from blocked_names where blocker_id = :person order by created_at desc, name`,
})

/** `position` is text because PostgreSQL's timestamps are more precise than a JavaScript date. */
const page = {
  params: { person: c.int8, after: c.text, id: c.int8, limit: c.int8 },
  row: { ...known, position: c.text },
}
const afterLast = "(cast(:after || '' as timestamptz), :id)"

const receivedOn = (condition: string): string => `
    select ${columns}, f.requested_at as since, f.requested_at::text as position
      from friendships f join people p on p.id = f.asker_id
     where f.asked_id = :person and f.accepted_at is null and ${condition}
       and (f.requested_at, f.asker_id) > ${afterLast}
     order by f.requested_at, f.asker_id limit :limit`

/** Reads a page of the people whose requests await the person's answer, earliest first. */
export const listReceivedOn = read('friends.listReceivedOn', {
  ...page,
  gather: false,
  text: receivedOn('not f.is_quiet'),
})

/**
 * Reads a page of the quiet requests to the person. The person declined or blocked each asker by hand, so there are
 * never very many.
 */
export const listUnheardOn = read('friends.listUnheardOn', { ...page, gather: false, text: receivedOn('f.is_quiet') })

/** Reads a page of the people whom the person has declined recently, earliest first. */
export const listDeclinedOn = read('friends.listDeclinedOn', {
  ...page,
  gather: false,
  text: `
    select ${columns}, d.declined_at as since, d.declined_at::text as position
      from declines d join people p on p.id = d.asker_id
     where d.decliner_id = :person and (d.declined_at, d.asker_id) > ${afterLast}
     order by d.declined_at, d.asker_id limit :limit`,
})

export const deleteOldDeclines = deleteOlder('friends.deleteOldDeclines', {
  table: 'declines',
  key: { asker_id: c.int8, decliner_id: c.int8 },
  by: 'declined_at',
})
