import { deleteOlder } from '../database/age.ts'
import { bool, int8, int8Array, nullable, read, text, timestamptz, write } from '../database/statement.ts'

/**
 * Whoever changes what is between two people holds both, in the order of their ids: so changes between them take turns, counts hold, and nobody goes meanwhile.
 * References to them are not held up.
 */
export const lockPeople = write('friends.lockPeople', {
  params: { ids: int8Array },
  row: { id: int8, anonymous: bool, public_search: bool, date_of_birth: nullable(text), is_disabled: bool },
  text: `
    select id, anonymous, public_search, date_of_birth::text as date_of_birth, disabled_at is not null as is_disabled
      from people where id = any(:ids) order by id for no key update`,
})

const ofPair = `least(f.asker_id, f.asked_id) = least(:me, :other) and greatest(f.asker_id, f.asked_id) = greatest(:me, :other)`

/** Always one row. */
export const findPair = read('friends.findPair', {
  params: { me: int8, other: int8 },
  row: {
    asker_id: nullable(int8),
    is_quiet: nullable(bool),
    accepted_at: nullable(timestamptz),
    has_blocked: bool,
    is_blocked: bool,
    declined_at: nullable(timestamptz),
  },
  text: `
    select f.asker_id, f.is_quiet, f.accepted_at,
           exists (select from blocks where blocker_id = :me and blocked_id = :other) as has_blocked,
           exists (select from blocks where blocker_id = :other and blocked_id = :me) as is_blocked,
           (select d.declined_at from declines d where d.asker_id = :me and d.decliner_id = :other) as declined_at
      from (values (1)) one left join friendships f on ${ofPair}`,
})

export const insertRequest = write('friends.insertRequest', {
  params: { asker: int8, asked: int8, quiet: bool, now: timestamptz },
  row: { asker_id: int8 },
  text: `
    insert into friendships (asker_id, asked_id, requested_at, is_quiet) values (:asker, :asked, :now, :quiet)
    returning asker_id`,
})

/** The date stays: a request that is made again must not look newer than one that was not. */
export const setQuiet = write('friends.setQuiet', {
  params: { asker: int8, asked: int8, quiet: bool },
  row: { asker_id: int8 },
  text: `
    update friendships set is_quiet = :quiet where asker_id = :asker and asked_id = :asked and accepted_at is null
    returning asker_id`,
})

/** Old declines are forgiven. */
export const acceptRequest = write('friends.accept', {
  params: { asker: int8, asked: int8, now: timestamptz },
  row: { asker_id: int8 },
  text: `
    with forgiven as (
      delete from declines where (asker_id, decliner_id) in ((:asker, :asked), (:asked, :asker))
    )
    update friendships set accepted_at = :now, is_quiet = false where asker_id = :asker and asked_id = :asked
    returning asker_id`,
})

export const declineRequest = write('friends.decline', {
  params: { asker: int8, asked: int8, now: timestamptz },
  row: { asker_id: int8 },
  text: `
    with remembered as (
      insert into declines (asker_id, decliner_id, declined_at) values (:asker, :asked, :now)
      on conflict (asker_id, decliner_id) do update set declined_at = excluded.declined_at
    )
    update friendships set is_quiet = true where asker_id = :asker and asked_id = :asked returning asker_id`,
})

export const deleteTie = write('friends.deleteTie', {
  params: { me: int8, other: int8 },
  row: { asker_id: int8 },
  text: `delete from friendships f where ${ofPair} returning f.asker_id`,
})

export const insertBlock = write('friends.insertBlock', {
  params: { blocker: int8, blocked: int8, now: timestamptz },
  row: { blocker_id: int8 },
  text: `
    insert into blocks (blocker_id, blocked_id, created_at) values (:blocker, :blocked, :now)
    on conflict do nothing returning blocker_id`,
})

export const deleteBlock = write('friends.deleteBlock', {
  params: { blocker: int8, blocked: int8 },
  row: { blocker_id: int8 },
  text: `delete from blocks where blocker_id = :blocker and blocked_id = :blocked returning blocker_id`,
})

export const countFriends = read('friends.countFriends', {
  params: { person: int8 },
  row: { friends: int8 },
  text: `
    select (select count(*) from friendships where asker_id = :person and accepted_at is not null)
         + (select count(*) from friendships where asked_id = :person and accepted_at is not null) as friends`,
})

export const countSent = read('friends.countSent', {
  params: { person: int8 },
  row: { sent: int8 },
  text: `select count(*) as sent from friendships where asker_id = :person and accepted_at is null`,
})

export const countReceived = read('friends.countReceived', {
  params: { person: int8 },
  row: { received: int8 },
  text: `
    select count(*) as received from friendships where asked_id = :person and accepted_at is null and not is_quiet`,
})

export const countBlocks = read('friends.countBlocks', {
  params: { person: int8 },
  row: { blocks: int8 },
  text: `select count(*) as blocks from blocks where blocker_id = :person`,
})

/** No row for anonymous users: nobody knows those by name. */
export const findByHandle = read('friends.findByHandle', {
  params: { handle: text },
  row: { id: int8 },
  text: `select id from people where handle_key = :handle and not anonymous`,
})

const known = { id: int8, handle: text, first_name: text, last_name: text, since: timestamptz }
const columns = 'p.id, p.handle, p.first_name, p.last_name'

/** Bounded by MAX_FRIENDS, as the lists below are by what may be open or blocked. */
export const listFriends = read('friends.list', {
  params: { person: int8 },
  row: known,
  gather: false,
  text: `
    select ${columns}, f.accepted_at as since
      from (select asked_id as id, accepted_at from friendships where asker_id = :person and accepted_at is not null
            union all
            select asker_id, accepted_at from friendships where asked_id = :person and accepted_at is not null) f
      join people p on p.id = f.id
     where p.disabled_at is null order by lower(p.first_name), lower(p.last_name), p.id`,
})

export const listReceived = read('friends.listReceived', {
  params: { person: int8 },
  row: known,
  gather: false,
  text: `
    select ${columns}, f.requested_at as since from friendships f join people p on p.id = f.asker_id
     where f.asked_id = :person and f.accepted_at is null and not f.is_quiet and p.disabled_at is null
     order by f.requested_at desc, p.id`,
})

/** Quiet ones too: to the asker they are like any other. */
export const listSent = read('friends.listSent', {
  params: { person: int8 },
  row: known,
  gather: false,
  text: `
    select ${columns}, f.requested_at as since from friendships f join people p on p.id = f.asked_id
     where f.asker_id = :person and f.accepted_at is null and p.disabled_at is null
     order by f.requested_at desc, p.id`,
})

/** Also those who are disabled: they may come back. */
export const listBlocked = read('friends.listBlocked', {
  params: { person: int8 },
  row: known,
  gather: false,
  text: `
    select ${columns}, b.created_at as since from blocks b join people p on p.id = b.blocked_id
     where b.blocker_id = :person order by b.created_at desc, p.id`,
})

export const listDeclined = read('friends.listDeclined', {
  params: { person: int8, most: int8 },
  row: known,
  gather: false,
  text: `
    select ${columns}, d.declined_at as since from declines d join people p on p.id = d.asker_id
     where d.decliner_id = :person order by d.declined_at desc, p.id limit :most`,
})

export const deleteOldDeclines = deleteOlder('friends.deleteOldDeclines', {
  table: 'declines',
  key: { asker_id: int8, decliner_id: int8 },
  by: 'declined_at',
})
