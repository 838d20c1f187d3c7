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
} from '../../kernel/database/statement.ts'

const record = {
  bucket_no: int8,
  id: text,
  users: textArray,
  public: bool,
  data: json,
  version: int8,
  blocks: int4,
  created_at: timestamptz,
}

/**
 * Data leaves the database only for those who may see it: members, and every user of the app where the bucket is public. Those may set values too where the app shares
 * its public buckets.
 */
const asSeen = {
  params: { app: int8, id: text, user: text },
  row: { ...record, data: nullable(json), is_member: bool, may_set: bool },
  text: `
    select bucket_no, id, users, public, version, blocks, created_at, :user = any(users) as is_member,
           :user = any(users) or public and (select shared_buckets from apps where apps.id = :app) as may_set,
           case when public or :user = any(users) then data end as data
      from buckets where app_id = :app and id = :id`,
}

export const findBucket = read('buckets.find', asSeen)

/** The same, and nobody else writes to it until the transaction ends. */
export const lockBucket = write('buckets.lock', { ...asSeen, text: `${asSeen.text} for update` })

/** One page of ids as JSON text, in code-point order. */
export const listBuckets = read('buckets.list', {
  params: { user: text, limit: int8, offset: int8 },
  row: { ids: json },
  text: `
    select coalesce(json_agg(bucket_id order by bucket_id), '[]') as ids
      from (select bucket_id from bucket_members where user_id = :user order by bucket_id limit :limit offset :offset) page`,
})

/** The bucket of a user after that id, with its data. One at a time: each may be as large as a bucket gets. */
export const findNextOfMember = read('buckets.findNextOfMember', {
  params: { user: text, after: text },
  row: { id: text, users: textArray, public: bool, data: json, version: int8, created_at: timestamptz },
  gather: false,
  text: `
    select b.id, b.users, b.public, b.data, b.version, b.created_at
      from bucket_members m join buckets b on b.bucket_no = m.bucket_no
     where m.user_id = :user and m.bucket_id > :after and :user = any(b.users) order by m.bucket_id limit 1`,
})

/** Where a member's change stream may start; no row for others. */
export const findMembership = read('buckets.findMembership', {
  params: { id: text, user: text },
  row: { bucket_no: int8, version: int8, since_version: int8 },
  text: `
    select b.bucket_no, b.version, m.since_version
      from bucket_members m join buckets b on b.bucket_no = m.bucket_no
     where m.user_id = :user and m.bucket_id = :id`,
})

/**
 * Which of these that person may bring into a bucket that the members are in. Whoever was born after `:born` is a child. Nobody comes to somebody between whom and them there is a block; of
 * two among the new ones the later one is left out. Whom the person may not share with keeps nobody out. Among many, blocks are read from the side of their makers, who make a limited number.
 */
export const listSharers = read('buckets.listSharers', {
  params: { app: int8, person: int8, members: textArray, users: textArray, born: text },
  row: { user_id: text },
  text: `
    with sharers as materialized (
      select u.user_id, u.person_id, w.place
        from app_users u join people p on p.id = u.person_id join unnest(:users) with ordinality w (user_id, place) on w.user_id = u.user_id
        cross join lateral may_share_with(:person, p.id, p.date_of_birth, to_date(:born, 'YYYY-MM-DD')) s
       where u.user_id = any(:users) and u.app_id = :app and is_there(u, p) and s.may_share
         and not exists (
               select from app_users m
                where m.user_id = any(:members) and exists (select from hidden_from(m.person_id) h where h.person_id = p.id offset 0) offset 0)
    ), apart as materialized (
      select case when a.place > b.place then a.user_id else b.user_id end as user_id
        from sharers a cross join lateral hidden_from(a.person_id) h join sharers b on b.person_id = h.person_id
       where h.by_viewer
    )
    select user_id from sharers where user_id not in (select user_id from apart)`,
})

/** Shares of the app's storage, in percent: of the user who pays, and of all anonymous users together. */
const SHARES = { userPercent: int4, anonymousPercent: int4 }

/**
 * Without a version: the id is taken, some of the users are gone, or there is no room. The users' rows are locked first, so that none of them goes while they get a
 * bucket; then the storage row, so that a new version is above the floor. The creator pays.
 */
export const insertBucket = write('buckets.insert', {
  params: {
    app: int8,
    id: text,
    user: text,
    users: textArray,
    public: bool,
    data: json,
    blocks: int8,
    anonymous: bool,
    ...SHARES,
    now: timestamptz,
  },
  row: { taken: bool, are_here: bool, refusal: nullable(text), version: nullable(int8) },
  text: `
    with here as (
      select from app_users where user_id = any(:users) and app_id = :app for key share
    ), namesake as (
      select from buckets where app_id = :app and id = :id
    ), payer as materialized (
      select payer_of(:user) as payer_no
       where not exists (select from namesake) and (select count(*) from here) = cardinality(:users)
    ), charged as materialized (
      select payer_no, move_charge(:app, null, false, 0, payer_no, :anonymous, :blocks, :userPercent, :anonymousPercent, 0) as charge from payer
    ), bucket as (
      insert into buckets (app_id, id, users, public, data, version, blocks, payer_no, by_anonymous, created_at)
      select :app, :id, :users, :public, :data, (charge).version_floor + 1, :blocks, payer_no, :anonymous, :now
        from charged where (charge).refusal is null
      returning bucket_no, version
    ), members as (
      insert into bucket_members (user_id, bucket_id, bucket_no, since_version)
      select member, :id, bucket_no, version from bucket, unnest(:users) member
    )
    select exists (select from namesake) as taken, (select count(*) from here) = cardinality(:users) as are_here,
           (select (charge).refusal from charged) as refusal, (select version from bucket) as version`,
})

const keepChange = (kind: string, key: string, value: string): string => `
    change as (
      insert into bucket_changes (bucket_no, version, kind, key, value, user_id, changed_at)
      select bucket_no, version, '${kind}', ${key}, ${value}, :user, :now from bucket
    )`

const CHANGE = { value: nullable(json), key: text, user: text, now: timestamptz }
const keepSet = keepChange('set', ':key', ':value')

/** Replaces the data if nobody else has written since; no row where somebody has. The bucket keeps its number of blocks. */
export const replaceData = write('buckets.replaceData', {
  params: { no: int8, version: int8, data: json, ...CHANGE },
  row: { version: int8 },
  text: `
    with bucket as (
      update buckets set data = :data, version = version + 1 where bucket_no = :no and version = :version
      returning bucket_no, version
    ), ${keepSet}
    select version from bucket`,
})

/**
 * The same where the number of blocks changes: what is charged moves in the same statement. `matched` without a version: there is no room, or (`payer`) whoever
 * pays for the bucket is no longer in it, so that it does not grow at their expense.
 */
export const replaceDataAndCharge = write('buckets.replaceDataAndCharge', {
  params: { app: int8, no: int8, version: int8, data: json, blocks: int4, ...SHARES, ...CHANGE },
  row: { matched: bool, refusal: nullable(text), version: nullable(int8) },
  text: `
    with target as (
      select bucket_no, blocks, payer_no, by_anonymous,
             :blocks < blocks or exists (select from user_storage s where s.payer_no = b.payer_no and s.user_id = any(b.users)) as is_paid
        from buckets b where bucket_no = :no and version = :version for update
    ), charged as materialized (
      select bucket_no, move_charge(:app, payer_no, by_anonymous, blocks, payer_no, by_anonymous, :blocks, :userPercent, :anonymousPercent, 0) as charge
        from target where is_paid
    ), bucket as (
      update buckets b set data = :data, version = b.version + 1, blocks = :blocks
        from charged c
       where b.bucket_no = c.bucket_no and (c.charge).refusal is null
      returning b.bucket_no, b.version
    ), ${keepSet}
    select exists (select from target) as matched, (select version from bucket) as version,
           case when exists (select from target where not is_paid) then 'payer' else (select (charge).refusal from charged) end as refusal`,
})

/** A bucket that is locked is charged to another user, who is held: always, or only where it is charged to `of`. */
export const takeOver = write('buckets.takeOver', {
  params: { app: int8, no: int8, user: text, anonymous: bool, of: nullable(text), ...SHARES },
  row: { refusal: nullable(text) },
  text: `
    with bucket as materialized (
      select bucket_no, payer_no, by_anonymous, blocks, payer_of(:user) as new_payer_no from buckets b
       where bucket_no = :no and (:of is null or exists (select from user_storage s where s.payer_no = b.payer_no and s.user_id = :of))
    ), charged as materialized (
      select bucket_no, new_payer_no,
             move_charge(:app, payer_no, by_anonymous, blocks, new_payer_no, :anonymous, blocks, :userPercent, :anonymousPercent, 0) as charge
        from bucket
    ), moved as (
      update buckets b set payer_no = c.new_payer_no, by_anonymous = :anonymous
        from charged c where b.bucket_no = c.bucket_no and (c.charge).refusal is null
    )
    select (charge).refusal as refusal from charged`,
})

/** Of a bucket that is locked. */
export const replaceUsers = write('buckets.replaceUsers', {
  params: { no: int8, users: textArray, value: nullable(json), user: text, now: timestamptz },
  row: { version: int8 },
  text: `
    with bucket as (
      update buckets set users = :users, version = version + 1 where bucket_no = :no
      returning bucket_no, version, id
    ), removed as (
      delete from bucket_members where bucket_no = :no and not user_id = any(:users)
    ), added as (
      insert into bucket_members (user_id, bucket_id, bucket_no, since_version)
      select member, id, bucket_no, version from bucket, unnest(:users) member
       where not exists (select from bucket_members m where m.bucket_no = :no and m.user_id = member)
    ), ${keepChange('users', 'null', ':value')}
    select version from bucket`,
})

/**
 * A bucket that is locked. No later bucket of the app gets a version at or below its own. The storage row is locked before the bucket is marked
 * as deleted: somebody who holds it and makes a bucket with the same id must find that taken, not wait for us.
 */
export const deleteBucket = write('buckets.delete', {
  params: { app: int8, no: int8 },
  row: { bucket_no: int8 },
  text: `
    with charged as materialized (
      select bucket_no, move_charge(:app, payer_no, by_anonymous, blocks, payer_no, by_anonymous, 0, 0, 0, version) as charge
        from buckets where bucket_no = :no
    ), changes as (
      delete from bucket_changes where bucket_no = :no
    )
    delete from buckets b using charged c where b.bucket_no = c.bucket_no returning b.bucket_no`,
})

/** Until the transaction ends this user does not go. Taken before the bucket's row, as by whoever removes a user. */
export const holdUser = write('buckets.holdUser', {
  params: { app: int8, user: text },
  row: { user_id: text },
  text: `select user_id from app_users where user_id = :user and app_id = :app for key share`,
})

const ofMember = `from bucket_members m join buckets o on o.bucket_no = m.bucket_no
       where m.user_id = :user and :user = any(o.users)`

/** Some of the buckets that a user is in, locked. Always in the same order, so that two who go do not wait for each other. */
export const lockSomeOfMember = write('buckets.lockSomeOfMember', {
  params: { user: text, most: int8 },
  row: { bucket_no: int8, users: textArray },
  text: `
    select b.bucket_no, b.users from buckets b
     where b.bucket_no in (select m.bucket_no ${ofMember} order by m.bucket_id limit :most) and :user = any(b.users)
     order by b.bucket_no for update`,
})

export const isInAny = write('buckets.isInAny', {
  params: { user: text },
  row: { is_in_any: bool },
  text: `select exists (select ${ofMember}) as is_in_any`,
})

export const trimChanges = write('buckets.trimChanges', {
  params: { no: int8, before: int8 },
  row: { version: int8 },
  text: `delete from bucket_changes where bucket_no = :no and version <= :before returning version`,
})

export const listVersions = read('buckets.listVersions', {
  params: { nos: int8Array },
  row: { bucket_no: int8, version: int8 },
  text: `select bucket_no, version from buckets where bucket_no = any(:nos)`,
})

/** The members, and the version as of which they are so; no row where the bucket is gone. */
export const listMembers = read('buckets.listMembers', {
  params: { no: int8 },
  row: { version: int8, user_id: text, since_version: int8 },
  text: `
    select b.version, m.user_id, m.since_version
      from buckets b join bucket_members m on m.bucket_no = b.bucket_no
     where b.bucket_no = :no`,
})

export const listChanges = read('buckets.listChanges', {
  params: { no: int8, after: int8, last: int8 },
  row: {
    bucket_id: text,
    version: int8,
    kind: text,
    key: nullable(text),
    value: nullable(json),
    user_id: text,
    changed_at: timestamptz,
  },
  text: `
    select b.id as bucket_id, c.version, c.kind, c.key, c.value, c.user_id, c.changed_at
      from buckets b join bucket_changes c on c.bucket_no = b.bucket_no
     where b.bucket_no = :no and c.version > :after and c.version <= :last order by c.version limit 500`,
})

export const findByNumber = read('buckets.findByNumber', {
  params: { no: int8 },
  row: record,
  text: `select bucket_no, id, users, public, data, version, blocks, created_at from buckets where bucket_no = :no`,
})
