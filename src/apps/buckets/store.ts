import { batchedWrite, c, nullable, read, write } from '../../kernel/database/statement.ts'

const record = {
  bucket_no: c.int8,
  id: c.text,
  users: c.textArray,
  public: c.bool,
  data: c.json,
  version: c.int8,
  blocks: c.int4,
  created_at: c.instant,
}

/**
 * Selects a bucket as this user may see it. Data is returned only to members or, if the bucket is public, to every user
 * of the app. If the app shares its public buckets, every user may also set values in them.
 */
const asSeen = {
  params: { app: c.int8, id: c.text, user: c.text },
  row: { ...record, data: nullable(c.json), is_member: c.bool, may_set: c.bool },
  text: `
    select bucket_no, id, users, public, version, blocks, created_at, :user = any(users) as is_member,
           :user = any(users) or public and (select shared_buckets from apps where apps.id = :app) as may_set,
           case when public or :user = any(users) then data end as data
      from buckets where app_id = :app and id = :id`,
}

export const findBucket = read('buckets.find', asSeen)

/** Like `findBucket`, but locks the bucket until the transaction ends. */
export const lockBucket = write('buckets.lock', { ...asSeen, text: `${asSeen.text} for update` })

/** Lists a page of ids as JSON text, in code-point order. */
export const listBuckets = read('buckets.list', {
  params: { user: c.text, limit: c.int8, offset: c.int8 },
  row: { ids: c.json },
  text: `
    select coalesce(json_agg(bucket_id order by bucket_id), '[]') as ids
      from (select bucket_id from bucket_members where user_id = :user order by bucket_id limit :limit offset :offset) page`,
})

/**
 * Reads the user's next bucket after the id `:after`, with its data. Returns only one per call, because a bucket may be
 * as large as 1 MiB.
 */
export const findNextOfMember = read('buckets.findNextOfMember', {
  params: { user: c.text, after: c.text },
  row: { id: c.text, users: c.textArray, public: c.bool, data: c.json, version: c.int8, created_at: c.instant },
  gather: false,
  text: `
    select b.id, b.users, b.public, b.data, b.version, b.created_at
      from bucket_members m join buckets b on b.bucket_no = m.bucket_no
     where m.user_id = :user and m.bucket_id > :after and :user = any(b.users) order by m.bucket_id limit 1`,
})

/**
 * Finds the versions that determine where a member's change stream starts. Returns no row if the user is not a member.
 */
export const findMembership = read('buckets.findMembership', {
  params: { id: c.text, user: c.text },
  row: { bucket_no: c.int8, version: c.int8, since_version: c.int8 },
  text: `
    select b.bucket_no, b.version, m.since_version
      from bucket_members m join buckets b on b.bucket_no = m.bucket_no
     where m.user_id = :user and m.bucket_id = :id`,
})

/**
 * Filters `:users` to those whom the person may add to a bucket with these members. People born after `:born` are
 * children. A user is left out if they have blocked, or are blocked by, a member or a user earlier in `:users`. Users
 * with whom the person cannot share do not affect the other users, so the result does not reveal their blocks. Blocks
 * among the new users are looked up by blocker, because a person can block only a limited number of people.
 */
export const listSharers = read('buckets.listSharers', {
  params: { app: c.int8, person: c.int8, members: c.textArray, users: c.textArray, born: c.text },
  row: { user_id: c.text },
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

/**
 * Maximum shares of the app's storage in percent: for the user who is charged, and for all anonymous users together.
 */
const SHARES = { userPercent: c.int4, anonymousPercent: c.int4 }

/**
 * Inserts a bucket, which is charged to its creator. Returns no version if the id is taken, a user has been deleted, or
 * the storage is full. Locks the users' rows first, so that no user is deleted meanwhile; then the storage row, so that
 * the new version is above the floor left by deleted buckets.
 */
export const insertBucket = write('buckets.insert', {
  params: {
    app: c.int8,
    id: c.text,
    user: c.text,
    users: c.textArray,
    public: c.bool,
    data: c.json,
    blocks: c.int8,
    anonymous: c.bool,
    ...SHARES,
    now: c.timestamptz,
  },
  row: { taken: c.bool, are_here: c.bool, refusal: nullable(c.text), version: nullable(c.int8) },
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

const CHANGE = { value: nullable(c.json), key: c.text, user: c.text, now: c.timestamptz }
const keepSet = keepChange('set', ':key', ':value')

/**
 * Replaces the data with data of the same number of blocks. Returns no row if the version has changed meanwhile, or the
 * bucket is locked.
 */
export const replaceData = batchedWrite('buckets.replaceData', {
  params: { no: c.int8, version: c.int8, data: c.json, ...CHANGE },
  row: { version: c.int8 },
  text: `
    with held as materialized (
      select calls.* from :calls join buckets b on b.bucket_no = calls.no and b.version = calls.version
         for update of b skip locked
    ), bucket as (
      update buckets b set data = held.data, version = b.version + 1 from held where b.bucket_no = held.no
      returning call, b.bucket_no, b.version, held.key, held.value, held.user, held.now
    ), change as (
      insert into bucket_changes (bucket_no, version, kind, key, value, user_id, changed_at)
      select bucket_no, version, 'set', key, value, "user", now from bucket
    )
    select call, version from bucket`,
})

/**
 * Like `replaceData`, but for data with a different number of blocks: also adjusts the charge. `matched` without a
 * version means that the storage is full or, if `refusal` is `payer`, that the user charged for the bucket is no longer
 * a member. A bucket must not grow at the expense of a former member.
 */
export const replaceDataAndCharge = write('buckets.replaceDataAndCharge', {
  params: { app: c.int8, no: c.int8, version: c.int8, data: c.json, blocks: c.int4, ...SHARES, ...CHANGE },
  row: { matched: c.bool, refusal: nullable(c.text), version: nullable(c.int8) },
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

/**
 * Charges a locked bucket to `:user`, whose row must be locked too: always or, if `:from` is given, only if the bucket
 * is charged to `:from`.
 */
export const takeOver = write('buckets.takeOver', {
  params: { app: c.int8, no: c.int8, user: c.text, anonymous: c.bool, from: nullable(c.text), ...SHARES },
  row: { refusal: nullable(c.text) },
  text: `
    with bucket as materialized (
      select bucket_no, payer_no, by_anonymous, blocks, payer_of(:user) as new_payer_no from buckets b
       where bucket_no = :no and (:from is null or exists (select from user_storage s where s.payer_no = b.payer_no and s.user_id = :from))
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

/** Replaces the members of a bucket, which must be locked. */
export const replaceUsers = write('buckets.replaceUsers', {
  params: { no: c.int8, users: c.textArray, value: nullable(c.json), user: c.text, now: c.timestamptz },
  row: { version: c.int8 },
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
 * Deletes a locked bucket. Its version becomes the app's floor, and later buckets start above it. The storage row is
 * locked before the bucket is deleted; otherwise this could deadlock with the creation of a bucket with the same id,
 * which locks the storage row and waits for this deletion.
 */
export const deleteBucket = write('buckets.delete', {
  params: { app: c.int8, no: c.int8 },
  row: { bucket_no: c.int8 },
  text: `
    with charged as materialized (
      select bucket_no, move_charge(:app, payer_no, by_anonymous, blocks, payer_no, by_anonymous, 0, 0, 0, version) as charge
        from buckets where bucket_no = :no
    ), changes as (
      delete from bucket_changes where bucket_no = :no
    )
    delete from buckets b using charged c where b.bucket_no = c.bucket_no returning b.bucket_no`,
})

/**
 * Prevents the user from being deleted until the transaction ends. Must be called before the bucket is locked: deleting
 * a user locks the user first and then the buckets, and another order could cause a deadlock.
 */
export const holdUser = write('buckets.holdUser', {
  params: { app: c.int8, user: c.text },
  row: { user_id: c.text },
  text: `select user_id from app_users where user_id = :user and app_id = :app for key share`,
})

const ofMember = `from bucket_members m join buckets o on o.bucket_no = m.bucket_no
       where m.user_id = :user and :user = any(o.users)`

/**
 * Locks some of the buckets of which a user is a member, always in the same order, so that two deletions cannot
 * deadlock.
 */
export const lockSomeOfMember = write('buckets.lockSomeOfMember', {
  params: { user: c.text, most: c.int8 },
  row: { bucket_no: c.int8, users: c.textArray },
  text: `
    select b.bucket_no, b.users from buckets b
     where b.bucket_no in (select m.bucket_no ${ofMember} order by m.bucket_id limit :most) and :user = any(b.users)
     order by b.bucket_no for update`,
})

export const isInAny = write('buckets.isInAny', {
  params: { user: c.text },
  row: { is_in_any: c.bool },
  text: `select exists (select ${ofMember}) as is_in_any`,
})

export const trimChanges = write('buckets.trimChanges', {
  params: { no: c.int8, before: c.int8 },
  row: { version: c.int8 },
  text: `delete from bucket_changes where bucket_no = :no and version <= :before returning version`,
})

export const listVersions = read('buckets.listVersions', {
  params: { nos: c.int8Array },
  row: { bucket_no: c.int8, version: c.int8 },
  text: `select bucket_no, version from buckets where bucket_no = any(:nos)`,
})

/**
 * Lists the members of a bucket, each with the version at which they joined. Returns no row if the bucket was deleted.
 */
export const listMembers = read('buckets.listMembers', {
  params: { no: c.int8 },
  row: { version: c.int8, user_id: c.text, since_version: c.int8 },
  text: `
    select b.version, m.user_id, m.since_version
      from buckets b join bucket_members m on m.bucket_no = b.bucket_no
     where b.bucket_no = :no`,
})

/** A change holds a value of up to 2 KiB, so this many stay small enough for the read lane. */
const CHANGES_READ = 100

export const listChanges = read('buckets.listChanges', {
  params: { no: c.int8, after: c.int8, last: c.int8 },
  row: {
    bucket_id: c.text,
    version: c.int8,
    kind: c.text,
    key: nullable(c.text),
    value: nullable(c.json),
    user_id: c.text,
    changed_at: c.instant,
  },
  text: `
    select b.id as bucket_id, c.version, c.kind, c.key, c.value, c.user_id, c.changed_at
      from buckets b join bucket_changes c on c.bucket_no = b.bucket_no
     where b.bucket_no = :no and c.version > :after and c.version <= :last order by c.version limit ${CHANGES_READ}`,
})

export const findByNumber = read('buckets.findByNumber', {
  params: { no: c.int8 },
  row: record,
  text: `select bucket_no, id, users, public, data, version, blocks, created_at from buckets where bucket_no = :no`,
})
